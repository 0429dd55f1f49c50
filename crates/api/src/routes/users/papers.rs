//! Seals what was handed in: documents, and their images as attachments.

use daybook_domain::attachment::NewAttachment;
use daybook_domain::user::Document;
use daybook_domain::user::update::DocumentChange;
use daybook_engine::Sealer;
use daybook_vault::Class;

use crate::error::ApiError;
use crate::wire::user::{DocumentUpdate, NewDocument};

/// A document in its box, and its images in theirs.
pub(super) fn seal_one(
    new: NewDocument,
    sealer: &Sealer,
) -> Result<(Document, Vec<NewAttachment>), ApiError> {
    let contents = Some(sealer.seal(Class::Document, &new.contents)?);
    let image = |(id, file)| Ok(NewAttachment { id, contents: sealer.seal(Class::Document, &file)? });
    let images = new.images.into_iter().map(image).collect::<Result<_, ApiError>>()?;
    Ok((Document { contents, ..new.document }, images))
}

/// What happens to documents, in boxes, and the images that come with it.
pub(super) fn seal(
    updates: Vec<DocumentUpdate>,
    sealer: &Sealer,
) -> Result<(Vec<DocumentChange>, Vec<NewAttachment>), ApiError> {
    let (mut changes, mut attachments) = (Vec::with_capacity(updates.len()), vec![]);
    for update in updates {
        let (new, change): (_, fn(Document) -> DocumentChange) = match update {
            DocumentUpdate::Add(new) => (new, DocumentChange::Add),
            DocumentUpdate::Set(new) => (new, DocumentChange::Set),
            DocumentUpdate::Remove(id) => {
                changes.push(DocumentChange::Remove(id));
                continue;
            }
        };
        let (document, images) = seal_one(new, sealer)?;
        changes.push(change(document));
        attachments.extend(images);
    }
    Ok((changes, attachments))
}
