//! Creation of the cluster, once in the life of a data folder.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use nix::fcntl::OFlag;

use super::folder::{Folder, failed};
use super::programs::{Programs, run};
use super::{NAME, settings};
use crate::Error;

/// Creates the cluster if there is none. It is created beside its place and then moved there, so an incomplete cluster
/// is never used.
pub(super) async fn ensure(folder: &Folder, programs: &Programs) -> Result<(), Error> {
    let (draft, pgdata) = (folder.pgdata_draft(), folder.pgdata());
    if pgdata.exists() {
        return Ok(());
    }
    match initdb(programs, &draft, "C.UTF-8").await {
        Ok(()) => {}
        // Not every system has that locale.
        Err(_) => initdb(programs, &draft, "C").await?,
    }
    let conf = draft.join("postgresql.conf");
    include(&conf).map_err(|error| failed("write", &conf, &error))?;
    fs::rename(&draft, &pgdata).map_err(|error| failed("make", &pgdata, &error))
}

async fn initdb(programs: &Programs, draft: &Path, locale: &str) -> Result<(), Error> {
    if draft.exists() {
        fs::remove_dir_all(draft).map_err(|error| failed("remove", draft, &error))?;
    }
    programs.account.own_dir(draft)?;
    let mut command = programs.command("initdb");
    // The authentication method `trust` is safe: only the account itself and root can enter the folder of the socket.
    command.arg("--pgdata").arg(draft).args(["--username", NAME, "--auth", "trust", "--data-checksums"]);
    command.args(["--encoding", "UTF8", "--locale", locale, "--no-instructions"]);
    run(command).await
}

/// Makes the cluster include our settings. This process may be root in another account's folder, so no link is
/// followed.
fn include(conf: &Path) -> io::Result<()> {
    let mut file = OpenOptions::new().append(true).custom_flags(OFlag::O_NOFOLLOW.bits()).open(conf)?;
    file.write_all(settings::INCLUDE.as_bytes())?;
    file.sync_all()
}
