//! Receivers: each accepts connections on a port of this machine and counts them.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// A server on this machine.
pub(super) struct Receiver {
    pub(super) port: u16,
    taken: Arc<AtomicUsize>,
}

impl Receiver {
    /// Starts a receiver that runs `behave` for each connection.
    pub(super) async fn start<F, Behaving>(behave: F) -> Self
    where
        F: Fn(TcpStream) -> Behaving + Send + Sync + 'static,
        Behaving: Future<Output = ()> + Send + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let port = listener.local_addr().expect("is bound").port();
        let taken = Arc::new(AtomicUsize::new(0));
        let counted = taken.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                counted.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(behave(stream));
            }
        });
        Self { port, taken }
    }

    /// Reads one request, sends `answer` and closes the connection.
    pub(super) async fn saying(answer: &'static str) -> Self {
        Self::start(move |mut stream| async move {
            request(&mut stream).await;
            let _ = stream.write_all(answer.as_bytes()).await;
        })
        .await
    }

    /// Sends `answer` for each request of a connection, until the client closes it.
    pub(super) async fn keeping(answer: impl Into<String>) -> Self {
        let answer: Arc<str> = answer.into().into();
        Self::start(move |mut stream| {
            let answer = Arc::clone(&answer);
            async move {
                while !request(&mut stream).await.is_empty() {
                    let _ = stream.write_all(answer.as_bytes()).await;
                }
            }
        })
        .await
    }

    /// Number of connections that were accepted.
    pub(super) fn taken(&self) -> usize {
        self.taken.load(Ordering::SeqCst)
    }

    pub(super) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/hook?a=1", self.port)
    }
}

/// Reads a request to the end of its body. All calls of these tests have the same body.
pub(super) async fn request(stream: &mut TcpStream) -> String {
    let mut text = Vec::new();
    let mut part = [0; 1024];
    while !text.ends_with(b"{\"a\":1}") {
        match stream.read(&mut part).await {
            Ok(length) if length > 0 => text.extend_from_slice(&part[..length]),
            _ => break,
        }
    }
    String::from_utf8(text).expect("a request is text")
}
