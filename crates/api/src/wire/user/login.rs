//! Login in a body: an e-mail address and its access rights. Passwords are ignored.

use daybook_engine::Login;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::wire::form::Email;
use crate::wire::text::Text;

/// A login of a user.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[schema(as = NewLogin)]
pub(super) struct LoginIn {
    email: Email,
    scope: Option<LoginScope>,
    read_only: Option<bool>,
}

/// A login to remove, by its address. Any text is accepted.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[schema(as = RemovedLogin)]
pub(super) struct GoneLogin {
    email: Text,
}

impl GoneLogin {
    /// Returns the address.
    pub(super) fn email(self) -> String {
        self.email.into()
    }
}

#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(try_from = "Text")]
enum LoginScope {
    #[serde(rename = "READ")]
    Read,
    #[serde(rename = "READ_AND_WRITE")]
    ReadAndWrite,
}

/// Implemented by hand: for a value that is not a text, the derived implementation reports that the body is not JSON.
impl TryFrom<Text> for LoginScope {
    type Error = &'static str;

    fn try_from(name: Text) -> Result<Self, &'static str> {
        match name.as_str() {
            "READ" => Ok(Self::Read),
            "READ_AND_WRITE" => Ok(Self::ReadAndWrite),
            _ => Err("must be READ or READ_AND_WRITE"),
        }
    }
}

impl From<LoginIn> for Login {
    fn from(login: LoginIn) -> Self {
        let read_only = match login.scope {
            Some(LoginScope::Read) => true,
            Some(LoginScope::ReadAndWrite) => false,
            None => login.read_only.unwrap_or_default(),
        };
        let scope = if read_only { "READ" } else { "READ_AND_WRITE" };
        Self { email: login.email.into(), scope: scope.to_owned() }
    }
}
