//! A side of a transaction, as operators see it: no name.

use daybook_domain::transaction::Party;
use serde::Serialize;
use utoipa::ToSchema;

/// The node of a side, or the rail by which it is outside.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = TransactionParty)]
pub(super) struct Side {
    id: String,
    #[serde(rename = "type")]
    kind: &'static str,
    user_id: String,
}

/// The record.
pub(super) fn render(party: &Party) -> Side {
    match party {
        Party::Node { id, user, kind } => {
            Side { id: id.to_string(), kind: kind.as_str(), user_id: user.to_string() }
        }
        Party::Outside { rail } => Side { id: String::new(), kind: rail.as_str(), user_id: String::new() },
    }
}
