//! Body of a request that changes a user: its profile, its documents, or its permission.

use daybook_domain::user::update::MAX_DOCUMENTS;
use daybook_domain::user::{Document, Permission, SubDocumentId};
use daybook_engine::{DocumentContents, Login, Profile};
use serde::Deserialize;
use utoipa::ToSchema;

use super::create::CipTag;
use super::document::{DocumentIn, Ids, NewDocument};
use super::login::{GoneLogin, LoginIn};
use crate::ApiError;
use crate::description::values::WantedPermission;
use crate::wire::form::{Phone, Whole};
use crate::wire::text::{SaidName, Text};
use crate::wire::{MAX_ENTRIES, at_most};

/// Request to change a user.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct UpdateUser {
    refresh_token: Option<Text>,
    update: Option<ProfileUpdate>,
    #[schema(max_items = 20)]
    documents: Option<Vec<DocumentIn>>,
    #[schema(value_type = Option<WantedPermission>)]
    permission: Option<Text>,
}

/// A valid change.
#[derive(Clone, Debug)]
pub struct UserUpdate {
    /// Refresh token in the body.
    pub refresh_token: Option<String>,
    /// New permission of the user, if it changes.
    pub permission: Option<Permission>,
    /// Changes of the profile.
    pub profile: Option<ProfileUpdate>,
    documents: Vec<DocumentIn>,
}

/// Changes of a profile: each field adds or removes one entry.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct ProfileUpdate {
    login: Option<LoginIn>,
    remove_login: Option<GoneLogin>,
    phone_number: Option<Phone>,
    remove_phone_number: Option<Text>,
    legal_name: Option<SaidName>,
    remove_legal_name: Option<Text>,
    /// Identification program of the platform that applies to the user.
    cip_tag: Option<CipTag>,
}

impl ProfileUpdate {
    /// Returns the new identification program of the user, if it changes.
    #[must_use]
    pub fn cip_tag(&self) -> Option<i64> {
        self.cip_tag.map(Whole::get)
    }
}

/// Change of one document.
pub enum DocumentUpdate {
    /// A new document.
    Add(NewDocument),
    /// The new state of an existing document.
    Set(NewDocument),
    /// Removal of a document.
    Remove(SubDocumentId),
}

impl UpdateUser {
    /// Checks everything that does not depend on the user's state.
    ///
    /// # Errors
    ///
    /// [`ApiError::Invalid`] naming the field, or `body` if it changes nothing.
    pub fn parse(self) -> Result<UserUpdate, ApiError> {
        let documents = at_most(MAX_DOCUMENTS, "documents", self.documents)?;
        if self.update.is_none() && self.permission.is_none() && documents.is_empty() {
            return Err(ApiError::invalid("body", "must have update, documents or permission"));
        }
        let unnamed = |document: &DocumentIn| document.is_removal() && document.known_id().is_none();
        if let Some(index) = documents.iter().position(unnamed) {
            return Err(ApiError::missing(format!("documents[{index}].id")));
        }
        let mut known: Vec<_> = documents.iter().filter_map(DocumentIn::known_id).collect();
        known.sort_unstable();
        if known.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(ApiError::invalid("documents", "must name each document once"));
        }
        let permission = self.permission.map(|name| permission(&name)).transpose()?;
        let refresh_token = self.refresh_token.map(String::from);
        Ok(UserUpdate { refresh_token, permission, profile: self.update, documents })
    }
}

/// Parses a permission that a caller may request. Only verification can raise it.
fn permission(name: &Text) -> Result<Permission, ApiError> {
    use Permission::{Closed, Locked, MakeItGoAway, Unverified};
    let wanted = Permission::parse(name.as_str());
    wanted.filter(|wanted| [Unverified, Locked, Closed, MakeItGoAway].contains(wanted)).ok_or_else(|| {
        ApiError::invalid("permission", "must be UNVERIFIED, LOCKED, CLOSED or MAKE-IT-GO-AWAY")
    })
}

impl UserUpdate {
    /// Returns the changes of the documents among those `known`; `open` reads the contents of a document.
    ///
    /// # Errors
    ///
    /// [`ApiError::NothingAt`] if the user has no such document; errors of `open`; [`ApiError::Invalid`].
    pub fn documents(
        &mut self,
        known: &[Document],
        open: impl Fn(&Document) -> Result<DocumentContents, ApiError>,
        ids: &mut Ids<'_>,
    ) -> Result<Vec<DocumentUpdate>, ApiError> {
        let update = |(index, update): (usize, DocumentIn)| {
            let field = format!("documents[{index}]");
            let Some(id) = update.known_id() else {
                return update.parse(ids).map(DocumentUpdate::Add).map_err(|wrong| wrong.within(&field));
            };
            let document = known.iter().find(|known| known.id.as_str() == id);
            let document = document.ok_or_else(|| ApiError::nothing_at("id").within(&field))?;
            if update.is_removal() {
                return Ok(DocumentUpdate::Remove(document.id.clone()));
            }
            let merged = update.merge(document.clone(), open(document)?, ids);
            merged.map(DocumentUpdate::Set).map_err(|wrong| wrong.within(&field))
        };
        std::mem::take(&mut self.documents).into_iter().enumerate().map(update).collect()
    }
}

impl ProfileUpdate {
    /// Applies the changes to `profile`. Adding an existing entry and removing a missing one have no effect.
    ///
    /// # Errors
    ///
    /// [`ApiError::Invalid`] if a list would become empty or too long.
    pub fn apply(self, mut profile: Profile) -> Result<Profile, ApiError> {
        let names_logins = self.login.is_some() || self.remove_login.is_some();
        let logins = &mut profile.logins;
        if let Some(login) = self.login {
            let login = Login::from(login);
            match logins.iter_mut().find(|known| known.email == login.email) {
                Some(known) => *known = login,
                None => logins.push(login),
            }
        }
        let gone = self.remove_login.map(GoneLogin::email);
        logins.retain(|known| gone.as_ref().is_none_or(|gone| *gone != known.email));
        check_count("logins", names_logins, logins.len())?;
        change("phone_numbers", &mut profile.phone_numbers, self.phone_number, self.remove_phone_number)?;
        change("legal_names", &mut profile.legal_names, self.legal_name, self.remove_legal_name)?;
        Ok(profile)
    }
}

fn change(
    field: &'static str,
    list: &mut Vec<String>,
    come: Option<impl Into<String>>,
    gone: Option<Text>,
) -> Result<(), ApiError> {
    let is_named = come.is_some() || gone.is_some();
    let come = come.map(Into::into).filter(|come| !list.contains(come));
    list.extend(come);
    let gone = gone.map(String::from);
    list.retain(|known| gone.as_ref() != Some(known));
    check_count(field, is_named, list.len())
}

/// Lists that the request does not change are not checked: the platform's own user has no logins.
fn check_count(field: &'static str, is_named: bool, count: usize) -> Result<(), ApiError> {
    if !is_named || (1..=MAX_ENTRIES).contains(&count) {
        return Ok(());
    }
    Err(ApiError::invalid(field, format!("must have 1 to {MAX_ENTRIES} entries")))
}

#[cfg(test)]
mod tests;
