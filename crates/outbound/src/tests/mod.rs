//! The client against receivers on this machine that behave in every way there is.

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

use crate::connector::Reach;
use crate::guarded::{Attempt, Call, Client, Guard, Resolver, SystemResolver};
use crate::{DEADLINE, Failure, KEPT, MAX_HEAD, MAX_SENT};

/// A name service that answers the same for every name, and counts how often it is asked.
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

/// A client as outside of `daybook dev`: it does not call this machine.
pub(super) fn outside(resolver: Arc<dyn Resolver>) -> Client {
    Client::new(resolver, false, &[]).expect("no roots of its own")
}

/// A client as under `daybook dev`, for which every name is this machine's.
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

/// Lets tasks go on that have something to do, such as that of a connection that goes back to its pool.
pub(super) async fn meanwhile() {
    for _ in 0..20 {
        tokio::task::yield_now().await;
    }
}
