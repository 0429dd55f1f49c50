//! Evidence: the bank's files of months, by id.

use daybook_domain::evidence::Evidence;

use crate::models::record::{Record, Records};
use crate::store::model::Definition;

/// Declaration of the read model.
pub(crate) const MODEL: Definition = Definition::record::<Evidence>();

/// The projection of evidence.
pub(crate) type EvidenceRecords = Records<Evidence>;

impl Record for Evidence {
    const TABLE: &'static str = "evidence";
    type Columns = ();
}
