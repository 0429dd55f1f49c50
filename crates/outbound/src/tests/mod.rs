//! Tests of the client against receivers on this machine that behave well, badly and maliciously.

mod behaviours;
mod ended;
mod endless;
mod kept;
mod reached;
mod receiver;
mod refused;
mod secure;

use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use hyper::header::{HeaderMap, HeaderValue};

use crate::connector::AddressPolicy;
use crate::guarded::{Attempt, Call, Client, Guard, Resolver, SystemResolver};
use crate::{CALL_TIMEOUT, Failure, KEPT_BODY_BYTES, MAX_HEAD_BYTES, MAX_RESPONSE_BYTES};

/// A name service that returns the same addresses for every name, and counts the queries.
pub(super) struct Answers {
    addresses: Vec<IpAddr>,
    asked: AtomicUsize,
}

impl Answers {
    pub(super) fn new(addresses: &[&str]) -> Arc<Self> {
        let addresses = addresses.iter().map(|address| address.parse().expect("an address")).collect();
        Arc::new(Self { addresses, asked: AtomicUsize::new(0) })
    }

    pub(super) fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

#[async_trait::async_trait]
impl Resolver for Answers {
    async fn addresses(&self, _name: &str) -> io::Result<Vec<IpAddr>> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        Ok(self.addresses.clone())
    }
}

/// A client with the guard of production: it does not call this machine.
pub(super) fn outside(resolver: Arc<dyn Resolver>) -> Client {
    Client::new(resolver, false, &[]).expect("no roots of its own")
}

/// A client with the guard of `daybook dev`. Every name resolves to this machine.
pub(super) fn dev() -> Client {
    Client::new(Answers::new(&["127.0.0.1"]), true, &[]).expect("no roots of its own")
}

pub(super) fn call(url: &str) -> Call {
    Call {
        url: url.to_owned(),
        in_the_clear: true,
        headers: HeaderMap::new(),
        body: Bytes::from_static(b"{\"a\":1}"),
    }
}

/// Yields, so that pending tasks make progress, for example the task that returns a connection to the pool.
pub(super) async fn meanwhile() {
    for _ in 0..20 {
        tokio::task::yield_now().await;
    }
}
