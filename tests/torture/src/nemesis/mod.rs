//! Those who harm. A nemesis is a file with a strike, and a line in [`ALL`].

mod api_kill;
mod pg;

use async_trait::async_trait;

use crate::arena::Arena;
use crate::error::{Result, failed};
use crate::history::Phase;
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
