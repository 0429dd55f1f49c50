//! Anchors: folders outside the database in which checkpoints are kept, so that nobody who has only the database can take
//! them back. Whoever verifies trusts these.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use daybook_engine::{Audit, Entropy};
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
        let (own, newest) = (self.0.join("checkpoints").join(made.size.to_string()), self.0.join(NEWEST));
        if !own.try_exists()? {
            // A link and no write: half of a checkpoint would be another one for ever.
            self.put(made, |draft| fs::hard_link(draft, &own))?;
        }
        // The same may be signed by another key meanwhile.
        if text(&fs::read_to_string(&own)?) != text(&made.note) {
            let what = format!("{} holds another checkpoint of this size", own.display());
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, what));
        }
        // Of two processes the slower one does not put an older one in the newest one's place.
        if size(&newest).is_none_or(|size| size < made.size) {
            self.put(made, |draft| fs::rename(draft, &newest))?;
        }
        Ok(())
    }

    /// Writes the note to a file beside those that count, and has it put where it belongs once it is on the disk; what
    /// another process has put there meanwhile stays.
    fn put(&self, made: &Made, place: impl FnOnce(&Path) -> io::Result<()>) -> io::Result<()> {
        let draft = self.0.join(format!("{:016x}.draft", u64::from_be_bytes(Entropy.bytes())));
        let mut file = OpenOptions::new().write(true).create_new(true).open(&draft)?;
        let put =
            file.write_all(made.note.as_bytes()).and_then(|()| file.sync_all()).and_then(|()| place(&draft));
        for done in [put, fs::remove_file(&draft)] {
            let is_fine = |error: &io::Error| {
                [io::ErrorKind::AlreadyExists, io::ErrorKind::NotFound].contains(&error.kind())
            };
            done.or_else(|error| if is_fine(&error) { Ok(()) } else { Err(error) })?;
        }
        File::open(self.0.join("checkpoints"))?.sync_all()?;
        File::open(&self.0)?.sync_all()
    }
}

/// How many events the checkpoint in this file covers.
fn size(path: &Path) -> Option<u64> {
    fs::read_to_string(path).ok()?.lines().nth(1)?.parse().ok()
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
