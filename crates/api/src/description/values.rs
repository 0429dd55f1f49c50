//! Texts and numbers as the API writes them. Types that exist only here stand for what another crate writes, whose types
//! know no schemas; what a text may be is what the domain lists.

use daybook_domain::subscription::Scope;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

use crate::wire::amount::{Decimal, Digits};
use crate::wire::text::{LongText, MAX_CHARS, Text};

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
    LongText: text();
    Decimal: number();
    Digits: number();
}

values! {
    /// A currency.
    CurrencyCode: text().pattern(Some("^[A-Z]{3}$")).description(Some("ISO 4217"));
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
    fields.into_iter().fold(object(), |event, (name, field)| event.property(name, field).required(name))
}

fn one_of(names: impl IntoIterator<Item = &'static str>) -> ObjectBuilder {
    text().enum_values(Some(names))
}
