//! Which part of the feed is asked for.

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

/// How long a caller may wait, in seconds: less than what most proxies in between allow.
const WAIT_MAX_S: u32 = 30;

/// Behind which place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum After {
    /// From the beginning.
    Beginning,
    /// What has not happened yet.
    End,
    /// Where the reader was.
    Cursor(Cursor),
}

/// A part of what happened.
#[derive(Clone, Debug, PartialEq, Eq, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct AskedEvents {
    /// Behind which place: the `cursor` of an answer, `end` for what has not happened yet, or from the beginning.
    #[param(inline, required = false, value_type = FeedPlace)]
    pub after: After,
    /// Only those of these scopes of subscriptions, with commas between.
    #[param(rename = "scope", inline, required = false, value_type = FeedScopes)]
    pub scopes: Vec<Scope>,
    /// How many at most.
    #[param(rename = "per_page", minimum = 1, maximum = 100, default = 20, required = false)]
    pub limit: u32,
    /// How many seconds to wait where nothing has happened.
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
        let wait = Duration::from_secs(query.number("wait", WAIT_MAX_S)?.unwrap_or(0).into());
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
    fn what_is_not_said_is_everything_from_the_beginning_without_waiting() {
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
    fn what_makes_no_sense_is_refused() {
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
