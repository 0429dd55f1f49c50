//! Values for which the description differs from the service, because a schema cannot express the rule. An exception
//! that no test needs is an error.

use std::cell::RefCell;
use std::collections::BTreeSet;

/// A place of a route, the verdict of the description, and the reason why the service decides differently.
struct Exception {
    of: &'static str,
    route: &'static str,
    place: &'static str,
    is_valid: bool,
    #[expect(dead_code, reason = "for readers")]
    why: &'static str,
}

const fn refused(route: &'static str, place: &'static str, why: &'static str) -> Exception {
    Exception { of: "body", route, place, is_valid: true, why }
}

const fn refused_parameter(route: &'static str, place: &'static str, why: &'static str) -> Exception {
    Exception { of: "parameter", route, place, is_valid: true, why }
}

const fn named_elsewhere(route: &'static str, place: &'static str, why: &'static str) -> Exception {
    Exception { of: "body", route, place, is_valid: false, why }
}

const LETTERS: &str = "no pattern expresses the letters that banks accept";

const LATER: &str = "no pattern expresses that a year is not in the future";

/// The exceptions. The route `*` means every route. A place that ends in `*` means every place with that prefix.
const ALL: &[Exception] = &[
    refused("users.update", "documents", "the number of existing documents counts, and no name may repeat"),
    refused("users.create", "documents[0].year", LATER),
    refused("users.update", "documents[0].year", LATER),
    refused("trans.create", "to.type", "it must be the type of the named node"),
    refused("trans.create", "amount.currency", "the platform's policy enables currencies"),
    refused("trans.create", "fees*", "their sum is at most the amount"),
    refused("trans.create_batch", "transactions[0].to.type", "it must be the type of the named node"),
    refused(
        "trans.create_batch",
        "transactions[0].amount.currency",
        "the platform's policy enables currencies",
    ),
    refused("trans.create_batch", "transactions[0].fees*", "their sum is at most the amount"),
    refused("sandbox.credit", "amount.currency", "the platform's policy enables currencies"),
    refused("sandbox.debit", "amount.currency", "the platform's policy enables currencies"),
    refused("sandbox.clock", "seconds", "the limit depends on the current lead of the clock"),
    refused("sandbox.statement", "fee", "the maximum depends on the currency's decimals"),
    refused("sandbox.statement", "restate", "it must be a day that a file of the bank stated"),
    refused("subscriptions.create", "url", "no pattern expresses that an address is in brackets"),
    refused("subscriptions.change", "url", "no pattern expresses that an address is in brackets"),
    refused("ops.operations.create", "act.lines*", "the lines must sum to zero"),
    refused("ops.operations.create", "act.clears*", "the maximum depends on the currency's decimals"),
    refused("ops.operations.create", "act.items*", "the maximum depends on the currency's decimals"),
    refused("ops.operations.create", "act.posts*", "the maximum depends on the currency's decimals"),
    refused("ops.operations.create", "act.rules*", "the strategy determines the parameters of a rule"),
    refused("ops.operations.create", "act.limits*", "the maximum depends on the currency's decimals"),
    refused("ops.operations.create", "act.policy.limits*", "the maximum depends on the currency's decimals"),
    refused("ops.files.returns", "file", "the reference describes the lines of a file"),
    refused("ops.statements.create", "file", "the reference describes the lines of a file"),
    refused("ops.statements.create", "mapping", "the reference describes a mapping"),
    refused("nodes.create", "info.name_on_account", LETTERS),
    refused("nodes.create", "info.address", LETTERS),
    refused("nodes.create", "info.bank_name", LETTERS),
    refused("nodes.create", "info.correspondent_info.address", LETTERS),
    refused("nodes.create", "info.correspondent_info.bank_name", LETTERS),
    named_elsewhere(
        "nodes.create",
        "access_token",
        "the body is then a challenge answer, and the answer is missing",
    ),
    named_elsewhere(
        "nodes.create",
        "mfa_answer",
        "the body is then a challenge answer, and the token is missing",
    ),
    named_elsewhere("nodes.create", "info.bank_id", "the body is then a login, and the bank is missing"),
    named_elsewhere("nodes.create", "info.bank_pw", "the body is then a login, and the bank is missing"),
    named_elsewhere("nodes.update", "nickname", "the error names the field that must come alone"),
    named_elsewhere("nodes.update", "supp_id", "the error names the field that must come alone"),
    refused_parameter("*", "at", "a position beyond the log is refused"),
    refused_parameter("*", "filter", "the words are allowed in any case, alone or in an object"),
    refused_parameter("audit.consistency", "to", "the size of the log is the limit"),
    refused_parameter("audit.shard.consistency", "to", "the size of the log is the limit"),
];

/// Records the exceptions that were needed.
#[derive(Default)]
pub(super) struct Exceptions(RefCell<BTreeSet<usize>>);

impl Exceptions {
    /// Returns true if an exception covers this, and records its use.
    pub(super) fn excuse(&self, route: &str, place: &str, is_valid: bool) -> bool {
        let is_there = |it: &Exception| match it.place.strip_suffix('*') {
            Some(beginning) => place.starts_with(beginning),
            None => place == it.place,
        };
        let covers =
            |it: &Exception| ["*", route].contains(&it.route) && is_there(it) && it.is_valid == is_valid;
        let found = ALL.iter().position(covers);
        self.0.borrow_mut().extend(found);
        found.is_some()
    }

    /// Checks that every exception of this kind was needed.
    pub(super) fn are_needed(&self, of: &str) {
        let needed = self.0.borrow();
        let idle: Vec<_> = ALL
            .iter()
            .enumerate()
            .filter(|(index, it)| it.of == of && !needed.contains(index))
            .map(|(_, it)| (it.route, it.place, it.is_valid))
            .collect();
        assert!(idle.is_empty(), "nothing needs {idle:#?}");
    }
}
