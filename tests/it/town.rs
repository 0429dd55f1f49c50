//! What routes are tried on: two platforms with two users each, and of everything that a path or a body can name
//! somebody's own.

use std::collections::BTreeMap;
use std::time::Duration;

use daybook_domain::calendar::Day;
use daybook_domain::subscription::{Notice, Scope};
use daybook_domain::{Event, Timestamp, UserId};
use daybook_engine::SHARD;
use daybook_engine::rails::Direction;
use daybook_engine::rails::ach::render_returns;
use daybook_engine::rails::bank::{BankPort, SandboxBank};
use daybook_projector::Happened;
use daybook_tests::app::TestApp;
use daybook_tests::client::{Client, DEVICE, Session, until};
use daybook_tests::http::{Answer, Call};
use daybook_tests::operator::Operator;
use daybook_tests::outgoing;
use futures::future::join_all;
use serde_json::{Value, json};

use crate::routes::{By, Route, fill, named};

/// Values for the names in braces of a route.
pub(crate) type Ids = BTreeMap<&'static str, String>;

/// Longer than any month, in days.
const MONTH_D: i64 = 31;

/// How far the clock of each platform goes on then: so far that its first file is cut.
const AHEAD_S: i64 = 600;

/// Two platforms on which nothing moves by itself any more.
pub(crate) struct Town {
    pub(crate) app: TestApp,
    /// Two of the one platform, then two of the other.
    pub(crate) people: Vec<Person>,
    /// Who has not asked for the operations that wait.
    pub(crate) operator: Operator,
}

/// A user with a key of all scopes, and what is the user's own or the platform's.
pub(crate) struct Person {
    pub(crate) session: Session,
    pub(crate) ids: Ids,
}

impl Town {
    pub(crate) async fn new() -> Self {
        let app = TestApp::settling_after(Duration::from_mins(15)).await;
        let platforms = [app.client.clone(), app.platform("Other", true).await];
        let (asks, operator) = (app.operator("Ada").await, app.operator("Bob").await);
        let mut town = Self { app, people: vec![], operator };
        let mut settled = vec![];
        for client in &platforms {
            settled.push(join_all(["Ann Example", "Bea Example"].map(|name| settler(client, name))).await);
            // A month is over that all of them have lived through, and the bank has stated what was before.
            let _ = client.noon(MONTH_D).await;
            town.stated(client).await;
            let own = client.own_session().await;
            own.bank().await;
            let _ = client.advance(AHEAD_S).await.ok();
        }
        for (client, settlers) in platforms.iter().zip(settled) {
            let file_id = town.first_file(client).await;
            let closing = town.stated(client).await;
            let people = join_all(settlers.into_iter().map(|settler| person(client, settler))).await;
            let waits = town.waiting(&asks, client, &people[0]).await;
            let subscription = client.call("POST", "/subscriptions").body(named("subscriptions.create").body);
            let subscription_id = text(&subscription.send().await.ok()["_id"]);
            for mut person in people {
                person.ids.insert("subscription_id", subscription_id.clone());
                person.ids.insert("file_id", file_id.clone());
                person.ids.insert("closing", closing.clone());
                person.ids.insert("operation_id", waits.clone());
                town.people.push(person);
            }
        }
        let events = town.app.events().await;
        for person in &mut town.people {
            person.ids.insert("told", changed(&events, &person.session.user_id).to_string());
        }
        town.app.service.attester().attest(Duration::ZERO).await.expect("attests");
        town
    }

    /// What is at the bank as soon as its first statement is booked: the platform began with something.
    async fn stated(&self, client: &Client) -> String {
        until("the bank has stated a day", async || {
            let custody = self.operator.get(&format!("/platforms/{}/custody", client.client_id)).await;
            let bank = custody.ok()["identities"][0]["assets"]["bank"].as_f64();
            bank.is_some_and(|bank| bank > 0.0).then(|| custody.raw("identities.0.assets.bank"))
        })
        .await
    }

    async fn first_file(&self, client: &Client) -> String {
        until("a file is cut", async || {
            let files = self.operator.get(&format!("/platforms/{}/files", client.client_id)).await.ok();
            files["files"][0]["_id"].as_str().map(str::to_owned)
        })
        .await
    }

    /// The id of an operation that waits for approval.
    async fn waiting(&self, asks: &Operator, client: &Client, about: &Person) -> String {
        let path = format!("/platforms/{}/operations", client.client_id);
        let ask = async |act: Value| {
            let body = json!({"act": act, "reason": "A ticket asks for it."});
            asks.call("POST", &path).json(&body).send().await.ok()
        };
        ask(json!({"kind": "set_policy", "policy": {"approvals": ["queue"]}})).await;
        text(&ask(json!({"kind": "queue", "trans_id": about.ids["trans_id"]})).await["_id"])
    }

