//! Query parameters of the event feed.

use std::time::Duration;

use daybook_domain::subscription::Scope;
use utoipa::IntoParams;

use super::Cursor;
use crate::ApiError;
use crate::description::values::{FeedPlace, FeedScopes};
use crate::in_query::Parameters;
use crate::page::Page;
use crate::query::Query;
use crate::wire::{moment, subscription};

/// Maximum time to wait in seconds: less than the timeout of most proxies.
const MAX_WAIT_S: u32 = 30;

/// Place in the feed after which the caller reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum After {
    /// The beginning of the feed.
    Beginning,
    /// The end of the feed: only future events.
    End,
    /// The place of a cursor.
    Cursor(Cursor),
}

/// Range of the feed that a caller requests.
#[derive(Clone, Debug, PartialEq, Eq, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct AskedEvents {
    /// Place after which to read: the `cursor` of an earlier answer, or `end` for future events only. Without it the
    /// feed starts at its beginning.
    #[param(inline, required = false, value_type = FeedPlace)]
    pub after: After,
    /// Scopes of the events, separated by commas; all scopes if it is absent.
    #[param(rename = "scope", inline, required = false, value_type = FeedScopes)]
    pub scopes: Vec<Scope>,
    /// Maximum number of events in the answer.
    #[param(rename = "per_page", minimum = 1, maximum = 100, default = 20, required = false)]
    pub limit: u32,
    /// Maximum time in seconds to wait for an event at the end of the feed.
    #[param(minimum = 1, maximum = 30, required = false, value_type = u32)]
    pub wait: Duration,
}

impl Parameters for AskedEvents {
    fn read(query: Query<'_>) -> Result<Self, ApiError> {
        moment::none(query)?;
        let after = match query.text("after")?.as_deref() {
            None | Some("") => After::Beginning,
            Some("end") => After::End,
            Some(text) => {
                let must = || ApiError::invalid("after", "must be `end`, or a cursor as an answer had it");
                After::Cursor(Cursor::parse(text).ok_or_else(must)?)
            }
        };
        let scopes = match query.text(subscription::SCOPE)?.filter(|text| !text.is_empty()) {
            Some(text) => subscription::scopes(text.split(','))?,
            None => Scope::ALL.to_vec(),
        };
        let wait = Duration::from_secs(query.number("wait", MAX_WAIT_S)?.unwrap_or(0).into());
        Ok(Self { after, scopes, limit: Page::parse(query)?.per_page, wait })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(query: &str) -> Result<AskedEvents, String> {
        AskedEvents::read(Query(query)).map_err(|error| error.to_string())
    }

    #[test]
    fn default_is_whole_feed_without_waiting() {
        let all = AskedEvents {
            after: After::Beginning,
            scopes: Scope::ALL.to_vec(),
            limit: 20,
            wait: Duration::ZERO,
        };
        assert_eq!(asked(""), Ok(all.clone()));
        let said = asked("after=end&scope=TRANS|POST,TRAN%7CPATCH&per_page=100&wait=30");
        let scopes = vec![Scope::TransPost, Scope::TranPatch];
        let wait = Duration::from_secs(30);
        assert_eq!(said, Ok(AskedEvents { after: After::End, scopes, limit: 100, wait }));
    }

    #[test]
    fn invalid_parameters_are_refused() {
        let cursor = "after must be `end`, or a cursor as an answer had it.";
        for (query, expected) in [
            ("after=41", cursor),
            ("after=AAAA", cursor),
            ("wait=31", "wait must be a whole number from 1 to 30."),
            ("wait=0.5", "wait must be a whole number from 1 to 30."),
            ("per_page=101", "per_page must be a whole number from 1 to 100."),
        ] {
            assert_eq!(asked(query), Err(expected.to_owned()), "{query}");
        }
        assert!(asked("scope=TRANS|POST,").is_err_and(|text| text.starts_with("scope must hold none but")));
    }
}
