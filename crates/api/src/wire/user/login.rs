//! A login inside a body: an e-mail address and what it may do. Passwords are not looked at.

use daybook_engine::Login;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::wire::form::Email;
use crate::wire::text::Text;

/// A login as it comes.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[schema(as = NewLogin)]
pub(super) struct LoginIn {
    email: Email,
    scope: Option<LoginScope>,
    read_only: Option<bool>,
}

/// A login that goes, by its address: whatever is known may go.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[schema(as = RemovedLogin)]
pub(super) struct GoneLogin {
    email: Text,
}

impl GoneLogin {
    /// The address.
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

/// By hand: of what is no text the derived one says that it is no JSON.
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
