//! Days that the bank states anew: their lines are taken back, and those of the new file are booked.

use std::time::Duration;

use daybook_tests::app::PUBLIC_KEY;
use daybook_tests::http::Answer;
use daybook_tests::{process, shard};
use futures::future::join_all;
use serde_json::{Value, json};

use super::bank_files::{ACCOUNT, all_are_booked, at_the_bank, credit, file, today_of};
use super::{Desk, names};

/// Hands in a file that states days anew.
async fn restate(desk: &Desk, text: &str) -> Answer {
    let body = json!({"file": text, "restate": "The bank had left out a line."});
    desk.post(&desk.ada, "statements", &body).await
}

/// Returns a file of today in US dollars with these lines.
async fn of_today(desk: &Desk, lines: &[(i64, &str)]) -> String {
    let lines = lines.iter().map(|(amount, reference)| (*amount, (*reference).to_owned())).collect();
    file(ACCOUNT, today_of(desk).await, &[("USD", lines)])
}

async fn has_open_item(desk: &Desk, id: &str) -> bool {
    let open = desk.get("open-items").await.ok();
    open["open_items"].as_array().expect("a list").iter().any(|item| item["trans_id"] == id)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn restated_day_is_booked_anew() {
    let desk = Desk::new().await;
    let paid = credit(&desk, "40").await;
    let first = of_today(&desk, &[(4_000, &paid), (-250, "FEE")]).await;
    let old = desk.send("statements", &first).await.ok()["statements"][0]["_id"].clone();
    assert!(!has_open_item(&desk, &paid).await);
    let second = of_today(&desk, &[(3_000, "NOBODY"), (-100, "FEE")]).await;
    let refused = desk.send("statements", &second).await.refused(409, "400");
    assert_eq!(refused["code"], "statement_booked");
    let before = desk.head().await;
    let taken = restate(&desk, &second).await.ok();
    let new = &taken["statements"][0];
    assert_eq!((&new["replaces"], &new["booked_line_count"]), (&old, &json!(2)), "{taken}");
    let expected = [
        "operation.requested",
        "statement.replaced",
        "statement.accepted",
        "custody.statement_accepted",
        "statement.lines_taken_back",
        "transaction.reopened",
        "break.withdrawn",
        "custody.statement_completed",
        "statement.lines_booked",
        "break.opened",
        "break.opened",
        "custody.statement_completed",
    ];
    let recorded = desk.since(before).await;
    let recorded: Vec<_> = names(&recorded).into_iter().filter(|name| *name != "attachment.added").collect();
    assert_eq!(recorded, expected);
    assert!(has_open_item(&desk, &paid).await);
    assert_eq!(at_the_bank(&desk, "USD").await, json!(29.0));
    let listed = desk.get("statements").await.ok();
    let of_old = |one: &&Value| one["_id"] == old;
    let replaced = listed["statements"].as_array().expect("a list").iter().find(of_old).expect("is listed");
    assert_eq!((&replaced["replaced_by"], &replaced["booked_line_count"]), (&new["_id"], &json!(0)));
    let operations = desk.get("operations").await.ok();
    assert_eq!(operations["operations"][0]["act"]["kind"], "restate", "{operations}");
    let head = desk.head().await;
    assert_eq!(restate(&desk, &second).await.ok()["repeated"], json!(true));
    assert_eq!(desk.head().await, head);
    // The bank returns to its first file.
    restate(&desk, &first).await.ok();
    assert!(!has_open_item(&desk, &paid).await);
    assert_eq!(at_the_bank(&desk, "USD").await, json!(37.5));
    let on = desk.app.database.options();
    for command in [&["log", "verify", "--key", PUBLIC_KEY][..], &["reconcile", "replay"]] {
        let said = process::run_on(&on, command);
        assert!(said.status.success(), "{command:?}: {said:?}");
    }
}

#[tokio::test]
async fn restatement_waits_for_second_operators_approval() {
    let desk = Desk::new().await;
    desk.approvals(&json!(["set_policy", "restate"])).await;
    desk.send("statements", &of_today(&desk, &[(500, "A")]).await).await.ok();
    let text = of_today(&desk, &[(700, "B")]).await;
    let asked = restate(&desk, &text).await.ok();
    assert_eq!(asked["statements"], json!([]), "{asked}");
    assert_eq!(at_the_bank(&desk, "USD").await, json!(5.0));
    let id = asked["operation_id"].as_str().expect("an operation");
    desk.post(&desk.bob, &format!("operations/{id}/approve"), &json!({})).await.ok();
    all_are_booked(&desk, 2).await;
    assert_eq!(at_the_bank(&desk, "USD").await, json!(7.0));
}

#[tokio::test]
async fn concurrent_restatements_replace_a_day_once() {
    let desk = Desk::new().await;
    let old: Vec<_> = (1..=1_200).map(|cents| (cents, "A")).collect();
    desk.send("statements", &of_today(&desk, &old).await).await.ok();
    all_are_booked(&desk, 1).await;
    let new: Vec<_> = (1..=700).map(|cents| (cents, "B")).collect();
    let text = of_today(&desk, &new).await;
    let answers = join_all((0..4).map(|_| restate(&desk, &text))).await;
    let is_fine = |answer: &Answer| answer.status == 200 || answer.status == 409;
    assert!(answers.iter().all(is_fine), "{answers:?}");
    all_are_booked(&desk, 2).await;
    assert_eq!(at_the_bank(&desk, "USD").await, json!(2453.5));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn restatement_waits_for_list_of_statements() {
    let desk = Desk::new().await;
    let (first, second) = (of_today(&desk, &[(500, "A")]).await, of_today(&desk, &[(700, "B")]).await);
    // The projector cannot go on, so that the list lacks the first statement.
    let mut holder = desk.app.database.pg().of(shard()).dedicated().await.expect("connects");
    let held = holder.transaction().await.expect("begins");
    held.batch_execute("select from cursor where name = 'reads' for update").await.expect("is held");
    // The matching rules run after the statement is listed, so that nothing waits for them.
    desk.ada.call("POST", &desk.path("statements")).json(&json!({"file": first})).send().await.ok();
    let release = async {
        tokio::time::sleep(Duration::from_millis(700)).await;
        held.rollback().await.expect("is given back");
    };
    let (restated, ()) = tokio::join!(restate(&desk, &second), release);
    assert_eq!(restated.ok()["statements"][0]["booked_line_count"], json!(1));
    assert_eq!(at_the_bank(&desk, "USD").await, json!(7.0));
}

/// Each call takes the matches of the old lines back, and only one of them finds a match. An accepted file is not refused for
/// that, nor because the list of statements does not have it yet.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_restatements_take_matches_back_once() {
    let desk = Desk::new().await;
    let house = desk.us.funded("100").await;
    let mut text = of_today(&desk, &[(-100, "A"), (-200, "B"), (-300, "C")]).await;
    desk.send("statements", &text).await.ok();
    for round in 0..8 {
        for line in super::breaks::breaks(&desk).await {
            let posts = json!([{"node_id": house, "amount": line["left"]}]);
            let act = json!({"kind": "match", "break_id": line["_id"], "currency": "USD", "posts": posts});
            desk.act(&act).await.ok();
        }
        text = of_today(&desk, &[(-100, "A"), (-200, "B"), (-301 - round, "C")]).await;
        let answers = join_all((0..6).map(|_| restate(&desk, &text))).await;
        assert!(answers.iter().any(|answer| answer.status == 200), "{answers:?}");
        for answer in answers.iter().filter(|answer| answer.status != 200) {
            assert_eq!(answer.refused(409, "400")["code"], "statement_booking");
        }
        all_are_booked(&desk, usize::try_from(round).expect("a few") + 2).await;
    }
    assert_eq!(at_the_bank(&desk, "USD").await, json!(-6.08));
    super::breaks::verify(&desk);
}

#[tokio::test]
async fn unfit_restatement_records_nothing() {
    let desk = Desk::new().await;
    desk.send("statements", &of_today(&desk, &[(500, "A")]).await).await.ok();
    let before = desk.head().await;
    // A reason is needed, and an account of the platform.
    let text = of_today(&desk, &[(700, "B")]).await;
    let body = json!({"file": text, "restate": "  "});
    desk.post(&desk.ada, "statements", &body).await.refused(400, "200");
    let other = text.replace(ACCOUNT, "4711");
    restate(&desk, &other).await.refused(400, "200");
    // The day opens with another balance than before.
    let moved = text.replace("010,0,", "010,100,");
    assert_ne!(moved, text);
    restate(&desk, &moved).await.refused(400, "200");
    assert_eq!(desk.head().await, before);
}
