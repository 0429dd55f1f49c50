//! Parameters of a query that several calls have in common. Nothing makes these: handlers read the query by hand
//! ([`crate::page::Query`]).

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
