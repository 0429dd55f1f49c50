//! Shares of bounded resources: a caller that takes as much as it can leaves the rest to others.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

use daybook_api::body::Budget;
use daybook_cli::anchor::AnchorMetrics;
use daybook_engine::share::{LimitHolder, Limits, SharedLimit};
use daybook_tests::app::TestApp;
use daybook_tests::bodies::{person, transfer};
use daybook_tests::client::{Client, Session, until};
use daybook_tests::http::Call;
use futures::future::join_all;
use futures::stream::{FuturesUnordered, StreamExt};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::{sleep, timeout};

use crate::watching::value;

const ELSEWHERE: IpAddr = IpAddr::V4(Ipv4Addr::new(127, 0, 9, 1));

/// Returns the head of `call` for a body of `length` bytes, in HTTP/1.1.
fn head(call: &Call, length: usize) -> String {
    let line = call.line();
    let (headers, _) = call.carried();
    let header = |(name, value): (&_, &hyper::header::HeaderValue)| {
        format!("{name}: {}\r\n", value.to_str().expect("a header of ours"))
    };
    let headers: String = headers.iter().map(header).collect();
    format!("{line} HTTP/1.1\r\nHost: x\r\nContent-Length: {length}\r\n{headers}\r\n")
}

/// Returns the number of rejections for lack of this resource.
async fn refused(app: &TestApp, of: &str) -> f64 {
    let text = app.service.metrics(&AnchorMetrics::default()).text().await.expect("text");
    value(&text, "daybook_http_no_room_total", &[("of", of)])
}

