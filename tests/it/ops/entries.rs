//! Entries of files for a bank: batched by their class, and returned if no bank can receive them.

use daybook_domain::node::NodeKind;
use daybook_domain::node::create::Create;
use daybook_domain::{Command, NodeId, PlatformId, States, TransactionId, UserId};
use daybook_engine::{Call, NodeDetails, Sealer};
use daybook_tests::bodies;
use daybook_tests::client::until;
use daybook_tests::shard;
use daybook_vault::Class;
use serde_json::{Value, json};
use uuid::Uuid;

use super::Desk;

impl Desk {
    /// Creates a bank account of this type and confirms its micro-deposits. Returns its id.
    pub(super) async fn account(&self, kind: &str) -> String {
        let mut body = bodies::node("ACH-US");
        body["info"]["type"] = json!(kind);
        let node =
            self.us.create_node(&body).await.ok()["nodes"][0]["_id"].as_str().expect("an id").to_owned();
        let told = self.us.call("PATCH", &format!("/nodes/{node}")).json(&json!({"micro": [0.1, 0.1]}));
        assert_eq!(told.send().await.ok()["allowed"], "CREDIT-AND-DEBIT");
        node
    }

    /// Returns the text of every file that was created for the bank.
    async fn texts(&self) -> Vec<String> {
        let files = self.get("files").await.ok();
        let mut texts = vec![];
        for file in files["files"].as_array().expect("a list") {
            let id = file["_id"].as_str().expect("an id");
            texts.push(self.get(&format!("files/{id}")).await.text());
        }
        texts
    }

    /// Returns class and description of the batch that contains an entry of `cents`.
    async fn batch_of(&self, cents: &str) -> String {
        until("it is in a file", async || {
            self.texts().await.iter().find_map(|text| {
                let lines: Vec<&str> = text.lines().collect();
                let is_entry = |line: &&str| line.starts_with('6') && line[29..39].ends_with(cents);
                let at = lines.iter().position(is_entry)?;
                let header = lines[..at].iter().rev().find(|line| line.starts_with('5'))?;
                Some(header[50..63].trim_end().to_owned())
            })
        })
        .await
    }

    /// Returns the id of a new transaction to or from a bank account.
    async fn moved(&self, from: &str, kind: &str, to: &str, amount: &str) -> String {
        let made = self.us.transfer(from, &bodies::transfer_to(kind, to, amount)).send().await.ok();
        made["_id"].as_str().expect("an id").to_owned()
    }

    async fn code_of(&self, node: &str, id: &str) -> Value {
        self.us.when(node, id, "RETURNED").await.ok()["recent_status"].clone()
    }
}

#[tokio::test]
async fn ach_entries_carry_class_of_their_account() {
    let desk = Desk::new().await;
    let (person, company) = (desk.account("PERSONAL").await, desk.account("BUSINESS").await);
    let here = desk.us.funded("1000").await;
    for (from, kind, to, amount) in [
        (&here, "ACH-US", &person, "701.01"),
        (&here, "ACH-US", &company, "102.02"),
        (&person, "DEPOSIT-US", &here, "703.03"),
        (&company, "DEPOSIT-US", &here, "704.04"),
    ] {
        desk.moved(from, kind, to, amount).await;
    }
    let _ = desk.app.client.advance(1_200).await.ok();
    let table =
        [("70101", "PPDPAYMENT"), ("10202", "CCDPAYMENT"), ("70303", "WEBPAYMENT"), ("70404", "CCDPAYMENT")];
    for (cents, expected) in table {
        assert_eq!(desk.batch_of(cents).await, expected, "{cents}");
    }
    let checks: Vec<String> = desk.texts().await;
    for class in ["PPD", "CCD"] {
        let header = format!("{class}ACCTVERIFY");
        assert!(checks.iter().any(|text| text.contains(&header)), "{class}: {checks:?}");
    }

    let policy = json!({"kind": "set_policy", "policy": {"written_authorizations": true}});
    assert_eq!(desk.act(&policy).await.ok()["act"]["policy"]["written_authorizations"], true);
    desk.moved(&person, "DEPOSIT-US", &here, "705.05").await;
    let _ = desk.app.client.advance(1_200).await.ok();
    assert_eq!(desk.batch_of("70505").await, "PPDPAYMENT");
    // A later policy does not change a file that was already created.
    assert_eq!(desk.batch_of("70303").await, "WEBPAYMENT");
}

#[tokio::test]
async fn unwritable_names_are_refused() {
    let desk = Desk::new().await;
    for (kind, field, text) in [
        ("ACH-US", "name_on_account", "Li 李"),
        ("WIRE-US", "name_on_account", "Иван"),
        ("WIRE-INT", "bank_name", "中国银行"),
        ("WIRE-INT", "address", "Αθήνα"),
    ] {
        let mut body = bodies::node(kind);
        body["info"][field] = json!(text);
        let error = desk.us.create_node(&body).await.refused(400, "200");
        assert_eq!(error["field"], format!("info.{field}"), "{kind}: {error}");
        body["info"][field] = json!("Đặng Thị Ngọc");
        let _ = desk.us.create_node(&body).await.ok();
    }
    let mut check = bodies::node("CHECK-US");
    check["info"]["payee_name"] = json!("Li 李");
    let _ = desk.us.create_node(&check).await.ok();
}

