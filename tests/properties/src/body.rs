//! Bodies of requests. Input: the name of the call on a line, then the body.

use actix_web::web::Bytes;
use daybook_api::ApiError;
use daybook_api::body::Body;
use daybook_api::wire::node::{CreateNode, UpdateNode};
use daybook_api::wire::oauth::ObtainKey;
use daybook_api::wire::ops::operate::Operate;
use daybook_api::wire::subnet::{CreateSubnet, UpdateSubnet};
use daybook_api::wire::subscription::{ChangeSubscription, CreateSubscription};
use daybook_api::wire::transaction::{
    Comment, CreateTransaction, CreateTransactions, Idempotency, Queue, Receive, Return,
};
use daybook_api::wire::user::{CreateUser, Ids, UpdateUser};
use daybook_api::wire::verification::{VerifyAddress, VerifyRoutingNumber};
use daybook_domain::Timestamp;
use daybook_domain::calendar::Day;
use serde_json::Value;

use crate::chosen;

/// Text that no error message contains. A message with it would repeat a part of the request.
const CANARY: &str = "ZQXJ";
/// Maximum depth of nesting that is accepted.
const DEEPEST: usize = 128;

/// Function that parses a body, as a route does.
type Way = fn(&Body) -> Result<(), ApiError>;

const WAYS: [(&str, Way); 19] = [
    ("users.create", |body| body.json::<CreateUser>()?.parse(&mut ids()).map(drop)),
    ("users.update", |body| body.json::<UpdateUser>()?.parse().map(drop)),
    ("nodes.create", |body| CreateNode::read(body).map(drop)),
    ("nodes.update", |body| body.json::<UpdateNode>()?.parse(false).map(drop)),
    ("trans.create", |body| body.json::<CreateTransaction>()?.parse().map(drop)),
    ("trans.create_batch", |body| body.json::<CreateTransactions>()?.parse().map(drop)),
    ("trans.idempotency", |body| body.json::<Idempotency>().map(drop)),
    ("trans.comment", |body| body.json::<Comment>()?.parse().map(drop)),
    ("sandbox.queue", |body| body.json::<Queue>()?.parse().map(drop)),
    ("sandbox.return", |body| body.json::<Return>()?.parse().map(drop)),
    ("sandbox.credit", |body| body.json::<Receive>()?.parse().map(drop)),
    ("subnets.create", |body| body.json::<CreateSubnet>()?.parse().map(drop)),
    ("subnets.update", |body| body.json::<UpdateSubnet>()?.parse().map(drop)),
    ("subscriptions.create", |body| body.json::<CreateSubscription>()?.parse(true).map(drop)),
    ("subscriptions.change", |body| body.json::<ChangeSubscription>()?.parse(false).map(drop)),
    ("oauth.create", |body| body.json::<ObtainKey>()?.parse().map(drop)),
    ("ops.operations.create", |body| body.json::<Operate>()?.parse().map(drop)),
    ("verification.address", |body| body.json::<VerifyAddress>()?.parse().map(drop)),
    ("verification.routing_number", |body| body.json::<VerifyRoutingNumber>()?.parse().map(drop)),
];

/// Checks that no parser panics, no error repeats the request, and no deeply nested body is accepted.
///
/// # Panics
///
/// Panics if the property is violated.
pub fn holds(data: &[u8]) {
    let Some((name, text)) = chosen(data) else { return };
    let body = Body::from(Bytes::copy_from_slice(text));
    let way = WAYS.into_iter().find(|(known, _)| *known == name);
    if let Some(Err(error)) = way.map(|(_, way)| way(&body)) {
        let said = error.to_string();
        assert!(!said.contains(CANARY), "{said}");
    }
    if let Ok(value) = body.json::<Value>() {
        assert!(value.is_object() || !matches!(value, Value::Array(_)));
        assert!(depth(&value) <= DEEPEST);
    }
}

fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or_default(),
        Value::Object(fields) => 1 + fields.values().map(depth).max().unwrap_or_default(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

fn ids<'a>() -> Ids<'a> {
    Ids { document: Box::new(|| [0; 32]), attachment: Box::new(|| 0), today: Day::of(Timestamp::from_ms(0)) }
}
