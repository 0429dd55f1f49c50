//! Body of a change of a node: amounts of micro-deposits, or labels.

use daybook_domain::Currency;
use daybook_domain::node::micro_deposits::MAX_MINOR;
use daybook_engine::NodeDetails;
use serde::{Deserialize, Deserializer};
use utoipa::{IntoParams, ToSchema};

use crate::ApiError;
use crate::description::values::MicroDeposit;
use crate::in_query::Parameters;
use crate::query::Query;
use crate::wire::amount::Digits;
use crate::wire::required;
use crate::wire::text::{SaidName, Text};

/// Change of a node by a query parameter.
#[derive(Clone, Copy, Debug, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Resend {
    /// `YES` resends the micro-deposits and ignores the body. With any other value the body may be empty; then the node
    /// is returned unchanged.
    #[param(value_type = Option<String>)]
    pub resend_micro: Option<bool>,
}

impl Parameters for Resend {
    fn read(query: Query<'_>) -> Result<Self, ApiError> {
        Ok(Self { resend_micro: query.answer("resend_micro") })
    }
}

/// Change of a node: either the amounts of its micro-deposits, or its labels.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct UpdateNode {
    /// Amounts of the two micro-deposits. No other field may be sent with them.
    #[schema(value_type = Option<Vec<MicroDeposit>>, min_items = 2, max_items = 2)]
    micro: Option<Vec<Digits>>,
    /// The platform's own id for the node; null removes it.
    #[serde(default, deserialize_with = "said")]
    #[schema(value_type = Option<Text>)]
    supp_id: Said,
    nickname: Option<SaidName>,
}

/// Value of a field that null clears.
#[derive(Clone, Debug, Default)]
enum Said {
    /// The field is absent.
    #[default]
    Nothing,
    /// The field has this value, or is null.
    This(Option<Text>),
}

fn said<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Said, D::Error> {
    Option::deserialize(deserializer).map(Said::This)
}

/// Requested change of a node.
#[derive(Clone)]
pub enum NodeUpdate {
    /// No change; the record is returned.
    Nothing,
    /// Verifies the amounts of the two micro-deposits, in minor units of USD.
    Verify([i64; 2]),
    /// Changes the labels of the node.
    Relabel(Labels),
}

/// Labels of a node.
#[derive(Clone)]
pub struct Labels {
    supp_id: Said,
    nickname: Option<String>,
}

impl UpdateNode {
    /// Parses the change. `may_be_empty` is true if the call requests something by its query.
    ///
    /// # Errors
    ///
    /// [`ApiError::Invalid`] for micro-deposits that are not two amounts of 0.01 to 1.00, for a blank nickname, and if
    /// the body requests both kinds of changes or none.
    pub fn parse(self, may_be_empty: bool) -> Result<NodeUpdate, ApiError> {
        let nickname = self.nickname.map(|text| required("nickname", Some(text))).transpose()?;
        let labels = Labels { supp_id: self.supp_id, nickname };
        match (self.micro, labels.say_something()) {
            (Some(micro), false) => amounts(&micro).map(NodeUpdate::Verify),
            (None, true) => Ok(NodeUpdate::Relabel(labels)),
            (Some(_), true) => Err(ApiError::invalid("micro", "must come alone")),
            (None, false) if may_be_empty => Ok(NodeUpdate::Nothing),
            (None, false) => Err(ApiError::invalid("body", "must have micro, supp_id or nickname")),
        }
    }
}

impl Labels {
    const fn say_something(&self) -> bool {
        self.nickname.is_some() || matches!(self.supp_id, Said::This(_))
    }

    /// Changes the details; returns true if the platform's own id changes.
    pub fn put_on(&self, details: &mut NodeDetails) -> bool {
        if let Some(nickname) = &self.nickname {
            details.nickname.clone_from(nickname);
        }
        let Said::This(supp_id) = &self.supp_id else { return false };
        let supp_id = supp_id.clone().map(String::from);
        let changes = supp_id != details.supp_id;
        details.supp_id = supp_id;
        changes
    }
}

