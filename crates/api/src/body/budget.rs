//! How many bytes of bodies are held at a time, whoever sends them: a body may be large, so many of them may not.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The most bytes of all bodies that are read or worked on.
const AT_MOST: usize = 512 << 20;

/// What is held, and how much may be.
#[derive(Clone, Debug)]
pub struct Budget {
    held: Arc<AtomicUsize>,
    most: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self { held: Arc::default(), most: AT_MOST }
    }
}

impl Budget {
    /// A share of nothing yet.
    pub(super) fn share(&self) -> Share {
        Share { budget: self.clone(), bytes: 0 }
    }
}

/// What one body holds; given back when it is dropped.
#[derive(Debug)]
pub(super) struct Share {
    budget: Budget,
    bytes: usize,
}

impl Share {
    /// Holds so many bytes more, if there is room for them.
    pub(super) fn grow(&mut self, bytes: usize) -> bool {
        let Budget { held, most } = &self.budget;
        let room = |held: usize| held.checked_add(bytes).filter(|held| held <= most);
        let is_taken = held.fetch_update(Ordering::Relaxed, Ordering::Relaxed, room).is_ok();
        self.bytes += if is_taken { bytes } else { 0 };
        is_taken
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.budget.held.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_held_is_bounded_and_given_back() {
        let budget = Budget::default();
        let (mut one, mut other) = (budget.share(), budget.share());
        assert!(one.grow(AT_MOST - 1) && other.grow(1));
        assert!(!other.grow(1) && !other.grow(usize::MAX));
        drop(one);
        assert!(other.grow(AT_MOST - 1));
        drop(other);
        assert_eq!(budget.held.load(Ordering::Relaxed), 0);
    }
}
