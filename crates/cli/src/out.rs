//! Output of commands: the result on standard output, everything else on standard error. `println!` is not used,
//! because it panics if the reader is gone; then open resources of the command would not be released.

use std::fmt::Arguments;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::thread;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use tokio::sync::oneshot;

/// Writes a line to standard output, like `println!`. Returns an error if the reader is gone.
#[macro_export]
macro_rules! say {
    ($($text:tt)*) => { $crate::out::line(format_args!($($text)*)) };
}

/// Writes a line to standard error, like `eprintln!`. Ignores errors.
#[macro_export]
macro_rules! tell {
    ($($text:tt)*) => { $crate::out::aside(format_args!($($text)*)) };
}

/// Writes a line to standard output.
///
/// # Errors
///
/// The error of the operating system: [`io::ErrorKind::BrokenPipe`] if the reader is gone.
pub fn line(text: Arguments<'_>) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_fmt(text)?;
    out.write_all(b"\n")
}

/// Result of a command for [`answer`]: a JSON record, and a text.
pub type Output = (serde_json::Value, String);

/// Prints the result of a command: `record` if JSON is requested, otherwise `text`.
///
/// # Errors
///
/// As [`line()`].
pub fn answer(is_json: bool, record: &serde_json::Value, text: &str) -> io::Result<()> {
    if is_json { line(format_args!("{record}")) } else { line(format_args!("{text}")) }
}

/// Writes a line to standard error. Ignores errors.
pub fn aside(text: Arguments<'_>) {
    let mut out = io::stderr().lock();
    // There is no other channel on which this error could be reported.
    let _ = out.write_fmt(text).and_then(|()| out.write_all(b"\n"));
}

/// Waits until the reader of standard output is gone. Waits for ever if standard output is neither a pipe nor a
/// terminal.
pub async fn unread() {
    let (gone, is_gone) = oneshot::channel();
    // A separate thread polls: the runtime would have to make the pipe non-blocking, for all processes that share it.
    thread::spawn(move || {
        let out = io::stdout();
        let mut looked_at = [PollFd::new(out.as_fd(), PollFlags::empty())];
        while poll(&mut looked_at, PollTimeout::NONE) == Err(Errno::EINTR) {}
        let is_over = looked_at[0].revents().is_some_and(|seen| seen.intersects(PollFlags::POLLERR));
        if is_over {
            // The receiver may have been dropped.
            let _ = gone.send(());
        }
    });
    if is_gone.await.is_err() {
        std::future::pending::<()>().await;
    }
}
