//! Actors of the load: verified users, created through the API as any client does, and their funded nodes, created
//! through the engine in batches.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use daybook_domain::node::{self, NodeKind};
use daybook_domain::{Command, NodeId, PlatformId, TransactionId, UserId};
use daybook_engine::{Engine, NodeDetails, Sealer, Shard, TransactionDetails};
use daybook_random::Random;
use daybook_vault::{Class, SubjectKeys};
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};
use uuid::Uuid;

use crate::error::Error;
use crate::load::client::{Call, Client, failed, headers, text};
use crate::receipt::receipt;

/// Minimum and maximum number of users (first constant). Between them there is one user per hundred nodes.
const USERS: [usize; 2] = [20, 1000];
const NODES_EACH: usize = 100;

/// Initial balance of each node, in minor units: ten million dollars, more than it can send in a run.
const FUNDS_MINOR: i64 = 1_000_000_000;

/// Number of nodes that are created in one commit.
const NODES_PER_BATCH: usize = 50;
/// Maximum number of such commits that wait at the same time: with two commands per node, fewer than the writer's queue
/// holds.
const COMMITS: usize = 16;

/// Timeout for the sandbox to verify a user.
const VERIFICATION_TIMEOUT: Duration = Duration::from_mins(1);

/// Interval between checks of a user who is not verified yet.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Users and their nodes.
pub(crate) struct Nodes {
    /// At least one user.
    pub(crate) users: Vec<User>,
    /// For each node, the index of its user and its index among the user's nodes.
    places: Vec<(usize, usize)>,
}

/// A verified user.
pub(crate) struct User {
    pub(crate) id: UserId,
    pub(crate) keys: SubjectKeys,
    /// Headers with the user's OAuth key, which is valid for two hours.
    pub(crate) headers: String,
    nodes: Vec<Node>,
}

/// A DEPOSIT-US node.
pub(crate) struct Node {
    pub(crate) id: NodeId,
    /// Transaction that funded the node.
    pub(crate) funding: TransactionId,
}

/// Platform that nodes are made for, with its credentials.
#[derive(Clone, Debug)]
pub(crate) struct Party {
    pub(crate) shard: Shard,
    pub(crate) platform: PlatformId,
    pub(crate) client_id: String,
    pub(crate) client_secret: String,
}

impl Nodes {
    /// Creates `count` nodes of a platform through `engine` and through its API at `address`.
    pub(crate) async fn create(
        engine: &Engine,
        party: &Party,
        address: SocketAddr,
        count: usize,
    ) -> Result<Self, Error> {
        let owners = (count / NODES_EACH).clamp(USERS[0], USERS[1]).min(count);
        let (mut users, commits) = (JoinSet::new(), Arc::new(Semaphore::new(COMMITS)));
        for number in 0..owners {
            // The first users have one node more if the division has a remainder.
            let nodes = count / owners + usize::from(number < count % owners);
            let (engine, party, commits) = (engine.clone(), party.clone(), Arc::clone(&commits));
            users.spawn(async move {
                let mut user = User::create(&engine, &party, address, number).await?;
                user.open(&engine, &party, nodes, &commits).await?;
                Ok::<_, Error>(user)
            });
        }
        let users: Vec<User> = users.join_all().await.into_iter().collect::<Result<_, _>>()?;
        let places = users.iter().enumerate();
        let places = places.flat_map(|(owner, user)| (0..user.nodes.len()).map(move |node| (owner, node)));
        Ok(Self { places: places.collect(), users })
    }

    /// Returns the number of nodes.
    pub(crate) fn count(&self) -> usize {
        self.places.len()
    }

    /// Returns node number `number`, modulo the number of nodes, and its owner.
    pub(crate) fn get(&self, number: usize) -> (&User, &Node) {
        let (owner, node) = self.places[number % self.places.len()];
        (&self.users[owner], &self.users[owner].nodes[node])
    }

    /// Returns the number of a random node other than `one`.
    pub(crate) fn other(&self, one: usize, random: &mut Random) -> usize {
        (one + 1 + random.below(self.count() - 1)) % self.count()
    }

