//! CPU seconds of this process, of one thread, and of PostgreSQL, as Linux counts them; zero on other systems.

use std::fs;

/// Linux counts CPU time for programs in hundredths of a second on every architecture.
const TICKS_PER_SECOND: f64 = 100.0;

/// CPU time used so far, in seconds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cpu {
    /// This process: server and load generator together.
    pub(super) own_s: f64,
    /// PostgreSQL: the postmaster and its children, ended ones included.
    pub(super) postgres_s: f64,
}

impl Cpu {
    /// What this process and the server of `postmaster` have used so far.
    pub(super) fn now(postmaster: Option<i32>) -> Self {
        let own_s = Usage::read("/proc/self/stat").map_or(0.0, |usage| usage.own_s);
        Self { own_s, postgres_s: postmaster.map_or(0.0, tree) }
    }

    /// What was used since `earlier`.
    pub(super) fn since(self, earlier: Self) -> Self {
        Self { own_s: self.own_s - earlier.own_s, postgres_s: self.postgres_s - earlier.postgres_s }
    }
}

/// What the calling thread has used so far, in seconds.
pub(super) fn this_thread_s() -> f64 {
    Usage::read("/proc/thread-self/stat").map_or(0.0, |usage| usage.own_s)
}

/// The parent, its living children, and those it has buried.
fn tree(parent: i32) -> f64 {
    let Ok(processes) = fs::read_dir("/proc") else { return 0.0 };
    let stats = processes.flatten().map(|process| process.path().join("stat"));
    let living = stats.filter_map(|path| Usage::read(path.to_str()?)).filter(|usage| usage.parent == parent);
    let buried =
        Usage::read(&format!("/proc/{parent}/stat")).map_or(0.0, |usage| usage.own_s + usage.buried_s);
    living.map(|usage| usage.own_s).sum::<f64>() + buried
}

struct Usage {
    parent: i32,
    own_s: f64,
    buried_s: f64,
}

impl Usage {
    fn read(path: &str) -> Option<Self> {
        Self::parse(&fs::read_to_string(path).ok()?)
    }

    /// Source: `proc_pid_stat(5)`. The name, in parentheses, may hold anything, so fields count from its end.
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
    fn a_name_with_blanks_and_parentheses_does_not_shift_the_fields() {
        let stat = "42 (post) gres (x) S 7 42 42 0 -1 4194560 1 2 3 4 150 50 300 100 20 0 1 0";
        let usage = Usage::parse(stat).expect("well formed");
        assert_eq!((usage.parent, usage.own_s, usage.buried_s), (7, 2.0, 4.0));
    }
}
