//! The operating system's account that the server runs under: PostgreSQL refuses to be root.

use std::fs::{self, DirBuilder, Metadata, Permissions};
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use nix::unistd::{Gid, Uid, User};

use super::folder::failed;
use crate::Error;

/// Accounts that root gives its place to, best first.
const UNPRIVILEGED: [&str; 3] = ["postgres", "daybook", "nobody"];

/// An account; our own one, unless we are root.
#[derive(Clone, Debug)]
pub struct Account {
    uid: u32,
    gid: u32,
    /// Whether it is another account than ours, which only root can switch to.
    foreign: bool,
}

impl Account {
    /// Chooses the account for the cluster in `pgdata`: its owner if it exists, for no other account may serve it.
    ///
    /// # Errors
    ///
    /// [`Error::Embedded`] if we are root and there is no unprivileged account.
    pub fn choose(pgdata: &Path) -> Result<Self, Error> {
        let (uid, gid) = (Uid::effective(), Gid::effective());
        if !uid.is_root() {
            let ours = Self { uid: uid.as_raw(), gid: gid.as_raw(), foreign: false };
            return if ours.user().is_some() { Ok(ours) } else { Err(ours.nameless()) };
        }
        if let Ok(owner) = pgdata.metadata()
            && owner.uid() != 0
        {
            let owner = Self { uid: owner.uid(), gid: owner.gid(), foreign: true };
            return if owner.user().is_some() { Ok(owner) } else { Err(owner.nameless()) };
        }
        let user = UNPRIVILEGED.iter().find_map(|name| User::from_name(name).ok().flatten());
        let user = user.ok_or_else(|| {
            Error::Embedded(format!(
                "PostgreSQL does not run as root and none of the accounts {} exists; \
                 create one, or start as another user",
                UNPRIVILEGED.join(", ")
            ))
        })?;
        Ok(Self { uid: user.uid.as_raw(), gid: user.gid.as_raw(), foreign: true })
    }

    /// Makes `command` run under this account, without our `PG*` variables and from a folder that it may enter.
    pub fn enter(&self, command: &mut Command) {
        for (name, _) in std::env::vars_os() {
            if name.as_encoded_bytes().starts_with(b"PG") {
                command.env_remove(name);
            }
        }
        command.current_dir("/");
        if self.foreign {
            command.gid(self.gid).uid(self.uid);
        }
    }

    /// Gives a file or folder to this account.
    ///
    /// # Errors
    ///
    /// [`Error::Embedded`] if the file system refuses.
    pub fn own(&self, path: &Path) -> Result<(), Error> {
        if self.foreign {
            chown(path, Some(self.uid), Some(self.gid)).map_err(|error| failed("give away", path, &error))?;
        }
        Ok(())
    }

    /// Makes sure of a folder that only this account may enter.
    pub(super) fn own_dir(&self, path: &Path) -> Result<(), Error> {
        match DirBuilder::new().mode(0o700).create(path) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(failed("make", path, &error)),
            Ok(()) | Err(_) => self.own(path),
        }
    }

    /// Lets this account enter `folder`, and checks that it can walk down to there.
    pub(super) fn reach(&self, folder: &Path) -> Result<(), Error> {
        if !self.foreign {
            return Ok(());
        }
        let found = metadata(folder)?;
        if !self.may_enter(&found) {
            // This folder is ours to open, for entering alone: what is private in it has a mode of its own.
            let mode = Permissions::from_mode(found.mode() | 0o011);
            fs::set_permissions(folder, mode).map_err(|error| failed("open", folder, &error))?;
        }
        self.walk_to(folder, "choose a folder elsewhere with --data-dir, such as /var/lib/daybook")
    }

    /// Checks that this account can walk down to the server's programs, and that their place does no harm.
    pub(super) fn can_run(&self, bin_dir: &Path) -> Result<(), Error> {
        // They start each other by a shell, which reads their path between double quotes.
        if bin_dir.as_os_str().as_encoded_bytes().iter().any(|byte| b"\"$`\\\n".contains(byte)) {
            return Err(Error::Embedded(format!(
                "PostgreSQL's programs do not run from {}, for its name has signs of the shell; name another folder with \
                 --pg-bin",
                bin_dir.display()
            )));
        }
        if !self.foreign {
            return Ok(());
        }
        self.walk_to(bin_dir, "name programs elsewhere with --pg-bin, or let everybody enter that folder")
    }

    /// Checks that this account can walk down to `folder`; says what to do if not.
    fn walk_to(&self, folder: &Path, remedy: &str) -> Result<(), Error> {
        let mut ancestors: Vec<&Path> = folder.ancestors().collect();
        ancestors.reverse();
        for ancestor in ancestors {
            if !self.may_enter(&metadata(ancestor)?) {
                return Err(Error::Embedded(format!(
                    "the account {} that PostgreSQL runs under cannot enter the folder {}; {remedy}",
                    self.name(),
                    ancestor.display()
                )));
            }
        }
        Ok(())
    }

    fn may_enter(&self, found: &Metadata) -> bool {
        let entry = match (found.uid() == self.uid, found.gid() == self.gid) {
            (true, _) => 0o100,
            (false, true) => 0o010,
            (false, false) => 0o001,
        };
        found.mode() & entry != 0
    }

    fn user(&self) -> Option<User> {
        User::from_uid(Uid::from_raw(self.uid)).ok().flatten()
    }

    fn name(&self) -> String {
        self.user().map_or_else(|| self.uid.to_string(), |user| user.name)
    }

    fn nameless(&self) -> Error {
        Error::Embedded(format!(
            "PostgreSQL runs under accounts with a name, and {} has none: give it a line in /etc/passwd, start as another \
             user, or name a server with --database-url",
            self.uid
        ))
    }
}

fn metadata(path: &Path) -> Result<Metadata, Error> {
    path.metadata().map_err(|error| failed("look at", path, &error))
}
