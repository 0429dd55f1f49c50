//! A file of payments both ways that the bank states as one line with its net, from the cut to the tie-out.

use std::collections::BTreeSet;

use daybook_domain::{Event, breaks as line_breaks};
use daybook_tests::bodies::transfer_to;
use serde_json::{Value, json};

use super::Desk;
use super::bank_files::{ACCOUNT, balance_minor, file_of, statement, today_of};
use super::breaks::{breaks, suspense, verify};
use super::reconciliation::record;

/// Seconds after which the credit step of a transaction is due, and after which it is settled.
const CREDIT_DUE_S: i64 = 11 * 60;
const SETTLED_S: i64 = 5 * 60;

/// Takes the next steps of transactions. All of them then wait for the same cut: an entry is due for a file when its credit
/// step is due, and its row is there before.
pub(super) async fn steps(desk: &Desk, ids: &[String], count: usize) {
    for id in ids {
        for _ in 0..count {
            let _ = desk.app.client.simulate(id, "process", &json!({})).await.ok();
        }
    }
}

/// Advances the clock until a file is cut, which has this number of entries, and then until its transactions are settled.
pub(super) async fn cut_by(desk: &Desk, entries: usize) {
    let _ = desk.app.client.advance(CREDIT_DUE_S).await.ok();
    let _ = desk.app.client.advance(SETTLED_S).await.ok();
    let _ = desk.us.ended().await;
    let files = desk.get("files").await.ok();
    let file = files["files"].as_array().and_then(|files| files.last()).expect("a file");
    assert_eq!(file["entries"], json!(entries), "{files}");
}

/// External account, and wallet with money, whose transactions so far are stated.
async fn at_noon(desk: &Desk) -> (String, String) {
    let nodes = (desk.us.bank().await, desk.us.funded("100").await);
    let _ = (desk.app.client.noon(0).await, desk.app.client.noon(0).await);
    nodes
}

/// Pulls 25.00 and 17.50 and pushes 12.00, in one file that is sent. Returns the id of the pull of 17.50.
async fn sent_file(desk: &Desk, (bank, wallet): &(String, String)) -> String {
    let pulls = [desk.us.sent(bank, wallet, "25").await, desk.us.sent(bank, wallet, "17.50").await];
    let pushed = desk.us.transfer(wallet, &transfer_to("ACH-US", bank, "12")).send().await.ok();
    let pushes = [pushed["_id"].as_str().expect("an id").to_owned()];
    steps(desk, &pulls, 1).await;
    steps(desk, &pushes, 2).await;
    cut_by(desk, 3).await;
    let [_, last] = pulls;
    last
}

/// Hands in a file of today with one line, which names nothing.
async fn state_net(desk: &Desk, minor: i64) -> Value {
    let mut stated = statement(ACCOUNT, today_of(desk).await, "USD", &[(minor, String::new())]);
    let opening = balance_minor(desk).await;
    (stated.days[0].opening, stated.days[0].closing) = (opening, opening + minor);
    stated.lines[0].references.clear();
    "ACH SETTLEMENT".clone_into(&mut stated.lines[0].text);
    let taken = desk.send("statements", &file_of(vec![stated])).await.ok();
    assert_eq!(taken["statements"][0]["lines"][0]["suspense"], json!(true), "{taken}");
    taken
}

/// Returns strategy and rule of the matches after a position, and the amounts of their items. A transaction has one item in a
/// match, so a pull and its return are in two.
async fn matched_since(desk: &Desk, position: u64) -> (BTreeSet<(&'static str, String)>, Vec<i64>) {
    let (mut rules, mut amounts) = (BTreeSet::new(), vec![]);
    for happened in desk.since(position).await {
        if let Event::Break(line_breaks::Event::Matched(matched)) = happened.event {
            rules.insert((matched.strategy.as_str(), matched.rule.map(|rule| rule.name).unwrap_or_default()));
            amounts.extend(matched.items.iter().map(|item| item.amount));
        }
    }
    amounts.sort_unstable();
    (rules, amounts)
}

/// The built-in rule of whole files.
fn file_rule() -> BTreeSet<(&'static str, String)> {
    BTreeSet::from([("file", "file".to_owned())])
}

/// Checks that nothing is open, nothing is in suspense, and the day ties out.
async fn all_is_explained(desk: &Desk) {
    assert_eq!(breaks(desk).await, Vec::<Value>::new());
    assert_eq!(suspense(desk).await, json!(0.0));
    assert_eq!(desk.get("open-items").await.ok()["open_items"], json!([]));
    let day = today_of(desk).await;
    let report = record(desk, (day, day), 0);
    assert_eq!((&report["tied_out"], &report["open_item_count"]), (&json!(true), &json!(0)), "{report}");
    verify(desk);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn netted_file_is_matched_by_its_net() {
    let desk = Desk::new().await;
    let nodes = at_noon(&desk).await;
    sent_file(&desk, &nodes).await;
    let before = desk.head().await;
    state_net(&desk, 3_050).await;
    assert_eq!(matched_since(&desk, before).await, (file_rule(), vec![-1_200, 1_750, 2_500]));
    all_is_explained(&desk).await;
    desk.app.stop().await;
}

/// The bank takes 17.50 back on the day of the file, and states what is left of the file.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn same_day_return_is_netted_out() {
    let desk = Desk::new().await;
    let nodes = at_noon(&desk).await;
    let pull = sent_file(&desk, &nodes).await;
    let _ = desk.app.client.simulate(&pull, "return", &json!({"code": "R01"})).await.ok();
    let before = desk.head().await;
    state_net(&desk, 1_300).await;
    assert_eq!(matched_since(&desk, before).await, (file_rule(), vec![-1_750, -1_200, 1_750, 2_500]));
    all_is_explained(&desk).await;
    desk.app.stop().await;
}

/// Pulls from persons and from companies are in two batches of one file, and the bank states the first as one line.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn batch_of_file_is_matched_alone() {
    let desk = Desk::new().await;
    let company = desk.account("BUSINESS").await;
    let (person, wallet) = at_noon(&desk).await;
    let mut pulls = vec![];
    for (bank, amount) in [(&person, "25"), (&company, "17.50"), (&person, "5")] {
        pulls.push(desk.us.sent(bank, &wallet, amount).await);
    }
    steps(&desk, &pulls, 1).await;
    cut_by(&desk, 3).await;
    let before = desk.head().await;
    state_net(&desk, 3_000).await;
    assert_eq!(matched_since(&desk, before).await, (file_rule(), vec![500, 2_500]));
    let open = desk.get("open-items").await.ok();
    let rest = &open["open_items"][0]["amount"]["amount"];
    assert_eq!((&open["open_item_count"], rest), (&json!(1), &json!(17.5)), "{open}");
    verify(&desk);
    desk.app.stop().await;
}
