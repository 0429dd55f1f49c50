//! International wires: the file names the receiving bank by SWIFT code and the account by IBAN.

use daybook_tests::bodies;
use daybook_tests::client::until;
use serde_json::{Value, json};

use super::Desk;

/// Returns path and text of the file with the wire of 12.34.
async fn cut(desk: &Desk) -> (String, String) {
    let _ = desk.app.client.advance(900).await.ok();
    until("the wire is in a file", async || {
        let files = desk.get("files").await.ok();
        let file = files["files"].as_array().expect("a list").last()?["_id"].as_str()?.to_owned();
        let path = format!("files/{file}");
        let text = desk.get(&path).await.text();
        text.contains("{2000}000000001234").then_some((path, text))
    })
    .await
}

#[tokio::test]
async fn wire_file_keeps_receivers_original_name() {
    let desk = Desk::new().await;
    let ada = desk.app.client.verified("Ada Example").await;
    let (from, to) = (ada.funded("100").await, ada.node("WIRE-US").await);
    let rename =
        async |update: &Value| ada.call("PATCH", "").json(&json!({"update": update})).send().await.ok();
    rename(&json!({"legal_name": "Eve"})).await;
    rename(&json!({"remove_legal_name": "Ada Example"})).await;
    let _ = ada.transfer(&from, &bodies::transfer_to("WIRE-US", &to, "12.34")).send().await.ok();
    let (path, text) = cut(&desk).await;
    assert!(text.contains("*ADA EXAMPLE*") && !text.contains("EVE"), "{text}");
    rename(&json!({"legal_name": "李"})).await;
    let named = rename(&json!({"remove_legal_name": "Eve"})).await;
    assert_eq!(named["legal_names"], json!(["李"]));
    assert_eq!(desk.get(&path).await.text(), text);
    assert_eq!(ada.get_node(&to).await.ok()["info"]["name_on_account"], "Ada Example");
}

#[tokio::test]
async fn international_wire_leaves_with_swift_and_iban() {
    let desk = Desk::new().await;
    let from = desk.us.funded("100").await;
    let mut body = bodies::node("WIRE-INT");
    body["info"]["name_on_account"] = json!("Bérénice Meier");
    let made = desk.us.create_node(&body).await.ok();
    let to = made["nodes"][0]["_id"].as_str().expect("an id");
    let mut body = bodies::transfer_to("WIRE-INT", to, "12.34");
    body["extra"]["note"] = json!("Invoice 7");
    let made = desk.us.transfer(&from, &body).send().await.ok();
    let id = made["_id"].as_str().expect("an id");
    let (_, text) = cut(&desk).await;
    let there = [
        "{4100}BDEUTDEFF*DEUTSCHE BANK*TAUNUSANLAGE 12, FRANKFURT*",
        "{4200}DDE89370400440532013000*BERENICE MEIER*",
        "{6000}INVOICE 7*",
    ];
    for line in there {
        assert!(text.lines().any(|known| known == line), "{line}: {text}");
    }
    // Our own bank chooses the route.
    let field = |tag: &str| text.lines().find_map(|line| line.strip_prefix(tag));
    assert_eq!(field("{3400}"), field("{3100}"), "{text}");
    desk.us.when(&from, id, "SETTLED").await;
    assert_eq!(desk.us.balance(&from).await, "87.66");
}
