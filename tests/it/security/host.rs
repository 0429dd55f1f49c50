//! DNS rebinding: a web page that reaches this machine under its own host name gets no answer from loopback services.

use std::net::{SocketAddr, TcpListener};

use daybook_tests::database::Database;
use daybook_tests::http::{Answer, send_raw};
use daybook_tests::process::Daybook;

use crate::restart::{dev_args, folder_with_key};

/// Accepted names of this machine. The last one is allowed by an option.
const OURS: [&str; 4] = ["localhost", "127.9.9.9:80", "[::1]:8080", "LEDGER.test:443"];

/// Names whose owner can let them resolve to this machine.
const OTHERS: [&str; 5] =
    ["rebind.example", "localhost.rebind.example:8080", "127.0.0.1.nip.io", "192.168.0.7", ""];

async fn get(address: SocketAddr, path: &str, host: &str) -> Answer {
    let head = format!(
        "GET {path} HTTP/1.1\r\nHost: {host}\r\nX-SP-GATEWAY: client_id_dev|client_secret_dev\r\nConnection: close\r\n\r\n"
    );
    send_raw(address, head.as_bytes()).await.expect("an answer")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dev_and_metrics_require_loopback_host_name() {
    let (database, folder) = (Database::create().await, folder_with_key());
    let free = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).expect("a free port");
    let mut args = dev_args(&database, folder.path());
    args.extend(["--metrics-listen", &free.to_string(), "--allow-host", "ledger.test"].map(str::to_owned));
    let process = Daybook::start(args);
    let service = process.address();
    for host in OURS {
        for path in ["/health/ready", "/v3.1/users", "/docs"] {
            let answer = get(service, path, host).await;
            assert_eq!(answer.status, 200, "{host} {path}: {}", answer.text());
        }
        assert_eq!(get(free, "/metrics", host).await.status, 200, "{host}");
    }
    for host in OTHERS {
        for path in ["/health/ready", "/v3.1/users", "/docs", "/nothing"] {
            let answer = get(service, path, host).await;
            let error = answer.refused(421, "200");
            assert_eq!(error["code"], "unknown_host", "{host} {path}");
            assert!(answer.text().contains("--allow-host"), "{host} {path}");
        }
        let answer = get(free, "/metrics", host).await;
        assert_eq!(answer.status, 421, "{host}");
        assert_eq!(answer.headers["content-type"], "text/plain; charset=utf-8");
        assert!(!answer.text().contains("daybook_"), "{host}");
    }
    assert!(process.terminate().success());
}
