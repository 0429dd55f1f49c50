//! The lines of the report: every baseline, and every target with what it must be and aims at.

use std::borrow::Cow;

use daybook_projector::Model;

use super::goal::{Bound, Goal, Of};
use crate::targets::create::MUST;

/// Something that is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// B1.
    SimpleUpdate,
    /// B2.
    Insert,
    /// B3.
    CopyIn,
    /// B4.
    Select,
    /// B6.
    SelectBehindHttp,
    /// B5.
    CopyOut,
    /// Target 1, and so on.
    Create,
    Life,
    OpenLoop,
    Hot,
    Engine,
    EngineAlone,
    Verify,
    Rebuild(Model),
    LookAtTransaction,
    LookAtNode,
    Batch,
    Append,
    Lag,
    Memory,
    Ready,
    /// What can be done, and what is done where so many times as much is asked.
    Capacity,
    Overload(u8),
}

/// What the report says of a line.
pub(crate) struct Spec {
    /// The number of the target, or the name of the baseline.
    pub(crate) name: &'static str,
    pub(crate) what: Cow<'static, str>,
    pub(crate) unit: Unit,
    pub(crate) goal: Option<Goal>,
    /// What it is told as a ratio to, if its goal is none.
    pub(crate) beside: Option<Line>,
}

/// What a figure counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// Transactions, requests or rows.
    PerSecond,
    Events,
    Ms,
    Mib,
    Seconds,
}

impl Unit {
    /// After a figure.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::PerSecond => "/s",
            Self::Events => "events/s",
            Self::Ms => "ms",
            Self::Mib => "MiB",
            Self::Seconds => "s",
        }
    }

    /// A figure with as many digits as mean something.
    pub(crate) fn show(self, figure: f64) -> String {
        match self {
            Self::PerSecond | Self::Events | Self::Mib => format!("{figure:.0}"),
            Self::Ms | Self::Seconds => format!("{figure:.2}"),
        }
    }
}

