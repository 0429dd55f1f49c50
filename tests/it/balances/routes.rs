//! Balances over the API: the same numbers in balance, statement and explanation, exact to the cent.

use daybook_domain::time::DAY_MS;
use daybook_tests::app::TestApp;
use daybook_tests::bodies::node;
use daybook_tests::client::Session;
use daybook_tests::http::Answer;
use serde_json::{Value, json};

const NUMBERS: [&str; 4] = ["posted", "held", "available", "pending_in"];

/// Converts the exact text of an amount to cents.
fn cents(text: &str) -> i64 {
    text.replace('.', "").parse().expect("a number")
}

/// Log position of an answer, from its header.
fn position(answer: &Answer) -> u64 {
    let header = answer.headers.get("x-daybook-position").expect("is there");
    header.to_str().expect("digits").parse().expect("a number")
}

async fn balance(us: &Session, node: &str, query: &str) -> Answer {
    us.call("GET", &format!("/nodes/{node}/balance{query}")).send().await
}

/// The four numbers of an answer, as text. `prefix` is the path of the record in the answer.
fn numbers(answer: &Answer, prefix: &str) -> [String; 4] {
    NUMBERS.map(|name| answer.raw(&format!("{prefix}{name}")))
}

/// One line of a statement.
struct Line {
    position: u64,
    date: i64,
    recorded_at: i64,
    deltas: [i64; 3],
    after: [String; 4],
}

/// All lines of a node's statement, read page by page.
async fn statement(us: &Session, node: &str) -> Vec<Line> {
    let mut lines = vec![];
    for page in 1.. {
        let answer = us.call("GET", &format!("/nodes/{node}/entries?page={page}&per_page=4")).send().await;
        let body = answer.ok();
        let records = body["entries"].as_array().expect("a list");
        for (index, record) in records.iter().enumerate() {
            let prefix = format!("entries.{index}.");
            let delta = |name: &str| cents(&answer.raw(&format!("{prefix}{name}")));
            lines.push(Line {
                position: record["position"].as_u64().expect("a number"),
                date: record["date"].as_i64().expect("milliseconds"),
                recorded_at: record["recorded_at"].as_i64().expect("milliseconds"),
                deltas: ["amount", "held_delta", "pending_delta"].map(delta),
                after: numbers(&answer, &prefix),
            });
            assert_eq!(record["number"].as_u64(), Some(lines.len() as u64));
        }
        if records.is_empty() {
            assert_eq!(body["entry_count"].as_u64(), Some(lines.len() as u64));
            break;
        }
    }
    lines
}

/// Formats a time in milliseconds as RFC 3339. The first ten characters are the date.
async fn written(app: &TestApp, ms: i64) -> String {
    let sql = r#"select to_char(timestamp 'epoch' + $1::bigint * interval '1 ms', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')"#;
    app.database.pg().client().await.expect("connects").query_one(sql, &[&ms]).await.expect("writes").get(0)
}

/// A session of a user with two nodes and some settled payments between them.
async fn after_payments(app: &TestApp) -> (Session, String, String) {
    let us = app.client.own_session().await;
    let (from, to) = (us.funded("100").await, us.node("DEPOSIT-US").await);
    for amount in ["12.34", "0.01", "50", "99"] {
        us.sent(&from, &to, amount).await;
    }
    us.sent(&to, &from, "1.10").await;
    us.ended().await;
    (us, from, to)
}

#[tokio::test]
async fn balance_equals_statement_at_every_moment() {
    let app = TestApp::start().await;
    let (us, from, to) = after_payments(&app).await;
    let zero = NUMBERS.map(|_| "0.00".to_owned());
    for node in [&from, &to] {
        let lines = statement(&us, node).await;
        let now = balance(&us, node, "").await;
        let head = position(&now);
        assert_eq!(now.ok()["entry_count"].as_u64(), Some(lines.len() as u64));
        assert_eq!(numbers(&now, "")[0], us.balance(node).await);
        assert_eq!(numbers(&now, ""), lines.last().expect("there were payments").after);
        for at in 0..=head {
            let answer = balance(&us, node, &format!("?at={at}")).await;
            let last = lines.iter().rev().find(|line| line.position <= at);
            assert_eq!(&numbers(&answer, ""), last.map_or(&zero, |line| &line.after), "at {at}");
            assert_eq!((position(&answer), answer.json()["position"].as_u64()), (at, Some(at)));
        }
        let times = lines.iter().flat_map(|line| [line.recorded_at - 1, line.recorded_at]);
        for ms in times {
            let answer = balance(&us, node, &format!("?at={}", written(&app, ms).await)).await;
            let last = lines.iter().rev().find(|line| line.recorded_at <= ms);
            assert_eq!(&numbers(&answer, ""), last.map_or(&zero, |line| &line.after), "at {ms}");
        }
        for ms in lines.iter().flat_map(|line| [line.date - DAY_MS, line.date, line.date + DAY_MS]) {
            let date = written(&app, ms).await[..10].to_owned();
            let answer = balance(&us, node, &format!("?at={date}")).await;
            let counted = lines.iter().filter(|line| line.date / DAY_MS <= ms / DAY_MS);
            assert_eq!(
                cents(&answer.raw("posted")),
                counted.map(|line| line.deltas[0]).sum::<i64>(),
                "{date}"
            );
            let body = answer.ok();
            assert_eq!([&body["held"], &body["available"], &body["pending_in"]], [&Value::Null; 3]);
        }
    }
}

