//! Behaviours of receivers, and the outcome of a call to each of them.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::receiver::{Receiver, request};
use super::*;

/// Timeout that is long enough for a slow machine and short enough for a test.
const TEST_TIMEOUT: Duration = Duration::from_millis(400);

fn said(attempt: &Attempt) -> (u16, &str) {
    let answer = attempt.outcome.as_ref().expect("an answer");
    (answer.status, std::str::from_utf8(&answer.beginning).expect("text"))
}

#[tokio::test]
async fn call_is_one_request_with_its_headers() {
    let heard = Arc::new(Mutex::new(String::new()));
    let hearing = heard.clone();
    let receiver = Receiver::start(move |mut stream| {
        let hearing = hearing.clone();
        async move {
            *hearing.lock().unwrap() = request(&mut stream).await;
            let _ = stream.write_all(b"HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\nok").await;
        }
    })
    .await;
    let mut call = call(&format!("http://localhost:{}/hook?a=1|2#c", receiver.port));
    call.headers.insert("webhook-id", HeaderValue::from_static("01"));
    let attempt = dev().call(&call).await;
    assert_eq!((said(&attempt), attempt.is_taken()), ((201, "ok"), true));
    let expected = format!(
        "POST /hook?a=1|2 HTTP/1.1\r\nwebhook-id: 01\r\ncontent-type: application/json\r\nuser-agent: Daybook\r\n\
         host: localhost:{}\r\ncontent-length: 7\r\n\r\n{{\"a\":1}}",
        receiver.port
    );
    assert_eq!((heard.lock().unwrap().as_str(), receiver.taken()), (expected.as_str(), 1));
}

#[tokio::test]
async fn only_status_2xx_is_taken() {
    for (answer, status, is_taken) in [
        ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", 200, true),
        ("HTTP/1.1 204 No Content\r\n\r\n", 204, true),
        ("HTTP/1.1 410 Gone\r\nContent-Length: 0\r\n\r\n", 410, false),
        ("HTTP/1.1 500 Oh\r\nContent-Length: 0\r\n\r\n", 500, false),
        ("HTTP/1.0 200 OK\r\n\r\n", 200, true),
        ("HTTP/1.1 101 Over\r\nUpgrade: other\r\nConnection: upgrade\r\n\r\n", 101, false),
        ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", 200, true),
    ] {
        let receiver = Receiver::saying(answer).await;
        let attempt = dev().call(&call(&receiver.url())).await;
        assert_eq!((said(&attempt).0, attempt.is_taken()), (status, is_taken), "{answer}");
    }
}

#[tokio::test]
async fn redirect_is_not_followed() {
    let canary = Receiver::saying("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").await;
    let to = canary.url();
    for status in ["301", "302", "303", "307", "308"] {
        let answer = format!("HTTP/1.1 {status} Away\r\nLocation: {to}\r\nContent-Length: 0\r\n\r\n");
        let receiver = Receiver::saying(answer.leak()).await;
        let attempt = dev().call(&call(&receiver.url())).await;
        assert_eq!((said(&attempt).0.to_string().as_str(), attempt.is_taken()), (status, false));
    }
    assert_eq!(canary.taken(), 0);
}

#[tokio::test]
async fn huge_response_is_read_in_part() {
    let sent = Arc::new(AtomicUsize::new(0));
    let sending = sent.clone();
    let receiver = Receiver::start(move |mut stream| {
        let sending = sending.clone();
        async move {
            request(&mut stream).await;
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n").await;
            let chunk = format!("1000\r\n{}\r\n", "x".repeat(0x1000));
            // A client that reads the response to its end never returns.
            while stream.write_all(chunk.as_bytes()).await.is_ok() {
                sending.fetch_add(chunk.len(), Ordering::SeqCst);
            }
        }
    })
    .await;
    let attempt = dev().call(&call(&receiver.url())).await;
    assert_eq!(said(&attempt), (200, "x".repeat(KEPT_BODY_BYTES).as_str()));
    assert!(attempt.took < CALL_TIMEOUT / 2, "{:?}", attempt.took);
    // The rest is in buffers of the operating system.
    let sent = sent.load(Ordering::SeqCst);
    assert!(sent < 16 * 1024 * 1024, "{sent}");
}

