//! Limits for many connections and large requests: number of connections, and bounded memory.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

use daybook_api::ListenerOptions;
use daybook_cli::ingress::Ingress;
use daybook_tests::app::TestApp;
use daybook_tests::bodies::person;
use daybook_tests::client::until;
use daybook_tests::database::Database;
use daybook_tests::http::{Answer, Call, connect};
use daybook_tests::process::Daybook;
use futures::future::join_all;
use futures::stream::{self, StreamExt};
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

use crate::restart::{dev_args, dev_client, folder_with_key};

const LIVE: &str = "GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n";

/// A keep-alive connection from the `number`th local address that has received one answer and is idle.
async fn idle(address: SocketAddr, number: u8) -> Option<TcpStream> {
    let from: IpAddr = Ipv4Addr::new(127, 0, 9, number).into();
    let mut stream = connect(address, Some(from)).await.ok()?;
    stream.write_all(LIVE.as_bytes()).await.ok()?;
    let mut bytes = [0; 1024];
    let count = stream.read(&mut bytes).await.ok()?;
    bytes[..count].starts_with(b"HTTP/1.1 200 ").then_some(stream)
}

#[tokio::test]
async fn excess_connection_is_rejected_until_one_closes() {
    let listener_options =
        ListenerOptions { connections: 6, connections_per_address: 4, ..ListenerOptions::default() };
    let app = TestApp::entered(Ingress { rates: Arc::default(), listener_options }).await;
    let live = || Call::new(app.address, "GET", "/health/live");
    let mut held = join_all((0..4).map(|_| idle(app.address, 1))).await;
    assert!(held.iter().all(Option::is_some));
    let refused = live().from(Ipv4Addr::new(127, 0, 9, 1).into()).send().await;
    assert_eq!((refused.status, &refused.json()["error_code"]), (503, &"503".into()), "{}", refused.text());
    assert_eq!(refused.headers["retry-after"], "1");
    assert_eq!(live().send().await.status, 200, "another address has places of its own");
    for _ in 0..2 {
        // The connection above frees its place shortly after its answer.
        held.push(Some(until("there is a place", async || idle(app.address, 2).await).await));
    }
    assert_eq!(live().send().await.status, 503, "all six are taken");
    held.truncate(1);
    until("there are places again", async || (live().send().await.status == 200).then_some(())).await;
}

