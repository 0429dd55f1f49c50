//! Slow clients: a connection whose head, body or answer makes no progress is ended within 35 seconds, and no other
//! client is affected.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use daybook_tests::app::TestApp;
use daybook_tests::client::Client;
use daybook_tests::http::Call;
use futures::future::join_all;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

/// Longest time that a connection without progress stays open.
const MAX_DURATION: Duration = Duration::from_secs(35);

/// Time between two bytes of a client that sends slowly.
const DRIP_INTERVAL: Duration = Duration::from_millis(500);

const LIVE: &str = "GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n";

/// A client that sends this text and then a byte now and then, or nothing.
struct Slow {
    name: &'static str,
    /// True if the client has received an answer on the connection before.
    is_known: bool,
    sends: String,
    drip: Option<&'static [u8]>,
}

impl Slow {
    /// Runs until the server ends the connection, and returns the answer. `Err` if that takes too long.
    async fn run(self, address: SocketAddr) -> (&'static str, Result<String, String>) {
        let mut stream = TcpStream::connect(address).await.expect("somebody listens");
        if self.is_known {
            stream.write_all(LIVE.as_bytes()).await.expect("sent");
            let count = stream.read(&mut [0; 4096]).await;
            assert!(count.is_ok_and(|count| count > 0), "no answer");
        }
        let (mut from, mut to) = stream.into_split();
        let began = Instant::now();
        let sending = tokio::spawn(async move {
            let _ = to.write_all(self.sends.as_bytes()).await;
            while let Some(bytes) = self.drip {
                sleep(DRIP_INTERVAL).await;
                if to.write_all(bytes).await.is_err() {
                    return to;
                }
            }
            to
        });
        let mut told = Vec::new();
        // A connection reset also counts as ended.
        let ended = timeout(2 * MAX_DURATION, from.read_to_end(&mut told)).await.is_ok();
        sending.abort();
        let told = String::from_utf8_lossy(&told).into_owned();
        (self.name, if ended && began.elapsed() < MAX_DURATION { Ok(told) } else { Err(told) })
    }
}

fn slow(name: &'static str, sends: impl Into<String>, drip: Option<&'static [u8]>) -> Slow {
    Slow { name, is_known: false, sends: sends.into(), drip }
}

fn known(slow: Slow) -> Slow {
    Slow { is_known: true, ..slow }
}

/// Returns clients whose head or body stalls or trickles, with and without a complete request before it.
fn all(client: &Client) -> Vec<Slow> {
    let head = "GET /health/live HTTP/1.1\r\nHost: x\r\nX-A";
    let post = |path: &str, how: &str| {
        let gateway = client.gateway();
        format!("POST {path} HTTP/1.1\r\nHost: x\r\nX-SP-GATEWAY: {gateway}\r\n{how}\r\n\r\n")
    };
    let long = "Content-Length: 100000";
    let chunked = "Transfer-Encoding: chunked";
    let users = "/v3.1/users";
    vec![
        slow("nothing", "", None),
        slow("a head that stalls", head, None),
        slow("a head that drips", head, Some(b"a")),
        known(slow("a head that stalls after a request", head, None)),
        known(slow("a head that drips after a request", head, Some(b"a"))),
        slow("a head that drips behind a request", [LIVE, head].concat(), Some(b"a")),
        slow("half a head behind a request", [LIVE, head].concat(), None),
        known(slow("half a head behind a request after another", [LIVE, head].concat(), None)),
        slow("half a head behind two requests", [LIVE, LIVE, head].concat(), None),
        slow("half a head behind a body", post(users, "Content-Length: 2") + "{}" + head, None),
        slow("half a head behind chunks", post(users, chunked) + "2\r\n{}\r\n0\r\n\r\n" + head, None),
        slow("a body that stalls", post(users, long) + "{", None),
        slow("a body that drips", post(users, long) + "{", Some(b" ")),
        slow("chunks that stall", post(users, chunked) + "1\r\n{\r\n", None),
        slow("chunks that drip", post(users, chunked) + "1\r\n{\r\n", Some(b"1\r\n \r\n")),
        slow("a chunk that drips", post(users, chunked) + "ffff\r\n{", Some(b" ")),
        slow("a body for nobody that stalls", post("/nothing", long), None),
        slow("a body for nobody that drips", post("/nothing", long), Some(b" ")),
        slow("chunks for nobody that stall", post("/nothing", chunked), None),
        slow("chunks for nobody that drip", post("/nothing", chunked), Some(b"1\r\n \r\n")),
        slow("chunks behind a GET", LIVE.replace("\r\n\r\n", "\r\nTransfer-Encoding: chunked\r\n\r\n"), None),
    ]
}

