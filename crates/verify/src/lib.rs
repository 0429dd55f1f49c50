//! Checks what a log has promised: exports, receipts, events, two checkpoints, balances. No database, no network; trusted
//! are the public keys that are given, and nothing else. Usage and what is checked: `docs/reference/verify.md`.

mod balance;
mod consistency;
mod event;
mod export;
mod input;
mod options;
mod receipt;
mod report;
mod wire;

use std::ffi::OsString;
use std::io::Write;

use clap::Parser;

use crate::input::Unreadable;
use crate::options::{Command, Options};
use crate::report::{Report, on_one_line};

/// Everything that was asked was checked and holds.
pub const HOLDS: u8 = 0;
/// Something is wrong.
pub const WRONG: u8 = 1;
/// Not understood, unreadable, or not everything could be checked.
pub const UNCHECKED: u8 = 2;

/// Does what the arguments ask for, the first of which is the program's name; answers the exit code. The result goes to
/// `out`, what cannot be read to `err`.
pub fn run<I>(arguments: I, out: &mut dyn Write, err: &mut dyn Write) -> u8
where
    I: IntoIterator<Item: Into<OsString> + Clone>,
{
    let options = match Options::try_parse_from(arguments) {
        Ok(options) => options,
        Err(error) if error.use_stderr() => return said(err, &error.to_string(), UNCHECKED),
        Err(help) => return said(out, &help.to_string(), HOLDS),
    };
    match check(&options) {
        Ok(report) => {
            let text = if options.json { report.to_json() } else { report.to_text() };
            said(out, &text, report.exit_code())
        }
        Err(error) => {
            let what = on_one_line(&error.to_string());
            said(err, &format!("daybook-verify: {what}\n"), UNCHECKED)
        }
    }
}

/// Nobody has heard a result that could not be written.
fn said(to: &mut dyn Write, text: &str, code: u8) -> u8 {
    if to.write_all(text.as_bytes()).and_then(|()| to.flush()).is_ok() { code } else { UNCHECKED }
}

fn check(options: &Options) -> Result<Report, Unreadable> {
    let keys = options.keys()?;
    let mut report = Report::default();
    report.limit("whether what the events say is true");
    report
        .limit("whether the keys that you gave are the log's: get them from somebody else than its operator");
    match &options.command {
        Command::Export(asked) => export::check(asked, &keys, &mut report)?,
        Command::Receipt(asked) => receipt::check(asked, &keys, &mut report)?,
        Command::Event { file } => event::check(file, &keys, &mut report)?,
        Command::Consistency(asked) => consistency::check(asked, &keys, &mut report)?,
        Command::Balance { file } => balance::check(file, &keys, &mut report)?,
    }
    Ok(report)
}
