//! Histories as text, so that a failing one can be stored and repeated: `7 0,3,9` means three steps of seed 7, and `7
//! 0,3,9 3` the same in three shards; `faults
//! 7 0,3 Kill,Sleep` means two operations of the run with faults of seed 7, without the faults `Kill` and `Sleep`.

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

use daybook_log::Shard;

use crate::faults::{self, Fault, Plan};
use crate::history::{self, Statistics};
use crate::runtime;

/// A stored history.
#[derive(Clone, Debug)]
pub(crate) enum Kept {
    /// A history without faults.
    Plain { seed: u64, shards: Shard, steps: Vec<u64> },
    /// A run with faults.
    Faults(Plan),
}

impl Kept {
    /// Executes the history.
    ///
    /// # Errors
    ///
    /// Description of the violation, if there is one.
    pub(crate) fn live(&self) -> Result<(), String> {
        match self {
            Self::Plain { seed, shards, steps } => {
                let lived = history::live(&runtime(), (*seed, *shards), steps, false, &mut Statistics::new());
                lived.map_err(|failure| failure.what)
            }
            Self::Faults(plan) => faults::live(plan).failure.map_or(Ok(()), Err),
        }
    }

    /// Shortens a failing history. Returns it with its violation and the steps before it.
    pub(crate) fn shrunk((seed, shards): (u64, Shard), steps: &[u64]) -> (Self, String, Vec<String>) {
        let failed = history::live(&runtime(), (seed, shards), steps, false, &mut Statistics::new());
        let Err(failure) = failed else {
            return (
                Self::Plain { seed, shards, steps: steps.to_vec() },
                "it does not fail again".into(),
                vec![],
            );
        };
        let failure = history::shrink(&runtime(), *failure);
        (Self::Plain { seed, shards, steps: failure.steps }, failure.what, failure.trace)
    }

    /// Shortens a failing run with faults, as [`Kept::shrunk`].
    pub(crate) fn shrunk_with_faults(seed: u64, operations: u64) -> (Self, String, Vec<String>) {
        let (plan, report) = faults::shrink(&Plan::of(seed, operations));
        let trace = report.seen.iter().filter(|(what, _)| what.starts_with("fault"));
        let trace = trace.map(|(what, count)| format!("{count:>4}  {what}")).collect();
        (Self::Faults(plan), report.failure.unwrap_or("it does not fail again".into()), trace)
    }
}

impl Display for Kept {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let list = |numbers: &[u64]| numbers.iter().map(u64::to_string).collect::<Vec<_>>().join(",");
        match self {
            Self::Plain { seed, shards: 1, steps } => write!(f, "{seed} {}", list(steps)),
            Self::Plain { seed, shards, steps } => write!(f, "{seed} {} {shards}", list(steps)),
            Self::Faults(Plan { seed, operations, spared }) => {
                write!(f, "faults {seed} {}", list(operations))?;
                let spared: Vec<_> = spared.iter().map(|fault| format!("{fault:?}")).collect();
                if spared.is_empty() { Ok(()) } else { write!(f, " {}", spared.join(",")) }
            }
        }
    }
}

impl FromStr for Kept {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let mut words = text.split(' ');
        let first = words.next().ok_or(())?;
        let with_faults = first == "faults";
        let seed = if with_faults { words.next().ok_or(())? } else { first };
        let seed = seed.parse().map_err(drop)?;
        let list = words.next().unwrap_or_default().split(',').filter(|number| !number.is_empty());
        let steps = list.map(|number| number.parse().map_err(drop)).collect::<Result<Vec<u64>, ()>>()?;
        if !with_faults {
            let shards = words.next().map_or(Ok(1), str::parse).map_err(drop)?;
            return Ok(Self::Plain { seed, shards, steps });
        }
        let spared = words.next().unwrap_or_default().split(',').filter(|name| !name.is_empty());
        let named = |name: &str| Fault::ALL.into_iter().find(|fault| format!("{fault:?}") == name).ok_or(());
        let spared = spared.map(named).collect::<Result<_, ()>>()?;
        Ok(Self::Faults(Plan { seed, operations: steps, spared }))
    }
}
