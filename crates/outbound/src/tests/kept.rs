//! Connections that are kept for the next call.

use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use super::receiver::{Receiver, request};
use super::*;
use crate::inside::Anywhere;
use crate::pool::{IDLE_TIMEOUT, Pool};
use crate::{MAX_BODY_BYTES, tls};

const YES: &str = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
const NO: &str = "HTTP/1.1 500 Oh\r\nContent-Length: 0\r\n\r\n";

/// Calls `times` times in sequence. Every call must be taken.
async fn calls(client: &Client, receiver: &Receiver, times: usize) {
    for number in 0..times {
        let attempt = client.call(&call(&receiver.url())).await;
        assert!(attempt.is_taken(), "call {number}: {attempt:?}");
        meanwhile().await;
    }
}

#[tokio::test]
async fn calls_share_a_connection() {
    for answer in [
        YES,
        "HTTP/1.1 204 No Content\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
    ] {
        let (receiver, client) = (Receiver::keeping(answer).await, dev());
        calls(&client, &receiver, 3).await;
        assert_eq!((receiver.taken(), client.open()), (1, 1), "{answer}");
    }
}

#[tokio::test]
async fn deadlines_share_connections() {
    let (receiver, client) = (Receiver::keeping(YES).await, dev());
    for client in [client.clone(), client.hurried(), client.within(CALL_TIMEOUT / 2)] {
        calls(&client, &receiver, 1).await;
    }
    assert_eq!(receiver.taken(), 1);
}

#[tokio::test]
async fn each_exchange_has_the_whole_allowance() {
    let body = "x".repeat(MAX_BODY_BYTES - 1);
    let answer = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    let (receiver, client) = (Receiver::keeping(answer).await, dev());
    calls(&client, &receiver, 5).await;
    assert_eq!(receiver.taken(), 1);
}

#[tokio::test]
async fn idle_connection_ends() {
    let (receiver, client) = (Receiver::keeping(YES).await, dev());
    calls(&client, &receiver, 2).await;
    tokio::time::pause();
    tokio::time::advance(IDLE_TIMEOUT + Duration::from_secs(1)).await;
    tokio::time::resume();
    calls(&client, &receiver, 1).await;
    assert_eq!(receiver.taken(), 2);
}

#[tokio::test]
async fn connection_over_the_limit_is_closed() {
    let pool = Pool::new(Anywhere, tls::connector(&[]).expect("authorities"), 0);
    let (kept, other) = (Receiver::keeping(YES).await, Receiver::keeping(YES).await);
    for receiver in [&kept, &other, &other] {
        let request = hyper::Request::post(receiver.url()).body(Bytes::from_static(b"{\"a\":1}").into());
        let answering = pool.send(request.expect("a request"), false).await;
        answering.unwrap_or_else(|failure| panic!("{failure}")).whole().await.expect("a body");
        meanwhile().await;
    }
    assert_eq!((kept.taken(), other.taken(), pool.open()), (1, 2, 1));
}

#[tokio::test]
async fn kept_connection_permits_no_other_call() {
    let (receiver, client) = (Receiver::keeping(YES).await, dev());
    calls(&client, &receiver, 1).await;
    let in_secret = Call { in_the_clear: false, ..call(&receiver.url()) };
    assert_eq!(client.call(&in_secret).await.outcome, Err(Failure::Unencrypted));
    calls(&client, &receiver, 1).await;
    assert_eq!(receiver.taken(), 1);
}

/// A name that resolves to this machine the first time, and to an internal address after that.
struct Changing(AtomicUsize);

#[async_trait::async_trait]
impl Resolver for Changing {
    async fn addresses(&self, _name: &str) -> io::Result<Vec<IpAddr>> {
        let is_first = self.0.fetch_add(1, Ordering::SeqCst) == 0;
        Ok(vec![if is_first { "127.0.0.1" } else { "10.0.0.1" }.parse().expect("an address")])
    }
}

#[tokio::test]
async fn kept_connection_leads_to_checked_address() {
    let receiver = Receiver::start(|mut stream| async move {
        for more in ["", "Connection: close\r\n"] {
            request(&mut stream).await;
            let answer = format!("HTTP/1.1 200 OK\r\n{more}Content-Length: 0\r\n\r\n");
            let _ = stream.write_all(answer.as_bytes()).await;
        }
    })
    .await;
    let client = Client::new(Arc::new(Changing(AtomicUsize::new(0))), true, &[]).unwrap();
    let call = call(&format!("http://changing.example:{}", receiver.port));
    for _ in 0..2 {
        assert!(client.call(&call).await.is_taken());
        meanwhile().await;
    }
    let inside = "10.0.0.1".parse().unwrap();
    assert_eq!(client.call(&call).await.outcome, Err(Failure::NotPublic(inside)));
    assert_eq!(receiver.taken(), 1);
}

/// Accepts connections. After one response on the first connection it runs `first`; on the others it always answers
/// success.
async fn at_first<F, Doing>(first: F) -> Receiver
where
    F: Fn(TcpStream) -> Doing + Send + Sync + 'static,
    Doing: Future<Output = ()> + Send + 'static,
{
    let (first, is_later) = (Arc::new(first), AtomicUsize::new(0));
    Receiver::start(move |mut stream| {
        let (first, is_first) = (Arc::clone(&first), is_later.fetch_add(1, Ordering::SeqCst) == 0);
        async move {
            loop {
                if request(&mut stream).await.is_empty() {
                    return;
                }
                let _ = stream.write_all(YES.as_bytes()).await;
                if is_first {
                    return first(stream).await;
                }
            }
        }
    })
    .await
}

#[tokio::test]
async fn unasked_bytes_are_no_answer() {
    let later = at_first(|mut stream| async move {
        let _ = stream.write_all(NO.as_bytes()).await;
        request(&mut stream).await;
    });
    let at_once = Receiver::start(|mut stream| async move {
        request(&mut stream).await;
        let _ = stream.write_all(format!("{YES}{NO}").as_bytes()).await;
        request(&mut stream).await;
    });
    for receiver in [later.await, at_once.await] {
        let client = dev();
        calls(&client, &receiver, 1).await;
        // The bytes must have arrived before the next request is sent. After that they would count as its response.
        tokio::time::sleep(Duration::from_millis(50)).await;
        calls(&client, &receiver, 1).await;
        assert_eq!(receiver.taken(), 2);
    }
}
