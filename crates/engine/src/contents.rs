//! Contents of sealed boxes: personal data in plain text, held in memory only between opening a box and answering.
//!
//! The shapes are stored as ciphertext for ever. Fields are added with a default and never renamed.

use daybook_domain::Money;
use daybook_domain::calendar::Day;
use serde::{Deserialize, Serialize};

use crate::rails::text::written;

/// Contents of a user: box of `user.created`, class profile.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Profile {
    /// Logins of the user.
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

/// Contents of a document: box of `user.document_added`, class document. Absent fields were not given.
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
    /// Values of the document's parts that are not images: the id of the part and its text.
    pub values: Vec<(String, String)>,
}

/// Contents of an attachment: box of `attachment.added`, class document.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileContents {
    /// Media type as the client names it; empty if the client names none.
    pub media_type: String,
    /// Bytes in base64, with padding.
    pub base64: String,
}

/// Contents of a node: box of `node.created`, class profile. Absent fields were not given.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct NodeDetails {
    /// The owner's name for the node.
    pub nickname: String,
    /// The platform's own id for the node.
    pub supp_id: Option<String>,
    /// The platform's note.
    pub note: Option<String>,
    /// Account number at the bank.
    pub account_num: Option<String>,
    /// Routing number of the bank; for a foreign bank the clearing code of its country.
    pub routing_num: Option<String>,
    /// SWIFT code (BIC) of a foreign bank.
    pub swift: Option<String>,
    /// Name of the bank, as given or from the routing-number directory when the node was created.
    pub bank_name: Option<String>,
    /// Full company name of the bank, from the same directory.
    pub bank_long_name: Option<String>,
    /// Address of the bank, as given or from the same directory.
    pub address: Option<String>,
    /// Name of the account holder, as given or the owner's first legal name when the node was created.
    pub name_on_account: Option<String>,
    /// CHECKING, SAVINGS, …
    pub class: Option<String>,
    /// PERSONAL or BUSINESS.
    pub account_type: Option<String>,
    /// Payee of a check.
    pub payee_name: Option<String>,
    /// Mailing address of a check.
    pub payee_address: Option<PayeeAddress>,
    /// Correspondent bank between our bank and the receiver's.
    pub correspondent: Option<Correspondent>,
    /// Data that the bank showed at a bank login.
    pub linked: Option<LinkedDetails>,
}

impl NodeDetails {
    /// Returns the path of the first name or address that cannot be written in the character set of banks, if any.
    /// Payees of checks are not examined, because checks are printed with the original characters.
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

/// Mailing address of a check.
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

/// Correspondent bank between our bank and the receiver's.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Correspondent {
    /// Routing number.
    pub routing_num: Option<String>,
    /// SWIFT code (BIC).
    pub swift: Option<String>,
    /// Name of the bank.
    pub bank_name: Option<String>,
    /// Address of the bank.
    pub address: Option<String>,
}

/// Data about an account that a bank showed at a bank login.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkedDetails {
    /// Full name of the bank.
    pub bank_long_name: String,
    /// Balance of the account at that time.
    pub balance: Money,
    /// Comparison of the account holder with the user.
    pub match_info: MatchInfo,
}

/// Comparison of the bank's data about its customer with the user's own data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatchInfo {
    /// Result of looking for the holder's name among the legal names.
    pub name: Match,
    /// Result of looking for the holder's e-mail address among the logins.
    pub email: Match,
    /// Result of looking for the holder's phone number among the user's.
    pub phone: Match,
}

/// Result of a comparison.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Match {
    /// Both sides have the same value.
    Match,
    /// Both sides have values, and these differ.
    NoMatch,
    /// At least one side has no value.
    #[default]
    NotFound,
}

/// Contents of a transaction: box of `transaction.created`, class profile.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TransactionDetails {
    /// The platform's own id for the transaction.
    pub supp_id: Option<String>,
    /// Note, printed on the bank statement.
    pub note: Option<String>,
    /// IP address of the user's device.
    pub ip: Option<String>,
    /// Reason of each fee, in order.
    pub fee_notes: Vec<Option<String>>,
}

/// Contents of a comment: box of `transaction.commented`, class profile.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Comment {
    /// Text of the comment.
    pub text: String,
}

/// Contents of a statement: box of `custody.statement_booked`, class profile of the platform's own user.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatementDetails {
    /// The bank's description of each line, in order.
    pub descriptions: Vec<String>,
}

/// Page of the lines of a statement in a bank's file: box of `attachment.added`, class document of the platform's own
/// user.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StatementLines {
    /// The lines in the order of the file.
    pub lines: Vec<StatementLine>,
}

/// A line of a statement as the bank states it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatementLine {
    /// Id of the line, unique in the statement.
    pub id: String,
    /// Minor units; positive for money onto the account.
    pub amount: i64,
    /// Day from which the amount counts for interest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Day>,
    /// References that the line carries.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub references: Vec<String>,
    /// Codes of the line's type.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub codes: Vec<String>,
    /// Description.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// First byte of the line in the file, and the byte after its last one; `None` for a file in Daybook's own CSV.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<[u64; 2]>,
}

/// Contents of an operation: box of `operation.requested`, class profile of the platform's own user.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OperationDetails {
    /// Reason that the operator gave.
    pub reason: String,
}

/// Contents of a subnet: box of `subnet.created` and `subnet.updated`, class profile.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubnetDetails {
    /// The owner's name for the subnet.
    pub nickname: String,
}

/// Contents of a webhook attempt: box of the attempt, class profile of the platform's own user.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerBeginning {
    /// First part of the response body. Bytes that are not UTF-8 are replaced.
    pub text: String,
}

/// Contents of a subscription: box of `subscription.created` and `subscription.changed`, class profile of the
/// platform's own user.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubscriptionDetails {
    /// URL as given.
    pub url: String,
}
