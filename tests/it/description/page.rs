//! The description and its page, as they are served.

use daybook_tests::app::TestApp;
use daybook_tests::http::{Answer, Call};

/// What the page loads.
const FILES: [(&str, &str); 4] = [
    ("/docs", "text/html; charset=utf-8"),
    ("/docs/page.js", "text/javascript; charset=utf-8"),
    ("/docs/swagger-ui-bundle.js", "text/javascript; charset=utf-8"),
    ("/docs/swagger-ui.css", "text/css; charset=utf-8"),
];

fn header<'a>(answer: &'a Answer, name: &str) -> &'a str {
    answer.headers.get(name).map(|value| value.to_str().expect("text")).unwrap_or_default()
}

async fn get(app: &TestApp, path: &str) -> Answer {
    let answer = Call::new(app.address, "GET", path).send().await;
    assert_eq!(header(&answer, "cache-control"), "no-store", "{path}");
    assert_eq!(header(&answer, "x-content-type-options"), "nosniff", "{path}");
    answer
}

#[tokio::test]
async fn anybody_gets_the_description_and_the_page_that_shows_it() {
    let app = TestApp::start().await;
    let description = get(&app, "/openapi.json").await;
    assert_eq!((description.status, header(&description, "content-type")), (200, "application/json"));
    assert_eq!(description.text(), daybook_api::description::json());
    for (path, kind) in FILES {
        let file = get(&app, path).await;
        assert_eq!((file.status, header(&file, "content-type")), (200, kind), "{path}");
        let policy = header(&file, "content-security-policy");
        assert!(policy.starts_with("default-src 'none'; script-src 'self';"), "{path}: {policy}");
        assert!(!policy.contains("http") && !policy.contains('*'), "{path}: {policy}");
    }
    // Names without a host are read below the page's own.
    let page = get(&app, "/docs").await.text();
    assert!(!page.contains("://"), "{page}");
    get(&app, "/docs/swagger-ui.js").await.refused(404, "404");
    Call::new(app.address, "POST", "/docs").send().await.refused(400, "410");
}
