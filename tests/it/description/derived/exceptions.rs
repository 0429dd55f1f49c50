//! Where the description cannot say all that there is to a value. Each is looked at: one that nothing needs any more is an
//! error.

use std::cell::RefCell;
use std::collections::BTreeSet;

/// Where, whether the description calls it valid, and why it is judged in another way all the same.
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

const LETTERS: &str = "which letters banks can write no pattern tells";

const LATER: &str = "which years are in the future no pattern tells";

/// A route that is `*` is any; a place that ends in `*` is all that begins so.
const ALL: &[Exception] = &[
    refused("users.update", "documents", "how many the user has already, and each is named once"),
    refused("users.create", "documents[0].year", LATER),
    refused("users.update", "documents[0].year", LATER),
    refused("trans.create", "to.type", "it is that of the node that is named"),
    refused("trans.create", "amount.currency", "which are enabled the platform's policy says"),
    refused("trans.create", "fees*", "together they are at most the amount"),
    refused("trans.create_batch", "transactions[0].to.type", "it is that of the node that is named"),
    refused(
        "trans.create_batch",
        "transactions[0].amount.currency",
        "which are enabled the platform's policy says",
    ),
    refused("trans.create_batch", "transactions[0].fees*", "together they are at most the amount"),
    refused("sandbox.credit", "amount.currency", "which are enabled the platform's policy says"),
    refused("sandbox.debit", "amount.currency", "which are enabled the platform's policy says"),
    refused("sandbox.clock", "seconds", "how far the clock is ahead already"),
    refused("subscriptions.create", "url", "whether an address stands in brackets no pattern tells"),
    refused("subscriptions.change", "url", "whether an address stands in brackets no pattern tells"),
    refused("ops.operations.create", "act.lines*", "together they sum to zero"),
    refused(
        "ops.operations.create",
        "act.limits*",
        "how much is the most depends on the currency's decimals",
    ),
    refused(
        "ops.operations.create",
        "act.policy.limits*",
        "how much is the most depends on the currency's decimals",
    ),
    refused("ops.files.returns", "file", "what its lines are the reference says"),
    refused("ops.statements.create", "file", "what its lines are the reference says"),
    refused("nodes.create", "info.name_on_account", LETTERS),
    refused("nodes.create", "info.address", LETTERS),
    refused("nodes.create", "info.bank_name", LETTERS),
    refused("nodes.create", "info.correspondent_info.address", LETTERS),
    refused("nodes.create", "info.correspondent_info.bank_name", LETTERS),
    named_elsewhere("nodes.create", "access_token", "with it the body answers a bank, and lacks the answer"),
    named_elsewhere("nodes.create", "mfa_answer", "with it the body answers a bank, and lacks the token"),
    named_elsewhere("nodes.create", "info.bank_id", "with it the body is a login, and lacks the bank"),
    named_elsewhere("nodes.create", "info.bank_pw", "with it the body is a login, and lacks the bank"),
    named_elsewhere("nodes.update", "nickname", "what must come alone is named, not what comes beside it"),
    named_elsewhere("nodes.update", "supp_id", "what must come alone is named, not what comes beside it"),
    refused_parameter("*", "at", "what the log has not come to has not been"),
    refused_parameter("*", "filter", "words in any case, alone or in an object"),
    refused_parameter("audit.consistency", "to", "how large the log is"),
];

/// The exceptions, and which of them were needed.
#[derive(Default)]
pub(super) struct Exceptions(RefCell<BTreeSet<usize>>);

impl Exceptions {
    /// Whether one covers this.
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

    /// Each was needed.
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