    /// Returns the sum of the totals of all users' lists, as the service at `address` reports them: a transaction
    /// between two of them is in two lists.
    pub(crate) async fn listed(&self, address: SocketAddr) -> Result<u64, Error> {
        let mut client = Client::connect(address).await?;
        let mut sum = 0;
        for user in &self.users {
            let path = format!("/v3.1/users/{}/trans?per_page=1", user.id);
            let list = client.json(Call::get(path, &user.headers)).await?;
            let total = list.get("trans_count").and_then(Value::as_u64);
            sum += total.ok_or_else(|| failed("a list has no trans_count"))?;
        }
        Ok(sum)
    }
}

impl User {
    async fn create(
        engine: &Engine,
        party: &Party,
        address: SocketAddr,
        number: usize,
    ) -> Result<Self, Error> {
        let mut client = Client::connect(address).await?;
        let gateway = headers("x-sp-gateway", &format!("{}|{}", party.client_id, party.client_secret));
        let apply = Call::post("/v3.1/users".into(), &gateway, application(number).to_string());
        let created = client.json(apply).await?;
        let id = text(&created, "/_id")?;
        let refresh = json!({ "refresh_token": verified(&mut client, &gateway, &id).await? });
        let sign_in = Call::post(format!("/v3.1/oauth/{id}"), &gateway, refresh.to_string());
        let oauth = client.json(sign_in).await?;
        let headers = headers("x-sp-user", &format!("{}|", text(&oauth, "/oauth_key")?));
        let id: UserId = id.parse().map_err(|_| failed("a user's id is invalid"))?;
        let keys = engine.vault().keys(party.shard, Uuid::from(id)).await?;
        let keys = keys.ok_or_else(|| failed("a user has no keys"))?;
        Ok(Self { id, keys, headers, nodes: vec![] })
    }

    /// Creates `count` nodes of this user. Each commit takes a permit of `commits`.
    async fn open(
        &mut self,
        engine: &Engine,
        party: &Party,
        count: usize,
        commits: &Semaphore,
    ) -> Result<(), Error> {
        while self.nodes.len() < count {
            let now = engine.clock().now();
            let sealer = Sealer::new(self.keys.clone(), now, engine.entropy());
            let mut asked = vec![];
            for _ in 0..NODES_PER_BATCH.min(count - self.nodes.len()) {
                let node = NodeId::from_u128(engine.entropy().ulid(now));
                let funding = TransactionId::from_u128(engine.entropy().ulid(now));
                let create = self.creation(party.platform, node, &sealer)?;
                asked.push((daybook_engine::Call::of(party.shard), Command::CreateNode(create)));
                let nothing_said = (&sealer, &TransactionDetails::default());
                let receive = receipt(party.platform, node, funding, FUNDS_MINOR, nothing_said)?;
                asked.push((daybook_engine::Call::of(party.shard), receive));
                self.nodes.push(Node { id: node, funding });
            }
            let _permit = commits.acquire().await.map_err(failed)?;
            for done in engine.submit_together(None, asked).await.map_err(failed)? {
                done.map_err(failed)?;
            }
        }
        Ok(())
    }

    fn creation(
        &self,
        platform: PlatformId,
        id: NodeId,
        sealer: &Sealer,
    ) -> Result<node::create::Create, Error> {
        let details = NodeDetails { nickname: "Bench".into(), ..NodeDetails::default() };
        Ok(node::create::Create {
            id,
            platform,
            user: self.id,
            kind: NodeKind::DepositUs,
            is_active: true,
            gateway_restricted: false,
            micro_deposits: None,
            details: sealer.seal(Class::Profile, &details).map_err(failed)?,
        })
    }
}

/// Waits until the user may send and receive. Returns the refresh token.
async fn verified(client: &mut Client, gateway: &str, id: &str) -> Result<String, Error> {
    let deadline = Instant::now() + VERIFICATION_TIMEOUT;
    loop {
        let user = client.json(Call::get(format!("/v3.1/users/{id}"), gateway)).await?;
        if text(&user, "/permission")? == "SEND-AND-RECEIVE" {
            return text(&user, "/refresh_token");
        }
        if Instant::now() > deadline {
            return Err(failed(format!("a user is still {} after a minute", text(&user, "/permission")?)));
        }
        sleep(POLL_INTERVAL).await;
    }
}

/// Returns the body of a request for a user that the sandbox verifies.
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
