//! A damaged page of a table: calls that need it get 503 and each occurrence is counted, all other calls are answered,
//! and the service recovers when the page is restored.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt;

use daybook_cli::anchor::AnchorMetrics;
use daybook_pg::Error;
use daybook_pg::embedded::StopMode;
use daybook_tests::app::TestApp;
use daybook_tests::client::until;
use serde_json::json;

use super::{Server, status};
use crate::restart::at;
use crate::watching::value;

/// Number of statements that found damage. The counter belongs to the whole process, so other tests may add to it.
async fn counted(app: &TestApp) -> f64 {
    let text = app.service.metrics(&AnchorMetrics::default()).text().await.expect("text");
    value(&text, "daybook_db_damaged_total", &[])
}

/// A page of a table whose middle is overwritten until it is mended.
struct Page {
    file: File,
    whole: [u8; 16],
}

impl Page {
    const MIDDLE: u64 = 4_096;

    /// Path of the file of `table`, as soon as it has a page. Needs a running projection.
    async fn of(server: &Server, table: &str) -> String {
        let sql = format!(
            "select current_setting('data_directory') || '/' || pg_relation_filepath('{table}')
              where pg_relation_size('{table}') > 0"
        );
        let client = server.pg.client().await.expect("connects");
        until("there is a page", async || {
            client.query_opt(&sql, &[]).await.expect("is").map(|row| row.get(0))
        })
        .await
    }

    /// Damages the first page of the file `path` while the server is stopped.
    async fn damage(server: &Server, path: &str) -> Self {
        server.pg.close();
        server.cluster.stop(StopMode::Fast).await.expect("it stops");
        let file = OpenOptions::new().read(true).write(true).open(path).expect("a file");
        let mut whole = [0; 16];
        file.read_exact_at(&mut whole, Self::MIDDLE).expect("a page");
        file.write_all_at(&whole.map(|byte| !byte), Self::MIDDLE).expect("written");
        server.cluster.start().await.expect("it starts");
        Self { file, whole }
    }

    fn mend(&self) {
        self.file.write_all_at(&self.whole, Self::MIDDLE).expect("written");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn damaged_page_returns_503_and_is_counted() {
    let server = Server::start(&[]).await;
    let app = server.app().await;
    let new = json!({"url": "https://receiver.example/", "scope": ["TRANS|POST"]});
    let _ = app.client.call("POST", "/subscriptions").json(&new).send().await.ok();
    let path = Page::of(&server, "subscriptions_v1").await;
    app.stop().await;
    let page = Page::damage(&server, &path).await;

    // A new service with empty caches.
    let app = server.app().await;
    let (list, elsewhere) =
        (|| app.client.call("GET", "/subscriptions"), || app.client.call("GET", "/users"));
    let before = counted(&app).await;
    for _ in 0..3 {
        assert_eq!(status(list()).await, 503);
    }
    let after = counted(&app).await;
    assert!(after >= before + 3.0, "{before} {after}");
    assert_eq!(status(elsewhere()).await, 200);

    page.mend();
    until("it is well again", async || (status(list()).await == 200).then_some(())).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn projection_resumes_after_damaged_page_is_mended() {
    let server = Server::start(&[]).await;
    let app = server.app().await;
    let ada = app.client.verified("Ada Lovelace").await;
    let node = ada.funded("5").await;
    let path = Page::of(&server, "nodes_v1").await;
    app.stop().await;
    let page = Page::damage(&server, &path).await;

    let app = server.app().await;
    let ada = at(&ada, app.address);
    let nodes = || ada.call("GET", "/nodes");
    let user = || ada.client.call("GET", &format!("/users/{}", ada.user_id));
    assert_eq!(status(nodes()).await, 503);
    page.mend();
    until("it is well again", async || (status(nodes()).await == 200).then_some(())).await;
    assert_eq!(status(user()).await, 200);
    assert_eq!(ada.balance(&node).await, "5.00");
}

#[tokio::test]
async fn damage_error_codes_are_recognized() {
    let app = TestApp::start().await;
    let client = app.database.pg().dedicated().await.expect("connects");
    let before = counted(&app).await;
    // The first three are damage: to a page, an index and a file. The others are an internal error of the server, an
    // unreadable disk, and an error of ours.
    for (code, expected) in [
        ("XX001", true),
        ("XX002", true),
        ("58P01", true),
        ("XX000", false),
        ("58030", false),
        ("22012", false),
    ] {
        let raise = format!("do $$ begin raise exception using errcode = '{code}'; end $$");
        let error = Error::from(client.batch_execute(&raise).await.expect_err("is raised"));
        assert_eq!(matches!(error, Error::Damaged(_)), expected, "{code}: {error}");
    }
    assert!(counted(&app).await >= before + 3.0);
}
