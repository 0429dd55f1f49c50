//! The port to name service.

use std::io;
use std::net::IpAddr;

use async_trait::async_trait;

/// Finds the addresses of a name.
#[async_trait]
pub trait Resolver: Send + Sync {
    /// The addresses of `name`, those to try first in front.
    async fn addresses(&self, name: &str) -> io::Result<Vec<IpAddr>>;
}

/// Asks the operating system.
#[derive(Clone, Copy, Debug)]
pub struct SystemResolver;

#[async_trait]
impl Resolver for SystemResolver {
    async fn addresses(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        Ok(tokio::net::lookup_host((name, 0)).await?.map(|address| address.ip()).collect())
    }
}
