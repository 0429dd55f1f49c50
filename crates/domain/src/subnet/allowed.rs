//! What a subnet allows, and what others take it for.

use crate::named;

named! {
    /// Which way money may go by a subnet's number, as the API spells it.
    pub enum Allowed {
        /// In and out.
        CreditAndDebit => "CREDIT-AND-DEBIT",
        /// In only.
        Credit => "CREDIT",
        /// Out only.
        Debit => "DEBIT",
        /// Neither: it is not used any more.
        Inactive => "INACTIVE",
        /// Neither, for now.
        Locked => "LOCKED",
    }
}

named! {
    /// A sort of bank account, as the API spells it.
    #[derive(Default)]
    pub enum AccountClass {
        /// For payments.
        #[default]
        Checking => "CHECKING",
        /// For savings.
        Savings => "SAVINGS",
    }
}
