//! The platform's own user: readable with the platform's credentials, and equal to other users in every other call.

use daybook_tests::app::TestApp;
use daybook_tests::bodies::{node, transfer};
use daybook_tests::client::DEVICE;
use serde_json::json;

#[tokio::test]
async fn own_user_gets_key_and_pays() {
    let app = TestApp::start().await;
    let (client, ada) = (&app.client, app.client.verified("Ada").await);
    let theirs = ada.node("DEPOSIT-US").await;
    let user = client.call("GET", &format!("/users/{}", client.user_id)).send().await.ok();
    assert_eq!((&user["_id"], &user["permission"]), (&json!(client.user_id), &json!("SEND-AND-RECEIVE")));
    let oauth = client.call("POST", &format!("/oauth/{}", client.user_id));
    let key = oauth.json(&json!({"refresh_token": user["refresh_token"]})).send().await.ok();
    let header = format!("{}|{DEVICE}", key["oauth_key"].as_str().expect("a key"));
    let call = |method: &str, path: &str| {
        client.anonymous(method, &format!("/users/{}{path}", client.user_id)).header("X-SP-USER", &header)
    };
    let made = call("POST", "/nodes").json(&node("DEPOSIT-US")).send().await.ok();
    let house = made["nodes"][0]["_id"].as_str().expect("an id");
    let _ = client.credit(house, "10").await.ok();
    let paid =
        call("POST", &format!("/nodes/{house}/trans")).json(&transfer(&theirs, "2.50")).send().await.ok();
    let (from, to) = (&paid["from"], &paid["to"]);
    assert_eq!((&from["user"]["_id"], &from["id"]), (&json!(client.user_id), &json!(house)));
    assert_eq!((&to["user"]["_id"], &to["id"]), (&json!(ada.user_id), &json!(theirs)));
    let id = paid["_id"].as_str().expect("an id");
    let _ = client.simulate(id, "settle", &json!({})).await;
    ada.when(&theirs, id, "SETTLED").await;
    assert_eq!(ada.balance(&theirs).await, "2.50");
    let house = call("GET", &format!("/nodes/{house}")).send().await;
    assert_eq!(house.raw("info.balance.amount"), "7.50");
}
