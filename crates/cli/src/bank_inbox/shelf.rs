//! Moving a file to the subfolder of its outcome, with a text beside it. The text is written first, so a file in a
//! subfolder always has one.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use daybook_intake::file::{self, Pipes};

use super::candidates::{Candidate, Version};
use super::folder::{DONE, Folder, REFUSED, changed};
use crate::bank::write;

/// Maximum length of a name that is kept, in bytes: the name of the text is longer, and ends at 255 bytes.
const MAX_NAME: usize = 200;
/// Maximum number of files of one name.
const MAX_SAME_NAMES: u32 = 10_000;
/// Maximum size of a text, in bytes.
const MAX_TEXT: u64 = 1 << 20;

/// Subfolder of an outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shelf {
    /// Accepted files.
    Done,
    /// Refused files.
    Refused,
}

impl Folder {
    /// Moves a file to a subfolder, with `text` beside it. A file of the same name gets a number. Repeating it after a
    /// crash finds its own text, which contains the file's hash.
    pub(super) fn shelve(&self, shelf: Shelf, file: &Candidate, hash: &str, text: &str) -> io::Result<()> {
        let to = self.path.join(match shelf {
            Shelf::Done => DONE,
            Shelf::Refused => REFUSED,
        });
        let from = self.path.join(&file.name);
        let name = free_name(&to, file, hash)?;
        write(&to.join(text_name(&name)), text)?;
        // What is moved must be what was taken: a file that was replaced meanwhile has to be taken itself.
        if Version::from(&fs::symlink_metadata(&from)?) != file.version {
            return Err(changed());
        }
        fs::rename(&from, to.join(&name))?;
        File::open(&to)?.sync_all()?;
        File::open(&self.path)?.sync_all()
    }
}

fn text_name(name: &OsString) -> OsString {
    let mut text = name.clone();
    text.push(".txt");
    text
}

/// Returns a name that no file in the folder has.
fn free_name(to: &Path, file: &Candidate, hash: &str) -> io::Result<OsString> {
    let name =
        if file.name.as_bytes().len() > MAX_NAME { OsString::from("long-name") } else { file.name.clone() };
    for number in 0..MAX_SAME_NAMES {
        let mut name = name.clone();
        if number > 0 {
            name.push(format!(".{number}"));
        }
        let text = to.join(text_name(&name));
        if !exists(&to.join(&name))? && (!exists(&text)? || is_own(&text, hash)) {
            return Ok(name);
        }
    }
    Err(io::Error::new(ErrorKind::AlreadyExists, "too many files of this name were taken before"))
}

fn exists(path: &Path) -> io::Result<bool> {
    match fs::symlink_metadata(path) {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Returns true if a text was written for the file with this hash, before a crash.
fn is_own(text: &Path, hash: &str) -> bool {
    let text = file::read_to_string(text, MAX_TEXT, Pipes::Refused).unwrap_or_default();
    !hash.is_empty() && text.lines().any(|line| line.strip_prefix("SHA-256 ") == Some(hash))
}

#[cfg(test)]
#[allow(clippy::expect_used, reason = "a test")]
mod tests {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStringExt;

    use super::*;

    fn put(folder: &Folder, name: &OsStr, content: &str) -> Candidate {
        let path = folder.path.join(name);
        fs::write(&path, content).expect("written");
        let version = Version::from(&fs::symlink_metadata(&path).expect("is there"));
        Candidate { name: name.to_owned(), version }
    }

    fn names(folder: &Folder, of: &str) -> Vec<OsString> {
        let entries = fs::read_dir(folder.path.join(of)).expect("a folder");
        let mut names: Vec<_> = entries.map(|entry| entry.expect("an entry").file_name()).collect();
        names.sort();
        names
    }

    #[test]
    fn names_that_come_again_get_numbers() {
        let bank = tempfile::tempdir().expect("a folder");
        let folder = Folder::open(bank.path()).expect("opens").expect("is free");
        assert!(Folder::open(bank.path()).expect("opens").is_none(), "one at a time");
        for hash in ["one", "two", "three"] {
            let file = put(&folder, OsStr::new("a"), hash);
            folder.shelve(Shelf::Done, &file, hash, &format!("SHA-256 {hash}\n")).expect("is moved");
        }
        let text = put(&folder, OsStr::new("a.txt"), "a file of the bank");
        folder.shelve(Shelf::Done, &text, "four", "SHA-256 four\n").expect("is moved");
        let all = ["a", "a.1", "a.1.txt", "a.2", "a.2.txt", "a.txt", "a.txt.1", "a.txt.1.txt"];
        assert_eq!(names(&folder, "done"), all.map(OsString::from));
        let content = fs::read_to_string(folder.path.join("done/a.txt")).expect("a text");
        assert_eq!(content, "SHA-256 one\n");
    }

    #[test]
    fn text_of_a_crash_is_used_again() {
        let bank = tempfile::tempdir().expect("a folder");
        let folder = Folder::open(bank.path()).expect("opens").expect("is free");
        fs::write(folder.path.join("refused/a.txt"), "refused\nSHA-256 one\n").expect("written");
        for hash in ["one", "two"] {
            let file = put(&folder, OsStr::new("a"), hash);
            folder.shelve(Shelf::Refused, &file, hash, &format!("SHA-256 {hash}\n")).expect("is moved");
        }
        assert_eq!(names(&folder, "refused"), ["a", "a.1", "a.1.txt", "a.txt"].map(OsString::from));
    }

    #[test]
    fn replaced_file_is_not_moved() {
        let bank = tempfile::tempdir().expect("a folder");
        let folder = Folder::open(bank.path()).expect("opens").expect("is free");
        let file = put(&folder, OsStr::new("a"), "one");
        fs::rename(folder.path.join("a"), folder.path.join(".away")).expect("moved");
        std::os::unix::fs::symlink("/etc/passwd", folder.path.join("a")).expect("linked");
        assert!(folder.read(&file, 100).is_err());
        assert!(folder.shelve(Shelf::Done, &file, "one", "text\n").is_err());
        assert!(exists(&folder.path.join("a")).expect("is there"));
        fs::remove_file(folder.path.join("a")).expect("removed");
        let _ = put(&folder, OsStr::new("a"), "two");
        assert!(folder.shelve(Shelf::Done, &file, "one", "text\n").is_err());
    }

    #[test]
    fn strange_names_are_moved_as_they_are() {
        let bank = tempfile::tempdir().expect("a folder");
        let folder = Folder::open(bank.path()).expect("opens").expect("is free");
        let long = OsString::from("x".repeat(250));
        for name in [OsString::from("a\nb"), OsString::from_vec(vec![0xff, b'a']), long] {
            let file = put(&folder, &name, "one");
            assert_eq!(folder.read(&file, 3).expect("is read"), b"one");
            folder.shelve(Shelf::Refused, &file, "one", "SHA-256 one\n").expect("is moved");
        }
        assert_eq!(names(&folder, "refused").len(), 6);
    }

    #[test]
    fn link_for_a_subfolder_is_refused() {
        let (bank, other) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
        fs::create_dir(bank.path().join("in")).expect("made");
        std::os::unix::fs::symlink(other.path(), bank.path().join("in/done")).expect("linked");
        assert!(Folder::open(bank.path()).is_err());
    }
}
