//! Those who harm. A nemesis is a file with a strike, and a line in [`ALL`].

mod api_kill;
mod net;
mod pg;

use std::time::Duration;

use async_trait::async_trait;

use crate::arena::Arena;
use crate::error::{Result, failed};
use crate::history::Phase;
use crate::proxy::Rule;
use crate::random::Random;

/// Somebody who harms.
#[async_trait]
pub trait Nemesis: Send + Sync {
    /// Does its harm, and sees to it that the rest can heal by itself: what was killed is started again.
    async fn strike(&self, arena: &Arena, random: &mut Random) -> Result<()>;
}

/// How one is made.
type Make = fn() -> Box<dyn Nemesis>;

/// Everybody who can be asked for with `--nemesis`.
pub const ALL: &[(&str, Make)] = &[
    ("api-kill", || Box::new(api_kill::AtRandom)),
    ("api-kill-aimed", || Box::new(api_kill::Aimed)),
    ("pg-kill", || Box::new(pg::Kill)),
    ("pg-immediate", || Box::new(pg::Immediate)),
    ("backend-kill", || Box::new(pg::Backend)),
    ("net-cut", || Box::new(net::Net(Rule::Cut))),
    ("net-reset", || Box::new(net::Net(Rule::Reset))),
    ("net-black-hole", || Box::new(net::Net(Rule::BlackHole))),
    ("net-half-open", || Box::new(net::Net(Rule::HalfOpen))),
    ("net-delay", || Box::new(net::Net(Rule::Delay(Duration::from_millis(100), Duration::from_millis(200))))),
    ("net-throttle", || Box::new(net::Net(Rule::Throttle(20_000)))),
    ("net-truncate", || Box::new(net::Net(Rule::Truncate))),
    ("commit-drop", || Box::new(net::CommitDrop)),
];

/// Those of these names.
pub fn named(names: &[String]) -> Result<Vec<(String, Box<dyn Nemesis>)>> {
    let find = |name: &String| {
        let found = ALL.iter().find(|(known, _)| known == name);
        let (_, make) = found.ok_or_else(|| failed(format!("no nemesis is called {name}")))?;
        Ok((name.clone(), make()))
    };
    names.iter().map(find).collect()
}

/// One strike, noted in the history.
pub async fn strike(name: &str, nemesis: &dyn Nemesis, arena: &Arena, random: &mut Random) -> Result<()> {
    arena.history.nemesis(name, Phase::Begin);
    let struck = nemesis.strike(arena, random).await;
    arena.history.nemesis(name, Phase::End);
    struck
}
