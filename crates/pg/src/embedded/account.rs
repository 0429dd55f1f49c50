//! Operating system account that the server runs under: PostgreSQL refuses to run as root.

use std::fs::{self, DirBuilder, Metadata, Permissions};
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use nix::unistd::{Gid, Uid, User};

use super::folder::failed;
use crate::Error;

/// Accounts that root switches to, in order of preference.
const UNPRIVILEGED: [&str; 3] = ["postgres", "daybook", "nobody"];

/// An account. It is the account of this process, unless the process runs as root.
#[derive(Clone, Debug)]
pub struct Account {
    uid: u32,
    gid: u32,
    /// True if it is another account than that of this process. Only root can switch to it.
    foreign: bool,
}

impl Account {
    /// Chooses the account for the cluster in `pgdata`. An existing cluster is run by its owner, because no other
    /// account may run it.
    ///
    /// # Errors
    ///
    /// [`Error::Embedded`] if the process runs as root and there is no unprivileged account, or if the account has no
    /// name.
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

    /// Makes `command` run under this account, without `PG*` variables and in a folder that the account may enter.
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

    /// Makes this account the owner of a file or folder.
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

    /// Creates a folder that only this account may enter, if it is missing.
    pub(super) fn own_dir(&self, path: &Path) -> Result<(), Error> {
        match DirBuilder::new().mode(0o700).create(path) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(failed("make", path, &error)),
            Ok(()) | Err(_) => self.own(path),
        }
    }

    /// Lets this account enter `folder`, and checks that it can enter every folder above.
    pub(super) fn reach(&self, folder: &Path) -> Result<(), Error> {
        if !self.foreign {
            return Ok(());
        }
        let found = metadata(folder)?;
        if !self.may_enter(&found) {
            // The folder is opened for entering only. Private files in it have modes of their own.
            let mode = Permissions::from_mode(found.mode() | 0o011);
            fs::set_permissions(folder, mode).map_err(|error| failed("open", folder, &error))?;
        }
        self.walk_to(folder, "choose a folder elsewhere with --data-dir, such as /var/lib/daybook")
    }

    /// Checks that this account can enter the folder of the server's programs, and that its path is safe in a shell.
    pub(super) fn can_run(&self, bin_dir: &Path) -> Result<(), Error> {
        // The programs start each other by a shell, which gets their path in double quotes.
        if bin_dir.as_os_str().as_encoded_bytes().iter().any(|byte| b"\"$`\\\n".contains(byte)) {
            return Err(Error::Embedded(format!(
                "PostgreSQL's programs do not run from {}, because its name has characters that a shell interprets; name \
                 another folder with --pg-bin",
                bin_dir.display()
            )));
        }
        if !self.foreign {
            return Ok(());
        }
        self.walk_to(bin_dir, "name programs elsewhere with --pg-bin, or let everybody enter that folder")
    }

    /// Checks that this account can enter every folder down to `folder`. `remedy` is part of the error.
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
