//! Operations of the workload: the API call of each, and the recorded parts of its answer.

use hyper::Method;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::cents::{decimal, minor};
use crate::client::{Answer, Call, Lost};
use crate::desk::{Step, Taken};
use crate::history::{Answered, Outcome};
use crate::world::World;

/// An operation. Nodes and transactions are named by their ids, users by their index in the world. Amounts are minor
/// units.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "lowercase")]
pub enum Asked {
    /// Creates a transaction.
    Pay {
        /// Name of the workload that sends it.
        workload: String,
        /// Index of the owner of `from`.
        user: usize,
        /// Node that pays.
        from: String,
        /// Node that is paid.
        to: String,
        /// Amount, including the fee.
        amount: i64,
        /// Part of the amount for the fee node.
        fee: i64,
        /// Idempotency key.
        key: String,
    },
    /// Adds a comment to a transaction, which may be settling.
    Comment {
        /// Index of the owner of `node`.
        user: usize,
        /// Sender's node.
        node: String,
        /// Id of the transaction.
        id: String,
    },
    /// Reads a transaction.
    Get {
        /// Index of the owner of `node`.
        user: usize,
        /// Sender's node.
        node: String,
        /// Id of the transaction.
        id: String,
    },
    /// Reads a node with its balance.
    Node {
        /// Index of its owner.
        user: usize,
        /// Id of the node.
        node: String,
    },
    /// Reads all balances of a user, as of one position.
    Nodes {
        /// Index of the user.
        user: usize,
    },
    /// Reads a page of a user's transactions.
    Page {
        /// Index of the user.
        user: usize,
        /// Number of the page, from 1.
        page: u64,
        /// Size of a page.
        size: u64,
    },
    /// Reads the numbers of a node; the available amount is recorded.
    Available {
        /// Index of its owner.
        user: usize,
        /// Id of the node.
        node: String,
    },
    /// Reads the first page of a node's transactions.
    List {
        /// Index of the owner of `node`.
        user: usize,
        /// Id of the node.
        node: String,
    },
    /// Asks, without credentials, for a proof that the log of one event is a prefix of a longer log.
    Prove {
        /// Size of the longer log, in events.
        to: u64,
    },
    /// A step of the desk.
    Desk(Step),
}

/// Data that was read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "lowercase")]
pub enum Seen {
    /// No data.
    #[default]
    Nothing,
    /// Balances of nodes.
    Balances {
        /// Node and amount in minor units.
        of: Vec<(String, i64)>,
    },
    /// A transaction.
    Transaction {
        /// Its amount.
        amount: i64,
        /// Statuses of its timeline.
        timeline: Vec<String>,
        /// Its current status.
        status: String,
    },
    /// A page of transactions.
    Page {
        /// Transactions on the page.
        ids: Vec<String>,
        /// Number of transactions on all pages.
        total: u64,
    },
    /// Acceptance of a file of the bank.
    Taken(Taken),
    /// Reconciliation with the bank.
    TieOut {
        /// True if ledger and bank agree.
        tied_out: bool,
        /// The sums.
        said: String,
    },
}

impl Seen {
    /// Returns true if no data was read.
    pub fn is_nothing(&self) -> bool {
        *self == Self::Nothing
    }
}

impl Asked {
    /// Returns the idempotency key, if the operation has one.
    pub fn key(&self) -> Option<&str> {
        match self {
            Self::Pay { key, .. } => Some(key),
            _ => None,
        }
    }

    /// Returns true for operations that change something.
    pub const fn is_write(&self) -> bool {
        matches!(self, Self::Pay { .. } | Self::Comment { .. })
    }

    /// Returns true for operations whose execution appends to the log.
    pub const fn appends(&self) -> bool {
        match self {
            Self::Desk(step) => step.appends(),
            _ => self.is_write(),
        }
    }

    /// Returns true if the answer has the id of a new record.
    const fn creates(&self) -> bool {
        match self {
            Self::Desk(step) => step.creates(),
            _ => self.is_write(),
        }
    }

    /// Returns true if a refusal with this code is no defect.
    fn may_be_refused(&self, code: &str) -> bool {
        matches!(self, Self::Desk(step) if step.may_be_refused(code))
    }

