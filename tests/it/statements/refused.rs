//! Requests for statements that do not exist, and by users without access.

use daybook_domain::calendar::Month;
use daybook_tests::http::Call;

use super::{month, next_month, of_node, still};

#[tokio::test]
async fn invalid_statement_ids_are_not_found() {
    let (app, us) = still().await;
    let (node, second) = (us.node("DEPOSIT-US").await, us.node("DEPOSIT-US").await);
    let outside = us.bank().await;
    let made = month(&app).await;
    let now = next_month(&app).await;
    let id = |node: &str, month: Month| format!("{node}-USD-{month}");
    let call = |id: &str, end: &str| us.call("GET", &format!("/nodes/{node}/statements/{id}{end}"));
    for end in ["", ".csv"] {
        assert_eq!(call(&id(&node, made), end).send().await.status, 200);
        assert_eq!(call(&format!("{node}-EUR-{made}"), end).send().await.status, 200);
        let strange = [
            // A month that is not over, and one before the account existed.
            id(&node, now),
            id(&node, made.previous()),
            // The statement of another node.
            id(&second, made),
            id("01ARZ3NDEKTSV4RRFFQ69G5FAV", made),
            format!("{node}-XYZ-{made}"),
            format!("{node}-USD-{made}-01"),
            format!("{node}-USD-9999-12"),
            format!("{node}-USD-0000-01"),
            node.clone(),
            "x".to_owned(),
        ];
        for strange in strange {
            call(&strange, end).send().await.refused(404, "404");
        }
        let elsewhere = us.call("GET", &format!("/nodes/{outside}/statements/{}{end}", id(&outside, made)));
        assert_eq!(elsewhere.send().await.refused(400, "410")["code"], "node_not_held");
        us.call("DELETE", &format!("/nodes/{node}/statements/{}{end}", id(&node, made)))
            .send()
            .await
            .refused(400, "410");
    }
    for path in ["/statements".to_owned(), format!("/nodes/{node}/statements")] {
        let call = |query: &str| us.call("GET", &format!("{path}?{query}"));
        assert_eq!(call("currency=EUR").send().await.raw("statements.0.ending_balance"), "0.00");
        for (query, field) in [("currency=eur", "currency"), ("at=1", "at")] {
            assert_eq!(call(query).send().await.refused(400, "200")["field"], field);
        }
    }
    let elsewhere = us.call("GET", &format!("/nodes/{outside}/statements")).send().await;
    assert_eq!(elsewhere.refused(400, "410")["code"], "node_not_held");
    us.call("GET", "/nodes/01ARZ3NDEKTSV4RRFFQ69G5FAV/statements").send().await.refused(404, "404");
}

#[tokio::test]
async fn statement_link_requires_a_key() {
    let (app, us) = still().await;
    let node = us.node("DEPOSIT-US").await;
    next_month(&app).await;
    let statement = &of_node(&us, &node).await[0];
    let stranger = app.client.stranger("Bea Example").await;
    for link in ["json", "csv"] {
        let url = statement["urls"][link].as_str().expect("a link");
        let path = &url[url.find("/v3.1").expect("a path")..];
        Call::new(app.address, "GET", path).send().await.refused(401, "300");
        stranger.call_at("GET", &path["/v3.1".len()..]).send().await.refused(404, "404");
    }
}
