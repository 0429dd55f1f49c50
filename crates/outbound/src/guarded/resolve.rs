//! Port to a name service.

use std::io;
use std::net::IpAddr;

use async_trait::async_trait;

/// Resolves names to addresses.
#[async_trait]
pub trait Resolver: Send + Sync {
    /// Returns the addresses of `name`, preferred ones first.
    async fn addresses(&self, name: &str) -> io::Result<Vec<IpAddr>>;
}

/// Resolves names by the operating system.
#[derive(Clone, Copy, Debug)]
pub struct SystemResolver;

#[async_trait]
impl Resolver for SystemResolver {
    async fn addresses(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        Ok(tokio::net::lookup_host((name, 0)).await?.map(|address| address.ip()).collect())
    }
}
