//! An operator, as a program of its own would call the service.

use std::net::SocketAddr;

use crate::http::{Answer, Call};

/// An operator with its credentials.
#[derive(Clone, Debug)]
pub struct Operator {
    /// Where the service listens.
    pub address: SocketAddr,
    /// Public half of its credentials: `operator_id_` and a ULID.
    pub operator_id: String,
    /// Secret half.
    pub operator_secret: String,
}

impl Operator {
    /// A call with the operator's credentials; `path` comes after `/v3.1/ops`.
    #[must_use]
    pub fn call(&self, method: &str, path: &str) -> Call {
        Call::new(self.address, method, &format!("/v3.1/ops{path}"))
            .header("X-SP-OPERATOR", self.credentials())
    }

    /// The value of `X-SP-OPERATOR`.
    #[must_use]
    pub fn credentials(&self) -> String {
        format!("{}|{}", self.operator_id, self.operator_secret)
    }

    /// Reads what is at `path`.
    pub async fn get(&self, path: &str) -> Answer {
        self.call("GET", path).send().await
    }
}