#[tokio::test]
async fn statement_lines_are_continuous() {
    let app = TestApp::start().await;
    let (us, from, to) = after_payments(&app).await;
    for node in [&from, &to] {
        let lines = statement(&us, node).await;
        assert!(lines.iter().map(|line| line.position).is_sorted());
        let mut sums = [0; 3];
        for Line { deltas, after, .. } in &lines {
            for (sum, delta) in sums.iter_mut().zip(deltas) {
                *sum += delta;
            }
            let [posted, held, pending_in] = sums;
            assert_eq!(after.each_ref().map(|text| cents(text)), [posted, held, posted - held, pending_in]);
        }
        assert_eq!(sums[1..], [0, 0]);
    }
    // The sum over both nodes stays 100 dollars.
    let [from, to] = [balance(&us, &from, "").await.raw("posted"), balance(&us, &to, "").await.raw("posted")];
    assert_eq!(cents(&from) + cents(&to), 10_000);
}

#[tokio::test]
async fn explanation_sums_to_the_balance() {
    let app = TestApp::start().await;
    let (us, from, _) = after_payments(&app).await;
    let lines = statement(&us, &from).await;
    let last = lines.last().expect("there were payments");
    let ends = [String::new(), "?at=0".to_owned(), format!("?at={}", written(&app, last.recorded_at).await)];
    let middle = lines.iter().map(|line| format!("?at={}", line.position));
    let days = [format!("?at={}", &written(&app, last.date).await[..10]), "?at=1999-12-31".to_owned()];
    for query in ends.into_iter().chain(middle).chain(days) {
        let told = us.call("GET", &format!("/nodes/{from}/explain{query}")).send().await;
        let (body, plain) = (told.ok(), balance(&us, &from, &query).await);
        for name in NUMBERS {
            assert_eq!(told.raw(name), plain.raw(name), "{query}");
        }
        let entries = body["entries"].as_array().expect("a list");
        assert_eq!(body["entry_count"].as_u64(), Some(entries.len() as u64));
        let amounts = (0..entries.len()).map(|index| cents(&told.raw(&format!("entries.{index}.amount"))));
        assert_eq!(amounts.sum::<i64>(), cents(&told.raw("posted")), "{query}");
        for entry in entries {
            let cause = us.get_transaction(&from, entry["trans_id"].as_str().expect("an id")).await.ok();
            assert_eq!(cause["client"]["name"], "Sandbox");
        }
    }
}

#[tokio::test]
async fn invalid_moment_or_external_node_is_refused() {
    let app = TestApp::start().await;
    let us = app.client.own_session().await;
    let (held, head) = (us.funded("1").await, balance(&us, &us.node("LEDGER-US").await, "").await);
    let head = position(&head);
    for route in ["balance", "explain"] {
        let call = |query: &str| us.call("GET", &format!("/nodes/{held}/{route}?{query}"));
        let beyond = (head + 1_000).to_string();
        for at in [
            "",
            "yesterday",
            "-1",
            "2026-02-30",
            "2026-01-01T00:00:00",
            "2999-01-01T00:00:00Z",
            &beyond,
            "18446744073709551616",
        ] {
            assert_eq!(call(&format!("at={at}")).send().await.refused(400, "200")["field"], "at", "{at}");
        }
        assert_eq!(call("currency=usd").send().await.refused(400, "200")["field"], "currency");
        assert_eq!(call("currency=JPY").send().await.raw("posted"), "0");
    }
    let bank = us.create_node(&node("ACH-US")).await.ok()["nodes"][0]["_id"].clone();
    let bank = bank.as_str().expect("an id");
    for route in ["balance", "entries", "explain"] {
        let call = |node: &str| us.call("GET", &format!("/nodes/{node}/{route}"));
        assert_eq!(call(bank).send().await.refused(400, "410")["code"], "node_not_held");
        for nobody in ["01ARZ3NDEKTSV4RRFFQ69G5FAV", "x"] {
            call(nobody).send().await.refused(404, "404");
        }
        us.call("DELETE", &format!("/nodes/{held}/{route}")).send().await.refused(400, "410");
    }
    let listed = us.call("GET", &format!("/nodes/{held}/entries?currency=EUR&page=3")).send().await.ok();
    assert_eq!(
        (&listed["entries"], &listed["entry_count"], &listed["page"]),
        (&json!([]), &json!(0), &json!(3))
    );
    us.call("GET", &format!("/nodes/{held}/entries?per_page=101")).send().await.refused(400, "200");
}
