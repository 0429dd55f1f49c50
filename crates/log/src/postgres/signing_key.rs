//! Registry of the public keys that sign a shard's commits. A key is registered before it signs, and is never removed.

use daybook_pg::Transaction;
use daybook_pg::types::TimestampMs;
use daybook_proof::{Key, Signature};
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

use super::PostgresLog;
use crate::sign::FIRST_SHARD;
use crate::{Error, Log, Shard};

const READ: &str = include_str!("sql/read_signing_keys.sql");

/// Reason for which a key may not sign a log.
#[derive(Debug, thiserror::Error)]
pub enum NotRegistered {
    /// The name of the key is not that of the log. A verifier would attribute its signatures to another log.
    #[error("the signing key {key} is not of the log {origin}: make one with --origin {origin}")]
    Foreign {
        /// The public key as text.
        key: String,
        /// Origin of the log since its first commit.
        origin: String,
    },
    /// The origin of the key is that of another shard. The shard's commits would be signed under it for ever.
    #[error("the signing key {key} is not of shard {shard}: its origin has to end in /{shard}")]
    OtherShard {
        /// The public key as text.
        key: String,
        /// The shard whose key it was to be.
        shard: Shard,
    },
    /// Another key of the log has the same id, so their signatures could not be distinguished.
    #[error("the signing key {0} has the id of another key of this log: make another one")]
    Taken(String),
    /// A commit was signed with a key that is not known, so it is not known if the key belongs to this log.
    #[error(
        "commit {commit_no} was signed with the key {key_id:08x}, which is not known here: name a file with its public \
         or secret key by --former-signing-key"
    )]
    Unknown {
        /// Number of the commit.
        commit_no: u64,
        /// Id of the key.
        key_id: u32,
    },
    /// The log cannot be read or written.
    #[error(transparent)]
    Log(#[from] Error),
}

impl From<tokio_postgres::Error> for NotRegistered {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::Log(error.into())
    }
}

impl From<daybook_pg::Error> for NotRegistered {
    fn from(error: daybook_pg::Error) -> Self {
        Self::Log(error.into())
    }
}

impl PostgresLog {
    /// Returns every public key that ever signed commits of the shard, the newest first.
    ///
    /// # Errors
    ///
    /// [`Error`] if the database cannot be read.
    pub async fn signing_keys(&self, shard: Shard) -> Result<Vec<Key>, Error> {
        let client = self.pg.of(shard).client().await?;
        let statement = client.prepare_cached(READ).await?;
        read(&client.query(&statement, &[&shard]).await?)
    }

    /// Registers keys that sign or have signed, the newest last, after verifying the first commit, the newest commit
    /// and the newest checkpoint with them. Keys that are registered already stay unchanged.
    ///
    /// # Errors
    ///
    /// [`NotRegistered`] if one of the keys may not sign this log, or a key is missing that has signed it.
    pub async fn register_keys(&self, shard: Shard, keys: &[Key], at_ms: i64) -> Result<(), NotRegistered> {
        check_shard(shard, keys)?;
        let known = self.signing_keys(shard).await?;
        let new = new_ones(&known, keys)?;
        // If the log is older than this table, the first of its keys gives the origin, and the newest has signed the
        // last commit.
        let head = self.head(shard).await?;
        for position in [1, head.position] {
            let Some(commit) = self.raw_commit_of(shard, position).await? else { continue };
            let signature = commit.signature.as_deref().and_then(Signature::from_bytes);
            let Some(Signature { key_id, .. }) = signature else { continue };
            if !known.iter().chain(keys).any(|key| key.id() == key_id) {
                let (commit_no, key_id) = (commit.commit_no, u32::from_be_bytes(key_id));
                return Err(NotRegistered::Unknown { commit_no, key_id });
            }
        }
        let all: Vec<_> = known.iter().chain(new.iter().copied()).cloned().collect();
        self.check_commit(shard, &all, 1).await?;
        self.check_end(shard, &all, head.position).await?;
        if new.is_empty() {
            return Ok(());
        }
        // Every existing commit has to be older than the key, even if it was recorded by another clock.
        let at_ms = at_ms.max(head.recorded_at_ms);
        let insert = async |tx: &Transaction<'_>| insert(tx, shard, keys, at_ms).await;
        self.pg.of(shard).tx("log.register_keys", insert).await
    }
}

