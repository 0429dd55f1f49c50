//! What an owner is told of a month, and that it stays so.

use std::time::Duration;

use daybook_domain::Timestamp;
use daybook_domain::calendar::{Day, Month};
use daybook_tests::app::TestApp;
use daybook_tests::bodies;
use daybook_tests::client::Session;
use daybook_tests::http::{Answer, Call};
use futures::StreamExt;
use futures::future::ready;
use futures::stream;
use serde_json::{Value, json};

/// Longer than any month, in days.
const MONTH_D: i64 = 31;

/// A sandbox at noon on which nothing moves by itself, and the session of its own user.
async fn still() -> (TestApp, Session) {
    let app = TestApp::settling_after(Duration::from_mins(15)).await;
    let _ = app.client.noon(0).await;
    let us = app.client.own_session().await;
    (app, us)
}

/// The month that it is for the platform.
async fn month(app: &TestApp) -> Month {
    let now = app.client.advance(1).await.ok()["now"].as_i64().expect("a time");
    Month::of(Day::of(Timestamp::from_ms(now)))
}

/// The next month begins; what a platform's clock cannot have seen is over by then.
async fn next_month(app: &TestApp) -> Month {
    let now = app.client.advance(1).await.ok()["now"].as_i64().expect("a time");
    let next = Month::of(Day::of(Timestamp::from_ms(now))).next();
    let _ = app.client.advance((next.start().ms() - now) / 1_000 + 1).await.ok();
    assert_eq!(month(app).await, next);
    next
}

async fn list(us: &Session, path: &str) -> Vec<Value> {
    let mut all = vec![];
    for page in 1.. {
        let body = us.call("GET", &format!("{path}?per_page=3&page={page}")).send().await.ok();
        let records = body["statements"].as_array().expect("a list");
        if records.is_empty() {
            assert_eq!(body["statements_count"].as_u64(), Some(all.len() as u64));
            break;
        }
        all.extend_from_slice(records);
    }
    all
}

async fn of_node(us: &Session, node: &str) -> Vec<Value> {
    list(us, &format!("/nodes/{node}/statements")).await
}

/// What a link of a statement leads to, for who has the key.
async fn follow(us: &Session, statement: &Value, link: &str) -> Answer {
    let url = statement["urls"][link].as_str().expect("a link");
    let path = url.split_once("/v3.1").expect("a path").1;
    let answer = us.call_at("GET", path).send().await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer
}

/// Everything that is told of some statements, byte by byte.
async fn told(us: &Session, statements: &[Value]) -> Vec<String> {
    let mut told = vec![];
    for statement in statements {
        told.push(statement.to_string());
        for link in ["json", "csv"] {
            let answer = follow(us, statement, link).await;
            told.push(format!("{:?} {}", answer.headers.get("x-daybook-position"), answer.text()));
        }
    }
    told
}

fn cents(text: &str) -> i64 {
    text.replace('.', "").parse().expect("a number")
}

/// The lines of a CSV, by the names of its header.
fn table(csv: &str) -> Vec<Vec<(String, String)>> {
    assert!(csv.ends_with("\r\n") && csv.matches('\n').count() == csv.matches("\r\n").count(), "{csv}");
    let mut lines =
        csv.split_terminator("\r\n").map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
    let header = lines.next().expect("a header");
    lines.map(|line| header.iter().cloned().zip(line).collect()).collect()
}

fn column<'a>(line: &'a [(String, String)], name: &str) -> &'a str {
    &line.iter().find(|(column, _)| column == name).expect("a column").1
}

