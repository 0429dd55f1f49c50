//! Parameters of a query that several calls have in common. Nothing makes these: handlers read the query by hand
//! ([`crate::query::Query`]).

use utoipa::IntoParams;

/// A GET of one record.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub struct AsOf {
    /// As of when: a position of the log, or a time such as `2026-03-01T12:00:00Z`. Now, if it is not sent.
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
    pub after: Option<String>,
    /// Only those of these scopes of subscriptions, with commas between.
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
    pub subscription_id: Option<String>,
    /// Only those before this attempt, to go on from a page.
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
    pub at: Option<String>,
}

/// What is asked of an account.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Currency {
    /// Which currency, by its ISO 4217 code.
    #[param(default = "USD")]
    pub currency: Option<String>,
}

/// A list of users.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub struct UserQuery {
    /// Only those with a login, or a word of a name, that begins so.
    pub query: Option<String>,
}

/// A list of nodes.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub struct NodeFilter {
    /// Only those of this type; of one that there is not there are none.
    pub r#type: Option<String>,
    /// Only those of this type, alone or as `{"type": "ACH-US"}`.
    pub filter: Option<String>,
}

/// A list of transactions.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub struct StatusFilter {
    /// Only those with this status, alone or as `{"recent_status.status": "SETTLED"}`.
    pub filter: Option<String>,
}

/// A change of a node.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Resend {
    /// `YES`: send the micro-deposits again; the body is not looked at.
    pub resend_micro: Option<String>,
}

/// A simulated transaction.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Dummy {
    /// `YES`: onto the node. Anything else is from it.
    pub is_credit: Option<String>,
    /// How much, in USD.
    #[param(default = "10.00")]
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
    pub issue_public_key: String,
    /// What the key shall open, with commas between.
    pub scope: String,
    /// About which user alone.
    pub user_id: Option<String>,
}