/// Sends `call` with a small receive buffer and reads nothing of the answer.
async fn asks(address: SocketAddr, call: &Call) -> TcpStream {
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.set_recv_buffer_size(8 << 10).expect("a small one");
    socket.bind((ELSEWHERE, 0).into()).expect("an address of this machine");
    let mut stream = socket.connect(address).await.expect("somebody listens");
    stream.write_all(head(call, 0).as_bytes()).await.expect("sent");
    stream.readable().await.expect("an answer begins");
    stream
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slowest_reader_is_dropped_for_next_caller() {
    let bounds = Limits { address: 9_000_000, ..Limits::of(100_000_000) };
    let app = TestApp::changed(|service| service.resource_limits.unread = SharedLimit::new(bounds)).await;
    let us = app.client.verified("Ada").await;
    let (from, to) = (us.funded("10").await, us.node("DEPOSIT-US").await);
    let mut body = transfer(&to, "1");
    body["extra"]["other"] = json!({"attachments": ["QUJD".repeat(1_000_000)]});
    let made = us.transfer(&from, &body).send().await.ok();
    let paper = made["extra"]["other"]["attachments"][0].as_str().expect("a link").to_owned();
    let paper = us.call_at("GET", paper.split_once("/v3.1").expect("an address of ours").1);

    let slow = [asks(app.address, &paper).await, asks(app.address, &paper).await];
    // A reader counts as slow only after this time.
    sleep(Duration::from_millis(1_200)).await;
    let honest = paper.clone().from(ELSEWHERE).send().await;
    assert_eq!(honest.ok()["attachment"].as_str().map(str::len), Some(4_000_000));
    let mut whole = 0;
    for mut stream in slow {
        let (mut got, mut bytes) = (0, vec![0; 1 << 16]);
        while got < honest.body.len()
            && let Ok(Ok(count @ 1..)) = timeout(Duration::from_secs(5), stream.read(&mut bytes)).await
        {
            got += count;
        }
        whole += usize::from(got >= honest.body.len());
    }
    assert_eq!(whole, 1, "one of both was let go, and the other is sent everything");
    let text = app.service.metrics(&AnchorMetrics::default()).text().await.expect("text");
    assert_eq!(value(&text, "daybook_http_let_go_total", &[]).to_string(), "1");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn large_bodies_of_user_refuse_nobody_else() {
    const LENGTH: usize = 600 << 10;
    let large = Limits { user: 1 << 20, ..Limits::of(4 << 20) };
    let app = TestApp::changed(|service| service.bodies = Budget::new(Limits::of(64 << 20), large)).await;
    let (ada, bob) = (app.client.verified("Ada").await, app.client.verified("Bob").await);
    let patch = |of: &Session| of.call("PATCH", "").body(vec![b' '; LENGTH]);
    let bare = ada.call("PATCH", "").header("Content-Type", "application/json");
    let withheld = async |pause| {
        let mut stream = TcpStream::connect(app.address).await.expect("somebody listens");
        stream.write_all(head(&bare, LENGTH).as_bytes()).await.expect("sent");
        stream.write_all(&vec![b' '; 100 << 10]).await.expect("sent");
        // After this pause the user of the body is known.
        sleep(pause).await;
        stream.write_all(&vec![b' '; LENGTH - (100 << 10) - 1]).await.expect("sent");
        stream
    };
    // A busy machine takes longer to determine the user of a body.
    let (mut slow, mut pause) = (None, Duration::from_millis(250));
    let full = until("Ada's part is used up", async || {
        drop(slow.take());
        pause = (pause * 2).min(Duration::from_secs(4));
        slow = Some(withheld(pause).await);
        sleep(pause / 5).await;
        let answer = patch(&ada).send().await;
        (answer.status == 503).then_some(answer)
    });
    assert_eq!(full.await.headers["retry-after"], "1");
    assert!(refused(&app, "large_bodies").await >= 1.0);
    // The body of blanks is read to its end and is invalid JSON.
    patch(&bob).send().await.refused(400, "200");
    ada.call("GET", "/nodes").send().await.ok();
    ada.call("POST", "/nodes")
        .json(&json!({"type": "DEPOSIT-US", "info": {"nickname": "a"}}))
        .send()
        .await
        .ok();
    app.client.create_user(&person("Eve")).await.ok();
    // The stalled body is ended by the timeout.
    let (mut slow, mut told) = (slow.expect("the last one"), String::new());
    timeout(Duration::from_secs(20), slow.read_to_string(&mut told)).await.expect("it ends").expect("told");
    assert!(told.starts_with("HTTP/1.1 400 ") && told.contains(r#""field":"body""#), "{told}");
    patch(&ada).send().await.refused(400, "200");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn proofs_have_a_separate_limit() {
    let app = TestApp::changed(|service| {
        service.resource_limits.proofs = SharedLimit::new(Limits { address: 1, ..Limits::of(2) });
    })
    .await;
    let us = app.client.own_session().await;
    us.funded("10").await;
    let paths =
        ["/consistency?from=1&to=2", "/tile/0/000.p/1", "/events/1/proof", "/receipts/1", "/nodes/1/balance"];
    let audit = |path: &str| app.client.audit(path);
    let here = LimitHolder::Address(Ipv4Addr::LOCALHOST.to_ipv6_mapped().to_bits());
    let held = app.service.resource_limits.proofs.take(1, [here]).expect("nobody has it");
    let many = join_all(paths.iter().map(|path| audit(path).send()));
    let others = async {
        us.call("GET", "/nodes").send().await.ok();
        app.client.create_user(&person("Bob")).await.ok();
        for path in paths {
            assert_ne!(audit(path).from(ELSEWHERE).send().await.status, 503, "{path} from elsewhere");
        }
    };
    let (many, ()) = tokio::join!(many, others);
    for (path, answer) in paths.iter().zip(many) {
        assert_eq!(answer.status, 503, "{path}: {}", answer.text());
        assert_eq!(answer.headers["retry-after"], "1");
    }
    assert_eq!(refused(&app, "proofs").await.to_string(), "5");
    drop(held);
    for path in paths {
        assert_ne!(audit(path).send().await.status, 503, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn waiting_feed_callers_are_limited_per_platform() {
    const PLACES: usize = 64;
    let app = TestApp::start().await;
    let stranger = app.platform("Other", true).await;
    let wait = |client: &Client| client.call("GET", "/events?after=end&wait=30").send();
    let mut other = Box::pin(wait(&stranger));
    let mut waiting: FuturesUnordered<_> = (0..=PLACES).map(|_| wait(&app.client)).collect();
    let one = timeout(Duration::from_secs(10), waiting.next()).await.expect("one has no place");
    assert_eq!(one.expect("an answer").ok()["events"], json!([]));
    let waits = timeout(Duration::from_millis(500), waiting.next()).await;
    assert!(waits.is_err(), "all others wait");
    assert!(timeout(Duration::from_millis(500), &mut other).await.is_err(), "another platform has places");
    stranger.verified("Eve").await;
    app.client.verified("Ada").await;
    let told = timeout(Duration::from_secs(10), other).await.expect("told");
    assert_ne!(told.ok()["events"], json!([]));
    let told: Vec<_> = timeout(Duration::from_secs(10), waiting.collect()).await.expect("told");
    assert_eq!(told.len(), PLACES);
}
