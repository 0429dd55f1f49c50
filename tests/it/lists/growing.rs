//! Lists that gain and lose members while they are read.

use std::sync::atomic::{AtomicBool, Ordering};

use daybook_tests::app::TestApp;
use daybook_tests::bodies::person;
use futures::future::join_all;
use serde_json::json;

use super::{List, id_of};

/// Returns true if `whole` contains the elements of `part` in the same order.
fn is_within(part: &[String], whole: &[String]) -> bool {
    let mut rest = whole.iter();
    part.iter().all(|one| rest.any(|other| other == one))
}

/// Reads a list repeatedly until all members of `coming` are added and all of `going` are removed. [`List::page`]
/// checks that the numbers of each page agree.
async fn race(
    list: List<'_>,
    coming: impl Future<Output = Vec<String>>,
    going: impl Future<Output = Vec<String>>,
) {
    let before = list.all(100).await;
    let is_over = &AtomicBool::new(false);
    let reading = async {
        let mut pages = vec![];
        while !is_over.load(Ordering::Relaxed) {
            pages.push(list.page(1, 100).await.0);
            list.page(2, 7).await;
        }
        pages
    };
    let changing = async {
        let changed = tokio::join!(coming, going);
        is_over.store(true, Ordering::Relaxed);
        changed
    };
    let ((came, gone), pages) = tokio::join!(changing, reading);
    let all = [before, came].concat();
    let expected: Vec<String> = all.iter().filter(|id| !gone.contains(id)).cloned().collect();
    assert_eq!(expected.len(), all.len() - gone.len());
    for per_page in [1, 4, 100] {
        assert_eq!(list.all(per_page).await, expected);
    }
    assert!(pages.iter().all(|page| is_within(page, &all)));
}

#[tokio::test]
async fn user_pages_stay_exact_during_changes() {
    let app = TestApp::start().await;
    let client = &app.client;
    let early = join_all((0..10).map(async |number| client.stranger(&format!("Early {number}")).await)).await;
    let coming = async {
        let mut came = vec![];
        for number in 0..20 {
            came.push(id_of(&client.create_user(&person(&format!("Late {number}"))).await.ok()));
        }
        came
    };
    let going = async {
        let mut gone = vec![];
        for user in early.iter().step_by(2) {
            let answer = user.call("PATCH", "").json(&json!({"permission": "MAKE-IT-GO-AWAY"})).send().await;
            gone.push(id_of(&answer.ok()));
        }
        gone
    };
    race(List::users(client), coming, going).await;
}

#[tokio::test]
async fn node_pages_stay_exact_during_changes() {
    let app = TestApp::start().await;
    let us = &app.client.stranger("Ada").await;
    let early = join_all((0..20).map(async |_| us.node("DEPOSIT-US").await)).await;
    let coming = async {
        let mut came = vec![];
        for _ in 0..20 {
            came.push(us.node("LEDGER-US").await);
        }
        came
    };
    let going = async {
        let mut gone = vec![];
        for node in early.iter().step_by(2) {
            gone.push(id_of(&us.call("DELETE", &format!("/nodes/{node}")).send().await.ok()));
        }
        gone
    };
    race(List::nodes(&app.client), coming, going).await;
}

#[tokio::test]
async fn full_page_never_changes() {
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
