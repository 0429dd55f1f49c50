//! Secret keys: what whoever writes needs, to seal what is personal and to sign what is recorded.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use daybook_engine::{Entropy, SHARD};
use daybook_log::Sign;
use daybook_log::postgres::PostgresLog;
use daybook_pg::{Pg, Role};
use daybook_proof::Signer;
use daybook_vault::{MasterKey, MasterKeys, create_key_file};

use crate::commands::Error;
use crate::config;

/// The keys of a service.
pub struct Keys {
    /// What personal data is sealed under.
    pub master: MasterKeys,
    /// What every commit is signed with.
    pub signer: Arc<dyn Sign>,
}

impl Keys {
    /// Those that `options` name: made on first use beside an embedded server, expected to exist otherwise.
    ///
    /// # Errors
    ///
    /// If a file cannot be read or is not a key.
    pub async fn of(options: &config::Database, pg: &Pg) -> Result<Self, Error> {
        let path = signing_key(options.signing_key.as_deref(), &master_path(options));
        if options.database_url.is_none() && !path.try_exists()? {
            let log_id = PostgresLog::new(pg.acting_as(Role::App)).log_id(SHARD).await;
            let log_id = log_id.map_err(daybook_projector::Error::from)?;
            create_signer(&path, &format!("daybook.local/{log_id}/{SHARD}"))?;
        }
        Ok(Self { master: master_key(options)?, signer: Arc::new(load_signer(&path)?) })
    }
}

/// Where the key that signs is: where `named` says, else beside the master key.
#[must_use]
pub fn signing_key(named: Option<&Path>, master: &Path) -> PathBuf {
    named.map_or_else(|| master.with_file_name("signing.key"), Path::to_owned)
}

/// Where the master key is: where `options` say, else in the data folder.
#[must_use]
pub fn master_path(options: &config::Database) -> PathBuf {
    options.master_key.clone().unwrap_or_else(|| options.data_dir.join("master.key"))
}

/// The master keys. The first is made on first use beside an embedded server, expected to exist otherwise: a new key for
/// an old database would open nothing.
///
/// # Errors
///
/// If a file cannot be read or does not hold 32 bytes.
pub fn master_key(options: &config::Database) -> Result<MasterKeys, Error> {
    let path = master_path(options);
    let first = if options.database_url.is_some() {
        MasterKey::load(&path)?
    } else {
        MasterKey::load_or_create(&path, &|bytes| Entropy.fill(bytes))?
    };
    Ok(MasterKeys::new(first, others(&options.other_master_key)?))
}

/// Further master keys, which must exist.
///
/// # Errors
///
/// As [`master_key`].
pub fn others(paths: &[PathBuf]) -> Result<Vec<MasterKey>, Error> {
    Ok(paths.iter().map(|path| MasterKey::load(path)).collect::<Result<_, _>>()?)
}

/// Reads the key that signs from the file at `path`: one line, `PRIVATE+KEY+<origin>+<id>+<base64>`.
///
/// # Errors
///
/// If the file cannot be read or is not a key.
pub fn load_signer(path: &Path) -> Result<Signer, Error> {
    let named = |what: &str| Error::Usage(format!("the signing key {}: {what}", path.display()));
    let text = fs::read_to_string(path).map_err(|error| named(&error.to_string()))?;
    Signer::parse(text.trim_end()).map_err(|_| named("it is not a key"))
}

/// Makes a key that signs for the log called `origin`, readable by its owner alone. Of two who do so at once, one key
/// is the result; it is on the disk before this returns.
///
/// # Errors
///
/// If the origin cannot be one, or the file cannot be written.
pub fn create_signer(path: &Path, origin: &str) -> Result<(), Error> {
    let signer = Signer::new(origin, &Entropy.bytes()).map_err(|error| Error::Usage(error.to_string()))?;
    let line = signer.secret_text() + "\n";
    Ok(create_key_file(path, line.as_bytes(), &|bytes| Entropy.fill(bytes))?)
}
