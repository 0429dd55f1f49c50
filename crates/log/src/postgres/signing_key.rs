//! The public keys that ever signed a shard's commits: written down before they sign, and never taken back.

use daybook_pg::Transaction;
use daybook_pg::types::TimestampMs;
use daybook_proof::{Key, Signature};
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

use super::PostgresLog;
use crate::{Error, Log, Shard};

const READ: &str = include_str!("sql/read_signing_keys.sql");

/// Why a key may not sign a log.
#[derive(Debug, thiserror::Error)]
pub enum NotRegistered {
    /// Its name is not the log's: whoever verifies would take what it signs for another log.
    #[error("the signing key {key} is not of the log {origin}: make one with --origin {origin}")]
    Foreign {
        /// The key, in text.
        key: String,
        /// What the log has been called from its first commit on.
        origin: String,
    },
    /// Another key of the log has the same id, so nobody could tell their signatures apart.
    #[error("the signing key {0} has the id of another key of this log: make another one")]
    Taken(String),
    /// Nobody knows the key that a commit was signed with, nor so whether it is this log's.
    #[error(
        "commit {commit_no} was signed with the key {key_id:08x}, which is not known here: name a file with its public \
         or secret key by --former-signing-key"
    )]
    Unknown {
        /// The commit.
        commit_no: u64,
        /// The id of its key.
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
    /// Every public key that ever signed commits of the shard, the newest first.
    ///
    /// # Errors
    ///
    /// [`Error`] if the database cannot be read.
    pub async fn signing_keys(&self, shard: Shard) -> Result<Vec<Key>, Error> {
        let client = self.pg.client().await?;
        let statement = client.prepare_cached(READ).await?;
        read(&client.query(&statement, &[&shard]).await?)
    }

    /// Writes down keys that sign or have signed, the newest last, once the first and the newest commit and the newest
    /// checkpoint were held against them. Those that are known already stay as they are.
    ///
    /// # Errors
    ///
    /// [`NotRegistered`] if one of them may not sign this log, or one is missing that has.
    pub async fn register_keys(&self, shard: Shard, keys: &[Key], at_ms: i64) -> Result<(), NotRegistered> {
        let known = self.signing_keys(shard).await?;
        let new = new_ones(&known, keys)?;
        // Of the keys of a log that is older than this table, the first says what it is called and the newest signed last.
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
        // What is there already is older than any key, whatever clock it was recorded by.
        let at_ms = at_ms.max(head.recorded_at_ms);
        let insert = async |tx: &Transaction<'_>| insert(tx, shard, keys, at_ms).await;
        self.pg.tx("log.register_keys", insert).await
    }
}

/// Under the shard's lock, so that of two processes with keys of two logs the second one is refused.
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

/// Those of `keys` that are not known yet, if all of them are this log's.
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
    fn keys_of_one_log_are_known_once_and_those_of_another_never() {
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
