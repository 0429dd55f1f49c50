//! Texts and numbers as the API writes them. Types that exist only here stand for what another crate writes, whose types
//! know no schemas; what a text may be is what the domain lists.

use daybook_domain::Currency;
use daybook_domain::calendar::ReturnCode;
use daybook_domain::money::MAX_MINOR;
use daybook_domain::node::NodeKind;
use daybook_domain::posting::Rail;
use daybook_domain::subnet::{AccountClass, Allowed};
use daybook_domain::subscription::Scope;
use daybook_domain::transaction::Status;
use daybook_domain::user::Permission;
use daybook_engine::access::Scopes;
use serde_json::{Value, json};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{AdditionalProperties, KnownFormat, ObjectBuilder, Schema, SchemaFormat, Type};
use utoipa::{PartialSchema, ToSchema};

use crate::wire::amount::{Decimal, Digits};
use crate::wire::file::Image;
use crate::wire::ops::act::APPROVED;
use crate::wire::ops::sum::Sum;
use crate::wire::text::{LongText, MAX_CHARS, Name, SaidName, SaidText, Text};
use crate::wire::transaction::NOTE_MAX_CHARS;

/// A text without NUL.
const NO_NUL: &str = r"^[^\u0000]*$";
/// A text without line breaks and other control characters.
const ONE_LINE: &str = r"^[^\u0000-\u001f\u007f-\u009f\u2028\u2029]*$";

/// Blanks, to be put between brackets.
macro_rules! blank {
    () => {
        r"\u0009-\u000d\u0020\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
    };
}

/// The same, of which some character is no blank.
const SAID: &str = concat!(r"^[^\u0000]*[^\u0000", blank!(), r"][^\u0000]*$");
const SAID_ON_ONE_LINE: &str = concat!(
    r"^[^\u0000-\u001f\u007f-\u009f\u2028\u2029]*[^\u0000-\u001f\u007f-\u009f",
    blank!(),
    r"][^\u0000-\u001f\u007f-\u009f\u2028\u2029]*$"
);

/// Base64 that is padded, of bits that all mean something; perhaps in a data URI.
const PADDED: &str = concat!(
    r"^(data:[^,\u0000]*;base64,)?([A-Za-z0-9+/]{4})*",
    r"([A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=|[A-Za-z0-9+/][AQgw]==)$"
);
/// A data URI of base64 in either alphabet, with blanks and padding anywhere, of at least one byte.
const DATA_URI: &str = concat!(
    r"^data:[^,\u0000]*;base64,[\t\n\f\r =]*(",
    r"(([A-Za-z0-9+/][\t\n\f\r =]*){4})*([A-Za-z0-9+/][\t\n\f\r =]*){2,4}|",
    r"(([A-Za-z0-9_-][\t\n\f\r =]*){4})*([A-Za-z0-9_-][\t\n\f\r =]*){2,4})$"
);

/// A day of the calendar, as far as its form tells.
macro_rules! day {
    () => {
        "[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
    };
}

macro_rules! time {
    () => {
        concat!(day!(), r"T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]+)?Z")
    };
}

macro_rules! schemas {
    ($($name:ident: $schema:expr;)*) => {$(
        impl PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                $schema.into()
            }
        }

        impl ToSchema for $name {}
    )*};
}

