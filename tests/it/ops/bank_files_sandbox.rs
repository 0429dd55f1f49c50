//! Files of the sandbox's bank: written for the current day in each format, and read back by the intake.

use daybook_domain::statement::accept::{AcceptStatements, StatedDay, StatedFile};
use daybook_domain::{Actor, Currency, Origin, StatementId};
use daybook_engine::Call;
use daybook_tests::client::{Client, until};
use daybook_tests::http::Answer;
use daybook_tests::shard;
use serde_json::{Value, json};

use super::Desk;
use super::bank_files::today_of;

const PATH: &str = "/sandbox/bank/statement";
/// Two days, after which the bank has stated the day after the current one by itself.
const TWO_DAYS_S: i64 = 2 * 24 * 60 * 60;

async fn ask(client: &Client, body: &Value) -> Answer {
    client.call("POST", PATH).json(body).send().await
}

/// A desk with open items that stay as they are: pulls and micro-deposits in ACH files, and credits without a file. The
/// bank has stated no item of them yet.
async fn practising() -> (Desk, Vec<Value>) {
    let desk = Desk::new().await;
    let _ = desk.app.client.noon(0).await;
    let (bank, here) = (desk.us.bank().await, desk.us.funded("40").await);
    for amount in ["25", "17.5"] {
        let _ = desk.us.sent(&bank, &here, amount).await;
    }
    let _ = desk.app.client.advance(1_800).await.ok();
    let _ = desk.us.ended().await;
    let items = open(&desk).await;
    (desk, items)
}

async fn open(desk: &Desk) -> Vec<Value> {
    let listed = desk.get("open-items?per_page=100").await.ok();
    listed["open_items"].as_array().expect("a list").clone()
}

/// Balance of the account at the bank, as the ledger has it.
async fn at_the_bank(desk: &Desk) -> String {
    desk.get("custody").await.raw("identities.0.assets.bank")
}

/// Number of files with their entries.
async fn files(desk: &Desk) -> (usize, u64) {
    let listed = desk.get("files").await.ok();
    let files = listed["files"].as_array().expect("a list");
    (files.len(), files.iter().map(|file| file["entries"].as_u64().expect("a number")).sum())
}

/// Transaction and account of an item, as text.
fn named(item: &Value) -> String {
    format!("{} {}", item["trans_id"], item["account"])
}

#[tokio::test]
async fn every_format_clears_the_same_items() {
    for (format, version) in
        [("bai2", "bai2"), ("camt", "camt.053.001.08"), ("mt940", "mt940"), ("csv", "csv")]
    {
        let (desk, items) = practising().await;
        let plain = ask(&desk.app.client, &json!({"format": format})).await;
        assert_eq!(plain.ok()["line_count"], json!(items.len()), "{format}");
        let before = desk.head().await;
        let answer = ask(&desk.app.client, &json!({"format": format, "take": true})).await;
        assert!(desk.head().await > before);
        let (file, plain) = (answer.ok(), plain.ok());
        // A file that is only written is the file that is taken in.
        assert_eq!((&file["file"], &plain["taken"]), (&plain["file"], &json!(null)));
        assert_eq!((&file["format"], &file["taken"]["format"]), (&json!(version), &json!(version)));
        let taken = &file["taken"]["statements"][0];
        assert_eq!((&taken["date"], &taken["line_count"]), (&file["date"], &json!(items.len())));
        let lines = taken["lines"].as_array().expect("a list");
        let explained: Vec<_> = lines.iter().map(|line| named(&line["explains"])).collect();
        assert_eq!(explained, items.iter().map(named).collect::<Vec<_>>(), "{format}");
        assert_eq!(open(&desk).await, Vec::<Value>::new());
        assert_eq!(answer.raw("taken.statements.0.suspense"), "0.00");
        assert_eq!(at_the_bank(&desk).await, answer.raw("closing_balance"));
    }
}

