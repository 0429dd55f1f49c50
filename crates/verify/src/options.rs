//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use daybook_proof::Key;

use crate::input::{self, Unreadable};

/// Verifies exports, receipts and proofs of a Daybook log with its public key and nothing else.
///
/// Ends with 0 if everything that was asked was checked and holds, with 1 if something is wrong, with 2 if something
/// cannot be read or not everything could be checked.
#[derive(Debug, Parser)]
#[command(name = "daybook-verify", version)]
pub(crate) struct Options {
    /// A file with public keys that you trust, one on each line.
    #[arg(long, global = true, value_name = "FILE")]
    key: Vec<PathBuf>,
    /// A public key that you trust: name+id+base64.
    #[arg(long, global = true, value_name = "KEY")]
    key_text: Vec<String>,
    /// Answer as JSON.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Object to verify.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// A whole log, as `daybook log export` writes it.
    Export(Export),
    /// A receipt, as the header X-Daybook-Receipt contains it.
    Receipt(Receipt),
    /// An event with its path and a checkpoint.
    Event {
        /// The proof, JSON.
        file: PathBuf,
    },
    /// Two checkpoints: the older log must be the beginning of the newer one.
    Consistency(Consistency),
    /// A balance proof: the balance of an account at a position.
    Balance {
        /// The proof, JSON.
        file: PathBuf,
    },
}

#[derive(Args, Debug)]
pub(crate) struct Export {
    /// The folder of the export.
    pub(crate) folder: PathBuf,
    /// A checkpoint that the export has to contain; use one that you kept, not one that came with the export.
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub(crate) checkpoint: Vec<PathBuf>,
}

#[derive(Args, Debug)]
pub(crate) struct Receipt {
    /// The receipt, JSON.
    pub(crate) file: PathBuf,
    /// An export that has to contain the promised event.
    #[arg(long, value_name = "DIR", conflicts_with = "event")]
    pub(crate) export: Option<PathBuf>,
    /// The promised event, JSON.
    #[arg(long, value_name = "FILE")]
    pub(crate) event: Option<PathBuf>,
    /// A later checkpoint, whose log has to contain the promised event.
    #[arg(long, value_name = "FILE")]
    pub(crate) checkpoint: Option<PathBuf>,
    /// The consistency proof from the receipt's size to the checkpoint's, JSON.
    #[arg(long, value_name = "FILE", requires = "checkpoint")]
    pub(crate) consistency: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub(crate) struct Consistency {
    /// The consistency proof, JSON; not needed for two checkpoints of one size.
    pub(crate) file: Option<PathBuf>,
    /// The older checkpoint.
    #[arg(long, value_name = "FILE")]
    pub(crate) old: PathBuf,
    /// The newer checkpoint.
    #[arg(long, value_name = "FILE")]
    pub(crate) new: PathBuf,
}

impl Options {
    /// Returns all trusted keys.
    pub(crate) fn keys(&self) -> Result<Vec<Key>, Unreadable> {
        let mut keys = vec![];
        for file in &self.key {
            let text = input::text(file)?;
            for line in text.lines().filter(|line| !line.trim().is_empty()) {
                keys.push(Key::parse(line.trim()).map_err(|error| Unreadable::new(file.display(), error))?);
            }
        }
        for text in &self.key_text {
            keys.push(Key::parse(text).map_err(|error| Unreadable::new("--key-text", error))?);
        }
        if keys.is_empty() {
            return Err(Unreadable::new("--key", "no public key is given, so nothing can be trusted"));
        }
        Ok(keys)
    }
}
