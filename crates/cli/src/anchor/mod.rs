//! Anchors: external witnesses of checkpoints, outside the database. An attacker who controls the database alone cannot
//! change or remove the checkpoints in an anchor, so a verification trusts them. `docs/reference/proof.md` describes
//! the requirements for an anchor.

mod caller;
mod folder;
mod metrics;
mod remote;

use std::fmt::Display;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use daybook_engine::ShardAudit;
use daybook_engine::heartbeat::{Component, Heartbeats, LATE_AFTER};
use daybook_log::postgres::MadeCheckpoint;
use daybook_log::{FIRST_SHARD, Shard};
use daybook_pg::Causes;
pub use folder::Folder;
pub use metrics::AnchorMetrics;
pub use remote::Remote;
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;

use self::caller::Caller;
use crate::config::{AnchorLocation, Anchors};

/// Name of the newest checkpoint in an anchor.
pub const NEWEST: &str = "checkpoint";

/// Folder in an anchor with each checkpoint that was ever stored, named by its size.
pub const OLDER: &str = "checkpoints";

/// A checkpoint in the form in which an anchor stores it: a signed note.
#[derive(Clone, Debug)]
pub struct Note {
    /// Path or address of the note.
    pub place: String,
    /// Text of the note with its signatures.
    pub text: String,
}

/// Error of an anchor: a checkpoint was not stored, or the stored ones cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum AnchorError {
    /// The anchor has another checkpoint of this size: there are two histories.
    #[error("{0} holds another checkpoint of this size")]
    Another(String),
    /// The anchor has a checkpoint of events that the log does not have. The log lost its end, or it is another log.
    #[error("{place} holds a checkpoint of {size} events that the log does not have")]
    Ahead {
        /// Path or address of the checkpoint.
        place: String,
        /// Number of events that it covers.
        size: u64,
    },
    /// The log cannot be read.
    #[error(transparent)]
    Log(#[from] daybook_log::Error),
    /// The operating system reported an error.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The anchor did not answer in time, or its answer is not valid HTTP.
    #[error("{place}: {source}")]
    Unanswered {
        /// The address that was called.
        place: String,
        /// Cause of the failure.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The anchor answered with an unexpected status.
    #[error("{place}: the answer is {status}")]
    Answered {
        /// The address that was called.
        place: String,
        /// HTTP status of the answer.
        status: u16,
    },
}

/// A store of checkpoints outside the database.
#[derive(Clone)]
pub enum Anchor {
    /// A folder.
    Folder(Folder),
    /// An HTTP server.
    Remote(Remote),
}

impl Anchor {
    /// Returns the anchors of `options`, for reading.
    ///
    /// # Errors
    ///
    /// Fails if a file that the options name cannot be read.
    pub fn to_read(options: &Anchors) -> io::Result<Vec<Self>> {
        let caller = Caller::new(options)?;
        let at = |place: &AnchorLocation| match place {
            AnchorLocation::Folder(folder) => Ok(Self::Folder(Folder::at(folder))),
            AnchorLocation::Address(address) => Remote::new(address, &caller).map(Self::Remote),
        };
        options.anchor.iter().map(at).collect()
    }

    /// Returns the anchors of `options`, for storing checkpoints. Creates folders that do not exist.
    ///
    /// # Errors
    ///
    /// Fails if a folder cannot be created, or a file cannot be read.
    pub fn to_keep(options: &Anchors) -> io::Result<Vec<Self>> {
        for place in &options.anchor {
            if let AnchorLocation::Folder(folder) = place {
                Folder::new(folder)?;
            }
        }
        Self::to_read(options)
    }

    /// Returns the place in this anchor for the checkpoints of `shard`: `shards/<n>` below it, or the anchor itself for
    /// the first shard.
    #[must_use]
    pub fn of_shard(&self, shard: Shard) -> Self {
        if shard == FIRST_SHARD {
            return self.clone();
        }
        let below = format!("shards/{shard}");
        match self {
            Self::Folder(folder) => Self::Folder(folder.below(&below)),
            Self::Remote(remote) => Self::Remote(remote.below(&below)),
        }
    }

    /// Stores a checkpoint. A stored checkpoint is never overwritten.
    ///
    /// # Errors
    ///
    /// [`AnchorError`] if it cannot be written, or another checkpoint of this size is stored.
    pub async fn keep(&self, made: &MadeCheckpoint) -> Result<(), AnchorError> {
        match self {
            Self::Folder(folder) => {
                let (folder, made) = (folder.clone(), made.clone());
                // The folder may be on a slow network disk.
                tokio::task::spawn_blocking(move || folder.keep(&made)).await.map_err(io::Error::other)?
            }
            Self::Remote(remote) => remote.keep(made).await,
        }
    }

    /// The newest checkpoint: its path or address, and its note. `None` if there is none yet.
    ///
    /// # Errors
    ///
    /// [`AnchorError`] if it cannot be read.
    pub async fn newest(&self) -> Result<Option<Note>, AnchorError> {
        match self {
            Self::Folder(folder) => Ok(folder.newest()?),
            Self::Remote(remote) => remote.newest().await,
        }
    }

    /// Path or address of the anchor.
    fn place(&self) -> String {
        match self {
            Self::Folder(folder) => folder.place(),
            Self::Remote(remote) => remote.address().to_owned(),
        }
    }

    /// Checkpoints for a verification: path or address, and note of each. A folder returns all of them. An HTTP server
    /// returns the newest one, which covers the others.
    ///
    /// # Errors
    ///
    /// [`AnchorError`] if they cannot be read.
    pub async fn notes(&self) -> Result<Vec<Note>, AnchorError> {
        match self {
            Self::Folder(folder) => Ok(folder.notes()?),
            Self::Remote(remote) => Ok(vec![remote.kept().await?]),
        }
    }
}

/// Number of events that the checkpoint of a note covers.
fn size(note: &str) -> Option<u64> {
    note.lines().nth(1)?.parse().ok()
}

/// Fails if the note `kept` has another text than `ours`. The signatures may differ: another key may sign the same
/// text.
fn same(kept: &str, ours: &str, place: impl Display) -> Result<(), AnchorError> {
    let text = |note: &str| note.rsplit_once("\n\n").map(|(text, _)| text.to_owned());
    if text(kept).is_some() && text(kept) == text(ours) {
        Ok(())
    } else {
        Err(AnchorError::Another(place.to_string()))
    }
}

/// Keeps tiles, checkpoints and anchors of a shard up to date with its log until `stopped`. Several processes may do this
/// at once; the later one finds nothing to do. A slow anchor does not delay the others. Tiles are filled with a permit of
/// `filling`, because that is work for a processor.
pub async fn keep(
    (audit, heartbeats): (ShardAudit, Heartbeats),
    anchors: Vec<Anchor>,
    kept: AnchorMetrics,
    (every, filling): (Duration, Arc<Semaphore>),
    mut stopped: watch::Receiver<bool>,
) {
    let newest = watch::Sender::new(None);
    let mut following = JoinSet::new();
    for anchor in anchors {
        let told = (kept.clone(), heartbeats.clone());
        following.spawn(follow((audit.clone(), anchor), told, newest.subscribe(), every));
    }
    let mut is_mended = false;
    let turn = |component, error: Option<&daybook_log::Error>, what: &'static str| {
        if let Some(error) = error {
            tracing::warn!(error = %Causes(&error), "{what}");
        }
        heartbeats.turn(component, 3 * every + LATE_AFTER, error.map(|_| what.into()));
    };
    while !*stopped.borrow() {
        let permit = filling.acquire().await;
        let filled = fill(&audit, &mut is_mended).await;
        drop(permit);
        turn(Component::Tiles, filled.as_ref().err(), "tiles of the hash tree are not filled");
        // A checkpoint depends on the log only. Tiles are needed for proofs only, so their failure is no obstacle.
        let made = audit.make_checkpoint().await;
        turn(Component::Checkpoints, made.as_ref().err(), "no checkpoint was made");
        if let Ok(made) = made {
            newest.send_if_modified(|newest| newest.replace(made.clone()) != Some(made));
        }
        tokio::select! {
            () = tokio::time::sleep(every) => {}
            stop = stopped.changed() => if stop.is_err() { return },
        }
    }
}

