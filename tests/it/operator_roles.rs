//! Roles of operators: each opens its calls and commands, on its platforms.

use std::collections::BTreeSet;

use daybook_domain::PlatformId;
use daybook_domain::roles::Role;
use daybook_engine::access::parse_operator_id;
use daybook_tests::app::TestApp;
use daybook_tests::client::Client;
use daybook_tests::http::{Answer, Call};
use daybook_tests::operator::Operator;
use daybook_tests::process::{run, run_with};
use serde_json::{Value, json};

use crate::restart::{credentials, folder_with_key};
use crate::routes::{By, ROUTES, Route};

/// Gives an operator these roles, and no others.
async fn give(app: &TestApp, operator: &Operator, roles: &[(Role, Option<PlatformId>)]) {
    let id = parse_operator_id(&operator.operator_id).expect("an id");
    let roles: BTreeSet<_> = roles.iter().copied().collect();
    app.service.engine.set_roles(id, roles).await.expect("is accepted");
}

async fn id_of(app: &TestApp, platform: &Client) -> PlatformId {
    let found = app.service.engine.access().platform_of_client(&platform.client_id).await;
    found.expect("reads").expect("is there").id
}

/// Sends a call of an operator about a platform. All other ids are unknown.
async fn send(operator: &Operator, route: &Route, platform: &str) -> Answer {
    let part = |part: &'static str| match part {
        "{platform}" => platform.to_owned(),
        part if part.starts_with('{') => "01ARZ3NDEKTSV4RRFFQ69G5FAV".to_owned(),
        part => part.to_owned(),
    };
    let path: Vec<String> = route.path().split('/').map(part).collect();
    let call = Call::new(operator.address, route.method(), &path.join("/"));
    call.header("X-SP-OPERATOR", operator.credentials()).body(String::new()).send().await
}

/// True if the role opens the call, as the documentation says.
fn opens(role: Role, route: &Route) -> bool {
    let is_review = route.path().ends_with("/approve") || route.path().ends_with("/decline");
    let is_read = route.method() == "GET";
    match role {
        Role::Auditor => is_read,
        Role::Support => false,
        Role::Operator => !is_review,
        Role::Approver => is_read || is_review,
        Role::Admin => true,
    }
}

#[tokio::test]
async fn roles_open_exactly_their_calls() {
    let app = TestApp::start().await;
    let (ada, bob) = (app.operator("Ada").await, app.operator("Bob").await);
    give(&app, &ada, &[(Role::Admin, None)]).await;
    let calls: Vec<&Route> = ROUTES.iter().filter(|route| route.by == By::Operator).collect();
    assert!(calls.len() > 15, "{}", calls.len());
    for role in Role::ALL {
        give(&app, &bob, &[(role, None)]).await;
        for route in &calls {
            let answer = send(&bob, route, &app.client.client_id).await;
            let is_open = route.path().ends_with("/operators/me") || opens(role, route);
            if is_open {
                assert_ne!(answer.status, 401, "{role:?} {}: {answer:?}", route.call);
            } else {
                assert_eq!(answer.refused(401, "300")["code"], "role_required", "{role:?} {}", route.call);
            }
        }
    }
    give(&app, &bob, &[]).await;
    for route in calls.iter().filter(|route| route.path().contains("{platform}")) {
        send(&bob, route, &app.client.client_id).await.refused(404, "404");
    }
}

#[tokio::test]
async fn platforms_without_role_do_not_exist() {
    let app = TestApp::start().await;
    let (ada, bob) = (app.operator("Ada").await, app.operator("Bob").await);
    let other = app.platform("Other", true).await;
    give(&app, &ada, &[(Role::Admin, None)]).await;
    give(&app, &bob, &[(Role::Operator, Some(id_of(&app, &app.client).await))]).await;
    let queued = |platform: &str| format!("/platforms/{platform}/queued");
    let _ = bob.get(&queued(&app.client.client_id)).await.ok();
    let theirs = bob.get(&queued(&other.client_id)).await;
    theirs.refused(404, "404");
    assert_eq!(theirs.text(), bob.get(&queued("client_id_of_nobody")).await.text());
    let _ = ada.get(&queued(&other.client_id)).await.ok();
}

