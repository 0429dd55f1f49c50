//! Metrics of this process from the operating system, under the standard names of Prometheus. On systems other than
//! Linux there are none.

use std::fs;

use super::sample::{Sample, count};
use crate::proc_status::in_kib;

/// Reads the current values.
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
