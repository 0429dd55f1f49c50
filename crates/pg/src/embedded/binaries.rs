//! The server's programs: where distributions put them, and which of those to take.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use tokio::process::Command;

use crate::Error;

/// The oldest major version that we run on.
const OLDEST_MAJOR: u32 = 14;

/// What a usable folder holds.
const PROGRAMS: [&str; 3] = ["initdb", "pg_ctl", "postgres"];

/// Folders that hold one folder per installed version, and how the version's folder begins.
const SHELVES: [(&str, &str); 4] = [
    ("/usr/lib/postgresql", ""),         // Debian, Ubuntu
    ("/usr", "pgsql-"),                  // PostgreSQL's own packages for Fedora and its kin
    ("/opt/homebrew/opt", "postgresql"), // Homebrew on Apple silicon
    ("/usr/local/opt", "postgresql"),    // Homebrew on Intel
];

/// How a person gets what is missing.
const INSTALL: &str = "install PostgreSQL (Debian, Ubuntu: `apt-get install postgresql`; \
     Fedora: `dnf install postgresql-server`; macOS: `brew install postgresql@17`), \
     or name the folder of its programs with --pg-bin, or a server of your own with --database-url";

/// Finds the programs in `pg_bin`, or the newest installed ones; those of `major` if a cluster of it exists.
pub(super) async fn find(pg_bin: Option<&Path>, major: Option<u32>) -> Result<PathBuf, Error> {
    let folders = match pg_bin {
        Some(folder) => BTreeSet::from([folder.to_owned()]),
        None => installed().await,
    };
    let mut found = Vec::new();
    for folder in folders {
        if let Some(version) = version_in(&folder).await {
            found.push((version, folder));
        }
    }
    found.sort();
    let usable = |&&((found, _), _): &&((u32, u32), PathBuf)| {
        major.map_or(found >= OLDEST_MAJOR, |major| found == major)
    };
    match found.iter().rfind(usable) {
        Some((_, folder)) => Ok(folder.clone()),
        None => Err(Error::Embedded(complaint(pg_bin, major, &found))),
    }
}

fn complaint(pg_bin: Option<&Path>, major: Option<u32>, found: &[((u32, u32), PathBuf)]) -> String {
    let place =
        pg_bin.map_or_else(|| "on this machine".to_owned(), |folder| format!("in {}", folder.display()));
    let wanted = match major {
        Some(major) => format!("PostgreSQL {major}, which made the data folder"),
        None => format!("PostgreSQL {OLDEST_MAJOR} or newer"),
    };
    let others: Vec<String> =
        found.iter().map(|((major, _), folder)| format!("{major} in {}", folder.display())).collect();
    if others.is_empty() {
        format!("no server programs ({}) of {wanted} found {place}; {INSTALL}", PROGRAMS.join(", "))
    } else {
        format!("no server programs of {wanted} found {place}, only {}; {INSTALL}", others.join(", "))
    }
}

/// All folders worth a look, each once, whatever links lead to it.
async fn installed() -> BTreeSet<PathBuf> {
    let mut folders = Vec::new();
    if let Some(text) = output(Command::new("pg_config").arg("--bindir")).await {
        folders.push(PathBuf::from(text.trim()));
    }
    if let Some(path) = std::env::var_os("PATH") {
        folders.extend(std::env::split_paths(&path));
    }
    for (shelf, prefix) in SHELVES {
        let Ok(entries) = Path::new(shelf).read_dir() else { continue };
        let versions =
            entries.flatten().filter(|entry| entry.file_name().to_string_lossy().starts_with(prefix));
        folders.extend(versions.map(|entry| entry.path().join("bin")));
    }
    folders.into_iter().filter_map(|folder| folder.canonicalize().ok()).collect()
}

/// The version of the programs in `folder`, if all are there.
async fn version_in(folder: &Path) -> Option<(u32, u32)> {
    if !PROGRAMS.iter().all(|program| folder.join(program).is_file()) {
        return None;
    }
    parse_version(&output(Command::new(folder.join("postgres")).arg("--version")).await?)
}

/// Reads `postgres (PostgreSQL) 15.14 (Debian …)`; a beta such as `18beta1` counts as `18.0`.
fn parse_version(text: &str) -> Option<(u32, u32)> {
    let number = text.split_whitespace().nth(2)?;
    let (major, minor) = number.split_once('.').unwrap_or((number, "0"));
    let digits = major.find(|c: char| !c.is_ascii_digit()).unwrap_or(major.len());
    Some((major[..digits].parse().ok()?, minor.parse().unwrap_or(0)))
}

async fn output(command: &mut Command) -> Option<String> {
    let output = command.output().await.ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::parse_version;

    #[test]
    fn versions_are_read_as_the_distributions_write_them() {
        assert_eq!(parse_version("postgres (PostgreSQL) 15.14 (Debian 15.14-0+deb12u1)"), Some((15, 14)));
        assert_eq!(parse_version("postgres (PostgreSQL) 18beta1"), Some((18, 0)));
        assert_eq!(parse_version("postgres (PostgreSQL) 9.6.24"), Some((9, 0)));
        assert_eq!(parse_version("bash: postgres: not found"), None);
    }
}
