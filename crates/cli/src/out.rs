//! What commands say: on standard output what was asked for, on standard error the rest. `println!` would panic where nobody
//! reads any more, and leave behind what the command has open.

use std::fmt::Arguments;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::thread;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use tokio::sync::oneshot;

/// Writes a line to standard output, as `println!` does, and answers the error if nobody takes it.
#[macro_export]
macro_rules! say {
    ($($text:tt)*) => { $crate::out::line(format_args!($($text)*)) };
}

/// Writes a line to standard error, as `eprintln!` does, and goes on if nobody takes it.
#[macro_export]
macro_rules! tell {
    ($($text:tt)*) => { $crate::out::aside(format_args!($($text)*)) };
}

/// Writes a line to standard output.
///
/// # Errors
///
/// That of the operating system: [`io::ErrorKind::BrokenPipe`] if its reader is gone.
pub fn line(text: Arguments<'_>) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_fmt(text)?;
    out.write_all(b"\n")
}

/// An outcome as [`answer`] takes it: a record for programs, a text for persons.
pub type Said = (serde_json::Value, String);

/// Says what was done: `record` for programs, `text` for persons.
///
/// # Errors
///
/// As [`line`].
pub fn answer(is_json: bool, record: &serde_json::Value, text: &str) -> io::Result<()> {
    if is_json { line(format_args!("{record}")) } else { line(format_args!("{text}")) }
}

/// Writes a line to standard error, if somebody takes it.
pub fn aside(text: Arguments<'_>) {
    let mut out = io::stderr().lock();
    // There is nobody left to tell that this cannot be told.
    let _ = out.write_fmt(text).and_then(|()| out.write_all(b"\n"));
}

/// Waits until the reader of standard output has gone; for ever, if it is neither a pipe nor a terminal.
pub async fn unread() {
    let (gone, is_gone) = oneshot::channel();
    // A thread of its own: to be told of a pipe by the runtime, it would have to become one that does not block, for everybody
    // who has it.
    thread::spawn(move || {
        let out = io::stdout();
        let mut looked_at = [PollFd::new(out.as_fd(), PollFlags::empty())];
        while poll(&mut looked_at, PollTimeout::NONE) == Err(Errno::EINTR) {}
        let is_over = looked_at[0].revents().is_some_and(|seen| seen.intersects(PollFlags::POLLERR));
        if is_over {
            // Nobody may be waiting any more.
            let _ = gone.send(());
        }
    });
    if is_gone.await.is_err() {
        std::future::pending::<()>().await;
    }
}
