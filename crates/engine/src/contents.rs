//! What is inside the boxes: personal data in the clear, only ever in memory, between opening and answering.
//!
//! The shapes are stored (as ciphertext) for ever: fields are added with a default, never renamed.

use daybook_domain::Money;
use serde::{Deserialize, Serialize};

use crate::rails::text::written;

/// Of a user: box of `user.created`, class profile.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Profile {
    /// Who may log in.
    pub logins: Vec<Login>,
    /// Phone numbers as given.
    pub phone_numbers: Vec<String>,
    /// Legal names as given.
    pub legal_names: Vec<String>,
    /// The platform's own id for the user.
    #[serde(default)]
    pub supp_id: Option<String>,
}

/// A login of a user.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Login {
    /// E-mail address.
    pub email: String,
    /// READ or `READ_AND_WRITE`.
    pub scope: String,
}

/// Of a document: box of `user.document_added`, class document. Absent fields were not given.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DocumentContents {
    /// E-mail address.
    pub email: Option<String>,
    /// Phone number.
    pub phone_number: Option<String>,
    /// IP address.
    pub ip: Option<String>,
    /// Name of the person or business.
    pub name: Option<String>,
    /// Another name.
    pub alias: Option<String>,
    /// M, F, LLC, …
    pub entity_type: Option<String>,
    /// Line of work.
    pub entity_scope: Option<String>,
    /// Day of birth or founding.
    pub day: Option<i64>,
    /// Month of birth or founding.
    pub month: Option<i64>,
    /// Year of birth or founding.
    pub year: Option<i64>,
    /// Street and number.
    pub address_street: Option<String>,
    /// City.
    pub address_city: Option<String>,
    /// State or province.
    pub address_subdivision: Option<String>,
    /// Postal code.
    pub address_postal_code: Option<String>,
    /// Two-letter code of the country.
    pub address_country_code: Option<String>,
    /// The values of its parts that are not images: the part's id and the text given for it.
    pub values: Vec<(String, String)>,
}

/// Of an attachment: box of `attachment.added`, class document.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileContents {
    /// Its media type as the client calls it; empty if it does not.
    pub media_type: String,
    /// Its bytes in base64, with padding.
    pub base64: String,
}

/// Of a node: box of `node.created`, class profile. Absent fields were not given.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct NodeDetails {
    /// The owner's name for it.
    pub nickname: String,
    /// The platform's own id for it.
    pub supp_id: Option<String>,
    /// The platform's note.
    pub note: Option<String>,
    /// Account number at the bank.
    pub account_num: Option<String>,
    /// Routing number of the bank; of one abroad the clearing code of its country.
    pub routing_num: Option<String>,
    /// SWIFT code (BIC) of a bank abroad.
    pub swift: Option<String>,
    /// Name of the bank: what was said, or what the directory of routing numbers told when the node was made.
    pub bank_name: Option<String>,
    /// Name of the company that the bank is, from the same directory.
    pub bank_long_name: Option<String>,
    /// Address of the bank: what was said, or from the same directory.
    pub address: Option<String>,
    /// Whose account it is there: what was said, or the owner's first legal name when the node was made.
    pub name_on_account: Option<String>,
    /// CHECKING, SAVINGS, …
    pub class: Option<String>,
    /// PERSONAL or BUSINESS.
    pub account_type: Option<String>,
    /// Whom a check is made out to.
    pub payee_name: Option<String>,
    /// Where a check is sent.
    pub payee_address: Option<PayeeAddress>,
    /// The bank between ours and the receiver's.
    pub correspondent: Option<Correspondent>,
    /// What the bank showed when its customer logged in.
    pub linked: Option<LinkedDetails>,
}

impl NodeDetails {
    /// The path of the first name or address that cannot be written in the characters of banks, if there is one. Checks are
    /// printed as they are written.
    #[must_use]
    pub fn unwritable(&self) -> Option<&'static str> {
        let between = self.correspondent.as_ref();
        let texts = [
            ("info.name_on_account", self.name_on_account.as_ref()),
            ("info.bank_name", self.bank_name.as_ref()),
            ("info.address", self.address.as_ref()),
            ("info.correspondent_info.bank_name", between.and_then(|bank| bank.bank_name.as_ref())),
            ("info.correspondent_info.address", between.and_then(|bank| bank.address.as_ref())),
        ];
        let is_lost = |text: &String| !text.is_empty() && written(text).map_or(true, |text| text.is_empty());
        texts.into_iter().find_map(|(field, text)| text.filter(|text| is_lost(text)).map(|_| field))
    }
}

/// Where a check is sent.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PayeeAddress {
    /// Street and number.
    pub address_street: String,
    /// City.
    pub address_city: String,
    /// State or province.
    pub address_subdivision: String,
    /// Two-letter code of the country.
    pub address_country_code: String,
    /// Postal code.
    pub address_postal_code: String,
}

/// The bank between ours and the receiver's.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Correspondent {
    /// Its routing number.
    pub routing_num: Option<String>,
    /// Its SWIFT code (BIC).
    pub swift: Option<String>,
    /// Its name.
    pub bank_name: Option<String>,
    /// Its address.
    pub address: Option<String>,
}

/// What a bank showed of an account when its customer logged in.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkedDetails {
    /// The bank's name in full.
    pub bank_long_name: String,
    /// What was on the account.
    pub balance: Money,
    /// Whether its holder is the user.
    pub match_info: MatchInfo,
}

/// Whether what a bank knows of its customer is what the user told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatchInfo {
    /// The holder's name among the legal names.
    pub name: Match,
    /// The holder's e-mail address among those of the logins.
    pub email: Match,
    /// The holder's phone number among the user's.
    pub phone: Match,
}

/// What a comparison found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Match {
    /// Both sides say the same.
    Match,
    /// They do not.
    NoMatch,
    /// One of them says nothing.
    #[default]
    NotFound,
}

/// Of a transaction: box of `transaction.created`, class profile.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TransactionDetails {
    /// The platform's own id for it.
    pub supp_id: Option<String>,
    /// Printed on the bank statement.
    pub note: Option<String>,
    /// Device address of the user.
    pub ip: Option<String>,
    /// The reason of each fee, in order.
    pub fee_notes: Vec<Option<String>>,
}

/// Of a comment: box of `transaction.commented`, class profile.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Comment {
    /// The words.
    pub text: String,
}

/// Of a statement: box of `custody.statement_booked`, class profile of the platform's own user.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatementDetails {
    /// What the bank says about each line, in their order.
    pub descriptions: Vec<String>,
}

/// Of an operation: box of `operation.requested`, class profile of the platform's own user.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OperationDetails {
    /// Why it is asked for.
    pub reason: String,
}

/// Of a subnet: box of `subnet.created` and `subnet.updated`, class profile.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubnetDetails {
    /// The owner's name for it.
    pub nickname: String,
}

/// Of a call to a subscription: box of its attempt, class profile of the platform's own user.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerBeginning {
    /// How the body of the answer began; bytes that are no text are replaced.
    pub text: String,
}

/// Of a subscription: box of `subscription.created` and `subscription.changed`, class profile of the platform's own user.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubscriptionDetails {
    /// The address, as it was given.
    pub url: String,
}
