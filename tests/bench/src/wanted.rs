//! Selection of targets, and the measurements that they depend on.

use std::ops::RangeInclusive;

/// Numbers of the targets.
pub(crate) const TARGETS: RangeInclusive<u8> = 1..=13;

/// Numbers of the selected targets; an empty list selects all.
pub(crate) struct Wanted(Vec<u8>);

impl Wanted {
    /// Selects the targets in `only`.
    pub(crate) fn new(only: &[u8]) -> Self {
        Self(only.to_vec())
    }

    /// Returns true if everything is selected.
    pub(crate) fn is_everything(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns true if target `number` is selected.
    pub(crate) fn has(&self, number: u8) -> bool {
        self.is_everything() || self.0.contains(&number)
    }

    /// Returns true if one of these targets is selected.
    pub(crate) fn any(&self, numbers: &[u8]) -> bool {
        numbers.iter().any(|number| self.has(*number))
    }

    /// Returns true if target 1 is needed, as such or as the base of targets 4, 10 and 11.
    pub(crate) fn create(&self) -> bool {
        self.any(&[1, 4, 10, 11])
    }

    /// Returns true if a server on a log without history is needed.
    pub(crate) fn short_log(&self) -> bool {
        self.create() || self.any(&[3, 8, 9])
    }

    /// Returns true if a server on the history is needed.
    pub(crate) fn served_history(&self) -> bool {
        self.any(&[10, 12, 13])
    }

    /// Returns true if the history is read.
    pub(crate) fn read_history(&self) -> bool {
        self.any(&[6, 7])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn target_is_measured_with_its_base() {
        assert!(TARGETS.into_iter().all(|number| Wanted::new(&[]).has(number)));
        let hot = Wanted::new(&[4]);
        assert!(hot.create() && hot.short_log() && !hot.served_history() && !hot.has(1));
        let old = Wanted::new(&[6, 10]);
        assert!(old.create() && old.served_history() && old.read_history());
        assert!(!Wanted::new(&[2, 5]).short_log());
    }
}
