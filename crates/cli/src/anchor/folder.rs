//! A folder as an anchor, on a shared disk or an append-only one.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use daybook_engine::Entropy;
use daybook_intake::file::{self, Pipes};
use daybook_log::postgres::MadeCheckpoint;

use super::{AnchorError, NEWEST, Note, OLDER, same, size};

/// Maximum size of a note, in bytes.
const MAX_NOTE: u64 = 64 << 10;

/// Reads a note. A pipe or device in place of a note is refused without waiting for data.
fn read(path: &Path) -> io::Result<String> {
    file::read_to_string(path, MAX_NOTE, Pipes::Refused)
}

/// A folder: `checkpoint` is the newest one, `checkpoints/<size>` is each one that was ever stored.
#[derive(Clone, Debug)]
pub struct Folder {
    path: PathBuf,
    /// Folder of the anchor in which this one is created when its first checkpoint is stored.
    within: Option<PathBuf>,
}

impl Folder {
    /// Returns the anchor in this folder. Creates the folder if it does not exist.
    ///
    /// # Errors
    ///
    /// Fails if the folder cannot be created.
    pub fn new(folder: impl AsRef<Path>) -> io::Result<Self> {
        fs::create_dir_all(folder.as_ref().join(OLDER))?;
        Ok(Self::at(folder))
    }

    /// Returns the anchor in an existing folder, for reading.
    pub fn at(folder: impl AsRef<Path>) -> Self {
        Self { path: folder.as_ref().to_owned(), within: None }
    }

    /// Returns the folder `below` this one, which has the checkpoints of another shard.
    pub(super) fn below(&self, below: &str) -> Self {
        Self { path: self.path.join(below), within: Some(self.path.clone()) }
    }

    /// Path of the folder.
    pub(super) fn place(&self) -> String {
        self.path.display().to_string()
    }

    /// Stores a checkpoint. A stored checkpoint is never overwritten.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be written, or another checkpoint of this size is stored: then there are two histories.
    pub fn keep(&self, made: &MadeCheckpoint) -> Result<(), AnchorError> {
        let (own, newest) = (self.path.join(OLDER).join(made.size.to_string()), self.path.join(NEWEST));
        if !own.try_exists()? {
            // Only below an anchor that is there: its disk may not be mounted.
            if self.within.as_ref().is_some_and(|within| within.is_dir()) {
                fs::create_dir_all(self.path.join(OLDER))?;
            }
            // A link instead of a write: a partly written checkpoint would count as a different one for ever.
            self.put(made, |draft| fs::hard_link(draft, &own))?;
        }
        same(&read(&own)?, &made.note, own.display())?;
        // The slower of two processes must not replace a newer checkpoint by an older one.
        if read(&newest).ok().as_deref().and_then(size).is_none_or(|size| size < made.size) {
            self.put(made, |draft| fs::rename(draft, &newest))?;
        }
        Ok(())
    }

    /// The newest checkpoint: its path and its note. `None` if there is none yet. Fails if the anchor is not there: its
    /// disk may not be mounted.
    pub(super) fn newest(&self) -> io::Result<Option<Note>> {
        let path = self.path.join(NEWEST);
        fs::metadata(self.within.as_ref().unwrap_or(&self.path))?;
        match read(&path) {
            Ok(text) => Ok(Some(Note { place: path.display().to_string(), text })),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// All stored checkpoints, those of fewer events first: path and note of each.
    ///
    /// # Errors
    ///
    /// Fails if the folder or one of its files cannot be read.
    pub fn notes(&self) -> io::Result<Vec<Note>> {
        let named = |path: &Path, error: &io::Error| {
            io::Error::new(error.kind(), format!("{} cannot be read: {error}", path.display()))
        };
        let folder = self.path.join(OLDER);
        let files = fs::read_dir(&folder).map_err(|error| named(&folder, &error))?;
        let mut files = files.map(|file| Ok(file?.path())).collect::<io::Result<Vec<_>>>()?;
        let number = |path: &PathBuf| path.file_name()?.to_str()?.parse::<u64>().ok();
        files.sort_by_key(|path| (number(path), path.clone()));
        let read = |path: &PathBuf| {
            let text = read(path).map_err(|error| named(path, &error))?;
            Ok(Note { place: path.display().to_string(), text })
        };
        files.iter().map(read).collect()
    }

    /// Writes the note to a draft file in the folder, flushes it to disk, and then calls `place` to move it to its
    /// name. A file that another process has created under that name in the meantime stays.
    fn put(&self, made: &MadeCheckpoint, place: impl FnOnce(&Path) -> io::Result<()>) -> io::Result<()> {
        let draft = self.path.join(format!("{:016x}.draft", u64::from_be_bytes(Entropy.bytes())));
        let mut file = OpenOptions::new().write(true).create_new(true).open(&draft)?;
        let put =
            file.write_all(made.note.as_bytes()).and_then(|()| file.sync_all()).and_then(|()| place(&draft));
        for done in [put, fs::remove_file(&draft)] {
            let is_fine = |error: &io::Error| {
                [io::ErrorKind::AlreadyExists, io::ErrorKind::NotFound].contains(&error.kind())
            };
            done.or_else(|error| if is_fine(&error) { Ok(()) } else { Err(error) })?;
        }
        File::open(self.path.join(OLDER))?.sync_all()?;
        File::open(&self.path)?.sync_all()
    }
}
