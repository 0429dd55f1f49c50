//! Acts of an operator on lines in suspense: matches them, takes matches back, sets rules, and reads.

use daybook_random::Random;
use serde_json::{Value, json};

use super::seat::Seat;
use crate::cents::{decimal, minor};

/// Makes one act. `matched` are the lines that the operator matched.
pub(super) async fn act(seat: &mut Seat<'_>, house: &str, matched: &mut Vec<String>, random: &mut Random) {
    match random.below_u64(100) {
        0..45 => match_line(seat, house, matched, random).await,
        45..65 if !matched.is_empty() => {
            let id = random.pick(matched).clone();
            let number = random.below_u64(2);
            seat.act(json!({"kind": "unmatch", "break_id": id, "match": number})).await;
        }
        65..80 => {
            seat.set_rules(rules(house, random)).await;
        }
        80..90 => {
            seat.list("statements", "statements").await;
        }
        _ => {
            seat.read("reconciliation").await;
        }
    }
}

/// Matches a line with an open item, or with the node `house`, wholly or in part. Operators look at the same few lines and
/// items, so that some of their acts exclude each other.
async fn match_line(seat: &mut Seat<'_>, house: &str, matched: &mut Vec<String>, random: &mut Random) {
    let mut breaks = seat.list("breaks", "breaks").await;
    // The list may be older than its rows: a line may have been matched meanwhile.
    breaks.retain(|row| minor(&row["left"]) != 0);
    if breaks.is_empty() {
        return;
    }
    let chosen = random.pick(&breaks).clone();
    let left = minor(&chosen["left"]);
    let open = seat.list("open-items", "open_items").await;
    let fits = |item: &&Value| {
        let amount = minor(&item["amount"]["amount"]);
        amount.signum() == left.signum() && amount.abs() <= left.abs()
    };
    let fitting: Vec<&Value> = open.iter().filter(fits).collect();
    let mut act = json!({"kind": "match", "break_id": chosen["_id"], "currency": "USD"});
    if fitting.is_empty() || random.percent(30) {
        let amount = if random.percent(50) || left.abs() < 2 { left } else { left / 2 };
        act["posts"] = json!([{"node_id": house, "amount": decimal(amount)}]);
    } else {
        let item = random.pick(&fitting);
        act["items"] = json!([{"trans_id": item["trans_id"], "account": item["account"],
            "amount": item["amount"]["amount"]}]);
    }
    if seat.act(act).await.done().is_some() {
        matched.extend(chosen["_id"].as_str().map(str::to_owned));
    }
}

/// Returns one of three sets of rules.
fn rules(house: &str, random: &mut Random) -> Value {
    let book = json!({"name": "fees", "strategy": "book", "text": "FEE", "currency": "USD", "node_id": house,
        "per_line": 100, "per_day": 10_000});
    let [reference, file, returns, group] = ["reference", "file", "returns", "group"]
        .map(|strategy| json!({"name": strategy, "strategy": strategy}));
    let amount = json!({"name": "amount", "strategy": "amount", "days": 30});
    match random.below(3) {
        0 => json!([reference, file, returns, amount]),
        1 => json!([file, book, amount, group]),
        _ => json!([reference, file, group]),
    }
}

/// Returns rules that match every kind of line.
pub(super) fn last_rules() -> Value {
    json!([{"name": "reference", "strategy": "reference"}, {"name": "file", "strategy": "file"},
        {"name": "amount", "strategy": "amount", "days": 30}])
}
