//! Golden HTTP: one call of every route in one scenario, with request and answer as sent over the wire. [`Names`]
//! replace the values that differ in each run. `DAYBOOK_BLESS=1` writes the files.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use daybook_domain::Timestamp;
use daybook_domain::calendar::{Day, Month};
use daybook_tests::app::TestApp;
use daybook_tests::client::{DEVICE, Session, until};
use daybook_tests::http::{Answer, Call};
use daybook_tests::operator::Operator;
use daybook_tests::shard;
use hyper::HeaderMap;
use hyper::header::HeaderValue;
use serde_json::{Value, json};

use super::check;
use super::names::{Names, without_durations, without_hashes};
use crate::routes::{By, ROUTES, fill, named};
use crate::town::{Ids, changed, returns};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/http")
}

/// Headers of an answer that are left out because they say nothing about the route.
const UNTOLD: [&str; 3] = ["content-length", "date", "x-request-id"];

/// A sandbox in which nothing settles by itself, and the values that the scenario knows by name.
struct Story {
    app: TestApp,
    operator: Operator,
    ids: Ids,
    told: BTreeSet<&'static str>,
}

impl Story {
    async fn begin() -> Self {
        let app = TestApp::settling_after(Duration::from_mins(15)).await;
        let operator = app.operator("Ada Lovelace").await;
        let ids = Ids::from([("platform", app.client.client_id.clone()), ("returns", returns())]);
        let mut story = Self { app, operator, ids, told: BTreeSet::new() };
        // The scenario starts at noon, so that no day ends before it does. The bank has already stated the day before.
        let noon = Day::of(Timestamp::from_ms(story.app.client.noon(0).await));
        story.ids.insert("today", noon.to_string());
        story.ids.insert("month", Month::of(noon).to_string());
        let closing = until("the bank has stated a day", async || {
            let custody = story.call("ops.custody", "").send().await;
            let bank = custody.ok()["identities"][0]["assets"]["bank"].as_f64();
            bank.is_some_and(|bank| bank > 0.0).then(|| custody.raw("identities.0.assets.bank"))
        });
        let closing = closing.await;
        story.ids.insert("closing", closing);
        story
    }

    /// A call of a route. `change` replaces the query or the body of the table of routes.
    fn call(&self, name: &str, change: &str) -> Call {
        let route = named(name);
        let (query, body) = if change.starts_with('?') { (change, route.body) } else { ("", change) };
        let body = if body.is_empty() { route.body } else { body };
        let call =
            Call::new(self.app.address, route.method(), &fill(&(route.path().to_owned() + query), &self.ids));
        let call = match route.by {
            By::Nobody => call,
            By::Gateway | By::PlatformOrPublicKey(_) => call
                .header("X-SP-GATEWAY", self.app.client.gateway())
                .header("X-SP-USER", format!("|{DEVICE}")),
            By::User(_) => call.header("X-SP-USER", format!("{}|{DEVICE}", self.ids["key"])),
            By::Operator => call.header("X-SP-OPERATOR", self.operator.credentials()),
        };
        if body.is_empty() { call } else { call.body(fill(body, &self.ids)) }
    }

    /// Makes a call that the scenario needs but that has no golden file.
    async fn aside(&self, name: &str, change: &str) -> Value {
        self.call(name, change).send().await.ok()
    }

    /// Calls a route and compares what went over the wire with its golden file.
    async fn tell(&mut self, name: &'static str, change: &str) -> Answer {
        let call = self.call(name, change);
        let answer = call.clone().send().await;
        assert_eq!(answer.status, 200, "{name}: {}", answer.text());
        assert!(self.told.insert(name), "{name} is told twice");
        let told = Told { call, answer };
        check(&folder().join(format!("{name}.json")), told.text(self).as_bytes());
        told.answer
    }

    /// Replaces the day and the month by their names. They have no unique length, so [`Names`] cannot recognize them.
    fn dated(&self, text: &str) -> String {
        let name = |text: String, name: &str| text.replace(&self.ids[name], &format!("{{{name}}}"));
        ["today", "month"].into_iter().fold(text.to_owned(), name)
    }

