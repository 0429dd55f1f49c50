//! Secret keys of the service: master keys seal personal data, signing keys sign the log.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use daybook_engine::{Entropy, SHARD};
use daybook_intake::file;
use daybook_log::Signers;
use daybook_log::postgres::PostgresLog;
use daybook_pg::{Pg, Role};
use daybook_proof::{Key, Signer};
use daybook_vault::{MasterKey, MasterKeys, Pipes, create_key_file, read_secret_text};

use crate::config;
use crate::error::Error;

/// Maximum size of a file with public keys, in bytes.
pub(crate) const MAX_KEYS: u64 = 1 << 20;

/// Keys of a service.
pub struct Keys {
    /// Master keys. Data keys of personal data are wrapped under them.
    pub master: MasterKeys,
    /// Signing keys of commits and checkpoints.
    pub signers: Signers,
}

impl Keys {
    /// Loads the keys that `options` name. For an embedded server, missing keys are created.
    ///
    /// # Errors
    ///
    /// Fails if a file cannot be read or written, or is not a key.
    pub async fn of(options: &config::Database, pg: &Pg) -> Result<Self, Error> {
        let master = master_path(options);
        let path = signing_key(options.signing_key.as_deref(), &master);
        if options.database_url.is_none() {
            if !path.try_exists()? {
                first_signer(&path, &PostgresLog::new(pg.acting_as(Role::App))).await?;
            }
            MasterKey::load_or_create(&master, &|bytes| Entropy.fill(bytes))?;
        }
        Self::load(options)
    }

    /// Loads the keys that `options` name. All of them must exist.
    ///
    /// # Errors
    ///
    /// Fails if a file cannot be read or is not a key.
    pub fn load(options: &config::Database) -> Result<Self, Error> {
        let path = signing_key(options.signing_key.as_deref(), &master_path(options));
        Ok(Self { master: master_key(options)?, signers: signers(&path, &options.former_signing_key)? })
    }
}

/// Creates the first signing key of a log. If the log already has a signing key, a missing file is not replaced by a
/// new key.
async fn first_signer(path: &Path, log: &PostgresLog) -> Result<(), Error> {
    let keys = log.signing_keys(SHARD).await?;
    if !keys.is_empty() {
        return Ok(());
    }
    let log_id = log.log_id(SHARD).await?;
    create_signer(path, &format!("daybook.local/{log_id}/{SHARD}"))
}

/// Path of the signing key: `named` if given, otherwise in the folder of the master key.
#[must_use]
pub fn signing_key(named: Option<&Path>, master: &Path) -> PathBuf {
    named.map_or_else(|| master.with_file_name("signing.key"), Path::to_owned)
}

/// Path of the master key: that of `options` if given, otherwise in the data folder.
#[must_use]
pub fn master_path(options: &config::Database) -> PathBuf {
    options.master_key.clone().unwrap_or_else(|| options.data_dir.join("master.key"))
}

/// Loads the master keys, which must exist. A new key could not open the data of an existing database.
///
/// # Errors
///
/// Fails if a file cannot be read or does not hold 32 bytes.
pub fn master_key(options: &config::Database) -> Result<MasterKeys, Error> {
    Ok(MasterKeys::new(MasterKey::load(&master_path(options))?, others(&options.other_master_key)?))
}

/// Loads further master keys, which must exist.
///
/// # Errors
///
/// As [`master_key`].
pub fn others(paths: &[PathBuf]) -> Result<Vec<MasterKey>, Error> {
    Ok(paths.iter().map(|path| MasterKey::load(path)).collect::<Result<_, _>>()?)
}

/// Reads a signing key from the file at `path`: one line, `PRIVATE+KEY+<origin>+<id>+<base64>`.
///
/// # Errors
///
/// Fails if the file cannot be read, is readable by other users, or does not contain a key.
pub fn load_signer(path: &Path) -> Result<Signer, Error> {
    let text = read_secret_text(path, Pipes::Read);
    let text = text.map_err(|error| unreadable(path, &error.to_string()))?;
    Signer::parse(text.trim_end()).map_err(|_| unreadable(path, "it is not a key"))
}

/// Loads the key in the file `newest`, and the former keys. A former key with its secret half continues to sign
/// checkpoints.
///
/// # Errors
///
/// Fails if a file cannot be read or does not contain a key.
pub fn signers(newest: &Path, former: &[PathBuf]) -> Result<Signers, Error> {
    let mut signers = Signers::from(load_signer(newest)?);
    for path in former {
        match read_public(path)? {
            Some(key) => signers.retired.push(key),
            None => signers.former.push(Arc::new(load_signer(path)?)),
        }
    }
    Ok(signers)
}

/// Reads a file with one public key. Returns `None` if the file contains something else.
fn read_public(path: &Path) -> Result<Option<Key>, Error> {
    let text = file::read_to_string(path, MAX_KEYS, Pipes::Read);
    let text = text.map_err(|error| unreadable(path, &error.to_string()))?;
    Ok(Key::parse(text.trim_end()).ok())
}

fn unreadable(path: &Path, what: &str) -> Error {
    Error::Usage(format!("the signing key {}: {what}", path.display()))
}

/// Creates a signing key for the log with the name `origin`, readable by its owner only. If two processes do this at
/// once, one of the two keys is stored. The key is on disk before this returns.
///
/// # Errors
///
/// Fails if the origin is not valid, or the file cannot be written.
pub fn create_signer(path: &Path, origin: &str) -> Result<(), Error> {
    let signer = Signer::new(origin, &Entropy.bytes()).map_err(|error| Error::Usage(error.to_string()))?;
    let line = signer.secret_text() + "\n";
    Ok(create_key_file(path, line.as_bytes(), &|bytes| Entropy.fill(bytes))?)
}
