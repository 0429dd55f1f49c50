//! Which targets are measured, and what has to be measured with them.

use std::ops::RangeInclusive;

/// The numbers of the targets.
pub(crate) const TARGETS: RangeInclusive<u8> = 1..=13;

/// The numbers that were asked for; none asks for all.
pub(crate) struct Wanted(Vec<u8>);

impl Wanted {
    /// Those in `only`.
    pub(crate) fn new(only: &[u8]) -> Self {
        Self(only.to_vec())
    }

    /// Whether everything is.
    pub(crate) fn is_everything(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether target `number` is.
    pub(crate) fn has(&self, number: u8) -> bool {
        self.is_everything() || self.0.contains(&number)
    }

    /// Whether one of these targets is.
    pub(crate) fn any(&self, numbers: &[u8]) -> bool {
        numbers.iter().any(|number| self.has(*number))
    }

    /// Target 1 is what targets 4, 10 and 11 are compared with.
    pub(crate) fn create(&self) -> bool {
        self.any(&[1, 4, 10, 11])
    }

    /// Whether a server on a log without history is needed.
    pub(crate) fn short_log(&self) -> bool {
        self.create() || self.any(&[3, 8, 9])
    }

    /// Whether a server on the history is needed.
    pub(crate) fn served_history(&self) -> bool {
        self.any(&[10, 12, 13])
    }

    /// Whether the history is read.
    pub(crate) fn read_history(&self) -> bool {
        self.any(&[6, 7])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_target_is_compared_with_is_measured_with_it() {
        assert!(TARGETS.into_iter().all(|number| Wanted::new(&[]).has(number)));
        let hot = Wanted::new(&[4]);
        assert!(hot.create() && hot.short_log() && !hot.served_history() && !hot.has(1));
        let old = Wanted::new(&[6, 10]);
        assert!(old.create() && old.served_history() && old.read_history());
        assert!(!Wanted::new(&[2, 5]).short_log());
    }
}
