//! Parser for `/proc/<pid>/status` of Linux. Source: `proc_pid_status(5)`.

/// Returns the kilobytes after `label`, such as `VmRSS:`; `None` if there is no such line.
#[must_use]
pub fn in_kib(status: &str, label: &str) -> Option<u32> {
    let line = status.lines().find_map(|line| line.strip_prefix(label))?;
    line.trim().strip_suffix(" kB")?.parse().ok()
}
