//! Valid bodies in which one property at a time is changed: one body for each alternative of the description.

use daybook_domain::node::NodeKind;
use daybook_tests::bodies;
use serde_json::{Value, json};

use crate::routes::{Route, fill};
use crate::town::Ids;

/// Valid bodies of a route.
pub(super) fn of(route: &Route, ids: &Ids) -> Vec<Value> {
    let id = |name: &str| ids[name].clone();
    match route.name {
        "nodes.create" => nodes(),
        "nodes.update" => {
            vec![
                json!({"micro": [0.1, 0.1]}),
                json!({"nickname": "Savings"}),
                json!({"supp_id": "s-4", "nickname": "x"}),
            ]
        }
        "users.update" => vec![
            read(route, ids),
            json!({"documents": [{"name": "Ada", "virtual_docs": [{"document_type": "SSN"}]}]}),
            json!({"documents": [{"id": "0".repeat(64), "permission_scope": "DELETE_DOCUMENT"}]}),
            json!({"permission": "UNVERIFIED"}),
        ],
        "trans.create" => {
            let mut one_fee = read(route, ids);
            one_fee["fees"] = json!({"fee": 0.01, "note": "For us", "to": {"id": id("fee_id")}});
            let mut list = read(route, ids);
            list["fees"][0]["fee"] = json!(0.01);
            vec![list, one_fee]
        }
        "trans.create_batch" => {
            let mut body = read(route, ids);
            body["transactions"].as_array_mut().expect("a list").truncate(1);
            body["transactions"][0]["extra"]["idempotency_key"] = json!("k1");
            body["transactions"][0]["fees"] = json!([{"fee": 0.01, "to": {"id": id("fee_id")}}]);
            let mut one_fee = body.clone();
            one_fee["transactions"][0]["fees"] = body["transactions"][0]["fees"][0].clone();
            vec![body, one_fee]
        }
        "ops.operations.create" => {
            acts(ids).into_iter().map(|act| json!({"act": act, "reason": "A ticket."})).collect()
        }
        _ => vec![read(route, ids)],
    }
}

/// The body in the table of routes.
fn read(route: &Route, ids: &Ids) -> Value {
    serde_json::from_str(&fill(route.body, ids)).unwrap_or_else(|error| panic!("{}: {error}", route.name))
}

fn nodes() -> Vec<Value> {
    let of_types = NodeKind::ALL.into_iter().filter(|kind| !kind.is_held() || *kind == NodeKind::DepositUs);
    let mut all: Vec<Value> = of_types.map(|kind| bodies::node(kind.as_str())).collect();
    all.push(json!({"type": "ACH-US", "info": {"bank_id": "x", "bank_pw": "x", "bank_name": "fake"}}));
    all.push(json!({"access_token": "x", "mfa_answer": "x"}));
    all
}

/// One operator act of each kind.
fn acts(ids: &Ids) -> Vec<Value> {
    let (trans, node, user) = (&ids["trans_id"], &ids["node_id"], &ids["user_id"]);
    let limits = json!({"USD": {"floor": -1, "daily_in": 1, "daily_out": 1}});
    let lines =
        json!([{"account": format!("node:{node}"), "amount": 1}, {"account": "suspense", "amount": -1}]);
    let policy = json!({
        "reject_unfunded": false, "currencies": ["EUR"], "limits": limits, "approvals": ["queue"],
        "daily_micro_deposits": 5, "written_authorizations": false, "evidence_years": 7,
    });
    let items = json!([{"trans_id": trans, "account": "rail.in.ach", "amount": 1}]);
    let posts = json!([{"node_id": node, "amount": 1}]);
    vec![
        json!({"kind": "queue", "trans_id": trans, "code": "Q10"}),
        json!({"kind": "release", "trans_id": trans}),
        json!({"kind": "return", "trans_id": trans, "code": "R01", "leg": "pull"}),
        json!({"kind": "journal", "currency": "USD", "lines": lines, "effective_at": 1, "clears": items}),
        json!({"kind": "match", "break_id": trans, "currency": "USD", "items": items, "posts": posts}),
        json!({"kind": "unmatch", "break_id": trans, "match": 0}),
        json!({"kind": "set_rules", "rules": rules(node)}),
        json!({"kind": "lock_node", "node_id": node}),
        json!({"kind": "lock_user", "user_id": user}),
        json!({"kind": "set_limits", "node_id": node, "limits": limits}),
        json!({"kind": "set_policy", "policy": policy}),
    ]
}

/// Matching rules with every parameter.
fn rules(node: &str) -> Value {
    json!([
        {"name": "wires", "strategy": "amount", "codes": ["195"], "text": "REF", "currency": "USD", "days": 2,
         "rail": "wire"},
        {"name": "near", "strategy": "tolerance", "of": "wires", "currency": "USD", "difference": 0.05,
         "node_id": node},
        {"name": "fees", "strategy": "book", "codes": ["698"], "currency": "USD", "node_id": node,
         "per_line": 5, "per_day": 9},
        {"name": "similar", "strategy": "suggest", "threshold": 60},
    ])
}
