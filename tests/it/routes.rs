//! Every route as data: required credentials, and a valid call. Common properties of routes are tested over this table,
//! so a new route is added here first.

use std::collections::{BTreeMap, BTreeSet};

/// Credentials that open a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum By {
    /// No credentials.
    Nobody,
    /// A platform with its own credentials.
    Gateway,
    /// A platform with its own credentials, or a public key that has this scope.
    PlatformOrPublicKey(&'static str),
    /// A user whose key has this scope.
    User(&'static str),
    /// An operator.
    Operator,
}

/// A route.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Route {
    /// Name of the route in tests.
    pub(crate) name: &'static str,
    /// Method and path as the router has them. Names in braces are ids.
    pub(crate) call: &'static str,
    /// Credentials that open it.
    pub(crate) by: By,
    /// A valid body, with the same names in braces. Empty if the route takes none.
    pub(crate) body: &'static str,
    /// Largest accepted body, in MiB.
    pub(crate) mib: usize,
    /// Fields of the body that accept any text, present in it or not, as JSON pointers.
    pub(crate) texts: &'static str,
}

/// Names in braces that stand for the id of an object.
pub(crate) const IDS: [&str; 16] = [
    "user_id",
    "node_id",
    "to_id",
    "fee_id",
    "trans_id",
    "attachment_id",
    "statement_id",
    "subnet_id",
    "subscription_id",
    "operation_id",
    "file_id",
    "bank_statement_id",
    "event_id",
    "position",
    "shard",
    "tile",
];

const NOTHING: &str = "";
/// A body whose content the route ignores.
const ANYTHING: &str = "{}";

const PERSON: &str = r#"{"logins": [{"email": "ada@example.com"}], "phone_numbers": ["901.111.1111"],
    "legal_names": ["Ada Example"], "extra": {"supp_id": "s-1", "cip_tag": 1, "is_business": false},
    "documents": [{"email": "ada@example.com", "phone_number": "901.111.1111", "ip": "127.0.0.1",
        "name": "Ada Example", "alias": "Ada", "entity_type": "F", "entity_scope": "Arts & Entertainment",
        "day": 2, "month": 5, "year": 1989, "address_street": "1 Market St.", "address_city": "SF",
        "address_subdivision": "CA", "address_postal_code": "94105", "address_country_code": "US",
        "virtual_docs": [{"document_type": "SSN", "document_value": "2222"}]}]}"#;
const PERSON_TEXTS: &str = "/legal_names/0 /phone_numbers/0 /logins/0/email /extra/supp_id /documents/0/name
    /documents/0/email /documents/0/phone_number /documents/0/ip /documents/0/alias /documents/0/entity_type
    /documents/0/entity_scope /documents/0/address_street /documents/0/address_city /documents/0/address_subdivision
    /documents/0/address_postal_code /documents/0/address_country_code
    /documents/0/virtual_docs/0/document_value";

const PROFILE: &str = r#"{"refresh_token": "{refresh_token}",
    "update": {"login": {"email": "ada2@example.com"}, "phone_number": "901.111.2222", "legal_name": "Ada Two"}}"#;
const PROFILE_TEXTS: &str =
    "/refresh_token /update/login/email /update/remove_login/email /update/phone_number
    /update/remove_phone_number /update/legal_name /update/remove_legal_name /permission";

const NODE: &str = r#"{"type": "DEPOSIT-US", "info": {"nickname": "Checking"}, "extra": {"supp_id": "s-2"}}"#;
const NODE_TEXTS: &str = "/type /info/nickname /extra/supp_id /extra/note";

const TRANSFER: &str = r#"{"to": {"type": "DEPOSIT-US", "id": "{to_id}"}, "amount": {"amount": 1.10, "currency": "USD"},
    "fees": [{"fee": 0.10, "note": "For us", "to": {"id": "{fee_id}"}}],
    "extra": {"ip": "127.0.0.1", "note": "Rent", "supp_id": "s-3", "other": {"attachments": ["SGk="]}}}"#;
const TRANSFER_TEXTS: &str =
    "/to/type /to/id /amount/currency /fees/0/note /fees/0/to/id /extra/ip /extra/supp_id /extra/note";

