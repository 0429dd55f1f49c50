//! A disk that can lose power and can be filled: an image with ext4 on a loop device.
//!
//! A copy of the image contains everything that the file system has written to the disk, and nothing that is in memory
//! only: the state of a disk after a power cut. Needs root and loop devices.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use nix::libc::ENOSPC;

use crate::error::{Result, failed};

/// Mount options. Metadata are written by themselves every 60 seconds only, so that a power cut loses much of what was
/// not synced.
const OPTIONS: &str = "loop,commit=60";

/// A mounted disk. It is unmounted when it is dropped.
#[derive(Debug)]
pub struct Disk {
    image: PathBuf,
    mount: PathBuf,
}

impl Disk {
    /// Creates a disk of `megabytes` MiB in `folder` and mounts it there, as `name`.
    ///
    /// # Errors
    ///
    /// Fails if this process is not root, or there are no loop devices.
    pub fn make(folder: &Path, name: &str, megabytes: u64) -> Result<Self> {
        let disk = Self { image: folder.join(format!("{name}.img")), mount: folder.join(name) };
        std::fs::File::create(&disk.image)?.set_len(megabytes * 1024 * 1024)?;
        std::fs::create_dir_all(&disk.mount)?;
        run(Command::new("mkfs.ext4").args(["-qF", "-m", "0"]).arg(&disk.image))?;
        disk.mount().map_err(|error| failed(format!("a disk needs root and loop devices: {error}")))?;
        Ok(disk)
    }

    /// Returns the mount point.
    pub fn path(&self) -> &Path {
        &self.mount
    }

    /// Copies the current image. Returns the path of the copy.
    pub fn snapshot(&self) -> Result<PathBuf> {
        let copy = self.image.with_extension("copy");
        run(Command::new("cp").arg("--sparse=always").arg(&self.image).arg(&copy))?;
        Ok(copy)
    }

    /// Replaces the disk by `copy`, as if the power had been cut when the copy was made.
    pub fn replace(&self, copy: &Path) -> Result<()> {
        self.unmount()?;
        std::fs::rename(copy, &self.image)?;
        self.mount()
    }

    /// Writes all cached data to the disk.
    pub fn sync(&self) -> Result<()> {
        run(Command::new("sync").arg("-f").arg(&self.mount))
    }

    /// Fills the disk to the last byte. May be called again after space was freed.
    pub fn fill(&self) -> Result<()> {
        let mut ballast = OpenOptions::new().create(true).append(true).open(self.ballast())?;
        let piece = vec![1; 1024 * 1024];
        for size in [piece.len(), 4096, 1] {
            while ballast.write_all(&piece[..size]).is_ok() {}
        }
        ballast
            .sync_all()
            .or_else(|error| if error.raw_os_error() == Some(ENOSPC) { Ok(()) } else { Err(error) })?;
        Ok(())
    }

    /// Removes the file that fills the disk.
    pub fn empty(&self) -> Result<()> {
        Ok(std::fs::remove_file(self.ballast())?)
    }

    fn ballast(&self) -> PathBuf {
        self.mount.join("ballast")
    }

    fn mount(&self) -> Result<()> {
        run(Command::new("mount").args(["-o", OPTIONS]).arg(&self.image).arg(&self.mount))
    }

    fn unmount(&self) -> Result<()> {
        run(Command::new("umount").arg(&self.mount))
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = self.unmount();
        let _ = std::fs::remove_file(&self.image);
    }
}

fn run(command: &mut Command) -> Result<()> {
    let output = command.output()?;
    if output.status.success() {
        return Ok(());
    }
    Err(failed(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr).trim())))
}
