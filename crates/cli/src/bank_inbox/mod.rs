//! Files of a bank that appear in `in` below its folder: each is taken by the ordinary intake, then moved to `in/done`
//! or `in/refused` with a text beside it.
//!
//! A file is taken when it has not changed between two looks. At a crash it stays or is taken again, which changes
//! nothing: the same bytes are accepted once. One process at a time works on a folder: it holds a lock in it.

mod candidates;
mod folder;
pub(crate) mod mapping;
mod shelf;
mod verdict;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use candidates::{Candidate, Candidates};
use daybook_engine::Engine;
use daybook_engine::heartbeat::Component;
use daybook_engine::statements::StatementFormat;
use daybook_log::FIRST_SHARD;
use folder::Folder;
use sha2::{Digest, Sha256};
use shelf::Shelf;
use tokio::sync::watch;
use tokio::task::spawn_blocking;
use verdict::Verdict;

/// Interval between two looks into the folder.
const LOOK_INTERVAL: Duration = Duration::from_secs(2);

/// Maximum size of a file, in bytes.
const MAX_FILE: u64 = 64 << 20;

/// The worker that takes files from the folder of a bank.
pub struct Inbox {
    engine: Engine,
    /// Folder of the bank.
    bank: PathBuf,
    candidates: Candidates,
}

/// Reason why a file stays where it is.
type Stays = String;

/// Result of one attempt to take a file.
enum Attempt {
    /// The file was moved.
    Moved,
    /// The file has to follow another one, which may lie beside it.
    MayFollow,
    /// The file has some pages of a statement, whose name at the bank this is. The others may lie beside it.
    Pages { of: String, why: Stays },
    /// The file stays, and is tried again later.
    Stays(Stays),
    /// The file stays, because the service is not able to take any file.
    Failed(Stays),
}

impl Inbox {
    /// Creates the worker for the folder of a bank.
    #[must_use]
    pub fn new(engine: Engine, bank: &Path) -> Self {
        Self { engine, bank: bank.to_owned(), candidates: Candidates::default() }
    }

    /// Runs until `stop` is set.
    pub async fn run(mut self, mut stop: watch::Receiver<bool>) {
        let mut told = None;
        while !*stop.borrow() {
            let fault = self.look().await;
            if fault != told
                && let Some(fault) = &fault
            {
                tracing::warn!(folder = %self.bank.display(), fault, "files of the bank are not taken");
            }
            let shown = fault.clone().map(Into::into);
            self.engine.heartbeats(FIRST_SHARD).state(Component::Files, "inbox", shown);
            told = fault;
            tokio::select! {
                () = tokio::time::sleep(LOOK_INTERVAL) => {}
                stopped = stop.changed() => if stopped.is_err() { return },
            }
        }
    }

    /// Looks into the folder once and takes what has not changed since the last look. Returns a fault if files stay.
    async fn look(&mut self) -> Option<String> {
        let bank = self.bank.clone();
        let folder = match blocking(move || Folder::open(&bank)).await {
            Ok(Some(folder)) => Arc::new(folder),
            // Another process works on the folder.
            Ok(None) => return None,
            Err(error) => return Some(error),
        };
        let listed = Arc::clone(&folder);
        match blocking(move || listed.list()).await {
            Ok(found) => self.candidates.seen(found, Instant::now()),
            Err(error) => return Some(error),
        }
        let ready = self.candidates.ready(Instant::now());
        let mut waiting: Vec<Vec<Candidate>> = ready.into_iter().map(|candidate| vec![candidate]).collect();
        // Days follow one another: a file that does not follow is tried again after each file that was taken.
        loop {
            let (before, mut left, mut pages) = (waiting.len(), vec![], BTreeMap::new());
            for files in std::mem::take(&mut waiting) {
                match self.attempt(&folder, &files, false).await {
                    Attempt::Moved => {}
                    Attempt::MayFollow => left.push(files),
                    Attempt::Pages { of, why } if files.len() == 1 => {
                        let (all, reason) = pages.entry(of).or_insert_with(|| (vec![], String::new()));
                        all.extend(files);
                        *reason = why;
                    }
                    Attempt::Pages { why, .. } | Attempt::Stays(why) => self.stays(&files, &why),
                    Attempt::Failed(why) => {
                        self.stays(&files, &why);
                        return self.candidates.fault();
                    }
                }
            }
            for (files, why) in pages.into_values() {
                if files.len() > 1 {
                    left.push(files);
                } else {
                    self.stays(&files, &why);
                }
            }
            if left.is_empty() || left.len() == before {
                self.refuse(&folder, left).await;
                return self.candidates.fault();
            }
            waiting = left;
        }
    }