    /// Returns the API call of the operation.
    pub fn call(&self, world: &World) -> Call {
        let (method, user, path, body) = match self {
            Self::Pay { user, from, to, amount, fee, .. } => {
                let fees = if *fee == 0 { json!([]) } else { fees(*fee, &world.fees) };
                let body = json!({
                    "to": {"type": "DEPOSIT-US", "id": to},
                    "amount": {"amount": decimal(*amount), "currency": "USD"},
                    "extra": {"ip": "127.0.0.1"},
                    "fees": fees,
                });
                (Method::POST, user, format!("/nodes/{from}/trans"), body)
            }
            Self::Comment { user, node, id } => {
                let body = json!({"comment": "torture"});
                (Method::PATCH, user, format!("/nodes/{node}/trans/{id}"), body)
            }
            Self::Get { user, node, id } => {
                (Method::GET, user, format!("/nodes/{node}/trans/{id}"), Value::Null)
            }
            Self::Node { user, node } => (Method::GET, user, format!("/nodes/{node}"), Value::Null),
            Self::Nodes { user } => (Method::GET, user, "/nodes?per_page=100".to_owned(), Value::Null),
            Self::Page { user, page, size } => {
                (Method::GET, user, format!("/trans?per_page={size}&page={page}"), Value::Null)
            }
            Self::Available { user, node } => {
                (Method::GET, user, format!("/nodes/{node}/balance"), Value::Null)
            }
            Self::List { user, node } => {
                (Method::GET, user, format!("/nodes/{node}/trans?per_page=1"), Value::Null)
            }
            Self::Prove { to } => {
                let path = format!("/audit/consistency?from=1&to={to}");
                return Call { method: Method::GET, path, headers: vec![], body: Value::Null };
            }
            Self::Desk(step) => return world.desk.as_ref().map(|desk| step.call(desk)).unwrap_or_default(),
        };
        let user = &world.users[*user];
        let mut headers = user.headers();
        headers.extend(self.key().map(|key| ("x-sp-idempotency-key", key.to_owned())));
        Call { method, path: format!("/v3.1/users/{}{path}", user.id), headers, body }
    }

    /// Returns the outcome that an answer tells, and the recorded parts of the answer.
    pub fn judge(&self, answer: Result<Answer, Lost>) -> (Outcome, Answered) {
        let answer = match answer {
            Ok(answer) => answer,
            // Nothing was sent.
            Err(Lost::Unconnected) => return (Outcome::Fail, Answered::default()),
            Err(Lost::Cut | Lost::Late) => return (Outcome::Info, Answered::default()),
        };
        // Positions of lists are compared; the desk's answers have positions of other kinds.
        let position = answer.position().filter(|_| !matches!(self, Self::Desk(_)));
        let mut answered = Answered { status: Some(answer.status), position, ..Answered::default() };
        let outcome = match answer.status {
            200 | 202 => {
                answered.id = self.creates().then(|| answer.text("/_id").to_owned());
                answered.seen = self.see(&answer.body);
                Outcome::Ok
            }
            409 if answer.text("/error/code") == "idempotency_key_used" => {
                answered.id = Some(answer.text("/error/original_id").to_owned());
                Outcome::Ok
            }
            503 | 429 => {
                if !answer.headers.contains_key("retry-after") {
                    answered.odd = Some("no Retry-After".to_owned());
                }
                Outcome::Info
            }
            409 if self.may_be_refused(answer.text("/error/code")) => {
                answered.refused = Some(answer.text("/error/code").to_owned());
                Outcome::Fail
            }
            400..=499 => {
                answered.odd = Some(answer.text("/error/code").to_owned());
                Outcome::Fail
            }
            _ => {
                answered.odd = Some(answer.body.to_string());
                Outcome::Info
            }
        };
        (outcome, answered)
    }

    fn see(&self, body: &Value) -> Seen {
        let text = |value: &Value, pointer: &str| {
            value.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        let list =
            |pointer: &str| body.pointer(pointer).and_then(Value::as_array).cloned().unwrap_or_default();
        match self {
            Self::Pay { .. } | Self::Comment { .. } | Self::Prove { .. } => Seen::Nothing,
            Self::Desk(step) => step.see(body),
            Self::Get { .. } => Seen::Transaction {
                amount: minor(&body["amount"]["amount"]),
                timeline: list("/timeline").iter().map(|step| text(step, "/status")).collect(),
                status: text(body, "/recent_status/status"),
            },
            Self::Node { node, .. } => {
                Seen::Balances { of: vec![(node.clone(), minor(&body["info"]["balance"]["amount"]))] }
            }
            Self::Available { node, .. } => {
                Seen::Balances { of: vec![(node.clone(), minor(&body["available"]))] }
            }
            Self::Nodes { .. } => {
                let balance = |node: &Value| (text(node, "/_id"), minor(&node["info"]["balance"]["amount"]));
                Seen::Balances { of: list("/nodes").iter().map(balance).collect() }
            }
            Self::Page { .. } | Self::List { .. } => Seen::Page {
                ids: list("/trans").iter().map(|one| text(one, "/_id")).collect(),
                total: body["trans_count"].as_u64().unwrap_or_default(),
            },
        }
    }
}

fn fees(fee: i64, node: &str) -> Value {
    json!([{"fee": decimal(fee), "note": "fee", "to": {"id": node}}])
}
