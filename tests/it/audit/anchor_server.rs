//! A file server for tests, with TLS or without, with switchable misbehaviour.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use daybook_proof::Checkpoint;
use daybook_tests::app::signer;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

pub(super) const KEEPS: usize = 0;
/// Ignores `If-None-Match: *` and overwrites existing files.
pub(super) const OVERWRITES: usize = 1;
pub(super) const REFUSES: usize = 2;
pub(super) const HANGS: usize = 3;
pub(super) const LEADS_AWAY: usize = 4;
pub(super) const NEVER_ENDS: usize = 5;

/// A file server that keeps its files and the request heads in memory.
#[derive(Clone, Default)]
pub(super) struct Server {
    pub(super) does: Arc<AtomicUsize>,
    files: Arc<Mutex<BTreeMap<String, String>>>,
    pub(super) heads: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// Listens on a free local port, with TLS or without, and returns the address.
    pub(super) async fn start(self, tls: Option<TlsAcceptor>) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("is bound");
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (server, tls) = (self.clone(), tls.clone());
                tokio::spawn(async move {
                    match tls {
                        None => server.answer(stream).await,
                        Some(tls) => match tls.accept(stream).await {
                            Ok(stream) => server.answer(stream).await,
                            Err(_) => None,
                        },
                    }
                });
            }
        });
        address
    }

    async fn answer(&self, mut stream: impl AsyncRead + AsyncWrite + Unpin) -> Option<()> {
        let (mut text, mut part) = (String::new(), [0; 4096]);
        let (head, body) = loop {
            let length = stream.read(&mut part).await.ok().filter(|length| *length > 0)?;
            text.push_str(std::str::from_utf8(&part[..length]).expect("a request is text"));
            let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            if body.len() == length.map_or(0, |length| length.parse().expect("a number")) {
                break (head.to_owned(), body.to_owned());
            }
        };
        self.heads.lock().expect("is whole").push(head.clone());
        let (status, body) = match self.does.load(Ordering::SeqCst) {
            HANGS => std::future::pending().await,
            REFUSES => ("403 Forbidden", String::new()),
            LEADS_AWAY => ("307 Temporary Redirect\r\nLocation: /elsewhere", String::new()),
            NEVER_ENDS => ("200 OK", "x".repeat(1 << 20)),
            does => self.file(&head, body, does),
        };
        let length = body.len();
        let answer = format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\n\r\n{body}");
        stream.write_all(answer.as_bytes()).await.ok()?;
        stream.shutdown().await.ok()
    }

    fn file(&self, head: &str, body: String, does: usize) -> (&'static str, String) {
        let mut files = self.files.lock().expect("is whole");
        let mut words = head.split(' ');
        let (method, path) = (words.next(), words.next().expect("a path").to_owned());
        let only_new = does == KEEPS && head.contains("if-none-match: *");
        match (method, files.get(&path)) {
            (Some("GET"), None) => ("404 Not Found", String::new()),
            (Some("GET"), Some(file)) => ("200 OK", file.clone()),
            (_, Some(_)) if only_new => ("412 Precondition Failed", String::new()),
            _ => {
                files.insert(path, body);
                ("201 Created", String::new())
            }
        }
    }

    pub(super) fn get(&self, path: &str) -> Option<String> {
        self.files.lock().expect("is whole").get(path).cloned()
    }

    /// Number of events that its newest checkpoint covers.
    pub(super) fn covers(&self) -> Option<u64> {
        let note = self.get("/log/checkpoint")?;
        Some(Checkpoint::open(note.as_bytes(), &[signer().key().clone()]).expect("is signed").head.size)
    }
}
