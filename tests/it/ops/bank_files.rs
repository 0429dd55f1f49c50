//! Files of banks with statements: accepted as a whole, once, and booked in the background.

use daybook_domain::Currency;
use daybook_domain::calendar::Day;
use daybook_statement::{BankFile, CodeKind, DayBalances, Line, ReferenceKind, Standing, Statement, bai2};
use daybook_tests::client::until;
use daybook_tests::http::Answer;
use futures::future::join_all;
use serde_json::{Value, json};

use super::Desk;
use super::statements::today;

/// Number of the platform's account at the sandbox's bank.
pub(super) const ACCOUNT: &str = "1000000001";

/// Returns a statement of `day` whose lines have these amounts and references. It is the first one of its account.
pub(super) fn statement(account: &str, day: Day, currency: &str, lines: &[(i64, String)]) -> Statement {
    let line = |(amount, reference): &(i64, String)| Line {
        booking: Some(day),
        booking_from: None,
        value: None,
        amount: *amount,
        booked: true,
        reversal: false,
        codes: vec![(CodeKind::Bai, if *amount < 0 { "455" } else { "142" }.to_owned())],
        references: vec![(ReferenceKind::Customer, reference.clone())],
        return_reason: None,
        text: "A PERSON".to_owned(),
        parts: vec![],
        bytes: 0..0,
    };
    let closing = lines.iter().map(|(amount, _)| amount).sum();
    let balances = DayBalances { date: day, opening: 0, closing, lines: lines.len(), available: None };
    Statement {
        account: account.to_owned(),
        currency: Currency::parse(currency).expect("ISO 4217"),
        standing: Standing::Booked,
        marks: vec![("group_status", "1".to_owned()), ("as_of_modifier", "2".to_owned())],
        days: vec![balances],
        lines: lines.iter().map(line).collect(),
    }
}

/// Returns a file in BAI2 with these statements.
pub(super) fn file_of(statements: Vec<Statement>) -> String {
    bai2::render(&BankFile { format: "bai2".to_owned(), statements })
}

/// Returns a file in BAI2 with a statement of `day` in each currency.
pub(super) fn file(account: &str, day: Day, statements: &[(&str, Vec<(i64, String)>)]) -> String {
    let each = statements.iter().map(|(currency, lines)| statement(account, day, currency, lines));
    file_of(each.collect())
}

pub(super) async fn today_of(desk: &Desk) -> Day {
    today(desk).await.parse().expect("a date")
}

pub(super) async fn credit(desk: &Desk, amount: &str) -> String {
    let node = desk.us.node("DEPOSIT-US").await;
    let made = desk.app.client.credit(&node, amount).await.ok();
    made["_id"].as_str().expect("an id").to_owned()
}

/// Balance of the platform's account at the bank, as the ledger has it.
pub(super) async fn at_the_bank(desk: &Desk, currency: &str) -> Value {
    let custody = desk.get("custody").await.ok();
    let identities = custody["identities"].as_array().expect("a list").iter();
    let of_currency = identities.filter(|identity| identity["currency"] == currency);
    of_currency.map(|identity| identity["assets"]["bank"].clone()).next().expect("has money")
}

/// Balance of the platform's account at the bank in US dollars, in minor units, as the ledger has it.
pub(super) async fn balance_minor(desk: &Desk) -> i64 {
    let custody = desk.get("custody").await;
    custody.raw("identities.0.assets.bank").replace('.', "").parse().expect("US dollars")
}

/// Waits until all lines of this many statements are booked, and those of replaced ones taken back.
pub(super) async fn all_are_booked(desk: &Desk, count: usize) {
    until("all lines are booked", async || {
        let listed = desk.get("statements").await.ok();
        let statements = listed["statements"].as_array().expect("a list");
        let goal =
            |one: &Value| if one["replaced_by"].is_null() { one["line_count"].clone() } else { json!(0) };
        let is_booked = |one: &Value| one["booked_line_count"] == goal(one);
        (statements.len() == count && statements.iter().all(is_booked)).then_some(())
    })
    .await;
}

