//! `daybook-verify`: the ledger checked by whoever does not trust it.

use std::io;
use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(daybook_verify::run(
        std::env::args_os(),
        &mut io::stdout().lock(),
        &mut io::stderr().lock(),
    ))
}
