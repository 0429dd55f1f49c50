//! Metrics for Prometheus: exactly those of the reference page, with correct values and without data of callers.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::path::Path;

use daybook_cli::anchor::AnchorMetrics;
use daybook_tests::app::TestApp;
use daybook_tests::client::until;
use daybook_tests::database::Database;
use daybook_tests::http::Call;
use daybook_tests::process::Daybook;
use serde_json::Value;

use super::{ONE, series, value};
use crate::docs::{read, table};
use crate::restart::{dev_args, dev_client, folder_with_key};

/// Returns the metrics of `app`, with an anchor.
pub(crate) async fn shown(app: &TestApp) -> String {
    let kept = AnchorMetrics::default();
    kept.expect("/mnt/anchor");
    app.service.metrics(&kept).text().await.expect("text")
}

/// Returns the metrics of a scrape whose queries the database answered in time, after a background worker reported.
async fn complete(app: &TestApp) -> String {
    until("a scrape is complete", async || {
        let text = shown(app).await;
        let is_up = value(&text, "daybook_database_up", &[]) == 1.0;
        (is_up && series(&text).iter().any(|one| one.name == "daybook_standing_still")).then_some(text)
    })
    .await
}

/// Returns name, kind and labels of every metric. For a histogram, without the label of its buckets.
fn told(text: &str) -> BTreeSet<[String; 3]> {
    let kinds = text.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split_once(' '));
    let one = |(family, kind): (&str, &str)| {
        let name = match kind {
            "counter" => format!("{family}_total"),
            "info" => format!("{family}_info"),
            _ => family.to_owned(),
        };
        let is_of = |series: &str| series == name || series.strip_suffix("_bucket") == Some(&name);
        let all = series(text);
        let labels = all.iter().filter(|one| is_of(one.name)).flat_map(|one| one.labels.keys());
        let labels: BTreeSet<_> =
            labels.filter(|label| **label != "le").map(|label| format!("`{label}`")).collect();
        let labels = labels.into_iter().collect::<Vec<_>>().join(", ");
        [name, kind.to_owned(), if labels.is_empty() { "–".to_owned() } else { labels }]
    };
    kinds.map(one).collect()
}

#[tokio::test]
async fn metrics_match_the_reference_page() {
    let app = TestApp::start().await;
    let refused = app.client.anonymous("GET", "/users").send().await;
    assert_eq!(refused.status, 401);
    let page = read("docs/reference/metrics.md");
    let mut listed = BTreeSet::new();
    for line in page.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<_> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [name, kind, labels, help] = cells[..] else { panic!("{line}") };
        assert!(help.len() > 10, "{line}");
        let mut labels: Vec<_> = labels.split(", ").collect();
        labels.sort_unstable();
        listed.insert([name.trim_matches('`').to_owned(), kind.to_owned(), labels.join(", ")]);
    }
    assert_eq!(told(&complete(&app).await), listed);
    assert!(table(&page, "Metric").len() > 5, "tables are written in another way");
}

#[tokio::test]
async fn metrics_report_actual_activity() {
    let app = TestApp::start().await;
    let us = app.client.own_session().await;
    let (from, to) = (us.funded("10").await, us.node("DEPOSIT-US").await);
    let id = us.sent(&from, &to, "1").await;
    us.when(&from, &id, "SETTLED").await;
    let text = until("read models are as far as the log", async || {
        let text = shown(&app).await;
        (value(&text, "daybook_projection_lag_events", &ONE) == 0.0).then_some(text)
    })
    .await;
    let head = app.events().await.len();
    #[allow(clippy::cast_precision_loss)]
    let head = head as f64;
    assert_eq!(value(&text, "daybook_log_position", &ONE), head);
    assert_eq!(value(&text, "daybook_projection_position", &ONE), head);
    assert_eq!(value(&text, "daybook_projection_lag_seconds", &ONE), 0.0);
    let all = series(&text);
    let events: f64 = all.iter().filter(|one| one.name == "daybook_events_total").map(|one| one.value).sum();
    assert_eq!(events, head, "every event was appended by this process");
    let commits = value(&text, "daybook_writer_commits_total", &[]);
    assert_eq!(commits, value(&text, "daybook_log_commits", &ONE));
    for step in ["lock", "decide", "commit"] {
        let count = value(&text, "daybook_writer_step_seconds_count", &[("step", step)]);
        assert!(count >= commits, "{step}: {count}");
    }
    let pay = [("route", "/v3.1/users/{user_id}/nodes/{node_id}/trans"), ("method", "POST")];
    assert_eq!(value(&text, "daybook_http_request_seconds_count", &pay), 1.0);
    let done = [("process", "settlement"), ("outcome", "done")];
    assert_eq!(value(&text, "daybook_todos_done_total", &done), 3.0);
    assert_eq!(value(&text, "daybook_database_up", &[]), 1.0);
    assert_eq!(value(&text, "daybook_writer_running", &ONE), 1.0);
    assert_eq!(value(&text, "daybook_projection_stopped", &ONE), 0.0);
    assert_eq!(value(&text, "daybook_http_requests_in_flight", &[]), 0.0);
}