/// The entries of a file are stated together. Such a line is in suspense until the rules have matched it, and the bank
/// states none of the entries again: not by itself, and not in a later file.
#[tokio::test]
async fn file_line_states_its_entries_once() {
    let (desk, items) = practising().await;
    let (file_count, entries) = files(&desk).await;
    let entries = usize::try_from(entries).expect("a few");
    assert!(file_count > 0 && entries > file_count, "{entries} entries in {file_count} files");
    let each = ask(&desk.app.client, &json!({"format": "bai2"})).await;
    let answer = ask(&desk.app.client, &json!({"format": "bai2", "lines": "file", "take": true})).await;
    let count = file_count + items.len() - entries;
    assert_eq!(answer.ok()["line_count"], json!(count), "{}", answer.ok()["file"]);
    assert_eq!(answer.raw("closing_balance"), each.raw("closing_balance"));
    let lines = answer.ok()["taken"]["statements"][0]["lines"].as_array().expect("a list").clone();
    let suspended = lines.iter().filter(|line| line["suspense"] == json!(true)).count();
    assert_eq!(suspended, file_count);
    until("the rules have matched the files", async || open(&desk).await.is_empty().then_some(())).await;

    let day = answer.ok()["date"].clone();
    assert_eq!(after(&desk, &day).await["line_count"], json!(0));
    assert_eq!(at_the_bank(&desk).await, answer.raw("closing_balance"));

    // The bank corrects itself: the day again from its opening balance, with a line for each of its items.
    let again = ask(&desk.app.client, &json!({"format": "bai2", "restate": day})).await;
    assert_eq!((&again.ok()["line_count"], &again.ok()["date"]), (&json!(items.len()), &day));
    for balance in ["opening_balance", "closing_balance"] {
        assert_eq!(again.raw(balance), answer.raw(balance));
    }
    let text = again.ok()["file"].as_str().expect("text").to_owned();
    let refused = desk.send("statements", &text).await;
    assert!((400..500).contains(&refused.status), "{}", refused.status);
}

/// Returns the bank's statement after the day `stated`, when the bank has stated the day in between by itself.
async fn after(desk: &Desk, stated: &Value) -> Value {
    let _ = desk.app.client.advance(TWO_DAYS_S).await.ok();
    let next = until("the day after is stated", async || {
        let next = ask(&desk.app.client, &json!({"format": "csv"})).await.ok();
        (next["opening_balance"].is_number() && next["date"] != *stated).then_some(next)
    });
    next.await
}

/// A line of a file that no rule matched: its entries are open, and the bank does not state them again, neither in a file
/// nor by itself.
#[tokio::test]
async fn unmatched_file_line_is_stated_once() {
    let (desk, items) = practising().await;
    let rules = json!([{"name": "amounts", "strategy": "amount", "rail": "wire"}]);
    let set = desk.act(&json!({"kind": "set_rules", "rules": rules})).await.ok();
    assert_eq!(set["status"], "DONE");
    let answer = ask(&desk.app.client, &json!({"format": "bai2", "lines": "file", "take": true})).await;
    let (file_count, entries) = files(&desk).await;
    let lines = answer.ok()["line_count"].as_u64().expect("a number");
    assert_eq!(lines + entries, (file_count + items.len()) as u64);
    desk.rules_have_run().await;
    let (left, bank) = (open(&desk).await.len(), at_the_bank(&desk).await);
    assert_eq!((left as u64, &bank), (entries, &answer.raw("closing_balance")));

    let next = after(&desk, &answer.ok()["date"]).await;
    assert_eq!(next["line_count"], json!(0));
    assert_eq!((open(&desk).await.len(), at_the_bank(&desk).await), (left, bank));
}

/// Items of lines that are not booked yet look open. No process can book the lines of this statement, which nothing keeps.
#[tokio::test]
async fn bank_waits_until_lines_are_booked() {
    let desk = Desk::new().await;
    let engine = &desk.app.service.engine;
    let platform = engine.access().platform_of_client(&desk.app.client.client_id).await.expect("reads");
    let id = platform.expect("a platform").id;
    let custody = engine.custody_of(shard(), id).await.expect("reads").expect("has a bank");
    let statement = StatedDay {
        id: StatementId::from_u128(0x8000),
        currency: Currency::USD,
        day: today_of(&desk).await,
        opening: 0,
        closing: 100,
        lines: 1,
        replaces: None,
    };
    let file =
        StatedFile { statements: vec![statement], format: "bai2".into(), hash: "00".repeat(32), bytes: 1 };
    let accept = AcceptStatements { custody, file, origin: Origin::of(Actor::Bank) };
    let done = engine.submit(Call::of(shard()), accept).await.expect("accepted");
    assert!(!done.events.is_empty());
    for currency in ["USD", "EUR"] {
        let body = json!({"format": "bai2", "currency": currency});
        let refused = ask(&desk.app.client, &body).await.refused(409, "400");
        assert_eq!(refused["code"], "statement_booking", "{currency}");
    }
}

