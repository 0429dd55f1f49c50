use actix_web::web::Bytes;
use daybook_domain::operation::ActKind;
use daybook_domain::transaction::QueueReason;
use daybook_domain::{Currency, NodeId, TransactionId};

use super::*;
use crate::body::Body;
use crate::wire::ops::operation::ActOut;

const ID: &str = "00000000000000000000000007";

fn parse(act: &str) -> Result<Act, ApiError> {
    let body = format!(r#"{{"act": {}, "reason": "Because."}}"#, act.replace("ID", ID));
    Body::from(Bytes::from(body)).json::<Operate>()?.parse().map(|new| new.act)
}

/// Valid acts in their canonical form, in which they are shown again.
const GOOD: [&str; 18] = [
    r#"{"kind":"queue","trans_id":"ID","code":"Q46"}"#,
    r#"{"kind":"release","trans_id":"ID"}"#,
    r#"{"kind":"cancel","trans_id":"ID"}"#,
    r#"{"kind":"return","trans_id":"ID","code":"R01","leg":null}"#,
    r#"{"kind":"return","trans_id":"ID","code":"R10","leg":"push"}"#,
    r#"{"kind":"present_again","trans_id":"ID"}"#,
    r#"{"kind":"journal","currency":"USD","lines":[{"account":"node:ID","amount":10.05},{"account":"suspense","amount":-10.05}],"effective_at":null}"#,
    r#"{"kind":"journal","currency":"JPY","lines":[{"account":"rail.in.ach","amount":-5},{"account":"ret.out","amount":5}],"effective_at":1700000000000}"#,
    r#"{"kind":"lock_node","node_id":"ID"}"#,
    r#"{"kind":"unlock_node","node_id":"ID"}"#,
    r#"{"kind":"lock_user","user_id":"ID"}"#,
    r#"{"kind":"unlock_user","user_id":"ID"}"#,
    r#"{"kind":"set_limits","node_id":"ID","limits":{"EUR":{"floor":null,"daily_in":0.01,"daily_out":5.00},"USD":{"floor":-100.00,"daily_in":null,"daily_out":null}}}"#,
    r#"{"kind":"set_policy","policy":{"reject_unfunded":true,"currencies":["EUR","JPY"],"limits":{"USD":{"floor":0.00,"daily_in":null,"daily_out":null}},"approvals":["journal","set_policy"],"daily_micro_deposits":12,"written_authorizations":true,"evidence_years":7}}"#,
    r#"{"kind":"journal","currency":"USD","lines":[{"account":"rail.in.ach","amount":-5.00},{"account":"node:ID","amount":5.00}],"effective_at":null,"clears":[{"account":"rail.in.ach","amount":5.00,"trans_id":"ID"}]}"#,
    r#"{"kind":"match","break_id":"ID","currency":"USD","items":[{"account":"rail.in.ach","amount":40.00,"trans_id":"ID"}],"posts":[{"node_id":"ID","amount":-2.50}]}"#,
    r#"{"kind":"unmatch","break_id":"ID","match":3}"#,
    r#"{"kind":"set_rules","rules":[{"name":"wires","strategy":"amount","codes":["195","400..499"],"text":"REF ([0-9]+)","currency":"USD","days":2,"rail":"wire"},{"name":"near","strategy":"tolerance","currency":"USD","of":"wires","difference":0.05,"node_id":"ID"},{"name":"fees","strategy":"book","codes":["698"],"currency":"USD","node_id":"ID","per_line":25.00,"per_day":50.00},{"name":"similar","strategy":"suggest","threshold":60}]}"#,
];

#[test]
fn acts_round_trip_to_canonical_form() {
    for text in GOOD {
        let act = parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(serde_json::to_string(&ActOut::of(&act)).unwrap(), text.replace("ID", ID));
    }
}

#[test]
fn optional_fields_have_defaults() {
    let transaction = TransactionId::from_u128(7);
    let queue = parse(r#"{"kind": "queue", "trans_id": "ID"}"#);
    assert_eq!(queue, Ok(Act::Queue { transaction, reason: QueueReason::Risk }));
    let Ok(Act::SetPolicy { policy }) = parse(r#"{"kind": "set_policy", "policy": {}}"#) else { panic!() };
    assert_eq!(policy, daybook_domain::platform::Policy::default());
    let Ok(Act::SetLimits { node, limits }) =
        parse(r#"{"kind": "set_limits", "node_id": "ID", "limits": {"USD": {}}}"#)
    else {
        panic!()
    };
    assert_eq!(node, NodeId::from_u128(7));
    assert!(limits.contains_key(&Currency::USD));
}

#[test]
fn locks_of_users_and_nodes_share_kind() {
    let kind = |text: &str| parse(text).map(|act| act.kind());
    assert_eq!(kind(r#"{"kind": "lock_user", "user_id": "ID"}"#), Ok(ActKind::Lock));
    assert_eq!(kind(r#"{"kind": "unlock_node", "node_id": "ID"}"#), Ok(ActKind::Unlock));
}

#[test]
fn invalid_field_is_named() {
    let table = [
        (r"{}", "act.kind is required."),
        (
            r#"{"kind": "explode"}"#,
            "act.kind must be queue, release, cancel, return, present_again, journal, lock_node, unlock_node, lock_user, unlock_user, \
             set_limits, set_policy, match, unmatch or set_rules.",
        ),
        (r#"{"kind": "release"}"#, "act.trans_id is required."),
        (r#"{"kind": "release", "trans_id": "x"}"#, "There is no such object."),
        (r#"{"kind": "lock_node"}"#, "act.node_id is required."),
        (r#"{"kind": "unlock_user"}"#, "act.user_id is required."),
        (
            r#"{"kind": "queue", "trans_id": "ID", "code": "Q06"}"#,
            "act.code must be Q10, Q46 or Q47: the others are found by screening.",
        ),
        (r#"{"kind": "return", "trans_id": "ID"}"#, "act.code is required."),
        (r#"{"kind": "return", "trans_id": "ID", "code": "R99"}"#, "act.code must be a return reason code."),
        (
            r#"{"kind": "return", "trans_id": "ID", "code": "R01", "leg": "refund"}"#,
            "act.leg must be pull or push.",
        ),
        (r#"{"kind": "journal"}"#, "act.currency is required."),
        (r#"{"kind": "journal", "currency": "usd"}"#, "act.currency must be an ISO 4217 code; usd is none."),
        (r#"{"kind": "journal", "currency": "USD", "lines": []}"#, "act.lines is required."),
        (
            r#"{"kind": "journal", "currency": "USD", "effective_at": -1,
                "lines": [{"account": "suspense", "amount": 1}, {"account": "ret.in", "amount": -1}]}"#,
            "act.effective_at must be a whole number of at least 0.",
        ),
        (r#"{"kind": "set_limits", "node_id": "ID"}"#, "act.limits is required."),
        (r#"{"kind": "set_policy"}"#, "act.policy is required."),
    ];
    for (act, expected) in table {
        assert_eq!(parse(act).map_err(|error| error.to_string()), Err(expected.to_owned()), "{act}");
    }
}

#[test]
fn journal_lines_sum_exactly_to_zero() {
    let journal = |lines: &str| {
        let act = format!(r#"{{"kind": "journal", "currency": "USD", "lines": [{lines}]}}"#);
        parse(&act).map(|_| ()).map_err(|error| error.to_string())
    };
    let line = |account: &str, amount: &str| format!(r#"{{"account": "{account}", "amount": {amount}}}"#);
    let two = |first: &str, second: &str| format!("{}, {}", line("suspense", first), line("ret.in", second));
    assert_eq!(journal(&two("0.1", "-0.10")), Ok(()));
    let table = [
        (two("1", "-0.99"), "act.lines must sum to zero."),
        (two("0", "0"), "act.lines must each move something."),
        (two("0.001", "-0.001"), "act.lines[0].amount has more decimals than the currency has."),
        (two("1e15", "-1e15"), "act.lines[0].amount must be at most 10^12 minor units."),
        (two(r#""1""#, "-1"), "act.lines[0].amount must be a number."),
        (line("suspense", "1") + r#", {"account": "ret.in"}"#, "act.lines[1].amount is required."),
        (line("bank", "1"), "act.lines[0].account must be an account of the ledger."),
        (r#"{"amount": 1}"#.to_owned(), "act.lines[0].account is required."),
        (vec![line("suspense", "1"); 101].join(","), "act.lines must have at most 100 entries."),
    ];
    for (lines, expected) in table {
        assert_eq!(journal(&lines), Err(expected.to_owned()), "{lines}");
    }
}

#[test]
fn policy_accepts_only_known_names() {
    let policy = |text: &str| {
        let act = format!(r#"{{"kind": "set_policy", "policy": {text}}}"#);
        parse(&act).map(|_| ()).map_err(|error| error.to_string())
    };
    let table = [
        (
            r#"{"currencies": ["EUR", "HRK"]}"#,
            "act.policy.currencies[1] must be an ISO 4217 code; HRK is none.",
        ),
        (
            r#"{"currencies": ["XAU"]}"#,
            "act.policy.currencies[0] must be an ISO 4217 code with a minor unit; XAU has none.",
        ),
        (r#"{"limits": {"usd": {}}}"#, "act.policy.limits must be an ISO 4217 code; usd is none."),
        (r#"{"limits": {"USD": {}, "USD": {}}}"#, "act.policy.limits.USD must be there once."),
        (
            r#"{"limits": {"USD": {"floor": 0.001}}}"#,
            "act.policy.limits.USD.floor has more decimals than the currency has.",
        ),
        (
            r#"{"approvals": ["lock_node"]}"#,
            "act.policy.approvals[0] must be among queue, release, cancel, return, present_again, journal, lock, unlock, set_limits, \
             set_policy, restate, match, unmatch and set_rules.",
        ),
    ];
    for (text, expected) in table {
        assert_eq!(policy(text), Err(expected.to_owned()), "{text}");
    }
}

#[test]
fn rule_that_cannot_be_meant_is_named() {
    let rules = |rules: &str| {
        let act = format!(r#"{{"kind": "set_rules", "rules": {rules}}}"#);
        parse(&act).map(|_| ()).map_err(|error| error.to_string())
    };
    let table = [
        ("null", "act.rules is required."),
        ("[]", "act.rules is required."),
        ("[{}]", "act.rules[0].name is required."),
        (
            r#"[{"name": "a", "strategy": "guess"}]"#,
            "act.rules[0].strategy must be among reference, file, returns, amount, group, book, tolerance, suggest.",
        ),
        (
            r#"[{"name": "a", "strategy": "file", "codes": [" a"]}]"#,
            "act.rules[0].codes[0] must be a code of the bank, or a range such as 600..699.",
        ),
        (
            r#"[{"name": "a", "strategy": "file", "per_line": 1}]"#,
            "act.rules[0].per_line needs the currency of the rule.",
        ),
        (
            r#"[{"name": "a", "strategy": "file"}, {"name": "b", "strategy": "reference", "text": "("}]"#,
            "act.rules[1] cannot be meant: text is no regular expression: unclosed group.",
        ),
    ];
    for (text, expected) in table {
        assert_eq!(rules(text), Err(expected.to_owned()), "{text}");
    }
}

#[test]
fn reason_must_not_be_blank() {
    let reason = |reason: &str| {
        let body = format!(r#"{{"act": {{"kind": "release", "trans_id": "{ID}"}}, "reason": {reason}}}"#);
        let read = Body::from(Bytes::from(body)).json::<Operate>().and_then(Operate::parse);
        read.map(|new| new.reason).map_err(|error| error.to_string())
    };
    assert_eq!(reason(r#""A ticket, 4711""#), Ok("A ticket, 4711".to_owned()));
    for text in ["null", r#""""#, r#"" ""#] {
        assert_eq!(reason(text), Err("reason is required.".to_owned()), "{text}");
    }
    assert!(reason(&format!(r#""{}""#, "a".repeat(1_000))).is_ok());
    let too_long = Err("reason must be at most 1,000 characters.".to_owned());
    assert_eq!(reason(&format!(r#""{}""#, "a".repeat(1_001))), too_long);
    let nothing = Body::from(Bytes::from(r#"{"reason": "Because."}"#));
    let nothing = nothing.json::<Operate>().and_then(Operate::parse).map(|_| ());
    assert_eq!(nothing, Err(ApiError::missing("act")));
}