/// Inserts the keys under the shard's lock. Of two processes with keys of two logs, the second one is refused.
async fn insert(tx: &Transaction<'_>, shard: Shard, keys: &[Key], at_ms: i64) -> Result<(), NotRegistered> {
    let lock = tx.prepare_cached(include_str!("sql/lock_shard.sql")).await?;
    tx.query(&lock, &[&shard]).await?;
    let statement = tx.prepare_cached(READ).await?;
    let known = read(&tx.query(&statement, &[&shard]).await?)?;
    let statement = tx.prepare_cached(include_str!("sql/keep_signing_key.sql")).await?;
    for key in new_ones(&known, keys)? {
        let (id, text, at) = (key.id(), key.text(), TimestampMs(at_ms));
        let row: [&(dyn ToSql + Sync); 5] = [&shard, &id.as_slice(), &key.name(), &text, &at];
        tx.execute(&statement, &row).await?;
    }
    Ok(())
}

/// Fails if the origin of a key is not that of `shard`. The origin of shard 1 may have any form.
fn check_shard(shard: Shard, keys: &[Key]) -> Result<(), NotRegistered> {
    let last = format!("/{shard}");
    match keys.iter().find(|key| shard != FIRST_SHARD && !key.name().ends_with(&last)) {
        Some(key) => Err(NotRegistered::OtherShard { key: key.text(), shard }),
        None => Ok(()),
    }
}

/// Returns those of `keys` that are not registered yet, if all of them belong to this log.
fn new_ones<'a>(known: &[Key], keys: &'a [Key]) -> Result<Vec<&'a Key>, NotRegistered> {
    let Some(first) = known.last().or(keys.first()) else { return Ok(vec![]) };
    for key in keys {
        if key.name() != first.name() {
            return Err(NotRegistered::Foreign { key: key.text(), origin: first.name().to_owned() });
        }
        if known.iter().chain(keys).any(|other| other.id() == key.id() && other != key) {
            return Err(NotRegistered::Taken(key.text()));
        }
    }
    Ok(keys.iter().filter(|key| !known.contains(key)).collect())
}

fn read(rows: &[Row]) -> Result<Vec<Key>, Error> {
    let refused = |error: daybook_proof::Error| Error::Refused(Box::new(error));
    rows.iter().map(|row| Key::parse(row.try_get("public_key")?).map_err(refused)).collect()
}

#[cfg(test)]
#[allow(clippy::expect_used, reason = "a test")]
mod tests {
    use super::*;

    fn key(name: &str, seed: u8) -> Key {
        daybook_proof::Signer::new(name, &[seed; 32]).expect("a name").key().clone()
    }

    #[test]
    fn keys_of_another_shard_are_refused() {
        let keys = ["a/1", "a/2"].map(|name| [key(name, 1)]);
        assert!(check_shard(1, &keys[0]).is_ok() && check_shard(2, &keys[1]).is_ok());
        assert!(check_shard(1, &[key("a", 1)]).is_ok());
        for shard in [2, 12] {
            let refused = check_shard(shard, &keys[0]).expect_err("of another shard").to_string();
            assert!(refused.contains("a/1+") && refused.contains(&format!("/{shard}")), "{refused}");
        }
    }

    #[test]
    fn keys_of_another_log_are_refused() {
        let [one, two, other] = [key("a/1", 1), key("a/1", 2), key("b/1", 1)];
        assert_eq!(new_ones(&[], &[one.clone(), two.clone()]).expect("of one log"), [&one, &two]);
        assert_eq!(
            new_ones(std::slice::from_ref(&one), &[one.clone(), two.clone()]).expect("of one log"),
            [&two]
        );
        for (known, keys) in [(vec![one.clone()], vec![other.clone()]), (vec![], vec![one, other])] {
            let refused = new_ones(&known, &keys).expect_err("of another log").to_string();
            assert!(refused.contains("b/1+") && refused.contains("--origin a/1"), "{refused}");
        }
    }
}