#[tokio::test]
async fn a_month_that_is_over_has_a_statement_with_its_entries() {
    let (app, us) = still().await;
    let (from, to) = (us.funded("100").await, us.node("DEPOSIT-US").await);
    let outside = us.bank().await;
    let first = month(&app).await;
    assert_eq!(list(&us, "/statements").await, Vec::<Value>::new());
    for amount in ["12.34", "0.01", "50"] {
        let id = us.sent(&from, &to, amount).await;
        let _ = app.client.simulate(&id, "settle", &json!({})).await.ok();
    }
    next_month(&app).await;
    let id = us.sent(&to, &from, "2.35").await;
    let _ = app.client.simulate(&id, "settle", &json!({})).await.ok();
    next_month(&app).await;
    next_month(&app).await;

    for (node, ends) in [(&from, ["37.65", "40.00", "40.00"]), (&to, ["62.35", "60.00", "60.00"])] {
        let statements = of_node(&us, node).await;
        let months: Vec<_> =
            statements.iter().map(|one| one["_id"].as_str().expect("an id").to_owned()).collect();
        let expected = [first.next().next(), first.next(), first].map(|month| format!("{node}-USD-{month}"));
        assert_eq!(months, expected);
        let (mut before, mut number) = ("0.00".to_owned(), 0);
        let all = us.call("GET", &format!("/nodes/{node}/entries?per_page=100")).send().await;
        for (statement, end) in statements.iter().rev().zip(ends) {
            let month: Month = statement["_id"].as_str().expect("an id")[31..].parse().expect("a month");
            assert_eq!(
                [&statement["date_start"], &statement["date_end"]],
                [&json!(month.start().ms()), &json!(month.next().start().ms() - 1)]
            );
            assert_eq!(
                [
                    &statement["client_id"],
                    &statement["user_id"],
                    &statement["node_id"],
                    &statement["currency"]
                ],
                [&json!(app.client.client_id), &json!(us.user_id), &json!(node), &json!("USD")]
            );
            let answer = follow(&us, statement, "json").await;
            let body = answer.ok();
            assert_eq!(
                [answer.raw("opening_balance"), answer.raw("ending_balance")],
                [before.clone(), end.to_owned()]
            );
            let position = &body["position"];
            assert_eq!(answer.headers["x-daybook-position"], position.to_string());
            let at = us.call("GET", &format!("/nodes/{node}/balance?at={position}")).send().await;
            assert_eq!(at.raw("posted"), end);
            let count = body["entry_count"].as_u64().expect("a number");
            let mut sum = cents(&before);
            for index in 0..count {
                let told = |name: &str| answer.raw(&format!("entries.{index}.{name}"));
                // The very line that the list of entries has.
                for name in [
                    "_id",
                    "number",
                    "position",
                    "date",
                    "recorded_at",
                    "trans_id",
                    "amount",
                    "posted",
                    "held",
                ] {
                    assert_eq!(told(name), all.raw(&format!("entries.{number}.{name}")));
                }
                number += 1;
                sum += cents(&told("amount"));
                assert_eq!(sum, cents(&told("posted")));
            }
            assert_eq!(sum, cents(end));
            before = end.to_owned();
        }
        assert_eq!(all.ok()["entry_count"].as_u64(), Some(number));
    }

    let everything = list(&us, "/statements").await;
    assert!(everything.iter().map(|one| one["date_start"].as_i64()).rev().is_sorted(), "the newest first");
    for node in [&from, &to] {
        let its: Vec<_> = everything.iter().filter(|one| one["node_id"] == **node).cloned().collect();
        assert_eq!(its, of_node(&us, node).await);
    }
    assert!(everything.iter().all(|one| one["node_id"] != *outside), "that money is not here");
    assert_eq!(us.call("GET", "/statements").send().await.ok()["limit"], 20);
}

