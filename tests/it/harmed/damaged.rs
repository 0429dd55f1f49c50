//! A byte of a table is not what was written: whoever needs it is told 503, it is counted, and others notice nothing.

use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use daybook_cli::anchor::Kept;
use daybook_tests::app::TestApp;
use daybook_tests::client::until;

use super::{Server, status};

/// Changes a byte in the middle of the last page, and changes it back the next time.
fn flip(path: PathBuf) {
    let file = std::fs::OpenOptions::new().read(true).write(true).open(path).expect("the file of the table");
    let (mut byte, place) = ([0], file.metadata().expect("its size").len() - 4_000);
    file.read_exact_at(&mut byte, place).expect("a page");
    file.write_all_at(&[byte[0] ^ 0x10], place).expect("it is written");
}

async fn damaged(app: &TestApp) -> f64 {
    let text = app.service.metrics(&Kept::default()).text().await.expect("text");
    let line = text.lines().find_map(|line| line.strip_prefix("daybook_db_damaged_total "));
    line.expect("it is shown").parse().expect("a number")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_damaged_page_is_told_and_counted_and_never_served() {
    let server = Server::start(&[]).await;
    let app = server.app().await;
    let us = app.client.own_session().await;
    let (from, to) = (us.funded("10").await, us.node("DEPOSIT-US").await);
    let id = us.sent(&from, &to, "1").await;
    us.when(&from, &id, "SETTLED").await;
    let told = us.entries(&from).await;
    let path = "select pg_relation_filepath('entries_v1')";
    let path: String =
        server.pg.client().await.expect("connects").query_one(path, &[]).await.expect("a path").get(0);
    app.stop().await;

    server.with_file(&path, flip).await;
    let app = server.app().await;
    let us = crate::restart::at(&us, app.address);
    let before = damaged(&app).await;
    let entries = || us.call("GET", &format!("/nodes/{from}/entries"));
    assert_eq!(status(entries()).await, 503);
    assert!(damaged(&app).await > before);
    // What lies elsewhere is as it was.
    assert_eq!(us.balance(&from).await, "9.00");

    server.with_file(&path, flip).await;
    until("it is over", async || (status(entries()).await == 200).then_some(())).await;
    assert_eq!(us.entries(&from).await, told);
}
