//! A login inside a body: an e-mail address and what it may do. Passwords are not looked at.

use daybook_engine::Login;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::wire::text::{Name, Text};

/// A login as it comes.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[schema(as = NewLogin)]
pub(super) struct LoginIn {
    pub(super) email: Option<Name>,
    scope: Option<LoginScope>,
    read_only: Option<bool>,
}

/// A login that goes, by its address: whatever is known may go.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[schema(as = RemovedLogin)]
pub(super) struct GoneLogin {
    email: Option<Text>,
}

impl GoneLogin {
    /// The address.
    pub(super) fn email(self) -> String {
        self.email.map(String::from).unwrap_or_default()
    }
}

#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
enum LoginScope {
    #[serde(rename = "READ")]
    Read,
    #[serde(rename = "READ_AND_WRITE")]
    ReadAndWrite,
}

impl From<LoginIn> for Login {
    fn from(login: LoginIn) -> Self {
        let read_only = match login.scope {
            Some(LoginScope::Read) => true,
            Some(LoginScope::ReadAndWrite) => false,
            None => login.read_only.unwrap_or_default(),
        };
        let scope = if read_only { "READ" } else { "READ_AND_WRITE" };
        Self { email: login.email.map(String::from).unwrap_or_default(), scope: scope.to_owned() }
    }
}
