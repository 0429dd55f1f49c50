//! A standby of a server: created from a base backup, promoted after the primary was killed.
//!
//! Its folder has the same layout as the primary's, so that the promoted standby is a [`Cluster`]. Data from the
//! primary come through a proxy, which can hold them back.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use daybook_pg::embedded::Account;

use crate::cluster::Cluster;
use crate::error::{Result, failed};
use crate::proxy::Proxy;

/// Application name of the standby at the primary.
pub const NAME: &str = "s1";

/// A standby that follows its primary.
#[derive(Debug)]
pub struct Standby {
    /// Proxy on the way from the primary.
    pub way: Proxy,
    folder: PathBuf,
    bin_dir: PathBuf,
    account: Account,
}

impl Standby {
    /// Creates a standby of `primary` in `folder`, replaces an earlier one there, and starts it.
    pub async fn of(primary: &Cluster, folder: &Path) -> Result<Self> {
        let way = Proxy::start(primary.socket()).await?;
        let (bin_dir, account) = (primary.bin_dir().to_owned(), primary.account().clone());
        let standby = Self { way, folder: folder.to_owned(), bin_dir, account };
        standby.lay_out(primary.folder())?;
        // pg_basebackup blocks its thread, while the proxy needs this one to pass the data on.
        tokio::task::spawn_blocking(move || {
            standby.back_up()?;
            run(standby.pg_ctl("start").arg("-w").arg("-l").arg(standby.folder.join("postgres.log")))?;
            Ok(standby)
        })
        .await
        .map_err(failed)?
    }

    /// Returns the database URL of the standby.
    pub fn url(&self) -> String {
        format!("host={} port=5432 user=daybook dbname=daybook", self.folder.join("socket").display())
    }

    /// Promotes the standby. `settings` apply from its next start.
    pub async fn promote(self, settings: &[(&str, &str)]) -> Result<Cluster> {
        run(self.pg_ctl("promote").arg("-w"))?;
        Cluster::start(&self.folder, settings).await
    }

    /// Creates empty folders, and the files beside them.
    fn lay_out(&self, primary: &Path) -> Result<()> {
        for old in ["postgres", "socket"] {
            let _ = std::fs::remove_dir_all(self.folder.join(old));
        }
        for (new, mode) in [("", 0o711), ("postgres", 0o700), ("socket", 0o700)] {
            let path = self.folder.join(new);
            std::fs::create_dir_all(&path)?;
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode))?;
            self.account.own(&path)?;
        }
        let socket = |folder: &Path| folder.join("socket").display().to_string();
        let settings = std::fs::read_to_string(primary.join("postgres.conf"))?;
        std::fs::write(
            self.folder.join("postgres.conf"),
            settings.replace(&socket(primary), &socket(&self.folder)),
        )?;
        let log = self.folder.join("postgres.log");
        std::fs::OpenOptions::new().create(true).append(true).open(&log)?;
        self.account.own(&log)?;
        Ok(self.account.own(&self.folder.join("postgres.conf"))?)
    }

    /// Copies the primary. The copy contains the connection to the primary, to stream from it.
    fn back_up(&self) -> Result<()> {
        let mut backup = self.command("pg_basebackup");
        backup.args(["-d", &format!("{} application_name={NAME}", self.way.url("daybook", "daybook"))]);
        run(backup.args(["-R", "-X", "stream", "-c", "fast", "-D"]).arg(self.folder.join("postgres")))
    }

    fn pg_ctl(&self, verb: &str) -> Command {
        let mut command = self.command("pg_ctl");
        command.arg(verb).arg("-s").arg("-D").arg(self.folder.join("postgres"));
        command
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(self.bin_dir.join(program));
        self.account.enter(&mut command);
        command
    }
}

/// Runs a command to its end. The output is not piped: a server that the command starts would keep the pipe open.
fn run(command: &mut Command) -> Result<()> {
    let status = command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null()).status()?;
    if status.success() { Ok(()) } else { Err(failed(format!("{command:?}: {status}"))) }
}
