//! Lists that grow, and that members leave, while they are read.

use std::sync::atomic::{AtomicBool, Ordering};

use daybook_tests::app::TestApp;
use daybook_tests::bodies::person;
use daybook_tests::client::Session;
use futures::future::join_all;
use serde_json::json;

use super::{List, id_of};

/// Whether `part` stands in `whole` in the same order.
fn is_within(part: &[String], whole: &[String]) -> bool {
    let mut rest = whole.iter();
    part.iter().all(|one| rest.any(|other| other == one))
}

async fn go_away(session: &Session) {
    let body = json!({"permission": "MAKE-IT-GO-AWAY"});
    assert_eq!(session.call("PATCH", "").json(&body).send().await.ok()["permission"], "MAKE-IT-GO-AWAY");
}

#[tokio::test]
async fn every_page_is_exact_while_users_come_and_go() {
    let app = TestApp::start().await;
    let client = &app.client;
    let early = join_all((0..10).map(async |number| client.stranger(&format!("Early {number}")).await)).await;
    let before = List::users(client).all(100).await;
    let is_over = &AtomicBool::new(false);
    let coming = async {
        let mut came = vec![];
        for number in 0..20 {
            came.push(id_of(&client.create_user(&person(&format!("Late {number}"))).await.ok()));
        }
        came
    };
    let going = async {
        for session in early.iter().step_by(2) {
            go_away(session).await;
        }
    };
    let reading = async {
        let mut pages = vec![];
        while !is_over.load(Ordering::Relaxed) {
            // Its numbers fit to each other, or `page` says so.
            pages.push(List::users(client).page(1, 100).await.0);
            List::users(client).page(2, 7).await;
        }
        pages
    };
    let changing = async {
        let (came, ()) = tokio::join!(coming, going);
        is_over.store(true, Ordering::Relaxed);
        came
    };
    let (came, pages) = tokio::join!(changing, reading);
    let left: Vec<&str> = early.iter().step_by(2).map(|session| session.user_id.as_str()).collect();
    let all = [before, came].concat();
    let expected: Vec<String> = all.iter().filter(|id| !left.contains(&id.as_str())).cloned().collect();
    assert_eq!(expected.len(), 1 + 5 + 20);
    for per_page in [1, 4, 100] {
        assert_eq!(List::users(client).all(per_page).await, expected);
    }
    assert!(pages.len() > 3 && pages.iter().all(|page| is_within(page, &all)));
}

#[tokio::test]
async fn a_page_that_was_full_stays_as_it_is() {
    let app = TestApp::start().await;
    let us = app.client.own_session().await;
    let (from, to) = (us.funded("100").await, us.node("DEPOSIT-US").await);
    for _ in 0..5 {
        us.sent(&from, &to, "1").await;
        us.subnet(&from).await;
        app.client.create_user(&person("Ada")).await.ok();
    }
    let lists = [
        List::transactions(&app.client),
        List::nodes(&app.client),
        List::users(&app.client),
        List::of_node(&us, &from, "trans", "trans_count"),
        List::of_node(&us, &from, "subnets", "subnets_count"),
    ];
    let firsts = join_all(lists.iter().map(|list| list.page(1, 3))).await;
    for round in 1..=10 {
        let somebody = person("Ada");
        let (.., user) = tokio::join!(
            us.sent(&from, &to, "1"),
            us.subnet(&from),
            us.node("LEDGER-US"),
            app.client.create_user(&somebody)
        );
        let _ = user.ok();
        for (list, (ids, total)) in lists.iter().zip(&firsts) {
            assert_eq!(list.page(1, 3).await, (ids.clone(), total + round), "{}", list.records);
        }
    }
}
