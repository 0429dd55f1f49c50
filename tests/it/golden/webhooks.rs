//! The exact bytes of a signed webhook call, because receivers depend on its form. `tests/clients/webhooks/test.py`
//! verifies the golden file with the published package.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use daybook_api::webhook::signature::{Signed, SubscriptionSecret};
use daybook_domain::Event;
use daybook_domain::subscription::{Notice, Scope};
use daybook_engine::Secret;
use serde_json::{Value, json};

use super::check;
use super::examples::examples;
use crate::architecture::root;

#[test]
fn webhook_signature_matches_golden_file() {
    let (client_id, client_secret) = ("client_id_golden", "client_secret_golden");
    let body = r#"{"_id":{"$oid":"01M7YHNSQ5KBECQQTT2DBQD1X8"},"amount":{"amount":100.10,"currency":"USD"},"note":"é"}"#;
    let secrets = [SubscriptionSecret::new([1; 32]), SubscriptionSecret::new([2; 32])];
    let signed = Signed {
        event_id: "01M7YHNSQ5Y4C1M6VBW3Z6Q0EV",
        at_s: 1_795_247_763,
        body: body.as_bytes(),
        object_id: "01M7YHNSQ5KBECQQTT2DBQD1X8",
        client_id,
    };
    let headers =
        signed.headers(&secrets, Some(&Secret::new(client_secret.into()))).expect("fit for headers");
    let headers: serde_json::Map<String, Value> = headers
        .iter()
        .map(|(name, value)| (name.to_string(), json!(value.to_str().expect("text"))))
        .collect();
    let golden = json!({
        "secret": secrets[0].text(), "secret_before": secrets[1].text(), "client_id": client_id,
        "client_secret": client_secret, "headers": headers, "body": body,
    });
    let text = serde_json::to_string_pretty(&golden).expect("JSON") + "\n";
    check(&Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/webhooks/signed.json"), text.as_bytes());
}

/// Scopes, each with the names of its events.
type Told = BTreeMap<String, BTreeSet<String>>;

#[test]
fn webhook_page_lists_events_by_scope() {
    let mut told = Told::new();
    for event in examples() {
        let Some(notice) = Notice::of(&event) else { continue };
        for scope in Scope::ALL.into_iter().filter(|scope| notice.scope(&[*scope]).is_some()) {
            told.entry(scope.as_str().into()).or_default().insert(event.name().to_owned());
        }
    }
    let page = std::fs::read_to_string(root().join("docs/reference/webhooks.md")).expect("a page");
    // A row of the table contains its scope and its events in backquotes.
    let quoted = |line: &str| line.split('`').skip(1).step_by(2).map(|word| word.replace('\\', "")).collect();
    let lines = page.lines().skip_while(|line| !line.starts_with("| Scope |")).skip(2);
    let lines = lines.take_while(|line| line.starts_with('|')).map(quoted);
    let is_event = |word: &String| Event::schemas().any(|(_, name)| name == word);
    let written: Told = lines
        .map(|words: Vec<String>| (words[0].clone(), words.into_iter().filter(is_event).collect()))
        .collect();
    assert_eq!(written, told);
}
