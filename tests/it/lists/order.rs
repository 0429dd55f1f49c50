//! Order of lists: records appear in the order of creation, separately for each platform.

use daybook_tests::app::TestApp;
use daybook_tests::bodies::{node, person};
use daybook_tests::client::{Client, DEVICE};
use serde_json::json;

use super::{List, id_of};

/// Ids of the objects that were created on a platform, in order.
struct Made {
    client: Client,
    users: Vec<String>,
    nodes: Vec<String>,
    transactions: Vec<String>,
    subnets: Vec<String>,
    subscriptions: Vec<String>,
}

impl Made {
    /// Creates seven objects of each kind, in addition to the platform's initial user and node.
    async fn on(client: Client) -> Self {
        let us = client.own_session().await;
        let reserve = us.call("GET", "/nodes").send().await.ok()["nodes"][0].clone();
        let (mut users, mut nodes) = (vec![client.user_id.clone()], vec![id_of(&reserve)]);
        let (mut transactions, mut subnets, mut subscriptions) = (vec![], vec![], vec![]);
        for number in 0..7 {
            users.push(id_of(&client.create_user(&person(&format!("User {number}"))).await.ok()));
            nodes.push(us.node("DEPOSIT-US").await);
            subnets.push(id_of(&us.subnet(&nodes[1]).await));
            let subscription = json!({"url": "example.com", "scope": ["TRANS|POST"]});
            let call = client.call("POST", "/subscriptions").json(&subscription);
            subscriptions.push(id_of(&call.send().await.ok()));
        }
        for number in 0..7 {
            // The two nodes pay each other in turn.
            let (from, to) = if number % 2 == 0 { (1, 2) } else { (2, 1) };
            transactions.push(us.sent(&nodes[from], &nodes[to], "1").await);
        }
        Self { client, users, nodes, transactions, subnets, subscriptions }
    }
}

#[tokio::test]
async fn lists_follow_creation_order_per_platform() {
    let app = TestApp::start().await;
    let other = app.platform("Other", true).await;
    let made = [Made::on(app.client.clone()).await, Made::on(other).await];
    for made in &made {
        let us = made.client.own_session().await;
        let (first, second) = (&made.nodes[1], &made.nodes[2]);
        let lists = [
            (List::users(&made.client), &made.users),
            (List::nodes(&made.client), &made.nodes),
            (List::subscriptions(&made.client), &made.subscriptions),
            (List::of_node(&us, first, "trans", "trans_count"), &made.transactions),
            (List::of_node(&us, second, "trans", "trans_count"), &made.transactions),
            (List::of_node(&us, first, "subnets", "subnets_count"), &made.subnets),
        ];
        for (list, expected) in lists {
            for per_page in [1, 3, 100] {
                assert_eq!(&list.all(per_page).await, expected, "{} by {per_page}", list.records);
            }
            let beyond = list.page(4_294_967_295, 100).await;
            assert_eq!(beyond, (vec![], expected.len() as u64));
            for query in ["?page=0", "?page=x", "?per_page=0", "?per_page=101"] {
                (list.ask)(query).send().await.refused(400, "200");
            }
        }
        // The first transaction is the initial funding of the sandbox's reserve.
        assert_eq!(List::transactions(&made.client).all(3).await[1..], made.transactions);
        assert_eq!(List::of_node(&us, &made.nodes[3], "trans", "trans_count").all(3).await, [""; 0]);
    }
}

#[tokio::test]
async fn platform_lists_show_the_owners_records() {
    let app = TestApp::start().await;
    let (ada, bob) = (app.client.verified("Ada").await, app.client.verified("Bob").await);
    let (from, to) = (ada.funded("10").await, bob.node("DEPOSIT-US").await);
    let id = ada.sent(&from, &to, "1").await;
    ada.when(&from, &id, "SETTLED").await;
    let bare = |mut record: serde_json::Value| {
        record.as_object_mut().expect("a record").retain(|field, _| !field.ends_with("_code"));
        record
    };
    let listed = app.client.call("GET", "/nodes?per_page=100").send().await.ok()["nodes"].clone();
    for (session, node) in [(&ada, &from), (&bob, &to)] {
        let own = bare(session.get_node(node).await.ok());
        assert!(listed.as_array().expect("a list").contains(&own), "{own}");
    }
    let listed = app.client.call("GET", "/trans?per_page=100").send().await.ok()["trans"].clone();
    let own = bare(ada.get_transaction(&from, &id).await.ok());
    assert_eq!(listed.as_array().expect("a list").last(), Some(&own));
    let of_node = async |node: &str| bob.call("GET", &format!("/nodes/{node}/trans")).send().await;
    assert_eq!(of_node(&to).await.ok()["trans"], json!([bare(bob.get_transaction(&to, &id).await.ok())]));
    of_node(&from).await.refused(404, "404");
}

#[tokio::test]
async fn inactive_nodes_are_in_no_list() {
    let app = TestApp::start().await;
    let ada = app.client.stranger("Ada").await;
    let before = List::nodes(&app.client).all(2).await;
    let mut expected = before.clone();
    for is_active in [true, false, true, false, true] {
        let mut body = node("DEPOSIT-US");
        body["is_active"] = json!(is_active);
        let made = ada.create_node(&body).await.ok();
        if is_active {
            expected.push(id_of(&made["nodes"][0]));
        }
    }
    for per_page in [1, 2, 100] {
        assert_eq!(List::nodes(&app.client).all(per_page).await, expected);
    }
}

#[tokio::test]
async fn micro_deposits_are_listed_only_for_sender() {
    let app = TestApp::start().await;
    let (us, ada) = (app.client.own_session().await, app.client.stranger("Ada").await);
    let before = List::transactions(&app.client).all(100).await;
    let bank = ada.node("ACH-US").await;
    assert_eq!(List::of_node(&ada, &bank, "trans", "trans_count").all(100).await, [""; 0]);
    let sent = List::transactions(&app.client).all(100).await.split_off(before.len());
    assert_eq!(sent.len(), 2);
    let reserve = id_of(&us.call("GET", "/nodes?type=RESERVE-US").send().await.ok()["nodes"][0]);
    let of_reserve = List::of_node(&us, &reserve, "trans", "trans_count").all(100).await;
    assert!(of_reserve.ends_with(&sent), "{of_reserve:?}");
}

#[tokio::test]
async fn platform_lists_require_platform_credentials() {
    let app = TestApp::start().await;
    let us = app.client.own_session().await;
    for path in ["/users", "/nodes", "/trans", "/subscriptions"] {
        app.client.anonymous("GET", path).send().await.refused(401, "100");
        us.call_at("GET", path).send().await.refused(401, "100");
        let wrong = app.client.anonymous("GET", path).header("X-SP-GATEWAY", "client_id_x|client_secret_x");
        wrong.send().await.refused(401, "100");
        // An additional user key is ignored.
        let call = app.client.call("GET", path).header("X-SP-USER", format!("no-key|{DEVICE}"));
        let _ = call.send().await.ok();
    }
}
