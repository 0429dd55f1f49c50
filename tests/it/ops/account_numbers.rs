//! Account numbers with letters and hyphens: written to files unchanged, and matched when a return names them.

use daybook_domain::Timestamp;
use daybook_engine::rails::EntryDirection;
use daybook_engine::rails::ach::render_returns;
use daybook_engine::rails::bank::{BankPort, SandboxBank};
use daybook_tests::{bodies, outgoing};
use serde_json::json;

use super::Desk;

const NUMBER: &str = "AB-12c-9X";

#[tokio::test]
async fn account_number_with_letters_survives_a_return() {
    let desk = Desk::new().await;
    let mut body = bodies::node("ACH-US");
    body["info"]["account_num"] = json!(NUMBER);
    let made = desk.us.create_node(&body).await.ok();
    assert_eq!(made["nodes"][0]["info"]["account_num"], "c-9X");
    let (from, bank) = (desk.us.funded("100").await, made["nodes"][0]["_id"].as_str().expect("an id"));
    let mut payment = bodies::transfer(bank, "10");
    payment["to"]["type"] = json!("ACH-US");
    let id = desk.us.transfer(&from, &payment).send().await.ok()["_id"].clone();
    // The file is cut when the credit is due.
    let _ = desk.app.client.advance(600).await.ok();
    let files = desk.get("files").await.ok();
    let mut entry = None;
    for file in files["files"].as_array().expect("a list") {
        let text = desk.get(&format!("files/{}", file["_id"].as_str().expect("an id"))).await.text();
        entry = entry.or(text.lines().find(|line| line.contains("0000001000")).map(str::to_owned));
    }
    let entry = entry.expect("a credit in a file");
    // The number is left-aligned in its field of seventeen characters.
    assert_eq!((&entry[..3], &entry[12..29]), ("622", "AB-12c-9X        "), "{entry}");
    let sequence = entry[87..94].parse().expect("a number");
    let back = outgoing::entry(EntryDirection::Push, NUMBER, 1_000, sequence);
    let code = "R03".parse().expect("a code");
    let originator = SandboxBank.originator("Sandbox");
    let file = render_returns(&originator, Timestamp::from_ms(0), &[(&back, code)]).expect("a file");
    assert!(file.contains(NUMBER), "{file}");
    let answer = desk.send("files/returns", &file).await.ok();
    assert_eq!(
        (&answer["returns"][0]["outcome"], &answer["returns"][0]["trans_id"]),
        (&json!("returned"), &id)
    );
}
