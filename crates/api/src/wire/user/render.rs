//! Record of a user. The data of an erased person cannot be opened and is rendered as empty text, not as an error.

use daybook_domain::user::{Document, Permission, SubDocument, SubDocumentGroup, SubDocumentStatus};
use daybook_domain::{UserId, user};
use daybook_engine::{DocumentContents, Profile};
use serde::Serialize;
use utoipa::ToSchema;

use crate::description::values::UserPermission;
use crate::wire::Listed;
use crate::wire::record::{Client, Links};

/// Data that the record of a user is rendered from.
#[derive(Clone, Copy)]
pub struct UserView<'a> {
    /// Id of the user.
    pub id: UserId,
    /// State of the user.
    pub user: &'a user::User,
    /// Opened profile; the default if it could not be opened.
    pub profile: &'a Profile,
    /// Opened contents of the documents, in the order of the documents.
    pub document_contents: &'a [DocumentContents],
    /// Platform of the user.
    pub client: &'a Client,
    /// Current refresh token.
    pub refresh_token: &'a str,
    /// Base URL of the API.
    pub base_url: &'a str,
}

/// A user of a platform: a person or a business.
#[derive(Clone, Serialize, ToSchema)]
pub struct User {
    #[serde(rename = "_id")]
    id: String,
    #[serde(rename = "_links")]
    links: Links,
    client: Client,
    doc_status: DocStatus,
    documents: Vec<DocumentOut>,
    emails: [String; 0],
    extra: Extra,
    is_hidden: bool,
    legal_names: Vec<String>,
    logins: Vec<LoginOut>,
    #[schema(value_type = UserPermission)]
    permission: &'static str,
    phone_numbers: Vec<String>,
    photos: [String; 0],
    refresh_token: String,
}

impl Listed for User {
    const KEYS: (&'static str, &'static str) = ("users", "users_count");
}

#[derive(Clone, Serialize, ToSchema)]
struct DocStatus {
    physical_doc: &'static str,
    virtual_doc: &'static str,
}

#[derive(Clone, Serialize, ToSchema)]
#[schema(as = Document)]
struct DocumentOut {
    id: String,
    name: String,
    #[schema(value_type = UserPermission)]
    permission_scope: &'static str,
    physical_docs: Vec<Part>,
    social_docs: Vec<Part>,
    virtual_docs: Vec<Part>,
}

#[derive(Clone, Serialize, ToSchema)]
#[schema(as = DocumentPart)]
struct Part {
    document_type: String,
    id: String,
    last_updated: i64,
    status: &'static str,
}

#[derive(Clone, Serialize, ToSchema)]
#[schema(as = UserExtra)]
struct Extra {
    cip_tag: i64,
    date_joined: i64,
    extra_security: bool,
    is_business: bool,
    last_updated: i64,
    public_note: Option<String>,
    supp_id: Option<String>,
}

#[derive(Clone, Serialize, ToSchema)]
#[schema(as = Login)]
struct LoginOut {
    email: String,
    scope: String,
}

/// Renders the record.
#[must_use]
pub fn render(view: &UserView<'_>) -> User {
    let UserView { id, user, profile, .. } = *view;
    let unread = DocumentContents::default();
    let contents = view.document_contents.iter().chain(std::iter::repeat(&unread));
    let documents = user.documents.iter().zip(contents);
    User {
        id: id.to_string(),
        links: Links::to(view.base_url, format_args!("users/{id}")),
        client: view.client.clone(),
        doc_status: DocStatus {
            physical_doc: doc_status(user, SubDocumentGroup::Physical),
            virtual_doc: doc_status(user, SubDocumentGroup::Virtual),
        },
        documents: documents.map(|(document, contents)| render_document(user, document, contents)).collect(),
        emails: [],
        extra: Extra {
            cip_tag: user.cip_tag,
            date_joined: user.created_at.ms(),
            extra_security: false,
            is_business: user.is_business,
            last_updated: user.updated_at.ms(),
            public_note: None,
            supp_id: profile.supp_id.clone(),
        },
        is_hidden: false,
        legal_names: profile.legal_names.clone(),
        logins: profile
            .logins
            .iter()
            .map(|login| LoginOut { email: login.email.clone(), scope: login.scope.clone() })
            .collect(),
        permission: user.permission().as_str(),
        phone_numbers: profile.phone_numbers.clone(),
        photos: [],
        refresh_token: view.refresh_token.to_owned(),
    }
}

/// Returns the combined status of all parts of a group: the worst of them.
fn doc_status(user: &user::User, group: SubDocumentGroup) -> &'static str {
    let parts =
        || user.documents.iter().flat_map(|document| &document.parts).filter(|part| part.group == group);
    let any = |status| parts().any(|part| part.status == status);
    if parts().next().is_none() || any(SubDocumentStatus::Reviewing) {
        return "MISSING|INVALID";
    }
    let worst =
        [SubDocumentStatus::Invalid, SubDocumentStatus::MfaPending].into_iter().find(|status| any(*status));
    part_status(worst.unwrap_or(SubDocumentStatus::Valid))
}

fn part_status(status: SubDocumentStatus) -> &'static str {
    match status {
        SubDocumentStatus::Reviewing => "SUBMITTED|REVIEWING",
        SubDocumentStatus::Valid => "SUBMITTED|VALID",
        SubDocumentStatus::Invalid => "SUBMITTED|INVALID",
        SubDocumentStatus::MfaPending => "SUBMITTED|MFA_PENDING",
    }
}

fn render_document(user: &user::User, document: &Document, contents: &DocumentContents) -> DocumentOut {
    let group = |group| document.parts.iter().filter(|part| part.group == group).map(render_part).collect();
    let is_valid = document.parts.iter().all(|part| part.status == SubDocumentStatus::Valid);
    let supports = if is_valid { user.permitted } else { Permission::Unverified };
    DocumentOut {
        id: document.id.as_str().to_owned(),
        name: contents.name.clone().unwrap_or_default(),
        permission_scope: supports.as_str(),
        physical_docs: group(SubDocumentGroup::Physical),
        social_docs: group(SubDocumentGroup::Social),
        virtual_docs: group(SubDocumentGroup::Virtual),
    }
}

fn render_part(part: &SubDocument) -> Part {
    Part {
        document_type: part.document_type.clone(),
        id: part.id.as_str().to_owned(),
        last_updated: part.updated_at.ms(),
        status: part_status(part.status),
    }
}

#[cfg(test)]
mod tests;
