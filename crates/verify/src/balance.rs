//! Verification of balance proofs: the balance of an account at a position.

use std::path::Path;

use daybook_domain::account::{self, Entry};
use daybook_domain::aggregate::Kind;
use daybook_domain::event::{DecodeError, Event, Schema};
use daybook_domain::money::Money;
use daybook_proof::balance::Until;
use daybook_proof::{Balance, Key};
use serde_json::json;
use uuid::Uuid;

use crate::input::{self, Unreadable};
use crate::report::{Finding, Report};
use crate::wire::{self, LastTree, hashes};

/// Verifies the proof, checks that its events have the required types, and reports the balance.
pub(crate) fn check(file: &Path, keys: &[Key], report: &mut Report) -> Result<(), Unreadable> {
    let unreadable = |what: &str| Unreadable::new(file.display(), what);
    let proof: wire::Balance = input::json(file, "a balance proof")?;
    let wire::Balance { account, at, entry, next, last, checkpoint } = &proof;
    report.limit(
        "that the account has no two entries of one version: daybook log verify looks at the whole log",
    );
    report.limit("what the account has after that position, and that no newer checkpoint exists");
    let checkpoint = input::checkpoint("the checkpoint of the proof", checkpoint, keys, report)?;
    let Some(checkpoint) = checkpoint else { return Ok(()) };
    let paths = [entry, next].map(|it| it.as_ref().map(wire::Included::path).unwrap_or_default());
    let included = entry.as_ref().map(|entry| entry.proof(&paths[0])).transpose().map_err(unreadable)?;
    let (committed_path, last_path);
    let until = match (next, last) {
        (Some(next), None) => Until::Next(next.proof(&paths[1]).map_err(unreadable)?),
        (None, Some(last)) => {
            (committed_path, last_path) = (last.committed.path(), hashes(&last.path));
            let Ok(tree) = serde_json::from_str::<LastTree>(&last.committed.event.data) else {
                report.wrong(
                    "the event that should commit to the last entries does not say what it commits to",
                );
                return Ok(());
            };
            let committed = last.committed.proof(&committed_path).map_err(unreadable)?;
            Until::Last { committed, tree: tree.into(), index: last.index, path: &last_path }
        }
        _ => return Err(unreadable("not a balance proof: it needs either next or last")),
    };
    let balance = Balance { account: account.0, at: *at, entry: included, until };
    if let Err(error) = balance.verify(&checkpoint.head) {
        let what = format!("the balance is not proved: {error}");
        report.find(Finding { position: Some(*at), what, ..Finding::default() });
        return Ok(());
    }
    for included in entry.iter().chain(next) {
        if let Err(what) = read(&included.event) {
            report.find(Finding { position: Some(included.event.position), what, ..Finding::default() });
        }
    }
    if let Some(last) = last {
        commits(&last.committed.event, report);
    }
    if report.total() == 0 {
        let entry = entry.as_ref().and_then(|entry| read(&entry.event).ok());
        tell(Uuid::from_bytes(account.0), *at, entry.as_ref(), report);
    }
    Ok(())
}

/// Returns the numbers of an entry, or the reason for which the event is not an entry.
fn read(event: &wire::EventRow) -> Result<Entry, String> {
    let schema = Schema { event_type: event.event_type, version: event.schema_version };
    let decoded = Event::decode(schema, event.data.as_bytes(), None);
    match decoded.map_err(|error| error.to_string())? {
        Event::Account(account::Event::Entry(entry)) if event.stream_kind == Kind::Account.code() => {
            Ok(entry)
        }
        other => {
            Err(format!("not an entry of an account, but an event of a {:?}", other.kind()).to_lowercase())
        }
    }
}

/// Checks that an event is of a type that commits to last entries. The data of a known type have to be exactly its
/// encoding.
fn commits(event: &wire::EventRow, report: &mut Report) {
    let schema = Schema { event_type: event.event_type, version: event.schema_version };
    let says_else = match Event::decode(schema, event.data.as_bytes(), None) {
        Ok(known) => !known.encode().is_ok_and(|written| written.data == event.data.as_bytes()),
        Err(DecodeError::Malformed { .. }) => true,
        Err(DecodeError::Unknown(_)) => {
            report.open(format!(
                "whether the event at position {} is of the type that commits to last entries: type {} is newer than this \
                 program",
                event.position, event.event_type
            ));
            false
        }
    };
    if says_else {
        let what = "this event commits to no last entries".to_owned();
        report.find(Finding { position: Some(event.position), what, ..Finding::default() });
    }
}

fn tell(account: Uuid, at: u64, entry: Option<&Entry>, report: &mut Report) {
    let Some(entry) = entry else {
        report.holds(format!("at position {at} account {account} had no entry yet: its balance is zero"));
        return;
    };
    let Entry { currency, posted, held, pending_in, .. } = *entry;
    let Some(available) = posted.checked_sub(held) else {
        report.wrong("the numbers of the entry are out of range");
        return;
    };
    let [posted, held, available, pending_in] =
        [posted, held, available, pending_in].map(|minor| Money::new(minor, currency).to_string());
    report.holds(format!(
        "at position {at} account {account} had posted {posted} {currency}, held {held} {currency}, available \
         {available} {currency}; {pending_in} {currency} on its way in"
    ));
    report.fact(
        "balance",
        json!({"account": account.to_string(), "at": at, "currency": currency.code(), "posted": posted, "held": held,
            "available": available, "pending_in": pending_in}),
    );
}
