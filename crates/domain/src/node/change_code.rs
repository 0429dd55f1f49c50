//! Codes of notifications of change that correct data of a node.

use crate::named;

named! {
    /// Code of a notification of change whose corrected data a node has. The stored names never change.
    ///
    /// Source: Nacha Operating Rules, Appendix Five. The other codes are about data that a node does not have.
    pub enum ChangeCode {
        /// Account number.
        AccountNum => "C01",
        /// Routing number.
        RoutingNum => "C02",
        /// Routing number and account number.
        RoutingAndAccountNum => "C03",
        /// Name of the account holder.
        Name => "C04",
        /// Class of the account.
        Class => "C05",
        /// Account number and class of the account.
        AccountNumAndClass => "C06",
        /// Routing number, account number and class of the account.
        WholeAccount => "C07",
    }
}

impl ChangeCode {
    /// Corrected data in a few words.
    #[must_use]
    pub const fn corrected(self) -> &'static str {
        match self {
            Self::AccountNum => "account number",
            Self::RoutingNum => "routing number",
            Self::RoutingAndAccountNum => "routing number and account number",
            Self::Name => "name on the account",
            Self::Class => "class of the account",
            Self::AccountNumAndClass => "account number and class of the account",
            Self::WholeAccount => "routing number, account number and class of the account",
        }
    }
}
