//! PostgreSQL starts later than the service: the service waits and logs the reason. Permanent errors are not waited
//! for.

use std::path::Path;
use std::time::{Duration, Instant};

use daybook_pg::{Config, Error, Pg};
use daybook_tests::client::until;
use daybook_tests::http::Call;
use daybook_tests::process::{Daybook, run};
use daybook_tests::server::Server;

use crate::restart::folder_with_key;

/// Arguments of a service on the database at `url`, with the keys in `folder`.
fn serve(url: &str, folder: &Path) -> Vec<String> {
    let key = folder.join("master.key").display().to_string();
    let args = ["serve", "--listen", "127.0.0.1:0", "--database-url", url, "--master-key", &key];
    args.map(str::to_owned).to_vec()
}

/// Waits until the service logs that it waits for this reason.
async fn waits(log: &Path, why: &str) {
    until(why, async || {
        let text = std::fs::read_to_string(log).unwrap_or_default();
        let is_told = |line: &str| line.contains("the database is not there yet") && line.contains(why);
        text.lines().any(is_told).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn service_waits_for_starting_database() {
    let (server, folder) = (Server::start(), folder_with_key());
    server.crash();
    let (args, log) = (serve(&server.url(""), folder.path()), folder.path().join("log"));
    let starting = tokio::task::spawn_blocking({
        let log = log.clone();
        move || Daybook::start_logging(args, &log)
    });
    waits(&log, "refused").await;
    server.recover();
    waits(&log, "not accepting connections").await;
    assert!(!starting.is_finished());
    server.promote();
    let process = starting.await.expect("it is ready");
    assert_eq!(Call::new(process.address(), "GET", "/health/ready").send().await.status, 200);
    assert!(process.terminate().success());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn permanent_connection_error_fails_without_waiting() {
    let (server, folder) = (Server::start(), folder_with_key());
    let (nobody, nowhere) = (server.url("user=nobody"), server.url("dbname=nowhere"));
    let unbelievable = server.url("sslmode=require");
    for url in [&nobody, &nowhere, &unbelievable] {
        let begun = Instant::now();
        let ended = run(serve(url, folder.path()));
        assert_eq!(ended.status.code(), Some(3), "{url}: {}", String::from_utf8_lossy(&ended.stderr));
        assert!(begun.elapsed() < Duration::from_secs(30), "{url}: {:?}", begun.elapsed());
    }
}

#[tokio::test]
async fn absent_server_wait_ends_at_deadline() {
    let pg = Pg::new(Config::from_url("host=127.0.0.1 port=1 user=daybook").expect("a URL"));
    let pg = pg.expect("the pool is well configured");
    for within in [0, 1_000] {
        let (begun, within) = (Instant::now(), Duration::from_millis(within));
        let ended = pg.wait(within).await;
        assert!(matches!(&ended, Err(Error::Unavailable(why)) if why.contains("refused")), "{ended:?}");
        assert!(begun.elapsed() + Duration::from_millis(300) > within, "{within:?}: {:?}", begun.elapsed());
        assert!(begun.elapsed() < within + Duration::from_secs(5), "{within:?}: {:?}", begun.elapsed());
    }
}