#[tokio::test]
async fn timeout_covers_a_dripping_response() {
    let drip = |head: &'static str| {
        Receiver::start(move |mut stream| async move {
            request(&mut stream).await;
            let _ = stream.write_all(head.as_bytes()).await;
            while stream.write_all(b"x").await.is_ok() {
                tokio::time::sleep(TEST_TIMEOUT / 10).await;
            }
        })
    };
    let in_its_head = drip("HTTP/1.1 200 OK\r\nX-Slow: ").await;
    let attempt = dev().within(TEST_TIMEOUT).call(&call(&in_its_head.url())).await;
    assert_eq!(attempt.outcome, Err(Failure::Timeout));
    assert!(attempt.took >= TEST_TIMEOUT && attempt.took < TEST_TIMEOUT * 3, "{:?}", attempt.took);
    // A receiver that has sent the head has answered.
    let in_its_body = drip("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n").await;
    let attempt = dev().within(TEST_TIMEOUT).call(&call(&in_its_body.url())).await;
    let (status, body) = said(&attempt);
    assert!(status == 200 && !body.is_empty() && body.bytes().all(|byte| byte == b'x'), "{body}");
    assert!(attempt.took >= TEST_TIMEOUT && attempt.took < TEST_TIMEOUT * 3, "{:?}", attempt.took);
}

#[tokio::test]
async fn silent_receiver_times_out() {
    for reads in [true, false] {
        let receiver = Receiver::start(move |mut stream| async move {
            if reads {
                request(&mut stream).await;
            }
            tokio::time::sleep(TEST_TIMEOUT * 10).await;
            drop(stream);
        })
        .await;
        let attempt = dev().within(TEST_TIMEOUT).call(&call(&receiver.url())).await;
        assert_eq!(attempt.outcome, Err(Failure::Timeout));
    }
}

#[tokio::test]
async fn dropped_call_ends_at_once() {
    let (ended, is_over) = tokio::sync::oneshot::channel();
    let ended = Mutex::new(Some(ended));
    let receiver = Receiver::start(move |mut stream| {
        let ended = ended.lock().unwrap().take();
        async move {
            request(&mut stream).await;
            // The receiver sends nothing and waits for the end of the connection.
            let _ = stream.read(&mut [0]).await;
            let _ = ended.map(|ended| ended.send(()));
        }
    })
    .await;
    let (client, call) = (dev(), call(&receiver.url()));
    let dropped = tokio::time::timeout(TEST_TIMEOUT, client.call(&call)).await;
    assert!(dropped.is_err());
    tokio::time::timeout(TEST_TIMEOUT * 5, is_over).await.expect("soon").expect("is told");
}

#[tokio::test]
async fn oversized_head_is_refused() {
    let long = format!("HTTP/1.1 200 OK\r\nX-Long: {}\r\n\r\n", "x".repeat(MAX_HEAD_BYTES));
    let many = format!("HTTP/1.1 200 OK\r\n{}\r\n", "X-Many: x\r\n".repeat(101));
    for answer in [long, many] {
        let receiver = Receiver::saying(answer.leak()).await;
        let attempt = dev().call(&call(&receiver.url())).await;
        assert_eq!(attempt.outcome, Err(Failure::HeadTooLarge));
    }
}

#[tokio::test]
async fn invalid_response_is_no_answer() {
    for answer in
        ["", "HTTP/1.1 2", "SSH-2.0-OpenSSH_9.2\r\n", "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n", "\0"]
    {
        let receiver = Receiver::saying(answer).await;
        let attempt = dev().call(&call(&receiver.url())).await;
        assert_eq!((attempt.outcome, receiver.taken()), (Err(Failure::Broken), 1), "{answer:?}");
    }
    let nobody = Receiver::saying("").await.port;
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    assert_ne!(nobody, closed);
    let attempt = dev().call(&call(&format!("http://127.0.0.1:{closed}"))).await;
    assert_eq!(attempt.outcome, Err(Failure::Connect(io::ErrorKind::ConnectionRefused)));
}

#[tokio::test]
async fn truncated_body_is_still_an_answer() {
    let receiver = Receiver::saying("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc").await;
    let attempt = dev().call(&call(&receiver.url())).await;
    assert_eq!(said(&attempt), (200, "abc"));
}

#[tokio::test]
async fn second_address_is_tried_after_failure() {
    let receiver = Receiver::saying("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").await;
    // The receiver listens on the second address only.
    let client = Client::new(Answers::new(&["127.0.0.2", "127.0.0.1"]), true, &[]).unwrap();
    let attempt = client.call(&call(&format!("http://two.example:{}", receiver.port))).await;
    assert!(attempt.is_taken(), "{attempt:?}");
}