    /// The call of a route with the credentials that open it for `person`, about what `ids` name.
    pub(crate) fn call(&self, route: &Route, person: &Person, ids: &Ids) -> Call {
        let call = Call::new(self.app.address, route.method(), &fill(route.path(), ids));
        let call = match route.by {
            By::Nobody => call,
            By::Gateway | By::Keyed(_) => call.header("X-SP-GATEWAY", person.session.client.gateway()),
            By::User(_) => call.header("X-SP-USER", format!("{}|{DEVICE}", person.session.oauth_key)),
            By::Operator => call.header("X-SP-OPERATOR", self.operator.credentials()),
        };
        if route.body.is_empty() { call } else { call.body(fill(route.body, ids)) }
    }

    /// Calls the route as `person`, about the person's own.
    pub(crate) async fn send(&self, name: &str, person: &Person) -> Answer {
        self.call(named(name), person, &person.ids).send().await
    }

    /// Everything that a refused call must not change: how much was recorded, and the users with their tokens.
    pub(crate) async fn state(&self) -> (u64, Vec<Value>) {
        let head = self.app.service.engine.log().head(SHARD).await.expect("a log").position;
        let users = self.people.iter().map(|person| person.session.client.user(&person.session.user_id));
        (head, join_all(users).await)
    }

    /// The service answers as if nothing had happened.
    pub(crate) async fn is_well(&self) {
        let ready = Call::new(self.app.address, "GET", "/health/ready").send().await;
        assert_eq!(ready.status, 200, "{}", ready.text());
        let _ = self.send("nodes.get", &self.people[0]).await.ok();
    }
}

/// Where a user was changed first, so that who subscribed is told of it.
pub(crate) fn changed(events: &[Happened], user: &str) -> u64 {
    let user: UserId = user.parse().expect("an id");
    let is_told =
        |event: &Event| Notice::of(event).is_some_and(|notice| notice.scope(&[Scope::UserPatch]).is_some());
    let is_it = |happened: &&Happened| happened.key == user.into() && is_told(&happened.event);
    events.iter().find(is_it).expect("it was changed").position
}

fn text(value: &Value) -> String {
    value.as_str().expect("text").to_owned()
}

/// A verified user with three nodes.
async fn settler(client: &Client, name: &str) -> Person {
    let session = client.verified(name).await;
    let (node, to) = (session.node("DEPOSIT-US").await, session.node("DEPOSIT-US").await);
    let fee = session.node("LEDGER-US").await;
    let ids = Ids::from([
        ("user_id", session.user_id.clone()),
        ("node_id", node),
        ("batch_to", to.clone()),
        ("to_id", to),
        ("fee_id", fee),
        ("platform", client.client_id.clone()),
        ("returns", returns()),
    ]);
    Person { session, ids }
}

/// A user who has a month behind it, and now a transaction with a paper between two of its nodes.
async fn person(client: &Client, settler: Person) -> Person {
    let Person { session, mut ids } = settler;
    let credited = client.credit(&ids["node_id"], "100").await.ok();
    let now = Timestamp::from_ms(credited["extra"]["created_on"].as_i64().expect("a time"));
    ids.insert("today", Day::of(now).to_string());
    ids.insert("refresh_token", text(&client.user(&session.user_id).await["refresh_token"]));
    let statements = session.call("GET", &format!("/nodes/{}/statements", ids["node_id"])).send().await.ok();
    ids.insert("statement_id", text(&statements["statements"][0]["_id"]));
    let made = session.transfer(
        &ids["node_id"],
        &serde_json::from_str(&fill(named("trans.create").body, &ids)).expect("JSON"),
    );
    let made = made.send().await;
    let position = made.headers["x-daybook-position"].to_str().expect("digits").to_owned();
    let made = made.ok();
    let proof = client.audit(&format!("/events/{position}/proof")).send().await.json();
    ids.insert("event_id", text(&proof["event"]["event_id"]));
    ids.insert("position", position);
    ids.insert("tile", "0/000.p/1".to_owned());
    ids.insert("trans_id", text(&made["_id"]));
    let paper = text(&made["extra"]["other"]["attachments"][0]);
    ids.insert("attachment_id", paper.rsplit('/').next().expect("an id").to_owned());
    let subnet = session.call("POST", &format!("/nodes/{}/subnets", ids["node_id"]));
    let subnet = subnet.body(named("subnets.create").body).send().await.ok();
    ids.insert("subnet_id", text(&subnet["_id"]));
    Person { session, ids }
}

/// A file of returns with one entry that nobody sent, as the inside of a JSON text.
pub(crate) fn returns() -> String {
    let entry = outgoing::entry(Direction::Pull, "1232225674134", 100, 9_999);
    let code = "R01".parse().expect("a code");
    let originator = SandboxBank.originator("Sandbox");
    let file = render_returns(&originator, Timestamp::from_ms(0), &[(&entry, code)]).expect("a file");
    json!(file).to_string().trim_matches('"').to_owned()
}
