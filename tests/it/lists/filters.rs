//! Filters of lists: transactions by status, nodes by type.

use std::time::Duration;

use daybook_tests::app::TestApp;
use daybook_tests::http::Answer;
use serde_json::json;

use super::id_of;

/// Ids of the listed records, and the total number of records.
fn found(answer: &Answer, records: &str, count: &str) -> (Vec<String>, u64) {
    let body = answer.ok();
    let ids = body[records].as_array().expect("a list").iter().map(id_of).collect();
    (ids, body[count].as_u64().expect("a number"))
}

#[tokio::test]
async fn status_filter_applies_to_every_transaction_list() {
    let app = TestApp::settling_after(Duration::from_mins(15)).await;
    let (us, bob) = (app.client.own_session().await, app.client.verified("Bob").await);
    let (from, to) = (us.funded("100").await, bob.node("DEPOSIT-US").await);
    let mut sent = vec![];
    for _ in 0..5 {
        sent.push(us.sent(&from, &to, "1").await);
    }
    for (which, step) in [(0, "settle"), (3, "settle"), (1, "process"), (2, "cancel")] {
        let _ = app.client.simulate(&sent[which], step, &json!({})).await.ok();
    }
    let table: [(&str, &[usize]); 8] = [
        ("SETTLED", &[0, 3]),
        ("settled", &[0, 3]),
        ("%7B%22recent_status.status%22:%20%22SETTLED%22%7D", &[0, 3]),
        ("PROCESSING-DEBIT", &[1]),
        ("canceled", &[2]),
        ("CREATED", &[4]),
        ("RETURNED", &[]),
        ("QUEUED-BY-LEDGER", &[]),
    ];
    for (filter, which) in table {
        let expected: Vec<String> = which.iter().map(|which| sent[*which].clone()).collect();
        for path in [format!("/nodes/{to}/trans?filter={filter}"), format!("/trans?filter={filter}")] {
            let of_bob = found(&bob.call("GET", &path).send().await, "trans", "trans_count");
            assert_eq!(of_bob, (expected.clone(), expected.len() as u64), "{path}");
        }
        let all = app.client.call("GET", &format!("/trans?filter={filter}")).send().await;
        let (all, total) = found(&all, "trans", "trans_count");
        // The initial money of the reserve and of the node came from outside in two transactions, which settled at
        // once.
        let others = if which == [0, 3] { 2 } else { 0 };
        assert_eq!((&all[others..], total), (&expected[..], (others + expected.len()) as u64), "{filter}");
    }
    let page = app.client.call("GET", "/trans?filter=SETTLED&per_page=1&page=3").send().await.ok();
    assert_eq!((&page["trans_count"], &page["page_count"]), (&json!(4), &json!(4)));
    assert_eq!(id_of(&page["trans"][0]), sent[0]);
}

#[tokio::test]
async fn type_filter_applies_to_node_lists() {
    let app = TestApp::start().await;
    let (ada, bob) = (app.client.stranger("Ada").await, app.client.stranger("Bob").await);
    let ledgers = [ada.node("LEDGER-US").await, bob.node("LEDGER-US").await];
    let deposits = [ada.node("DEPOSIT-US").await, bob.node("DEPOSIT-US").await];
    let nodes = async |query: &str| {
        let answer = app.client.call("GET", &format!("/nodes?{query}")).send().await;
        found(&answer, "nodes", "node_count")
    };
    for query in
        ["type=LEDGER-US", "filter=LEDGER-US", "filter=ledger-us", "filter=%7B%22type%22:%22LEDGER-US%22%7D"]
    {
        assert_eq!(nodes(query).await, (ledgers.to_vec(), 2), "{query}");
    }
    assert_eq!(nodes("type=DEPOSIT-US&filter=LEDGER-US").await, (deposits.to_vec(), 2));
    assert_eq!(nodes("filter=DEPOSIT-US&per_page=1&page=2").await, (deposits[1..].to_vec(), 2));
    assert_eq!(nodes("type=CLEARING-US").await, (vec![], 0));
    assert_eq!(nodes("type=&filter=").await.1, 5);
    let own = found(&ada.call("GET", "/nodes?filter=ledger-us").send().await, "nodes", "node_count");
    assert_eq!(own, (ledgers[..1].to_vec(), 1));
}

#[tokio::test]
async fn invalid_filter_is_refused() {
    let app = TestApp::start().await;
    let us = app.client.own_session().await;
    for filter in ["x", "%7B", "%7B%7D", "%7B%22amount%22:1%7D", "LEDGER-US%00", "%FF"] {
        let call = |path: &str| format!("{path}?filter={filter}");
        for call in [
            app.client.call("GET", &call("/trans")),
            app.client.call("GET", &call("/nodes")),
            us.call("GET", &call("/trans")),
            us.call("GET", &call("/nodes")),
        ] {
            assert_eq!(call.send().await.refused(400, "200")["field"], "filter", "{filter}");
        }
    }
    // A node type of the original service that this one does not have matches no node.
    let none = app.client.call("GET", "/nodes?type=SYNAPSE-US").send().await;
    assert_eq!(found(&none, "nodes", "node_count"), (vec![], 0));
}
