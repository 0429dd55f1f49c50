//! Steps of the desk: the API call of each, and the recorded parts of its answer.

use hyper::Method;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Desk;
use crate::cents::decimal;
use crate::client::Call;
use crate::ops::Seen;

/// Refusals of a file that are no defect: lines of another one are being booked, or a day was stated anew meanwhile.
const OF_FILES: [&str; 3] = ["statement_booking", "statement_opening", "statement_later_days"];
/// Refusals of a request for a file.
const OF_THE_BANK: [&str; 2] = ["statement_booked", "statement_booking"];
/// Refusals of an act that are no defect: the line or the item changed since the operator looked at it.
const OF_ACTS: [&str; 5] =
    ["item_not_open", "match_too_much", "match_changed", "break_withdrawn", "no_such_match"];

/// A step. Amounts are minor units.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "step", rename_all = "snake_case")]
pub enum Step {
    /// Credits the node `house` from outside, which makes an open item.
    Credit {
        /// Amount.
        amount: i64,
        /// Idempotency key.
        key: String,
    },
    /// Pulls money from the account at another bank, which makes an entry of an ACH file.
    Pull {
        /// Amount.
        amount: i64,
        /// Idempotency key.
        key: String,
    },
    /// Advances the clock of the platform.
    Advance {
        /// Number of seconds.
        seconds: i64,
        /// Idempotency key.
        key: String,
    },
    /// Asks the sandbox's bank for a file, and records nothing.
    Ask {
        /// Body of the request.
        wants: Value,
    },
    /// Hands in a file of the bank.
    HandIn {
        /// Index of the operator.
        operator: usize,
        /// The file.
        text: String,
        /// True if the bank states the day anew.
        restates: bool,
    },
    /// Performs an operation.
    Act {
        /// Index of the operator.
        operator: usize,
        /// The act.
        act: Value,
        /// Idempotency key.
        key: String,
    },
    /// Reads.
    Read {
        /// Index of the operator.
        operator: usize,
        /// Path after that of the platform.
        path: String,
    },
}

/// Recorded parts of the answer to a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Taken {
    /// SHA-256 of the file, as the service computed it.
    pub file: String,
    /// True if the service says that the file was accepted before.
    pub repeated: bool,
    /// Ids of the statements in the answer.
    pub statements: Vec<String>,
}

impl Step {
    /// Returns the API call of the step.
    pub fn call(&self, desk: &Desk) -> Call {
        let (method, path, headers, body) = match self {
            Self::Credit { amount, .. } => {
                let path = format!("/sandbox/nodes/{}/credit", desk.house);
                (Method::POST, path, by_platform(desk), json!({"amount": dollars(*amount)}))
            }
            Self::Pull { amount, .. } => {
                let path = format!("/users/{}/nodes/{}/trans", desk.user.id, desk.bank);
                let to = json!({"type": "DEPOSIT-US", "id": desk.house});
                let body = json!({"to": to, "amount": dollars(*amount), "extra": {"ip": "127.0.0.1"}});
                (Method::POST, path, desk.user.headers(), body)
            }
            Self::Advance { seconds, .. } => {
                let path = "/sandbox/clock/advance".to_owned();
                (Method::POST, path, by_platform(desk), json!({"seconds": seconds}))
            }
            Self::Ask { wants } => {
                (Method::POST, "/sandbox/bank/statement".to_owned(), by_platform(desk), wants.clone())
            }
            Self::HandIn { operator, text, restates } => {
                let mut body = json!({"file": text});
                if *restates {
                    body["restate"] = json!("The bank corrects its day.");
                }
                (Method::POST, at(desk, "statements"), by_operator(desk, *operator), body)
            }
            Self::Act { operator, act, .. } => {
                let body = json!({"act": act, "reason": "Torture."});
                (Method::POST, at(desk, "operations"), by_operator(desk, *operator), body)
            }
            Self::Read { operator, path } => {
                (Method::GET, at(desk, path), by_operator(desk, *operator), Value::Null)
            }
        };
        let mut call = Call { method, path: format!("/v3.1{path}"), headers, body };
        call.headers.extend(self.key().map(|key| ("x-sp-idempotency-key", key.to_owned())));
        call
    }

    /// Returns the idempotency key, if the step has one.
    fn key(&self) -> Option<&str> {
        match self {
            Self::Credit { key, .. }
            | Self::Pull { key, .. }
            | Self::Advance { key, .. }
            | Self::Act { key, .. } => Some(key),
            Self::Ask { .. } | Self::HandIn { .. } | Self::Read { .. } => None,
        }
    }

    /// Returns true if a refusal with this code is no defect.
    pub fn may_be_refused(&self, code: &str) -> bool {
        match self {
            Self::HandIn { .. } => OF_FILES.contains(&code),
            Self::Ask { .. } => OF_THE_BANK.contains(&code),
            Self::Act { .. } => OF_ACTS.contains(&code),
            Self::Credit { .. } | Self::Pull { .. } | Self::Advance { .. } | Self::Read { .. } => false,
        }
    }

    /// Returns true if the execution appends to the log.
    pub const fn appends(&self) -> bool {
        !matches!(self, Self::Ask { .. } | Self::Read { .. })
    }

    /// Returns true if the answer has the id of a new record.
    pub const fn creates(&self) -> bool {
        matches!(self, Self::Credit { .. } | Self::Pull { .. } | Self::Act { .. })
    }

    /// Returns the recorded parts of an answer.
    pub fn see(&self, body: &Value) -> Seen {
        match self {
            Self::HandIn { .. } => Seen::Taken(Taken {
                file: body["file"].as_str().unwrap_or_default().to_owned(),
                repeated: body["repeated"] == json!(true),
                statements: ids(&body["statements"]),
            }),
            Self::Read { path, .. } if path.starts_with("reconciliation") => {
                Seen::TieOut { tied_out: body["tied_out"] == json!(true), said: body["tie_outs"].to_string() }
            }
            _ => Seen::Nothing,
        }
    }
}

fn ids(list: &Value) -> Vec<String> {
    let id = |one: &Value| one["_id"].as_str().map(str::to_owned);
    list.as_array().into_iter().flatten().filter_map(id).collect()
}

fn dollars(minor: i64) -> Value {
    json!({"amount": decimal(minor), "currency": "USD"})
}

fn at(desk: &Desk, path: &str) -> String {
    format!("/ops/platforms/{}/{path}", desk.client_id)
}

fn by_platform(desk: &Desk) -> Vec<(&'static str, String)> {
    vec![("x-sp-gateway", desk.gateway.clone()), ("x-sp-user", "|torture".to_owned())]
}

fn by_operator(desk: &Desk, operator: usize) -> Vec<(&'static str, String)> {
    vec![("x-sp-operator", desk.operators.get(operator).cloned().unwrap_or_default())]
}
