//! Lines of the report: every baseline, and every target with its goal.

use std::borrow::Cow;

use daybook_projector::Model;

use super::goal::{Bound, Goal, Of};
use crate::targets::create::MIN_RATIO;

/// A measured quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// Baseline B1.
    SimpleUpdate,
    /// Baseline B2.
    Insert,
    /// Baseline B3.
    CopyIn,
    /// Baseline B4.
    Select,
    /// Baseline B6.
    SelectBehindHttp,
    /// Baseline B5.
    CopyOut,
    /// Target 1. The other targets follow.
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
    /// Capacity of the service, and its throughput at a multiple of that load.
    Capacity,
    Overload(u8),
}

/// Description of a line.
pub(crate) struct Spec {
    /// Number of the target, or name of the baseline.
    pub(crate) name: &'static str,
    pub(crate) what: Cow<'static, str>,
    pub(crate) unit: Unit,
    pub(crate) goal: Option<Goal>,
    /// Line of the reported ratio, if the goal is no ratio.
    pub(crate) beside: Option<Line>,
}

/// Unit of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// Transactions, requests or rows per second.
    PerSecond,
    Events,
    Ms,
    Mib,
    Seconds,
}

impl Unit {
    /// Returns the text after a figure.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::PerSecond => "/s",
            Self::Events => "events/s",
            Self::Ms => "ms",
            Self::Mib => "MiB",
            Self::Seconds => "s",
        }
    }

    /// Formats a figure with its significant digits.
    pub(crate) fn show(self, figure: f64) -> String {
        match self {
            Self::PerSecond | Self::Events | Self::Mib => format!("{figure:.0}"),
            Self::Ms | Self::Seconds => format!("{figure:.2}"),
        }
    }
}

impl Line {
    /// Returns the description of a line. Source of the goals: the targets of this ledger, numbered as in
    /// `docs/PERFORMANCE.md`.
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
                ratio(Self::SimpleUpdate, MIN_RATIO, 3.0),
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
    /// Returns the sort key of a line: baselines come before targets, both by number. Lines with the same number stay
    /// in the order of their measurement.
    pub(crate) fn place(self) -> (bool, u8) {
        let name = self.spec().name;
        let number = name.trim_start_matches('B');
        (number == name, number.parse().unwrap_or_default())
    }

    /// Returns the name of a line in a ratio.
    pub(crate) fn label(self) -> String {
        let name = self.spec().name;
        if name.parse::<u8>().is_ok() { format!("target {name}") } else { name.to_owned() }
    }
}

impl Spec {
    /// Returns the line that the reported ratio compares with.
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
    fn baselines_precede_targets() {
        let mut lines =
            [Line::Ready, Line::Append, Line::Hot, Line::Select, Line::Create, Line::SimpleUpdate];
        lines.sort_by_key(|line| line.place());
        let expected = [Line::SimpleUpdate, Line::Select, Line::Create, Line::Hot, Line::Append, Line::Ready];
        assert_eq!(lines, expected);
    }

    #[test]
    fn ratio_names_its_base() {
        let labels = [Line::Hot, Line::Create, Line::Overload(2)];
        let labels = labels.map(|line| line.spec().ratio_to().map(Line::label));
        assert_eq!(labels, [Some("target 1".to_owned()), Some("B1".to_owned()), Some("C".to_owned())]);
        assert_eq!(Line::SimpleUpdate.spec().ratio_to(), None);
    }
}
