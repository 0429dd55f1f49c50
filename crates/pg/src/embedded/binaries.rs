//! Programs of the server: the places where distributions install them, and the choice among them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use tokio::process::Command;

use crate::Error;

/// Oldest major version that is supported.
const OLDEST_MAJOR: u32 = 14;

/// Programs that a usable folder has.
const PROGRAMS: [&str; 3] = ["initdb", "pg_ctl", "postgres"];

/// Folders with one folder per installed version, and the prefix of the version's folder.
const INSTALL_FOLDERS: [(&str, &str); 4] = [
    ("/usr/lib/postgresql", ""),         // Debian, Ubuntu
    ("/usr", "pgsql-"),                  // PostgreSQL's own packages for Fedora and its kin
    ("/opt/homebrew/opt", "postgresql"), // Homebrew on Apple silicon
    ("/usr/local/opt", "postgresql"),    // Homebrew on Intel
];

/// Instructions for installing PostgreSQL.
const INSTALL: &str = "install PostgreSQL (Debian, Ubuntu: `apt-get install postgresql`; \
     Fedora: `dnf install postgresql-server`; macOS: `brew install postgresql@17`), \
     or name the folder of its programs with --pg-bin, or a server of your own with --database-url";

/// A folder of programs. The newest version is the greatest.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct InstalledVersion {
    major: u32,
    minor: u32,
    folder: PathBuf,
}

/// Finds the programs in `pg_bin`, or the newest installed ones. If a cluster exists, they have to be of its version
/// `major`.
pub(super) async fn find(pg_bin: Option<&Path>, major: Option<u32>) -> Result<PathBuf, Error> {
    let candidates = match pg_bin {
        Some(folder) => vec![folder.to_owned()],
        None => installed().await,
    };
    // Several links may lead to the same programs; each folder is examined once.
    let homes: BTreeSet<PathBuf> = candidates.iter().filter_map(|folder| home_of(folder)).collect();
    let mut found = Vec::new();
    for home in homes {
        if let Some((major, minor)) = version_in(&home).await {
            found.push(InstalledVersion { major, minor, folder: home });
        }
    }
    found.sort();
    let usable = |one: &&InstalledVersion| match major {
        Some(major) => one.major == major,
        None => one.major >= OLDEST_MAJOR,
    };
    match found.iter().rfind(usable) {
        Some(newest) => Ok(newest.folder.clone()),
        None => Err(Error::Embedded(complaint(pg_bin, major, &found))),
    }
}

fn complaint(pg_bin: Option<&Path>, major: Option<u32>, found: &[InstalledVersion]) -> String {
    let wanted = match major {
        Some(major) => format!("PostgreSQL {major}, which made the data folder,"),
        None => format!("PostgreSQL {OLDEST_MAJOR} or newer"),
    };
    let place =
        pg_bin.map_or_else(|| "on this machine".to_owned(), |folder| format!("in {}", folder.display()));
    let others: Vec<String> =
        found.iter().map(|one| format!("{} in {}", one.major, one.folder.display())).collect();
    let but = if others.is_empty() { String::new() } else { format!(", only {}", others.join(", ")) };
    format!("the programs {} of {wanted} were not found {place}{but}; {INSTALL}", PROGRAMS.join(", "))
}

/// Returns all folders that may have the programs.
async fn installed() -> Vec<PathBuf> {
    let mut folders = Vec::new();
    if let Some(text) = output(Command::new("pg_config").arg("--bindir")).await {
        folders.push(PathBuf::from(text.trim()));
    }
    if let Some(path) = std::env::var_os("PATH") {
        folders.extend(std::env::split_paths(&path));
    }
    for (shelf, prefix) in INSTALL_FOLDERS {
        let Ok(entries) = Path::new(shelf).read_dir() else { continue };
        let versions =
            entries.flatten().filter(|entry| entry.file_name().to_string_lossy().starts_with(prefix));
        folders.extend(versions.map(|entry| entry.path().join("bin")));
    }
    folders
}

/// Returns the folder that has the programs: `folder` itself, or the target of its links.
fn home_of(folder: &Path) -> Option<PathBuf> {
    let server = folder.join("postgres").canonicalize().ok()?;
    let home = server.parent()?;
    PROGRAMS.iter().all(|program| home.join(program).is_file()).then(|| home.to_owned())
}

/// Returns the version of the programs in `folder`, if they run on this machine.
async fn version_in(folder: &Path) -> Option<(u32, u32)> {
    parse_version(&output(Command::new(folder.join("postgres")).arg("--version")).await?)
}

/// Parses `postgres (PostgreSQL) 15.14 (Debian …)`. A beta such as `18beta1` counts as `18.0`.
fn parse_version(text: &str) -> Option<(u32, u32)> {
    let number = text.split_whitespace().nth(2)?;
    let (major, minor) = number.split_once('.').unwrap_or((number, "0"));
    let digits = major.find(|c: char| !c.is_ascii_digit()).unwrap_or(major.len());
    Some((major[..digits].parse().ok()?, minor.parse().unwrap_or(0)))
}

async fn output(command: &mut Command) -> Option<String> {
    // A signal of the terminal is for this process only. A program that it ended would look as if it were not
    // installed.
    let output = command.process_group(0).output().await.ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::parse_version;

    #[test]
    fn version_texts_of_distributions_are_parsed() {
        assert_eq!(parse_version("postgres (PostgreSQL) 15.14 (Debian 15.14-0+deb12u1)"), Some((15, 14)));
        assert_eq!(parse_version("postgres (PostgreSQL) 18beta1"), Some((18, 0)));
        assert_eq!(parse_version("postgres (PostgreSQL) 9.6.24"), Some((9, 0)));
        assert_eq!(parse_version("bash: postgres: not found"), None);
    }
}
