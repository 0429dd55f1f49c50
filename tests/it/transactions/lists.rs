//! Lists of transactions: exact totals and pages, also while they grow.

use std::collections::HashSet;

use daybook_tests::app::TestApp;
use futures::future::join_all;

use super::{own, trans_count};

#[tokio::test]
async fn pages_cover_the_list_while_it_grows() {
    let app = TestApp::start().await;
    let us = own(&app).await;
    let before = trans_count(&us).await;
    let (from, to) = (us.funded("100").await, us.node("DEPOSIT-US").await);
    let old: HashSet<String> =
        join_all((0..45).map(|_| us.sent(&from, &to, "0.01"))).await.into_iter().collect();
    let growing = async {
        for _ in 0..20 {
            us.sent(&from, &to, "0.01").await;
        }
    };
    let reading = async {
        let mut seen = Vec::new();
        let mut totals = Vec::new();
        for page in 1.. {
            let body = us.call("GET", &format!("/trans?page={page}&per_page=7")).send().await.ok();
            let total = body["trans_count"].as_i64().expect("a number");
            assert_eq!(body["page_count"].as_i64(), Some((total + 6) / 7));
            totals.push(total);
            let records = body["trans"].as_array().expect("a list");
            seen.extend(records.iter().map(|record| record["_id"].as_str().expect("an id").to_owned()));
            if records.is_empty() {
                break;
            }
        }
        (seen, totals)
    };
    let ((), (seen, totals)) = tokio::join!(growing, reading);
    assert!(totals.is_sorted(), "{totals:?}");
    let seen: HashSet<String> = seen.into_iter().collect();
    assert!(old.is_subset(&seen), "{} skipped", old.difference(&seen).count());
    assert_eq!(trans_count(&us).await, before + 1 + 45 + 20);
}

#[tokio::test]
async fn transfer_between_own_nodes_is_listed_once() {
    let app = TestApp::start().await;
    let us = own(&app).await;
    let (from, to) = (us.funded("1").await, us.node("DEPOSIT-US").await);
    let before = trans_count(&us).await;
    let id = us.sent(&from, &to, "1").await;
    let body = us.call("GET", "/trans?per_page=100").send().await.ok();
    let found = body["trans"].as_array().expect("a list").iter().filter(|record| record["_id"] == id).count();
    assert_eq!((body["trans_count"].as_i64(), found), (Some(before + 1), 1));
}
