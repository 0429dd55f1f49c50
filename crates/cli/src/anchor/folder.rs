//! A folder as an anchor: on a disk that others have, or that only adds.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use daybook_engine::Entropy;
use daybook_intake::file::{self, Pipes};
use daybook_log::postgres::Made;

use super::{NEWEST, NotKept, Note, OLDER, same, size};

/// The most bytes of a note.
const MAX_NOTE: u64 = 64 << 10;

/// Reads a note. What others put in a note's place is refused, and waited for least of all.
fn read(path: &Path) -> io::Result<String> {
    file::read_to_string(path, MAX_NOTE, Pipes::Refused)
}

/// A folder: `checkpoint` is the newest one, `checkpoints/<size>` is each that was ever made.
#[derive(Clone, Debug)]
pub struct Folder(PathBuf);

impl Folder {
    /// The anchor in this folder, which is made if it is not there.
    ///
    /// # Errors
    ///
    /// If it cannot be made.
    pub fn new(folder: impl AsRef<Path>) -> io::Result<Self> {
        fs::create_dir_all(folder.as_ref().join(OLDER))?;
        Ok(Self(folder.as_ref().to_owned()))
    }

    /// The anchor in a folder that is there, for whoever reads it.
    pub fn at(folder: impl AsRef<Path>) -> Self {
        Self(folder.as_ref().to_owned())
    }

    /// Where it is.
    pub(super) fn place(&self) -> String {
        self.0.display().to_string()
    }

    /// Keeps a checkpoint; what is kept already is never written over.
    ///
    /// # Errors
    ///
    /// If it cannot be written, or there is another one of this size: then somebody has two histories.
    pub fn keep(&self, made: &Made) -> Result<(), NotKept> {
        let (own, newest) = (self.0.join(OLDER).join(made.size.to_string()), self.0.join(NEWEST));
        if !own.try_exists()? {
            // A link and no write: half of a checkpoint would be another one for ever.
            self.put(made, |draft| fs::hard_link(draft, &own))?;
        }
        same(&read(&own)?, &made.note, own.display())?;
        // Of two processes the slower one does not put an older one in the newest one's place.
        if read(&newest).ok().as_deref().and_then(size).is_none_or(|size| size < made.size) {
            self.put(made, |draft| fs::rename(draft, &newest))?;
        }
        Ok(())
    }

    /// Where the newest checkpoint is, and its note; none if there is none yet.
    pub(super) fn newest(&self) -> io::Result<Option<Note>> {
        let path = self.0.join(NEWEST);
        match read(&path) {
            Ok(text) => Ok(Some(Note { place: path.display().to_string(), text })),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Every checkpoint that is kept: where, and the note; those of fewer events first.
    ///
    /// # Errors
    ///
    /// If the folder or one of its files cannot be read.
    pub fn notes(&self) -> io::Result<Vec<Note>> {
        let named = |path: &Path, error: &io::Error| {
            io::Error::new(error.kind(), format!("{} cannot be read: {error}", path.display()))
        };
        let folder = self.0.join(OLDER);
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
        File::open(self.0.join(OLDER))?.sync_all()?;
        File::open(&self.0)?.sync_all()
    }
}
