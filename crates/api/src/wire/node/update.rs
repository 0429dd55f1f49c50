//! The body that says something about a node: what was sent to it, or what it is called.

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

/// A change of a node.
#[derive(Clone, Copy, Debug, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Resend {
    /// `YES`: send the micro-deposits again; the body is not looked at. Anything else: do not; the body may then ask for
    /// nothing, and the node is answered.
    #[param(value_type = Option<String>)]
    pub resend_micro: Option<bool>,
}

impl Parameters for Resend {
    fn read(query: Query<'_>) -> Result<Self, ApiError> {
        Ok(Self { resend_micro: query.answer("resend_micro") })
    }
}

/// The body.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct UpdateNode {
    /// The two amounts that came, and nothing beside them.
    #[schema(value_type = Option<Vec<MicroDeposit>>, min_items = 2, max_items = 2)]
    micro: Option<Vec<Digits>>,
    /// Null takes it away.
    #[serde(default, deserialize_with = "said")]
    #[schema(value_type = Option<Text>)]
    supp_id: Said,
    nickname: Option<SaidName>,
}

/// What a body says about a field that null empties.
#[derive(Clone, Debug, Default)]
enum Said {
    /// Nothing.
    #[default]
    Nothing,
    /// That it be this, or empty.
    This(Option<Text>),
}

fn said<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Said, D::Error> {
    Option::deserialize(deserializer).map(Said::This)
}

/// What is asked for.
#[derive(Clone)]
pub enum NodeUpdate {
    /// Nothing but the record.
    Nothing,
    /// To take in the two micro-deposits that the owner tells, in minor units of USD.
    Verify([i64; 2]),
    /// To give it other labels.
    Relabel(Labels),
}

/// How a node shall be called.
#[derive(Clone)]
pub struct Labels {
    supp_id: Said,
    nickname: Option<String>,
}

impl UpdateNode {
    /// The change that the body asks for; `may_be_empty` if the call asks for something beside the body.
    ///
    /// # Errors
    ///
    /// [`ApiError::Invalid`] for micro-deposits that are not two amounts of 0.01 to 1.00, for a nickname of nothing, and if
    /// there is both or nothing to do.
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

    /// Changes the details; whether the platform's own id is another one then.
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

    /// The labels of a node after a change, and whether its `supp_id` is another one.
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
    fn anything_else_is_no_guess() {
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
    fn a_label_that_is_said_is_put_on_and_the_other_stays() {
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
    fn a_body_asks_for_one_thing() {
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
