//! Document in a body: a new one, or changes of an existing one.

use daybook_domain::calendar::Day;
use daybook_domain::user::{Document, SubDocument, SubDocumentGroup, SubDocumentId, SubDocumentStatus};
use daybook_domain::{AttachmentId, Timestamp};
use daybook_engine::{DocumentContents, FileContents};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::ApiError;
use crate::wire::at_most;
use crate::wire::file::Image;
use crate::wire::form::{CountryCode, DocumentType, Email, Ip, Phone, Whole};
use crate::wire::text::{Name, Text};

/// Parts that every document has, derived from its own fields.
const BASE_PARTS: [&str; 5] = ["EMAIL", "PHONE_NUMBER", "IP", "ADDRESS", "DATE"];

/// Maximum number of parts of one document, because all of them are loaded with the user.
const MAX_PARTS: usize = 50;

/// Maximum number of parts of one kind in one body: the maximum minus the parts that every document has.
const MAX_PARTS_GIVEN: usize = MAX_PARTS - BASE_PARTS.len();

/// A year with a 29th of February.
const LEAP_YEAR: i64 = 2000;

/// Value of `permission_scope` that removes a document.
const DELETE: &str = "DELETE_DOCUMENT";

/// Generators of ids for documents, parts and attachments, and the current day.
pub struct Ids<'a> {
    /// Generates the id of a document or a part.
    pub document: Box<dyn FnMut() -> [u8; 32] + 'a>,
    /// Generates the id of an attachment.
    pub attachment: Box<dyn FnMut() -> u128 + 'a>,
    /// Current day in UTC.
    pub today: Day,
}

/// A valid document, with its contents that are to be sealed with class document.
#[derive(Clone)]
pub struct NewDocument {
    /// Ids, types and statuses, without a box.
    pub document: Document,
    /// Contents of the document.
    pub contents: DocumentContents,
    /// Images of the document.
    pub images: Vec<(AttachmentId, FileContents)>,
}

type DayOfMonth = Whole<1, 31>;
type Month = Whole<1, 12>;
type Year = Whole<1000, 9999>;

/// A document: without `id` a new one; with `id` a change of an existing one, whose absent fields stay unchanged. The
/// given parts of day, month and year must form a calendar date. A document has at most 50 parts in total.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[schema(as = NewDocument)]
pub(super) struct DocumentIn {
    /// Id of an existing document. Ignored when the user is created.
    id: Option<Text>,
    /// `DELETE_DOCUMENT` removes the document with this `id`.
    permission_scope: Option<Text>,
    email: Option<Email>,
    phone_number: Option<Phone>,
    ip: Option<Ip>,
    name: Option<Name>,
    alias: Option<Name>,
    entity_type: Option<Name>,
    entity_scope: Option<Name>,
    day: Option<DayOfMonth>,
    month: Option<Month>,
    year: Option<Year>,
    address_street: Option<Name>,
    address_city: Option<Name>,
    address_subdivision: Option<Name>,
    address_postal_code: Option<Name>,
    address_country_code: Option<CountryCode>,
    #[schema(max_items = 45)]
    social_docs: Option<Vec<PartIn>>,
    #[schema(max_items = 45)]
    virtual_docs: Option<Vec<PartIn>>,
    #[schema(max_items = 45)]
    physical_docs: Option<Vec<ImageIn>>,
}

#[derive(Clone, Debug, Deserialize, ToSchema)]
#[schema(as = NewDocumentPart)]
struct PartIn {
    document_type: DocumentType,
    document_value: Option<Text>,
}

#[derive(Clone, Debug, Deserialize, ToSchema)]
#[schema(as = NewDocumentImage)]
struct ImageIn {
    document_type: DocumentType,
    document_value: Option<Image>,
}

impl DocumentIn {
    /// Returns the id of the existing document that this changes, if it does.
    pub(super) fn known_id(&self) -> Option<&str> {
        self.id.as_ref().map(Text::as_str)
    }

    /// Returns true if this removes the document.
    pub(super) fn is_removal(&self) -> bool {
        self.permission_scope.as_ref().is_some_and(|scope| scope.as_str() == DELETE)
    }

    /// Parses a new document.
    pub(super) fn parse(self, ids: &mut Ids<'_>) -> Result<NewDocument, ApiError> {
        let id = SubDocumentId::new((ids.document)());
        let document = Document { id, parts: vec![], contents: None };
        let mut draft = Draft::new(document, DocumentContents::default(), ids);
        for name in BASE_PARTS {
            draft.add(SubDocumentGroup::Social, name.to_owned());
        }
        self.onto(draft)
    }

    /// Applies the changes to `document` with these `contents`; absent fields stay unchanged.
    pub(super) fn merge(
        self,
        document: Document,
        contents: DocumentContents,
        ids: &mut Ids<'_>,
    ) -> Result<NewDocument, ApiError> {
        self.onto(Draft::new(document, contents, ids))
    }

