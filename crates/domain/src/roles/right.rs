//! Table of roles and rights.

use crate::named;

named! {
    /// A role of an operator.
    #[derive(PartialOrd, Ord)]
    pub enum Role {
        /// Reads everything except names of people.
        Auditor => "auditor",
        /// Serves people: exports, holds and erases their records.
        Support => "support",
        /// Acts on the ledger.
        Operator => "operator",
        /// Approves and declines what operators request.
        Approver => "approver",
        /// Sets policies, and the roles of operators. Has every right.
        Admin => "admin",
    }
}

named! {
    /// A right, which a call of an operator needs.
    pub enum Right {
        /// Reads the records of platforms.
        Read => "read",
        /// Acts on the ledger: operations, statements, returns.
        Act => "act",
        /// Approves and declines operations.
        Review => "review",
        /// Exports, holds and erases the records of a person.
        People => "people",
        /// Sets the policy of a platform.
        Configure => "configure",
    }
}

impl Role {
    /// Rights of the role.
    #[must_use]
    pub const fn rights(self) -> &'static [Right] {
        match self {
            Self::Auditor => &[Right::Read],
            Self::Support => &[Right::People],
            Self::Operator => &[Right::Read, Right::Act],
            Self::Approver => &[Right::Read, Right::Review],
            Self::Admin => &Right::ALL,
        }
    }
}
