//! Bad input as data: what no honest client sends, and the answer that each of it must get.

use daybook_tests::bodies::{node, person, transfer};
use serde_json::Value;

/// Where a body goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    Users,
    Oauth,
    Nodes,
    Transactions,
    Comments,
    Credit,
    Subnets,
    Subscriptions,
}

impl Route {
    pub(crate) const ALL: [Self; 8] = [
        Self::Users,
        Self::Oauth,
        Self::Nodes,
        Self::Transactions,
        Self::Comments,
        Self::Credit,
        Self::Subnets,
        Self::Subscriptions,
    ];

    /// A body that would be all right, but for ids that exist.
    pub(crate) fn good(self, node_id: &str) -> Value {
        match self {
            Self::Users => person("Ada"),
            Self::Oauth => serde_json::json!({"refresh_token": "x"}),
            Self::Nodes => node("DEPOSIT-US"),
            Self::Transactions => transfer(node_id, "1"),
            Self::Comments => serde_json::json!({"comment": "x"}),
            Self::Credit => serde_json::json!({"amount": {"amount": 1, "currency": "USD"}}),
            Self::Subnets => serde_json::json!({"nickname": "Rent", "account_class": "CHECKING"}),
            Self::Subscriptions => serde_json::json!({"url": "https://a.example", "scope": ["TRANS|POST"]}),
        }
    }
}

/// `good` with one more field, whose value is this text.
fn with_field(good: &Value, name: &str, value: &str) -> String {
    let text = good.to_string();
    format!("{{\"{name}\": {value}, {}", &text[1..])
}

/// Bodies that are refused with 400/"200" wherever they are sent.
pub(crate) fn malformed(good: &Value) -> Vec<(String, Vec<u8>)> {
    let deep = |open: &str, close: &str| format!("{}{}", open.repeat(20_000), close.repeat(20_000));
    let text = good.to_string();
    let mut cases: Vec<(String, Vec<u8>)> = [
        ("empty", String::new()),
        ("blank", "  \n".to_owned()),
        ("cut off", text[..text.len() - 1].to_owned()),
        ("something after", format!("{text} x")),
        ("two values", format!("{text}{text}")),
        ("null", "null".to_owned()),
        ("a list", "[]".to_owned()),
        ("a text", "\"x\"".to_owned()),
        ("a number of 400 digits", "9".repeat(400)),
        ("deep lists", deep("[", "]")),
        ("deep lists without an end", "[".repeat(20_000)),
        ("deep objects", format!("{}1{}", "{\"a\":".repeat(20_000), "}".repeat(20_000))),
        ("deep in a field that is ignored", with_field(good, "ignored", &deep("[", "]"))),
        ("deep in extra", with_field(good, "ignored", &format!("{{\"a\": {}}}", deep("[", "]")))),
        ("single quotes", "{'a': 1}".to_owned()),
        ("a form", "a=1&b=2".to_owned()),
        ("a raw control character", with_field(good, "ignored", "\"a\u{1}b\"")),
        ("a byte order mark", format!("\u{feff}{text}")),
    ]
    .into_iter()
    .map(|(name, body)| (name.to_owned(), body.into_bytes()))
    .collect();
    let spoil = |bytes: &[u8]| [b"{\"ignored\": \"", bytes, b"\", ", &text.as_bytes()[1..]].concat();
    for (name, bytes) in [
        ("invalid UTF-8", &b"\xff\xfe"[..]),
        ("an overlong slash", b"\xc0\xaf"),
        ("a surrogate in UTF-8", b"\xed\xa0\x80"),
        ("half a character", b"\xe2\x82"),
    ] {
        cases.push((name.to_owned(), spoil(bytes)));
    }
    cases
}

