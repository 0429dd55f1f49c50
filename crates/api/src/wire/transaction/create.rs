//! Body of a request that creates a transaction.

use std::borrow::Cow;
use std::fmt;

use daybook_domain::node::NodeKind;
use daybook_domain::transaction::Fee;
use daybook_domain::{Currency, Money, NodeId};
use daybook_engine::{FileContents, TransactionDetails};
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use utoipa::openapi::schema::{ArrayBuilder, OneOfBuilder, Schema};
use utoipa::openapi::{Ref, RefOr};
use utoipa::{PartialSchema, ToSchema};

use crate::ApiError;
use crate::description::values::{NodeType, Note, ObjectId, Paper, PositiveAmount};
use crate::wire::amount::{AmountIn, Digits};
use crate::wire::form::{Ip, Whole};
use crate::wire::text::{LongText, Text};
use crate::wire::{MAX_ENTRIES, at_most, bounded, file, id, required};

/// Maximum number of characters of a note: the length that fits on a bank statement.
pub const MAX_NOTE_CHARS: usize = 80;

/// Maximum number of attachments of a transaction.
const MAX_ATTACHMENTS: usize = 10;

/// Maximum number of days by which processing can be delayed: ten years.
const MAX_DAYS: i64 = 3_650;

/// Number of days by which processing is delayed.
type Days = Whole<0, MAX_DAYS>;

/// Request to create a transaction.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct CreateTransaction {
    to: Receiver,
    amount: AmountIn,
    #[schema(value_type = Extra)]
    extra: Option<Extra>,
    /// Fees that are taken out of the amount: a list, or a single fee. Their sum must not exceed the amount.
    #[serde(default, deserialize_with = "one_or_many")]
    #[schema(value_type = Option<FeesIn>)]
    fees: Vec<FeeIn>,
}

#[derive(Clone, Debug, Deserialize, ToSchema)]
struct Receiver {
    #[serde(rename = "type")]
    #[schema(value_type = NodeType)]
    kind: Option<Text>,
    #[schema(value_type = ObjectId)]
    id: Option<Text>,
}

#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[schema(as = NewTransactionExtra)]
struct Extra {
    #[schema(value_type = Ip)]
    ip: Option<Ip>,
    supp_id: Option<Text>,
    #[schema(value_type = Option<Note>)]
    note: Option<Text>,
    /// Days from now after which the transaction is processed.
    process_on: Option<Days>,
    other: Option<Other>,
}

#[derive(Clone, Debug, Deserialize, ToSchema)]
#[schema(as = NewPapers)]
struct Other {
    #[schema(value_type = Option<Vec<Paper>>, max_items = 10)]
    attachments: Option<Vec<LongText>>,
}

#[derive(Clone, Debug, Deserialize, ToSchema)]
#[schema(as = NewFee)]
struct FeeIn {
    #[schema(value_type = PositiveAmount)]
    fee: Digits,
    note: Option<Text>,
    to: FeeReceiver,
}

#[derive(Clone, Debug, Deserialize, ToSchema)]
#[schema(as = NewFeeReceiver)]
struct FeeReceiver {
    #[schema(value_type = ObjectId)]
    id: Option<Text>,
}

/// A valid transaction.
#[derive(Clone)]
pub struct NewTransaction {
    /// Receiving node.
    pub to: NodeId,
    /// Type that the caller expects the receiving node to have.
    pub to_kind: NodeKind,
    /// Amount that the sender pays.
    pub amount: Money,
    /// Fees that are taken out of the amount.
    pub fees: Vec<Fee>,
    /// Days from now after which the transaction is processed.
    pub in_days: u16,
    /// Details with the notes of the fees, to be sealed with class profile.
    pub details: TransactionDetails,
    /// Attachments, each to be sealed with class document.
    pub attachments: Vec<FileContents>,
}

impl CreateTransaction {
    /// Parses the transaction.
    ///
    /// # Errors
    ///
    /// [`ApiError::Invalid`] naming the field, [`ApiError::NothingAt`] for a text that is not the id of a node.
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
        let in_days = extra.process_on.and_then(|days| u16::try_from(days.get()).ok()).unwrap_or_default();
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

/// Checks the note in the field `field`, which is printed on the bank statement.
pub(super) fn note(field: &'static str, note: Option<Text>) -> Result<Option<String>, ApiError> {
    let note = note.map(String::from);
    if note.as_ref().is_some_and(|note| note.chars().count() > MAX_NOTE_CHARS) {
        return Err(ApiError::invalid(field, format!("must be at most {MAX_NOTE_CHARS} characters")));
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

/// Schema of the fees.
enum FeesIn {}

impl PartialSchema for FeesIn {
    fn schema() -> RefOr<Schema> {
        let one = || Ref::from_schema_name(FeeIn::name());
        let many = ArrayBuilder::new().items(one()).max_items(Some(MAX_ENTRIES));
        OneOfBuilder::new().item(many).item(one()).into()
    }
}

impl ToSchema for FeesIn {
    fn name() -> Cow<'static, str> {
        Cow::Borrowed("NewFees")
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((FeeIn::name().into_owned(), FeeIn::schema()));
        FeeIn::schemas(schemas);
    }
}

/// Parses a list of fees, or a single fee without a list, as the contract's `fees[fee]` allows.
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
    // Dispatches on the actual value without buffering it: a buffer would convert numbers to floats.
    deserializer.deserialize_any(OneOrMany)
}

#[cfg(test)]
mod tests;
