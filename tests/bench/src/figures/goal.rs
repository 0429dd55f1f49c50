//! Goals of figures, and verdicts.

use std::fmt;

use serde::Serialize;

use super::line::Line;

/// Goal of a line in the report.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Goal {
    pub(crate) of: Of,
    pub(crate) bound: Bound,
    pub(crate) must: f64,
    pub(crate) aim: f64,
}

/// Value that is compared with the goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Of {
    /// The figure itself.
    Figure,
    /// Ratio of the figure to another one of the same run.
    Ratio(Line),
}

/// Direction of a goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    /// Lower bound.
    Least,
    /// Upper bound.
    Most,
}

/// Verdict on a figure; the worst comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Verdict {
    /// The figure misses the required value.
    Missed,
    /// The figure reaches the required value.
    Must,
    /// The figure reaches the aimed value.
    Aim,
}

impl Goal {
    /// Compares a figure with the goal. `figure` is the value that [`Goal::of`] names.
    pub(crate) fn verdict(self, figure: f64) -> Verdict {
        if self.bound.holds(figure, self.aim) {
            Verdict::Aim
        } else if self.bound.holds(figure, self.must) {
            Verdict::Must
        } else {
            Verdict::Missed
        }
    }
}

impl Bound {
    /// Returns true if `figure` is within `limit`. NaN never is.
    fn holds(self, figure: f64, limit: f64) -> bool {
        match self {
            Self::Least => figure >= limit,
            Self::Most => figure <= limit,
        }
    }

    /// Returns the sign before a limit.
    pub(super) const fn sign(self) -> char {
        match self {
            Self::Least => '≥',
            Self::Most => '≤',
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Missed => "missed",
            Self::Must => "must",
            Self::Aim => "aim",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goal_includes_its_limit() {
        let least = Goal { of: Of::Figure, bound: Bound::Least, must: 1.6, aim: 3.0 };
        let most = Goal { bound: Bound::Most, must: 15.0, aim: 8.0, ..least };
        let table = [
            (least, 1.59, Verdict::Missed),
            (least, 1.6, Verdict::Must),
            (least, 2.99, Verdict::Must),
            (least, 3.0, Verdict::Aim),
            (most, 15.1, Verdict::Missed),
            (most, 15.0, Verdict::Must),
            (most, 8.0, Verdict::Aim),
            (least, f64::NAN, Verdict::Missed),
            (most, f64::NAN, Verdict::Missed),
        ];
        for (goal, figure, expected) in table {
            assert_eq!(goal.verdict(figure), expected, "{goal:?} {figure}");
        }
        assert!(Verdict::Missed < Verdict::Must && Verdict::Must < Verdict::Aim);
    }
}
