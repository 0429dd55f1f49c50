//! Returns: a file goes out, and the entries that the bank sends back are matched to their transactions.

use daybook_domain::{Event, Timestamp, transaction};
use daybook_engine::rails::ach::render_returns;
use daybook_engine::rails::bank::{BankPort, SandboxBank};
use daybook_engine::rails::{EntryDirection, Originator};
use daybook_tests::client::until;
use daybook_tests::{bodies, outgoing};
use serde_json::{Value, json};

use super::{Desk, names};

/// The routing number of the sandbox's bank.
pub(super) const OURS: &str = "123456780";

/// Creates a pull of 25.00 that is with the bank. Returns its id, the receiving node, and the number in its trace.
pub(super) async fn pulled(desk: &Desk) -> (String, String, u32) {
    let (bank, to) = (desk.us.bank().await, desk.us.node("DEPOSIT-US").await);
    let made = desk.us.transfer(&bank, &bodies::transfer(&to, "25")).send().await.ok();
    let id = made["_id"].as_str().expect("an id").to_owned();
    // The file is created when the credit is due. The file with the micro-deposits was created before.
    let _ = desk.app.client.advance(600).await.ok();
    let text = until("the pull is in a file", async || {
        let files = desk.get("files").await.ok();
        let file = files["files"].as_array().expect("a list").last()?["_id"].as_str()?.to_owned();
        let text = desk.get(&format!("files/{file}")).await.text();
        text.contains("0000002500").then_some(text)
    })
    .await;
    let entry = text.lines().find(|line| line.starts_with("627") && line.contains("0000002500"));
    let trace = &entry.expect("a pull from a checking account")[79..94];
    assert!(OURS.starts_with(&trace[..8]), "{trace}");
    (id, to, trace[8..].parse().expect("a number"))
}

/// Returns a return file with the number and amount of each entry, in traces of `routing_num`.
pub(super) fn back(routing_num: &str, entries: &[(u32, i64)]) -> String {
    back_with("R01", routing_num, entries)
}

fn back_with(code: &str, routing_num: &str, entries: &[(u32, i64)]) -> String {
    let entry = |&(sequence, amount): &(u32, i64)| {
        outgoing::entry(EntryDirection::Pull, "1232225674134", amount, sequence)
    };
    let entries: Vec<_> = entries.iter().map(entry).collect();
    let code = code.parse().expect("a code");
    let returned: Vec<_> = entries.iter().map(|entry| (entry, code)).collect();
    let originator = Originator { routing_num: routing_num.into(), ..SandboxBank.originator("Sandbox") };
    render_returns(&originator, Timestamp::from_ms(0), &returned).expect("a file")
}

/// Returns the number of transactions returned after `position`. Files may be created in the meantime.
async fn returned_since(desk: &Desk, position: u64) -> usize {
    names(&desk.since(position).await).iter().filter(|name| **name == "transaction.returned").count()
}

pub(super) fn outcomes(answer: &Value) -> Vec<&str> {
    let list = answer["returns"].as_array().expect("a list");
    list.iter().map(|entry| entry["outcome"].as_str().expect("text")).collect()
}

#[tokio::test]
async fn repeated_return_file_returns_transaction_once() {
    let desk = Desk::new().await;
    let (id, to, trace) = pulled(&desk).await;
    let file = back(OURS, &[(trace, 2_500)]);
    let before = desk.head().await;
    let answer = desk.send("files/returns", &file).await.ok();
    assert_eq!(outcomes(&answer), ["returned"], "{answer}");
    assert_eq!((&answer["return_count"], &answer["returns"][0]["trans_id"]), (&json!(1), &json!(id)));
    let events = desk.since(before).await;
    let is_return = |event: &Event| matches!(event, Event::Transaction(transaction::Event::Returned(_)));
    let returned: Vec<_> = events.iter().filter(|happened| is_return(&happened.event)).collect();
    assert_eq!(returned.len(), 1);
    let told: Value =
        serde_json::from_slice(&returned[0].event.encode().expect("encodes").data).expect("JSON");
    assert_eq!((&told["origin"]["by"], &told["code"]), (&json!("bank"), &json!("R01")));
    assert_eq!(desk.us.get_transaction(&to, &id).await.ok()["recent_status"]["status"], "RETURNED");

    let before = desk.head().await;
    let again = desk.post(&desk.bob, "files/returns", &json!({"file": file})).await.ok();
    assert_eq!(outcomes(&again), ["returned_before"], "{again}");
    assert_eq!(returned_since(&desk, before).await, 0);
}

