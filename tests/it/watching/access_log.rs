//! The access log: a line per request with time, caller, route, object and outcome, and without any text of the caller.

use std::net::SocketAddr;
use std::path::Path;

use daybook_tests::bodies::{node, person, transfer};
use daybook_tests::client::until;
use daybook_tests::database::Database;
use daybook_tests::http::{Call, send_raw};
use daybook_tests::process::Daybook;
use serde_json::{Value, json};

use crate::restart::{dev_args, dev_client, folder_with_key};

/// Fields of a line besides its time and its target.
const FIELDS: [&str; 10] =
    ["request_id", "platform", "actor", "method", "route", "object", "status", "code", "duration_us", "peer"];

/// Text that must not reach the log: line breaks that forge a line, terminal control sequences, and quotes.
const EVIL: &str =
    "CANARY\r\n{\"level\":\"INFO\",\"target\":\"daybook::access\"}\n\u{1b}[31m\"'\u{0}\u{7f}\u{2028}CANARY";

/// Returns every line of the file, each parsed as JSON.
fn lines(log: &Path) -> Vec<Value> {
    let text = std::fs::read(log).expect("a log");
    assert!(!text.contains(&0x1b) && !text.contains(&b'\r'), "no line commands a terminal");
    let text = String::from_utf8(text).expect("UTF-8");
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"))).collect()
}

/// Returns the lines about requests.
fn requests(lines: &[Value]) -> Vec<&Value> {
    lines.iter().filter(|line| line["target"] == "daybook::access").collect()
}

/// Starts `dev` with JSON logs written to `log`.
fn logging(database: &Database, folder: &Path, log: &Path, options: &[&str]) -> Daybook {
    let args = dev_args(database, folder).into_iter().chain(options.iter().map(ToString::to_string));
    Daybook::start_logging(args, log)
}

/// Returns a copy of `body` for every text in it, with that text replaced by `evil`.
fn poisoned(body: &Value, evil: &str) -> Vec<Value> {
    fn paths(at: &Value, path: String, found: &mut Vec<String>) {
        match at {
            Value::String(_) => found.push(path),
            Value::Array(list) => {
                list.iter().enumerate().for_each(|(index, one)| paths(one, format!("{path}/{index}"), found));
            }
            Value::Object(map) => {
                map.iter().for_each(|(name, one)| paths(one, format!("{path}/{name}"), found));
            }
            _ => {}
        }
    }
    let mut found = vec![];
    paths(body, String::new(), &mut found);
    let one = |path: String| {
        let mut body = body.clone();
        *body.pointer_mut(&path).expect("it was found") = json!(evil);
        body
    };
    found.into_iter().map(one).collect()
}

