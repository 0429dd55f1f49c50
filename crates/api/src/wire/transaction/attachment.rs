//! Record of an attachment of a transaction.

use daybook_domain::{AttachmentId, NodeId, TransactionId, UserId};
use daybook_engine::FileContents;
use serde::Serialize;
use utoipa::ToSchema;

use crate::wire::record::Links;

/// Data that an attachment is rendered from, beside the file.
#[derive(Clone, Copy)]
pub struct AttachmentView<'a> {
    /// Id of the attachment.
    pub id: AttachmentId,
    /// Transaction of the attachment.
    pub transaction: TransactionId,
    /// User who uploaded the attachment.
    pub user: UserId,
    /// Sending node.
    pub node: NodeId,
    /// Base URL of the API.
    pub base_url: &'a str,
}

/// An attachment of a transaction, with its contents in base64.
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

/// Renders the record. For an erased person the file is empty.
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
