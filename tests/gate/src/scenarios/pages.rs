//! Fold of a page of the log into the changes of every read model.

use std::hint::black_box;

use daybook_projector::testing::fold_page;

use super::Work;
use crate::history;

pub(super) fn fold() -> Work {
    let events = history::happened();
    Box::new(move || {
        black_box(fold_page(&events).expect("the log begins with them"));
    })
}