#[tokio::test]
async fn a_table_tells_what_the_record_tells() {
    let (app, us) = still().await;
    let (from, to) = (us.funded("100").await, us.node("DEPOSIT-US").await);
    let id = us.sent(&from, &to, "12.34").await;
    let _ = app.client.simulate(&id, "settle", &json!({})).await.ok();
    next_month(&app).await;
    for node in [&from, &to] {
        let statement = &of_node(&us, node).await[0];
        let record = follow(&us, statement, "json").await;
        let answer = follow(&us, statement, "csv").await;
        assert_eq!(answer.headers["content-type"], "text/csv; charset=utf-8");
        let name = format!("attachment; filename=\"{}.csv\"", statement["_id"].as_str().expect("an id"));
        assert_eq!(answer.headers["content-disposition"], name);
        let lines = table(&answer.text());
        let [opening, entries @ .., ending] = &lines[..] else { panic!("{}", answer.text()) };
        for (line, kind, field) in
            [(opening, "OPENING", "opening_balance"), (ending, "ENDING", "ending_balance")]
        {
            assert_eq!([column(line, "kind"), column(line, "balance")], [kind, &record.raw(field)]);
        }
        assert_eq!(entries.len() as u64, record.ok()["entry_count"].as_u64().expect("a number"));
        for (index, line) in entries.iter().enumerate() {
            let told = |name: &str| record.raw(&format!("entries.{index}.{name}"));
            let pairs = [
                ("amount", "amount"),
                ("balance", "posted"),
                ("held_delta", "held_delta"),
                ("pending_delta", "pending_delta"),
                ("trans_id", "trans_id"),
                ("entry_id", "_id"),
                ("kind", "kind"),
                ("number", "number"),
            ];
            for (name, field) in pairs {
                assert_eq!(column(line, name), told(field).trim_matches('"'), "{name}");
            }
            let [debit, credit] = ["debit", "credit"].map(|name| column(line, name));
            let amount = told("amount");
            let expected = match amount.strip_prefix('-') {
                Some(taken) => [taken, ""],
                None if cents(&amount) > 0 => ["", &amount],
                None => ["", ""],
            };
            assert_eq!([debit, credit], expected);
            // What a spreadsheet would take for a formula.
            for (name, field) in line {
                let is_number = field.strip_prefix('-').is_some_and(|rest| rest.parse::<f64>().is_ok());
                assert!(!field.starts_with(['=', '+', '@', '-', '\t']) || is_number, "{name}: {field}");
            }
        }
    }
}

#[tokio::test]
async fn what_comes_later_changes_no_month_that_is_over() {
    let (app, us) = still().await;
    let ada = app.operator("Ada").await;
    let (from, to) = (us.funded("100").await, us.node("DEPOSIT-US").await);
    let outside = us.bank().await;
    let paid = us.transfer(&from, &bodies::transfer_to("ACH-US", &outside, "20")).send().await.ok();
    let paid = paid["_id"].as_str().expect("an id");
    let _ = app.client.simulate(paid, "settle", &json!({})).await.ok();
    let (waiting, ended) = (us.sent(&from, &to, "5").await, month(&app).await);
    let day = Day::of(ended.start());
    next_month(&app).await;
    let statements = [of_node(&us, &from).await, of_node(&us, &to).await].concat();
    assert_eq!(statements.len(), 2);
    let before = told(&us, &statements).await;
    assert!(!before.concat().contains("My "), "a nickname could change");

    // What was under way goes on, what had left comes back, and something counts from a day of that month.
    us.when(&from, &waiting, "SETTLED").await;
    let _ = app.client.simulate(paid, "return", &json!({"code": "R10"})).await.ok();
    let lines =
        json!([{"account": "suspense", "amount": 7}, {"account": format!("node:{from}"), "amount": -7}]);
    let act = json!({"kind": "journal", "currency": "USD", "lines": lines, "effective_at": day.start().ms()});
    let path = format!("/platforms/{}/operations", app.client.client_id);
    let asked = ada.call("POST", &path).json(&json!({"act": act, "reason": "A ticket asks for it."}));
    assert_eq!(asked.send().await.ok()["status"], "DONE");
    let _ =
        us.call("PATCH", &format!("/nodes/{from}")).json(&json!({"nickname": "Another"})).send().await.ok();
    let update = json!({"refresh_token": app.client.user(&us.user_id).await["refresh_token"], "update": {"legal_name": "Another"}});
    let _ = us.call("PATCH", "").json(&update).send().await.ok();
    assert_eq!(told(&us, &statements).await, before);

    // It is in the month in which it was made, with its own date.
    next_month(&app).await;
    assert_eq!(told(&us, &statements).await, before);
    let later = &of_node(&us, &from).await[0];
    let record = follow(&us, later, "json").await.ok();
    let entries = record["entries"].as_array().expect("a list");
    let journaled = entries.iter().find(|entry| entry.get("operation_id").is_some()).expect("is there");
    assert_eq!((&journaled["date"], &journaled["amount"]), (&json!(day.start().ms()), &json!(7.0)));
    assert_eq!(later["opening_balance"], statements[0]["ending_balance"]);

    for node in [&from, &to] {
        let _ = us.call("DELETE", &format!("/nodes/{node}")).send().await.ok();
    }
    assert_eq!(told(&us, &statements).await, before);
    assert_eq!(of_node(&us, &from).await[1], statements[0]);
}

