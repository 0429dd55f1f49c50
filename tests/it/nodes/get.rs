//! Reading one node: by its link, and only by its owner.

use daybook_tests::app::TestApp;

#[tokio::test]
async fn record_links_ignore_the_host_header() {
    let app = TestApp::start().await;
    let ada = app.client.stranger("Ada").await;
    let id = ada.node("DEPOSIT-US").await;
    let head = format!(
        "GET /v3.1/users/{}/nodes/{id} HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Host: evil.example\r\n\
         Forwarded: host=evil.example\r\nX-SP-USER: {}|\r\n\r\n",
        ada.user_id, ada.oauth_key
    );
    let node = daybook_tests::http::send_raw(app.address, head.as_bytes()).await.expect("an answer").ok();
    let href = node["_links"]["self"]["href"].as_str().expect("a link");
    let path = href.strip_prefix(&format!("http://{}/v3.1", app.address)).expect("the base url");
    assert_eq!(ada.call_at("GET", path).send().await.ok()["_id"], id);
}

#[tokio::test]
async fn node_of_another_user_is_not_found() {
    let app = TestApp::start().await;
    let (ada, eve) = (app.client.stranger("Ada").await, app.client.stranger("Eve").await);
    let node = ada.node("DEPOSIT-US").await;
    let theirs = eve.get_node(&node).await.refused(404, "404");
    assert_eq!(theirs, eve.get_node("00000000000000000000000000").await.refused(404, "404"));
    let other = app.platform("Other", true).await;
    other.own_session().await.get_node(&node).await.refused(404, "404");
}
