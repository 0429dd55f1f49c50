//! Wires abroad: the file for the bank names the bank there by its SWIFT code, and the account by its IBAN.

use daybook_tests::bodies;
use daybook_tests::client::until;
use serde_json::json;

use super::Desk;

#[tokio::test]
async fn a_wire_abroad_leaves_with_swift_code_and_iban_and_settles() {
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
    let _ = desk.app.client.advance(900).await.ok();
    let text = until("the wire is in a file", async || {
        let files = desk.get("files").await.ok();
        let file = files["files"].as_array().expect("a list").last()?["_id"].as_str()?.to_owned();
        let text = desk.get(&format!("files/{file}")).await.text();
        text.contains("{2000}000000001234").then_some(text)
    })
    .await;
    let there = [
        "{4100}BDEUTDEFF*DEUTSCHE BANK*TAUNUSANLAGE 12, FRANKFURT*",
        "{4200}DDE89370400440532013000*BERENICE MEIER*",
        "{6000}INVOICE 7*",
    ];
    for line in there {
        assert!(text.lines().any(|known| known == line), "{line}: {text}");
    }
    // Our own bank finds the way.
    let field = |tag: &str| text.lines().find_map(|line| line.strip_prefix(tag));
    assert_eq!(field("{3400}"), field("{3100}"), "{text}");
    desk.us.when(&from, id, "SETTLED").await;
    assert_eq!(desk.us.balance(&from).await, "87.66");
}
