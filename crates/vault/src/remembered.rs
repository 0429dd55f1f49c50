//! What boxes held, as whoever opened them read it: kept with the keys that opened them, and gone with them.

use std::any::Any;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use uuid::Uuid;

use crate::Class;

/// How many boxes of one subject are remembered: what it is known by, and some of its accounts.
const BOXES: usize = 4;

/// The boxes that were opened last.
#[derive(Default)]
pub(crate) struct Remembered(Mutex<VecDeque<Held>>);

/// What was in a box.
struct Held {
    class: Class,
    box_id: Uuid,
    /// The whole box: one that was changed since is opened, and refused.
    sealed: Arc<[u8]>,
    contents: Arc<dyn Any + Send + Sync>,
}

impl Remembered {
    /// What was read as a `T` in the same bytes.
    pub(crate) fn find<T: Send + Sync + 'static>(
        &self,
        class: Class,
        box_id: Uuid,
        sealed: &[u8],
    ) -> Option<Arc<T>> {
        let boxes = self.lock();
        let is_it = |one: &&Held| one.box_id == box_id && one.class == class && *one.sealed == *sealed;
        let found = boxes.iter().find(is_it)?;
        Arc::clone(&found.contents).downcast().ok()
    }

    /// Remembers what was read in a box, instead of what was read in it before, or else of the oldest.
    pub(crate) fn keep<T: Send + Sync + 'static>(
        &self,
        class: Class,
        box_id: Uuid,
        sealed: &Arc<[u8]>,
        contents: &Arc<T>,
    ) {
        let mut boxes = self.lock();
        boxes.retain(|one| one.box_id != box_id);
        if boxes.len() == BOXES {
            boxes.pop_front();
        }
        boxes.push_back(Held {
            class,
            box_id,
            sealed: Arc::clone(sealed),
            contents: Arc::<T>::clone(contents),
        });
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Held>> {
        // Each change is one call: nobody leaves it half done.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLASS: Class = Class::Profile;

    fn keep(boxes: &Remembered, id: u128, sealed: &[u8], held: u64) {
        boxes.keep(CLASS, Uuid::from_u128(id), &sealed.into(), &Arc::new(held));
    }

    fn find(boxes: &Remembered, id: u128, sealed: &[u8]) -> Option<u64> {
        boxes.find(CLASS, Uuid::from_u128(id), sealed).map(|held| *held)
    }

    #[test]
    fn the_last_few_are_remembered() {
        let boxes = Remembered::default();
        (0..=BOXES as u64).for_each(|n| keep(&boxes, u128::from(n), b"sealed", n));
        let found: Vec<_> = (0..=BOXES as u64).map(|n| find(&boxes, u128::from(n), b"sealed")).collect();
        assert_eq!(found, [None, Some(1), Some(2), Some(3), Some(4)]);
    }

    #[test]
    fn only_the_same_box_is() {
        let boxes = Remembered::default();
        keep(&boxes, 1, b"sealed", 7);
        assert_eq!(find(&boxes, 1, b"changed"), None);
        assert_eq!(find(&boxes, 2, b"sealed"), None);
        assert!(boxes.find::<u64>(Class::Document, Uuid::from_u128(1), b"sealed").is_none());
        assert!(boxes.find::<u32>(CLASS, Uuid::from_u128(1), b"sealed").is_none(), "read as something else");
        assert_eq!(find(&boxes, 1, b"sealed"), Some(7));
    }

    #[test]
    fn a_box_is_remembered_once() {
        let boxes = Remembered::default();
        (0..9).for_each(|n| keep(&boxes, 1, b"sealed", n));
        keep(&boxes, 2, b"sealed", 9);
        assert_eq!((find(&boxes, 1, b"sealed"), find(&boxes, 2, b"sealed")), (Some(8), Some(9)));
        assert_eq!(boxes.lock().len(), 2);
    }
}
