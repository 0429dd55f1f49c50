//! Malformed requests: each is counted, and any number of them causes one log line.

use std::fs::read_to_string;

use daybook_tests::client::until;
use daybook_tests::database::Database;
use daybook_tests::http::send_raw;
use daybook_tests::process::Daybook;
use serde_json::Value;

use crate::restart::{dev_args, dev_client, folder_with_key};

/// Malformed requests: invalid heads, contradictory or negative lengths, and other protocols.
const SENT: [&str; 6] = [
    "\0\0\0\0\r\n\r\n",
    "GET / HTTP/9.9\r\nHost: x\r\n\r\n",
    "GET / HTTP/1.1\r\nno header\r\n\r\n",
    "POST /v3.1/users HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
    "POST /v3.1/users HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn malformed_requests_are_logged_once() {
    let (database, folder) = (Database::create().await, folder_with_key());
    let log = folder.path().join("log");
    let process = Daybook::start_logging(dev_args(&database, folder.path()), &log);
    let mut refused = 0;
    for _ in 0..10 {
        for sent in SENT {
            let answer = send_raw(process.address(), sent.as_bytes()).await;
            refused += usize::from(answer.is_some_and(|answer| answer.status == 400));
        }
    }
    assert_eq!(refused, 10 * SENT.len());
    let lines = || -> Vec<Value> {
        let text = read_to_string(&log).expect("a log");
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    };
    let told = |level: &str| lines().into_iter().filter(|line| line["level"] == level).collect::<Vec<_>>();
    let warnings = until("they are told", async || Some(told("WARN")).filter(|told| !told.is_empty())).await;
    let of_heads: Vec<_> = warnings.iter().filter(|line| line.to_string().contains("head")).collect();
    assert_eq!(of_heads.len(), 1, "{warnings:#?}");
    assert_eq!(told("ERROR"), Vec::<Value>::new());
    // The service still answers and logs other events.
    let _ = dev_client(process.address()).verified("Ada Lovelace").await;
}