fn amounts(micro: &[Digits]) -> Result<[i64; 2], ApiError> {
    let wrong = || ApiError::invalid("micro", "must be two amounts from 0.01 to 1.00");
    let minor = |digits: &Digits| Some(digits.parse("micro", Currency::USD).ok()?.minor);
    let amounts: Option<Vec<i64>> = micro.iter().map(minor).collect();
    let amounts = amounts.and_then(|amounts| <[i64; 2]>::try_from(amounts).ok()).ok_or_else(wrong)?;
    if amounts.iter().all(|minor| *minor <= MAX_MINOR) { Ok(amounts) } else { Err(wrong()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::Body;

    fn parse(json: &str) -> Result<NodeUpdate, ApiError> {
        let body = Body::from(actix_web::web::Bytes::from(json.to_owned()));
        body.json::<UpdateNode>().and_then(|body| body.parse(false))
    }

    fn verify(json: &str) -> Result<[i64; 2], ApiError> {
        parse(json).map(|update| if let NodeUpdate::Verify(amounts) = update { amounts } else { [0; 2] })
    }

    /// Returns the labels of a node after a change, and true if its `supp_id` changes.
    fn relabeled(json: &str) -> (String, Option<String>, bool) {
        let mut details =
            NodeDetails { nickname: "Mine".into(), supp_id: Some("1".into()), ..NodeDetails::default() };
        let Ok(NodeUpdate::Relabel(labels)) = parse(json) else { return Default::default() };
        let changes = labels.put_on(&mut details);
        (details.nickname, details.supp_id, changes)
    }

    #[test]
    fn two_amounts_are_read_exactly() {
        assert_eq!(
            verify(r#"{"micro": [0.1, 1.00], "supp_idd": 5, "nickname": null}"#).ok(),
            Some([10, 100])
        );
    }

    #[test]
    fn invalid_amounts_are_not_a_guess() {
        let bad = [
            r#"{"micro": []}"#,
            r#"{"micro": [0.1]}"#,
            r#"{"micro": [0.1, 0.1, 0.1]}"#,
            r#"{"micro": [0, 0.1]}"#,
            r#"{"micro": [0.1, 1.01]}"#,
            r#"{"micro": [0.1, 0.001]}"#,
            r#"{"micro": ["0.1", "0.1"]}"#,
        ];
        for json in bad {
            assert!(matches!(verify(json), Err(ApiError::Invalid { .. })), "{json}");
        }
    }

    #[test]
    fn update_changes_only_the_given_labels() {
        let table = [
            (r#"{"nickname": "Ours"}"#, ("Ours", Some("1"), false)),
            (r#"{"supp_id": "2"}"#, ("Mine", Some("2"), true)),
            (r#"{"supp_id": "1"}"#, ("Mine", Some("1"), false)),
            (r#"{"supp_id": ""}"#, ("Mine", Some(""), true)),
            (r#"{"supp_id": null}"#, ("Mine", None, true)),
            (r#"{"supp_id": "2", "nickname": "Ours"}"#, ("Ours", Some("2"), true)),
            (r#"{"supp_id": "2", "nickname": null}"#, ("Mine", Some("2"), true)),
        ];
        for (json, (nickname, supp_id, changes)) in table {
            assert_eq!(relabeled(json), (nickname.to_owned(), supp_id.map(str::to_owned), changes), "{json}");
        }
    }

    #[test]
    fn body_requests_exactly_one_change() {
        let table = [
            ("{}", "body"),
            (r#"{"nickname": null, "micro": null}"#, "body"),
            (r#"{"micro": [0.1, 0.1], "nickname": "Ours"}"#, "micro"),
            (r#"{"micro": [0.1, 0.1], "supp_id": null}"#, "micro"),
            (r#"{"nickname": " "}"#, "nickname"),
            (r#"{"nickname": 5}"#, "nickname"),
            (r#"{"supp_id": ["1"]}"#, "supp_id"),
            (r#"{"supp_id": "a\u0000"}"#, "supp_id"),
        ];
        for (json, named) in table {
            let Err(ApiError::Invalid { field, .. }) = parse(json) else { panic!("{json}") };
            assert_eq!(field, named, "{json}");
        }
    }
}
