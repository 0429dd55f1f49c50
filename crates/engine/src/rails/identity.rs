//! Port to an identity check, with its sandbox implementation.

use std::sync::Arc;

use async_trait::async_trait;
use daybook_domain::user::{Document, SubDocument, SubDocumentId, SubDocumentStatus};
use daybook_domain::{AttachmentId, Event, Key, Sealed, UserId, attachment};
use daybook_log::Shard;
use daybook_projector::{Reads, RecordedEvent};
use daybook_vault::{Class, Vault};
use uuid::Uuid;

use crate::contents::DocumentContents;
use crate::sealer::{SealError, open};

/// Reason why an identity could not be checked at the moment.
#[derive(Debug, thiserror::Error)]
pub enum IdentityError {
    /// No provider is configured.
    #[error("no identity check is configured")]
    NoProvider,
    /// The vault is unavailable.
    #[error(transparent)]
    Vault(#[from] daybook_vault::Error),
    /// An image cannot be read.
    #[error(transparent)]
    Reads(#[from] daybook_projector::Error),
    /// The box of a document cannot be opened.
    #[error(transparent)]
    Sealed(#[from] SealError),
}

/// A user whose identity is to be checked, with all submitted documents.
pub struct Identity<'a> {
    /// Shard of the user.
    pub shard: Shard,
    /// The user.
    pub id: UserId,
    /// The user's documents. Some of their parts wait for review.
    pub documents: &'a [Document],
    /// Images of the documents. Each is read on demand, because images can have megabytes.
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

    /// Returns the box of an image, of class document; none if there is no such image.
    ///
    /// # Errors
    ///
    /// [`IdentityError::Reads`] if the log cannot be read at the moment.
    pub async fn read(&self, id: AttachmentId) -> Result<Option<Sealed>, IdentityError> {
        let key = Key::from(id);
        let events =
            self.reads.aggregates().timelines(self.shard, &[key]).await?.remove(&key).unwrap_or_default();
        let image = |happened: RecordedEvent| match happened.event {
            Event::Attachment(attachment::Event::Added(added)) => added.contents,
            _ => None,
        };
        Ok(Arc::unwrap_or_clone(events).into_iter().find_map(image))
    }
}

/// Verifies the data on documents.
#[async_trait]
pub trait IdentityCheck: Send + Sync + 'static {
    /// Returns a finding about every part of the documents that waits for review.
    async fn check(
        &self,
        identity: Identity<'_>,
    ) -> Result<Vec<(SubDocumentId, SubDocumentStatus)>, IdentityError>;
}

/// Port for deployments without a provider. It checks nothing, and users keep their status.
pub struct NoIdentityCheck;

#[async_trait]
impl IdentityCheck for NoIdentityCheck {
    async fn check(&self, _: Identity<'_>) -> Result<Vec<(SubDocumentId, SubDocumentStatus)>, IdentityError> {
        Err(IdentityError::NoProvider)
    }
}

/// Accepts everything but a few documented values.
pub struct SandboxIdentityCheck {
    vault: Vault,
}

impl SandboxIdentityCheck {
    /// Creates a check that opens documents with `vault`.
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
            // The user was erased: its documents have no readable content.
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

/// Returns the sandbox's outcome for a part (`docs/reference/api.md`, Sandbox). Numbers that end in 2222 are valid, in
/// 1111 invalid, and in 3333 ask further questions. One phone number, one IP address and one street are invalid. A
/// value that was not given is invalid.
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
    fn present_image_is_valid() {
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
    fn numbers_select_the_sandbox_outcome() {
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
    fn missing_value_is_invalid() {
        for document_type in ["EMAIL", "PHONE_NUMBER", "IP", "ADDRESS", "DATE", "SSN"] {
            let found = outcome(document_type, None, DocumentContents::default());
            assert_eq!(found, SubDocumentStatus::Invalid, "{document_type}");
        }
    }

    #[test]
    fn base_document_covers_its_own_parts() {
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
