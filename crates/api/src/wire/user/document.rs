//! A document inside a body: handed in for the first time, or once more with what has changed.

use daybook_domain::user::{Document, SubDocument, SubDocumentGroup, SubDocumentId, SubDocumentStatus};
use daybook_domain::{AttachmentId, Timestamp};
use daybook_engine::{DocumentContents, FileContents};
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use utoipa::ToSchema;

use crate::ApiError;
use crate::description::values::DocumentTypeName;
use crate::wire::text::{LongText, Name, Text};
use crate::wire::{bounded, file};

/// Parts that every document has, made from its own fields.
const BASE_PARTS: [&str; 5] = ["EMAIL", "PHONE_NUMBER", "IP", "ADDRESS", "DATE"];

/// The most parts of one document: all of them travel with the user.
const MAX_PARTS: usize = 50;

/// What takes a document back, in the place of its permission scope.
const DELETE: &str = "DELETE_DOCUMENT";

/// Where ids come from.
pub struct Ids<'a> {
    /// Of a document or a part.
    pub document: Box<dyn FnMut() -> [u8; 32] + 'a>,
    /// Of an attachment.
    pub attachment: Box<dyn FnMut() -> u128 + 'a>,
}

/// A document that is well formed, with what is to be sealed with class document.
#[derive(Clone)]
pub struct NewDocument {
    /// Ids, types and statuses; without its box.
    pub document: Document,
    /// What is written on it.
    pub contents: DocumentContents,
    /// The images that came with it.
    pub images: Vec<(AttachmentId, FileContents)>,
}

/// A document as it comes.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[schema(as = NewDocument)]
pub(super) struct DocumentIn {
    id: Option<Text>,
    permission_scope: Option<Text>,
    email: Option<Text>,
    phone_number: Option<Text>,
    ip: Option<Text>,
    name: Option<Name>,
    alias: Option<Name>,
    entity_type: Option<Text>,
    entity_scope: Option<Text>,
    day: Option<i64>,
    month: Option<i64>,
    year: Option<i64>,
    address_street: Option<Text>,
    address_city: Option<Text>,
    address_subdivision: Option<Text>,
    address_postal_code: Option<Text>,
    address_country_code: Option<Text>,
    social_docs: Option<Vec<PartIn<Text>>>,
    virtual_docs: Option<Vec<PartIn<Text>>>,
    physical_docs: Option<Vec<PartIn<LongText>>>,
}

#[derive(Clone, Debug, Deserialize, ToSchema)]
#[schema(as = NewDocumentPart)]
struct PartIn<V> {
    #[schema(value_type = DocumentTypeName)]
    document_type: DocumentType,
    document_value: Option<V>,
}

/// SSN, `GOVT_ID` and the like. It is kept in the clear, so it may not be a place to write anything else.
#[derive(Clone, Debug)]
struct DocumentType(String);

impl<'de> Deserialize<'de> for DocumentType {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::from(Text::deserialize(deserializer)?);
        let is_name = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
        if (1..=64).contains(&name.len()) && name.bytes().all(is_name) {
            return Ok(Self(name));
        }
        Err(D::Error::custom("must be the name of a document type: capitals, digits and _"))
    }
}

impl DocumentIn {
    /// The document that it speaks of, if it is not a new one.
    pub(super) fn known_id(&self) -> Option<&str> {
        self.id.as_ref().map(Text::as_str)
    }

    /// Whether it takes the document back.
    pub(super) fn is_removal(&self) -> bool {
        self.permission_scope.as_ref().is_some_and(|scope| scope.as_str() == DELETE)
    }

    /// A document that was never handed in before.
    pub(super) fn parse(self, ids: &mut Ids<'_>) -> Result<NewDocument, ApiError> {
        let id = SubDocumentId::new((ids.document)());
        let document = Document { id, parts: vec![], contents: None };
        let mut draft = Draft::new(document, DocumentContents::default(), ids);
        for name in BASE_PARTS {
            draft.add(SubDocumentGroup::Social, name.to_owned());
        }
        self.onto(draft)
    }

    /// What `document`, with these `contents`, becomes by it: what it does not name stays.
    pub(super) fn merge(
        self,
        document: Document,
        contents: DocumentContents,
        ids: &mut Ids<'_>,
    ) -> Result<NewDocument, ApiError> {
        self.onto(Draft::new(document, contents, ids))
    }

