//! Record of a node. It shows only the last four digits of account and routing numbers.

use std::borrow::Cow;

use daybook_domain::account::Account;
use daybook_domain::node::{AuthorizationEnded, Corrected, Event, Inapplicable, Locked, NodeKind};
use daybook_domain::posting::Rail;
use daybook_domain::{Currency, Event as AnyEvent, Money, NodeId, node};
use daybook_engine::{Match, NodeDetails, PayeeAddress};
use daybook_projector::RecordedEvent;
use serde::Serialize;
use utoipa::ToSchema;

use crate::description::values::{CurrencyCode, MatchResult, NodeType};
use crate::wire::Listed;
use crate::wire::amount::Amount;
use crate::wire::record::{Client, Links};

/// Data that the record of a node is rendered from.
#[derive(Clone, Copy)]
pub struct NodeView<'a> {
    /// Id of the node.
    pub id: NodeId,
    /// State of the node.
    pub node: &'a node::Node,
    /// Opened details; the default if they could not be opened.
    pub details: &'a NodeDetails,
    /// Account of the node, if anything was ever posted to it.
    pub balance: Option<&'a Account>,
    /// First legal name of the owner, used unless the details contain another name.
    pub name_on_account: &'a str,
    /// Events of the node, oldest first.
    pub timeline: &'a [RecordedEvent],
    /// Platform of the node.
    pub client: &'a Client,
    /// Base URL of the API.
    pub base_url: &'a str,
}

/// A node: an account that holds money in Daybook, or an external account.
#[derive(Clone, Serialize, ToSchema)]
pub struct Node {
    #[serde(rename = "_id")]
    id: String,
    #[serde(rename = "_links")]
    links: Links,
    allowed: &'static str,
    client: Client,
    extra: Extra,
    info: Info,
    is_active: bool,
    timeline: Vec<Note>,
    #[serde(rename = "type")]
    #[schema(value_type = NodeType)]
    kind: NodeKind,
    user_id: String,
}

impl Listed for Node {
    const KEYS: (&'static str, &'static str) = ("nodes", "node_count");
}

impl Node {
    /// Returns true if new software should not use nodes of this type.
    #[must_use]
    pub const fn is_deprecated(&self) -> bool {
        self.kind.is_deprecated()
    }
}

#[derive(Clone, Serialize, ToSchema)]
#[schema(as = NodeExtra)]
struct Extra {
    note: Option<String>,
    other: Other,
    supp_id: Option<String>,
}

/// Reserved; always an empty object.
#[derive(Clone, Serialize, ToSchema)]
#[schema(as = NodeOther)]
struct Other {}

#[derive(Clone, Serialize, ToSchema)]
#[schema(as = NodeNote)]
struct Note {
    date: i64,
    note: Cow<'static, str>,
}

#[derive(Clone, Serialize, ToSchema)]
#[schema(as = NodeInfo)]
struct Info {
    nickname: String,
    name_on_account: String,
    #[serde(flatten)]
    place: Place,
}

/// Details that depend on the type of the node.
#[derive(Clone, Serialize, ToSchema)]
#[serde(untagged)]
#[schema(as = NodePlace)]
enum Place {
    Ach(Ach),
    Wire(Bank),
    Check(Payee),
    Held { balance: Amount },
}

#[derive(Clone, Serialize, ToSchema)]
#[schema(as = BankPlace)]
struct Bank {
    account_num: String,
    address: String,
    balance: OutsideBalance,
    bank_long_name: String,
    bank_name: String,
    routing_num: String,
}

#[derive(Clone, Serialize, ToSchema)]
#[schema(as = AchPlace)]
struct Ach {
    #[serde(flatten)]
    bank: Bank,
    class: String,
    match_info: MatchOut,
    #[serde(rename = "type")]
    account_type: String,
}

#[derive(Clone, Serialize, ToSchema)]
struct Payee {
    payee_address: AddressOut,
    payee_name: String,
}

#[derive(Clone, Serialize, ToSchema)]
#[schema(as = PayeeAddress)]
struct AddressOut {
    address_city: String,
    address_country_code: String,
    address_postal_code: String,
    address_street: String,
    address_subdivision: String,
}

/// Balance that the other bank reports, as text because it is not a value of this ledger. It is zero without a bank
/// login.
#[derive(Clone, Serialize, ToSchema)]
struct OutsideBalance {
    amount: String,
    #[schema(value_type = CurrencyCode)]
    currency: Currency,
}

/// Comparison of the account holder that the bank knows with the user. It is `not_found` without a bank login.
#[derive(Clone, Serialize, ToSchema)]
#[schema(as = MatchInfo)]
struct MatchOut {
    #[schema(value_type = MatchResult)]
    email_match: Match,
    #[schema(value_type = MatchResult)]
    name_match: Match,
    #[schema(value_type = MatchResult)]
    phonenumber_match: Match,
}

