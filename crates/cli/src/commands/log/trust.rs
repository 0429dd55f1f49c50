//! What a verification trusts: public keys, and the checkpoints that anchors kept. Those of the database are compared, too;
//! whoever can change the log can change them.

use std::path::Path;

use daybook_checker::{Finding, Trust};
use daybook_engine::SHARD;
use daybook_intake::file::{self, Pipes};
use daybook_log::postgres::{Made, PostgresLog};
use daybook_proof::{Checkpoint, Error::UnknownKey, Key};

use crate::anchor::{Anchor, Note};
use crate::config::{self, Trusted};
use crate::error::Error;
use crate::keys::{MAX_KEYS, master_path, signers, signing_key};

/// How many checkpoints are read at a time.
const PAGE: u32 = 1_000;

/// What a verification goes by, and what came of reading it.
#[derive(Debug, Default)]
pub struct Given {
    /// Keys and checkpoints.
    pub trust: Trust,
    /// What is wrong with some of the checkpoints.
    pub wrong: Vec<Finding>,
    /// What could not be said of others.
    pub unchecked: Vec<String>,
}

/// Reads keys and checkpoints.
///
/// # Errors
///
/// If a file or the database cannot be read, or a key is none.
pub async fn trust(
    log: &PostgresLog,
    trusted: &Trusted,
    database: &config::Database,
) -> Result<Given, Error> {
    let mut notes = vec![];
    for anchor in Anchor::to_read(&trusted.anchors)? {
        let kept = anchor.notes().await.map_err(|error| Error::Usage(error.to_string()))?;
        notes.extend(kept.into_iter().map(|note| Stated { note, size: None }));
    }
    let mut after = 0;
    loop {
        let page = log.checkpoints(SHARD, after, PAGE).await?;
        let Some(last) = page.last() else { break };
        after = last.size;
        let of_row = |Made { size, note }| {
            let place = format!("checkpoint of size {size}");
            Stated { note: Note { place, text: note }, size: Some(size) }
        };
        notes.extend(page.into_iter().map(of_row));
    }
    let keys = keys(trusted, database)?;
    if keys.is_empty() && !trusted.anchors.anchor.is_empty() {
        return Err(Error::Usage("what an anchor kept is signed: name the public key by --key".to_owned()));
    }
    let mut others = log.signing_keys(SHARD).await?;
    others.retain(|key| !keys.contains(key));
    let mut given = check(notes, keys, others);
    given.trust.unsigned = trusted.unsigned;
    Ok(given)
}

/// A note, with the number of events that its place in the database states for it.
struct Stated {
    note: Note,
    size: Option<u64>,
}

/// Sorts notes into trusted heads, findings and notes by other keys.
fn check(notes: Vec<Stated>, keys: Vec<Key>, others: Vec<Key>) -> Given {
    let (mut heads, mut wrong, mut untrusted) = (vec![], vec![], vec![]);
    for Stated { note: Note { place, text }, size } in notes.into_iter().filter(|_| !keys.is_empty()) {
        let mut note_that = |what: String| wrong.push(Finding { position: None, place: place.clone(), what });
        match Checkpoint::open(text.as_bytes(), &keys) {
            Ok(Checkpoint { head, .. }) => {
                if size.is_some_and(|size| size != head.size) {
                    note_that(format!("its note is of size {}", head.size));
                }
                heads.push((place, head));
            }
            Err(UnknownKey) if Checkpoint::open(text.as_bytes(), &others).is_ok() => untrusted.push(place),
            Err(error) => note_that(error.to_string()),
        }
    }
    let unchecked = untrusted.first().map(|first| {
        let count = untrusted.len();
        format!("{count} checkpoints, the first of them {first}: their keys were not given")
    });
    let trust = Trust { keys, others, heads, unsigned: false };
    Given { trust, wrong, unchecked: unchecked.into_iter().collect() }
}

/// The keys that are named, else those that sign here, if there are some.
fn keys(trusted: &Trusted, database: &config::Database) -> Result<Vec<Key>, Error> {
    let mut keys = vec![];
    for path in &trusted.keys {
        let text =
            file::read_to_string(path, MAX_KEYS, Pipes::Read).map_err(|error| unreadable(path, &error))?;
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            let wrong = |_| Error::Usage(format!("{} holds a line that is no public key", path.display()));
            keys.push(Key::parse(line.trim()).map_err(wrong)?);
        }
    }
    let own = signing_key(database.signing_key.as_deref(), &master_path(database));
    if keys.is_empty() && own.try_exists()? {
        keys = signers(&own, &database.former_signing_key)?.keys();
    }
    Ok(keys)
}

fn unreadable(path: &Path, error: &std::io::Error) -> Error {
    Error::Usage(format!("{} cannot be read: {error}", path.display()))
}
