//! Lists: every record exactly once, in the order of creation, with the exact total, also during changes.

mod filters;
mod growing;
mod order;

use daybook_tests::client::{Client, Session};
use daybook_tests::http::Call;
use serde_json::Value;

/// A list: the call that reads it, and the names of its records and of their total in the answer.
struct List<'a> {
    ask: Box<dyn Fn(&str) -> Call + 'a>,
    records: &'static str,
    count: &'static str,
}

/// One page: the ids on it, and the total number of records.
type Page = (Vec<String>, u64);

impl<'a> List<'a> {
    fn of_platform(client: &'a Client, path: &'a str, records: &'static str, count: &'static str) -> Self {
        Self { ask: Box::new(move |query| client.call("GET", &format!("{path}{query}"))), records, count }
    }

    fn users(client: &'a Client) -> Self {
        Self::of_platform(client, "/users", "users", "users_count")
    }

    fn nodes(client: &'a Client) -> Self {
        Self::of_platform(client, "/nodes", "nodes", "node_count")
    }

    fn transactions(client: &'a Client) -> Self {
        Self::of_platform(client, "/trans", "trans", "trans_count")
    }

    fn subscriptions(client: &'a Client) -> Self {
        Self::of_platform(client, "/subscriptions", "subscriptions", "subscriptions_count")
    }

    fn of_node(session: &'a Session, node: &'a str, what: &'static str, count: &'static str) -> Self {
        let ask = move |query: &str| session.call("GET", &format!("/nodes/{node}/{what}{query}"));
        Self { ask: Box::new(ask), records: what, count }
    }

    /// Reads a page and checks that its numbers agree.
    async fn page(&self, number: u64, per_page: u64) -> Page {
        let body = (self.ask)(&format!("?page={number}&per_page={per_page}")).send().await.ok();
        let id = |record: &Value| record["_id"].as_str().expect("an id").to_owned();
        let ids: Vec<String> = body[self.records].as_array().expect("a list").iter().map(id).collect();
        let total = body[self.count].as_u64().expect("a number");
        assert_eq!(body["page"], number);
        assert_eq!(body["limit"], per_page);
        assert_eq!(body["page_count"], total.div_ceil(per_page));
        let left = total.saturating_sub((number - 1) * per_page).min(per_page);
        assert_eq!(ids.len() as u64, left, "page {number} of {total} by {per_page}");
        (ids, total)
    }

    /// Reads all ids in pages of this size, up to the first empty page. The list must not change meanwhile.
    async fn all(&self, per_page: u64) -> Vec<String> {
        let mut all = vec![];
        for number in 1.. {
            let (ids, total) = self.page(number, per_page).await;
            if ids.is_empty() {
                assert_eq!(total, all.len() as u64);
                break;
            }
            all.extend(ids);
        }
        all
    }
}

fn id_of(record: &Value) -> String {
    record["_id"].as_str().expect("an id").to_owned()
}
