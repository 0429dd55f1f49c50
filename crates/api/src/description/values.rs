//! Texts and numbers as the API writes them. Types that exist only here stand for what another crate writes, whose types
//! know no schemas; what a text may be is what the domain lists.

use daybook_domain::node::NodeKind;
use daybook_domain::posting::Rail;
use daybook_domain::subnet::{AccountClass, Allowed};
use daybook_domain::subscription::Scope;
use daybook_domain::transaction::Status;
use daybook_domain::user::Permission;
use daybook_engine::access::Scopes;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{AdditionalProperties, KnownFormat, ObjectBuilder, Schema, SchemaFormat, Type};
use utoipa::{PartialSchema, ToSchema};

use crate::wire::amount::{Decimal, Digits};
use crate::wire::ops::sum::Sum;
use crate::wire::text::{LongText, MAX_CHARS, Name, Text};

/// A text without line breaks and other control characters.
const ONE_LINE: &str = r"^[^\u0000-\u001f\u007f-\u009f\u2028\u2029]*$";

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
    Text: text().max_length(Some(MAX_CHARS));
    Name: text().max_length(Some(MAX_CHARS)).pattern(Some(ONE_LINE));
    LongText: text();
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
    /// The name of a document's type: SSN, `GOVT_ID` and the like.
    DocumentTypeName: text().pattern(Some("^[A-Z0-9_]{1,64}$"));
    /// A text that is shown nowhere.
    Hidden: text().format(Some(SchemaFormat::KnownFormat(KnownFormat::Password))).max_length(Some(MAX_CHARS));
    /// An event as a subscription is called with it: beside this the fields of the record.
    EventRecord: event();
    /// What a subscription can be about.
    SubscriptionScope: one_of(Scope::ALL.map(Scope::as_str));
}

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

fn one_of(names: impl IntoIterator<Item = &'static str>) -> ObjectBuilder {
    text().enum_values(Some(names))
}

/// Which types no new software should use.
fn deprecated_types() -> String {
    let names = NodeKind::ALL.into_iter().filter(|kind| kind.is_deprecated()).map(NodeKind::as_str);
    format!("Deprecated: {}.", names.collect::<Vec<_>>().join(", "))
}
