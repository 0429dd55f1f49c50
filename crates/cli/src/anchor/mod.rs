//! Anchors: places outside the database in which checkpoints are kept, so that nobody who has only the database can take
//! them back. Whoever verifies trusts these. What they have to do: `docs/reference/proof.md`.

mod caller;
mod folder;
mod kept;
mod remote;

use std::fmt::Display;
use std::io;
use std::time::Duration;

use daybook_engine::Audit;
use daybook_engine::heartbeat::{Component, Heartbeats, LATE};
use daybook_log::postgres::Made;
use daybook_pg::Causes;
pub use folder::Folder;
pub use kept::Kept;
pub use remote::Remote;
use tokio::sync::watch;
use tokio::task::JoinSet;

use self::caller::Caller;
use crate::config::{Anchors, Place};

/// The newest checkpoint of an anchor.
pub const NEWEST: &str = "checkpoint";

/// Where each checkpoint is that was ever kept, by its size.
pub const OLDER: &str = "checkpoints";

/// A checkpoint as an anchor keeps it: a signed note.
#[derive(Clone, Debug)]
pub struct Note {
    /// Path or address of the note.
    pub place: String,
    /// Text of the note with its signatures.
    pub text: String,
}

/// Why a checkpoint is not in an anchor, or what is in there cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum NotKept {
    /// There is another one of this size: somebody has two histories.
    #[error("{0} holds another checkpoint of this size")]
    Another(String),
    /// There is one of events that the log does not have: it lost its end, or is another one.
    #[error("{place} holds a checkpoint of {size} events that the log does not have")]
    Ahead {
        /// Where it is.
        place: String,
        /// How many events it covers.
        size: u64,
    },
    /// The log cannot be read.
    #[error(transparent)]
    Log(#[from] daybook_log::Error),
    /// The operating system says no.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// Nobody answered in time, or what came is no answer.
    #[error("{place}: {source}")]
    Unanswered {
        /// The address that was called.
        place: String,
        /// What went wrong.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The answer is neither a yes nor a no that means something here.
    #[error("{place}: the answer is {status}")]
    Answered {
        /// The address that was called.
        place: String,
        /// The status of the answer.
        status: u16,
    },
}

/// A place in which checkpoints are kept.
#[derive(Clone)]
pub enum Anchor {
    /// A folder.
    Folder(Folder),
    /// Whoever answers at an address.
    Remote(Remote),
}

impl Anchor {
    /// The anchors of `options`, for whoever reads them.
    ///
    /// # Errors
    ///
    /// If a file that they name cannot be read.
    pub fn to_read(options: &Anchors) -> io::Result<Vec<Self>> {
        let caller = Caller::new(options)?;
        let at = |place: &Place| match place {
            Place::Folder(folder) => Ok(Self::Folder(Folder::at(folder))),
            Place::Address(address) => Remote::new(address, &caller).map(Self::Remote),
        };
        options.anchor.iter().map(at).collect()
    }

    /// The same for whoever keeps checkpoints in them: folders are made if they are not there.
    ///
    /// # Errors
    ///
    /// If a folder cannot be made, or a file not be read.
    pub fn to_keep(options: &Anchors) -> io::Result<Vec<Self>> {
        for place in &options.anchor {
            if let Place::Folder(folder) = place {
                Folder::new(folder)?;
            }
        }
        Self::to_read(options)
    }

    /// Keeps a checkpoint; what is kept already is never written over.
    ///
    /// # Errors
    ///
    /// [`NotKept`] if it cannot be written, or there is another one of this size.
    pub async fn keep(&self, made: &Made) -> Result<(), NotKept> {
        match self {
            Self::Folder(folder) => {
                let (folder, made) = (folder.clone(), made.clone());
                // It may be far away.
                tokio::task::spawn_blocking(move || folder.keep(&made)).await.map_err(io::Error::other)?
            }
            Self::Remote(remote) => remote.keep(made).await,
        }
    }

    /// Where the newest checkpoint is, and its note; none if there is none yet.
    async fn newest(&self) -> Result<Option<Note>, NotKept> {
        match self {
            Self::Folder(folder) => Ok(folder.newest()?),
            Self::Remote(remote) => remote.newest().await,
        }
    }

    /// The folder or address.
    fn place(&self) -> String {
        match self {
            Self::Folder(folder) => folder.place(),
            Self::Remote(remote) => remote.address().to_owned(),
        }
    }

    /// Checkpoints for whoever verifies: where each is kept, and the note. Of a folder all, of an address the newest,
    /// which covers the others.
    ///
    /// # Errors
    ///
    /// [`NotKept`] if they cannot be read.
    pub async fn notes(&self) -> Result<Vec<Note>, NotKept> {
        match self {
            Self::Folder(folder) => Ok(folder.notes()?),
            Self::Remote(remote) => Ok(vec![remote.kept().await?]),
        }
    }
}

/// How many events the checkpoint of a note covers.
fn size(note: &str) -> Option<u64> {
    note.lines().nth(1)?.parse().ok()
}

/// Refuses what says something else than `ours`; the same may be signed by another key.
fn same(kept: &str, ours: &str, place: impl Display) -> Result<(), NotKept> {
    let text = |note: &str| note.rsplit_once("\n\n").map(|(text, _)| text.to_owned());
    if text(kept).is_some() && text(kept) == text(ours) {
        Ok(())
    } else {
        Err(NotKept::Another(place.to_string()))
    }
}

/// Keeps tiles, checkpoints and anchors up with the log until it is told to stop. Of several processes each does so; who
/// comes second finds nothing to do. No anchor waits for another.
pub async fn keep(
    (audit, heartbeats): (Audit, Heartbeats),
    anchors: Vec<Anchor>,
    kept: Kept,
    every: Duration,
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
        heartbeats.turn(component, 3 * every + LATE, error.map(|_| what.into()));
    };
    while !*stopped.borrow() {
        let filled = fill(&audit, &mut is_mended).await;
        turn(Component::Tiles, filled.as_ref().err(), "tiles of the hash tree are not filled");
        // A checkpoint is of the log, whatever is wrong with tiles, which only proofs need.
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

/// Fills tiles; before the first time, and after a failure, those are mended that are not as they must be.
async fn fill(audit: &Audit, is_mended: &mut bool) -> Result<(), daybook_log::Error> {
    if !*is_mended {
        audit.mend_tiles().await?;
        *is_mended = true;
    }
    let filled = audit.fill_tiles().await;
    *is_mended = filled.is_ok();
    filled
}

/// Keeps the newest checkpoint in one anchor. What it missed while it was away is covered by the next one that it takes.
async fn follow(
    (audit, anchor): (Audit, Anchor),
    (kept, heartbeats): (Kept, Heartbeats),
    mut newest: watch::Receiver<Option<Made>>,
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
                Err(error @ (NotKept::Another(_) | NotKept::Ahead { .. })) => {
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

/// Keeps a checkpoint in an anchor that has seen nothing but the beginning of this log. That is looked at once: whoever begins with
/// a log that lost its end, say by a restore, knows of it only from here.
async fn bring(audit: &Audit, anchor: &Anchor, made: &Made, is_ours: &mut bool) -> Result<(), NotKept> {
    if !*is_ours {
        if let Some(Note { place, text }) = anchor.newest().await?
            && let Some(size) = size(&text)
        {
            let Some(ours) = audit.says(size).await? else { return Err(NotKept::Ahead { place, size }) };
            same(&text, &format!("{ours}\n"), place)?;
        }
        *is_ours = true;
    }
    anchor.keep(made).await
}