/// Raises the limit of open files. Returns the number of connections, at most `wanted`, that this process and the
/// service can each have. 2,000 descriptors stay free.
fn descriptors(wanted: u64) -> u64 {
    let (soft, hard) = getrlimit(Resource::RLIMIT_NOFILE).expect("a limit");
    let raised = (wanted + 2_000).clamp(soft.min(hard), hard);
    setrlimit(Resource::RLIMIT_NOFILE, raised, hard).expect("the soft limit may be raised");
    raised.saturating_sub(2_000).min(wanted)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_thousand_idle_connections_need_bounded_memory() {
    const WANTED: u64 = 10_000;
    let count = descriptors(WANTED);
    if count < WANTED {
        eprintln!(
            "ONLY {count} IDLE CONNECTIONS ARE TRIED: the limit of descriptors (ulimit -Hn) allows no more"
        );
    }
    let (database, folder) = (Database::create().await, folder_with_key());
    let process = Daybook::start(dev_args(&database, folder.path()));
    let client = dev_client(process.address());
    let us = client.verified("Ada Lovelace").await;
    let (from, to) = (us.funded("1000").await, us.node("DEPOSIT-US").await);
    let before = process.resident_kib();
    let address = process.address();
    let number = |number: u64| u8::try_from(number % 20).expect("small") + 1;
    let opening = stream::iter(0..count).map(|it| idle(address, number(it))).buffer_unordered(64);
    let held: Vec<_> = opening.collect().await;
    let open = held.iter().filter(|held| held.is_some()).count() as u64;
    assert_eq!(open, count, "all are open");
    for _ in 0..100 {
        us.sent(&from, &to, "1").await;
    }
    let after = process.resident_kib();
    println!("{open} idle connections, {before} KiB before, {after} KiB with them");
    // 64 KiB of buffers per connection, and the memory of the payments.
    assert!(after - before < 64 * count + 200_000, "{before} KiB before, {after} KiB after");
    drop(held);
    assert_eq!(us.balance(&from).await, "900.00");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unread_responses_need_little_memory() {
    const COUNT: u64 = 48;
    let (database, folder) = (Database::create().await, folder_with_key());
    let process = Daybook::start(dev_args(&database, folder.path()));
    let address = process.address();
    let script = || Call::new(address, "GET", "/docs/swagger-ui-bundle.js");
    let whole = script().send().await.body.len();
    let before = process.resident_kib();
    // More than the socket buffers of the operating system hold.
    let many = "GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(8);
    let asked = (0..COUNT).map(async |_| {
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.set_recv_buffer_size(8 << 10).expect("a small one");
        let mut stream = socket.connect(address).await.expect("the service listens");
        stream.write_all(many.as_bytes()).await.expect("sent");
        stream.readable().await.expect("an answer begins");
        stream
    });
    let mut held = join_all(asked).await;
    let honest = script().send().await;
    let after = process.resident_kib();
    assert_eq!((honest.status, honest.body.len()), (200, whole), "a reader among them gets all");
    println!("{COUNT} answers of {whole} bytes, {before} KiB before, {after} KiB with them");
    // Two buffers of 16 KiB per connection, and the overhead of the allocator.
    assert!(after.saturating_sub(before) < 512 * COUNT, "{before} KiB before, {after} KiB after");
    let (mut first, mut got) = (held.swap_remove(0), vec![0; whole]);
    first.read_exact(&mut got).await.expect("one that begins to read gets its answer");
}

/// A gzip bomb: 10 KiB that decompress to ten MiB of blanks.
fn bomb() -> Vec<u8> {
    let mut bytes = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3];
    bytes.extend(std::iter::repeat_n([0xed, 0xc1, 1, 1, 0, 0, 0, 0x80], 1_280).flatten());
    bytes
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn memory_is_bounded_for_hostile_requests() {
    let (database, folder) = (Database::create().await, folder_with_key());
    let process = Daybook::start(dev_args(&database, folder.path()));
    let client = dev_client(process.address());
    let _ = client.create_user(&person("Ada Lovelace")).await.ok();
    let before = process.resident_kib();
    let post = || client.call("POST", "/users");
    let large = vec![b' '; (30 << 20) - 1];
    let deep = "[".repeat(1 << 20);
    let headers = "X-A: a\r\n".repeat(20_000);
    let raw = |bytes: String| async move {
        let mut stream = TcpStream::connect(client.address).await.expect("the service listens");
        let _ = stream.write_all(bytes.as_bytes()).await;
        let _ = stream.read(&mut [0; 1024]).await;
    };
    let bodies: [(&str, Vec<u8>, &[u16]); 4] = [
        ("gzip", bomb(), &[415]),
        ("", deep.into_bytes(), &[400]),
        // The blanks are read completely and are not JSON. Over the limit for large bodies, some calls get 503.
        ("", large, &[400, 503]),
        ("", vec![b' '; (30 << 20) + 1], &[413]),
    ];
    let mut most = before;
    for (encoding, body, expected) in bodies {
        let call = || {
            let call = post().body(body.clone());
            if encoding.is_empty() { call } else { call.header("Content-Encoding", encoding) }
        };
        let calls = (0..12).map(|_| call().try_send());
        // On a busy machine a body may arrive so slowly that the service refuses it with a timeout.
        let in_time = |answer: &Answer| !answer.text().contains("in time");
        let answers: Vec<_> = join_all(calls).await.into_iter().flatten().filter(in_time).collect();
        assert!(!answers.is_empty());
        for answer in answers {
            assert!(expected.contains(&answer.status), "{}: {}", answer.status, answer.text());
        }
        most = most.max(process.resident_kib());
    }
    join_all((0..200).map(|_| raw(format!("GET / HTTP/1.1\r\n{headers}")))).await;
    join_all((0..200).map(|_| raw(LIVE.repeat(2_000)))).await;
    most = most.max(process.resident_kib());
    println!("{before} KiB before, {most} KiB at most");
    // The large bodies of one address may take 192 MiB. Each is in a buffer that may be twice as large while it grows.
    assert!(most - before < 700 << 10, "{before} KiB before, {most} KiB at most");
    let _ = client.create_user(&person("Bob Barker")).await.ok();
}