#[tokio::test]
async fn a_deleted_node_has_statements_as_long_as_it_holds_something() {
    let (app, us) = still().await;
    let (full, empty) = (us.funded("3").await, us.node("DEPOSIT-US").await);
    for node in [&full, &empty] {
        let _ = us.call("DELETE", &format!("/nodes/{node}")).send().await.ok();
    }
    next_month(&app).await;
    next_month(&app).await;
    assert_eq!([of_node(&us, &full).await.len(), of_node(&us, &empty).await.len()], [2, 1]);
    let ada = app.operator("Ada").await;
    let lines =
        json!([{"account": "suspense", "amount": -3}, {"account": format!("node:{full}"), "amount": 3}]);
    let act = json!({"kind": "journal", "currency": "USD", "lines": lines});
    let path = format!("/platforms/{}/operations", app.client.client_id);
    let _ = ada.call("POST", &path).json(&json!({"act": act, "reason": "It is closed."})).send().await.ok();
    next_month(&app).await;
    next_month(&app).await;
    let ends: Vec<_> =
        of_node(&us, &full).await.iter().map(|one| one["ending_balance"].to_string()).collect();
    assert_eq!(ends, ["0.0", "3.0", "3.0"]);
    assert_eq!(of_node(&us, &empty).await.len(), 1);
}

#[tokio::test]
async fn another_platforms_clock_ends_no_month() {
    let (app, us) = still().await;
    let other = app.platform("Other", true).await;
    let theirs = other.own_session().await;
    let _ = us.node("DEPOSIT-US").await;
    let _ = theirs.node("DEPOSIT-US").await;
    let _ = other.noon(MONTH_D).await;
    assert_eq!(list(&us, "/statements").await, Vec::<Value>::new());
    assert!(!list(&theirs, "/statements").await.is_empty());
}

#[tokio::test]
async fn a_long_month_is_told_in_pages_and_as_one_table() {
    let (app, us) = still().await;
    let node = us.node("DEPOSIT-US").await;
    // More than a table has in memory at a time.
    let credits = stream::iter((0..1_100).map(|_| app.client.credit(&node, "0.01"))).buffer_unordered(8);
    let refused: Vec<Answer> = credits.filter(|answer| ready(answer.status != 200)).collect().await;
    assert!(refused.is_empty(), "{}", refused[0].text());
    next_month(&app).await;
    let statement = &of_node(&us, &node).await[0];
    let count = statement["entry_count"].as_u64().expect("a number");
    assert!(count >= 1_100, "{statement}");
    let lines = table(&follow(&us, statement, "csv").await.text());
    assert_eq!(lines.len() as u64, count + 2);
    let numbers: Vec<_> =
        lines[1..lines.len() - 1].iter().map(|line| column(line, "number").to_owned()).collect();
    assert_eq!(numbers, (1..=count).map(|number| number.to_string()).collect::<Vec<_>>());
    assert_eq!(column(&lines[lines.len() - 1], "balance"), "11.00");
    let id = statement["_id"].as_str().expect("an id");
    let page = |query: &str| us.call("GET", &format!("/nodes/{node}/statements/{id}{query}"));
    let last = page(&format!("?per_page=100&page={}", count.div_ceil(100))).send().await.ok();
    let entries = last["entries"].as_array().expect("a list");
    assert_eq!(entries[entries.len() - 1]["number"].as_u64(), Some(count));
    assert_eq!((&last["page_count"], &last["limit"]), (&json!(count.div_ceil(100)), &json!(100)));
    let beyond = page("?page=4294967295").send().await.ok();
    assert_eq!((&beyond["entries"], &beyond["entry_count"]), (&json!([]), &json!(count)));
}