/// Creates a node with an unwritable name, stored before names were checked. Returns its id.
async fn old_node(desk: &Desk) -> String {
    let engine = &desk.app.service.engine;
    let user: UserId = desk.us.user_id.parse().expect("an id");
    let found = engine.reads().aggregates().records(shard(), &[user.into()]).await.expect("it reads");
    let platform: PlatformId = found.user(user).expect("it is there").platform;
    let keys = engine.vault().keys(shard(), Uuid::from(user)).await.expect("it reads");
    let (now, entropy) = (engine.clock().now(), engine.entropy());
    let details = NodeDetails {
        account_num: Some("1232225674134".into()),
        routing_num: Some(bodies::ROUTING_NUMBER.into()),
        name_on_account: Some("Li 李".into()),
        ..NodeDetails::default()
    };
    let id = NodeId::from_u128(entropy.ulid(now));
    let create = Create {
        id,
        platform,
        user,
        kind: NodeKind::AchUs,
        is_active: true,
        gateway_restricted: false,
        micro_deposits: None,
        details: Sealer::new(keys.expect("a key"), now, entropy)
            .seal(Class::Profile, &details)
            .expect("it seals"),
    };
    engine.submit(Call::of(shard()), Command::CreateNode(create)).await.expect("it is made");
    id.to_string()
}

#[tokio::test]
async fn stored_unwritable_name_returns_payment_with_d01() {
    let desk = Desk::new().await;
    let (here, old) = (desk.us.funded("20").await, old_node(&desk).await);
    let unwritable = desk.moved(&here, "ACH-US", &old, "5").await;
    let other = desk.account("PERSONAL").await;
    desk.moved(&here, "ACH-US", &other, "7.07").await;
    let _ = desk.app.client.advance(1_200).await.ok();
    let status = desk.code_of(&here, &unwritable).await;
    let note =
        "Transaction Returned. D01: A name or an address cannot be written in the characters of banks.";
    assert_eq!((&status["code"], &status["note"]), (&json!("D01"), &json!(note)));
    let listed = desk.returned().await;
    assert_eq!((&listed[0]["_id"], &listed[0]["code"]), (&json!(unwritable), &json!("D01")));
    assert_eq!(listed[0]["reason"], "A name or an address cannot be written in the characters of banks");
    assert_eq!((&listed[0]["to"]["id"], listed.len()), (&json!(old), 1));
    // It delays no other payment, and no file for the bank contains it.
    assert_eq!(desk.batch_of("000707").await, "PPDPAYMENT");
    assert!(desk.texts().await.iter().all(|text| !text.contains("0000000500")));
    assert_eq!(desk.us.numbers(&here).await, "12.93 0.00 12.93 0.00");
}

#[tokio::test]
async fn debit_return_cancels_pending_pulls() {
    for code in ["R02", "R10"] {
        let desk = Desk::new().await;
        let (bank, here) = (desk.account("PERSONAL").await, desk.us.node("DEPOSIT-US").await);
        let first = desk.moved(&bank, "DEPOSIT-US", &here, "31.01").await;
        let second = desk.moved(&bank, "DEPOSIT-US", &here, "32.02").await;
        for id in [&first, &second] {
            let _ = desk.app.client.simulate(id, "process", &json!({})).await.ok();
        }
        let _ = desk.app.client.simulate(&first, "return", &json!({"code": code})).await.ok();
        let _ = desk.app.client.advance(1_200).await.ok();
        assert_eq!(desk.code_of(&here, &second).await["code"], "D02", "{code}");
        assert!(desk.texts().await.iter().all(|text| !text.contains("0000003202")), "{code}");
    }
}

#[tokio::test]
async fn bounced_pull_can_be_presented_again() {
    let desk = Desk::new().await;
    let (bank, here) = (desk.account("PERSONAL").await, desk.us.node("DEPOSIT-US").await);
    let first = desk.moved(&bank, "DEPOSIT-US", &here, "41.01").await;
    let act = json!({"kind": "present_again", "trans_id": first});
    assert_eq!(desk.act(&act).await.refused(400, "410")["code"], "cannot_present_transaction");
    let _ = desk.app.client.simulate(&first, "settle", &json!({})).await.ok();
    let _ = desk.app.client.simulate(&first, "return", &json!({"code": "R09"})).await.ok();
    assert_eq!(desk.act(&act).await.ok()["status"], "DONE");
    let again = first.parse::<TransactionId>().expect("an id").again(1).to_string();
    let made = desk.us.get_transaction(&here, &again).await.ok();
    assert_eq!(made["timeline"][0]["note"], format!("Transaction Created. It presents {first} again."));
    assert_eq!((&made["amount"]["amount"], &made["from"]["id"]), (&json!(41.01), &json!(bank)));
    assert_eq!(desk.act(&act).await.refused(400, "410")["code"], "cannot_present_transaction");
    let _ = desk.app.client.advance(1_200).await.ok();
    let batch = until("it is in a file", async || {
        let texts = desk.texts().await;
        texts.iter().find(|text| text.contains("WEBRETRY PYMT") && text.contains("0000004101")).cloned()
    });
    assert!(batch.await.contains("5225"));
}
