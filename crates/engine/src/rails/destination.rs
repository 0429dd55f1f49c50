//! Where money comes from or goes to: the place outside that a node names, as a bank has to be told.

use daybook_domain::named;

use crate::contents::{Correspondent, NodeDetails, PayeeAddress};

/// Where money comes from or goes to.
#[derive(Clone)]
pub enum Destination {
    /// An account at a bank in the US.
    Account {
        /// Nine digits that name the bank.
        routing_num: String,
        /// The number of the account there.
        account_num: String,
        /// What sort of account it is.
        class: AccountClass,
        /// The bank between ours and that one; wires only.
        correspondent: Option<Correspondent>,
    },
    /// An account at a bank abroad; wires only.
    Abroad(Abroad),
    /// A letter box.
    Mail(PayeeAddress),
}

/// An account at a bank abroad.
#[derive(Clone)]
pub struct Abroad {
    /// SWIFT code (BIC) of the bank.
    pub swift: String,
    /// IBAN, or the number of the account where there are none.
    pub account_num: String,
    /// The bank's name.
    pub bank_name: String,
    /// The bank's address.
    pub address: String,
    /// By which code banks of its country know the bank.
    pub routing_num: Option<String>,
    /// The bank between ours and that one.
    pub correspondent: Option<Correspondent>,
}

named! {
    /// Sorts of accounts that ACH tells apart.
    pub enum AccountClass {
        /// For payments.
        Checking => "CHECKING",
        /// For savings.
        Savings => "SAVINGS",
        /// A bank's own books.
        GeneralLedger => "GENERAL_LEDGER",
        /// What is owed to the bank.
        Loan => "LOAN",
    }
}

impl Destination {
    /// The place that a node is; none if what it names is no use to a bank.
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

/// Whether it is a bank's SWIFT code: four letters or digits, two letters of a country, two letters or digits of a
/// place, and perhaps three of a branch. Source: ISO 9362.
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
    fn classes_have_the_names_of_the_api() {
        let names = ["CHECKING", "SAVINGS", "GENERAL_LEDGER", "LOAN"];
        assert_eq!(AccountClass::ALL.map(AccountClass::as_str), names);
    }

    #[test]
    fn a_swift_code_has_a_country_in_it() {
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
    fn what_a_node_names_is_where_money_goes() {
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
