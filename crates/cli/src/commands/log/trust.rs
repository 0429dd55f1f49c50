//! Trust of a verification: public keys, and the checkpoints in anchors. Checkpoints in the database are compared as
//! well, but an attacker who can change the log can change them too.

use std::path::Path;

use daybook_checker::{Finding, Trust};
use daybook_intake::file::{self, Pipes};
use daybook_log::postgres::{MadeCheckpoint, PostgresLog};
use daybook_log::{FIRST_SHARD, Shard, key_of};
use daybook_proof::{Checkpoint, Error::UnknownKey, Key};

use crate::anchor::{Anchor, AnchorError, Note};
use crate::config::{self, Anchors, Trusted};
use crate::error::Error;
use crate::keys::{MAX_KEYS, master_path, signers, signing_key};

/// Number of checkpoints that are read at a time.
const PAGE_SIZE: u32 = 1_000;

/// Trust of a verification, with the problems found while reading it.
#[derive(Debug, Default)]
pub struct TrustedInputs {
    /// Keys and checkpoints that are trusted.
    pub trust: Trust,
    /// Findings about checkpoints that are not valid.
    pub wrong: Vec<Finding>,
    /// Descriptions of checkpoints that could not be checked.
    pub unchecked: Vec<String>,
}

/// Reads the keys and checkpoints of a shard.
///
/// # Errors
///
/// Fails if a file or the database cannot be read, or a key is not valid.
pub async fn trust(
    log: &PostgresLog,
    shard: Shard,
    trusted: &Trusted,
    database: &config::Database,
) -> Result<TrustedInputs, Error> {
    let mut notes = vec![];
    let has_events = log.raw_extent(shard).await?.last_position > 0;
    for anchor in Anchor::to_read(&trusted.anchors)? {
        let anchor = anchor.of_shard(shard);
        // A new shard has nothing in an anchor. A shard that lost all its events has.
        if !has_events && anchor.newest().await?.is_none() {
            continue;
        }
        let kept = anchor.notes().await?;
        notes.extend(kept.into_iter().map(|note| Stated { note, size: None }));
    }
    let mut after = 0;
    loop {
        let page = log.checkpoints(shard, after, PAGE_SIZE).await?;
        let Some(last) = page.last() else { break };
        after = last.size;
        let of_row = |MadeCheckpoint { size, note }| {
            let place = format!("checkpoint of size {size}");
            Stated { note: Note { place, text: note }, size: Some(size) }
        };
        notes.extend(page.into_iter().map(of_row));
    }
    let keys = keys(shard, trusted, database)?;
    if keys.is_empty() && !trusted.anchors.anchor.is_empty() {
        return Err(Error::Usage(
            "checkpoints of an anchor are signed: name the public key by --key".to_owned(),
        ));
    }
    let mut others = log.signing_keys(shard).await?;
    others.retain(|key| !keys.contains(key));
    let mut given = check(notes, keys, others);
    given.trust.unsigned = trusted.unsigned;
    Ok(given)
}

/// A note, with the number of events that its row in the database states.
struct Stated {
    note: Note,
    size: Option<u64>,
}

/// Sorts notes into trusted heads, findings, and notes that other keys signed.
fn check(notes: Vec<Stated>, keys: Vec<Key>, others: Vec<Key>) -> TrustedInputs {
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
    TrustedInputs { trust, wrong, unchecked: unchecked.into_iter().collect() }
}

/// Returns the keys of `shard` that the options name; otherwise the signing keys of this ledger, if the file exists. A key
/// of shard 1 stands for the keys of all shards.
fn keys(shard: Shard, trusted: &Trusted, database: &config::Database) -> Result<Vec<Key>, Error> {
    let mut keys = vec![];
    for path in &trusted.keys {
        let text =
            file::read_to_string(path, MAX_KEYS, Pipes::Read).map_err(|error| unreadable(path, &error))?;
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            let wrong =
                |_| Error::Usage(format!("{} contains a line that is not a public key", path.display()));
            let key = Key::parse(line.trim()).map_err(wrong)?;
            let is_own = key.name().ends_with(&format!("/{shard}"));
            keys.extend(if is_own { Some(key) } else { key_of(shard, &key).ok() });
        }
    }
    let own = signing_key(database.signing_key.as_deref(), &master_path(database));
    if keys.is_empty() && own.try_exists()? {
        let own = signers(&own, &database.former_signing_key)?.of(shard);
        keys = own.map_err(daybook_log::Error::from)?.keys();
    }
    Ok(keys)
}

/// Returns the shards of which an anchor has checkpoints although they are not in `known`. Numbers of shards have no gaps,
/// so that the shard after the last one is among them if any later one is.
///
/// # Errors
///
/// Fails if an anchor cannot be read.
pub(super) async fn missing_shards(known: &[Shard], anchors: &Anchors) -> Result<Vec<Shard>, Error> {
    let anchors = Anchor::to_read(anchors)?;
    let next = known.last().map_or(FIRST_SHARD, |last| last + 1);
    let mut missing = vec![];
    for shard in (FIRST_SHARD..=next).filter(|shard| !known.contains(shard)) {
        for anchor in &anchors {
            match anchor.of_shard(shard).newest().await {
                Ok(Some(_)) => missing.push(shard),
                // A bucket refuses a reader who may not list it, instead of saying that there is no such object.
                Ok(None) | Err(AnchorError::Answered { status: 403, .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
    missing.dedup();
    Ok(missing)
}

fn unreadable(path: &Path, error: &std::io::Error) -> Error {
    Error::Usage(format!("{} cannot be read: {error}", path.display()))
}
