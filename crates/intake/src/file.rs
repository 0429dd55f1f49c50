//! Bounded reading of files whose path comes from outside.
//!
//! Only regular files up to a given size are opened and, on request, pipes that have a writer. Folders, devices and
//! sockets are refused. No read waits without a time limit.

use std::fs::{self, File, FileType, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use nix::fcntl::OFlag;

/// Time limit for reading a whole pipe, 20 s. A command that fetches a secret has answered by then.
const PIPE_TIMEOUT: Duration = Duration::from_secs(20);

/// Interval at which a pipe without data is polled.
const PIPE_POLL_INTERVAL: Duration = Duration::from_millis(5);

/// Policy for pipes, such as `<(command)` in a shell makes. Pipes are read only while a program starts, because reading
/// one may take as long as a start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pipes {
    /// Pipes are refused.
    Refused,
    /// Pipes are read, within the time limit of a program's start.
    Read,
}

/// Opens a regular file of at most `most` bytes and returns it with its length.
///
/// # Errors
///
/// Fails if the file cannot be opened, is not a regular file, or is larger than `most`.
pub fn open(path: &Path, most: u64) -> io::Result<(File, u64)> {
    let file = opened(path, Pipes::Refused)?;
    let length = length(&file, most)?;
    Ok((file, length))
}

/// Opens a regular file or, if `pipes` allows it, a pipe. Neither opening nor reading it blocks.
///
/// # Errors
///
/// Fails if the path cannot be opened, or is neither.
pub fn opened(path: &Path, pipes: Pipes) -> io::Result<File> {
    // Check the type before opening: opening some devices has side effects.
    fits(fs::metadata(path)?.file_type(), pipes)?;
    let file = OpenOptions::new().read(true).custom_flags(OFlag::O_NONBLOCK.bits()).open(path)?;
    fits(file.metadata()?.file_type(), pipes)?;
    Ok(file)
}

/// Reads a whole file of at most `most` bytes.
///
/// # Errors
///
/// Those of [`open`]. A pipe fails if it has no writer, or if the writer does not close it in time.
pub fn read(path: &Path, most: u64, pipes: Pipes) -> io::Result<Vec<u8>> {
    read_opened(opened(path, pipes)?, most)
}

/// Reads a whole file that [`opened`] opened.
///
/// # Errors
///
/// Those of [`read`].
pub fn read_opened(file: File, most: u64) -> io::Result<Vec<u8>> {
    if file.metadata()?.file_type().is_fifo() {
        return drained(file, most);
    }
    let length = length(&file, most)?;
    // Allocate the whole length at once: a buffer that grows would leave copies of a secret in memory.
    let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or(0) + 1);
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { Err(too_large(bytes.len() as u64, most)) } else { Ok(bytes) }
}

/// Reads a whole text file of at most `most` bytes.
///
/// # Errors
///
/// Those of [`read`], and an error if the text is not UTF-8.
pub fn read_to_string(path: &Path, most: u64, pipes: Pipes) -> io::Result<String> {
    String::from_utf8(read(path, most, pipes)?).map_err(|_| wrong("it is not UTF-8"))
}

fn length(file: &File, most: u64) -> io::Result<u64> {
    let length = file.metadata()?.len();
    if length > most { Err(too_large(length, most)) } else { Ok(length) }
}

fn fits(is: FileType, pipes: Pipes) -> io::Result<()> {
    if is.is_file() || (is.is_fifo() && pipes == Pipes::Read) {
        return Ok(());
    }
    let what = match is {
        _ if is.is_dir() => "a folder",
        _ if is.is_fifo() => "a pipe",
        _ if is.is_socket() => "a socket",
        _ => "a device",
    };
    Err(wrong(&format!("it is {what}, a file is expected")))
}

