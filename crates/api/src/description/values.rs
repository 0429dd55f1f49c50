//! Schemas of texts and numbers of the API. A type that exists only here describes a value that another crate writes
//! and whose type has no schema. Enumerations come from the domain.

use daybook_domain::Currency;
use daybook_domain::calendar::ReturnCode;
use daybook_domain::matching::Means;
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
use crate::wire::transaction::MAX_NOTE_CHARS;

/// Text without NUL.
const NO_NUL: &str = r"^[^\u0000]*$";
/// Text without line breaks and other control characters.
const ONE_LINE: &str = r"^[^\u0000-\u001f\u007f-\u009f\u2028\u2029]*$";

/// Blanks for a bracket expression.
macro_rules! blank {
    () => {
        r"\u0009-\u000d\u0020\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
    };
}

/// The same patterns with at least one character that is not a blank.
const NOT_BLANK: &str = concat!(r"^[^\u0000]*[^\u0000", blank!(), r"][^\u0000]*$");
const NOT_BLANK_ON_ONE_LINE: &str = concat!(
    r"^[^\u0000-\u001f\u007f-\u009f\u2028\u2029]*[^\u0000-\u001f\u007f-\u009f",
    blank!(),
    r"][^\u0000-\u001f\u007f-\u009f\u2028\u2029]*$"
);

/// Padded base64 without stray bits, optionally in a data URI.
const PADDED: &str = concat!(
    r"^(data:[^,\u0000]*;base64,)?([A-Za-z0-9+/]{4})*",
    r"([A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=|[A-Za-z0-9+/][AQgw]==)$"
);
/// Data URI of base64 in either alphabet, with blanks and padding anywhere, of at least one byte.
const DATA_URI: &str = concat!(
    r"^data:[^,\u0000]*;base64,[\t\n\f\r =]*(",
    r"(([A-Za-z0-9+/][\t\n\f\r =]*){4})*([A-Za-z0-9+/][\t\n\f\r =]*){2,4}|",
    r"(([A-Za-z0-9_-][\t\n\f\r =]*){4})*([A-Za-z0-9_-][\t\n\f\r =]*){2,4})$"
);

