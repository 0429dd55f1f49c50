//! World of a run: a sandbox platform, users who may send and receive, their nodes with money, and a node for fees.

use std::time::Duration;

use hyper::Method;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use crate::cents::decimal;
use crate::client::{Answer, Call, Client};
use crate::desk::Desk;
use crate::error::{Result, failed};

/// Number of users.
const USERS: usize = 4;
/// Initial balance of each node, in minor units.
pub const FUNDS: i64 = 10_000_000;
/// Initial balance of the hot node, in minor units: so low that many payments from it are refused.
pub const HOT_FUNDS: i64 = 50_000;

/// Timeout for a call to succeed.
const SETUP_TIMEOUT: Duration = Duration::from_mins(1);
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Platform, users and nodes of a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct World {
    /// Gateway credentials: `client_id|client_secret`.
    pub gateway: String,
    /// Users, each with the same number of nodes.
    pub users: Vec<User>,
    /// Node of user 0 that most payments of the workload `hot` take money from.
    pub hot: String,
    /// Node that receives fees.
    pub fees: String,
    /// The desk, if operators work on statements of a bank.
    #[serde(default)]
    pub desk: Option<Desk>,
}

/// A user who may send and receive.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct User {
    /// Id of the user.
    pub id: String,
    /// OAuth key, valid for two hours.
    pub oauth_key: String,
    /// Ids of the user's DEPOSIT-US nodes.
    pub nodes: Vec<String>,
}

impl User {
    /// Returns the headers that authenticate the user.
    pub fn headers(&self) -> Vec<(&'static str, String)> {
        vec![("x-sp-user", format!("{}|torture", self.oauth_key)), ("x-sp-user-ip", "127.0.0.1".to_owned())]
    }
}

/// Credentials of a platform, as `daybook client create --json` prints them.
#[derive(Clone, Debug, Deserialize)]
pub struct Credentials {
    client_id: String,
    client_secret: String,
    /// Id of the platform's own user.
    user_id: String,
}

impl Credentials {
    /// Returns the public half.
    pub fn client_id(&self) -> &str {
        &self.client_id
    }

    /// Returns the id of the platform's own user.
    pub fn user_id(&self) -> &str {
        &self.user_id
    }

    /// Returns the gateway credentials.
    pub fn gateway(&self) -> String {
        format!("{}|{}", self.client_id, self.client_secret)
    }
}

impl World {
    /// Creates the world through `client`, with `nodes` nodes for each user.
    pub async fn make(client: &mut Client, of: &Credentials, nodes: usize) -> Result<Self> {
        let mut maker = Maker::of(client, of);
        let mut users = vec![];
        for number in 0..USERS {
            users.push(maker.user(number, nodes).await?);
        }
        let hot = maker.node(&users[0], "DEPOSIT-US").await?;
        maker.fund(&hot, HOT_FUNDS).await?;
        let own = maker.session(&of.user_id).await?;
        let fees = maker.node(&own, "LEDGER-US").await?;
        Ok(Self { gateway: of.gateway(), users, hot, fees, desk: None })
    }
}

/// Creates users and nodes of a platform.
pub(crate) struct Maker<'a> {
    client: &'a mut Client,
    gateway: String,
}

impl<'a> Maker<'a> {
    /// Creates a maker for the platform with these credentials.
    pub(crate) fn of(client: &'a mut Client, of: &Credentials) -> Self {
        Self { client, gateway: of.gateway() }
    }
}

impl Maker<'_> {
    async fn user(&mut self, number: usize, nodes: usize) -> Result<User> {
        let made = self.platform(Method::POST, "/users", applicant(number)).await?;
        let id = made.text("/_id").to_owned();
        let permit = json!({"permission": "SEND-AND-RECEIVE"});
        self.platform(Method::POST, &format!("/sandbox/users/{id}/verify"), permit).await?;
        let mut user = self.session(&id).await?;
        for _ in 0..nodes {
            let node = self.node(&user, "DEPOSIT-US").await?;
            self.fund(&node, FUNDS).await?;
            user.nodes.push(node);
        }
        Ok(user)
    }

    /// Returns an existing user with a new OAuth key.
    pub(crate) async fn session(&mut self, id: &str) -> Result<User> {
        let found = self.platform(Method::GET, &format!("/users/{id}"), Value::Null).await?;
        let ask = json!({"refresh_token": found.text("/refresh_token")});
        let key = self.platform(Method::POST, &format!("/oauth/{id}"), ask).await?;
        Ok(User { id: id.to_owned(), oauth_key: key.text("/oauth_key").to_owned(), nodes: vec![] })
    }

    /// Creates a node without further data, and returns its id.
    pub(crate) async fn node(&mut self, user: &User, kind: &str) -> Result<String> {
        let body = json!({"type": kind, "info": {"nickname": kind}});
        let path = format!("/users/{}/nodes", user.id);
        let made = self.call(Method::POST, &path, user.headers(), body).await?;
        Ok(made.text("/nodes/0/_id").to_owned())
    }

    /// Credits a node from outside.
    pub(crate) async fn fund(&mut self, node: &str, minor: i64) -> Result<()> {
        let body = json!({"amount": {"amount": decimal(minor), "currency": "USD"}});
        self.platform(Method::POST, &format!("/sandbox/nodes/{node}/credit"), body).await?;
        Ok(())
    }

    /// Makes a call with the credentials of the platform, as [`Maker::call`].
    pub(crate) async fn platform(&mut self, method: Method, path: &str, body: Value) -> Result<Answer> {
        let headers = vec![("x-sp-gateway", self.gateway.clone()), ("x-sp-user", "|torture".to_owned())];
        self.call(method, path, headers, body).await
    }

    /// Repeats a call until it is answered with 200: read models may lag behind for a moment.
    pub(crate) async fn call(
        &mut self,
        method: Method,
        path: &str,
        headers: Vec<(&'static str, String)>,
        body: Value,
    ) -> Result<Answer> {
        let call = Call { method, path: format!("/v3.1{path}"), headers, body };
        let deadline = Instant::now() + SETUP_TIMEOUT;
        loop {
            match self.client.send(&call).await {
                Ok(answer) if answer.status == 200 => return Ok(answer),
                other if Instant::now() > deadline => {
                    return Err(failed(format!("{} {path} was answered {other:?}", call.method)));
                }
                _ => sleep(POLL_INTERVAL).await,
            }
        }
    }
}

/// Returns the body of a request that creates a user.
fn applicant(number: usize) -> Value {
    json!({
        "logins": [{"email": format!("torture{number}@example.com")}],
        "phone_numbers": ["555-0100"],
        "legal_names": [format!("Torture {number}")],
    })
}
