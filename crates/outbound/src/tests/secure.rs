//! TLS: the receiver must prove its identity with a certificate.

use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::PrivatePkcs8KeyDer;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio_rustls::TlsAcceptor;

use super::receiver::Receiver;
use super::*;

const AUTHORITY: &[u8] = include_bytes!("../../../../tests/tls/authority.der");
const RECEIVER: (&[u8], &[u8]) = (
    include_bytes!("../../../../tests/tls/receiver.der"),
    include_bytes!("../../../../tests/tls/receiver.key.der"),
);
const OTHER: (&[u8], &[u8]) = (
    include_bytes!("../../../../tests/tls/other.der"),
    include_bytes!("../../../../tests/tls/other.key.der"),
);

/// Accepts TLS connections with this certificate.
fn acceptor((certificate, key): (&'static [u8], &'static [u8])) -> TlsAcceptor {
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.into()], PrivatePkcs8KeyDer::from(key).into())
        .unwrap();
    TlsAcceptor::from(Arc::new(config))
}

/// A receiver that has this certificate and answers success.
async fn receiver(certified: (&'static [u8], &'static [u8])) -> Receiver {
    let acceptor = acceptor(certified);
    Receiver::start(move |stream| {
        let acceptor = acceptor.clone();
        async move {
            let Ok(mut stream) = acceptor.accept(stream).await else { return };
            let mut part = [0; 4096];
            while stream.read(&mut part).await.is_ok_and(|length| length > 0) {
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").await;
                let _ = stream.flush().await;
            }
        }
    })
    .await
}

/// A client that trusts the test authority.
fn trusting() -> Client {
    Client::new(Answers::new(&["127.0.0.1"]), true, &[AUTHORITY.into()]).unwrap()
}

#[tokio::test]
async fn receiver_with_valid_certificate_is_called() {
    let receiver = receiver(RECEIVER).await;
    for host in ["receiver.example", "RECEIVER.example.", "127.0.0.1"] {
        let attempt = trusting().call(&call(&format!("https://{host}:{}", receiver.port))).await;
        assert!(attempt.is_taken(), "{host}: {attempt:?}");
    }
    // Without a scheme, https is assumed.
    let attempt = trusting().call(&call(&format!("receiver.example:{}/hook", receiver.port))).await;
    assert!(attempt.is_taken(), "{attempt:?}");
}

#[tokio::test]
async fn receiver_with_invalid_certificate_is_refused() {
    let is_refused = |attempt: &Attempt| matches!(attempt.outcome, Err(Failure::Tls(_)));
    let (right, other) = (receiver(RECEIVER).await, receiver(OTHER).await);
    let plain = Receiver::saying("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").await;
    let names = [
        (trusting(), "receiver.example", other.port),
        (trusting(), "other.receiver.example", right.port),
        (trusting(), "127.0.0.1", other.port),
        (trusting(), "receiver.example", plain.port),
        // Only the tests' own client trusts their authority.
        (dev(), "receiver.example", right.port),
    ];
    for (client, host, port) in names {
        let attempt =
            client.within(Duration::from_secs(2)).call(&call(&format!("https://{host}:{port}"))).await;
        let is_silent = port == plain.port && attempt.outcome == Err(Failure::Timeout);
        assert!(is_refused(&attempt) || is_silent, "{host}: {attempt:?}");
    }
}

#[tokio::test]
async fn tls_connection_is_reused() {
    let (receiver, client) = (receiver(RECEIVER).await, trusting());
    for _ in 0..3 {
        let attempt = client.call(&call(&format!("https://receiver.example:{}", receiver.port))).await;
        assert!(attempt.is_taken(), "{attempt:?}");
        meanwhile().await;
    }
    assert_eq!((receiver.taken(), client.open()), (1, 1));
}

#[tokio::test]
async fn deaf_receivers_hold_no_connection() {
    let acceptor = acceptor(RECEIVER);
    let receiver = Receiver::start(move |stream| {
        let acceptor = acceptor.clone();
        async move {
            let stream = acceptor.accept(stream).await;
            std::future::pending::<()>().await;
            drop(stream);
        }
    })
    .await;
    let client = trusting().within(Duration::from_millis(400));
    // More than fits into the buffers of both sockets.
    let body = Bytes::from(vec![b' '; 32 << 20]);
    let call = Call { body, ..call(&format!("https://receiver.example:{}", receiver.port)) };
    assert_eq!(client.call(&call).await.outcome, Err(Failure::Timeout));
    meanwhile().await;
    assert_eq!((receiver.taken(), client.open()), (1, 0));
}
