//! The body that creates a transaction.

use std::fmt;

use daybook_domain::node::NodeKind;
use daybook_domain::transaction::Fee;
use daybook_domain::{Currency, Money, NodeId};
use daybook_engine::{FileContents, TransactionDetails};
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use utoipa::ToSchema;

use crate::ApiError;
use crate::description::values::NodeType;
use crate::wire::amount::{AmountIn, Digits};
use crate::wire::text::{LongText, Text};
use crate::wire::{at_most, bounded, file, id, required};

/// The most characters of a note: what fits on a bank statement.
const NOTE_MAX_CHARS: usize = 80;

/// The most papers that come with one transaction.
const MAX_ATTACHMENTS: usize = 10;

/// The most days that a transaction can wait: ten years.
const DAYS_MAX: u16 = 3_650;

/// The body.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct CreateTransaction {
    to: Receiver,
    amount: AmountIn,
    extra: Option<Extra>,
    #[serde(default, deserialize_with = "one_or_many")]
    #[schema(value_type = Vec<FeeIn>)]
    fees: Vec<FeeIn>,
}

#[derive(Clone, Debug, Deserialize, ToSchema)]
struct Receiver {
    #[serde(rename = "type")]
    #[schema(value_type = Option<NodeType>)]
    kind: Option<Text>,
    id: Option<Text>,
}

#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[schema(as = NewTransactionExtra)]
struct Extra {
    ip: Option<Text>,
    supp_id: Option<Text>,
    note: Option<Text>,
    process_on: Option<i64>,
    other: Option<Other>,
}

#[derive(Clone, Debug, Deserialize, ToSchema)]
#[schema(as = NewPapers)]
struct Other {
    attachments: Option<Vec<LongText>>,
}

#[derive(Clone, Debug, Deserialize, ToSchema)]
#[schema(as = NewFee)]
struct FeeIn {
    fee: Digits,
    note: Option<Text>,
    to: FeeReceiver,
}

#[derive(Clone, Debug, Deserialize, ToSchema)]
#[schema(as = NewFeeReceiver)]
struct FeeReceiver {
    id: Option<Text>,
}

/// A transaction that is well formed.
#[derive(Clone)]
pub struct NewTransaction {
    /// The receiver.
    pub to: NodeId,
    /// The type that the caller takes the receiver for.
    pub to_kind: NodeKind,
    /// What the sender gives.
    pub amount: Money,
    /// What others get out of it.
    pub fees: Vec<Fee>,
    /// Days from now after which it is processed.
    pub in_days: u16,
    /// To be sealed with class profile; the reasons of the fees among it.
    pub details: TransactionDetails,
    /// Papers, each to be sealed with class document.
    pub attachments: Vec<FileContents>,
}

impl CreateTransaction {
    /// Checks that everything is there and within its range.
    ///
    /// # Errors
    ///
    /// [`ApiError::Invalid`] naming the field, [`ApiError::NotFound`] for what cannot be the id of a node.
    pub fn parse(self) -> Result<NewTransaction, ApiError> {
        let extra = self.extra.unwrap_or_default();
        let to_kind = NodeKind::parse(&required("to.type", self.to.kind)?);
        let to_kind = to_kind.ok_or_else(|| ApiError::invalid("to.type", "must be a type of nodes"))?;
        let amount = self.amount.parse()?;
        let fees = bounded("fees", Some(self.fees))?;
        let details = TransactionDetails {
            ip: Some(required("extra.ip", extra.ip)?),
            supp_id: extra.supp_id.map(String::from),
            note: note("extra.note", extra.note)?,
            fee_notes: fees.iter().map(|fee| fee.note.clone().map(String::from)).collect(),
        };
        let in_days = days(extra.process_on)?;
        let attachments = attachments(extra.other)?;
        let fees = fees.into_iter().enumerate().map(|(index, fee)| fee.parse(index, amount.currency));
        let fees = fees.collect::<Result<_, _>>()?;
        Ok(NewTransaction {
            to: id("to.id", self.to.id)?,
            to_kind,
            amount,
            fees,
            in_days,
            details,
            attachments,
        })
    }
}

impl FeeIn {
    fn parse(self, index: usize, currency: Currency) -> Result<Fee, ApiError> {
        let Money { minor, .. } = self.fee.parse(format!("fees[{index}].fee"), currency)?;
        Ok(Fee { minor, to: id(format!("fees[{index}].to.id"), self.to.id)? })
    }
}

/// The text that is printed on the bank statement, from the field `field`.
pub(super) fn note(field: &'static str, note: Option<Text>) -> Result<Option<String>, ApiError> {
    let note = note.map(String::from);
    if note.as_ref().is_some_and(|note| note.chars().count() > NOTE_MAX_CHARS) {
        return Err(ApiError::invalid(field, format!("must be at most {NOTE_MAX_CHARS} characters")));
    }
    Ok(note)
}

fn attachments(other: Option<Other>) -> Result<Vec<FileContents>, ApiError> {
    const FIELD: &str = "extra.other.attachments";
    let given = at_most(MAX_ATTACHMENTS, FIELD, other.and_then(|other| other.attachments))?;
    let read = |(index, text): (usize, LongText)| {
        file::attachment(text.as_str()).map_err(|wrong| ApiError::invalid(format!("{FIELD}[{index}]"), wrong))
    };
    given.into_iter().enumerate().map(read).collect()
}

fn days(days: Option<i64>) -> Result<u16, ApiError> {
    let within = u16::try_from(days.unwrap_or_default()).ok().filter(|days| *days <= DAYS_MAX);
    within.ok_or_else(|| ApiError::invalid("extra.process_on", format!("must be from 0 to {DAYS_MAX} days")))
}

/// Fees are a list; the contract's `fees[fee]` is also read as a single one without the list around it.
fn one_or_many<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<FeeIn>, D::Error> {
    struct OneOrMany;
    impl<'de> Visitor<'de> for OneOrMany {
        type Value = Vec<FeeIn>;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a sequence")
        }
        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok(vec![])
        }
        fn visit_map<A: MapAccess<'de>>(self, fee: A) -> Result<Self::Value, A::Error> {
            Ok(vec![FeeIn::deserialize(MapAccessDeserializer::new(fee))?])
        }
        fn visit_seq<A: SeqAccess<'de>>(self, fees: A) -> Result<Self::Value, A::Error> {
            Vec::deserialize(SeqAccessDeserializer::new(fees))
        }
    }
    // Asks what is there rather than buffering it: a buffer would have read the numbers as floats.
    deserializer.deserialize_any(OneOrMany)
}

#[cfg(test)]
mod tests;
