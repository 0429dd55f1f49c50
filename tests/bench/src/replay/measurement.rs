//! The measurements, in the order in which they are made.

use std::fmt;
use std::time::Duration;

use daybook_projector::Model;

use super::scratch::Scratch;
use super::{Figure, Stage, copy_out, decode, fold, pages, project, rebuild, tail, verify};
use crate::baselines::copy_in;
use crate::error::Error;

/// Duration of B3.
const COPY_DURATION: Duration = Duration::from_secs(3);

/// A measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Measurement {
    Pages,
    CopyOut,
    CopyIn,
    Decode,
    OneByOne,
    Ahead,
    Fold,
    Verify,
    Rebuild(Model),
    Project,
}

impl Measurement {
    /// Returns all measurements. The first one is the base of the ratios.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        use Measurement::{Ahead, CopyIn, CopyOut, Decode, Fold, OneByOne, Pages, Project, Verify};
        [Pages, CopyOut, CopyIn, Decode, OneByOne, Ahead, Fold, Verify]
            .into_iter()
            .chain(rebuild::MODELS.map(Self::Rebuild))
            .chain([Project])
    }

    /// Returns true if the name contains one of `only`. The baseline is always measured.
    pub(super) fn is_wanted(self, only: &[String]) -> bool {
        let name = self.to_string();
        self == Self::Pages || only.is_empty() || only.iter().any(|part| name.contains(part))
    }

    /// Makes the measurement.
    pub(super) async fn take(self, stage: &Stage, scratch: &Scratch) -> Result<Figure, Error> {
        match self {
            Self::Pages => pages::measure(stage).await,
            Self::CopyOut => copy_out::measure(stage).await,
            Self::CopyIn => {
                let (events, elapsed) = copy_in::measure(&scratch.pg, COPY_DURATION).await?;
                Ok(Figure { events, seconds: elapsed.as_secs_f64() })
            }
            Self::Decode => decode::measure(stage).await,
            Self::OneByOne => tail::one_by_one(stage).await,
            Self::Ahead => tail::ahead(stage).await,
            Self::Fold => fold::measure(stage).await,
            Self::Verify => verify::measure(stage).await,
            Self::Rebuild(model) => rebuild::measure(stage, model).await,
            Self::Project => project::measure(stage, scratch).await,
        }
    }
}

impl fmt::Display for Measurement {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Pages => "PostgreSQL: pages of 5,000 rows, received",
            Self::CopyOut => "PostgreSQL: COPY of the log, binary",
            Self::CopyIn => "B3: COPY of 100 rows a commit, 8 connections",
            Self::Decode => "decode alone, from memory, one thread",
            Self::OneByOne => "read and decode, a page at a time",
            Self::Ahead => "read and decode, pages ahead",
            Self::Fold => "read, decode and fold everything",
            Self::Verify => "log verify: every rule, every box",
            Self::Project => "runner: every read model, from zero",
            Self::Rebuild(model) => return write!(out, "rebuild of {model}, with its indexes"),
        })
    }
}