/// Arbitrary users, paths and methods create no additional series and appear in none.
#[tokio::test]
async fn metric_labels_contain_no_caller_input() {
    let app = TestApp::start().await;
    let ask = async |user: &str, method: &str| {
        app.client.call(method, &format!("/users/{user}")).send().await;
        Call::new(app.address, method, &format!("/elsewhere/{user}")).send().await;
    };
    let user = app.client.user_id.clone();
    for method in ["GET", "POST", "QUERY", "BREW"] {
        ask(&user, method).await;
        ask("01M7YHYBJK09WD1DJ3WFPJZA81", method).await;
    }
    let count = |text: &str| series(text).iter().filter(|one| one.name.contains("_http_")).count();
    let before = count(&shown(&app).await);
    for number in 0..20 {
        ask(&format!("01M7YHYBJK09WD1DJ3WFPJZA{number:02}"), "GET").await;
        ask(&user, &format!("M{number}")).await;
    }
    let text = shown(&app).await;
    assert_eq!(count(&text), before);
    for secret in [&*user, "01M7YHYB", "elsewhere", "BREW", "M7", "client_id_Sandbox", "Sandbox"] {
        assert!(!text.contains(secret), "{secret}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn metrics_have_own_port_and_include_anchors() {
    let (database, folder) = (Database::create().await, folder_with_key());
    let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port").local_addr().expect("bound");
    let anchor = folder.path().join("anchor");
    let more =
        ["--metrics-listen", &free.to_string(), "--anchor", &anchor.to_string_lossy()].map(str::to_owned);
    let process = Daybook::start(dev_args(&database, folder.path()).into_iter().chain(more));
    let public = Call::new(process.address(), "GET", "/metrics").send().await;
    assert_eq!(public.status, 404, "never where customers are");
    until("checkpoint and anchor are as far as the log", async || {
        let text = Call::new(free, "GET", "/metrics").send().await.text();
        let size = value(&text, "daybook_anchor_size", &[("anchor", &anchor.to_string_lossy())]);
        let lag = value(&text, "daybook_checkpoint_lag_seconds", &ONE);
        (size > 0.0 && size == value(&text, "daybook_log_position", &ONE) && lag == 0.0).then_some(())
    })
    .await;
    // The second process on the machine starts without the default metrics port.
    let second = crate::restart::dev_on(&database, folder.path());
    let client = dev_client(second.address());
    assert_eq!(client.anonymous("GET", "/users").send().await.status, 401);
    let taken = ["--metrics-listen", &free.to_string()].map(str::to_owned);
    let refused = daybook_tests::process::run(dev_args(&database, folder.path()).into_iter().chain(taken));
    assert_eq!(refused.status.code(), Some(1), "a configured port that is taken is an error");
    assert!(process.terminate().success() && second.terminate().success());
}

/// Starts a process with these options. Returns it with its log line about metrics.
pub(super) fn heard(database: &Database, folder: &Path, more: &[&str]) -> (Daybook, Value) {
    let log = folder.join("log");
    let args = dev_args(database, folder).into_iter().chain(more.iter().map(ToString::to_string));
    let process = Daybook::start_logging(args, &log);
    let text = std::fs::read_to_string(log).expect("a log");
    let line = text.lines().find(|line| line.contains("metrics are ")).expect("it says so");
    (process, serde_json::from_str(line).expect("JSON"))
}

/// Returns the address of the metrics in that line.
pub(super) fn told_address(line: &Value) -> SocketAddr {
    line["fields"]["address"].as_str().and_then(|text| text.parse().ok()).expect("an address")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn occupied_metrics_port_is_logged() {
    let (database, folder) = (Database::create().await, folder_with_key());
    // Another process may hold the port and end before ours starts, which then gets the port. So try several times.
    let (_process, line) = (0..5)
        .map(|_| {
            let _taken = std::net::TcpListener::bind("127.0.0.1:9464");
            heard(&database, folder.path(), &[])
        })
        .find(|(_, line)| line.to_string().contains("metrics are not shown"))
        .expect("somebody has it");
    // A second sandbox on the machine is not a reason for a warning.
    assert_eq!(line["level"], "INFO");
    let said = line.to_string();
    for what in ["127.0.0.1:9464", "in use", "metrics are not shown", "--metrics-listen"] {
        assert!(said.contains(what), "{said}");
    }
    let (_process, line) = heard(&database, folder.path(), &["--metrics-listen", "127.0.0.1:0"]);
    let address = told_address(&line);
    let text = Call::new(address, "GET", "/metrics").send().await.text();
    assert!(value(&text, "daybook_log_position", &ONE) > 0.0);
}