    /// Stores the value at a JSON pointer under a name.
    fn name(&mut self, name: &'static str, body: &Value, pointer: &str) {
        let value = body.pointer(pointer).and_then(Value::as_str);
        let value = value.unwrap_or_else(|| panic!("no {pointer} in {body}"));
        self.ids.insert(name, value.rsplit('/').next().unwrap_or_default().to_owned());
    }
}

/// A call and its answer.
struct Told {
    call: Call,
    answer: Answer,
}

impl Told {
    /// Text of the golden file.
    fn text(&self, story: &Story) -> String {
        let (sent, body) = self.call.carried();
        let request = [
            format!("\"call\": {}", json!(self.call.line())),
            format!("\"headers\": {}", headers(sent)),
            format!("\"body\": {}", content(body)),
        ];
        let answer = [
            format!("\"status\": {}", self.answer.status),
            format!("\"headers\": {}", headers(&self.answer.headers)),
            format!("\"body\": {}", content(&self.answer.body)),
        ];
        let text =
            format!("{{\"request\": {{{}}}, \"answer\": {{{}}}}}", request.join(","), answer.join(","));
        let text = text.replace(&story.app.address.to_string(), "HOST");
        let text = without_durations(&without_hashes(&text));
        let mut names = Names::new(&story.ids);
        let named = names.name(&indented(&story.dated(&text)));
        let is_csv = |kind: &HeaderValue| kind.as_bytes().starts_with(b"text/csv");
        let text = lines(&self.answer.body);
        let text = match self.answer.headers.get("content-type") {
            Some(kind) if is_csv(kind) => names.name(&story.dated(&text)),
            _ => text,
        };
        named.replace(TEXT, &text)
    }
}

/// Headers as a JSON object, sorted by name.
fn headers(headers: &HeaderMap) -> Value {
    let told = headers.iter().filter(|(name, _)| !UNTOLD.contains(&name.as_str()));
    let told = told.map(|(name, value)| {
        // The position of the log depends on concurrent background work.
        let value = match name.as_str() {
            "x-daybook-position" => "POSITION".into(),
            "x-daybook-receipt" => "RECEIPT".into(),
            _ => String::from_utf8_lossy(value.as_bytes()),
        };
        (name.to_string(), json!(value))
    });
    Value::Object(told.collect())
}

/// Placeholder of a body that is not JSON, until all other values have their names.
const TEXT: &str = "\"a text\"";

/// The exact text of a JSON body, `null` without a body, otherwise [`TEXT`].
fn content(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    match serde_json::from_str::<Value>(&text) {
        Ok(_) => text.into_owned(),
        Err(_) => if text.is_empty() { "null" } else { TEXT }.to_owned(),
    }
}

/// The lines of a text body, or the number of bytes of a binary body.
fn lines(body: &[u8]) -> String {
    let text = String::from_utf8(body.to_vec()).unwrap_or_else(|_| format!("{} BYTES", body.len()));
    let lines = text.lines().map(|line| format!("      {}", json!(without_hashes(&masked(line)))));
    format!("[\n{}\n    ]", lines.collect::<Vec<_>>().join(",\n"))
}

/// Parts of the lines of a bank file that differ in each run: prefix of the line, and the range of characters.
const MASKED: [(&str, usize, usize); 4] = [
    // Date and time of the file, and its reference.
    ("101 ", 23, 33),
    ("101 ", 86, 94),
    // The effective date of the entries.
    ("5220", 69, 75),
    // The identification of the transaction.
    ("622", 39, 54),
];

/// A line of a file without the parts that differ in each run.
fn masked(line: &str) -> String {
    let fields = line.split(',').map(|field| if is_time(field) { "TIME" } else { field });
    let line = fields.collect::<Vec<_>>().join(",");
    let masks = MASKED.iter().filter(|(beginning, ..)| line.starts_with(beginning));
    masks.fold(line.clone(), |line, &(_, from, to)| {
        format!("{}{}{}", &line[..from], "?".repeat(to - from), &line[to..])
    })
}

