//! Cache of the decoded contents of boxes. It lives and ends with the keys that opened the boxes.

use std::any::Any;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use uuid::Uuid;

use crate::Class;

/// Number of boxes that are cached for each subject, however many subjects there are: its profile, and some of its
/// accounts.
const BOXES_PER_SUBJECT: usize = 4;
/// Maximum number of cached boxes of one subject, if the shared room allows it.
const MAX_BOXES_PER_SUBJECT: usize = 128;
/// Shared room: number of boxes that all subjects together may cache beyond [`BOXES_PER_SUBJECT`] for each. About 16
/// MB.
const SHARED_BOXES: usize = 1 << 14;

/// Number of boxes that may still be cached beyond [`BOXES_PER_SUBJECT`] for each subject. Clones share one count.
#[derive(Clone)]
pub(crate) struct SharedCapacity(Arc<AtomicUsize>);

impl Default for SharedCapacity {
    fn default() -> Self {
        Self(Arc::new(AtomicUsize::new(SHARED_BOXES)))
    }
}

impl SharedCapacity {
    /// Takes one place, if there is one left.
    fn take(&self) -> bool {
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok()
    }

    fn give_back(&self, count: usize) {
        self.0.fetch_add(count, Ordering::Relaxed);
    }
}

/// Cached contents of the boxes of one subject that were opened last.
pub(crate) struct OpenedBoxCache {
    boxes: Mutex<Boxes>,
    room: SharedCapacity,
}

#[derive(Default)]
struct Boxes {
    by_id: HashMap<Uuid, CachedBox>,
    /// Number of contents that were ever cached.
    count: u64,
}

/// Contents of a box.
struct CachedBox {
    class: Class,
    /// The whole sealed box. A box that was changed since is opened, and then refused.
    sealed: Arc<[u8]>,
    contents: Arc<dyn Any + Send + Sync>,
    /// Number of contents that were cached before these.
    since: u64,
}

impl OpenedBoxCache {
    pub(crate) fn new(room: SharedCapacity) -> Self {
        Self { boxes: Mutex::default(), room }
    }

    /// Returns the contents that were decoded as a `T` from the same sealed bytes.
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

    /// Caches the contents of a box. They replace earlier contents of the same box, or the oldest contents if there is
    /// no place.
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
        boxes.by_id.insert(box_id, CachedBox { class, sealed, contents, since });
    }

    /// Returns true if another box may be cached besides `boxes`, and takes a shared place if needed.
    fn has_place(&self, boxes: usize) -> bool {
        boxes < BOXES_PER_SUBJECT || (boxes < MAX_BOXES_PER_SUBJECT && self.room.take())
    }

    fn lock(&self) -> MutexGuard<'_, Boxes> {
        // A panic between two changes leaves only complete entries behind.
        self.boxes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for OpenedBoxCache {
    fn drop(&mut self) {
        let boxes = self.lock().by_id.len();
        self.room.give_back(boxes.saturating_sub(BOXES_PER_SUBJECT));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLASS: Class = Class::Profile;

    /// Returns the cache of a subject. All subjects together may have `room` boxes beyond those of each.
    fn remembered(room: usize) -> OpenedBoxCache {
        OpenedBoxCache::new(SharedCapacity(Arc::new(AtomicUsize::new(room))))
    }

    fn keep(boxes: &OpenedBoxCache, id: u128, sealed: &[u8], held: u64) {
        boxes.keep(CLASS, Uuid::from_u128(id), &sealed.into(), &Arc::new(held));
    }

    fn find(boxes: &OpenedBoxCache, id: u128, sealed: &[u8]) -> Option<u64> {
        boxes.find(CLASS, Uuid::from_u128(id), sealed).map(|held| *held)
    }

    /// Caches `count` boxes; returns those that are found afterwards.
    fn kept(boxes: &OpenedBoxCache, count: u64) -> Vec<u64> {
        (0..count).for_each(|n| keep(boxes, u128::from(n), b"sealed", n));
        (0..count).filter_map(|n| find(boxes, u128::from(n), b"sealed")).collect()
    }

    #[test]
    fn newest_boxes_are_cached() {
        assert_eq!(kept(&remembered(0), 6), [2, 3, 4, 5]);
        assert_eq!(kept(&remembered(1), 6), [1, 2, 3, 4, 5]);
        let most = MAX_BOXES_PER_SUBJECT as u64;
        assert_eq!(kept(&remembered(SHARED_BOXES), most + 1), (1..=most).collect::<Vec<_>>());
    }

    #[test]
    fn evicting_a_subject_frees_shared_cache_slots() {
        let one = remembered(2);
        let other = OpenedBoxCache::new(one.room.clone());
        assert_eq!(kept(&one, 9).len(), BOXES_PER_SUBJECT + 2);
        assert_eq!(kept(&other, 9).len(), BOXES_PER_SUBJECT);
        drop(one);
        assert_eq!(kept(&other, 9).len(), BOXES_PER_SUBJECT + 2);
    }

    #[test]
    fn cache_finds_only_the_same_box() {
        let boxes = remembered(0);
        keep(&boxes, 1, b"sealed", 7);
        assert_eq!(find(&boxes, 1, b"changed"), None);
        assert_eq!(find(&boxes, 2, b"sealed"), None);
        assert!(boxes.find::<u64>(Class::Document, Uuid::from_u128(1), b"sealed").is_none());
        assert!(boxes.find::<u32>(CLASS, Uuid::from_u128(1), b"sealed").is_none(), "decoded as another type");
        assert_eq!(find(&boxes, 1, b"sealed"), Some(7));
    }

    #[test]
    fn box_is_cached_once() {
        let boxes = remembered(0);
        (0..9).for_each(|n| keep(&boxes, 1, b"sealed", n));
        keep(&boxes, 2, b"sealed", 9);
        assert_eq!((find(&boxes, 1, b"sealed"), find(&boxes, 2, b"sealed")), (Some(8), Some(9)));
        assert_eq!(boxes.lock().by_id.len(), 2);
    }
}
