//! Lists of nodes: exact totals, pages, and a filter by type.

use daybook_tests::app::TestApp;
use daybook_tests::bodies::node;
use serde_json::{Value, json};

#[tokio::test]
async fn node_lists_have_exact_totals_and_pages() {
    let app = TestApp::start().await;
    let ada = app.client.stranger("Ada").await;
    let bob = app.client.stranger("Bob").await;
    bob.node("DEPOSIT-US").await;
    let mut ids = Vec::new();
    for index in 0..25 {
        ids.push(ada.node(if index % 5 == 0 { "LEDGER-US" } else { "DEPOSIT-US" }).await);
    }
    let list = async |query: &str| ada.call("GET", &format!("/nodes{query}")).send().await;
    let shown = |body: &Value| -> Vec<String> {
        let nodes = body["nodes"].as_array().expect("a list");
        nodes.iter().map(|node| node["_id"].as_str().expect("an id").to_owned()).collect()
    };
    // Columns: query; page, page_count, limit, node_count, number of records on the page.
    let table = [
        ("", 1, 2, 20, 25, 20),
        ("?page=2", 2, 2, 20, 25, 5),
        ("?page=3", 3, 2, 20, 25, 0),
        ("?page=1&per_page=100", 1, 1, 100, 25, 25),
        ("?per_page=1&page=25", 25, 25, 1, 25, 1),
        ("?type=LEDGER-US", 1, 1, 20, 5, 5),
        ("?type=LEDGER-US&per_page=2&page=3", 3, 3, 2, 5, 1),
        ("?type=ACH-US", 1, 0, 20, 0, 0),
        // A node type of the original service that does not exist here.
        ("?type=SYNAPSE-US", 1, 0, 20, 0, 0),
        ("?type=&unknown=a|b", 1, 2, 20, 25, 20),
    ];
    for (query, page, page_count, limit, total, records) in table {
        let body = list(query).await.ok();
        assert_eq!(body["success"], true, "{query}");
        let found = ["page", "page_count", "limit", "node_count"].map(|field| body[field].as_i64());
        let page_count = if total == 0 { body["page_count"].as_i64().unwrap_or(-1) } else { page_count };
        assert_eq!(found, [Some(page), Some(page_count), Some(limit), Some(total)], "{query}");
        assert_eq!(shown(&body).len(), records, "{query}");
    }
    let mut all = shown(&list("?per_page=13").await.ok());
    all.extend(shown(&list("?per_page=13&page=2").await.ok()));
    all.sort();
    ids.sort();
    assert_eq!(all, ids);
}

#[tokio::test]
async fn invalid_page_parameters_are_refused() {
    let app = TestApp::start().await;
    let ada = app.client.stranger("Ada").await;
    let table = [
        ("page=0", "page"),
        ("page=-1", "page"),
        ("page=x", "page"),
        ("page=1.5", "page"),
        ("page=1e1", "page"),
        ("page=99999999999999999999", "page"),
        ("page=%00", "page"),
        ("per_page=0", "per_page"),
        ("per_page=101", "per_page"),
        ("per_page=-20", "per_page"),
        ("per_page=99999999999999999999", "per_page"),
    ];
    for (query, field) in table {
        for list in ["nodes", "trans"] {
            let answer = ada.call("GET", &format!("/{list}?{query}")).send().await;
            assert_eq!(answer.refused(400, "200")["field"], field, "{query}");
        }
    }
}

#[tokio::test]
async fn inactive_node_is_unlisted_but_readable() {
    let app = TestApp::start().await;
    let ada = app.client.stranger("Ada").await;
    let shown = ada.node("DEPOSIT-US").await;
    let mut body = node("DEPOSIT-US");
    body["is_active"] = json!(false);
    let made = ada.create_node(&body).await.ok();
    let hidden = made["nodes"][0]["_id"].as_str().expect("an id");
    assert_eq!(made["nodes"][0]["is_active"], false);
    for query in ["", "?type=DEPOSIT-US"] {
        let list = ada.call("GET", &format!("/nodes{query}")).send().await.ok();
        assert_eq!(list["node_count"], 1, "{query}");
        assert_eq!(list["nodes"][0]["_id"], shown, "{query}");
    }
    assert_eq!(ada.get_node(hidden).await.ok()["is_active"], false);
}