fn drained(mut pipe: File, most: u64) -> io::Result<Vec<u8>> {
    let until = Instant::now() + PIPE_TIMEOUT;
    let (mut bytes, mut chunk) = (vec![], [0; 4096]);
    loop {
        match pipe.read(&mut chunk) {
            Ok(0) if bytes.is_empty() => return Err(wrong("it is a pipe to which nobody writes")),
            Ok(0) => return Ok(bytes),
            Ok(came) => bytes.extend_from_slice(&chunk[..came]),
            Err(error) if error.kind() == ErrorKind::WouldBlock => sleep(PIPE_POLL_INTERVAL),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
        if bytes.len() as u64 > most {
            return Err(wrong(&format!(
                "more than {most} bytes came through the pipe, at most {most} are read"
            )));
        }
        if Instant::now() > until {
            let seconds = PIPE_TIMEOUT.as_secs();
            let what = format!("its pipe was not closed in {seconds} seconds");
            return Err(io::Error::new(ErrorKind::TimedOut, what));
        }
    }
}

fn wrong(what: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidInput, what)
}

fn too_large(length: u64, most: u64) -> io::Error {
    wrong(&format!("it has {length} bytes, at most {most} are read"))
}

#[cfg(test)]
#[allow(clippy::expect_used, reason = "a test")]
mod tests {
    use std::io::Write;
    use std::thread::spawn;

    use nix::sys::stat::Mode;
    use nix::unistd::mkfifo;

    use super::*;

    fn told(path: &Path, most: u64, pipes: Pipes) -> String {
        read(path, most, pipes).expect_err("is refused").to_string()
    }

    #[test]
    fn regular_file_within_limit_is_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        fs::write(&path, [7; 100]).expect("is written");
        assert_eq!(read(&path, 100, Pipes::Refused).expect("is read"), [7; 100]);
        assert_eq!(told(&path, 99, Pipes::Refused), "it has 100 bytes, at most 99 are read");
    }

    #[test]
    fn sparse_file_is_refused_unread() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        File::create(&path).and_then(|file| file.set_len(64 << 30)).expect("is sparse");
        let began = Instant::now();
        assert_eq!(told(&path, 1 << 20, Pipes::Read), "it has 68719476736 bytes, at most 1048576 are read");
        assert!(began.elapsed() < Duration::from_secs(1));
    }

    #[test]
    fn only_regular_files_are_opened() {
        let folder = tempfile::tempdir().expect("a folder");
        let pipe = folder.path().join("pipe");
        mkfifo(&pipe, Mode::S_IRWXU).expect("is made");
        let began = Instant::now();
        for (path, what) in [
            (folder.path(), "it is a folder, a file is expected"),
            (Path::new("/dev/zero"), "it is a device, a file is expected"),
            (&pipe, "it is a pipe, a file is expected"),
        ] {
            assert_eq!(told(path, 100, Pipes::Refused), what);
        }
        assert_eq!(told(&pipe, 100, Pipes::Read), "it is a pipe to which nobody writes");
        assert!(began.elapsed() < Duration::from_secs(1), "nothing is waited for");
    }

    #[test]
    fn pipe_with_writer_is_read_to_end() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("pipe");
        mkfifo(&path, Mode::S_IRWXU).expect("is made");
        for (most, expected) in [(100_000, Some(100_000)), (99_999, None)] {
            // Open for reading and writing, so that neither end waits for the other.
            let mut writer = OpenOptions::new().read(true).write(true).open(&path).expect("opens");
            let reader = opened(&path, Pipes::Read).expect("opens");
            let writing = spawn(move || {
                sleep(Duration::from_millis(50));
                let _ = writer.write_all(&vec![7; 60_000]);
                sleep(Duration::from_millis(50));
                let _ = writer.write_all(&vec![7; 40_000]);
                sleep(Duration::from_millis(50));
            });
            assert_eq!(read_opened(reader, most).ok().map(|bytes| bytes.len()), expected);
            writing.join().expect("ends");
        }
    }
}
