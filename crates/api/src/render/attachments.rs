//! Records of attachments.

use daybook_domain::attachment::Event as AttachmentEvent;
use daybook_domain::{AttachmentId, Event, Key, TransactionId};
use daybook_engine::access::PlatformRecord;
use daybook_vault::Class;

use super::{Opener, View, Viewer, transactions};
use crate::app::App;
use crate::error::ApiError;
use crate::wire::transaction::{self, Attachment, AttachmentView};

/// Ids of an attachment and its transaction.
#[derive(Clone, Copy)]
pub(crate) struct AttachmentSource {
    /// Id of the transaction.
    pub(crate) transaction: TransactionId,
    /// Id of the attachment.
    pub(crate) attachment: AttachmentId,
}

/// Returns the record of a transaction's attachment. Only the user who uploaded it may see it.
pub(crate) async fn attachment(
    app: &App,
    platform: &PlatformRecord,
    view: View<'_>,
    by: Viewer,
    AttachmentSource { transaction: id, attachment }: AttachmentSource,
) -> Result<Attachment, ApiError> {
    let (subject, attachments) = transactions::attachments(app, platform, view, by, id).await?;
    let Viewer::Side { user, node } = by else { return Err(ApiError::NotFound) };
    if user != subject || !attachments.contains(&attachment) {
        return Err(ApiError::NotFound);
    }
    let key = Key::from(attachment);
    let events = view.timelines(app, platform, &[key]).await?.remove(&key).unwrap_or_default();
    let sealed = events.iter().find_map(|happened| match &happened.event {
        Event::Attachment(AttachmentEvent::Added(added)) => added.contents.as_ref(),
        _ => None,
    });
    let found = daybook_projector::Records::default();
    let file = Opener::new(app, platform, &found, [subject]).await?.open(subject, Class::Document, sealed)?;
    let view = AttachmentView { id: attachment, transaction: id, user, node, base_url: &app.base_url };
    Ok(transaction::attachment(&view, file))
}
