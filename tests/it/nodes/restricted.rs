//! Nodes restricted to gateway transactions, of every type.

use daybook_tests::bodies::{node, transfer_to};
use serde_json::json;

use crate::world::World;

#[tokio::test]
async fn restricted_node_is_debited_by_gateway_only() {
    let world = World::new().await;
    let (us, client) = (&world.us, &world.app.client);
    let other = world.app.platform("Other", true).await;
    for kind in ["LEDGER-US", "DEPOSIT-US", "SUBACCOUNT-US", "CLEARING-US", "PARTNER-SUBACCOUNT-US"] {
        let mut body = node(kind);
        body["extra"] = json!({"gateway_restricted": true});
        let made = us.create_node(&body).await.ok();
        let id = made["nodes"][0]["_id"].as_str().expect("an id");
        let _ = us.transfer(&world.node, &transfer_to(kind, id, "1")).send().await.ok();
        let debit = || us.transfer(id, &transfer_to("DEPOSIT-US", &world.to, "1"));
        assert_eq!(debit().send().await.refused(401, "300")["code"], "gateway_restricted", "{kind}");
        for wrong in [other.gateway(), format!("{}x", client.gateway())] {
            debit().header("X-SP-GATEWAY", wrong).send().await.refused(401, "100");
        }
        let _ = debit().header("X-SP-GATEWAY", client.gateway()).send().await.ok();
    }
}
