//! One statement in three formats: the matching rules make the same matches of it, and leave the same lines in suspense.

use std::collections::BTreeMap;

use daybook_domain::posting::{LedgerAccount, Postings};
use daybook_domain::{Event, breaks as line_breaks};
use daybook_statement::{BankFile, CodeKind, Line, ReferenceKind, bai2, camt, mt940};
use serde_json::{Value, json};

use super::Desk;
use super::bank_files::{ACCOUNT, balance_minor, credit, statement, today_of};
use super::breaks::{breaks, suspense, verify};
use super::netted_file::{cut_by, steps};

/// Name of a format, and its writer.
type Format = (&'static str, fn(&BankFile) -> String);

const FORMATS: [Format; 3] =
    [("bai2", bai2::render), ("camt.053.001.08", camt::render), ("mt940", mt940::render)];

/// Codes of a deposit, and of a monthly fee: those of BAI2, ISO 20022 and SWIFT.
const DEPOSIT: [&str; 3] = ["195", "PMNT/RCDT/DMCT", "NTRF"];
const FEE: [&str; 3] = ["698", "ACMT/MDOP/CHRG", "NCHG"];

/// Outcome of a statement, without ids: they differ from platform to platform.
#[derive(Debug, PartialEq, Eq)]
struct Outcome {
    /// Account of the item that a line cleared when it was booked.
    booked: Vec<Value>,
    /// Matches, in the order of the amounts of their lines.
    matches: Vec<Matched>,
    /// Amounts of the lines that are left, and their parts in suspense.
    left: Vec<(Value, Value)>,
    suspense: Value,
}

/// A match of a rule.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Matched {
    line: i64,
    strategy: &'static str,
    rule: Option<String>,
    items: Vec<(LedgerAccount, i64)>,
    /// Amounts of nodes.
    posts: Vec<i64>,
}

fn line_of(of: &Line, amount: i64, codes: [&str; 3], references: &[&str], text: &str) -> Line {
    let kinds = [CodeKind::Bai, CodeKind::Iso, CodeKind::Swift];
    let references = references.iter().map(|it| (ReferenceKind::EndToEnd, (*it).to_owned())).collect();
    let codes = std::iter::zip(kinds, codes.map(str::to_owned)).collect();
    Line { amount, codes, references, text: text.to_owned(), ..of.clone() }
}

/// Makes a day of payments, and hands in its statement. Every strategy of a rule finds a line in it; two lines stay.
async fn lived(format: Format) -> Outcome {
    let desk = Desk::new().await;
    let bank = desk.us.bank().await;
    let (here, fees) = (desk.us.node("DEPOSIT-US").await, desk.us.funded("100").await);
    // After the second day everything that was done before is stated.
    let _ = (desk.app.client.noon(0).await, desk.app.client.noon(0).await);
    let mut pulls = vec![];
    for amount in ["25", "17.50", "12"] {
        pulls.push(desk.us.sent(&bank, &here, amount).await);
    }
    steps(&desk, &pulls, 1).await;
    cut_by(&desk, pulls.len()).await;
    let (wired, named) = (credit(&desk, "40").await, credit(&desk, "60").await);
    for amount in ["10", "80", "33", "33"] {
        credit(&desk, amount).await;
    }
    let rules = json!([
        {"name": "wire-text", "strategy": "reference", "text": "OUR REF ([0-9A-Z]{26})"},
        {"name": "files", "strategy": "file"},
        {"name": "fees", "strategy": "book", "codes": FEE, "currency": "USD", "node_id": fees, "per_line": 5,
         "per_day": 8},
        {"name": "amounts", "strategy": "amount"},
        {"name": "near", "strategy": "tolerance", "of": "amounts", "currency": "USD", "difference": 0.05,
         "node_id": fees},
    ]);
    desk.act(&json!({"kind": "set_rules", "rules": rules})).await.ok();

    let (before, opening) = (desk.head().await, balance_minor(&desk).await);
    let mut stated = statement(ACCOUNT, today_of(&desk).await, "USD", &[(0, String::new())]);
    let of = stated.lines.remove(0);
    stated.lines = vec![
        line_of(&of, 5_450, DEPOSIT, &[], "ACH SETTLEMENT"),
        line_of(&of, 4_000, DEPOSIT, &[], &format!("INCOMING OUR REF {wired}")),
        line_of(&of, 6_000, DEPOSIT, &[&named], "A PERSON"),
        line_of(&of, 998, DEPOSIT, &[], "NEARLY"),
        line_of(&of, 8_000, DEPOSIT, &[], "AN AMOUNT"),
        line_of(&of, -250, FEE, &[], "MONTHLY SERVICE FEE"),
        line_of(&of, 3_300, DEPOSIT, &[], "ONE OF TWO"),
        line_of(&of, 777, DEPOSIT, &[], "NOBODY"),
    ];
    let closing = opening + stated.lines.iter().map(|line| line.amount).sum::<i64>();
    let day = &mut stated.days[0];
    (day.opening, day.closing, day.lines) = (opening, closing, stated.lines.len());
    let (name, render) = format;
    let text = render(&BankFile { format: name.to_owned(), statements: vec![stated] });
    let taken = desk.send("statements", &text).await.ok();
    assert_eq!(taken["format"], name, "{taken}");
    let lines = taken["statements"][0]["lines"].as_array().expect("a list");
    let outcome = Outcome {
        booked: lines.iter().map(|line| line["explains"]["account"].clone()).collect(),
        matches: matches_since(&desk, before).await,
        left: breaks(&desk).await.iter().map(|it| (it["amount"].clone(), it["left"].clone())).collect(),
        suspense: suspense(&desk).await,
    };
    verify(&desk);
    desk.app.stop().await;
    outcome
}

/// Returns the matches after a position.
async fn matches_since(desk: &Desk, position: u64) -> Vec<Matched> {
    let mut amounts = BTreeMap::new();
    let mut found = vec![];
    for happened in desk.since(position).await {
        match happened.event {
            Event::Break(line_breaks::Event::Opened(opened)) => {
                amounts.insert(happened.key.id, opened.amount);
            }
            Event::Break(line_breaks::Event::Matched(matched)) => {
                let mut items: Vec<_> = matched.items.iter().map(|it| (it.account, it.amount)).collect();
                items.sort_unstable();
                let posts = matched.postings.iter().flat_map(Postings::node_changes);
                found.push(Matched {
                    line: amounts[&happened.key.id],
                    strategy: matched.strategy.as_str(),
                    rule: matched.rule.map(|rule| rule.name),
                    items,
                    posts: posts.map(|(_, amount)| amount).collect(),
                });
            }
            _ => {}
        }
    }
    found.sort_unstable();
    found
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_format_gives_the_same_matches() {
    let mut outcomes = vec![];
    for format in FORMATS {
        outcomes.push(lived(format).await);
    }
    let rules: Vec<_> =
        outcomes[0].matches.iter().map(|it| (it.line, it.strategy, it.rule.as_deref())).collect();
    let expected = [
        (-250, "book", Some("fees")),
        (998, "tolerance", Some("near")),
        (4_000, "reference", Some("wire-text")),
        (5_450, "file", Some("files")),
        (8_000, "amount", Some("amounts")),
    ];
    assert_eq!(rules, expected);
    let left = [(json!(33.0), json!(33.0)), (json!(7.77), json!(7.77))];
    assert_eq!((&outcomes[0].left[..], &outcomes[0].suspense), (&left[..], &json!(40.77)));
    assert_eq!(outcomes[0], outcomes[1]);
    assert_eq!(outcomes[0], outcomes[2]);
}
