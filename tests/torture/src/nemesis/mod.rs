//! Faults. Each nemesis has a file with its strike, and a line in [`ALL`].

mod api_kill;
mod clock;
mod failpoint;
mod io_error;
mod lost_tail;
mod net;
mod pg;
mod rebuild;
mod stop;

use std::time::Duration;

use async_trait::async_trait;
use daybook_random::Random;

use crate::arena::Arena;
use crate::error::{Result, failed};
use crate::history::Phase;
use crate::proxy::Rule;

pub use clock::HOUR_S;
use failpoint::At;

/// A fault that can be injected.
#[async_trait]
pub trait Nemesis: Send + Sync {
    /// Injects the fault, and starts every process again that it killed, so that the system can recover.
    async fn strike(&self, arena: &Arena, random: &mut Random) -> Result<()>;

    /// Returns true if the fault needs services without additional variables, such as armed failpoints.
    fn is_calm(&self) -> bool {
        true
    }
}

/// Name of the fault that restarts services behind a balancer.
pub const ROLLING: &str = "rolling";
/// Name of the fault that lets clocks jump.
pub const CLOCK: &str = "clock";

/// Constructor of a nemesis.
type Make = fn() -> Box<dyn Nemesis>;

/// All faults, by their names in `--nemesis`.
pub const ALL: &[(&str, Make)] = &[
    ("api-kill", || Box::new(api_kill::AtRandom)),
    ("api-kill-aimed", || Box::new(api_kill::Aimed)),
    ("before-append", || Box::new(At { point: "engine.before_append", later_us: 0 })),
    ("before-commit", || Box::new(At { point: "log.before_commit", later_us: 0 })),
    ("in-commit", || Box::new(At { point: "log.before_commit", later_us: 1_500 })),
    ("after-commit", || Box::new(At { point: "log.after_commit", later_us: 0 })),
    ("after-answer", || Box::new(At { point: "engine.after_answer", later_us: 0 })),
    ("before-cursor", || Box::new(At { point: "projector.before_cursor", later_us: 0 })),
    ("after-cursor", || Box::new(At { point: "projector.after_cursor", later_us: 0 })),
    ("pause", || Box::new(stop::Pause)),
    ("sigterm", || Box::new(stop::Terminate)),
    (ROLLING, || Box::new(stop::Roll)),
    ("rebuild", || Box::new(rebuild::Rebuild)),
    ("pg-kill", || Box::new(pg::Kill)),
    ("pg-immediate", || Box::new(pg::Immediate)),
    ("backend-kill", || Box::new(pg::Backend)),
    (CLOCK, || Box::new(clock::Jump)),
    ("fsync-error", || Box::new(io_error::Fsync)),
    ("net-cut", || Box::new(net::Net(Rule::Cut))),
    ("net-reset", || Box::new(net::Net(Rule::Reset))),
    ("net-black-hole", || Box::new(net::Net(Rule::BlackHole))),
    ("net-half-open", || Box::new(net::Net(Rule::HalfOpen))),
    ("net-delay", || Box::new(net::Net(Rule::Delay(Duration::from_millis(100), Duration::from_millis(200))))),
    ("net-throttle", || Box::new(net::Net(Rule::Throttle(20_000)))),
    ("net-truncate", || Box::new(net::Net(Rule::Truncate))),
    ("commit-drop", || Box::new(net::CommitDrop)),
    ("lost-tail", || Box::new(lost_tail::LostTail)),
];

/// Returns the faults with these names.
pub fn named(names: &[String]) -> Result<Vec<(String, Box<dyn Nemesis>)>> {
    let find = |name: &String| {
        let found = ALL.iter().find(|(known, _)| known == name);
        let (_, make) = found.ok_or_else(|| failed(format!("no nemesis is called {name}")))?;
        Ok((name.clone(), make()))
    };
    names.iter().map(find).collect()
}

/// Injects one fault, and records its beginning and end in the history.
pub async fn strike(name: &str, nemesis: &dyn Nemesis, arena: &Arena, random: &mut Random) -> Result<()> {
    if nemesis.is_calm() {
        calm(arena).await?;
    }
    arena.history.nemesis(name, Phase::Begin);
    let struck = nemesis.strike(arena, random).await;
    arena.history.nemesis(name, Phase::End);
    struck
}

/// Restarts every service that has additional variables without them, and starts every service that does not run.
pub async fn calm(arena: &Arena) -> Result<()> {
    for host in &arena.hosts {
        host.calm().await?;
    }
    Ok(())
}
