//! What Linux tells of a process in `/proc/<pid>/status`. Source: `proc_pid_status(5)`.

/// The kilobytes behind `label`, such as `VmRSS:`; none if there is no such line.
#[must_use]
pub fn in_kib(status: &str, label: &str) -> Option<u32> {
    let line = status.lines().find_map(|line| line.strip_prefix(label))?;
    line.trim().strip_suffix(" kB")?.parse().ok()
}
