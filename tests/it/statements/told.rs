//! Content of a statement: a record, its entries in pages, and all entries as CSV.

use daybook_domain::calendar::Month;
use daybook_tests::http::Answer;
use futures::StreamExt;
use futures::future::ready;
use futures::stream;
use serde_json::{Value, json};

use super::{follow, list, month, next_month, of_node, still};

fn cents(text: &str) -> i64 {
    text.replace('.', "").parse().expect("a number")
}

/// Returns the lines of a CSV as pairs of column name and value.
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
async fn past_month_has_statement_with_entries() {
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
                // The entry is equal to the one in the list of entries.
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
async fn csv_equals_the_json_record() {
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
            // No field begins like a spreadsheet formula.
            for (name, field) in line {
                let is_number = field.strip_prefix('-').is_some_and(|rest| rest.parse::<f64>().is_ok());
                assert!(!field.starts_with(['=', '+', '@', '-', '\t']) || is_number, "{name}: {field}");
            }
        }
    }
}

#[tokio::test]
async fn long_month_has_pages_and_one_csv() {
    let (app, us) = still().await;
    let node = us.node("DEPOSIT-US").await;
    // More entries than the CSV writer keeps in memory at a time.
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
