//! Side of a transaction for operators: without a name.

use daybook_domain::transaction::Party;
use serde::Serialize;
use utoipa::ToSchema;

/// Side of a transaction: a node, or the rail of an external side. For a rail `id` and `user_id` are empty.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = TransactionParty)]
pub(super) struct Side {
    id: String,
    #[serde(rename = "type")]
    kind: &'static str,
    user_id: String,
}

/// Renders the side.
pub(super) fn render(party: &Party) -> Side {
    match party {
        Party::Node { id, user, kind } => {
            Side { id: id.to_string(), kind: kind.as_str(), user_id: user.to_string() }
        }
        Party::Outside { rail } => Side { id: String::new(), kind: rail.as_str(), user_id: String::new() },
    }
}
