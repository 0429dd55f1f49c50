//! CPU time of the server, of PostgreSQL, of this process and of all other processes, as Linux counts it; zero on other
//! systems.

use std::fs;

use daybook_cli::proc_status::in_kib;
use serde::Serialize;

/// Unit of CPU time in Linux's interfaces: hundredths of a second on every architecture.
const TICKS_PER_SECOND: f64 = 100.0;

/// Processes of a measurement.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Processes {
    /// Server under test; none if it runs in this process, or there is none.
    pub(crate) server: Option<i32>,
    /// Parent of all processes of PostgreSQL.
    pub(crate) postmaster: Option<i32>,
}

/// CPU time in seconds; divided by elapsed time, the number of busy cores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Cpu {
    /// Server under test.
    pub(crate) server: f64,
    /// PostgreSQL: the postmaster and its children, including ended ones.
    pub(crate) postgres: f64,
    /// This process and the programs that it ran to their end: the load generator.
    pub(crate) generator: f64,
    /// All other processes, and time that the virtualization host takes away. If this is large, figures mean little.
    pub(crate) others: f64,
}

impl Processes {
    /// Returns the CPU time used so far.
    pub(crate) fn cpu(self) -> Cpu {
        let server = self.server.and_then(Usage::of).map_or(0.0, |usage| usage.own_s);
        let postgres = self.postmaster.map_or(0.0, tree);
        let generator = Usage::read("/proc/self/stat").map_or(0.0, |usage| usage.own_s + usage.buried_s);
        let all = fs::read_to_string("/proc/stat").ok().and_then(|stat| busy(&stat)).unwrap_or_default();
        Cpu { server, postgres, generator, others: all - server - postgres - generator }
    }
}

impl Cpu {
    /// Returns the mean number of busy cores in the `seconds` since `earlier`.
    pub(crate) fn cores_since(self, earlier: Self, seconds: f64) -> Self {
        Self {
            server: (self.server - earlier.server) / seconds,
            postgres: (self.postgres - earlier.postgres) / seconds,
            generator: (self.generator - earlier.generator) / seconds,
            // The clocks are read one after the other, so the difference may be negative.
            others: ((self.others - earlier.others) / seconds).max(0.0),
        }
    }
}

/// Returns the present memory of a process, in MiB.
pub(crate) fn resident_mib(pid: i32) -> Option<f64> {
    in_mib(&fs::read_to_string(format!("/proc/{pid}/status")).ok()?, "VmRSS:")
}

/// Returns the peak memory of a process, in MiB.
pub(crate) fn peak_mib(pid: i32) -> Option<f64> {
    in_mib(&fs::read_to_string(format!("/proc/{pid}/status")).ok()?, "VmHWM:")
}

fn in_mib(status: &str, label: &str) -> Option<f64> {
    Some(f64::from(in_kib(status, label)?) / 1024.0)
}

/// Returns the time in which cores were busy or taken away, in seconds. Source: `proc_stat(5)`: user, nice, system,
/// idle, iowait, irq, softirq, steal.
fn busy(stat: &str) -> Option<f64> {
    let ticks: Vec<f64> =
        stat.lines().next()?.split_whitespace().skip(1).map_while(|field| field.parse().ok()).collect();
    let busy = [0, 1, 2, 5, 6, 7].into_iter().map(|field| ticks.get(field).copied().unwrap_or_default());
    Some(busy.sum::<f64>() / TICKS_PER_SECOND)
}

/// Returns the CPU time of a process, its living children, and its children that have ended.
fn tree(parent: i32) -> f64 {
    let Ok(processes) = fs::read_dir("/proc") else { return 0.0 };
    let stats = processes.flatten().map(|process| process.path().join("stat"));
    let living = stats.filter_map(|path| Usage::read(path.to_str()?)).filter(|usage| usage.parent == parent);
    let buried = Usage::of(parent).map_or(0.0, |usage| usage.own_s + usage.buried_s);
    living.map(|usage| usage.own_s).sum::<f64>() + buried
}

struct Usage {
    parent: i32,
    own_s: f64,
    buried_s: f64,
}

impl Usage {
    fn of(pid: i32) -> Option<Self> {
        Self::read(&format!("/proc/{pid}/stat"))
    }

    fn read(path: &str) -> Option<Self> {
        Self::parse(&fs::read_to_string(path).ok()?)
    }

    /// Parses the file. Source: `proc_pid_stat(5)`. The name in parentheses may contain anything, so fields are counted
    /// from its end.
    fn parse(stat: &str) -> Option<Self> {
        let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        let seconds =
            |ticks: usize| fields.get(ticks)?.parse::<f64>().ok().map(|ticks| ticks / TICKS_PER_SECOND);
        Some(Self {
            parent: fields.get(1)?.parse().ok()?,
            own_s: seconds(11)? + seconds(12)?,
            buried_s: seconds(13)? + seconds(14)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn process_name_does_not_shift_fields() {
        let stat = "42 (post) gres (x) S 7 42 42 0 -1 4194560 1 2 3 4 150 50 300 100 20 0 1 0";
        let usage = Usage::parse(stat).expect("well formed");
        assert_eq!((usage.parent, usage.own_s, usage.buried_s), (7, 2.0, 4.0));
    }

    #[test]
    fn memory_is_converted_to_mib() {
        let status = "Name:\tdaybook\nVmHWM:\t  262144 kB\nVmRSS:\t  131072 kB\n";
        assert_eq!((in_mib(status, "VmRSS:"), in_mib(status, "VmHWM:")), (Some(128.0), Some(256.0)));
        assert_eq!(in_mib("Name:\tx\n", "VmRSS:"), None);
    }

    #[test]
    fn cores_are_cpu_seconds_per_second() {
        let earlier = Cpu { server: 1.0, postgres: 2.0, generator: 3.0, others: 4.0 };
        let later = Cpu { server: 3.0, postgres: 6.0, generator: 4.0, others: 3.9 };
        let cores = Cpu { server: 1.0, postgres: 2.0, generator: 0.5, others: 0.0 };
        assert_eq!(later.cores_since(earlier, 2.0), cores);
    }

    #[test]
    fn idle_and_waiting_cores_are_not_busy() {
        assert_eq!(busy("cpu  100 20 30 9000 800 10 20 20 5 5\ncpu0 1 1 1 1\n"), Some(2.0));
    }
}
