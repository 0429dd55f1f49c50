//! `daybook-verify`: verification of a ledger for parties that do not trust its operator.

use std::io;
use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(daybook_verify::run(
        std::env::args_os(),
        &mut io::stdout().lock(),
        &mut io::stderr().lock(),
    ))
}