/// Renders the record.
#[must_use]
pub fn render(view: &NodeView<'_>) -> Node {
    let NodeView { id, node, details, .. } = *view;
    Node {
        id: id.to_string(),
        links: Links::to(view.base_url, format_args!("users/{}/nodes/{id}", node.user)),
        allowed: node.allowed().as_str(),
        client: view.client.clone(),
        extra: Extra { note: details.note.clone(), other: Other {}, supp_id: details.supp_id.clone() },
        info: Info {
            nickname: details.nickname.clone(),
            name_on_account: details.name_on_account.as_deref().unwrap_or(view.name_on_account).to_owned(),
            place: place(node.kind, details, view.balance),
        },
        is_active: node.is_active,
        timeline: view.timeline.iter().filter_map(note).collect(),
        kind: node.kind,
        user_id: node.user.to_string(),
    }
}

fn place(kind: NodeKind, details: &NodeDetails, balance: Option<&Account>) -> Place {
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    match kind.rail() {
        Some(Rail::Ach) => Place::Ach(Ach {
            bank: bank(details),
            class: text(&details.class),
            match_info: match_info(details),
            account_type: text(&details.account_type),
        }),
        Some(Rail::Wire) => Place::Wire(bank(details)),
        Some(Rail::Check) => Place::Check(Payee {
            payee_address: address(details.payee_address.clone().unwrap_or_default()),
            payee_name: text(&details.payee_name),
        }),
        None => {
            let none = Money::new(0, Currency::USD);
            let posted = balance.map_or(none, |account| Money::new(account.posted, account.currency));
            Place::Held { balance: posted.into() }
        }
    }
}

fn bank(details: &NodeDetails) -> Bank {
    let linked = details.linked.as_ref();
    let balance = linked.map_or(Money::new(0, Currency::USD), |linked| linked.balance);
    let long_name = linked.map(|linked| &linked.bank_long_name).or(details.bank_long_name.as_ref());
    Bank {
        account_num: last_four(details.account_num.as_deref()),
        address: details.address.clone().unwrap_or_default(),
        balance: OutsideBalance { amount: balance.to_string(), currency: balance.currency },
        bank_long_name: long_name.cloned().unwrap_or_default(),
        bank_name: details.bank_name.clone().unwrap_or_default(),
        routing_num: last_four(details.routing_num.as_deref()),
    }
}

fn match_info(details: &NodeDetails) -> MatchOut {
    let found = details.linked.as_ref().map(|linked| linked.match_info).unwrap_or_default();
    MatchOut { email_match: found.email, name_match: found.name, phonenumber_match: found.phone }
}

fn last_four(number: Option<&str>) -> String {
    let number = number.unwrap_or_default();
    number.chars().skip(number.chars().count().saturating_sub(4)).collect()
}

fn address(address: PayeeAddress) -> AddressOut {
    AddressOut {
        address_city: address.address_city,
        address_country_code: address.address_country_code,
        address_postal_code: address.address_postal_code,
        address_street: address.address_street,
        address_subdivision: address.address_subdivision,
    }
}

fn note(happened: &RecordedEvent) -> Option<Note> {
    let AnyEvent::Node(event) = &happened.event else { return None };
    let said = |note| Some(Note { date: happened.effective_at.ms(), note });
    let note = match event {
        Event::Created(_) => "Node created.",
        Event::Locked(Locked { code: Some(code), .. }) => {
            return said(format!("Node locked. {code}: {}.", code.title()).into());
        }
        Event::AuthorizationEnded(AuthorizationEnded { code, .. }) => {
            return said(format!("Allowed changed to CREDIT. {code}: {}.", code.title()).into());
        }
        Event::Corrected(Corrected { code, .. }) => {
            return said(format!("Corrected by the bank. {}: {}.", code.as_str(), code.corrected()).into());
        }
        Event::Locked(_) => "Node locked.",
        Event::Unlocked(_) => "Node unlocked.",
        Event::MicroDepositsSent(_) => "Micro deposits initiated.",
        Event::MicroDepositsFailed(_) => "Micro deposits could not be sent.",
        Event::MicroDepositsVerified(_) => {
            "Correct micro deposit amounts attempted. Allowed changed to CREDIT-AND-DEBIT."
        }
        Event::MicroDepositsMissed(_) => "Invalid micro deposit amounts attempted.",
        Event::MicroDepositsResent(_) => "Micro deposits reinitiated.",
        Event::MicroDepositsInapplicable(told) => match told.reason {
            Inapplicable::OtherType => "Micro deposit not applicable: the node's type is not ACH-US.",
            Inapplicable::NotCredit => "Micro deposit not applicable: allowed is not CREDIT.",
            Inapplicable::NotActive => "Micro deposit not applicable: the node is not active.",
        },
        Event::Relabeled(relabeled) if relabeled.changes_supp_id => "Node supp_id updated.",
        Event::Deactivated(_) => "Node deactivated.",
        // Not shown to the owner.
        Event::LimitsSet(_) | Event::Relabeled(_) => return None,
    };
    said(note.into())
}

#[cfg(test)]
mod tests;
