//! Memory of a process that reads one file.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

use nix::unistd::Pid;

use super::format::Format;
use crate::error::Error;
use crate::load::client::failed;
use crate::stage::cpu::{peak_mib, resident_mib};

/// Resident memory of a process.
pub(super) struct Memory {
    /// With the file in memory, before it is read.
    pub(super) before_mib: f64,
    /// Most of it up to the end.
    pub(super) peak_mib: f64,
}

impl Memory {
    /// Reads a file in a new process of this program.
    pub(super) fn of(file: &Path) -> Result<Self, Error> {
        let output = Command::new(env::current_exe()?).args(["statements", "--file"]).arg(file).output()?;
        let said = String::from_utf8_lossy(&output.stdout);
        let mut figures = said.split_whitespace().map(|figure| figure.parse().ok());
        match (output.status.success(), figures.next().flatten(), figures.next().flatten()) {
            (true, Some(before_mib), Some(peak_mib)) => Ok(Self { before_mib, peak_mib }),
            _ => Err(Error::Failed(String::from_utf8_lossy(&output.stderr).into_owned())),
        }
    }

    /// Reads a file, whose name is that of its format, and prints the memory of this process.
    pub(super) fn tell(file: &Path) -> Result<(), Error> {
        let name = file.file_name().unwrap_or_default();
        let format = Format::ALL.into_iter().find(|format| name == format.name());
        let format = format.ok_or_else(|| failed("the file has the name of no format"))?;
        let bytes = fs::read(file)?;
        let before = resident_mib(Pid::this().as_raw());
        let read = format.read(&bytes)?;
        let peak = peak_mib(Pid::this().as_raw());
        drop(read);
        match (before, peak) {
            (Some(before), Some(peak)) => println!("{before} {peak}"),
            _ => return Err(failed("the system does not tell the memory of a process")),
        }
        Ok(())
    }
}
