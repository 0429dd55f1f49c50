//! Memory that the server may share between its processes: a part of the machine's memory, or of the container's.

use std::fs;

/// Value of `shared_buffers` in MiB if the amount of memory is unknown.
const UNKNOWN_MIB: u64 = 256;
/// Minimum and maximum of `shared_buffers` in MiB: PostgreSQL's own default, and the size from which a table of a
/// million accounts benefits.
const BOUNDS_MIB: (u64, u64) = (128, 2048);
/// Divisor of the memory. PostgreSQL's manual suggests a quarter for a dedicated machine; this one is shared with
/// Daybook and other programs.
const MEMORY_DIVISOR: u64 = 16;

/// Returns the value of `shared_buffers`.
pub(super) fn shared_buffers() -> String {
    let read = |path| fs::read_to_string(path).unwrap_or_default();
    let limits = LIMITS.map(read);
    let total = total_mib(&read("/proc/meminfo"), &limits);
    format!(
        "{}MB",
        total.map_or(UNKNOWN_MIB, |total| (total / MEMORY_DIVISOR).clamp(BOUNDS_MIB.0, BOUNDS_MIB.1))
    )
}

/// Files with the memory limit of a container: in cgroup 2, and in cgroup 1, where an enormous number means no limit.
const LIMITS: [&str; 2] = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"];

/// Returns the memory in MiB that `meminfo` (`proc_meminfo(5)`) reports, or the lowest of the container's `limits` if
/// it is lower.
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
    fn container_limit_bounds_the_memory() {
        let meminfo = "MemTotal:       24000000 kB\nMemFree:        1000 kB\n";
        let mib = |limits: [&str; 2]| total_mib(meminfo, &limits.map(str::to_owned));
        assert_eq!(mib(["", ""]), Some(23_437));
        assert_eq!(mib(["max\n", ""]), Some(23_437));
        assert_eq!(mib(["536870912\n", ""]), Some(512));
        // In the form of cgroup 1, with a limit and without one.
        assert_eq!(mib(["", "268435456\n"]), Some(256));
        assert_eq!(mib(["", "9223372036854771712\n"]), Some(23_437));
        assert_eq!(total_mib("", &["536870912\n".to_owned()]), None);
    }
}
