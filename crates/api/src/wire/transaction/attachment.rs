//! A paper that came with a transaction, as the API shows it.

use daybook_domain::{AttachmentId, NodeId, TransactionId, UserId};
use daybook_engine::FileContents;
use serde::Serialize;
use utoipa::ToSchema;

use crate::wire::record::Links;

/// What an attachment is rendered from, beside the file.
#[derive(Clone, Copy)]
pub struct AttachmentView<'a> {
    /// Its id.
    pub id: AttachmentId,
    /// The transaction that it came with.
    pub transaction: TransactionId,
    /// Who handed it in.
    pub user: UserId,
    /// The node that sends.
    pub node: NodeId,
    /// Where this API is found.
    pub base_url: &'a str,
}

/// The attachment record.
#[derive(Clone, Serialize, ToSchema)]
pub struct Attachment {
    #[serde(rename = "_id")]
    id: String,
    #[serde(rename = "_links")]
    links: Links,
    attachment: String,
    media_type: String,
    trans_id: String,
}

/// The record as the API shows it. Of an erased person nothing is left of the file.
#[must_use]
pub fn attachment(view: &AttachmentView<'_>, file: FileContents) -> Attachment {
    let AttachmentView { id, transaction, user, node, base_url } = *view;
    let path = format_args!("users/{user}/nodes/{node}/trans/{transaction}/attachments/{id}");
    Attachment {
        id: id.to_string(),
        links: Links::to(base_url, path),
        attachment: file.base64,
        media_type: file.media_type,
        trans_id: transaction.to_string(),
    }
}
