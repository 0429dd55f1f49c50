//! `daybook`: an event-sourced, double-entry ledger with a payments API. [`daybook_cli`] is the implementation.

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    daybook_cli::program::run()
}
