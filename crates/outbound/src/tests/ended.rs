//! Connections that end: closed by the receiver while they are kept, or by the client after an incomplete response.

use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::receiver::{Receiver, request};
use super::*;
use crate::MAX_BODY_BYTES;

const YES: &str = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";

#[tokio::test]
async fn receiver_that_closed_is_called_again() {
    // Without a pause, calls meet the end of the connection at any moment. With a pause, it has already arrived.
    for pause in [0, 20] {
        let (receiver, client) = (Receiver::saying(YES).await, dev());
        for number in 0..50 {
            let attempt = client.call(&call(&receiver.url())).await;
            assert!(attempt.is_taken(), "call {number}: {attempt:?}");
            if pause > 0 {
                tokio::time::sleep(Duration::from_millis(pause)).await;
            }
        }
        assert_eq!(receiver.taken(), 50);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_calls_are_all_taken() {
    for (receiver, most) in [(Receiver::keeping(YES).await, 500), (Receiver::saying(YES).await, 2_000)] {
        let client = dev();
        let mut callers = tokio::task::JoinSet::new();
        for _ in 0..40 {
            let (client, call) = (client.clone(), call(&receiver.url()));
            callers.spawn(async move {
                for _ in 0..25 {
                    let attempt = client.call(&call).await;
                    assert!(attempt.is_taken(), "{attempt:?}");
                }
            });
        }
        callers.join_all().await;
        assert!(receiver.taken() < most, "{}", receiver.taken());
    }
}

/// Answers the first request of each connection. Sends `last` for the second one and closes the connection.
pub(super) async fn forgetful(last: &'static str) -> Receiver {
    Receiver::start(move |mut stream| async move {
        request(&mut stream).await;
        let _ = stream.write_all(YES.as_bytes()).await;
        request(&mut stream).await;
        let _ = stream.write_all(last.as_bytes()).await;
    })
    .await
}

#[tokio::test]
async fn swallowed_request_is_sent_again() {
    let (receiver, client) = (forgetful("").await, dev());
    for _ in 0..3 {
        assert!(client.call(&call(&receiver.url())).await.is_taken());
        meanwhile().await;
    }
    assert_eq!(receiver.taken(), 3);
}

#[tokio::test]
async fn partly_answered_request_is_not_repeated() {
    let (receiver, client) = (forgetful("HTTP/1.1 2").await, dev());
    assert!(client.call(&call(&receiver.url())).await.is_taken());
    meanwhile().await;
    assert_eq!(client.call(&call(&receiver.url())).await.outcome, Err(Failure::Broken));
    assert_eq!(receiver.taken(), 1);
}

#[tokio::test]
async fn unended_answer_ends_the_connection() {
    let long = format!("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n{}", "x".repeat(100_000));
    let chunk = format!("8000\r\n{}\r\n", "x".repeat(0x8000));
    let chunks = format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{}0\r\n\r\n", chunk.repeat(3));
    let endless = format!("HTTP/1.1 200 OK\r\n\r\n{}", "x".repeat(MAX_BODY_BYTES));
    // The response is complete when the client has read enough, but the client does not read its end.
    let even = format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{}0\r\n\r\n", chunk.repeat(2));
    let stalled = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc".to_owned();
    for answer in [long, chunks, even, endless, stalled] {
        let (receiver, client) = (Receiver::keeping(answer.clone()).await, dev());
        let client = client.within(Duration::from_millis(400));
        for expected in 1..=3 {
            assert!(client.call(&call(&receiver.url())).await.is_taken());
            meanwhile().await;
            assert_eq!((receiver.taken(), client.open()), (expected, 0), "{}", &answer[..60]);
        }
    }
}

#[tokio::test]
async fn second_response_on_connection_is_limited() {
    let sent = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&sent);
    let receiver = Receiver::start(move |mut stream| {
        let counted = Arc::clone(&counted);
        async move {
            request(&mut stream).await;
            let _ = stream.write_all(YES.as_bytes()).await;
            request(&mut stream).await;
            let many = "HTTP/1.1 100 Continue\r\n\r\n".repeat(160);
            while stream.write_all(many.as_bytes()).await.is_ok() {
                counted.fetch_add(many.len(), Ordering::SeqCst);
            }
        }
    })
    .await;
    let client = dev();
    assert!(client.call(&call(&receiver.url())).await.is_taken());
    meanwhile().await;
    let attempt = client.call(&call(&receiver.url())).await;
    assert_eq!(attempt.outcome, Err(Failure::HeadTooLarge));
    assert!(attempt.took < CALL_TIMEOUT / 3, "{:?}", attempt.took);
    // The bytes in the buffers of both sockets were sent as well, but not read.
    assert!(sent.load(Ordering::SeqCst) < MAX_RESPONSE_BYTES + (8 << 20), "{sent:?}");
    meanwhile().await;
    assert_eq!((receiver.taken(), client.open()), (1, 0));
}

#[tokio::test]
async fn request_bytes_renew_no_allowance() {
    let receiver = Receiver::start(|mut stream| async move {
        // The receiver reads a part, so that the client writes the next one, and sends a little. In all it sends too
        // much.
        let interim = "HTTP/1.1 100 Continue\r\n\r\n".repeat(4);
        for _ in 0..2_000 {
            let _ = stream.read_exact(&mut [0; 1 << 14]).await;
            let _ = stream.write_all(interim.as_bytes()).await;
        }
        let _ = stream.write_all(YES.as_bytes()).await;
    })
    .await;
    let call = Call { body: Bytes::from(vec![b' '; 2_000 << 14]), ..call(&receiver.url()) };
    assert_eq!(dev().call(&call).await.outcome, Err(Failure::HeadTooLarge));
}

#[tokio::test]
async fn dropped_call_ends_its_kept_connection() {
    let receiver = Receiver::start(|mut stream| async move {
        request(&mut stream).await;
        let _ = stream.write_all(YES.as_bytes()).await;
        let _ = stream.read(&mut [0; 1024]).await;
        std::future::pending::<()>().await;
    })
    .await;
    let client = dev();
    assert!(client.call(&call(&receiver.url())).await.is_taken());
    meanwhile().await;
    let call = call(&receiver.url());
    let dropped = tokio::time::timeout(Duration::from_millis(100), client.call(&call)).await;
    assert!(dropped.is_err());
    meanwhile().await;
    assert_eq!((receiver.taken(), client.open()), (1, 0));
}
