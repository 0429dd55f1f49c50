//! Anchors: folders outside the database in which checkpoints are kept, so that nobody who has only the database can take
//! them back. Whoever verifies trusts these.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use daybook_engine::Audit;
use daybook_log::postgres::Made;
use tokio::sync::watch;

/// The newest checkpoint of an anchor.
pub const NEWEST: &str = "checkpoint";

/// A folder: `checkpoint` is the newest one, `checkpoints/<size>` is each that was ever made.
#[derive(Clone, Debug)]
pub struct Anchor(PathBuf);

impl Anchor {
    /// The anchor in this folder, which is made if it is not there.
    ///
    /// # Errors
    ///
    /// If it cannot be made.
    pub fn new(folder: impl AsRef<Path>) -> io::Result<Self> {
        fs::create_dir_all(folder.as_ref().join("checkpoints"))?;
        Ok(Self(folder.as_ref().to_owned()))
    }

    /// Keeps a checkpoint; what is kept already is never written over.
    ///
    /// # Errors
    ///
    /// If it cannot be written, or there is another one of this size: then somebody has two histories.
    pub fn keep(&self, made: &Made) -> io::Result<()> {
        let own = self.0.join("checkpoints").join(made.size.to_string());
        match OpenOptions::new().write(true).create_new(true).open(&own) {
            Ok(mut file) => {
                file.write_all(made.note.as_bytes())?;
                file.sync_all()?;
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                // The same may be signed by another key meanwhile.
                if text(&fs::read_to_string(&own)?) != text(&made.note) {
                    let what = format!("{} holds another checkpoint of this size", own.display());
                    return Err(io::Error::new(io::ErrorKind::AlreadyExists, what));
                }
                return Ok(());
            }
            Err(error) => return Err(error),
        }
        let draft = self.0.join("checkpoint.draft");
        fs::write(&draft, &made.note)?;
        File::open(&draft)?.sync_all()?;
        fs::rename(&draft, self.0.join(NEWEST))?;
        File::open(&self.0)?.sync_all()
    }
}

/// What is signed of a note.
fn text(note: &str) -> &str {
    note.rsplit_once("\n\n").map_or(note, |(text, _)| text)
}

/// Keeps tiles, checkpoints and anchors up with the log until it is told to stop. Of several processes each does so; who
/// comes second finds nothing to do.
pub async fn keep(audit: Audit, anchors: Vec<Anchor>, every: Duration, mut stopped: watch::Receiver<bool>) {
    while !*stopped.borrow() {
        if let Err(error) = once(&audit, &anchors).await {
            tracing::warn!(%error, "no checkpoint was made or kept");
        }
        tokio::select! {
            () = tokio::time::sleep(every) => {}
            stop = stopped.changed() => if stop.is_err() { return },
        }
    }
}

async fn once(audit: &Audit, anchors: &[Anchor]) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    audit.fill_tiles().await?;
    let made = audit.make_checkpoint().await?;
    let anchors = anchors.to_vec();
    // A folder may be far away.
    tokio::task::spawn_blocking(move || anchors.iter().try_for_each(|anchor| anchor.keep(&made))).await??;
    Ok(())
}