/// The receiver's name in braces is not in [`IDS`], because an entry with another user's id fails alone.
const BATCH: &str = r#"{"transactions": [
    {"to": {"type": "DEPOSIT-US", "id": "{batch_to}"}, "amount": {"amount": 1.10, "currency": "USD"},
        "extra": {"ip": "127.0.0.1", "note": "Rent"}},
    {"to": {"type": "DEPOSIT-US", "id": "7ZZZZZZZZZZZZZZZZZZZZZZZZZ"}, "amount": {"amount": 1.10, "currency": "USD"},
        "extra": {"ip": "127.0.0.1"}}]}"#;

const ADDRESS: &str = r#"{"address_street": "1 Market St. STE 500", "address_city": "San Francisco",
    "address_subdivision": "CA", "address_postal_code": "94105", "address_country_code": "US"}"#;
const ADDRESS_TEXTS: &str = "/address_street /address_city /address_subdivision /address_postal_code
    /address_country_code";

const MONEY: &str = r#"{"amount": {"amount": 1.00, "currency": "USD"}, "note": "x"}"#;
const SUBSCRIPTION: &str = r#"{"scope": ["TRANS|POST", "USER|PATCH"], "url": "http://127.0.0.1:9/x"}"#;
const OPERATION: &str = r#"{"act": {"kind": "queue", "trans_id": "{trans_id}", "code": "Q10"}, "reason": "A ticket asks for it."}"#;
const STATEMENT: &str = r#"{"file": "date,opening_balance,closing_balance,currency\n{today},{closing},{closing},USD\nline_id,amount,reference,description\n"}"#;

const fn route(name: &'static str, call: &'static str, by: By) -> Route {
    Route { name, call, by, body: NOTHING, mib: 1, texts: "" }
}

impl Route {
    const fn with(self, body: &'static str, texts: &'static str) -> Self {
        Self { body, texts, ..self }
    }

    const fn up_to(self, mib: usize) -> Self {
        Self { mib, ..self }
    }

    /// Returns the method.
    pub(crate) fn method(&self) -> &'static str {
        self.call.split(' ').next().unwrap_or_default()
    }

    /// Returns the path with its braces.
    pub(crate) fn path(&self) -> &'static str {
        self.call.split(' ').nth(1).unwrap_or_default()
    }

    /// Returns the credentials that open it in tests that do not consider scopes.
    pub(crate) fn opened_by(&self) -> By {
        if let By::PlatformOrPublicKey(_) = self.by { By::Gateway } else { self.by }
    }

    /// Returns true if the route reads a JSON body.
    pub(crate) fn has_body(&self) -> bool {
        ![NOTHING, ANYTHING].contains(&self.body)
    }

    /// Returns true if the route answers in pages.
    pub(crate) fn is_list(&self) -> bool {
        self.name.ends_with("list") || self.name.ends_with("entries")
    }
}