    fn onto(self, mut draft: Draft<'_, '_>) -> Result<NewDocument, ApiError> {
        let social = bounded("documents.social_docs", self.social_docs)?;
        let virtuals = bounded("documents.virtual_docs", self.virtual_docs)?;
        let physical = bounded("documents.physical_docs", self.physical_docs)?;
        let contents = &mut draft.new.contents;

        let is_about = |text: Option<Text>, into: &mut Option<String>| write(text.map(String::from), into);
        let email = is_about(self.email, &mut contents.email);
        let phone_number = is_about(self.phone_number, &mut contents.phone_number);
        let ip = is_about(self.ip, &mut contents.ip);
        let address = is_about(self.address_street, &mut contents.address_street)
            | is_about(self.address_city, &mut contents.address_city)
            | is_about(self.address_subdivision, &mut contents.address_subdivision)
            | is_about(self.address_postal_code, &mut contents.address_postal_code)
            | is_about(self.address_country_code, &mut contents.address_country_code);
        let date = write(self.day, &mut contents.day)
            | write(self.month, &mut contents.month)
            | write(self.year, &mut contents.year);
        let name = write(self.name.map(String::from), &mut contents.name)
            | write(self.alias.map(String::from), &mut contents.alias);
        is_about(self.entity_type, &mut contents.entity_type);
        is_about(self.entity_scope, &mut contents.entity_scope);

        for (changed, base) in [email, phone_number, ip, address, date].into_iter().zip(BASE_PARTS) {
            draft.review(|part| {
                changed && part.group == SubDocumentGroup::Social && part.document_type == base
            });
        }
        // Numbers and images are somebody's: of another birthday they may not be true, and of another name nothing may.
        draft.review(|part| name || date && part.group != SubDocumentGroup::Social);
        for part in social {
            draft.hand_in(SubDocumentGroup::Social, part);
        }
        for part in virtuals {
            draft.hand_in(SubDocumentGroup::Virtual, part);
        }
        for part in physical {
            draft.hand_in_image(part)?;
        }
        draft.finish()
    }
}

/// Overwrites what is given; answers whether it is something else than before.
fn write<T: PartialEq>(given: Option<T>, into: &mut Option<T>) -> bool {
    let changes = given.is_some() && given != *into;
    if changes {
        *into = given;
    }
    changes
}

/// A document in the making.
struct Draft<'a, 'i> {
    ids: &'a mut Ids<'i>,
    new: NewDocument,
    /// The parts that this body handed in: two of one type in one body are two.
    handed_in: Vec<SubDocumentId>,
}

impl<'a, 'i> Draft<'a, 'i> {
    fn new(document: Document, contents: DocumentContents, ids: &'a mut Ids<'i>) -> Self {
        Self { ids, new: NewDocument { document, contents, images: vec![] }, handed_in: vec![] }
    }

    /// A part that waits for its review; answers its place.
    fn add(&mut self, group: SubDocumentGroup, document_type: String) -> usize {
        let id = SubDocumentId::new((self.ids.document)());
        let (status, updated_at) = (SubDocumentStatus::Reviewing, Timestamp::default());
        let parts = &mut self.new.document.parts;
        parts.push(SubDocument { id, group, document_type, status, updated_at, image: None });
        parts.len() - 1
    }

    fn review(&mut self, is_it: impl Fn(&SubDocument) -> bool) {
        for part in self.new.document.parts.iter_mut().filter(|part| is_it(part)) {
            part.status = SubDocumentStatus::Reviewing;
        }
    }

    /// The part of this type that was there before, or a new one, to be reviewed.
    fn part(&mut self, group: SubDocumentGroup, document_type: String) -> &mut SubDocument {
        let handed_in = &self.handed_in;
        let is_it = |part: &SubDocument| {
            part.group == group && part.document_type == document_type && !handed_in.contains(&part.id)
        };
        let known = self.new.document.parts.iter().position(is_it);
        let place = known.unwrap_or_else(|| self.add(group, document_type));
        let part = &mut self.new.document.parts[place];
        part.status = SubDocumentStatus::Reviewing;
        self.handed_in.push(part.id.clone());
        part
    }

    fn hand_in(&mut self, group: SubDocumentGroup, given: PartIn<Text>) {
        let id = self.part(group, given.document_type.0).id.as_str().to_owned();
        let Some(value) = given.document_value else { return };
        let values = &mut self.new.contents.values;
        values.retain(|(known, _)| *known != id);
        values.push((id, value.into()));
    }

    fn hand_in_image(&mut self, given: PartIn<LongText>) -> Result<(), ApiError> {
        let read = |text: LongText| file::image(text.as_str());
        let image = given.document_value.map(read).transpose();
        let image =
            image.map_err(|wrong| ApiError::invalid("documents.physical_docs.document_value", wrong))?;
        let image = image.map(|image| (AttachmentId::from_u128((self.ids.attachment)()), image));
        let part = self.part(SubDocumentGroup::Physical, given.document_type.0);
        part.image = image.as_ref().map(|(id, _)| *id).or(part.image);
        self.new.images.extend(image);
        Ok(())
    }

    fn finish(self) -> Result<NewDocument, ApiError> {
        if self.new.document.parts.len() > MAX_PARTS {
            return Err(ApiError::invalid("documents", format!("must have at most {MAX_PARTS} parts each")));
        }
        Ok(self.new)
    }
}

#[cfg(test)]
mod tests;
