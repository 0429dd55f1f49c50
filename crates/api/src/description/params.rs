//! Parameters of a query that several calls have in common. Nothing makes these: handlers read the query by hand
//! ([`crate::query::Query`]).

use utoipa::IntoParams;

use super::values::{
    CurrencyOrUsd, DecimalsOrTen, FeedPlace, FeedScopes, Moment, MomentOrDay, ObjectId, ObjectIdOrNothing,
    PublicScopes, Yes,
};
use crate::wire::text::Text;

/// A GET of one record.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub struct AsOf {
    /// As of when: a position of the log, or a time such as `2026-03-01T12:00:00Z`. Now, if it is not sent.
    #[param(inline, required = false, value_type = Moment)]
    pub at: Option<String>,
}

/// A call that changes something.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub struct DryRun {
    /// Decide at this moment, answer as it would be, and carry out nothing.
    pub dry_run: Option<bool>,
}

/// A part of what happened.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Events {
    /// Behind which place: the `cursor` of an answer, `end` for what has not happened yet, or from the beginning.
    #[param(inline, required = false, value_type = FeedPlace)]
    pub after: Option<String>,
    /// Only those of these scopes of subscriptions, with commas between.
    #[param(inline, required = false, value_type = FeedScopes)]
    pub scope: Option<String>,
    /// How many at most.
    #[param(minimum = 1, maximum = 100, default = 20)]
    pub per_page: Option<u32>,
    /// How many seconds to wait where nothing has happened.
    #[param(minimum = 1, maximum = 30)]
    pub wait: Option<u32>,
}

/// A list of attempts to tell something.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Attempts {
    /// Only those of this subscription.
    #[param(inline, required = false, value_type = ObjectId)]
    pub subscription_id: Option<String>,
    /// Only those before this attempt, to go on from a page.
    #[param(inline, required = false, value_type = ObjectId)]
    pub before: Option<String>,
    /// How many at most.
    #[param(minimum = 1, maximum = 100, default = 20)]
    pub per_page: Option<u32>,
}

/// A GET of a balance.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub struct AsOfDay {
    /// As of when: a position of the log, a time such as `2026-03-01T12:00:00Z`, or a day such as `2026-03-01`, by the
    /// effective date. Now, if it is not sent.
    #[param(inline, required = false, value_type = MomentOrDay)]
    pub at: Option<String>,
}

/// What is asked of an account.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Currency {
    /// Which currency, by its ISO 4217 code.
    #[param(inline, required = false, value_type = CurrencyOrUsd)]
    pub currency: Option<String>,
}

/// A list of users.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub struct UserQuery {
    /// Only those with a login, or a word of a name, that begins so.
    #[param(inline, required = false, value_type = Text)]
    pub query: Option<String>,
}

/// A list of nodes.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub struct NodeFilter {
    /// Only those of this type; of one that there is not there are none.
    #[param(inline, required = false, value_type = Text)]
    pub r#type: Option<String>,
    /// Only those of this type, alone or as `{"type": "ACH-US"}`.
    #[param(inline, required = false, value_type = Text)]
    pub filter: Option<String>,
}

/// A list of transactions.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub struct StatusFilter {
    /// Only those with this status, alone or as `{"recent_status.status": "SETTLED"}`.
    #[param(inline, required = false, value_type = Text)]
    pub filter: Option<String>,
}

/// A change of a node.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Resend {
    /// `YES`: send the micro-deposits again; the body is not looked at. Anything else: do not; the body may then ask for
    /// nothing, and the node is answered.
    pub resend_micro: Option<String>,
}

/// A simulated transaction.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Dummy {
    /// `YES`: onto the node. Anything else is from it.
    pub is_credit: Option<String>,
    /// How much, in USD.
    #[param(inline, required = false, value_type = DecimalsOrTen)]
    pub amount: Option<String>,
}

/// A list of operations.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Waiting {
    /// `yes`: only what waits for approval.
    pub waiting: Option<String>,
}

/// Two sizes of the log.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Sizes {
    /// The size of the older log.
    pub from: u64,
    /// The size of the newer log.
    pub to: u64,
}

/// A public key.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub struct PublicKeyQuery {
    /// `YES`: there is nothing else to ask here.
    #[param(inline, value_type = Yes)]
    pub issue_public_key: String,
    /// What the key shall open, with commas between.
    #[param(inline, value_type = PublicScopes)]
    pub scope: String,
    /// About which user alone.
    #[param(inline, required = false, value_type = ObjectIdOrNothing)]
    pub user_id: Option<String>,
}