#[tokio::test]
async fn demoted_operator_acts_no_more() {
    let app = TestApp::start().await;
    let (ada, bob) = (app.operator("Ada").await, app.operator("Bob").await);
    let platform = format!("/platforms/{}/operations", app.client.client_id);
    let operate = async |by: &Operator, act: &Value| {
        by.call("POST", &platform).json(&json!({"act": act, "reason": "A ticket."})).send().await
    };
    let us = app.client.own_session().await;
    let lock = json!({"kind": "lock_node", "node_id": us.node("DEPOSIT-US").await});
    let policy = json!({"kind": "set_policy", "policy": {"approvals": ["lock"]}});
    give(&app, &ada, &[(Role::Operator, None)]).await;
    assert_eq!(operate(&ada, &policy).await.refused(401, "300")["code"], "role_required");
    let _ = operate(&bob, &policy).await.ok();
    let asked = operate(&ada, &lock).await.ok();
    assert_eq!(asked["status"], "WAITING");
    give(&app, &ada, &[(Role::Approver, None)]).await;
    assert_eq!(operate(&ada, &lock).await.refused(401, "300")["code"], "role_required");
    let approve = format!("{platform}/{}/approve", asked["_id"].as_str().expect("an id"));
    let reviewed = bob.call("POST", &approve).json(&json!({})).send().await.ok();
    assert_eq!(reviewed["status"], "DECLINED", "{reviewed}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn command_sets_roles_and_obeys_them() {
    let app = TestApp::start().await;
    let folder = folder_with_key();
    let key = folder.path().join("master.key").display().to_string();
    let on: Vec<String> =
        app.database.options().into_iter().chain(["--master-key".to_owned(), key]).collect();
    let (ada, bob) = (app.operator("Ada").await, app.operator("Bob").await);
    let command = |args: &[&str]| run(args.iter().copied().chain(on.iter().map(String::as_str)));
    let roles = |of: &Operator, roles: &[&str]| {
        command(&[&["operator", "roles", &of.operator_id, "--json"], roles].concat())
    };
    let shown = |of: &Operator| credentials(&roles(of, &[]))["roles"].clone();
    assert_eq!(shown(&bob), json!([{"role": "admin", "client_id": null}]));
    let on_one = format!("operator@{}", app.client.client_id);
    let set = credentials(&roles(&bob, &["auditor", &on_one]));
    let expected = json!([{"role": "auditor", "client_id": null}, {"role": "operator", "client_id": app.client.client_id}]);
    assert_eq!(set["roles"], expected);
    assert_eq!(shown(&ada), json!([{"role": "admin", "client_id": null}]));
    for (of, wrong) in [(&ada, "none"), (&ada, "auditor"), (&bob, "owner"), (&bob, "auditor@nobody")] {
        assert!(!roles(of, &[wrong]).status.success(), "{wrong}");
    }
    assert_eq!(shown(&bob), expected);

    let secret = [("DAYBOOK_OPERATOR_SECRET", bob.operator_secret.as_str())];
    let ops = |args: &[&str]| {
        let who = ["--platform", &app.client.client_id, "--operator", &bob.operator_id];
        let args = ["ops"].into_iter().chain(args.iter().copied()).chain(who);
        run_with(&secret, args.chain(on.iter().map(String::as_str)))
    };
    assert!(roles(&bob, &["approver"]).status.success());
    assert!(ops(&["queued"]).status.success());
    let act = r#"{"kind": "lock_node", "node_id": "01ARZ3NDEKTSV4RRFFQ69G5FAV"}"#;
    let refused = ops(&["operate", act, "--reason", "A ticket."]);
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success() && said.contains("needs the right to act"), "{said}");
    assert!(roles(&bob, &["none"]).status.success());
    assert!(!ops(&["queued"]).status.success());
}
