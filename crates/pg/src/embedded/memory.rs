//! How much memory there is for the server to share: a part of what the machine has, or the container.

use std::fs;

/// `shared_buffers`, in MiB, where nobody knows how much memory there is.
const UNKNOWN_MIB: u64 = 256;
/// The least and the most of it: PostgreSQL's own default, and what a table of a million accounts gains by.
const BOUNDS_MIB: (u64, u64) = (128, 2048);
/// Which part of the memory it is. PostgreSQL's manual speaks of a quarter for a machine of its own; this one is shared with
/// Daybook and whatever else runs there.
const PART: u64 = 16;

/// The value of `shared_buffers`.
pub(super) fn shared_buffers() -> String {
    let read = |path| fs::read_to_string(path).unwrap_or_default();
    let limits = LIMITS.map(read);
    let total = total_mib(&read("/proc/meminfo"), &limits);
    format!("{}MB", total.map_or(UNKNOWN_MIB, |total| (total / PART).clamp(BOUNDS_MIB.0, BOUNDS_MIB.1)))
}

/// Where the limit of a container stands: in cgroup 2, and in cgroup 1, where an enormous number means that there is none.
const LIMITS: [&str; 2] = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"];

/// What `meminfo` says that there is (`proc_meminfo(5)`), or the least of the container's `limits` if it is less.
fn total_mib(meminfo: &str, limits: &[String]) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let machine = line.trim().strip_suffix(" kB")?.parse::<u64>().ok()? / 1024;
    let limits = limits.iter().filter_map(|limit| limit.trim().parse::<u64>().ok());
    Some(limits.map(|bytes| bytes >> 20).fold(machine, u64::min))
}

#[cfg(test)]
mod tests {
    use super::total_mib;

    #[test]
    fn a_container_has_what_it_is_given() {
        let meminfo = "MemTotal:       24000000 kB\nMemFree:        1000 kB\n";
        let mib = |limits: [&str; 2]| total_mib(meminfo, &limits.map(str::to_owned));
        assert_eq!(mib(["", ""]), Some(23_437));
        assert_eq!(mib(["max\n", ""]), Some(23_437));
        assert_eq!(mib(["536870912\n", ""]), Some(512));
        // As cgroup 1 has it, with a limit and without one.
        assert_eq!(mib(["", "268435456\n"]), Some(256));
        assert_eq!(mib(["", "9223372036854771712\n"]), Some(23_437));
        assert_eq!(total_mib("", &["536870912\n".to_owned()]), None);
    }
}