/// Texts that no field takes, as JSON.
pub(crate) fn bad_texts() -> Vec<(&'static str, String)> {
    vec![
        ("NUL", r#""a\u0000b""#.to_owned()),
        ("lone high surrogate", r#""a\ud800b""#.to_owned()),
        ("lone low surrogate", r#""\udc00""#.to_owned()),
        ("surrogates the wrong way round", r#""\udc00\ud800""#.to_owned()),
        ("1,001 characters", format!("\"{}\"", "x".repeat(1_001))),
        ("1,001 wide characters", format!("\"{}\"", "\u{1f355}".repeat(1_001))),
        ("100,000 characters", format!("\"{}\"", "x".repeat(100_000))),
        ("a number", "7".to_owned()),
        ("a list", "[]".to_owned()),
        ("an object", "{}".to_owned()),
        ("true", "true".to_owned()),
    ]
}

/// Texts that every field takes, as JSON: odd, but nobody's business.
pub(crate) fn odd_texts() -> Vec<String> {
    vec![
        format!("\"{}\"", "\u{1f355}".repeat(1_000)),
        r#""\ud83c\udf55""#.to_owned(),
        r#""'; drop table event; --""#.to_owned(),
        r#""\r\nX-Injected: 1""#.to_owned(),
        r#""\u001b[31mred""#.to_owned(),
        r#""\u202etxt.exe""#.to_owned(),
        r#""{{7*7}} ${jndi:ldap://x} %s%n <script>alert(1)</script> \\x00""#.to_owned(),
    ]
}

/// The fields of each route that are text: JSON pointers.
pub(crate) fn text_fields() -> Vec<(Route, &'static str)> {
    let fields = [
        (
            Route::Users,
            "/legal_names/0 /phone_numbers/0 /logins/0/email /extra/supp_id /documents/0/name \
            /documents/0/email /documents/0/alias /documents/0/address_street \
            /documents/0/virtual_docs/0/document_value",
        ),
        (Route::Nodes, "/info/nickname /extra/supp_id /extra/note"),
        (Route::Transactions, "/extra/supp_id /extra/ip"),
        (Route::Comments, "/comment"),
        (Route::Credit, "/note"),
        (Route::Subnets, "/nickname /account_class"),
        (Route::Subscriptions, "/url /scope/0"),
    ];
    fields
        .into_iter()
        .flat_map(|(route, list)| list.split_whitespace().map(move |path| (route, path)))
        .collect()
}

/// Paths below `/v3.1/users/{user}` that name nothing, percent-encoded or not.
pub(crate) fn lost_paths() -> Vec<&'static str> {
    vec![
        "/nodes/x",
        "/nodes/%00",
        "/nodes/%",
        "/nodes/%zz",
        "/nodes/%ff%fe",
        "/nodes/%c0%af",
        "/nodes/%2e%2e%2f%2e%2e",
        "/nodes/..%2f..%2fetc%2fpasswd",
        "/nodes/'%20or%201=1--",
        "/nodes/%F0%9F%8D%95",
        "/nodes/00000000000000000000000000",
        "/nodes/000000000000000000000000000",
        "/nodes/0000000000000000000000000",
        "/nodes/ZZZZZZZZZZZZZZZZZZZZZZZZZZ",
        "/nodes/-1",
        "/nodes/9999999999999999999999999999999999999999999999999999",
        "/nodes/00000000-0000-0000-0000-000000000000",
        "/nodes/0000000000000000000000000%30",
        "/nodes/x/trans/x",
        "/nodes/00000000000000000000000000/trans/%00",
        "/nodes/00000000000000000000000000/trans/00000000000000000000000000",
        "/unknown",
        "/nodes/",
        "//nodes",
        "/nodes/a/b/c/d/e",
        "/../../../etc/passwd",
        "/./nodes",
    ]
}

/// Requests as bytes that are no HTTP, or HTTP that nobody should believe.
pub(crate) fn malformed_http(address: &str) -> Vec<(&'static str, Vec<u8>)> {
    let request = |line: &str, headers: &str, body: &str| {
        format!("{line}\r\nHost: {address}\r\n{headers}\r\n{body}").into_bytes()
    };
    let post = "POST /v3.1/users HTTP/1.1";
    let many = (0..200).fold(String::new(), |headers, index| headers + &format!("X-H-{index}: 1\r\n"));
    vec![
        ("no HTTP at all", b"hello\r\n\r\n".to_vec()),
        ("binary", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n".to_vec()),
        ("no version", request("GET /health/live", "", "")),
        ("the beginning of HTTP/2", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec()),
        ("no host", b"GET /health/live HTTP/1.1\r\n\r\n".to_vec()),
        ("a target of 70,000 characters", request(&format!("GET /{} HTTP/1.1", "a".repeat(70_000)), "", "")),
        (
            "a header of 200,000 characters",
            request("GET /health/live HTTP/1.1", &format!("X-A: {}\r\n", "a".repeat(200_000)), ""),
        ),
        ("a folded header", request("GET /health/live HTTP/1.1", "X-A: a\r\n b\r\n", "")),
        ("an unknown version", request("GET /health/live HTTP/9.9", "", "")),
        ("blanks in the target", request("GET /health /live HTTP/1.1", "", "")),
        ("a method of symbols", request("G@T /health/live HTTP/1.1", "", "")),
        ("a NUL in a header", request("GET /health/live HTTP/1.1", "X-A: a\0b\r\n", "")),
        ("an escape in a header", request("GET /health/live HTTP/1.1", "X-A: a\u{1b}b\r\n", "")),
        ("a blank in a header's name", request("GET /health/live HTTP/1.1", "X A: 1\r\n", "")),
        ("a header without a colon", request("GET /health/live HTTP/1.1", "XA\r\n", "")),
        ("200 headers", request("GET /health/live HTTP/1.1", &many, "")),
        ("a length that is no number", request(post, "Content-Length: x\r\n", "")),
        ("a negative length", request(post, "Content-Length: -1\r\n", "")),
        ("a signed length", request(post, "Content-Length: +2\r\n", "{}")),
        ("a length beyond 64 bits", request(post, "Content-Length: 99999999999999999999999\r\n", "")),
        ("two lengths", request(post, "Content-Length: 2\r\nContent-Length: 3\r\n", "{} ")),
        (
            "a length and chunks",
            request(post, "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n", "2\r\n{}\r\n0\r\n\r\n"),
        ),
        (
            "chunks and a length",
            request(post, "Transfer-Encoding: chunked\r\nContent-Length: 2\r\n", "2\r\n{}\r\n0\r\n\r\n"),
        ),
        ("chunked twice", request(post, "Transfer-Encoding: chunked, chunked\r\n", "0\r\n\r\n")),
        ("an unknown coding", request(post, "Transfer-Encoding: gzip\r\n", "")),
        ("a chunk of no size", request(post, "Transfer-Encoding: chunked\r\n", "x\r\n{}\r\n0\r\n\r\n")),
        (
            "a chunk beyond 64 bits",
            request(post, "Transfer-Encoding: chunked\r\n", "fffffffffffffffff\r\n{}\r\n0\r\n\r\n"),
        ),
    ]
}
