//! The body that creates a transaction.

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

/// The most characters of a note: what fits on a bank statement.
pub const NOTE_MAX_CHARS: usize = 80;

/// The most papers that come with one transaction.
const MAX_ATTACHMENTS: usize = 10;

/// The most days that a transaction can wait: ten years.
const DAYS_MAX: i64 = 3_650;

/// Days that a transaction can wait.
type Days = Whole<0, DAYS_MAX>;

/// The body.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct CreateTransaction {
    to: Receiver,
    amount: AmountIn,
    #[schema(value_type = Extra)]
    extra: Option<Extra>,
    /// A list, or one without the list around it. Together they are at most the amount.
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
    /// Days from now.
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
    /// [`ApiError::Invalid`] naming the field, [`ApiError::NothingAt`] for what cannot be the id of a node.
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

/// Fees as the description has them.
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
