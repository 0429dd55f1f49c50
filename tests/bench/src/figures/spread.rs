//! Spread of a figure over several runs.

/// Lowest value, median and highest value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spread {
    pub(crate) lowest: f64,
    pub(crate) median: f64,
    pub(crate) highest: f64,
}

impl Spread {
    /// Computes the spread; zeros for an empty list. With an even number of values the median is the mean of the middle
    /// two.
    pub(crate) fn of(figures: impl Iterator<Item = f64>) -> Self {
        Self::of_any(figures).unwrap_or(Self { lowest: 0.0, median: 0.0, highest: 0.0 })
    }

    /// Computes the spread as [`Spread::of`]; none for an empty list.
    pub(crate) fn of_any(figures: impl Iterator<Item = f64>) -> Option<Self> {
        let mut sorted: Vec<f64> = figures.collect();
        sorted.sort_by(f64::total_cmp);
        let last = sorted.len().checked_sub(1)?;
        let at = |index: usize| sorted.get(index).copied().unwrap_or_default();
        Some(Self {
            lowest: at(0),
            median: f64::midpoint(at(last / 2), at(last.div_ceil(2))),
            highest: at(last),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn median_is_the_middle_value() {
        let of = |figures: &[f64]| Spread::of(figures.iter().copied());
        assert_eq!(of(&[3.0, 1.0, 2.0]), Spread { lowest: 1.0, median: 2.0, highest: 3.0 });
        assert_eq!(of(&[4.0, 1.0, 2.0, 3.0]), Spread { lowest: 1.0, median: 2.5, highest: 4.0 });
        assert_eq!(of(&[5.0]), Spread { lowest: 5.0, median: 5.0, highest: 5.0 });
        assert_eq!(Spread::of_any(std::iter::empty()), None);
    }
}