#[tokio::test]
async fn unmatched_return_entries_change_no_transaction() {
    let desk = Desk::new().await;
    let (id, to, trace) = pulled(&desk).await;
    let table = [
        (back(bodies::ROUTING_NUMBER, &[(trace, 2_500)]), vec!["unknown_trace"]),
        (back(OURS, &[(trace, 2_499), (9_999_999, 2_500)]), vec!["other_amount", "unknown_trace"]),
    ];
    let before = desk.head().await;
    for (file, expected) in table {
        let answer = desk.send("files/returns", &file).await.ok();
        assert_eq!(outcomes(&answer), expected, "{answer}");
    }
    assert_eq!(returned_since(&desk, before).await, 0);
    assert_ne!(desk.us.get_transaction(&to, &id).await.ok()["recent_status"]["status"], "RETURNED");
}

/// A notification, a dishonored return, an unknown code and an unreadable record precede a valid return in the file.
#[tokio::test]
async fn unreadable_entries_do_not_block_valid_return() {
    let desk = Desk::new().await;
    let (id, to, trace) = pulled(&desk).await;
    let before: Vec<_> = (1..=4).map(|number| (9_999_990 + number, 100)).collect();
    let file = back(OURS, &[&before[..], &[(trace, 2_500)]].concat());
    let mut lines: Vec<String> = file.lines().map(str::to_owned).collect();
    for (line, column, new) in [(3, 0, "798C03"), (5, 0, "799R68"), (7, 0, "799R98"), (8, 1, "27")] {
        lines[line].replace_range(column..column + new.len(), new);
    }
    let answer = desk.send("files/returns", &lines.join("\n")).await.ok();
    let expected = ["notification_of_change", "dishonored", "unknown_code", "not_understood", "returned"];
    assert_eq!(outcomes(&answer), expected, "{answer}");
    let left: Vec<_> = answer["returns"].as_array().expect("a list")[..4].to_vec();
    assert_eq!(answer["needs_person"], json!(left));
    let text =
        "line 9, entry, transaction code: expected that of a return, such as \"21\" or \"26\", found \"27\"";
    assert_eq!(answer["returns"][3]["text"], text);
    assert_eq!(desk.us.get_transaction(&to, &id).await.ok()["recent_status"]["status"], "RETURNED");
}

#[tokio::test]
async fn return_codes_restrict_the_bank_account() {
    for (code, allowed, note) in [
        ("R02", "LOCKED", "Node locked. R02: Account closed."),
        (
            "R10",
            "CREDIT",
            "Allowed changed to CREDIT. R10: Originator not known or not authorized to debit the account.",
        ),
        (
            "R08",
            "CREDIT-AND-DEBIT",
            "Correct micro deposit amounts attempted. Allowed changed to CREDIT-AND-DEBIT.",
        ),
    ] {
        let desk = Desk::new().await;
        let (id, to, trace) = pulled(&desk).await;
        let answer = desk.send("files/returns", &back_with(code, OURS, &[(trace, 2_500)])).await.ok();
        assert_eq!(outcomes(&answer), ["returned"], "{answer}");
        let pulled = desk.us.get_transaction(&to, &id).await.ok();
        let bank = pulled["from"]["id"].as_str().expect("an id");
        let node = desk.us.get_node(bank).await.ok();
        assert_eq!(node["allowed"], allowed, "{node}");
        let notes = node["timeline"].as_array().expect("a list");
        assert_eq!(notes.last().expect("a note")["note"], note, "{node}");
    }
}

#[tokio::test]
async fn damaged_return_file_is_refused_with_line() {
    let desk = Desk::new().await;
    let (_, _, trace) = pulled(&desk).await;
    let file = back(OURS, &[(trace, 2_500)]);
    let before = desk.head().await;
    let damaged = file.replacen("0000002500", "0000002501", 1);
    let error = desk.send("files/returns", &damaged).await.refused(400, "200");
    assert_eq!(error["field"], "file", "{error}");
    let text = error["en"].as_str().expect("text");
    assert!(text.starts_with("file line ") && text.contains("total"), "{text}");
    let cut: String = file.split_inclusive('\n').take(3).collect();
    desk.send("files/returns", &cut).await.refused(400, "200");
    desk.send("files/returns", "").await.refused(400, "200");
    assert_eq!(returned_since(&desk, before).await, 0);
    desk.get("files/00000000000000000000000001").await.refused(404, "404");
}