/// Makes calls with `evil` in every field, parameter, path segment and header. Returns the number of calls.
async fn attack(address: SocketAddr, evil: &str) -> usize {
    let client = dev_client(address);
    let ada = client.verified("Ada Lovelace").await;
    let (from, to) = (ada.funded("10").await, ada.node("DEPOSIT-US").await);
    let quoted: String =
        evil.bytes().flat_map(|byte| format!("%{byte:02x}").into_bytes()).map(char::from).collect();
    let mut calls = vec![];
    for body in poisoned(&person("Ada"), evil) {
        calls.push(client.call("POST", "/users").header("X-SP-USER", "|device").json(&body));
    }
    for body in poisoned(&node("ACH-US"), evil) {
        calls.push(ada.call("POST", "/nodes").json(&body));
    }
    for body in poisoned(&transfer(&to, "1"), evil) {
        calls.push(ada.transfer(&from, &body));
    }
    let short: String = quoted.chars().take(6_000).collect();
    for target in ["/v3.1/users/", "/v3.1/users?query=", "/", "/v3.1/nodes?type=", "/v3.1/subscriptions/"] {
        calls.push(client.call("GET", "").at(&format!("{target}{short}")));
    }
    // Control characters are removed: a head that contains them is not a valid request.
    let header: Vec<u8> = evil.bytes().filter(|byte| (0x20..0x7f).contains(byte) || *byte >= 0x80).collect();
    for name in
        ["X-SP-GATEWAY", "X-SP-USER", "X-SP-OPERATOR", "X-SP-USER-IP", "X-SP-IDEMPOTENCY-KEY", "User-Agent"]
    {
        calls.push(ada.call("POST", "/nodes").json(&node("DEPOSIT-US")).header(name, &header));
    }
    for name in ["X-Forwarded-For", "Forwarded", "Referer", "traceparent", "Content-Type", "Accept", "Cookie"]
    {
        calls.push(client.call("GET", "/users").header(name, &header));
    }
    let count = calls.len();
    for call in calls {
        let line = call.line();
        let answer = call.send().await;
        assert!(answer.status < 500, "{line}: {}", answer.status);
    }
    count
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn request_has_one_log_line_without_input() {
    let (database, folder) = (Database::create().await, folder_with_key());
    let log = folder.path().join("log");
    let process = logging(&database, folder.path(), &log, &["--access-log"]);
    let address = process.address();
    let known = async || requests(&lines(&log)).len();
    for evil in [EVIL.to_owned(), format!("CANARY{}", "x".repeat(20_000))] {
        let name = evil.clone();
        attack(address, &name).await;
        // The line of this further request is the last. The lines of earlier requests were written before it.
        let before = known().await;
        Call::new(address, "GET", "/health/live").send().await;
        until("it is written", async || (known().await > before).then_some(())).await;
    }
    // A malformed head causes no line and forges none.
    for head in ["GET / HTTP/1.1\r\nhost: x\r\nx: CANARY\u{1b}[31m\r\n\r\n", "CANARY\n\n\r\n\r\n"] {
        let answer = send_raw(address, head.as_bytes()).await;
        assert!(answer.is_none_or(|answer| answer.status == 400));
    }
    // Each request has one line with a unique id.
    let lines = lines(&log);
    let requests = requests(&lines);
    assert!(requests.len() > 60, "{}", requests.len());
    let mut ids = std::collections::BTreeSet::new();
    for line in &requests {
        let fields = line["fields"].as_object().expect("fields");
        for name in FIELDS {
            assert!(fields.contains_key(name), "{name}: {line}");
        }
        assert!(line["timestamp"].is_string() && fields["peer"] == "127.0.0.1", "{line}");
        assert!(ids.insert(fields["request_id"].as_str().expect("an id").to_owned()), "twice: {line}");
    }
    let text = std::fs::read_to_string(&log).expect("a log");
    for secret in ["CANARY", "Ada", "Lovelace", "device", "client_secret", "refresh_", "@"] {
        assert!(!text.contains(secret), "{secret} is in the log");
    }
    assert!(process.terminate().success());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn log_line_names_actor_route_and_object() {
    let (database, folder) = (Database::create().await, folder_with_key());
    let log = folder.path().join("log");
    let process = logging(&database, folder.path(), &log, &["--access-log"]);
    let client = dev_client(process.address());
    let ada = client.verified("Ada Lovelace").await;
    let node = ada.node("DEPOSIT-US").await;
    ada.get_node(&node).await.ok();
    let last = until("it is written", async || {
        let lines = lines(&log);
        let last = requests(&lines).last().map(|line| line["fields"].clone());
        last.filter(|line| line["method"] == "GET" && line["object"] == *node)
    })
    .await;
    let platform = last["platform"].as_str().expect("text").to_owned();
    assert_eq!(platform.len(), 26, "{last}");
    assert_eq!(last["actor"], format!("user {}", ada.user_id));
    assert_eq!(
        (&last["route"], &last["status"]),
        (&json!("/v3.1/users/{user_id}/nodes/{node_id}"), &json!(200))
    );
    assert_eq!(last["code"], "-");
    assert!(process.terminate().success());
}

/// The peer is the address that rate limits use: the one named by a trusted proxy, else that of the connection.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn log_line_names_client_behind_trusted_proxy() {
    let (database, folder) = (Database::create().await, folder_with_key());
    for (proxy, peer) in [("127.0.0.0/8", "198.51.100.7"), ("10.0.0.0/8", "127.0.0.1")] {
        let log = folder.path().join(format!("log of {peer}"));
        let options = ["--access-log", "--trusted-proxy", proxy];
        let process = logging(&database, folder.path(), &log, &options);
        let call = Call::new(process.address(), "GET", "/nothing");
        assert_eq!(call.header("X-Forwarded-For", "1.2.3.4, 198.51.100.7").send().await.status, 404);
        let told = until("it is written", async || {
            let lines = lines(&log);
            let last = requests(&lines).last().map(|line| line["fields"].clone());
            last.filter(|line| line["status"] == 404)
        })
        .await;
        assert_eq!(told["peer"], peer, "{told}");
        assert!(process.terminate().success());
    }
}

/// Without `--access-log`, accepted requests have no line and each rejected request has one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rejected_request_leaves_one_log_line() {
    let (database, folder) = (Database::create().await, folder_with_key());
    let log = folder.path().join("log");
    let process = logging(&database, folder.path(), &log, &[]);
    let client = dev_client(process.address());
    let ada = client.verified("Ada Lovelace").await;
    let id = &ada.user_id;
    let scope = json!({"refresh_token": client.user(id).await["refresh_token"], "scope": ["NODES|GET"]});
    let key = client.oauth(id, &scope).await.ok()["oauth_key"].as_str().expect("a key").to_owned();
    let turned_away = [
        (client.anonymous("GET", "/users"), "invalid_client_credentials"),
        (
            client.call("GET", "/users").header("X-SP-GATEWAY", "client_id_dev|wrong"),
            "invalid_client_credentials",
        ),
        (ada.call("GET", "/nodes").header("X-SP-USER", "oauth_wrong|device"), "invalid_oauth_key"),
        (
            ada.call("POST", "/nodes").json(&node("DEPOSIT-US")).header("X-SP-USER", format!("{key}|")),
            "scope_missing",
        ),
        (
            client.call("GET", "/ops/operators/me").header("X-SP-OPERATOR", "no|one"),
            "invalid_client_credentials",
        ),
    ];
    let codes: Vec<_> = turned_away.iter().map(|(_, code)| *code).collect();
    for (call, code) in turned_away {
        assert_eq!(call.send().await.json()["error"]["code"], code);
    }
    let told = until("the last is written", async || {
        let lines = lines(&log);
        let told: Vec<_> = requests(&lines).iter().map(|line| line["fields"]["code"].clone()).collect();
        (told.len() >= codes.len()).then_some(told)
    })
    .await;
    assert_eq!(told, codes);
    assert!(process.terminate().success());
}
