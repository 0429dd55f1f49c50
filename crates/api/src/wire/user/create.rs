//! Body of a request that creates a user. Verification of the documents runs later, so missing fields of a document are
//! not an error here.

use daybook_domain::user::update::MAX_DOCUMENTS;
use daybook_engine::{Login, Profile};
use serde::Deserialize;
use utoipa::ToSchema;

use super::document::{DocumentIn, Ids, NewDocument};
use super::login::LoginIn;
use crate::ApiError;
use crate::wire::form::{Phone, Whole};
use crate::wire::text::{SaidName, Text};
use crate::wire::{at_most, bounded};

/// Number of a customer identification program (CIP).
pub(super) type CipTag = Whole<0, { i32::MAX as i64 }>;

/// Default identification program of a platform.
const CIP_TAG: i64 = 1;

/// Request to create a user.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct CreateUser {
    #[schema(min_items = 1, max_items = 100)]
    logins: Vec<LoginIn>,
    #[schema(min_items = 1, max_items = 100)]
    phone_numbers: Vec<Phone>,
    #[schema(min_items = 1, max_items = 100)]
    legal_names: Vec<SaidName>,
    #[schema(max_items = 20)]
    documents: Option<Vec<DocumentIn>>,
    extra: Option<Extra>,
}

#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[schema(as = NewUserExtra)]
struct Extra {
    supp_id: Option<Text>,
    cip_tag: Option<CipTag>,
    is_business: Option<bool>,
}

/// A valid user.
#[derive(Clone)]
pub struct NewUser {
    /// True for a business, false for a person.
    pub is_business: bool,
    /// Identification program of the platform that applies to the user.
    pub cip_tag: i64,
    /// Profile, to be sealed with class profile.
    pub profile: Profile,
    /// Documents of the user.
    pub documents: Vec<NewDocument>,
}

impl CreateUser {
    /// Parses the user, and assigns an id to each document and each of its parts.
    ///
    /// # Errors
    ///
    /// [`ApiError::Invalid`] naming the field.
    pub fn parse(self, ids: &mut Ids<'_>) -> Result<NewUser, ApiError> {
        let extra = self.extra.unwrap_or_default();
        let profile = Profile {
            logins: some("logins", self.logins)?.into_iter().map(Login::from).collect(),
            phone_numbers: texts(some("phone_numbers", self.phone_numbers)?),
            legal_names: texts(some("legal_names", self.legal_names)?),
            supp_id: extra.supp_id.map(String::from),
        };
        let documents = at_most(MAX_DOCUMENTS, "documents", self.documents)?;
        let parse = |(index, document): (usize, DocumentIn)| {
            document.parse(ids).map_err(|wrong| wrong.within(&format!("documents[{index}]")))
        };
        let documents = documents.into_iter().enumerate().map(parse).collect::<Result<_, _>>()?;
        Ok(NewUser {
            is_business: extra.is_business.unwrap_or_default(),
            cip_tag: extra.cip_tag.map_or(CIP_TAG, Whole::get),
            profile,
            documents,
        })
    }
}

/// Checks that a list has at least one entry.
fn some<T>(field: &'static str, list: Vec<T>) -> Result<Vec<T>, ApiError> {
    if list.is_empty() {
        return Err(ApiError::invalid(field, "must have at least one entry"));
    }
    bounded(field, Some(list))
}

fn texts(list: Vec<impl Into<String>>) -> Vec<String> {
    list.into_iter().map(Into::into).collect()
}

#[cfg(test)]
mod tests;
