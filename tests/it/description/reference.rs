//! The list of calls in the API reference, generated from the routes and the summaries of the description.

use crate::architecture::root;
use crate::golden::check;
use crate::routes::{By, ROUTES, Route};

use super::{description, operation};

/// Head of the table of calls.
const HEAD: &str = "| Call | Scope | |\n|---|---|---|\n";

/// Sections of the reference by prefix of the route's name. The longest matching prefix counts.
const SECTIONS: [(&str, &str); 25] = [
    ("audit.", "audit"),
    ("client.", "public-keys"),
    ("events.", "events"),
    ("health.", "health"),
    ("institutions.", "bank-logins"),
    ("nodes.", "nodes"),
    ("nodes.balance", "balances"),
    ("nodes.delete", "change-and-delete"),
    ("nodes.dummy_tran", "sandbox"),
    ("nodes.entries", "balances"),
    ("nodes.explain", "balances"),
    ("nodes.update", "change-and-delete"),
    ("oauth.", "oauth-keys"),
    ("ops.", "operators"),
    ("sandbox.", "sandbox"),
    ("statements.", "account-statements"),
    ("subnets.", "subnets"),
    ("subscriptions.", "subscriptions"),
    ("trans.", "transactions"),
    ("trans.attachment", "create"),
    ("trans.cancel", "cancel"),
    ("trans.create_batch", "many-at-once"),
    ("users.", "users"),
    ("users.update", "changes"),
    ("verification.", "routing-numbers-and-addresses"),
];

fn section(route: &Route) -> &'static str {
    let fitting = SECTIONS.iter().filter(|(name, _)| route.name.starts_with(name));
    fitting.max_by_key(|(name, _)| name.len()).unwrap_or_else(|| panic!("{} has no section", route.name)).1
}

/// Credentials that a route requires.
fn scope(route: &Route) -> String {
    match route.by {
        By::Nobody => "none".to_owned(),
        By::Gateway => "platform".to_owned(),
        By::PlatformOrPublicKey(scope) => format!("platform, `{}`", scope.replace('|', "\\|")),
        By::User(scope) => format!("`{}`", scope.replace('|', "\\|")),
        By::Operator => "operator".to_owned(),
    }
}

#[test]
fn reference_lists_every_route() {
    let api = description();
    let row = |route: &Route| {
        let summary = operation(&api, route)["summary"].as_str().expect("a summary").replace('|', "\\|");
        format!("| [`{}`](#{}) | {} | {summary} |\n", route.call, section(route), scope(route))
    };
    let rows: String = ROUTES.iter().map(row).collect();
    let path = root().join("docs/reference/api.md");
    let reference = std::fs::read_to_string(&path).expect("the reference");
    let (before, rest) = reference.split_once(HEAD).expect("its table");
    let (_, after) = rest.split_once("\n\n").expect("what comes after it");
    check(&path, format!("{before}{HEAD}{rows}\n{after}").as_bytes());
}
