//! Data for tests over all routes: two platforms with two users each, and for each user an object of every kind that a
//! path or a body can name.

use std::collections::BTreeMap;
use std::time::Duration;

use daybook_domain::calendar::Day;
use daybook_domain::subscription::{Notice, Scope};
use daybook_domain::{Event, Timestamp, UserId};
use daybook_engine::rails::EntryDirection;
use daybook_engine::rails::ach::render_returns;
use daybook_engine::rails::bank::{BankPort, SandboxBank};
use daybook_projector::RecordedEvent;
use daybook_tests::app::TestApp;
use daybook_tests::client::{Client, DEVICE, Session, until};
use daybook_tests::http::{Answer, Call};
use daybook_tests::operator::Operator;
use daybook_tests::outgoing;
use daybook_tests::shard;
use futures::future::join_all;
use serde_json::{Value, json};

use crate::routes::{By, Route, fill, named};

/// Values for the names in braces of a route.
pub(crate) type Ids = BTreeMap<&'static str, String>;

/// Length of the longest month, in days.
const MONTH_D: i64 = 31;

/// Advance of each platform's clock after that, in seconds. It is enough for the first file to be created.
const AHEAD_S: i64 = 600;

/// Two platforms in which no transaction settles by itself after the setup.
pub(crate) struct Town {
    pub(crate) app: TestApp,
    /// Two users of the first platform, then two of the second.
    pub(crate) people: Vec<Person>,
    /// The operator that has not requested the waiting operations.
    pub(crate) operator: Operator,
}

/// A user with a key of all scopes, and the ids of the objects of the user and of its platform.
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
            // All users have one past month, and the bank has a statement for the time before.
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
            let bank_statement_id = town.bank_statement(client, &people[0].ids["today"]).await;
            let waits = town.waiting(&asks, client, &people[0]).await;
            let subscription = client.call("POST", "/subscriptions").body(named("subscriptions.create").body);
            let subscription_id = text(&subscription.send().await.ok()["_id"]);
            for mut person in people {
                person.ids.insert("subscription_id", subscription_id.clone());
                person.ids.insert("file_id", file_id.clone());
                person.ids.insert("closing", closing.clone());
                person.ids.insert("bank_statement_id", bank_statement_id.clone());
                person.ids.insert("operation_id", waits.clone());
                town.people.push(person);
            }
        }
        let events = town.app.events().await;
        for person in &mut town.people {
            person.ids.insert("told", changed(&events, &person.session.user_id).to_string());
        }
        town.app.service.attester(shard()).attest(Duration::ZERO).await.expect("attests");
        town
    }

    /// Waits until the bank's first statement is booked, and returns the balance of the bank account.
    async fn stated(&self, client: &Client) -> String {
        until("the bank has stated a day", async || {
            let custody = self.operator.get(&format!("/platforms/{}/custody", client.client_id)).await;
            let bank = custody.ok()["identities"][0]["assets"]["bank"].as_f64();
            bank.is_some_and(|bank| bank > 0.0).then(|| custody.raw("identities.0.assets.bank"))
        })
        .await
    }

    /// Hands in a statement without lines, and returns its id.
    async fn bank_statement(&self, client: &Client, day: &str) -> String {
        let head = "date,opening_balance,closing_balance,currency";
        let file = format!("{head}\n{day},0.00,0.00,EUR\nline_id,amount,reference,description\n");
        let path = format!("/platforms/{}/statements", client.client_id);
        let taken = self.operator.call("POST", &path).json(&json!({"file": file})).send().await.ok();
        text(&taken["statements"][0]["_id"])
    }

    async fn first_file(&self, client: &Client) -> String {
        until("a file is cut", async || {
            let files = self.operator.get(&format!("/platforms/{}/files", client.client_id)).await.ok();
            files["files"][0]["_id"].as_str().map(str::to_owned)
        })
        .await
    }

    /// Returns the id of an operation that waits for approval.
    async fn waiting(&self, asks: &Operator, client: &Client, about: &Person) -> String {
        let path = format!("/platforms/{}/operations", client.client_id);
        let ask = async |act: Value| {
            let body = json!({"act": act, "reason": "A ticket asks for it."});
            asks.call("POST", &path).json(&body).send().await.ok()
        };
        ask(json!({"kind": "set_policy", "policy": {"approvals": ["queue"]}})).await;
        text(&ask(json!({"kind": "queue", "trans_id": about.ids["trans_id"]})).await["_id"])
    }

    /// Returns the call of a route with the credentials that open it for `person`, about the objects in `ids`.
    pub(crate) fn call(&self, route: &Route, person: &Person, ids: &Ids) -> Call {
        let call = Call::new(self.app.address, route.method(), &fill(route.path(), ids));
        let call = match route.by {
            By::Nobody => call,
            By::Gateway | By::PlatformOrPublicKey(_) => {
                call.header("X-SP-GATEWAY", person.session.client.gateway())
            }
            By::User(_) => call.header("X-SP-USER", format!("{}|{DEVICE}", person.session.oauth_key)),
            By::Operator => call.header("X-SP-OPERATOR", self.operator.credentials()),
        };
        if route.body.is_empty() { call } else { call.body(fill(route.body, ids)) }
    }

    /// Calls the route as `person`, about that person's own objects.
    pub(crate) async fn send(&self, name: &str, person: &Person) -> Answer {
        self.call(named(name), person, &person.ids).send().await
    }

    /// Returns the state that a refused call must not change: the head of the log, and the users with their tokens.
    pub(crate) async fn state(&self) -> (u64, Vec<Value>) {
        let head = self.app.service.engine.log().head(shard()).await.expect("a log").position;
        let users = self.people.iter().map(|person| person.session.client.user(&person.session.user_id));
        (head, join_all(users).await)
    }

    /// Checks that the service is ready and answers.
    pub(crate) async fn is_well(&self) {
        let ready = Call::new(self.app.address, "GET", "/health/ready").send().await;
        assert_eq!(ready.status, 200, "{}", ready.text());
        let _ = self.send("nodes.get", &self.people[0]).await.ok();
    }
}

