//! The port to an identity check, and the sandbox behind it.

use std::sync::Arc;

use async_trait::async_trait;
use daybook_domain::user::{Document, SubDocument, SubDocumentId, SubDocumentStatus};
use daybook_domain::{AttachmentId, Event, Key, Sealed, UserId, attachment};
use daybook_log::Shard;
use daybook_projector::{Happened, Reads};
use daybook_vault::{Class, Vault};
use uuid::Uuid;

use crate::contents::DocumentContents;
use crate::sealer::{SealError, open};

/// Why an identity could not be checked now.
#[derive(Debug, thiserror::Error)]
pub enum IdentityError {
    /// No provider is configured.
    #[error("no identity check is configured")]
    NoProvider,
    /// The vault cannot be reached.
    #[error(transparent)]
    Vault(#[from] daybook_vault::Error),
    /// An image cannot be read.
    #[error(transparent)]
    Reads(#[from] daybook_projector::Error),
    /// A document's box cannot be opened.
    #[error(transparent)]
    Sealed(#[from] SealError),
}

/// Whose identity is to be checked, with everything that was handed in for it.
pub struct Identity<'a> {
    /// The shard of the user.
    pub shard: Shard,
    /// The user.
    pub id: UserId,
    /// The user's documents, of which some parts wait for their review.
    pub documents: &'a [Document],
    /// Their images, each read when it is asked for: they can be megabytes.
    pub images: Images<'a>,
}

/// Reads images of documents.
#[derive(Clone, Copy)]
pub struct Images<'a> {
    reads: &'a Reads,
    shard: Shard,
}

impl<'a> Images<'a> {
    pub(crate) const fn new(reads: &'a Reads, shard: Shard) -> Self {
        Self { reads, shard }
    }

    /// The box of an image, of class document; none if there is no such image.
    ///
    /// # Errors
    ///
    /// [`IdentityError::Reads`] if the log cannot be read now.
    pub async fn read(&self, id: AttachmentId) -> Result<Option<Sealed>, IdentityError> {
        let key = Key::from(id);
        let events =
            self.reads.aggregates().timelines(self.shard, &[key]).await?.remove(&key).unwrap_or_default();
        let image = |happened: Happened| match happened.event {
            Event::Attachment(attachment::Event::Added(added)) => added.contents,
            _ => None,
        };
        Ok(Arc::unwrap_or_clone(events).into_iter().find_map(image))
    }
}

/// Finds out whether what is written on documents is true.
#[async_trait]
pub trait IdentityCheck: Send + Sync + 'static {
    /// The findings about every part of the documents that waits for its review.
    async fn check(
        &self,
        identity: Identity<'_>,
    ) -> Result<Vec<(SubDocumentId, SubDocumentStatus)>, IdentityError>;
}

/// Checks nothing: for deployments without a provider. Users stay as they are.
pub struct NoIdentityCheck;

#[async_trait]
impl IdentityCheck for NoIdentityCheck {
    async fn check(&self, _: Identity<'_>) -> Result<Vec<(SubDocumentId, SubDocumentStatus)>, IdentityError> {
        Err(IdentityError::NoProvider)
    }
}

/// Believes everything but a few documented values.
pub struct SandboxIdentityCheck {
    vault: Vault,
}

impl SandboxIdentityCheck {
    /// A check that opens documents with `vault`.
    #[must_use]
    pub fn new(vault: Vault) -> Self {
        Self { vault }
    }
}

#[async_trait]
impl IdentityCheck for SandboxIdentityCheck {
    async fn check(
        &self,
        Identity { shard, id, documents, .. }: Identity<'_>,
    ) -> Result<Vec<(SubDocumentId, SubDocumentStatus)>, IdentityError> {
        let keys = self.vault.keys(shard, Uuid::from(id)).await?;
        let read = |sealed: Option<&Sealed>| match (&keys, sealed) {
            (Some(keys), Some(sealed)) => open::<DocumentContents>(keys, Class::Document, sealed),
            // An erased subject: nothing is written on its documents any more.
            _ => Ok(DocumentContents::default()),
        };
        let mut findings = Vec::new();
        for document in documents {
            let contents = read(document.contents.as_ref())?;
            let waiting = document.parts.iter().filter(|part| part.status == SubDocumentStatus::Reviewing);
            findings.extend(waiting.map(|part| (part.id.clone(), find(part, &contents))));
        }
        Ok(findings)
    }
}

/// The sandbox's outcomes (`docs/reference/api.md`, Sandbox): numbers that end in 2222 are valid, in 1111 invalid, in
/// 3333 ask further questions; one phone number, one IP and one street are invalid; what was not given is invalid.
fn find(part: &SubDocument, contents: &DocumentContents) -> SubDocumentStatus {
    let given =
        contents.values.iter().find(|(id, _)| id == part.id.as_str()).map(|(_, value)| value.as_str());
    let valid = match part.document_type.as_str() {
        _ if given.is_some() => return find_value(&part.document_type, given.unwrap_or_default()),
        "EMAIL" => contents.email.as_deref().is_some_and(|email| email.contains('@')),
        "PHONE_NUMBER" => contents.phone_number.as_deref().is_some_and(is_good_phone),
        "IP" => contents.ip.as_deref().is_some_and(is_good_ip),
        "ADDRESS" => is_good_street(contents.address_street.as_deref()),
        _ if part.image.is_some() => true,
        "DATE" => contents.day.is_some() && contents.month.is_some() && contents.year.is_some(),
        _ => false,
    };
    if valid { SubDocumentStatus::Valid } else { SubDocumentStatus::Invalid }
}

