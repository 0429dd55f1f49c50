//! Permissions of a subnet, and the class of account that it counts as.

use crate::named;

named! {
    /// Directions in which money may move by a subnet's number, as the API spells them.
    pub enum Allowed {
        /// Money may move in and out.
        CreditAndDebit => "CREDIT-AND-DEBIT",
        /// Money may move in only.
        Credit => "CREDIT",
        /// Money may move out only.
        Debit => "DEBIT",
        /// No money may move: the subnet is out of use.
        Inactive => "INACTIVE",
        /// No money may move until another value is set.
        Locked => "LOCKED",
    }
}

named! {
    /// A class of bank account, as the API spells it.
    #[derive(Default)]
    pub enum AccountClass {
        /// An account for payments.
        #[default]
        Checking => "CHECKING",
        /// An account for savings.
        Savings => "SAVINGS",
    }
}
