//! The stage: verified users with funded nodes, made through the API like those of any client.

use std::net::SocketAddr;
use std::time::Duration;

use hyper::Method;
use hyper::header::HeaderMap;
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use super::client::{Client, failed, headers, text};
use super::target::{CLIENT_ID, CLIENT_SECRET};
use crate::commands::Error;

/// Users that the nodes are spread over.
const USERS: usize = 20;

/// What each node starts with, in dollars: more than it can send in a run.
const FUNDS: u64 = 10_000_000;

/// How long the sandbox may take to verify a user.
const PATIENCE: Duration = Duration::from_mins(1);

/// How long between two looks at a user who is not verified yet.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

/// Users and what they own.
pub(super) struct Nodes {
    address: SocketAddr,
    /// The owners.
    pub(super) users: Vec<User>,
}

/// A verified user.
pub(super) struct User {
    /// The user's id.
    pub(super) id: String,
    /// Headers with the user's OAuth key; it is good for two hours.
    pub(super) headers: HeaderMap,
    /// Ids of the user's DEPOSIT-US nodes.
    pub(super) nodes: Vec<String>,
}

impl Nodes {
    /// Makes `count` nodes and credits them.
    pub(super) async fn create(address: SocketAddr, count: usize) -> Result<Self, Error> {
        eprintln!("making {count} nodes");
        let owners = USERS.min(count);
        let mut users = JoinSet::new();
        for number in 0..owners {
            // The first few take one more when it does not come out even.
            users.spawn(user(address, number, count / owners + usize::from(number < count % owners)));
        }
        let users = users.join_all().await.into_iter().collect::<Result<_, _>>()?;
        Ok(Self { address, users })
    }

    /// The sum of the totals of all users' lists: a transaction between two of them is in two lists.
    pub(super) async fn listed(&self) -> Result<u64, Error> {
        let mut client = Client::connect(self.address).await?;
        let mut sum = 0;
        for user in &self.users {
            let path = format!("/v3.1/users/{}/trans?per_page=1", user.id);
            let list = client.json(Method::GET, &path, &user.headers, &Value::Null).await?;
            let total = list.get("trans_count").and_then(Value::as_u64);
            sum += total.ok_or_else(|| failed("a list has no trans_count"))?;
        }
        Ok(sum)
    }
}

async fn user(address: SocketAddr, number: usize, nodes: usize) -> Result<User, Error> {
    let mut client = Client::connect(address).await?;
    let gateway = headers("x-sp-gateway", &format!("{CLIENT_ID}|{CLIENT_SECRET}"))?;
    let created = client.json(Method::POST, "/v3.1/users", &gateway, &application(number)).await?;
    let id = text(&created, "/_id")?;
    let refresh_token = verified(&mut client, &gateway, &id).await?;
    let refresh = json!({ "refresh_token": refresh_token });
    let oauth = client.json(Method::POST, &format!("/v3.1/oauth/{id}"), &gateway, &refresh).await?;
    let own = headers("x-sp-user", &format!("{}|", text(&oauth, "/oauth_key")?))?;
    let mut ids = Vec::with_capacity(nodes);
    for _ in 0..nodes {
        let node = json!({ "type": "DEPOSIT-US", "info": { "nickname": "Bench" } });
        let made = client.json(Method::POST, &format!("/v3.1/users/{id}/nodes"), &own, &node).await?;
        let node = text(&made, "/nodes/0/_id")?;
        let credit = json!({ "amount": { "amount": FUNDS, "currency": "USD" } });
        client.json(Method::POST, &format!("/v3.1/sandbox/nodes/{node}/credit"), &gateway, &credit).await?;
        ids.push(node);
    }
    Ok(User { id, headers: own, nodes: ids })
}

/// Waits until the user may send and receive; answers the refresh token.
async fn verified(client: &mut Client, gateway: &HeaderMap, id: &str) -> Result<String, Error> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let user = client.json(Method::GET, &format!("/v3.1/users/{id}"), gateway, &Value::Null).await?;
        if text(&user, "/permission")? == "SEND-AND-RECEIVE" {
            return text(&user, "/refresh_token");
        }
        if Instant::now() > deadline {
            return Err(failed(format!("a user is still {} after a minute", text(&user, "/permission")?)));
        }
        sleep(LOOK_AGAIN).await;
    }
}

/// The body that asks for a user whom the sandbox will believe.
fn application(number: usize) -> Value {
    let (email, phone, name) = (format!("bench{number}@example.com"), "555-0100", format!("Bench {number}"));
    json!({
        "logins": [{ "email": email }],
        "phone_numbers": [phone],
        "legal_names": [name],
        "documents": [{
            "email": email, "phone_number": phone, "ip": "127.0.0.1", "name": name, "alias": name,
            "entity_type": "NOT_KNOWN", "entity_scope": "Not Known", "day": 2, "month": 5, "year": 1989,
            "address_street": "1 Market St.", "address_city": "San Francisco", "address_subdivision": "CA",
            "address_postal_code": "94105", "address_country_code": "US",
            "virtual_docs": [{ "document_value": "2222", "document_type": "SSN" }],
        }],
    })
}