#[tokio::test]
async fn bai2_file_of_several_currencies_is_booked() {
    let desk = Desk::new().await;
    let paid = credit(&desk, "40").await;
    let today = today_of(&desk).await;
    let statements = [("USD", vec![(4_000, paid.clone())]), ("EUR", vec![(-250, "FEE".to_owned())])];
    let text = file(ACCOUNT, today, &statements);
    let taken = desk.send("statements", &text).await.ok();
    assert_eq!((&taken["format"], &taken["repeated"]), (&json!("bai2"), &json!(false)));
    let of = |index: usize| &taken["statements"][index];
    assert_eq!(of(0)["lines"][0]["explains"]["trans_id"], json!(paid), "{taken}");
    assert_eq!(of(0)["lines"][0]["line_id"], json!(format!("{today}.1")));
    assert_eq!(of(1)["lines"][0]["suspense"], json!(true));
    assert_eq!(at_the_bank(&desk, "USD").await, json!(40.0));
    let before = desk.head().await;
    let again = desk.send("statements", &text).await.ok();
    assert_eq!((&again["repeated"], &again["statements"]), (&json!(true), &taken["statements"]));
    assert_eq!(desk.head().await, before);
    let listed = desk.get("statements").await.ok();
    let booked = |one: &Value| (one["line_count"].clone(), one["booked_line_count"].clone());
    let counts: Vec<_> = listed["statements"].as_array().expect("a list").iter().map(booked).collect();
    assert_eq!(counts, [(json!(1), json!(1)), (json!(1), json!(1))], "{listed}");
}

#[tokio::test]
async fn long_statement_is_booked_by_process() {
    let desk = Desk::new().await;
    let today = today_of(&desk).await;
    let lines: Vec<_> = (1..=1_200).map(|cents| (cents, "NOBODY".to_owned())).collect();
    let taken = desk.send("statements", &file(ACCOUNT, today, &[("USD", lines)])).await.ok();
    assert_eq!(taken["statements"][0]["line_count"], json!(1_200));
    all_are_booked(&desk, 1).await;
    assert_eq!(at_the_bank(&desk, "USD").await, json!(7206.0));
}

#[tokio::test]
async fn file_of_other_account_is_refused() {
    let desk = Desk::new().await;
    let today = today_of(&desk).await;
    let before = desk.head().await;
    let text = file("4711", today, &[("USD", vec![(100, "X".to_owned())])]);
    let refused = desk.send("statements", &text).await.refused(400, "200");
    assert!(refused["en"].as_str().is_some_and(|text| text.contains("the account 4711")), "{refused}");
    let damaged = file(ACCOUNT, today, &[("USD", vec![(100, "X".to_owned())])]).replace("142,100", "142,101");
    let refused = desk.send("statements", &damaged).await.refused(400, "200");
    assert!(refused["en"].as_str().is_some_and(|text| text.starts_with("file line ")), "{refused}");
    assert_eq!(desk.head().await, before);
}

#[tokio::test]
async fn concurrent_uploads_accept_a_file_once() {
    let desk = Desk::new().await;
    let today = today_of(&desk).await;
    let lines: Vec<_> = (1..=600).map(|cents| (cents, "NOBODY".to_owned())).collect();
    let text = file(ACCOUNT, today, &[("USD", lines), ("EUR", vec![(7, "X".to_owned())])]);
    let sends = (0..4).map(|_| desk.send("statements", &text));
    let answers: Vec<Value> = join_all(sends).await.iter().map(Answer::ok).collect();
    let new = answers.iter().filter(|answer| answer["repeated"] == json!(false)).count();
    assert_eq!(new, 1, "{answers:?}");
    all_are_booked(&desk, 2).await;
    assert_eq!(at_the_bank(&desk, "USD").await, json!(1803.0));
    assert_eq!(at_the_bank(&desk, "EUR").await, json!(0.07));
}
