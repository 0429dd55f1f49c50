//! A file that is written completely or not at all.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile};

/// A draft file in the folder of its destination. Dropping it before the end deletes the draft.
pub(crate) struct WholeFile {
    out: BufWriter<Sink>,
    path: PathBuf,
    may_replace: bool,
}

enum Sink {
    Draft(NamedTempFile),
    /// A pipe or a device, which is written directly because it cannot be replaced.
    Straight(File),
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Draft(draft) => draft.write(bytes),
            Self::Straight(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Draft(draft) => draft.flush(),
            Self::Straight(file) => file.flush(),
        }
    }
}

impl WholeFile {
    /// Begins a file with these permissions, reduced by the umask of the process.
    ///
    /// # Errors
    ///
    /// With the path: if the file exists and may not be replaced, or its folder cannot be written.
    pub(crate) fn begin(path: &Path, mode: u32, may_replace: bool) -> io::Result<Self> {
        let begun = || {
            let (sink, path) = match fs::metadata(path) {
                // The target of `/dev/stdout` may have no name.
                Ok(found) if !found.is_file() => {
                    (Sink::Straight(OpenOptions::new().write(true).open(path)?), path.to_owned())
                }
                Ok(_) if !may_replace => return Err(ErrorKind::AlreadyExists.into()),
                found => {
                    // The target of a link is replaced, not the link.
                    let path = if found.is_ok() { fs::canonicalize(path)? } else { path.to_owned() };
                    (Sink::Draft(draft(&path, mode)?), path)
                }
            };
            Ok(Self { out: BufWriter::new(sink), path, may_replace })
        };
        begun().map_err(|error| named(path, &error))
    }

    /// Moves the draft to its destination, after it is on disk.
    ///
    /// # Errors
    ///
    /// With the path: if the file cannot be written completely, or another file appeared that may not be replaced.
    pub(crate) fn end(self) -> io::Result<()> {
        let Self { out, path, may_replace } = self;
        let ended = || {
            let Sink::Draft(draft) = out.into_inner().map_err(io::IntoInnerError::into_error)? else {
                return Ok(());
            };
            draft.as_file().sync_all()?;
            let put = if may_replace { draft.persist(&path) } else { draft.persist_noclobber(&path) };
            put.map_err(|error| error.error)?;
            File::open(folder(&path))?.sync_all()
        };
        ended().map_err(|error| named(&path, &error))
    }
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

fn draft(path: &Path, mode: u32) -> io::Result<NamedTempFile> {
    Builder::new().suffix(".part").permissions(Permissions::from_mode(mode)).tempfile_in(folder(path))
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("is there");
        entries.map(|entry| entry.expect("reads").file_name().into_string().expect("ours")).collect()
    }

    #[test]
    fn dropped_draft_leaves_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a");
        let mut file = WholeFile::begin(&path, 0o600, false).expect("begins");
        file.write_all(&vec![7; 1 << 20]).expect("writes");
        assert!(!path.exists() && names(folder.path()).len() == 1);
        drop(file);
        assert!(names(folder.path()).is_empty());
    }

    #[test]
    fn existing_file_is_replaced_or_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a");
        for (before, may_replace, after) in [(None, false, "new"), (Some("old"), true, "new")] {
            if let Some(text) = before {
                fs::write(&path, text).expect("writes");
            }
            let mut file = WholeFile::begin(&path, 0o640, may_replace).expect("begins");
            file.write_all(b"new").expect("writes");
            file.end().expect("ends");
            assert_eq!(fs::read_to_string(&path).expect("is there"), after);
        }
        let kept = WholeFile::begin(&path, 0o600, false).err().expect("is refused");
        assert!(kept.kind() == ErrorKind::AlreadyExists && kept.to_string().contains("/a: "), "{kept}");
        fs::remove_file(&path).expect("is gone");
        let late = WholeFile::begin(&path, 0o600, false).expect("begins");
        fs::write(&path, "old").expect("writes");
        assert_eq!(late.end().err().map(|error| error.kind()), Some(ErrorKind::AlreadyExists));
        assert_eq!(names(folder.path()), ["a"]);
    }

    #[test]
    fn unnamed_pipe_is_written() {
        let (mut reader, writer) = io::pipe().expect("a pipe");
        let path = format!("/dev/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&writer));
        let mut file = WholeFile::begin(Path::new(&path), 0o600, true).expect("begins");
        file.write_all(b"told").expect("writes");
        file.end().expect("ends");
        drop(writer);
        assert_eq!(io::read_to_string(&mut reader).expect("reads"), "told");
    }

    #[test]
    fn devices_and_links_stay() {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, link) = (folder.path().join("a"), folder.path().join("link"));
        fs::write(&path, "old").expect("writes");
        std::os::unix::fs::symlink(&path, &link).expect("links");
        for (to, text) in [(link.as_path(), "new"), (Path::new("/dev/null"), "gone")] {
            let mut file = WholeFile::begin(to, 0o600, true).expect("begins");
            file.write_all(text.as_bytes()).expect("writes");
            file.end().expect("ends");
        }
        assert!(fs::symlink_metadata(&link).expect("is there").is_symlink());
        assert_eq!(fs::read_to_string(&path).expect("is there"), "new");
        assert!(WholeFile::begin(folder.path(), 0o600, true).is_err(), "a folder is no file");
    }
}
