//! Rendering of records: collects the states that a record shows, opens sealed fields, and passes both to `wire`.

mod attachments;
mod files;
mod nodes;
mod operations;
mod subnets;
mod subscriptions;
mod transactions;
mod users;
mod view;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

pub(crate) use attachments::{AttachmentSource, attachment};
pub(crate) use files::file_was_cut;
pub(crate) use nodes::{account, details, legal_name, nodes, own_node, owner};
pub(crate) use operations::{operation, operations};
pub(crate) use subnets::{account_num, subnet, subnet_details, subnets};
pub(crate) use subscriptions::{
    attempts, subscription, subscription_details, subscription_details_in, subscription_ids,
    subscription_secret, subscriptions,
};
pub(crate) use transactions::{Viewer, made, status, subject, transaction, transactions};

use daybook_domain::account::Account;
use daybook_domain::{AccountId, Currency, NodeId, Sealed, States, UserId, user};
use daybook_engine::access::PlatformRecord;
use daybook_engine::{DocumentContents, NodeDetails, Profile, open, open_cached};
use daybook_projector::RecordedEvent;
use daybook_vault::{Class, SubjectKeys};
use serde::de::DeserializeOwned;
pub(crate) use users::{user, user_without_token, users};
use uuid::Uuid;
pub(crate) use view::View;

use crate::app::App;
use crate::error::ApiError;
use crate::wire;
use crate::wire::record::Client;

/// Maximum number of attempts to read keys, and the pause between them: together about the time of a database restart.
const MAX_KEY_ATTEMPTS: u32 = 25;
const KEY_RETRY_INTERVAL: Duration = Duration::from_millis(100);

/// Opens the sealed fields of some subjects and renders their records.
pub(crate) struct Opener<'a> {
    states: &'a (dyn States + Sync),
    keys: HashMap<Uuid, SubjectKeys>,
    client: Client,
    base_url: &'a str,
}

impl<'a> Opener<'a> {
    /// Reads the keys of `subjects`, whose records are in `states`.
    pub(crate) async fn new(
        app: &'a App,
        platform: &PlatformRecord,
        states: &'a (dyn States + Sync),
        subjects: impl IntoIterator<Item = UserId>,
    ) -> Result<Self, ApiError> {
        let subjects: HashSet<Uuid> = subjects.into_iter().map(Uuid::from).collect();
        let subjects: Vec<Uuid> = subjects.into_iter().collect();
        let keys = keys_of(app, platform, &subjects).await?;
        Ok(Self::holding(app, platform, states, keys))
    }

    /// Makes an opener with keys that were already read.
    pub(crate) fn holding(
        app: &'a App,
        platform: &PlatformRecord,
        states: &'a (dyn States + Sync),
        keys: HashMap<Uuid, SubjectKeys>,
    ) -> Self {
        let client = Client { id: platform.client_id.clone(), name: platform.name.clone() };
        Self { states, keys, client, base_url: &app.base_url }
    }

    /// Returns the keys of a subject; `None` if the person was erased.
    fn keys(&self, subject: UserId) -> Option<&SubjectKeys> {
        self.keys.get(&Uuid::from(subject))
    }

    /// Opens a box about `subject`; returns the default value if the person was erased.
    fn open<T: DeserializeOwned + Default>(
        &self,
        subject: UserId,
        class: Class,
        sealed: Option<&Sealed>,
    ) -> Result<T, ApiError> {
        match (self.keys(subject), sealed) {
            (Some(keys), Some(sealed)) => Ok(open(keys, class, sealed)?),
            _ => Ok(T::default()),
        }
    }

    /// Opens a box through the cache. Used for data that is read again and again: profiles and account details.
    fn open_cached<T>(&self, subject: UserId, sealed: Option<&Sealed>) -> Result<Arc<T>, ApiError>
    where
        T: DeserializeOwned + Default + Send + Sync + 'static,
    {
        match (self.keys(subject), sealed) {
            (Some(keys), Some(sealed)) => Ok(open_cached(keys, Class::Profile, sealed)?),
            _ => Ok(Arc::default()),
        }
    }

