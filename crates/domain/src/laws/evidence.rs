//! Generators of commands about the bank's files of a month.

use proptest::prelude::*;
use proptest::sample::select;

use super::people::any_paper;
use crate::Command;
use crate::calendar::Month;
use crate::evidence::destroy::DestroyEvidence;
use crate::evidence::keep::KeepPart;
use crate::id::EvidenceId;
use crate::testing::fixture::{CUSTODY, OWNER, PLATFORM};

/// Months whose retention has ended long ago, ended just now, or lasts.
const MONTHS: [&str; 3] = ["1950-01", "1959-12", "1970-01"];

/// A part of a bank's file that is kept, or the end of its retention.
pub(super) fn any_evidence() -> impl Strategy<Value = Command> {
    let months = MONTHS.map(|month| month.parse::<Month>().expect("a month"));
    let keep = (select(months.to_vec()), any_paper()).prop_map(|(month, part)| {
        KeepPart { platform: PLATFORM, subject: OWNER, custody: CUSTODY, month, part }.into()
    });
    let destroy = select(months.to_vec())
        .prop_map(|month| DestroyEvidence { id: EvidenceId::of(CUSTODY, month) }.into());
    prop_oneof![3 => keep, 1 => destroy]
}