/// Fills tiles. Before the first time, and after a failure, it repairs incorrect tiles.
async fn fill(audit: &ShardAudit, is_mended: &mut bool) -> Result<(), daybook_log::Error> {
    if !*is_mended {
        audit.mend_tiles().await?;
        *is_mended = true;
    }
    let filled = audit.fill_tiles().await;
    *is_mended = filled.is_ok();
    filled
}

/// Stores the newest checkpoint in one anchor, whenever there is a new one. After an outage, the next stored checkpoint
/// covers those that the anchor missed.
async fn follow(
    (audit, anchor): (ShardAudit, Anchor),
    (kept, heartbeats): (AnchorMetrics, Heartbeats),
    mut newest: watch::Receiver<Option<MadeCheckpoint>>,
    every: Duration,
) {
    let place = anchor.place();
    kept.expect(&place);
    heartbeats.state(Component::Anchors, &place, None);
    let mut is_ours = false;
    while newest.changed().await.is_ok() {
        loop {
            let Some(made) = newest.borrow_and_update().clone() else { break };
            match bring(&audit, &anchor, &made, &mut is_ours).await {
                Ok(()) => {
                    kept.kept(&place, made.size);
                    heartbeats.state(Component::Anchors, &place, None);
                    break;
                }
                Err(error @ (AnchorError::Another(_) | AnchorError::Ahead { .. })) => {
                    tracing::error!(error = %Causes(&error), "an anchor has another history");
                }
                Err(error) => {
                    tracing::warn!(error = %Causes(&error), size = made.size, "a checkpoint was not kept");
                }
            }
            kept.failed(&place);
            heartbeats.state(Component::Anchors, &place, Some("an anchor does not take checkpoints".into()));
            tokio::time::sleep(every).await;
        }
    }
}

/// Stores a checkpoint in an anchor. Before the first one, it checks that the anchor contains a prefix of this log. If
/// the log lost its end, for example by a restore, only this check detects it.
async fn bring(
    audit: &ShardAudit,
    anchor: &Anchor,
    made: &MadeCheckpoint,
    is_ours: &mut bool,
) -> Result<(), AnchorError> {
    if !*is_ours {
        if let Some(Note { place, text }) = anchor.newest().await?
            && let Some(size) = size(&text)
        {
            let Some(ours) = audit.says(size).await? else { return Err(AnchorError::Ahead { place, size }) };
            same(&text, &format!("{ours}\n"), place)?;
        }
        *is_ours = true;
    }
    anchor.keep(made).await
}
