//! Cache of aggregate states in the writer: its size is an option, and without a cache results are equal but slower.

use daybook_tests::bodies::transfer;
use daybook_tests::database::Database;
use daybook_tests::http::Call;
use daybook_tests::process::run;

use super::metrics::{heard, told_address};
use super::value;
use crate::restart::{dev_client, folder_with_key};

/// Pays ten times in a process with a cache of this size. Returns the number of states read for that.
async fn states_read(state_cache: &str) -> f64 {
    let (database, folder) = (Database::create().await, folder_with_key());
    let more = ["--state-cache", state_cache, "--metrics-listen", "127.0.0.1:0"];
    let (process, line) = heard(&database, folder.path(), &more);
    let read = async || {
        let text = Call::new(told_address(&line), "GET", "/metrics").send().await.text();
        value(&text, "daybook_writer_states_read_total", &[])
    };
    let us = dev_client(process.address()).stranger("Ada").await;
    let (from, to) = (us.funded("10.00").await, us.node("DEPOSIT-US").await);
    let pay = async || us.transfer(&from, &transfer(&to, "1.00")).send().await.ok();
    pay().await;
    let before = read().await;
    for _ in 0..9 {
        pay().await;
    }
    us.ended().await;
    assert_eq!((us.balance(&from).await, us.balance(&to).await), ("0.00".into(), "10.00".into()));
    let read = read().await - before;
    assert!(process.terminate().success());
    read
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn writer_without_cache_decides_equally() {
    // For each payment: two nodes, two accounts, their user and their platform.
    assert!(states_read("0MiB").await >= 10.0 * 6.0);
    assert_eq!(states_read("1MiB").await, 0.0);
}

#[test]
fn invalid_cache_size_is_refused() {
    for text in ["192", "1.5GiB", "65GiB"] {
        let refused = run(["dev", "--state-cache", text]);
        assert_eq!(refused.status.code(), Some(2), "{text}");
    }
}
