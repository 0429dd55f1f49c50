//! What boxes held, as whoever opened them read it: kept with the keys that opened them, and gone with them.

use std::any::Any;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use uuid::Uuid;

use crate::Class;

/// How many boxes of one subject are remembered whoever else there is: what it is known by, and some of its accounts.
const BOXES: usize = 4;
/// How many at the most, where all subjects together leave room.
const BOXES_AT_MOST: usize = 128;
/// How many all subjects together may have beyond those of each: about 16 MB.
const MORE: usize = 1 << 14;

/// How many boxes all subjects may still remember beyond those of each; clones count together.
#[derive(Clone)]
pub(crate) struct Room(Arc<AtomicUsize>);

impl Default for Room {
    fn default() -> Self {
        Self(Arc::new(AtomicUsize::new(MORE)))
    }
}

impl Room {
    /// Takes one, if there is one left.
    fn take(&self) -> bool {
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok()
    }

    fn give_back(&self, count: usize) {
        self.0.fetch_add(count, Ordering::Relaxed);
    }
}

/// The boxes of one subject that were opened last.
pub(crate) struct Remembered {
    boxes: Mutex<Boxes>,
    room: Room,
}

#[derive(Default)]
struct Boxes {
    by_id: HashMap<Uuid, Held>,
    /// How many were ever remembered.
    count: u64,
}

/// What was in a box.
struct Held {
    class: Class,
    /// The whole box: one that was changed since is opened, and refused.
    sealed: Arc<[u8]>,
    contents: Arc<dyn Any + Send + Sync>,
    /// How many were remembered before it.
    since: u64,
}

impl Remembered {
    pub(crate) fn new(room: Room) -> Self {
        Self { boxes: Mutex::default(), room }
    }

    /// What was read as a `T` in the same bytes.
    pub(crate) fn find<T: Send + Sync + 'static>(
        &self,
        class: Class,
        box_id: Uuid,
        sealed: &[u8],
    ) -> Option<Arc<T>> {
        let boxes = self.lock();
        let held = boxes.by_id.get(&box_id)?;
        let is_it = held.class == class && *held.sealed == *sealed;
        is_it.then(|| Arc::clone(&held.contents))?.downcast().ok()
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
        let since = boxes.count;
        boxes.count += 1;
        if !boxes.by_id.contains_key(&box_id) && !self.has_place(boxes.by_id.len()) {
            let oldest = boxes.by_id.iter().min_by_key(|(_, held)| held.since).map(|(id, _)| *id);
            oldest.and_then(|id| boxes.by_id.remove(&id));
        }
        let (sealed, contents) = (Arc::clone(sealed), Arc::<T>::clone(contents));
        boxes.by_id.insert(box_id, Held { class, sealed, contents, since });
    }

    /// Whether one more may be remembered beside so many.
    fn has_place(&self, boxes: usize) -> bool {
        boxes < BOXES || (boxes < BOXES_AT_MOST && self.room.take())
    }

    fn lock(&self) -> MutexGuard<'_, Boxes> {
        // A panic between two of its changes leaves whole boxes behind.
        self.boxes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Remembered {
    fn drop(&mut self) {
        let boxes = self.lock().by_id.len();
        self.room.give_back(boxes.saturating_sub(BOXES));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLASS: Class = Class::Profile;

    /// Of a subject where all together may have so many boxes beyond those of each.
    fn remembered(room: usize) -> Remembered {
        Remembered::new(Room(Arc::new(AtomicUsize::new(room))))
    }

    fn keep(boxes: &Remembered, id: u128, sealed: &[u8], held: u64) {
        boxes.keep(CLASS, Uuid::from_u128(id), &sealed.into(), &Arc::new(held));
    }

    fn find(boxes: &Remembered, id: u128, sealed: &[u8]) -> Option<u64> {
        boxes.find(CLASS, Uuid::from_u128(id), sealed).map(|held| *held)
    }

    /// Keeps so many boxes; which of them are found afterwards.
    fn kept(boxes: &Remembered, count: u64) -> Vec<u64> {
        (0..count).for_each(|n| keep(boxes, u128::from(n), b"sealed", n));
        (0..count).filter_map(|n| find(boxes, u128::from(n), b"sealed")).collect()
    }

    #[test]
    fn the_last_few_are_remembered() {
        assert_eq!(kept(&remembered(0), 6), [2, 3, 4, 5]);
        assert_eq!(kept(&remembered(1), 6), [1, 2, 3, 4, 5]);
        let most = BOXES_AT_MOST as u64;
        assert_eq!(kept(&remembered(MORE), most + 1), (1..=most).collect::<Vec<_>>());
    }

    #[test]
    fn what_one_subject_has_beyond_the_few_is_room_for_others_when_it_is_forgotten() {
        let one = remembered(2);
        let other = Remembered::new(one.room.clone());
        assert_eq!(kept(&one, 9).len(), BOXES + 2);
        assert_eq!(kept(&other, 9).len(), BOXES);
        drop(one);
        assert_eq!(kept(&other, 9).len(), BOXES + 2);
    }

    #[test]
    fn only_the_same_box_is() {
        let boxes = remembered(0);
        keep(&boxes, 1, b"sealed", 7);
        assert_eq!(find(&boxes, 1, b"changed"), None);
        assert_eq!(find(&boxes, 2, b"sealed"), None);
        assert!(boxes.find::<u64>(Class::Document, Uuid::from_u128(1), b"sealed").is_none());
        assert!(boxes.find::<u32>(CLASS, Uuid::from_u128(1), b"sealed").is_none(), "read as something else");
        assert_eq!(find(&boxes, 1, b"sealed"), Some(7));
    }

    #[test]
    fn a_box_is_remembered_once() {
        let boxes = remembered(0);
        (0..9).for_each(|n| keep(&boxes, 1, b"sealed", n));
        keep(&boxes, 2, b"sealed", 9);
        assert_eq!((find(&boxes, 1, b"sealed"), find(&boxes, 2, b"sealed")), (Some(8), Some(9)));
        assert_eq!(boxes.lock().by_id.len(), 2);
    }
}
