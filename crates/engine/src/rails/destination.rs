//! Destinations of payments: the external account or address of a node, in the terms of a bank.

use daybook_domain::named;

use crate::contents::{Correspondent, NodeDetails, PayeeAddress};

/// Source or destination of a payment.
#[derive(Clone)]
pub enum Destination {
    /// An account at a US bank.
    Account {
        /// Routing number of the bank, nine digits.
        routing_num: String,
        /// Account number.
        account_num: String,
        /// Class of the account.
        class: AccountClass,
        /// Correspondent bank between our bank and the destination bank; wires only.
        correspondent: Option<Correspondent>,
    },
    /// An account at a foreign bank; wires only.
    Abroad(Abroad),
    /// A mailing address.
    Mail(PayeeAddress),
}

/// An account at a foreign bank.
#[derive(Clone)]
pub struct Abroad {
    /// SWIFT code (BIC) of the bank.
    pub swift: String,
    /// IBAN, or the account number in countries without IBANs.
    pub account_num: String,
    /// Name of the bank.
    pub bank_name: String,
    /// Address of the bank.
    pub address: String,
    /// Clearing code of the bank in its country.
    pub routing_num: Option<String>,
    /// Correspondent bank between our bank and the destination bank.
    pub correspondent: Option<Correspondent>,
}

named! {
    /// Classes of accounts that ACH distinguishes.
    pub enum AccountClass {
        /// Checking account.
        Checking => "CHECKING",
        /// Savings account.
        Savings => "SAVINGS",
        /// General ledger account of a bank.
        GeneralLedger => "GENERAL_LEDGER",
        /// Loan account.
        Loan => "LOAN",
    }
}

impl Destination {
    /// Returns the destination of a node; none if its data is not sufficient for a bank.
    pub(crate) fn of(node: NodeDetails) -> Option<Self> {
        if let Some(address) = node.payee_address {
            return Some(Self::Mail(address));
        }
        if let Some(swift) = node.swift {
            return Some(Self::Abroad(Abroad {
                swift,
                account_num: node.account_num?,
                bank_name: node.bank_name.unwrap_or_default(),
                address: node.address.unwrap_or_default(),
                routing_num: node.routing_num,
                correspondent: node.correspondent,
            }));
        }
        let class = node.class.as_deref().map_or(Some(AccountClass::Checking), AccountClass::parse)?;
        Some(Self::Account {
            routing_num: node.routing_num?,
            account_num: node.account_num?,
            class,
            correspondent: node.correspondent,
        })
    }
}

/// Returns true for a SWIFT code (BIC): four letters or digits of the bank, two letters of the country, two letters or
/// digits of the location, and optionally three of the branch. Source: ISO 9362.
#[must_use]
pub fn is_swift(text: &str) -> bool {
    let is_code = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit();
    let country = text.get(4..6).is_some_and(|country| country.bytes().all(|byte| byte.is_ascii_uppercase()));
    matches!(text.len(), 8 | 11) && country && text.bytes().all(is_code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn account_classes_have_api_names() {
        let names = ["CHECKING", "SAVINGS", "GENERAL_LEDGER", "LOAN"];
        assert_eq!(AccountClass::ALL.map(AccountClass::as_str), names);
    }

    #[test]
    fn swift_code_contains_a_country() {
        for good in ["DEUTDEFF", "DEUTDEFF500", "MIDLGB22XXX", "12AFUS33"] {
            assert!(is_swift(good), "{good}");
        }
        let bad =
            ["", "DEUTDEF", "DEUTDEFF5", "DEUTDEFF50", "DEUTDEFF5000", "DEUT1EFF", "DEUTDEF*", "deutdeff"];
        for bad in bad.into_iter().chain(["DEUTDÉF", "ÄÖDEFFFF", "DEU\u{20ac}FF"]) {
            assert!(!is_swift(bad), "{bad}");
        }
    }

    #[test]
    fn node_details_determine_the_destination() {
        let text = |text: &str| Some(text.to_owned());
        let bank = NodeDetails {
            account_num: text("1"),
            routing_num: text("2"),
            class: text("SAVINGS"),
            ..NodeDetails::default()
        };
        let abroad = NodeDetails { swift: text("DEUTDEFF"), bank_name: text("B"), ..bank.clone() };
        let mail = NodeDetails { payee_address: Some(PayeeAddress::default()), ..bank.clone() };
        let odd = NodeDetails { class: text("MONEY_MARKET"), ..bank.clone() };
        for class in AccountClass::ALL {
            let of_class = NodeDetails { class: text(class.as_str()), ..bank.clone() };
            let found = Destination::of(of_class);
            assert!(matches!(found, Some(Destination::Account { class: found, .. }) if found == class));
        }
        let is =
            |node, expected: fn(&Destination) -> bool| Destination::of(node).is_some_and(|to| expected(&to));
        assert!(is(bank, |to| matches!(to, Destination::Account { class: AccountClass::Savings, .. })));
        assert!(is(abroad, |to| matches!(to, Destination::Abroad(to) if to.bank_name == "B")));
        assert!(is(mail, |to| matches!(to, Destination::Mail(_))));
        assert!(Destination::of(odd).is_none() && Destination::of(NodeDetails::default()).is_none());
    }
}
