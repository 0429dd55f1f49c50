//! Traces: spans from a request to its commit, below the caller's own span, exported to a collector.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use daybook_tests::bodies::transfer;
use daybook_tests::client::until;
use daybook_tests::database::Database;
use daybook_tests::process::Daybook;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::restart::{dev_args, dev_client, folder_with_key};

/// Trace id and span id of the caller.
const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN: &str = "00f067aa0ba902b7";

/// A received span, with ids in hexadecimal.
#[derive(Clone, Debug)]
struct Taken {
    trace: String,
    id: String,
    parent: String,
    name: String,
}

/// Returns the length-delimited and fixed-width fields of a protobuf message, each with its number.
fn fields(mut bytes: &[u8]) -> Vec<(u64, &[u8])> {
    let mut found = vec![];
    while !bytes.is_empty() {
        let key = varint(&mut bytes);
        let length = match key & 7 {
            0 => {
                varint(&mut bytes);
                continue;
            }
            1 => 8,
            5 => 4,
            2 => usize::try_from(varint(&mut bytes)).expect("a length"),
            other => panic!("wire type {other}"),
        };
        let (value, rest) = bytes.split_at(length);
        found.push((key >> 3, value));
        bytes = rest;
    }
    found
}

fn varint(bytes: &mut &[u8]) -> u64 {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (first, rest) = bytes.split_first().expect("a byte");
        *bytes = rest;
        number |= u64::from(first & 0x7f) << shift;
        if first & 0x80 == 0 {
            break;
        }
    }
    number
}

/// Returns the values of the fields with this number.
fn within(bytes: &[u8], number: u64) -> Vec<&[u8]> {
    fields(bytes).into_iter().filter(|(found, _)| *found == number).map(|(_, value)| value).collect()
}

/// Returns the spans of an export request. They are nested in resources and scopes.
fn spans(body: &[u8]) -> Vec<Taken> {
    let scopes = within(body, 1).into_iter().flat_map(|resource| within(resource, 2));
    let spans = scopes.flat_map(|scope| within(scope, 2));
    let one = |span: &[u8]| {
        let of = |number| within(span, number).first().copied().unwrap_or_default();
        let name = String::from_utf8(of(5).to_vec()).expect("a name");
        Taken { trace: hex::encode(of(1)), id: hex::encode(of(2)), parent: hex::encode(of(4)), name }
    };
    spans.map(one).collect()
}

/// Reads one request and answers 200. Returns its path and body.
async fn take(mut stream: TcpStream) -> (String, Vec<u8>) {
    let mut read = vec![];
    loop {
        assert!(stream.read_buf(&mut read).await.expect("bytes") > 0, "the request ends early");
        let Some(end) = read.windows(4).position(|four| four == b"\r\n\r\n") else { continue };
        let head = String::from_utf8_lossy(&read[..end]).to_lowercase();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).expect("a length");
        let length: usize = length.parse().expect("a number");
        if read.len() >= end + 4 + length {
            stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await.expect("it is heard");
            let path = head.split(' ').nth(1).expect("a path").to_owned();
            return (path, read.split_off(end + 4));
        }
    }
}

/// Starts a collector. Returns its address and the requests that it receives.
async fn collector() -> (SocketAddr, Arc<Mutex<Vec<(String, Vec<u8>)>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("a bound port");
    let taken = Arc::new(Mutex::new(vec![]));
    let kept = taken.clone();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let request = take(stream).await;
            kept.lock().expect("nobody panics").push(request);
        }
    });
    (address, taken)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn request_is_traced_to_its_commit() {
    let (database, folder) = (Database::create().await, folder_with_key());
    let (collector, taken) = collector().await;
    let endpoint = ["--otlp-endpoint".to_owned(), format!("http://{collector}")];
    let process = Daybook::start(dev_args(&database, folder.path()).into_iter().chain(endpoint));
    let ada = dev_client(process.address()).verified("Ada Lovelace").await;
    let (from, to) = (ada.funded("10").await, ada.node("DEPOSIT-US").await);
    let parent = format!("00-{TRACE}-{SPAN}-01");
    ada.transfer(&from, &transfer(&to, "1")).header("traceparent", &parent).send().await.ok();
    // An invalid `traceparent` has no effect.
    for wrong in ["00-zz-00-01", "", "00-00000000000000000000000000000000-0000000000000000-01"] {
        ada.transfer(&from, &transfer(&to, "1")).header("traceparent", wrong).send().await.ok();
    }
    // The last spans are exported at shutdown.
    assert!(process.terminate().success());
    let taken = until("they come", async || {
        let taken = taken.lock().expect("nobody panics").clone();
        let has = |name: &str| taken.iter().any(|(_, body)| spans(body).iter().any(|span| span.name == name));
        ["request", "commit", "page"].into_iter().all(has).then_some(taken)
    })
    .await;
    assert!(taken.iter().all(|(path, _)| path == "/v1/traces"));
    let all: Vec<_> = taken.iter().flat_map(|(_, body)| spans(body)).collect();
    let ours: Vec<_> = all.iter().filter(|span| span.trace == TRACE).collect();
    let named = |name: &str| {
        let mut found = ours.iter().filter(|span| span.name == name);
        let span = found.next().unwrap_or_else(|| panic!("no {name} in {all:#?}"));
        assert!(found.next().is_none(), "two {name}");
        span
    };
    let (request, submit, batch) = (named("request"), named("submit"), named("batch"));
    assert_eq!((&*request.parent, &submit.parent, &batch.parent), (SPAN, &request.id, &submit.id));
    for step in ["lock", "decide", "commit"] {
        assert_eq!(named(step).parent, batch.id, "{step}");
    }
    assert!(all.iter().any(|span| span.name == "page"), "the projector's pages are traced");
    let bytes: Vec<u8> = taken.into_iter().flat_map(|(_, body)| body).collect();
    let text = String::from_utf8_lossy(&bytes);
    // Shorter texts such as "Ada" may occur by chance in the random bytes of ids.
    for secret in ["Lovelace", "oauth_", "client_secret", &*from, "/v3.1"] {
        assert!(!text.contains(secret), "{secret} is in a span");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unsampled_requests_export_no_spans() {
    let (database, folder) = (Database::create().await, folder_with_key());
    let (collector, taken) = collector().await;
    let none = ["--otlp-endpoint".to_owned(), format!("http://{collector}"), "--trace-sample=0".to_owned()];
    let process = Daybook::start(dev_args(&database, folder.path()).into_iter().chain(none));
    let ada = dev_client(process.address()).verified("Ada Lovelace").await;
    assert!(process.terminate().success());
    assert_eq!(taken.lock().expect("nobody panics").len(), 0);
    let away = ["--otlp-endpoint".to_owned(), "http://127.0.0.1:9".to_owned()];
    let process = Daybook::start(dev_args(&database, folder.path()).into_iter().chain(away));
    let ada = crate::restart::at(&ada, process.address());
    ada.node("DEPOSIT-US").await;
    assert!(process.terminate().success());
}
