//! The body that creates a user. Whether its documents are true is found out later: absent fields are no error here.

use daybook_domain::Timestamp;
use daybook_domain::user::{Document, SubDocument, SubDocumentGroup, SubDocumentId, SubDocumentStatus};
use daybook_engine::{DocumentContents, Login, Profile};
use serde::de::Error;
use serde::{Deserialize, Deserializer};

use crate::ApiError;
use crate::wire::bounded;
use crate::wire::text::{LongText, Text};

/// Parts that every document has, made from its own fields.
const BASE_PARTS: [&str; 5] = ["EMAIL", "PHONE_NUMBER", "IP", "ADDRESS", "DATE"];

/// The platform's program for identification unless it names one.
const CIP_TAG: i64 = 1;

/// The body.
#[derive(Clone, Debug, Deserialize)]
pub struct CreateUser {
    logins: Vec<LoginIn>,
    phone_numbers: Vec<Text>,
    legal_names: Vec<Text>,
    documents: Option<Vec<DocumentIn>>,
    extra: Option<Extra>,
}

#[derive(Clone, Debug, Deserialize)]
struct LoginIn {
    email: Option<Text>,
    scope: Option<LoginScope>,
    read_only: Option<bool>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
enum LoginScope {
    #[serde(rename = "READ")]
    Read,
    #[serde(rename = "READ_AND_WRITE")]
    ReadAndWrite,
}

#[derive(Clone, Debug, Default, Deserialize)]
struct Extra {
    supp_id: Option<Text>,
    cip_tag: Option<i64>,
    is_business: Option<bool>,
}

#[derive(Clone, Debug, Deserialize)]
struct DocumentIn {
    email: Option<Text>,
    phone_number: Option<Text>,
    ip: Option<Text>,
    name: Option<Text>,
    alias: Option<Text>,
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

#[derive(Clone, Debug, Deserialize)]
struct PartIn<V> {
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

/// A user that is well formed.
#[derive(Clone)]
pub struct NewUser {
    /// A business rather than a person.
    pub is_business: bool,
    /// Which of the platform's identification programs applies.
    pub cip_tag: i64,
    /// To be sealed with class profile.
    pub profile: Profile,
    /// Documents, each with what is to be sealed with class document.
    pub documents: Vec<(Document, DocumentContents)>,
}

impl CreateUser {
    /// Checks that everything is there, and gives each document and each of its parts an id.
    ///
    /// # Errors
    ///
    /// [`ApiError::Invalid`] naming the field.
    pub fn parse(self, new_id: &mut dyn FnMut() -> [u8; 32]) -> Result<NewUser, ApiError> {
        let extra = self.extra.unwrap_or_default();
        let profile = Profile {
            logins: some("logins", self.logins)?.into_iter().map(LoginIn::into_login).collect(),
            phone_numbers: texts(some("phone_numbers", self.phone_numbers)?),
            legal_names: texts(some("legal_names", self.legal_names)?),
            supp_id: extra.supp_id.map(String::from),
        };
        let documents = bounded("documents", self.documents)?;
        let documents =
            documents.into_iter().map(|document| document.parse(new_id)).collect::<Result<_, _>>()?;
        Ok(NewUser {
            is_business: extra.is_business.unwrap_or_default(),
            cip_tag: extra.cip_tag.unwrap_or(CIP_TAG),
            profile,
            documents,
        })
    }
}

/// A list that must have an entry.
fn some<T>(field: &'static str, list: Vec<T>) -> Result<Vec<T>, ApiError> {
    if list.is_empty() {
        return Err(ApiError::invalid(field, "must have at least one entry"));
    }
    bounded(field, Some(list))
}

fn texts(list: Vec<Text>) -> Vec<String> {
    list.into_iter().map(String::from).collect()
}

impl LoginIn {
    fn into_login(self) -> Login {
        let read_only = match self.scope {
            Some(LoginScope::Read) => true,
            Some(LoginScope::ReadAndWrite) => false,
            None => self.read_only.unwrap_or_default(),
        };
        let scope = if read_only { "READ" } else { "READ_AND_WRITE" };
        Login { email: self.email.map(String::from).unwrap_or_default(), scope: scope.to_owned() }
    }
}

impl DocumentIn {
    fn parse(self, new_id: &mut dyn FnMut() -> [u8; 32]) -> Result<(Document, DocumentContents), ApiError> {
        let social = bounded("documents.social_docs", self.social_docs)?;
        let virtuals = bounded("documents.virtual_docs", self.virtual_docs)?;
        let physical = bounded("documents.physical_docs", self.physical_docs)?;

        let mut parts = Parts { new_id, list: Vec::new(), values: Vec::new() };
        let id = parts.next_id();
        for name in BASE_PARTS {
            parts.add(SubDocumentGroup::Social, name.to_owned(), None);
        }
        parts.add_all(SubDocumentGroup::Social, social);
        parts.add_all(SubDocumentGroup::Virtual, virtuals);
        parts.add_all(SubDocumentGroup::Physical, physical);

        let text = |text: Option<Text>| text.map(String::from);
        let contents = DocumentContents {
            email: text(self.email),
            phone_number: text(self.phone_number),
            ip: text(self.ip),
            name: text(self.name),
            alias: text(self.alias),
            entity_type: text(self.entity_type),
            entity_scope: text(self.entity_scope),
            day: self.day,
            month: self.month,
            year: self.year,
            address_street: text(self.address_street),
            address_city: text(self.address_city),
            address_subdivision: text(self.address_subdivision),
            address_postal_code: text(self.address_postal_code),
            address_country_code: text(self.address_country_code),
            values: parts.values,
        };
        Ok((Document { id, parts: parts.list }, contents))
    }
}

/// Parts of a document in the making.
struct Parts<'a> {
    new_id: &'a mut dyn FnMut() -> [u8; 32],
    list: Vec<SubDocument>,
    values: Vec<(String, String)>,
}

impl Parts<'_> {
    fn next_id(&mut self) -> SubDocumentId {
        SubDocumentId::new((self.new_id)())
    }

    fn add(&mut self, group: SubDocumentGroup, document_type: String, value: Option<String>) {
        let id = self.next_id();
        self.values.extend(value.map(|value| (id.as_str().to_owned(), value)));
        let (status, updated_at) = (SubDocumentStatus::Reviewing, Timestamp::default());
        self.list.push(SubDocument { id, group, document_type, status, updated_at });
    }

    fn add_all<V: Into<String>>(&mut self, group: SubDocumentGroup, given: Vec<PartIn<V>>) {
        for PartIn { document_type, document_value } in given {
            self.add(group, document_type.0, document_value.map(Into::into));
        }
    }
}

#[cfg(test)]
mod tests;