/// Requests more than all buffers hold, reads nothing for a while, and returns the number of bytes it then receives.
async fn unread(address: SocketAddr) -> usize {
    let page = "GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: x\r\n\r\n".repeat(16);
    let mut stream = TcpStream::connect(address).await.expect("somebody listens");
    stream.write_all(page.as_bytes()).await.expect("sent");
    sleep(MAX_DURATION).await;
    let (mut got, mut bytes) = (0, vec![0; 1 << 20]);
    while let Ok(Ok(count @ 1..)) = timeout(MAX_DURATION, stream.read(&mut bytes)).await {
        got += count;
    }
    got
}

/// Makes ordinary calls during this time.
async fn others(app: &TestApp, for_as_long_as: Duration) {
    let began = Instant::now();
    while began.elapsed() < for_as_long_as {
        let answer = app.client.call("GET", &format!("/users/{}", app.client.user_id)).send().await;
        let _ = answer.ok();
        sleep(DRIP_INTERVAL).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slow_clients_are_disconnected_without_affecting_others() {
    let app = TestApp::start().await;
    let slow = join_all(all(&app.client).into_iter().map(|slow| slow.run(app.address)));
    let page = Call::new(app.address, "GET", "/docs/swagger-ui-bundle.js").send().await.body.len();
    let (ended, got, ()) = tokio::join!(slow, unread(app.address), others(&app, MAX_DURATION));
    let kept: Vec<_> = ended.iter().filter(|(_, told)| told.is_err()).collect();
    assert!(kept.is_empty(), "{kept:#?}");
    assert!(got < 16 * page, "all of {got} bytes were sent to somebody who read none for {MAX_DURATION:?}");
    let told = |name: &str| {
        let found = ended.iter().find(|(found, _)| *found == name).and_then(|(_, told)| told.as_ref().ok());
        found.cloned().unwrap_or_default()
    };
    // A client that is still able to receive an answer gets the reason.
    for name in ["nothing", "a head that stalls", "a head that drips"] {
        assert!(
            told(name).starts_with("HTTP/1.1 400 ") && told(name).contains("did not arrive in time"),
            "{}",
            told(name)
        );
    }
    for name in ["a body that stalls", "a body that drips", "chunks that stall", "chunks that drip"] {
        assert!(told(name).contains(r#""field":"body""#), "{name}: {}", told(name));
    }
    for name in ["a head that drips behind a request", "half a head behind a request"] {
        assert!(told(name).starts_with("HTTP/1.1 200 "), "{name}: {}", told(name));
    }
}

#[tokio::test]
async fn idle_client_is_kept_between_requests() {
    let app = TestApp::start().await;
    let gateway = app.client.gateway();
    let post =
        |how: &str| format!("POST /v3.1/users HTTP/1.1\r\nHost: x\r\nX-SP-GATEWAY: {gateway}\r\n{how}");
    let whole = post("Content-Length: 2\r\n\r\n{}");
    let chunked = post("Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n");
    let waiting = [LIVE, &whole, &chunked].map(async |request| {
        let mut stream = TcpStream::connect(app.address).await.expect("somebody listens");
        for _ in 0..2 {
            stream.write_all(request.as_bytes()).await.expect("sent");
            let mut bytes = [0; 4096];
            let count = stream.read(&mut bytes).await.expect("an answer");
            assert!(bytes[..count].starts_with(b"HTTP/1.1 "), "{request}");
            // Longer than the timeout of a head.
            sleep(Duration::from_secs(13)).await;
        }
    });
    join_all(waiting).await;
}