/// Returns true if the field is a time in RFC 3339 format.
fn is_time(field: &str) -> bool {
    field.len() == "2026-01-31T12:00:00.000Z".len() && field.as_bytes()[10] == b'T' && field.ends_with('Z')
}

/// Formats JSON on several lines, with the text and order of all values unchanged.
fn indented(json: &str) -> String {
    let (mut told, mut depth, mut is_text, mut is_escaped) = (String::new(), 0_usize, false, false);
    let line = |depth: usize| format!("\n{}", "  ".repeat(depth));
    let mut letters = json.chars().peekable();
    while let Some(letter) = letters.next() {
        if is_text {
            is_text = letter != '"' || is_escaped;
            is_escaped = letter == '\\' && !is_escaped;
            told.push(letter);
            continue;
        }
        match letter {
            '{' | '[' if letters.peek().is_some_and(|next| ['}', ']'].contains(next)) => {
                told.push(letter);
                told.extend(letters.next());
            }
            '{' | '[' => {
                depth += 1;
                told.push(letter);
                told += &line(depth);
            }
            '}' | ']' => {
                depth -= 1;
                told += &line(depth);
                told.push(letter);
            }
            ',' => {
                told.push(letter);
                told += &line(depth);
            }
            ':' => told += ": ",
            _ if letter.is_whitespace() => {}
            _ => {
                is_text = letter == '"';
                told.push(letter);
            }
        }
    }
    told + "\n"
}

#[tokio::test]
async fn every_route_matches_its_golden_file() {
    let mut story = Story::begin().await;
    proofs(&mut story).await;
    people(&mut story).await;
    world(&mut story).await;
    nodes(&mut story).await;
    payments(&mut story).await;
    operators(&mut story).await;
    bank(&mut story).await;
    attested(&mut story).await;
    statements(&mut story).await;
    others(&mut story).await;
    let files = fs::read_dir(folder()).expect("golden files").map(|file| file.expect("a file").file_name());
    let files: BTreeSet<_> = files.map(|file| file.to_string_lossy().replace(".json", "")).collect();
    assert_eq!(
        files,
        ROUTES.iter().map(|route| route.name.to_owned()).collect(),
        "a file of a route that is not there"
    );
}

/// Calls the remaining routes at the end of the scenario, with the values of the table of routes.
async fn others(story: &mut Story) {
    for route in ROUTES {
        if !story.told.contains(route.name) {
            story.tell(route.name, "").await;
        }
    }
}

/// Attests the accounts and requests the proof of a balance.
async fn attested(story: &mut Story) {
    story.app.service.attester(shard()).attest(Duration::ZERO).await.expect("attests");
    story.tell("audit.balance", "").await;
}

/// Advances the clock to the next month and reads the account statements.
async fn statements(story: &mut Story) {
    let now = Timestamp::from_ms(story.app.client.advance(1).await.ok()["now"].as_i64().expect("a time"));
    let next = Month::of(Day::of(now)).next().start();
    let _ = story.app.client.advance((next.ms() - now.ms()) / 1_000 + 1).await.ok();
    story.tell("statements.list", "?per_page=2&page=2").await;
    let listed = story.tell("statements.node_list", "").await.json();
    story.name("statement_id", &listed, "/statements/0/_id");
    story.tell("statements.get", "?per_page=3").await;
    story.tell("statements.csv", "").await;
}

