//! Reads versions and a schema from the packages in the lock file, so that they need not be copied by hand.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use serde_json::Value;

fn main() -> Result<(), Box<dyn Error>> {
    for input in ["build.rs", "Cargo.toml", "Cargo.lock"] {
        println!("cargo::rerun-if-changed={input}");
    }
    let metadata = metadata()?;
    let cala = Package::find(&metadata, "cala-ledger")?;
    println!("cargo::rustc-env=CALA_LEDGER_VERSION={}", cala.version);
    let postgres_es = Package::find(&metadata, "postgres-es")?;
    println!("cargo::rustc-env=POSTGRES_ES_VERSION={}", postgres_es.version);
    let table = table_of_events(&postgres_es.folder.join("db/init.sql"))?;
    fs::write(Path::new(&env::var("OUT_DIR")?).join("postgres_es_events.sql"), table)?;
    Ok(())
}

/// Returns the metadata of the locked packages for the target platform; other packages are not downloaded.
fn metadata() -> Result<Value, Box<dyn Error>> {
    let output = Command::new(env::var("CARGO")?)
        .args(["metadata", "--format-version", "1", "--locked", "--offline"])
        .args(["--filter-platform", &env::var("TARGET")?])
        .output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

struct Package {
    version: String,
    folder: PathBuf,
}

impl Package {
    fn find(metadata: &Value, name: &str) -> Result<Self, Box<dyn Error>> {
        let mut packages = metadata["packages"].as_array().into_iter().flatten();
        let found = packages.find(|package| package["name"] == name).ok_or_else(|| format!("no {name}"))?;
        let text = |field: &str| found[field].as_str().ok_or_else(|| format!("{name} has no {field}"));
        let manifest = Path::new(text("manifest_path")?);
        let folder = manifest.parent().ok_or("a manifest is in a folder")?.to_owned();
        Ok(Self { version: text("version")?.to_owned(), folder })
    }
}

/// Returns the statement of the package's file that creates the event store. The other ones create examples and a role.
fn table_of_events(file: &Path) -> Result<String, Box<dyn Error>> {
    println!("cargo::rerun-if-changed={}", file.display());
    let text = fs::read_to_string(file)?;
    let statement = text.split(';').find(|statement| statement.contains("CREATE TABLE events"));
    Ok(statement.ok_or_else(|| format!("{} makes no table of events", file.display()))?.to_owned())
}
