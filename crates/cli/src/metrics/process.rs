//! What the operating system knows of this process, under the names that every dashboard knows. Nothing on other systems
//! than Linux.

use std::fs;

use super::sample::{Sample, count};
use crate::proc_status::in_kib;

/// What it knows now.
pub(super) fn sample() -> Sample {
    let mut sample = Sample::new("process");
    if let Some(bytes) = resident_bytes() {
        sample.gauge("resident_memory_bytes", "Memory that this process holds", count(bytes));
    }
    if let Ok(open) = fs::read_dir("/proc/self/fd") {
        sample.gauge("open_fds", "File descriptors of this process", count(open.count() as u64));
    }
    sample
}

fn resident_bytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    Some(u64::from(in_kib(&status, "VmRSS:")?) * 1024)
}
