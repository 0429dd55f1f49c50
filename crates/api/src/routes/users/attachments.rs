//! Seals uploaded documents, and their images as attachments.

use daybook_domain::attachment::NewAttachment;
use daybook_domain::user::Document;
use daybook_domain::user::update::DocumentChange;
use daybook_engine::Sealer;
use daybook_vault::Class;

use crate::error::ApiError;
use crate::wire::user::{DocumentUpdate, NewDocument};

/// Seals a document and its images, each in a box of its own.
pub(super) fn seal_one(
    new: NewDocument,
    sealer: &Sealer,
) -> Result<(Document, Vec<NewAttachment>), ApiError> {
    let contents = Some(sealer.seal(Class::Document, &new.contents)?);
    let image = |(id, file)| Ok(NewAttachment { id, contents: sealer.seal(Class::Document, &file)? });
    let images = new.images.into_iter().map(image).collect::<Result<_, ApiError>>()?;
    Ok((Document { contents, ..new.document }, images))
}

/// Seals changes of documents, with the images that belong to them.
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
