//! The body that changes a user: what it is known by, its documents, or what it may do.

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

/// The body.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct UpdateUser {
    refresh_token: Option<Text>,
    update: Option<ProfileUpdate>,
    #[schema(max_items = 20)]
    documents: Option<Vec<DocumentIn>>,
    #[schema(value_type = Option<WantedPermission>)]
    permission: Option<Text>,
}

/// A change that is well formed.
#[derive(Clone, Debug)]
pub struct UserUpdate {
    /// The token that came with it.
    pub refresh_token: Option<String>,
    /// What the user may do from now on, if that changes.
    pub permission: Option<Permission>,
    /// What it is known by.
    pub profile: Option<ProfileUpdate>,
    documents: Vec<DocumentIn>,
}

/// What a user is known by: each field adds or takes away one entry.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct ProfileUpdate {
    login: Option<LoginIn>,
    remove_login: Option<GoneLogin>,
    phone_number: Option<Phone>,
    remove_phone_number: Option<Text>,
    legal_name: Option<SaidName>,
    remove_legal_name: Option<Text>,
    /// Which of the platform's identification programs applies.
    cip_tag: Option<CipTag>,
}

impl ProfileUpdate {
    /// Which of the platform's identification programs applies from now on, if that changes.
    #[must_use]
    pub fn cip_tag(&self) -> Option<i64> {
        self.cip_tag.map(Whole::get)
    }
}

/// What happens to one document.
pub enum DocumentUpdate {
    /// It comes.
    Add(NewDocument),
    /// It is so from now on.
    Set(NewDocument),
    /// It goes.
    Remove(SubDocumentId),
}

impl UpdateUser {
    /// Checks what can be checked without knowing the user.
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

/// What a caller may ask for: raising it is for verification.
fn permission(name: &Text) -> Result<Permission, ApiError> {
    use Permission::{Closed, Locked, MakeItGoAway, Unverified};
    let wanted = Permission::parse(name.as_str());
    wanted.filter(|wanted| [Unverified, Locked, Closed, MakeItGoAway].contains(wanted)).ok_or_else(|| {
        ApiError::invalid("permission", "must be UNVERIFIED, LOCKED, CLOSED or MAKE-IT-GO-AWAY")
    })
}

impl UserUpdate {
    /// What happens to each document that it names, of those that are `known`; `open` reads what is written on one.
    ///
    /// # Errors
    ///
    /// [`ApiError::NothingAt`] if the user has no such document; what `open` says; [`ApiError::Invalid`].
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
    /// What `profile` becomes by it. What is there already is not added again, what is not there is gone already.
    ///
    /// # Errors
    ///
    /// [`ApiError::Invalid`] if nothing or too much would be left of a list.
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

/// What the request does not name is as it was: the platform's own user has no logins.
fn check_count(field: &'static str, is_named: bool, count: usize) -> Result<(), ApiError> {
    if !is_named || (1..=MAX_ENTRIES).contains(&count) {
        return Ok(());
    }
    Err(ApiError::invalid(field, format!("must have 1 to {MAX_ENTRIES} entries")))
}

#[cfg(test)]
mod tests;
