//! Statements: each line clears an open item or is posted to suspense.

use daybook_domain::States;
use daybook_domain::calendar::Day;
use serde_json::json;

use super::{Desk, names};

/// Returns the current day by the platform's clock.
pub(super) async fn today(desk: &Desk) -> String {
    let engine = &desk.app.service.engine;
    let platform = engine.access().platform_of_client(&desk.app.client.client_id).await.expect("a database");
    let platform = platform.expect("a platform");
    let found =
        engine.reads().aggregates().records(platform.shard, &[platform.id.into()]).await.expect("records");
    Day::of(found.now_of(Some(platform.id), engine.clock().now())).to_string()
}

/// Returns a statement in dollars. A line is its id, amount, reference and description.
pub(super) fn statement(
    day: &str,
    opening: &str,
    closing: &str,
    lines: &[(&str, &str, &str, &str)],
) -> String {
    let lines =
        lines.iter().map(|(id, amount, reference, text)| format!("{id},{amount},{reference},{text}\n"));
    format!(
        "date,opening_balance,closing_balance,currency\n{day},{opening},{closing},USD\n\
         line_id,amount,reference,description\n{}",
        lines.collect::<String>()
    )
}

/// Credits a new node from outside and returns the id of the transaction, which is not yet confirmed.
async fn credit(desk: &Desk, amount: &str) -> String {
    let node = desk.us.node("DEPOSIT-US").await;
    let made = desk.app.client.credit(&node, amount).await.ok();
    made["_id"].as_str().expect("an id").to_owned()
}

#[tokio::test]
async fn statement_lines_clear_items_or_enter_suspense() {
    let desk = Desk::new().await;
    let (whole, part) = (credit(&desk, "40").await, credit(&desk, "60").await);
    let open = desk.get("open-items").await.ok();
    // The first credit of the reserve is also open.
    assert_eq!(open["open_item_count"], 3, "{open}");
    let lines = [
        ("a", "40.00", whole.as_str(), "in"),
        ("b", "25.00", part.as_str(), "in"),
        ("c", "7.00", "", "nobody knows"),
        ("d", "-2.50", "000000000000001", "a fee?"),
    ];
    let text = statement(&today(&desk).await, "0.00", "69.50", &lines);
    let before = desk.head().await;
    let answer = desk.send("statements", &text).await;
    let booked = &answer.ok()["statements"][0];
    let told: Vec<_> = names(&desk.since(before).await);
    // The file, and its lines.
    let kept = ["evidence.opened", "attachment.added", "attachment.added"];
    let accepted = ["statement.accepted", "custody.statement_accepted"];
    let cleared = ["statement.lines_booked", "transaction.cleared", "transaction.cleared"];
    let suspended = ["break.opened", "break.opened", "custody.statement_completed"];
    assert_eq!(told, [&kept[..], &accepted, &cleared, &suspended].concat());
    assert_eq!((&booked["line_count"], &booked["booked_line_count"]), (&json!(4), &json!(4)));
    let explains = json!({"trans_id": whole, "account": "rail.in.ach", "still_open": 0.0});
    assert_eq!(
        (&booked["lines"][0]["explains"], &booked["lines"][0]["suspense"]),
        (&explains, &json!(false))
    );
    let explains = json!({"trans_id": part, "account": "rail.in.ach", "still_open": 35.0});
    assert_eq!(booked["lines"][1]["explains"], explains);
    for line in [2, 3] {
        let line = &booked["lines"][line];
        assert_eq!((&line["explains"], &line["suspense"]), (&json!(null), &json!(true)), "{line}");
    }
    assert_eq!(answer.raw("statements.0.suspense"), "4.50");

    let open = desk.get("open-items").await.ok();
    let left =
        open["open_items"].as_array().expect("a list").iter().find(|item| item["trans_id"] == json!(part));
    let left = left.expect("a part is open");
    assert_eq!((&left["amount"]["amount"], &left["age_days"]), (&json!(35.0), &json!(0)));
    assert_eq!(open["open_item_count"], 2);

    let custody = desk.get("custody").await;
    assert_eq!(custody.raw("identities.0.assets.bank"), "69.50");
    assert_eq!(custody.raw("identities.0.liabilities.suspense"), "4.50");
    assert_eq!(custody.raw("identities.0.difference"), "0.00");
}

#[tokio::test]
async fn statement_must_continue_previous_and_books_once() {
    let desk = Desk::new().await;
    let day = today(&desk).await;
    let before = desk.head().await;
    let lines = [("a", "5.00", "", "")];
    let opening = desk.send("statements", &statement(&day, "1.00", "6.00", &lines)).await.refused(409, "400");
    assert_eq!(opening["code"], "statement_opening");
    let closing = desk.send("statements", &statement(&day, "0.00", "6.00", &lines)).await.refused(400, "200");
    let text = "file line 2, balances, closing_balance: expected 5.00, the opening balance and the lines, found \"6.00\".";
    assert_eq!(closing["en"], text);
    let malformed = desk.send("statements", "date\n").await.refused(400, "200");
    assert!(malformed["en"].as_str().is_some_and(|text| text.starts_with("file line 1, ")), "{malformed}");
    assert_eq!(desk.head().await, before);

    let right = statement(&day, "0.00", "5.00", &lines);
    let booked = desk.post(&desk.ada, "statements", &json!({"file": right})).await;
    assert_eq!(booked.ok()["statements"][0]["date"], json!(day));
    assert_eq!(booked.raw("statements.0.closing_balance"), "5.00");
    let before = desk.head().await;
    let again = desk.send("statements", &right).await.ok();
    assert_eq!((&again["repeated"], &again["statements"]), (&json!(true), &booked.ok()["statements"]));
    let other = statement(&day, "5.00", "5.00", &[("b", "0.00", "", "")]);
    let other = desk.send("statements", &other).await.refused(409, "400");
    assert_eq!(other["code"], "statement_booked");
    assert_eq!(desk.head().await, before);
}