fn find_value(document_type: &str, value: &str) -> SubDocumentStatus {
    let digits: String = value.chars().filter(char::is_ascii_digit).collect();
    match document_type {
        _ if value.trim().is_empty() => SubDocumentStatus::Invalid,
        "PHONE_NUMBER" if !is_good_phone(value) => SubDocumentStatus::Invalid,
        "IP" if !is_good_ip(value) => SubDocumentStatus::Invalid,
        "SSN" if digits.ends_with("1111") => SubDocumentStatus::Invalid,
        "SSN" if digits.ends_with("3333") => SubDocumentStatus::MfaPending,
        _ => SubDocumentStatus::Valid,
    }
}

fn is_good_phone(phone: &str) -> bool {
    let digits: String = phone.chars().filter(char::is_ascii_digit).collect();
    !digits.is_empty() && !digits.ends_with("5417543010")
}

fn is_good_ip(ip: &str) -> bool {
    !ip.trim().is_empty() && ip.trim() != "255.255.255.0"
}

fn is_good_street(street: Option<&str>) -> bool {
    street.is_some_and(|street| !street.trim().is_empty() && !street.eq_ignore_ascii_case("123 fail address"))
}

#[cfg(test)]
mod tests {
    use daybook_domain::user::SubDocumentGroup;

    use super::*;

    fn outcome(document_type: &str, value: Option<&str>, contents: DocumentContents) -> SubDocumentStatus {
        let id = SubDocumentId::new([7; 32]);
        let values = value.map(|value| (id.as_str().to_owned(), value.to_owned())).into_iter().collect();
        let part = SubDocument {
            id,
            group: SubDocumentGroup::Virtual,
            document_type: document_type.into(),
            status: SubDocumentStatus::Reviewing,
            updated_at: daybook_domain::Timestamp::default(),
            image: None,
        };
        find(&part, &DocumentContents { values, ..contents })
    }

    #[test]
    fn an_image_is_valid_if_it_is_there() {
        let part = |image| SubDocument {
            id: SubDocumentId::new([7; 32]),
            group: SubDocumentGroup::Physical,
            document_type: "GOVT_ID".into(),
            status: SubDocumentStatus::Reviewing,
            updated_at: daybook_domain::Timestamp::default(),
            image,
        };
        let check = |image| find(&part(image), &DocumentContents::default());
        assert_eq!(check(Some(AttachmentId::from_u128(1))), SubDocumentStatus::Valid);
        assert_eq!(check(None), SubDocumentStatus::Invalid);
    }

    #[test]
    fn numbers_tell_the_sandbox_what_to_answer() {
        let table = [
            ("SSN", "2222", SubDocumentStatus::Valid),
            ("SSN", "123-45-1111", SubDocumentStatus::Invalid),
            ("SSN", "123453333", SubDocumentStatus::MfaPending),
            ("SSN", "987654321", SubDocumentStatus::Valid),
            ("SSN", " ", SubDocumentStatus::Invalid),
            ("PHONE_NUMBER", "541-754-3010", SubDocumentStatus::Invalid),
            ("IP", "255.255.255.0", SubDocumentStatus::Invalid),
            ("IP", "127.0.0.1", SubDocumentStatus::Valid),
        ];
        for (document_type, value, expected) in table {
            assert_eq!(outcome(document_type, Some(value), DocumentContents::default()), expected, "{value}");
        }
    }

    #[test]
    fn what_was_not_given_is_invalid() {
        for document_type in ["EMAIL", "PHONE_NUMBER", "IP", "ADDRESS", "DATE", "SSN"] {
            let found = outcome(document_type, None, DocumentContents::default());
            assert_eq!(found, SubDocumentStatus::Invalid, "{document_type}");
        }
    }

    #[test]
    fn a_base_document_speaks_for_its_own_parts() {
        let given = |text: &str| Some(text.to_owned());
        let contents = DocumentContents {
            email: given("a@example.com"),
            address_street: given("1 Market St."),
            ..DocumentContents::default()
        };
        assert_eq!(outcome("EMAIL", None, contents.clone()), SubDocumentStatus::Valid);
        assert_eq!(outcome("ADDRESS", None, contents), SubDocumentStatus::Valid);
        let failing =
            DocumentContents { address_street: given("123 Fail Address"), ..DocumentContents::default() };
        assert_eq!(outcome("ADDRESS", None, failing), SubDocumentStatus::Invalid);
    }
}