    /// Returns the user's record.
    pub(crate) fn user(&self, id: UserId, refresh_token: &str) -> Result<wire::user::User, ApiError> {
        let user = self.states.user(id).ok_or(ApiError::NotFound)?;
        let contents = user.documents.iter().map(|document| self.contents(id, document));
        let document_contents = contents.collect::<Result<Vec<_>, _>>()?;
        // An erased user never logs in again.
        let refresh_token = if user.erased.is_some() { "" } else { refresh_token };
        Ok(wire::user::render(&wire::user::UserView {
            id,
            user,
            profile: &*self.profile(id)?,
            document_contents: &document_contents,
            client: &self.client,
            refresh_token,
            base_url: self.base_url,
        }))
    }

    /// Returns the user's contacts: phone numbers, then e-mail addresses.
    pub(crate) fn contacts(&self, id: UserId) -> Result<Vec<String>, ApiError> {
        let profile = self.profile(id)?;
        Ok(profile
            .phone_numbers
            .iter()
            .chain(profile.logins.iter().map(|login| &login.email))
            .cloned()
            .collect())
    }

    /// Returns the node's record.
    pub(crate) fn node(
        &self,
        id: NodeId,
        balance: Option<&Account>,
        timeline: &[RecordedEvent],
    ) -> Result<wire::node::Node, ApiError> {
        let node = self.states.node(id).ok_or(ApiError::NotFound)?;
        let profile = self.profile(node.user)?;
        Ok(wire::node::render(&wire::node::NodeView {
            id,
            node,
            details: &*self.details(id)?,
            balance,
            name_on_account: profile.legal_names.first().map(String::as_str).unwrap_or_default(),
            timeline,
            client: &self.client,
            base_url: self.base_url,
        }))
    }

    /// Returns the contents of a user's document.
    pub(crate) fn contents(
        &self,
        id: UserId,
        document: &user::Document,
    ) -> Result<DocumentContents, ApiError> {
        self.open(id, Class::Document, document.contents.as_ref())
    }

    /// Returns the user's profile.
    pub(crate) fn profile(&self, id: UserId) -> Result<Arc<Profile>, ApiError> {
        let sealed = self.states.user(id).and_then(|user| user.profile.as_ref());
        self.open_cached(id, sealed)
    }

    fn details(&self, id: NodeId) -> Result<Arc<NodeDetails>, ApiError> {
        match self.states.node(id) {
            Some(node) => self.open_cached(node.user, node.details.as_ref()),
            None => Ok(Arc::default()),
        }
    }
}

/// Returns the user with this id if it belongs to `platform`.
pub(crate) fn user_of<'a>(
    states: &'a impl States,
    platform: &PlatformRecord,
    id: UserId,
) -> Result<&'a user::User, ApiError> {
    states.user(id).filter(|user| user.platform == platform.id).ok_or(ApiError::NotFound)
}

/// Returns the account whose balance a held node's record shows. Balances in other currencies have an endpoint of their
/// own.
fn account_id(node: NodeId) -> AccountId {
    AccountId::of(node, Currency::USD)
}

/// Reads the keys of `subjects`. Some are read after a commit, when the call must be answered and not repeated, so this
/// retries for 2.5 s while the database is unavailable.
async fn keys_of(
    app: &App,
    platform: &PlatformRecord,
    subjects: &[Uuid],
) -> Result<HashMap<Uuid, SubjectKeys>, ApiError> {
    let mut attempt = 1;
    loop {
        match app.engine.vault().keys_of(platform.shard, subjects).await.map_err(ApiError::from) {
            Err(ApiError::Unavailable { .. }) if attempt < MAX_KEY_ATTEMPTS => {
                tokio::time::sleep(KEY_RETRY_INTERVAL).await;
                attempt += 1;
            }
            answered => return answered,
        }
    }
}
