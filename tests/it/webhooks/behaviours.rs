//! Receivers with ten kinds of faulty behavior beside healthy ones: the healthy ones receive every delivery, and no
//! address outside the subscriptions is called.

use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;
use std::io;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use daybook_outbound::guarded::{Client as Caller, Resolver};
use daybook_tests::app::TestApp;
use daybook_tests::client::until;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::PrivatePkcs8KeyDer;

use super::delivered::{Telling, by_record, expected, live};
use super::receiver::Receiver;
use super::{Hook, SCOPES};

/// Timeout of a call in these tests.
const CALL_TIMEOUT: Duration = Duration::from_millis(700);

/// A certificate without the signature of a public authority.
const CERTIFICATE: (&[u8], &[u8]) =
    (include_bytes!("../../tls/other.der"), include_bytes!("../../tls/other.key.der"));

/// A name that resolves to this machine the first time, and to a private network afterwards (DNS rebinding).
struct Changing(AtomicUsize);

#[async_trait::async_trait]
impl Resolver for Changing {
    async fn addresses(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        let is_first = name != "changing.example" || self.0.fetch_add(1, Ordering::SeqCst) == 0;
        let inside = Ipv4Addr::new(10, 0, 0, 1);
        Ok(vec![IpAddr::V4(if is_first { Ipv4Addr::LOCALHOST } else { inside })])
    }
}

/// Runs `behave` for each connection. Returns the port, and the number of connections.
pub(super) async fn listening<F, Behaving>(behave: F) -> (u16, Arc<AtomicUsize>)
where
    F: Fn(TcpStream) -> Behaving + Send + 'static,
    Behaving: Future<Output = ()> + Send + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
    let port = listener.local_addr().expect("is bound").port();
    let taken = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&taken);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            counted.fetch_add(1, Ordering::SeqCst);
            tokio::spawn(behave(stream));
        }
    });
    (port, taken)
}

/// Reads a part of the request, sends `head`, and then `more` repeatedly until the connection ends.
async fn saying(head: String, more: &'static str, pause: Duration) -> u16 {
    let behave = move |mut stream: TcpStream| {
        let head = head.clone();
        async move {
            let _ = stream.read(&mut [0; 16_384]).await;
            let _ = stream.write_all(head.as_bytes()).await;
            while stream.write_all(more.as_bytes()).await.is_ok() && !(more.is_empty() && pause.is_zero()) {
                tokio::time::sleep(pause).await;
            }
        }
    };
    listening(behave).await.0
}

/// Starts a receiver that accepts TLS connections with an untrusted certificate.
async fn unproven() -> u16 {
    let (certificate, key) = CERTIFICATE;
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(vec![certificate.into()], PrivatePkcs8KeyDer::from(key).into())
        .expect("a certificate");
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let behave = move |stream| {
        let acceptor = acceptor.clone();
        async move { drop(acceptor.accept(stream).await) }
    };
    listening(behave).await.0
}

/// Returns each faulty behavior: its name, the URL to call, and the expected outcomes.
async fn ways(canary: u16) -> Vec<(&'static str, String, BTreeSet<&'static str>)> {
    let (now, soon, never) = (Duration::ZERO, Duration::from_millis(20), CALL_TIMEOUT * 50);
    let answer = |status: &str, more: &str| format!("HTTP/1.1 {status}\r\n{more}\r\n");
    let empty = "Content-Length: 0\r\n";
    let away = format!("Location: http://127.0.0.1:{canary}/inside\r\n{empty}");
    let huge: &'static str = Box::leak(format!("1000\r\n{}\r\n", "x".repeat(0x1000)).into_boxed_str());
    let down = std::net::TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr());
    let changing = saying(answer("500 Oh", empty), "", now).await;
    let plain = |port: u16| format!("http://127.0.0.1:{port}/hook");
    vec![
        ("down", plain(down.expect("a free port").port()), BTreeSet::from(["no_connection"])),
        ("slow", plain(saying(String::new(), "", never).await), BTreeSet::from(["timeout"])),
        ("drip", plain(saying("HTTP/1.1 200 OK\r\nX-Slow: ".into(), "x", soon).await), ["timeout"].into()),
        ("500", plain(saying(answer("500 Oh", empty), "", now).await), ["refused"].into()),
        ("302", plain(saying(answer("302 Away", &away), "", now).await), ["refused"].into()),
        (
            "huge",
            plain(saying(answer("200 OK", "Transfer-Encoding: chunked\r\n"), huge, now).await),
            ["taken"].into(),
        ),
        (
            "wrong tls",
            format!("https://127.0.0.1:{}/hook", unproven().await),
            ["no_secure_connection"].into(),
        ),
        ("gone", plain(saying(answer("410 Gone", empty), "", now).await), ["refused"].into()),
        (
            "hangs",
            plain(saying(answer("200 OK", "Content-Length: 9\r\n"), "", never).await),
            ["taken"].into(),
        ),
        ("changing", format!("http://changing.example:{changing}/hook"), ["refused", "not_public"].into()),
    ]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_faulty_receivers_affect_no_other() {
    let mut app = TestApp::start().await;
    let names = Arc::new(Changing(AtomicUsize::new(0)));
    app.service.client = Caller::new(names, true, &[]).expect("no more roots").within(CALL_TIMEOUT);
    let app = app;
    let (canary, noticed) = listening(|_| async {}).await;
    let _telling = Telling::begun(&app).await;
    let mut hooks = BTreeMap::new();
    for (name, url, outcomes) in ways(canary).await {
        let hook = Hook::new(&app, &app.client, &url, &SCOPES).await;
        hooks.insert(hook.id.to_string(), (name, outcomes));
    }
    let (well, other) = (Receiver::answering(|_| 200), Receiver::answering(|_| 200));
    let stranger = app.platform("Other", true).await;
    let hook = Hook::new(&app, &app.client, &well.url, &SCOPES).await;
    let others = Hook::new(&app, &stranger, &other.url, &SCOPES).await;
    live(&app).await;
    stranger.verified("Bob").await;
    let (all, theirs) = (expected(&app, &hook).await, expected(&app, &others).await);
    assert!(all.len() > 5 && !theirs.is_empty());
    until("those who are well are told everything", async || {
        (by_record(&well.heard()) == all && by_record(&other.heard()) == theirs).then_some(())
    })
    .await;
    for (id, (name, outcomes)) in &hooks {
        let path = format!("/subscriptions/logs?per_page=100&subscription_id={id}");
        until(&format!("{name} has its outcome"), async || {
            let logs = app.client.call("GET", &path).send().await.ok();
            let found = logs["logs"].as_array().expect("a list").iter();
            let found: BTreeSet<&str> = found.filter_map(|log| log["outcome"].as_str()).collect();
            (found == *outcomes).then_some(())
        })
        .await;
    }
    assert_eq!(noticed.load(Ordering::SeqCst), 0, "somebody inside was called");
    let (gone, _) = hooks.iter().find(|(_, (name, _))| *name == "gone").expect("one of ten");
    let record = app.client.call("GET", &format!("/subscriptions/{gone}")).send().await.ok();
    assert_eq!(record["is_active"], false);
    assert_eq!(record["stopped"]["reason"], "gone");
}