    /// Refuses files that follow no other file.
    async fn refuse(&mut self, folder: &Arc<Folder>, waiting: Vec<Vec<Candidate>>) {
        for files in waiting {
            match self.attempt(folder, &files, true).await {
                Attempt::Moved | Attempt::MayFollow => {}
                Attempt::Pages { why, .. } | Attempt::Stays(why) | Attempt::Failed(why) => {
                    self.stays(&files, &why);
                }
            }
        }
    }

    fn stays(&mut self, files: &[Candidate], why: &str) {
        for candidate in files {
            self.engine.metrics().bank_file("left");
            let pause = self.candidates.stays(candidate, Instant::now());
            tracing::warn!(file = ?candidate.name, why, ?pause, "a file of the bank stays where it is");
        }
    }

    /// Tries to take a file, or the pages of one as if they stood one behind another.
    async fn attempt(&self, folder: &Arc<Folder>, files: &[Candidate], is_last: bool) -> Attempt {
        let (verdict, hash) = match self.judge(folder, files).await {
            Ok(judged) => judged,
            Err(why) => return Attempt::Stays(why),
        };
        let shelf = match &verdict {
            Verdict::Accepted { .. } => Shelf::Done,
            Verdict::Refused { may_follow: true, .. } if !is_last => return Attempt::MayFollow,
            Verdict::Refused { .. } => Shelf::Refused,
            Verdict::Pages { of, why } => return Attempt::Pages { of: of.clone(), why: why.clone() },
            Verdict::Failed(why) => return Attempt::Failed(why.clone()),
        };
        for candidate in files {
            let (text, from, moved, hash) =
                (verdict.text(&hash), Arc::clone(folder), candidate.clone(), hash.clone());
            if let Err(why) = blocking(move || from.shelve(shelf, &moved, &hash, &text)).await {
                return Attempt::Stays(why);
            }
            self.engine.metrics().bank_file(verdict.outcome());
            verdict.tell(candidate);
        }
        Attempt::Moved
    }

    /// Reads files as one and takes it. Returns the hash of the file as well.
    async fn judge(&self, folder: &Arc<Folder>, files: &[Candidate]) -> Result<(Verdict, String), Stays> {
        if files.iter().map(Candidate::length).sum::<u64>() > MAX_FILE {
            return Ok((Verdict::too_large(), String::new()));
        }
        let (from, read) = (Arc::clone(folder), files.to_vec());
        let (bytes, hash) = blocking(move || {
            let mut bytes = vec![];
            for candidate in &read {
                bytes.append(&mut from.read(candidate, MAX_FILE)?);
            }
            let hash = hex::encode(Sha256::digest(&bytes));
            Ok((bytes, hash))
        })
        .await?;
        if verdict::is_returns(&bytes) {
            return Ok((Verdict::returns(), hash));
        }
        let format = match files {
            [only] => self.format(only, &bytes).await?,
            _ => StatementFormat::Auto,
        };
        let taken = self.engine.take_bank_file(Arc::new(bytes), &format).await;
        Ok((Verdict::of(taken), hash))
    }

    /// Returns the format of a file. The mapping of the bank's CSV lies in the folder of the bank.
    async fn format(&self, candidate: &Candidate, bytes: &[u8]) -> Result<StatementFormat, Stays> {
        if !mapping::may_apply(&candidate.name, bytes) {
            return Ok(StatementFormat::Auto);
        }
        let path = self.bank.join(mapping::FILE);
        let mapping = blocking(move || Ok(path.try_exists()?.then(|| mapping::read(&path)))).await?;
        match mapping {
            None => Ok(StatementFormat::Auto),
            Some(Ok(mapping)) => Ok(StatementFormat::Csv(Box::new(mapping))),
            Some(Err(error)) => Err(error.to_string()),
        }
    }
}

/// Runs work on files aside from the threads that serve requests.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> std::io::Result<T> + Send + 'static,
) -> Result<T, Stays> {
    match spawn_blocking(work).await {
        Ok(done) => done.map_err(|error| error.to_string()),
        Err(_) => Err("the work on a file failed".to_owned()),
    }
}