macro_rules! values {
    ($($(#[$doc:meta])* $name:ident: $schema:expr;)*) => {
        $($(#[$doc])* pub(crate) enum $name {})*
        schemas! { $($name: $schema;)* }
    };
}

schemas! {
    Text: text().max_length(Some(MAX_CHARS)).pattern(Some(NO_NUL));
    SaidText: text().max_length(Some(MAX_CHARS)).pattern(Some(SAID));
    SaidName: text().max_length(Some(MAX_CHARS)).pattern(Some(SAID_ON_ONE_LINE));
    Name: text().max_length(Some(MAX_CHARS)).pattern(Some(ONE_LINE));
    LongText: text().pattern(Some(NO_NUL));
    Image: text().pattern(Some(DATA_URI)).description(Some("A data URI in base64"));
    Decimal: number();
    Digits: number();
    Sum: number();
}

values! {
    /// A currency.
    CurrencyCode: text().pattern(Some("^[A-Z]{3}$")).description(Some("ISO 4217"));
    /// The type of a node.
    NodeType: one_of(NodeKind::ALL.map(NodeKind::as_str)).description(Some(deprecated_types()));
    /// Where a transaction stands.
    TransactionStatus: one_of(Status::ALL.map(Status::as_str));
    /// What a user may do.
    UserPermission: one_of(Permission::ALL.map(Permission::as_str));
    /// Which way money may go by way of a subnet.
    SubnetAllowed: one_of(Allowed::ALL.map(Allowed::as_str));
    /// What sort of account a subnet shall be taken for.
    SubnetClass: one_of(AccountClass::ALL.map(AccountClass::as_str));
    /// A way between banks.
    RailName: one_of(Rail::ALL.map(Rail::as_str));
    /// What a comparison with what a bank knows found.
    MatchResult: one_of(["match", "no_match", "not_found"]);
    /// What an OAuth key opens.
    OauthScope: one_of(Scopes::ALL.names());
    /// A text that is shown nowhere.
    Hidden: text().format(Some(SchemaFormat::KnownFormat(KnownFormat::Password))).max_length(Some(MAX_CHARS))
        .min_length(Some(1)).pattern(Some(NO_NUL));
    /// An event as a subscription is called with it: beside this the fields of the record.
    EventRecord: event();
    /// What a subscription can be about.
    SubscriptionScope: one_of(Scope::ALL.map(Scope::as_str));
    /// A moment of the log.
    Moment: text().pattern(Some(concat!("^([0-9]{1,18}|", time!(), ")$")));
    /// A moment of the log, or a day.
    MomentOrDay: text().pattern(Some(concat!("^([0-9]{1,18}|", time!(), "|", day!(), ")$")));
    /// A place in the feed.
    FeedPlace: text().pattern(Some("^(end|cursor_[0-9a-f]{32})?$"));
    /// Scopes of subscriptions, with commas between.
    FeedScopes: text().pattern(Some(list_of(Scope::ALL.map(Scope::as_str), "^(", "(,", "){0,99})?$")));
    /// Scopes of public keys, with commas between.
    PublicScopes: text().pattern(Some(list_of(Scopes::PUBLIC.names(), "^[ ,]*", "([ ,]*,[ ,]*", "){0,19}[ ,]*$")));
    /// A flag that has to say yes.
    Yes: text().pattern(Some("^[Yy][Ee][Ss]$"));
    /// An amount in USD as text.
    DecimalsOrTen: text().default(Some(json!("10.00"))).pattern(Some(r"^([1-9][0-9]{0,9}(\.[0-9]{1,2})?|0\.(0[1-9]|[1-9][0-9]?))$"));
    /// An address that is called.
    HookUrl: text().max_length(Some(MAX_CHARS)).pattern(Some(HOOK_URL)).description(Some(
        "An address of https, in a sandbox also of http, or a host, which is called by https"
    ));
    /// The id of an object.
    ObjectId: text().pattern(Some("^[0-7][0-9A-HJKMNP-TV-Z]{25}$"));
    /// The id of an object; of nothing it is none.
    ObjectIdOrNothing: text().pattern(Some("^([0-7][0-9A-HJKMNP-TV-Z]{25})?$"));
    /// A paper.
    Paper: text().pattern(Some(PADDED)).description(Some("Padded base64, alone or in a data URI"));
    /// A permission that a caller may ask for.
    WantedPermission: one_of(["UNVERIFIED", "LOCKED", "CLOSED", "MAKE-IT-GO-AWAY"]);
    /// A permission that verification gives.
    FoundPermission: one_of(Permission::ALL.into_iter().filter(|it| it.is_found()).map(Permission::as_str));
    /// A type of nodes whose banks have routing numbers.
    RoutedType: one_of([NodeKind::AchUs, NodeKind::WireUs].map(NodeKind::as_str));
    /// Why somebody holds a transaction back.
    HeldReason: one_of(["Q10", "Q46", "Q47"]);
    /// Why a bank sends something back.
    ReturnReason: one_of(ReturnCode::all().map(|code| code.to_string()));
    /// The part of a transaction that a bank sends back.
    Leg: one_of(["pull", "push"]);
    /// A kind of acts that another operator has to approve.
    ApprovedKind: one_of(APPROVED);
    /// A currency that comes in.
    CurrencyIn: one_of(Currency::all().map(|currency| currency.code().to_owned()));
    /// A currency that is asked about.
    CurrencyOrUsd: one_of(Currency::all().map(|currency| currency.code().to_owned())).default(Some(json!("USD")));
    /// An amount of either sign, with at most the decimals of its currency, in units of it.
    SignedAmount: number().minimum(Some(-MAX_UNITS)).maximum(Some(MAX_UNITS));
    /// An amount, with at most the decimals of its currency, in units of it.
    PositiveAmount: number().exclusive_minimum(Some(0)).maximum(Some(MAX_UNITS));
    /// A micro-deposit.
    MicroDeposit: number().minimum(Some(0.01)).maximum(Some(1)).description(Some("At most two decimals"));
    /// An account of the ledger.
    LedgerAccountName: text().max_length(Some(MAX_CHARS)).pattern(Some(LEDGER_ACCOUNT)).examples(["suspense"]);
    /// A note on a bank statement.
    Note: text().max_length(Some(NOTE_MAX_CHARS)).pattern(Some(NO_NUL));
}

/// Scheme, host and port, and what may come after them. Whether it is an address that stands in brackets, no pattern tells.
const HOOK_URL: &str = concat!(
    r"^([Hh][Tt][Tt][Pp][Ss]?://)?([A-Za-z0-9._-]*[A-Za-z0-9][A-Za-z0-9._-]*|\[[0-9A-Fa-f:.]+\])",
    r"(:(0{0,4}[1-9]|0{0,3}[1-9][0-9]|0{0,2}[1-9][0-9]{2}|0?[1-9][0-9]{3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|",
    r"655[0-2][0-9]|6553[0-5]))?([/?#][^\u0000-\u0020\u007f-\u00a0",
    r"\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]*)?$"
);

/// Names with something between them.
fn list_of(names: impl IntoIterator<Item = &'static str>, begin: &str, next: &str, end: &str) -> String {
    let names = names.into_iter().map(|name| name.replace('|', "[|]")).collect::<Vec<_>>().join("|");
    format!("{begin}({names}){next}({names}){end}")
}

/// Nodes, and accounts of the platform.
const LEDGER_ACCOUNT: &str = concat!(
    r"^(transit|ret\.in|ret\.out|suspense|node:[0-7][0-9A-HJKMNP-TV-Z]{25}|rail\.(in|out)\.(ach|wire|check)|",
    r"bank\.fbo\.[a-z0-9-]{1,10})$"
);

/// The most units of any currency that an amount has: of one without decimals.
#[expect(
    clippy::cast_possible_truncation,
    reason = "a schema has no wider bound, and no target of ours narrower ones"
)]
const MAX_UNITS: isize = MAX_MINOR as isize;

fn text() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::String)
}

fn number() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::Number)
}

fn event() -> ObjectBuilder {
    let object = || ObjectBuilder::new().schema_type(Type::Object);
    let fields = [
        ("_id", object().property("$oid", text()).required("$oid").into()),
        (
            "_rest",
            Schema::from(object().description(Some("The record as the API shows it, right after the event"))),
        ),
        ("position", number().into()),
        ("webhook_meta", object().description(Some("What happened, when, and by whom")).into()),
    ];
    let any = object().additional_properties(Some(AdditionalProperties::FreeForm(true)));
    fields.into_iter().fold(any, |event, (name, field)| event.property(name, field).required(name))
}

/// One of these texts.
pub(crate) fn one_of(names: impl IntoIterator<Item = impl Into<Value>>) -> ObjectBuilder {
    text().enum_values(Some(names))
}

/// Which types no new software should use.
fn deprecated_types() -> String {
    let names = NodeKind::ALL.into_iter().filter(|kind| kind.is_deprecated()).map(NodeKind::as_str);
    format!("Deprecated: {}.", names.collect::<Vec<_>>().join(", "))
}
