//! The program `daybook`, which Cargo builds together with the tests that start it.

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    daybook_cli::program::run()
}