impl Line {
    /// What the report says of it. Source of the goals: the targets of this ledger, numbered as in `docs/PERFORMANCE.md`.
    pub(crate) fn spec(self) -> Spec {
        use Bound::{Least, Most};
        use Unit::{Events, Mib, Ms, PerSecond, Seconds};
        let ratio = |to, must, aim| Some(Goal { of: Of::Ratio(to), bound: Least, must, aim });
        let least = |must, aim| Some(Goal { of: Of::Figure, bound: Least, must, aim });
        let most = |must, aim| Some(Goal { of: Of::Figure, bound: Most, must, aim });
        let spec = |name, what, unit, goal| Spec { name, what, unit, goal, beside: None };
        let said = Cow::Borrowed;
        let look = |what| spec("8", said(what), PerSecond, ratio(Self::SelectBehindHttp, 1.0, 2.0));
        match self {
            Self::SimpleUpdate => spec("B1", said("pgbench, simple update, 32 clients"), PerSecond, None),
            Self::Insert => Spec {
                beside: Some(Self::SimpleUpdate),
                ..spec("B2", said("INSERT of one row, 32 clients"), PerSecond, None)
            },
            Self::CopyIn => spec("B3", said("COPY of 100 rows a commit, 8 connections"), Events, None),
            Self::Select => spec("B4", said("pooled SELECT by primary key, 64 tasks"), PerSecond, None),
            Self::SelectBehindHttp => {
                spec("B6", said("the same behind HTTP, 64 connections"), PerSecond, None)
            }
            Self::CopyOut => spec("B5", said("COPY of the whole log, received"), Events, None),
            Self::Create => spec(
                "1",
                said("transaction created through HTTP, 256 connections"),
                PerSecond,
                ratio(Self::SimpleUpdate, MUST, 3.0),
            ),
            Self::Life => spec(
                "2",
                said("whole life of a transaction, created … settled"),
                PerSecond,
                ratio(Self::SimpleUpdate, 0.5, 1.0),
            ),
            Self::OpenLoop => {
                spec("3", said("p99 of creating, 64 connections, open loop"), Ms, most(15.0, 8.0))
            }
            Self::Hot => {
                spec("4", said("one hot node in every transaction"), PerSecond, ratio(Self::Create, 0.8, 1.0))
            }
            Self::Engine => spec(
                "5",
                said("engine without HTTP, 256 producers, read models kept"),
                Events,
                ratio(Self::CopyIn, 0.5, 0.8),
            ),
            Self::EngineAlone => Spec {
                beside: Some(Self::CopyIn),
                ..spec("5", said("the same, read models not kept meanwhile"), Events, None)
            },
            Self::Verify => Spec {
                beside: Some(Self::CopyOut),
                ..spec("6", said("replay with full verification"), Events, least(1.0e6, 1.5e6))
            },
            Self::Rebuild(model) => Spec {
                beside: Some(Self::CopyOut),
                ..spec("7", format!("rebuild of {model}, with indexes").into(), Events, least(0.4e6, 0.75e6))
            },
            Self::LookAtTransaction => look("GET of a transaction, 64 connections"),
            Self::LookAtNode => look("GET of a node with its balance, 64 connections"),
            Self::Batch => spec(
                "9",
                said("transactions created 100 per request"),
                PerSecond,
                ratio(Self::SimpleUpdate, 4.0, 6.0),
            ),
            Self::Append => spec(
                "10",
                said("as 1, on the log with the history"),
                PerSecond,
                ratio(Self::Create, 0.9, 0.95),
            ),
            Self::Lag => spec("11", said("p99 of the read models' lag"), Ms, most(250.0, 50.0)),
            Self::Memory => {
                spec("12", said("memory of the server with the history, under load"), Mib, most(512.0, 256.0))
            }
            Self::Ready => spec("13", said("start to ready with the history"), Seconds, most(5.0, 1.0)),
            Self::Capacity => spec("C", said("capacity: closed loop, 256 connections"), PerSecond, None),
            Self::Overload(factor) => Spec {
                beside: Some(Self::Capacity),
                ..spec("", format!("accepted of {factor} × capacity, open loop").into(), PerSecond, None)
            },
        }
    }
}

impl Line {
    /// Baselines come before targets in the report, both by their numbers; what has the same stays as it was measured.
    pub(crate) fn place(self) -> (bool, u8) {
        let name = self.spec().name;
        let number = name.trim_start_matches('B');
        (number == name, number.parse().unwrap_or_default())
    }

    /// What a ratio to it is told as a multiple of.
    pub(crate) fn label(self) -> String {
        let name = self.spec().name;
        if name.parse::<u8>().is_ok() { format!("target {name}") } else { name.to_owned() }
    }
}

impl Spec {
    /// What it is told as a ratio to.
    pub(crate) fn ratio_to(&self) -> Option<Line> {
        match self.goal {
            Some(Goal { of: Of::Ratio(to), .. }) => Some(to),
            Some(_) | None => self.beside,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn baselines_come_first_and_targets_in_their_order() {
        let mut lines =
            [Line::Ready, Line::Append, Line::Hot, Line::Select, Line::Create, Line::SimpleUpdate];
        lines.sort_by_key(|line| line.place());
        let expected = [Line::SimpleUpdate, Line::Select, Line::Create, Line::Hot, Line::Append, Line::Ready];
        assert_eq!(lines, expected);
    }

    #[test]
    fn a_ratio_names_what_it_is_to() {
        let labels = [Line::Hot, Line::Create, Line::Overload(2)];
        let labels = labels.map(|line| line.spec().ratio_to().map(Line::label));
        assert_eq!(labels, [Some("target 1".to_owned()), Some("B1".to_owned()), Some("C".to_owned())]);
        assert_eq!(Line::SimpleUpdate.spec().ratio_to(), None);
    }
}