/// Routes in the order of the API reference.
pub(crate) const ROUTES: &[Route] = {
    use By::{Gateway, Nobody, Operator, PlatformOrPublicKey, User};
    &[
        route("users.create", "POST /v3.1/users", PlatformOrPublicKey("USERS|POST"))
            .with(PERSON, PERSON_TEXTS)
            .up_to(30),
        route("users.list", "GET /v3.1/users", PlatformOrPublicKey("USERS|GET")),
        route("users.get", "GET /v3.1/users/{user_id}", PlatformOrPublicKey("USER|GET")),
        route("users.update", "PATCH /v3.1/users/{user_id}", User("USER|PATCH"))
            .with(PROFILE, PROFILE_TEXTS)
            .up_to(30),
        route("oauth.create", "POST /v3.1/oauth/{user_id}", PlatformOrPublicKey("OAUTH|POST")).with(
            r#"{"refresh_token": "{refresh_token}", "scope": ["TRAN|GET"]}"#,
            "/refresh_token /scope/0 /phone_number /validation_pin",
        ),
        route("nodes.create", "POST /v3.1/users/{user_id}/nodes", User("NODES|POST")).with(NODE, NODE_TEXTS),
        route("nodes.list", "GET /v3.1/users/{user_id}/nodes", User("NODES|GET")),
        route("nodes.platform_list", "GET /v3.1/nodes", Gateway),
        route("nodes.get", "GET /v3.1/users/{user_id}/nodes/{node_id}", User("NODE|GET")),
        route("nodes.update", "PATCH /v3.1/users/{user_id}/nodes/{node_id}", User("NODE|PATCH"))
            .with(r#"{"nickname": "Savings", "supp_id": "s-4"}"#, "/nickname /supp_id"),
        route("nodes.delete", "DELETE /v3.1/users/{user_id}/nodes/{node_id}", User("NODE|DELETE")),
        route("nodes.balance", "GET /v3.1/users/{user_id}/nodes/{node_id}/balance", User("NODE|GET")),
        route("nodes.entries", "GET /v3.1/users/{user_id}/nodes/{node_id}/entries", User("NODE|GET")),
        route("nodes.explain", "GET /v3.1/users/{user_id}/nodes/{node_id}/explain", User("NODE|GET")),
        route("statements.list", "GET /v3.1/users/{user_id}/statements", User("NODES|GET")),
        route(
            "statements.node_list",
            "GET /v3.1/users/{user_id}/nodes/{node_id}/statements",
            User("NODE|GET"),
        ),
        route(
            "statements.get",
            "GET /v3.1/users/{user_id}/nodes/{node_id}/statements/{statement_id}",
            User("NODE|GET"),
        ),
        route(
            "statements.csv",
            "GET /v3.1/users/{user_id}/nodes/{node_id}/statements/{statement_id}.csv",
            User("NODE|GET"),
        ),
        route("nodes.dummy_tran", "GET /v3.1/users/{user_id}/nodes/{node_id}/dummy-tran", User("TRANS|POST")),
        route("trans.create", "POST /v3.1/users/{user_id}/nodes/{node_id}/trans", User("TRANS|POST"))
            .with(TRANSFER, TRANSFER_TEXTS)
            .up_to(8),
        route(
            "trans.create_batch",
            "POST /v3.1/users/{user_id}/nodes/{node_id}/batch-trans",
            User("TRANS|POST"),
        )
        .with(BATCH, "")
        .up_to(8),
        route("trans.list", "GET /v3.1/users/{user_id}/trans", User("TRANS|GET")),
        route("trans.node_list", "GET /v3.1/users/{user_id}/nodes/{node_id}/trans", User("TRANS|GET")),
        route("trans.platform_list", "GET /v3.1/trans", Gateway),
        route("trans.get", "GET /v3.1/users/{user_id}/nodes/{node_id}/trans/{trans_id}", User("TRAN|GET")),
        route(
            "trans.comment",
            "PATCH /v3.1/users/{user_id}/nodes/{node_id}/trans/{trans_id}",
            User("TRAN|PATCH"),
        )
        .with(r#"{"comment": "For May"}"#, "/comment"),
        route(
            "trans.cancel",
            "DELETE /v3.1/users/{user_id}/nodes/{node_id}/trans/{trans_id}",
            User("TRAN|DELETE"),
        ),
        route(
            "trans.attachment",
            "GET /v3.1/users/{user_id}/nodes/{node_id}/trans/{trans_id}/attachments/{attachment_id}",
            User("TRAN|GET"),
        ),
        route("subnets.create", "POST /v3.1/users/{user_id}/nodes/{node_id}/subnets", User("SUBNETS|POST"))
            .with(r#"{"nickname": "Rent", "account_class": "CHECKING"}"#, "/nickname /account_class"),
        route("subnets.list", "GET /v3.1/users/{user_id}/nodes/{node_id}/subnets", User("SUBNETS|GET")),
        route(
            "subnets.get",
            "GET /v3.1/users/{user_id}/nodes/{node_id}/subnets/{subnet_id}",
            User("SUBNET|GET"),
        ),
        route(
            "subnets.update",
            "PATCH /v3.1/users/{user_id}/nodes/{node_id}/subnets/{subnet_id}",
            User("SUBNET|PATCH"),
        )
        .with(r#"{"nickname": "Food", "allowed": "CREDIT"}"#, "/nickname /allowed"),
        route("subscriptions.create", "POST /v3.1/subscriptions", PlatformOrPublicKey("SUBSCRIPTIONS|POST"))
            .with(SUBSCRIPTION, "/url /scope/0"),
        route("subscriptions.list", "GET /v3.1/subscriptions", PlatformOrPublicKey("SUBSCRIPTIONS|GET")),
        route("subscriptions.logs", "GET /v3.1/subscriptions/logs", Gateway),
        route("subscriptions.redeliver", "POST /v3.1/subscriptions/{subscription_id}/redeliver", Gateway)
            .with(r#"{"position": {told}}"#, ""),
        route(
            "subscriptions.get",
            "GET /v3.1/subscriptions/{subscription_id}",
            PlatformOrPublicKey("SUBSCRIPTION|GET"),
        ),
        route(
            "subscriptions.change",
            "PATCH /v3.1/subscriptions/{subscription_id}",
            PlatformOrPublicKey("SUBSCRIPTION|PATCH"),
        )
        .with(
            r#"{"is_active": false, "url": "https://example.com/y", "rotate_secret": true}"#,
            "/url /scope/0",
        ),
        route("client.public_key", "GET /v3.1/client", Gateway),
        route("institutions.all", "GET /v3.1/institutions", Gateway),
        route("verification.routing_number", "POST /v3.1/routing-number-verification", Gateway)
            .with(r#"{"routing_num": "021000021", "type": "ACH-US"}"#, "/routing_num /type"),
        route("verification.address", "POST /v3.1/address-verification", Gateway)
            .with(ADDRESS, ADDRESS_TEXTS),
        route("events.feed", "GET /v3.1/events", Gateway),
        route("sandbox.credit", "POST /v3.1/sandbox/nodes/{node_id}/credit", Gateway)
            .with(MONEY, "/note /amount/currency"),
        route("sandbox.debit", "POST /v3.1/sandbox/nodes/{node_id}/debit", Gateway)
            .with(MONEY, "/note /amount/currency"),
        route("sandbox.process", "POST /v3.1/sandbox/trans/{trans_id}/process", Gateway).with(ANYTHING, ""),
        route("sandbox.settle", "POST /v3.1/sandbox/trans/{trans_id}/settle", Gateway).with(ANYTHING, ""),
        route("sandbox.cancel", "POST /v3.1/sandbox/trans/{trans_id}/cancel", Gateway).with(ANYTHING, ""),
        route("sandbox.queue", "POST /v3.1/sandbox/trans/{trans_id}/queue", Gateway)
            .with(r#"{"code": "Q10"}"#, "/code"),
        route("sandbox.release", "POST /v3.1/sandbox/trans/{trans_id}/release", Gateway).with(ANYTHING, ""),
        route("sandbox.return", "POST /v3.1/sandbox/trans/{trans_id}/return", Gateway)
            .with(r#"{"code": "R01"}"#, "/code /leg"),
        route("sandbox.verify", "POST /v3.1/sandbox/users/{user_id}/verify", Gateway)
            .with(r#"{"permission": "SEND-AND-RECEIVE"}"#, "/permission"),
        route("sandbox.clock", "POST /v3.1/sandbox/clock/advance", Gateway).with(r#"{"seconds": 1}"#, ""),
        route("sandbox.statement", "POST /v3.1/sandbox/bank/statement", Gateway).with(
            r#"{"format": "csv", "lines": "each", "late": 1, "fee": 12.5, "doubled": true}"#,
            "/format /lines /currency /restate",
        ),
        route("ops.me", "GET /v3.1/ops/operators/me", Operator),
        route("ops.queued_list", "GET /v3.1/ops/platforms/{platform}/queued", Operator),
        route("ops.returned_list", "GET /v3.1/ops/platforms/{platform}/returned", Operator),
        route("ops.operations.list", "GET /v3.1/ops/platforms/{platform}/operations", Operator),
        route("ops.operations.create", "POST /v3.1/ops/platforms/{platform}/operations", Operator)
            .with(OPERATION, "/reason /act/kind /act/trans_id /act/code"),
        route("ops.operations.get", "GET /v3.1/ops/platforms/{platform}/operations/{operation_id}", Operator),
        route(
            "ops.operations.approve",
            "POST /v3.1/ops/platforms/{platform}/operations/{operation_id}/approve",
            Operator,
        )
        .with(ANYTHING, ""),
        route(
            "ops.operations.decline",
            "POST /v3.1/ops/platforms/{platform}/operations/{operation_id}/decline",
            Operator,
        )
        .with(ANYTHING, ""),
        route("ops.open_items_list", "GET /v3.1/ops/platforms/{platform}/open-items", Operator),
        route("ops.trial_balance", "GET /v3.1/ops/platforms/{platform}/trial-balance", Operator),
        route("ops.custody", "GET /v3.1/ops/platforms/{platform}/custody", Operator),
        route("ops.reconciliation", "GET /v3.1/ops/platforms/{platform}/reconciliation", Operator),
        route("ops.files.list", "GET /v3.1/ops/platforms/{platform}/files", Operator),
        route("ops.files.returns", "POST /v3.1/ops/platforms/{platform}/files/returns", Operator)
            .with(r#"{"file": "{returns}"}"#, "")
            .up_to(16),
        route("ops.files.get", "GET /v3.1/ops/platforms/{platform}/files/{file_id}", Operator),
        route("ops.breaks.list", "GET /v3.1/ops/platforms/{platform}/breaks", Operator),
        route("ops.rules", "GET /v3.1/ops/platforms/{platform}/rules", Operator),
        route("ops.statements.list", "GET /v3.1/ops/platforms/{platform}/statements", Operator),
        route(
            "ops.statements.get",
            "GET /v3.1/ops/platforms/{platform}/statements/{bank_statement_id}",
            Operator,
        ),
        route("ops.statements.create", "POST /v3.1/ops/platforms/{platform}/statements", Operator)
            .with(STATEMENT, "")
            .up_to(64),
        route("audit.checkpoint", "GET /audit/checkpoint", Nobody),
        route("audit.key", "GET /audit/key", Nobody),
        route("audit.consistency", "GET /audit/consistency", Nobody),
        route("audit.tile", "GET /audit/tile/{tile}", Nobody),
        route("audit.shard.checkpoint", "GET /audit/shards/{shard}/checkpoint", Nobody),
        route("audit.shard.key", "GET /audit/shards/{shard}/key", Nobody),
        route("audit.shard.consistency", "GET /audit/shards/{shard}/consistency", Nobody),
        route("audit.shard.tile", "GET /audit/shards/{shard}/tile/{tile}", Nobody),
        route("audit.event", "GET /audit/events/{event_id}/proof", Gateway),
        route("audit.receipt", "GET /audit/receipts/{position}", Gateway),
        route("audit.balance", "GET /audit/nodes/{node_id}/balance", Gateway),
        route("health.live", "GET /health/live", Nobody),
        route("health.ready", "GET /health/ready", Nobody),
    ]
};

/// Returns the route of this name.
pub(crate) fn named(name: &str) -> &'static Route {
    ROUTES.iter().find(|route| route.name == name).unwrap_or_else(|| panic!("no route is called {name}"))
}

/// Returns methods and paths as the router has them, such as `GET /v3.1/users`.
pub(crate) fn served() -> BTreeSet<String> {
    // The table names a tail segment like any other segment.
    daybook_api::routes::served().map(|call| call.replace(":.*}", "}")).collect()
}

/// Returns the names in braces, in order.
pub(crate) fn slots(text: &str) -> Vec<&str> {
    let ends = text.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(name, _)| name);
    ends.filter(|name| *name == "platform" || IDS.contains(name)).collect()
}

/// Returns `text` with the names in braces replaced by these values.
pub(crate) fn fill(text: &str, values: &BTreeMap<&'static str, String>) -> String {
    let fill = |text: String, (name, value): (&&str, &String)| text.replace(&format!("{{{name}}}"), value);
    values.iter().fold(text.to_owned(), fill)
}

#[test]
fn every_served_route_is_in_the_table() {
    let told: BTreeSet<String> = ROUTES.iter().map(|route| route.call.to_owned()).collect();
    assert_eq!(told.len(), ROUTES.len(), "a route is there twice");
    assert_eq!(told, served());
    let names: BTreeSet<_> = ROUTES.iter().map(|route| route.name).collect();
    assert_eq!(names.len(), ROUTES.len(), "two routes have one name");
}
