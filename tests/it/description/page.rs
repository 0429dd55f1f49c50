//! The served description and the page that shows it.

use daybook_tests::app::TestApp;
use daybook_tests::http::{Answer, Call};
use daybook_tests::process::shell;

/// Files of the page, with their media types.
const FILES: [(&str, &str); 5] = [
    ("/docs", "text/html; charset=utf-8"),
    ("/docs/page.js", "text/javascript; charset=utf-8"),
    ("/docs/page.css", "text/css; charset=utf-8"),
    ("/docs/swagger-ui-bundle.js", "text/javascript; charset=utf-8"),
    ("/docs/swagger-ui.css", "text/css; charset=utf-8"),
];

fn header<'a>(answer: &'a Answer, name: &str) -> &'a str {
    answer.headers.get(name).map(|value| value.to_str().expect("text")).unwrap_or_default()
}

async fn get(app: &TestApp, path: &str) -> Answer {
    let answer = Call::new(app.address, "GET", path).send().await;
    // A client revalidates the file at each use and receives it again only if it changed.
    let kept = if answer.status == 200 { "no-cache" } else { "no-store" };
    assert_eq!(header(&answer, "cache-control"), kept, "{path}");
    assert_eq!(header(&answer, "x-content-type-options"), "nosniff", "{path}");
    answer
}

#[tokio::test]
async fn description_and_page_are_served_without_credentials() {
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
    // The root path also shows the page.
    let root = Call::new(app.address, "GET", "/").send().await;
    assert_eq!((root.status, header(&root, "content-type")), (200, "text/html; charset=utf-8"));
    assert_eq!(root.text(), get(&app, "/docs").await.text());
    // The page names its files without a host, so they are loaded from the same host.
    let page = get(&app, "/docs").await.text();
    assert!(!page.contains("://"), "{page}");
    get(&app, "/docs/swagger-ui.js").await.refused(404, "404");
    Call::new(app.address, "POST", "/docs").send().await.refused(400, "410");
}

#[tokio::test]
async fn page_files_are_compressed_and_revalidated() {
    let (app, folder) = (TestApp::start().await, tempfile::tempdir().expect("a folder"));
    for (path, _) in FILES {
        let plain = get(&app, path).await;
        let packed = Call::new(app.address, "GET", path).header("Accept-Encoding", "gzip, br").send().await;
        let is_packed = header(&packed, "content-encoding") == "gzip";
        assert_eq!(is_packed, path.contains("swagger"), "{path}");
        if is_packed {
            assert!(packed.body.len() * 3 < plain.body.len() && header(&packed, "vary") == "accept-encoding");
            std::fs::write(folder.path().join("packed.gz"), &packed.body).expect("written");
            let shown = shell(&format!("gzip -dc {}", folder.path().join("packed.gz").display()));
            assert_eq!(shown.as_bytes(), &plain.body[..], "{path}");
        }
        for answer in [plain, packed] {
            let (tag, how) = (header(&answer, "etag"), header(&answer, "content-encoding"));
            let again = Call::new(app.address, "GET", path).header("If-None-Match", tag);
            let again = again.header("Accept-Encoding", if how.is_empty() { "identity" } else { how });
            let again = again.send().await;
            assert_eq!((again.status, again.body.len(), header(&again, "etag")), (304, 0, tag), "{path}");
        }
    }
}