/// Returns the position of the first change of a user that subscribers are notified of.
pub(crate) fn changed(events: &[RecordedEvent], user: &str) -> u64 {
    let user: UserId = user.parse().expect("an id");
    let is_told =
        |event: &Event| Notice::of(event).is_some_and(|notice| notice.scope(&[Scope::UserPatch]).is_some());
    let is_it = |happened: &&RecordedEvent| happened.key == user.into() && is_told(&happened.event);
    events.iter().find(is_it).expect("it was changed").position
}

fn text(value: &Value) -> String {
    value.as_str().expect("text").to_owned()
}

/// Creates a verified user with three nodes.
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

/// Completes a user that has a past month with a transaction that has an attachment.
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
    ids.insert("shard", shard().to_string());
    ids.insert("tile", "0/000.p/1".to_owned());
    ids.insert("trans_id", text(&made["_id"]));
    let paper = text(&made["extra"]["other"]["attachments"][0]);
    ids.insert("attachment_id", paper.rsplit('/').next().expect("an id").to_owned());
    let subnet = session.call("POST", &format!("/nodes/{}/subnets", ids["node_id"]));
    let subnet = subnet.body(named("subnets.create").body).send().await.ok();
    ids.insert("subnet_id", text(&subnet["_id"]));
    Person { session, ids }
}

/// Returns a return file with one unknown entry, escaped as the inside of a JSON string.
pub(crate) fn returns() -> String {
    let entry = outgoing::entry(EntryDirection::Pull, "1232225674134", 100, 9_999);
    let code = "R01".parse().expect("a code");
    let originator = SandboxBank.originator("Sandbox");
    let file = render_returns(&originator, Timestamp::from_ms(0), &[(&entry, code)]).expect("a file");
    json!(file).to_string().trim_matches('"').to_owned()
}