/// The newest item is late; the fee, and the same fee once more, explain nothing.
#[tokio::test]
async fn late_item_comes_in_next_statement() {
    let (desk, items) = practising().await;
    let whole = ask(&desk.app.client, &json!({"format": "mt940"})).await;
    let body = json!({"format": "mt940", "late": 1, "fee": 12.5, "doubled": true, "take": true});
    let answer = ask(&desk.app.client, &body).await;
    assert_eq!(answer.ok()["line_count"], json!(items.len() + 1));
    assert_eq!(answer.raw("taken.statements.0.suspense"), "-25.00");
    let left: Vec<_> = open(&desk).await.iter().map(named).collect();
    assert_eq!(left, items.last().map(named).into_iter().collect::<Vec<_>>());
    let _ = desk.app.client.advance(TWO_DAYS_S).await.ok();
    until("the bank has stated the late item", async || open(&desk).await.is_empty().then_some(())).await;
    let sum = |text: String| text.replace('.', "").parse::<i64>().expect("cents");
    assert_eq!(sum(at_the_bank(&desk).await), sum(whole.raw("closing_balance")) - 2_500);
}

#[tokio::test]
async fn day_is_stated_once_per_currency() {
    let (desk, _) = practising().await;
    // Open items in dollars are none of another currency.
    let euros = ask(&desk.app.client, &json!({"format": "camt", "currency": "EUR"})).await.ok();
    assert_eq!((&euros["line_count"], &euros["currency"]), (&json!(0), &json!("EUR")));
    let body = json!({"format": "camt", "doubled": true, "take": true});
    let first = ask(&desk.app.client, &body).await.ok();
    let lines = first["taken"]["statements"][0]["lines"].as_array().expect("a list");
    let suspended: Vec<_> = lines.iter().map(|line| line["suspense"] == json!(true)).collect();
    assert_eq!(suspended.iter().filter(|is_so| **is_so).count(), 1);
    assert_eq!((lines.len(), suspended.last()), (suspended.len(), Some(&true)));
    let again = ask(&desk.app.client, &body).await.refused(409, "400");
    assert_eq!(again["code"], "statement_booked");
    let euros = ask(&desk.app.client, &json!({"format": "camt", "currency": "EUR"})).await.ok();
    assert_eq!((&euros["line_count"], &euros["currency"]), (&json!(0), &json!("EUR")));
}

#[tokio::test]
async fn dry_run_takes_no_file_in() {
    let (desk, items) = practising().await;
    let before = desk.head().await;
    let call = desk.app.client.call("POST", &format!("{PATH}?dry_run=true"));
    let answer = call.json(&json!({"format": "bai2", "take": true})).send().await.ok();
    assert_eq!(answer["taken"]["statements"][0]["line_count"], json!(items.len()));
    assert_eq!((desk.head().await, open(&desk).await.len()), (before, items.len()));
}

#[tokio::test]
async fn only_sandbox_platform_asks_its_bank() {
    let (desk, items) = practising().await;
    let body = json!({"format": "csv"});
    desk.app.client.anonymous("POST", PATH).json(&body).send().await.refused(401, "100");
    desk.us.call_at("POST", PATH).json(&body).send().await.refused(401, "100");
    let wrong = Client { client_secret: "client_secret_wrong".to_owned(), ..desk.app.client.clone() };
    ask(&wrong, &body).await.refused(401, "100");
    ask(&desk.app.platform("Production", false).await, &body).await.refused(404, "404");
    // Another sandbox has a bank account of its own.
    let other = ask(&desk.app.platform("Other", true).await, &body).await.ok();
    let text = other["file"].as_str().expect("text");
    for item in &items {
        assert!(!text.contains(item["trans_id"].as_str().expect("an id")), "{text}");
    }
}

#[tokio::test]
async fn invalid_requirement_names_its_field() {
    let desk = Desk::new().await;
    for (field, value) in [
        ("format", json!("auto")),
        ("format", json!(null)),
        ("currency", json!("usd")),
        ("lines", json!("item")),
        ("late", json!(-1)),
        ("late", json!(5_001)),
        ("late", json!(1.5)),
        ("fee", json!(0)),
        ("fee", json!(0.001)),
        ("fee", json!("1")),
        ("doubled", json!("yes")),
        ("take", json!(1)),
        ("restate", json!("2026-02-30")),
        // No file stated this day.
        ("restate", json!("2026-01-31")),
    ] {
        let mut body = json!({"format": "csv"});
        body[field] = value.clone();
        let refused = ask(&desk.app.client, &body).await.refused(400, "200");
        assert_eq!(refused["field"], field, "{value}: {refused}");
    }
}