    fn onto(self, mut draft: Draft<'_, '_>) -> Result<NewDocument, ApiError> {
        let social = at_most(MAX_PARTS_GIVEN, "social_docs", self.social_docs)?;
        let virtuals = at_most(MAX_PARTS_GIVEN, "virtual_docs", self.virtual_docs)?;
        let physical = at_most(MAX_PARTS_GIVEN, "physical_docs", self.physical_docs)?;
        // It may already be tomorrow in the caller's time zone.
        let latest = draft.ids.today.plus_days(1);
        let contents = &mut draft.new.contents;

        let email = write(self.email, &mut contents.email);
        let phone_number = write(self.phone_number, &mut contents.phone_number);
        let ip = write(self.ip, &mut contents.ip);
        let address = write(self.address_street, &mut contents.address_street)
            | write(self.address_city, &mut contents.address_city)
            | write(self.address_subdivision, &mut contents.address_subdivision)
            | write(self.address_postal_code, &mut contents.address_postal_code)
            | write(self.address_country_code, &mut contents.address_country_code);
        let date = write(self.day.map(Whole::get), &mut contents.day)
            | write(self.month.map(Whole::get), &mut contents.month)
            | write(self.year.map(Whole::get), &mut contents.year);
        if date && !is_in_calendar(contents) {
            return Err(ApiError::invalid("day", "must be a day of its month"));
        }
        if date && is_after(contents, latest) {
            return Err(ApiError::invalid("year", "must be of a date that is not in the future"));
        }
        let name = write(self.name, &mut contents.name) | write(self.alias, &mut contents.alias);
        write(self.entity_type, &mut contents.entity_type);
        write(self.entity_scope, &mut contents.entity_scope);

        for (changed, base) in [email, phone_number, ip, address, date].into_iter().zip(BASE_PARTS) {
            draft.review(|part| {
                changed && part.group == SubDocumentGroup::Social && part.document_type == base
            });
        }
        // Numbers and images belong to a person: a change of the birthday invalidates their review, and a change of the
        // name that of all parts.
        draft.review(|part| name || date && part.group != SubDocumentGroup::Social);
        for part in social {
            draft.hand_in(SubDocumentGroup::Social, part);
        }
        for part in virtuals {
            draft.hand_in(SubDocumentGroup::Virtual, part);
        }
        for part in physical {
            draft.hand_in_image(part);
        }
        draft.finish()
    }
}

/// Returns true if the known parts of the date can form one. Without a year, the 29th of February is accepted. Dates
/// stored before this check existed may be invalid.
fn is_in_calendar(contents: &DocumentContents) -> bool {
    let (Some(day), Some(month)) = (contents.day, contents.month) else { return true };
    Day::from_civil(contents.year.unwrap_or(LEAP_YEAR), month, day).is_some()
}

/// Returns true if every date with the known parts is after `latest`.
fn is_after(contents: &DocumentContents, latest: Day) -> bool {
    let Some(year) = contents.year else { return false };
    let latest = latest.date();
    let earliest = (year, contents.month.unwrap_or(1), contents.day.unwrap_or(1));
    earliest > (latest.year().into(), latest.month().into(), latest.day().into())
}

/// Overwrites `into` with the given value; returns true if it changed.
fn write<T: PartialEq>(given: Option<impl Into<T>>, into: &mut Option<T>) -> bool {
    let given = given.map(Into::into);
    let changes = given.is_some() && given != *into;
    if changes {
        *into = given;
    }
    changes
}

/// A document under construction.
struct Draft<'a, 'i> {
    ids: &'a mut Ids<'i>,
    new: NewDocument,
    /// Parts in this body. Two parts of one type in one body are two different parts.
    handed_in: Vec<SubDocumentId>,
}

impl<'a, 'i> Draft<'a, 'i> {
    fn new(document: Document, contents: DocumentContents, ids: &'a mut Ids<'i>) -> Self {
        Self { ids, new: NewDocument { document, contents, images: vec![] }, handed_in: vec![] }
    }

    /// Adds a part that waits for its review; returns its index.
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

    /// Returns the existing part of this type, or a new one, marked for review.
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

    fn hand_in(&mut self, group: SubDocumentGroup, given: PartIn) {
        let id = self.part(group, given.document_type.into()).id.as_str().to_owned();
        let Some(value) = given.document_value else { return };
        let values = &mut self.new.contents.values;
        values.retain(|(known, _)| *known != id);
        values.push((id, value.into()));
    }

    fn hand_in_image(&mut self, given: ImageIn) {
        let attachment = |image: Image| (AttachmentId::from_u128((self.ids.attachment)()), image.into());
        let image = given.document_value.map(attachment);
        let part = self.part(SubDocumentGroup::Physical, given.document_type.into());
        part.image = image.as_ref().map(|(id, _)| *id).or(part.image);
        self.new.images.extend(image);
    }

    fn finish(self) -> Result<NewDocument, ApiError> {
        if self.new.document.parts.len() > MAX_PARTS {
            return Err(ApiError::invalid("body", format!("must have at most {MAX_PARTS} parts")));
        }
        Ok(self.new)
    }
}

#[cfg(test)]
mod tests;
