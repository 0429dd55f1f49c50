//! First version of the events about documents: each part has a status and a time. The time of a part that waits for
//! its review has no meaning.

use serde::Deserialize;

use super::super::document::{Finding, Part, SubDocumentGroup, SubDocumentId, SubDocumentStatus};
use crate::event::Outdated;
use crate::id::AttachmentId;
use crate::time::Timestamp;

#[derive(Deserialize)]
pub(super) struct DocumentAdded {
    id: SubDocumentId,
    parts: Vec<PartV1>,
}

impl Outdated for DocumentAdded {
    type Next = super::DocumentAdded;

    fn upcast(self) -> super::DocumentAdded {
        super::DocumentAdded { id: self.id, parts: upcast(self.parts), contents: None }
    }
}

#[derive(Deserialize)]
pub(super) struct DocumentChanged {
    id: SubDocumentId,
    parts: Vec<PartV1>,
}

impl Outdated for DocumentChanged {
    type Next = super::DocumentChanged;

    fn upcast(self) -> super::DocumentChanged {
        super::DocumentChanged { id: self.id, parts: upcast(self.parts), contents: None }
    }
}

#[derive(Deserialize)]
struct PartV1 {
    id: SubDocumentId,
    group: SubDocumentGroup,
    #[serde(rename = "type")]
    document_type: String,
    status: SubDocumentStatus,
    /// No meaning if the part waits for its review.
    #[serde(default)]
    updated_at: Timestamp,
    #[serde(default)]
    image: Option<AttachmentId>,
}

fn upcast(parts: Vec<PartV1>) -> Vec<Part> {
    let part = |PartV1 { id, group, document_type, status, updated_at, image }| {
        let found = status.verdict().map(|verdict| Finding { verdict, at: updated_at });
        Part { id, group, document_type, image, found }
    };
    parts.into_iter().map(part).collect()
}
