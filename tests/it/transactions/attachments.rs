//! Papers that come with a transaction: kept sealed, and shown again to who handed them in.

use daybook_tests::app::TestApp;
use daybook_tests::bodies::transfer;
use serde_json::{Value, json};

fn with_papers(to: &str, papers: &Value) -> Value {
    let mut body = transfer(to, "1");
    body["extra"]["other"] = json!({ "attachments": papers });
    body
}

#[tokio::test]
async fn papers_come_back_as_they_were_handed_in_and_to_nobody_else() {
    let app = TestApp::start().await;
    let (ada, bob) = (app.client.verified("Ada").await, app.client.verified("Bob").await);
    let (from, to) = (ada.funded("10").await, bob.node("DEPOSIT-US").await);
    let large = format!("data:application/pdf;base64,{}", "QUJD".repeat(1_000_000));
    let made = ada.transfer(&from, &with_papers(&to, &json!(["SGk=", large]))).send().await.ok();
    let (id, papers) = (made["_id"].as_str().expect("an id"), &made["extra"]["other"]["attachments"]);
    assert_eq!(ada.get_transaction(&from, id).await.ok()["extra"]["other"]["attachments"], *papers);
    let read = async |index: usize| {
        let href = papers[index].as_str().expect("a link").to_owned();
        let path = href.split_once("/v3.1").expect("an address of ours").1.to_owned();
        ada.call_at("GET", &path).send().await.ok()
    };
    let (small, pdf) = (read(0).await, read(1).await);
    assert_eq!(
        (&small["attachment"], &small["media_type"], &small["trans_id"]),
        (&json!("SGk="), &json!(""), &json!(id))
    );
    assert_eq!(
        (pdf["attachment"].as_str().map(str::len), &pdf["media_type"]),
        (Some(4_000_000), &json!("application/pdf"))
    );
    // The receiver sees the payment, not the papers.
    let seen = bob.get_transaction(&to, id).await.ok();
    assert_eq!(seen["extra"]["other"], Value::Null);
    let paper = small["_id"].as_str().expect("an id");
    let path = format!("/nodes/{to}/trans/{id}/attachments/{paper}");
    bob.call("GET", &path).send().await.refused(404, "404");
    let other = ada.sent(&from, &to, "1").await;
    let path = format!("/nodes/{from}/trans/{other}/attachments/{paper}");
    ada.call("GET", &path).send().await.refused(404, "404");
}

#[tokio::test]
async fn papers_are_in_no_table_that_is_read_to_show_a_list() {
    let app = TestApp::start().await;
    let ada = app.client.verified("Ada").await;
    let (from, to) = (ada.funded("10").await, ada.node("DEPOSIT-US").await);
    let large = "QUJD".repeat(500_000);
    ada.transfer(&from, &with_papers(&to, &json!([large]))).send().await.ok();
    ada.transactions().await;
    let db = app.database.pg().client().await.expect("a connection");
    let row = db.query_one("select max(length(state)) from transactions_v1", &[]).await.expect("rows");
    assert!(row.get::<_, i32>(0) < 8_192);
}

#[tokio::test]
async fn what_is_no_padded_base64_is_refused() {
    let app = TestApp::start().await;
    let ada = app.client.verified("Ada").await;
    let (from, to) = (ada.funded("10").await, ada.node("DEPOSIT-US").await);
    for papers in
        [json!(["SGk"]), json!(["%"]), json!([""]), json!([5]), json!("SGk="), json!(vec!["SGk="; 11])]
    {
        ada.transfer(&from, &with_papers(&to, &papers)).send().await.refused(400, "200");
    }
}
