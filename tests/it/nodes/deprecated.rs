//! Deprecated node types: responses about such a node carry a `Deprecation` header.

use daybook_tests::app::TestApp;
use daybook_tests::bodies::node;
use daybook_tests::http::Answer;
use serde_json::json;

fn deprecation(answer: &Answer) -> Option<&str> {
    let _ = answer.ok();
    answer.headers.get("Deprecation").map(|value| value.to_str().expect("text"))
}

#[tokio::test]
async fn deprecated_node_type_sets_deprecation_header() {
    let app = TestApp::start().await;
    let ada = app.client.stranger("Ada").await;
    let table =
        [("LEDGER-US", true), ("PARTNER-SUBACCOUNT-US", true), ("DEPOSIT-US", false), ("WIRE-INT", false)];
    for (kind, is_deprecated) in table {
        assert_eq!(deprecation(&ada.call("GET", "/nodes?type=DEPOSIT-US").send().await), None, "{kind}");
        let made = ada.create_node(&node(kind)).await;
        let id = made.ok()["nodes"][0]["_id"].as_str().expect("an id").to_owned();
        let call = |method: &str| ada.call(method, &format!("/nodes/{id}"));
        let labelled = call("PATCH").json(&json!({"nickname": "Mine"})).send().await;
        let lists = [ada.call("GET", "/nodes").send().await, app.client.call("GET", "/nodes").send().await];
        let [own, all] = lists;
        for answer in [made, labelled, own, all, call("GET").send().await, call("DELETE").send().await] {
            let since = deprecation(&answer);
            assert_eq!(since.is_some(), is_deprecated, "{kind}");
            let is_date = |text: &str| text.strip_prefix('@').is_some_and(|date| date.parse::<u32>().is_ok());
            assert!(since.is_none_or(is_date), "{since:?}");
        }
        let left = ada.call("GET", "/nodes").send().await;
        assert_eq!((deprecation(&left), left.ok()["node_count"].as_u64()), (None, Some(0)), "{kind}");
    }
}
