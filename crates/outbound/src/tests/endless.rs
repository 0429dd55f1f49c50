//! Receivers that never finish, each in another part of a response.

use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use super::receiver::{Receiver, request};
use super::*;

/// A receiver that sends `first` and then repeats `again` for ever. The bytes that it could send are counted.
pub(super) async fn endless(first: &'static str, again: &'static str) -> (Receiver, Arc<AtomicUsize>) {
    let sent = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&sent);
    let behave = move |mut stream: TcpStream| {
        let counted = Arc::clone(&counted);
        async move {
            request(&mut stream).await;
            let _ = stream.write_all(first.as_bytes()).await;
            let many = again.repeat(4_096 / again.len());
            while stream.write_all(many.as_bytes()).await.is_ok() {
                counted.fetch_add(many.len(), Ordering::SeqCst);
            }
        }
    };
    (Receiver::start(behave).await, sent)
}

#[tokio::test]
async fn endless_response_ends_at_its_limit() {
    const CHUNKED: &str = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    // True if the head of the response arrives before the limit is reached.
    let (yes, no) = (true, false);
    let table = [
        ("", "HTTP/1.1 100 Continue\r\n\r\n", no),
        ("", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", no),
        ("HTTP/1.1 200 OK\r\n", "A: b\r\n", no),
        (CHUNKED, "1;extension=of-a-chunk\r\na\r\n", yes),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", "A: b\r\n", yes),
        ("HTTP/1.1 200 OK\r\n\r\n", "a", yes),
    ];
    for (first, again, expected) in table {
        let (receiver, sent) = endless(first, again).await;
        let attempt = dev().call(&call(&receiver.url())).await;
        assert_eq!(attempt.is_taken(), expected, "{first}{again}: {attempt:?}");
        assert_eq!(attempt.outcome == Err(Failure::HeadTooLarge), !expected, "{first}{again}: {attempt:?}");
        assert!(attempt.took < CALL_TIMEOUT / 3, "{first}{again}: {:?}", attempt.took);
        // The bytes in the buffers of both sockets were sent as well, but not read.
        let sent = sent.load(Ordering::SeqCst);
        assert!(sent < MAX_RESPONSE_BYTES + (8 << 20), "{first}{again}: {sent}");
    }
}
