//! Verifies a Daybook log from outside: exports, receipts, events, pairs of checkpoints (signed tree heads) and
//! balances.
//!
//! The program has no database and no network, and trusts only the public keys that it is given. [`run`] is the whole
//! command line of `daybook-verify`. The report lists checks that hold, findings, and everything that was not checked.
//! `docs/reference/verify.md` describes every command, and `docs/reference/proof.md` the formats.
//!
//! # Example
//!
//! ```
//! // A client verifies its receipt of a payment. The files are those of the worked example in proof.md.
//! let folder = "../../tests/clients/verify_proof/example";
//! let line = format!("daybook-verify --key {folder}/log.pub receipt {folder}/receipt.json");
//! let (mut out, mut err) = (vec![], vec![]);
//!
//! let code = daybook_verify::run(line.split(' '), &mut out, &mut err);
//!
//! assert_eq!(code, daybook_verify::HOLDS);
//! let report = String::from_utf8_lossy(&out);
//! assert!(report.contains("has signed that this leaf is at position 4 of shard 1, in commit 2"), "{report}");
//! ```

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

/// Exit code: everything that was asked was checked and holds.
pub const HOLDS: u8 = 0;
/// Exit code: something is wrong.
pub const WRONG: u8 = 1;
/// Exit code: the command is invalid, a file cannot be read, or not everything could be checked.
pub const UNCHECKED: u8 = 2;

/// Runs the program; returns the exit code. The first of `arguments` is the program's name. The result is written to
/// `out`, errors of the input to `err`.
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

/// Writes `text` and returns `code`, or [`UNCHECKED`] if the text cannot be written.
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
