//! Encoding and decoding of events, a page of each.

use std::hint::black_box;

use daybook_projector::RecordedEvent;

use super::Work;
use crate::history;

pub(super) fn encode() -> Work {
    let events = history::happened();
    Box::new(move || {
        for happened in &events {
            black_box(happened.event.encode().expect("encodes"));
        }
    })
}

pub(super) fn decode() -> Work {
    let events = history::recorded();
    Box::new(move || {
        for recorded in &events {
            black_box(RecordedEvent::decode(recorded).expect("our own event"));
        }
    })
}