/// Calendar day, as far as a pattern can check it.
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
    SaidText: text().max_length(Some(MAX_CHARS)).pattern(Some(NOT_BLANK));
    SaidName: text().max_length(Some(MAX_CHARS)).pattern(Some(NOT_BLANK_ON_ONE_LINE));
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
    /// Type of a node.
    NodeType: one_of(NodeKind::ALL.map(NodeKind::as_str)).description(Some(deprecated_types()));
    /// Status of a transaction.
    TransactionStatus: one_of(Status::ALL.map(Status::as_str));
    /// Permission of a user.
    UserPermission: one_of(Permission::ALL.map(Permission::as_str));
    /// Directions in which money may move through a subnet.
    SubnetAllowed: one_of(Allowed::ALL.map(Allowed::as_str));
    /// Account class of a subnet.
    SubnetClass: one_of(AccountClass::ALL.map(AccountClass::as_str));
    /// Rail: a payment method between banks.
    RailName: one_of(Rail::ALL.map(Rail::as_str));
    /// Result of a comparison with a bank's data.
    MatchResult: one_of(["match", "no_match", "not_found"]);
    /// Format of a bank's file.
    BankFileFormat: one_of(["auto", "bai2", "camt", "mt940", "csv"]);
    /// Format in which the sandbox's bank writes.
    WrittenFormat: one_of(["bai2", "camt", "mt940", "csv"]);
    /// Subject of a line that the sandbox's bank states.
    LineSubject: one_of(["each", "file"]);
    /// Day of the calendar.
    CalendarDay: text().pattern(Some(concat!("^", day!(), "$")));
    /// Day that the sandbox's bank states again.
    StatedDay: text().pattern(Some(concat!("^", day!(), "$")));
    /// Treatment of statements about accounts that are not the platform's.
    OtherBankAccounts: one_of(["refuse", "skip"]);
    /// Scope of an OAuth key.
    OauthScope: one_of(Scopes::ALL.names());
    /// Secret text that no answer contains.
    Hidden: text().format(Some(SchemaFormat::KnownFormat(KnownFormat::Password))).max_length(Some(MAX_CHARS))
        .min_length(Some(1)).pattern(Some(NO_NUL));
    /// Event as a webhook delivers it. The fields of the record stand beside these.
    EventRecord: event();
    /// Scope of a subscription: kind of event that it receives.
    SubscriptionScope: one_of(Scope::ALL.map(Scope::as_str));
    /// Moment: a position of the log or a time.
    Moment: text().pattern(Some(concat!("^([0-9]{1,18}|", time!(), ")$")));
    /// Moment, or a calendar day.
    MomentOrDay: text().pattern(Some(concat!("^([0-9]{1,18}|", time!(), "|", day!(), ")$")));
    /// Cursor of the event feed.
    FeedPlace: text().pattern(Some("^(end|cursor_[0-9a-f]{32})?$"));
    /// Scopes of subscriptions, separated by commas.
    FeedScopes: text().pattern(Some(list_of(Scope::ALL.map(Scope::as_str), "^(", "(,", "){0,99})?$")));
    /// Scopes of public keys, separated by commas.
    PublicScopes: text().pattern(Some(list_of(Scopes::PUBLIC.names(), "^[ ,]*", "([ ,]*,[ ,]*", "){0,19}[ ,]*$")));
    /// Flag whose only value is "yes".
    Yes: text().pattern(Some("^[Yy][Ee][Ss]$"));
    /// Amount in USD as text.
    DecimalsOrTen: text().default(Some(json!("10.00"))).pattern(Some(r"^([1-9][0-9]{0,9}(\.[0-9]{1,2})?|0\.(0[1-9]|[1-9][0-9]?))$"));
    /// URL of a subscription's receiver.
    HookUrl: text().max_length(Some(MAX_CHARS)).pattern(Some(HOOK_URL)).description(Some(
        "An address of https, in a sandbox also of http, or a host, which is called by https"
    ));
    /// Id of an object.
    ObjectId: text().pattern(Some("^[0-7][0-9A-HJKMNP-TV-Z]{25}$"));
    /// Id of an object, or an empty text for none.
    ObjectIdOrNothing: text().pattern(Some("^([0-7][0-9A-HJKMNP-TV-Z]{25})?$"));
    /// Attachment of a transaction.
    Paper: text().pattern(Some(PADDED)).description(Some("Padded base64, alone or in a data URI"));
    /// Permission that a caller may request.
    WantedPermission: one_of(["UNVERIFIED", "LOCKED", "CLOSED", "MAKE-IT-GO-AWAY"]);
    /// Permission that a verification grants.
    FoundPermission: one_of(Permission::ALL.into_iter().filter(|it| it.is_found()).map(Permission::as_str));
    /// Type of a node whose bank has a routing number.
    RoutedType: one_of([NodeKind::AchUs, NodeKind::WireUs].map(NodeKind::as_str));
    /// Reason to queue a transaction by hand.
    HeldReason: one_of(["Q10", "Q46", "Q47"]);
    /// Return code of a bank.
    ReturnReason: one_of(ReturnCode::all().map(|code| code.to_string()));
    /// Strategy of a matching rule.
    RuleStrategy: one_of(Means::ALL.map(Means::as_str));
    /// Name of a matching rule.
    RuleName: text().pattern(Some("^[a-z0-9_-]{1,40}$"));
    /// Code of a bank, or a range of numbers.
    BankCodes: text().pattern(Some(r"^([A-Za-z0-9/+_-]{1,40}|[0-9]{1,9}\.\.[0-9]{1,9})$"));
    /// Rail of the items of a matching rule.
    RuleRail: one_of(Rail::ALL.map(Rail::as_str));
    /// Leg of a transaction that a bank returns.
    Leg: one_of(["pull", "push"]);
    /// Kind of operation that requires the approval of a second operator.
    ApprovedKind: one_of(APPROVED);
    /// Currency of an incoming payment.
    CurrencyIn: one_of(Currency::all().map(|currency| currency.code().to_owned()));
    /// Currency of a query, USD by default.
    CurrencyOrUsd: one_of(Currency::all().map(|currency| currency.code().to_owned())).default(Some(json!("USD")));
    /// Signed amount in units of its currency, with at most the currency's decimals.
    SignedAmount: number().minimum(Some(-MAX_UNITS)).maximum(Some(MAX_UNITS));
    /// Positive amount in units of its currency, with at most the currency's decimals.
    PositiveAmount: number().exclusive_minimum(Some(0)).maximum(Some(MAX_UNITS));
    /// Amount of a micro-deposit.
    MicroDeposit: number().minimum(Some(0.01)).maximum(Some(1)).description(Some("At most two decimals"));
    /// Name of a ledger account.
    LedgerAccountName: text().max_length(Some(MAX_CHARS)).pattern(Some(LEDGER_ACCOUNT)).examples(["suspense"]);
    /// Note on a bank statement.
    Note: text().max_length(Some(MAX_NOTE_CHARS)).pattern(Some(NO_NUL));
}

/// Scheme, host and port, and the optional rest. A pattern cannot check the address in brackets.
const HOOK_URL: &str = concat!(
    r"^([Hh][Tt][Tt][Pp][Ss]?://)?([A-Za-z0-9._-]*[A-Za-z0-9][A-Za-z0-9._-]*|\[[0-9A-Fa-f:.]+\])",
    r"(:(0{0,4}[1-9]|0{0,3}[1-9][0-9]|0{0,2}[1-9][0-9]{2}|0?[1-9][0-9]{3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|",
    r"655[0-2][0-9]|6553[0-5]))?([/?#][^\u0000-\u0020\u007f-\u00a0",
    r"\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]*)?$"
);

/// Joins names into a pattern with `begin`, `next` and `end` around them.
fn list_of(names: impl IntoIterator<Item = &'static str>, begin: &str, next: &str, end: &str) -> String {
    let names = names.into_iter().map(|name| name.replace('|', "[|]")).collect::<Vec<_>>().join("|");
    format!("{begin}({names}){next}({names}){end}")
}

/// Accounts of nodes and of the platform.
const LEDGER_ACCOUNT: &str = concat!(
    r"^(transit|ret\.in|ret\.out|suspense|node:[0-7][0-9A-HJKMNP-TV-Z]{25}|rail\.(in|out)\.(ach|wire|check)|",
    r"bank\.fbo\.[a-z0-9-]{1,10})$"
);

/// Maximum units of an amount in any currency: that of a currency without decimals.
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

/// Returns the schema of a text that is one of `names`.
pub(crate) fn one_of(names: impl IntoIterator<Item = impl Into<Value>>) -> ObjectBuilder {
    text().enum_values(Some(names))
}

/// Lists the types that new software should not use.
fn deprecated_types() -> String {
    let names = NodeKind::ALL.into_iter().filter(|kind| kind.is_deprecated()).map(NodeKind::as_str);
    format!("Deprecated: {}.", names.collect::<Vec<_>>().join(", "))
}