/// Requests proofs while the log contains only the platform.
async fn proofs(story: &mut Story) {
    let ids = [("event_id", "2"), ("position", "1"), ("shard", "1"), ("tile", "0/000.p/2")];
    story.ids.extend(ids.map(|(name, value)| (name, value.to_owned())));
    story.tell("audit.checkpoint", "").await;
    story.tell("audit.key", "").await;
    story.tell("audit.consistency", "?from=1&to=2").await;
    story.tell("audit.tile", "").await;
    story.tell("audit.shard.checkpoint", "").await;
    story.tell("audit.shard.key", "").await;
    story.tell("audit.shard.consistency", "?from=1&to=2").await;
    story.tell("audit.shard.tile", "").await;
    story.tell("audit.event", "").await;
    story.tell("audit.receipt", "").await;
    story.ids.retain(|name, _| ids.iter().all(|(own, _)| own != name));
}

/// Creates a user, verifies and changes it, and issues a key.
async fn people(story: &mut Story) {
    story.tell("health.live", "").await;
    until("everything is projected", async || {
        let ready = story.call("health.ready", "").send().await;
        (ready.json()["lag"] == 0).then_some(())
    })
    .await;
    story.tell("health.ready", "").await;
    let user = story.tell("users.create", "").await.json();
    story.name("user_id", &user, "/_id");
    story.name("refresh_token", &user, "/refresh_token");
    story.app.client.reviewed(&story.ids["user_id"]).await;
    let key = story.tell("oauth.create", r#"{"refresh_token": "{refresh_token}"}"#).await.json();
    story.name("key", &key, "/oauth_key");
    story.tell("users.get", "").await;
    story.tell("users.update", "").await;
    story.tell("users.list", "?query=ada").await;
    story.tell("sandbox.verify", r#"{"permission": "RECEIVE"}"#).await;
    story.aside("sandbox.verify", "").await;
    let made = story.tell("subscriptions.create", "").await.json();
    story.name("subscription_id", &made, "/_id");
    story.tell("subscriptions.get", "").await;
    // No server listens at the address of the subscription.
    story.ids.insert("told", changed(&story.app.events().await, &story.ids["user_id"]).to_string());
    story.tell("subscriptions.redeliver", "").await;
    story.tell("subscriptions.logs", "").await;
    story.tell("events.feed", "?scope=USER%7CPATCH&per_page=1").await;
    story.tell("subscriptions.change", "").await;
    story.tell("subscriptions.list", "").await;
}

/// Creates nodes and credits one of them.
async fn nodes(story: &mut Story) {
    for (name, kind) in [("spare_id", "DEPOSIT-US"), ("fee_id", "LEDGER-US"), ("to_id", "DEPOSIT-US")] {
        let body = format!(r#"{{"type": "{kind}", "info": {{"nickname": "{kind}"}}}}"#);
        let made = story.aside("nodes.create", &body).await;
        story.name(name, &made, "/nodes/0/_id");
    }
    let made = story.tell("nodes.create", "").await.json();
    story.name("node_id", &made, "/nodes/0/_id");
    story.tell("nodes.update", "").await;
    story.tell("nodes.get", "").await;
    story.tell("nodes.list", "?type=LEDGER-US").await;
    story.tell("nodes.platform_list", "?per_page=1&page=2").await;
    let node = story.ids["node_id"].clone();
    story.ids.insert("node_id", story.ids["spare_id"].clone());
    story.tell("nodes.delete", "").await;
    story.ids.insert("node_id", node);
    let subnet = story.tell("subnets.create", "").await.json();
    story.name("subnet_id", &subnet, "/_id");
    story.tell("subnets.get", "").await;
    story.tell("subnets.update", "").await;
    story.tell("subnets.list", "").await;
    story.tell("sandbox.credit", r#"{"amount": {"amount": 100, "currency": "USD"}, "note": "Salary"}"#).await;
    story.tell("sandbox.debit", r#"{"amount": {"amount": 0.29, "currency": "USD"}}"#).await;
    story.tell("nodes.dummy_tran", "?is_credit=YES&amount=12.34").await;
}

/// Calls the routes about banks, addresses and public keys.
async fn world(story: &mut Story) {
    story.tell("client.public_key", "?issue_public_key=YES&scope=USERS|POST,USER|GET").await;
    story.tell("institutions.all", "").await;
    story.tell("verification.routing_number", "").await;
    story.tell("verification.address", "").await;
}

/// Takes a payment with a fee and an attachment through its whole life. Other payments end early.
async fn payments(story: &mut Story) {
    let made = story.tell("trans.create", "").await.json();
    story.name("trans_id", &made, "/_id");
    story.name("attachment_id", &made, "/extra/other/attachments/0");
    story.tell("trans.attachment", "").await;
    story.tell("trans.comment", "").await;
    story.tell("sandbox.queue", "").await;
    story.tell("ops.queued_list", "").await;
    story.tell("sandbox.release", "").await;
    story.tell("sandbox.process", "").await;
    story.tell("sandbox.settle", "").await;
    story.tell("trans.get", "").await;
    story.tell("trans.list", "?filter=SETTLED&per_page=1&page=2").await;
    story.tell("trans.node_list", "?per_page=1").await;
    story.tell("trans.platform_list", "?per_page=1&page=3").await;
    story.tell("nodes.balance", "").await;
    story.tell("nodes.entries", "?per_page=3").await;
    story.tell("nodes.explain", "").await;
    story.tell("sandbox.return", "").await;
    story.tell("ops.returned_list", "").await;
    // Only for this call: in all other calls the node has its own name.
    story.ids.insert("batch_to", story.ids["to_id"].clone());
    let made = story.tell("trans.create_batch", "").await.json();
    story.ids.remove("batch_to");
    story.name("trans_id", &made, "/trans/0/_id");
    story.aside("sandbox.cancel", "").await;
    for name in ["trans.cancel", "sandbox.cancel"] {
        let made = story.aside("trans.create", "").await;
        story.name("trans_id", &made, "/_id");
        story.tell(name, "").await;
    }
}

/// Operators queue a payment, with the approval of a second operator.
async fn operators(story: &mut Story) {
    story.tell("ops.me", "").await;
    let policy =
        r#"{"act": {"kind": "set_policy", "policy": {"approvals": ["queue"]}}, "reason": "Two see more."}"#;
    story.aside("ops.operations.create", policy).await;
    let made = story.aside("trans.create", "").await;
    story.name("trans_id", &made, "/_id");
    let waits = story.tell("ops.operations.create", "").await.json();
    story.name("operation_id", &waits, "/_id");
    story.tell("ops.operations.get", "").await;
    story.tell("ops.operations.list", "?waiting=yes").await;
    story.operator = story.app.operator("Grace Hopper").await;
    story.tell("ops.operations.approve", "").await;
    let waits = story.aside("ops.operations.create", "").await;
    story.name("operation_id", &waits, "/_id");
    story.operator = story.app.operator("Alan Turing").await;
    story.tell("ops.operations.decline", "").await;
    story.tell("ops.open_items_list", "?per_page=2").await;
    story.tell("ops.trial_balance", "").await;
    story.tell("ops.custody", "").await;
    story.tell("ops.reconciliation", "?from=2020-01-01&to=2020-01-01").await;
}

/// Advances the clock until a file is cut for the bank, and imports the bank's answer.
async fn bank(story: &mut Story) {
    let own: Session = story.app.client.own_session().await;
    own.bank().await;
    story.tell("sandbox.clock", r#"{"seconds": 600}"#).await;
    let file = until("a file is cut", async || {
        let files = story.aside("ops.files.list", "").await;
        files["files"][0]["_id"].as_str().map(str::to_owned)
    });
    let file = file.await;
    story.ids.insert("file_id", file);
    story.tell("ops.files.list", "").await;
    story.tell("ops.files.get", "").await;
    story.tell("ops.files.returns", "").await;
    story.tell("sandbox.statement", "").await;
    let taken = story.tell("ops.statements.create", "").await.json();
    story.name("bank_statement_id", &taken, "/statements/0/_id");
    story.tell("ops.statements.get", "").await;
    story.tell("ops.statements.list", "").await;
    story.tell("ops.breaks.list", "").await;
    story.tell("ops.rules", "").await;
}