#[tokio::test]
async fn what_is_no_statement_is_not_found() {
    let (app, us) = still().await;
    let (node, second) = (us.node("DEPOSIT-US").await, us.node("DEPOSIT-US").await);
    let outside = us.bank().await;
    let made = month(&app).await;
    let now = next_month(&app).await;
    let id = |node: &str, month: Month| format!("{node}-USD-{month}");
    let call = |id: &str, end: &str| us.call("GET", &format!("/nodes/{node}/statements/{id}{end}"));
    for end in ["", ".csv"] {
        assert_eq!(call(&id(&node, made), end).send().await.status, 200);
        assert_eq!(call(&format!("{node}-EUR-{made}"), end).send().await.status, 200);
        let strange = [
            // It is not over, or had no account yet.
            id(&node, now),
            id(&node, made.previous()),
            // Another node's.
            id(&second, made),
            id("01ARZ3NDEKTSV4RRFFQ69G5FAV", made),
            format!("{node}-XYZ-{made}"),
            format!("{node}-USD-{made}-01"),
            format!("{node}-USD-9999-12"),
            format!("{node}-USD-0000-01"),
            node.clone(),
            "x".to_owned(),
        ];
        for strange in strange {
            call(&strange, end).send().await.refused(404, "404");
        }
        let elsewhere = us.call("GET", &format!("/nodes/{outside}/statements/{}{end}", id(&outside, made)));
        assert_eq!(elsewhere.send().await.refused(400, "410")["code"], "node_not_held");
        us.call("DELETE", &format!("/nodes/{node}/statements/{}{end}", id(&node, made)))
            .send()
            .await
            .refused(400, "410");
    }
    let lists = [("/statements".to_owned(), 200), (format!("/nodes/{node}/statements"), 200)];
    for (path, status) in &lists {
        let euros = us.call("GET", &format!("{path}?currency=EUR")).send().await;
        assert_eq!((euros.status, euros.raw("statements.0.ending_balance")), (*status, "0.00".to_owned()));
        assert_eq!(
            us.call("GET", &format!("{path}?currency=eur")).send().await.refused(400, "200")["field"],
            "currency"
        );
        assert_eq!(us.call("GET", &format!("{path}?at=1")).send().await.refused(400, "200")["field"], "at");
    }
    let elsewhere = us.call("GET", &format!("/nodes/{outside}/statements")).send().await;
    assert_eq!(elsewhere.refused(400, "410")["code"], "node_not_held");
    us.call("GET", "/nodes/01ARZ3NDEKTSV4RRFFQ69G5FAV/statements").send().await.refused(404, "404");
}

#[tokio::test]
async fn a_link_opens_nothing_by_itself() {
    let (app, us) = still().await;
    let node = us.node("DEPOSIT-US").await;
    next_month(&app).await;
    let statement = &of_node(&us, &node).await[0];
    let stranger = app.client.stranger("Bea Example").await;
    for link in ["json", "csv"] {
        let url = statement["urls"][link].as_str().expect("a link");
        let path = &url[url.find("/v3.1").expect("a path")..];
        Call::new(app.address, "GET", path).send().await.refused(401, "300");
        stranger.call_at("GET", &path["/v3.1".len()..]).send().await.refused(404, "404");
    }
}
