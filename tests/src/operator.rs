//! An operator as an API client of the service.

use std::net::SocketAddr;

use crate::http::{Answer, Call};

/// An operator with its credentials.
#[derive(Clone, Debug)]
pub struct Operator {
    /// Address of the service.
    pub address: SocketAddr,
    /// Public half of its credentials: `operator_id_` and a ULID.
    pub operator_id: String,
    /// Secret half of its credentials.
    pub operator_secret: String,
}

impl Operator {
    /// Returns a call with the operator's credentials; `path` comes after `/v3.1/ops`.
    #[must_use]
    pub fn call(&self, method: &str, path: &str) -> Call {
        Call::new(self.address, method, &format!("/v3.1/ops{path}"))
            .header("X-SP-OPERATOR", self.credentials())
    }

    /// Returns the value of `X-SP-OPERATOR`.
    #[must_use]
    pub fn credentials(&self) -> String {
        format!("{}|{}", self.operator_id, self.operator_secret)
    }

    /// Sends a GET for `path`.
    pub async fn get(&self, path: &str) -> Answer {
        self.call("GET", path).send().await
    }
}
