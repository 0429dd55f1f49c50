//! Schemas of the envelope around the records of a successful response.

use std::borrow::Cow;

use utoipa::__dev::ComposeSchema;
use utoipa::ToSchema;
use utoipa::openapi::schema::{AllOfBuilder, ArrayBuilder, ObjectBuilder, Schema, Type};
use utoipa::openapi::{Ref, RefOr};

use crate::envelope::{Accepted, List, Record};
use crate::wire::Listed;

/// A record of lists that has a schema.
trait DescribedRecord: Listed + ToSchema {}
impl<T: Listed + ToSchema> DescribedRecord for T {}

type Schemas = Vec<(String, RefOr<Schema>)>;

/// Returns the schema of a constant text.
fn constant(text: &str) -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::String).enum_values(Some([text]))
}

/// Returns an object with the codes of a successful response.
fn codes(error_code: &str, http_code: &str) -> ObjectBuilder {
    let object = ObjectBuilder::new().schema_type(Type::Object);
    let object = object.property("error_code", constant(error_code)).required("error_code");
    object.property("http_code", constant(http_code)).required("http_code")
}

fn count() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::Integer).minimum(Some(0))
}

fn success() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::Boolean)
}

/// Implements the schema of an envelope: `$name` precedes the name of the record. The derive macro for a generic type
/// does the same, but cannot name a key after the type.
macro_rules! around_a_record {
    ($($envelope:ident as $name:literal of $record:ident: $bound:ident => $schema:expr;)*) => {$(
        impl<$record: $bound> ToSchema for $envelope<$record> {
            fn name() -> Cow<'static, str> {
                Cow::Borrowed($name)
            }
            fn schemas(schemas: &mut Schemas) {
                schemas.push(($record::name().into(), $record::schema()));
                $record::schemas(schemas);
            }
        }

        impl<$record: $bound> ComposeSchema for $envelope<$record> {
            fn compose(_: Vec<RefOr<Schema>>) -> RefOr<Schema> {
                $schema
            }
        }
    )*};
}

around_a_record! {
    Record as "Answer" of T: ToSchema => beside::<T>(codes("0", "200"));
    Accepted as "Asked" of T: ToSchema => {
        beside::<T>(codes("10", "202").property("success", success()).required("success"))
    };
    List as "List" of T: DescribedRecord => list::<T>();
}

fn beside<T: ToSchema>(codes: ObjectBuilder) -> RefOr<Schema> {
    AllOfBuilder::new().item(Ref::from_schema_name(T::name())).item(codes).into()
}

fn list<T: DescribedRecord>() -> RefOr<Schema> {
    let (records, total) = T::KEYS;
    let list = codes("0", "200").property("success", success()).required("success");
    let numbers = ["limit", "page", "page_count", total];
    let list = numbers.into_iter().fold(list, |list, name| list.property(name, count()).required(name));
    let of_records = ArrayBuilder::new().items(Ref::from_schema_name(T::name()));
    list.property(records, of_records).required(records).into()
}
