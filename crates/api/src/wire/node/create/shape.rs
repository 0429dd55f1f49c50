//! Schema of the body that creates a node: one shape per type, exactly one of which matches.

use std::borrow::Cow;

use daybook_domain::node::NodeKind;
use utoipa::openapi::schema::{AllOfBuilder, ObjectBuilder, OneOfBuilder, Schema, SchemaType, Type};
use utoipa::openapi::{Ref, RefOr};
use utoipa::{PartialSchema, ToSchema};

use super::info::{AchInfo, CheckInfo, HeldInfo, LoginInfo, WireAbroadInfo, WireInfo};
use super::{BankAnswer, CreateNode, Extra};
use crate::description::values::one_of;

type Schemas = Vec<(String, RefOr<Schema>)>;

impl PartialSchema for CreateNode {
    fn schema() -> RefOr<Schema> {
        let text = "The required fields depend on the type. An answer to a bank's challenge has no type.";
        let names = shapes().into_iter().map(|(name, _)| Ref::from_schema_name(name));
        names.fold(OneOfBuilder::new().description(Some(text)), OneOfBuilder::item).into()
    }
}

impl ToSchema for CreateNode {
    fn schemas(schemas: &mut Schemas) {
        schemas.extend(shapes().into_iter().map(|(name, shape)| (name.to_owned(), shape)));
        add::<Extra>(schemas);
        add::<HeldInfo>(schemas);
        add::<AchInfo>(schemas);
        add::<LoginInfo>(schemas);
        add::<WireInfo>(schemas);
        add::<WireAbroadInfo>(schemas);
        add::<CheckInfo>(schemas);
    }
}

/// Adds a schema with the schemas that it refers to.
fn add<T: ToSchema>(schemas: &mut Schemas) {
    schemas.push((T::name().into_owned(), T::schema()));
    T::schemas(schemas);
}

fn shapes() -> [(&'static str, RefOr<Schema>); 7] {
    use NodeKind::{AchUs, CheckUs, WireInt, WireUs};
    let held = NodeKind::ALL.into_iter().filter(|kind| ![AchUs, CheckUs, WireInt, WireUs].contains(kind));
    let held: Vec<_> = held.collect();
    // The fields of a bank login exclude those of a bank account.
    let nothing = || ObjectBuilder::new().schema_type(Type::Null);
    let no_login = ObjectBuilder::new().property("bank_id", nothing()).property("bank_pw", nothing());
    let by_numbers = AllOfBuilder::new().item(reference::<AchInfo>()).item(no_login);
    [
        ("NewHeldNode", node(&held, reference::<HeldInfo>())),
        ("NewAchNode", node(&[AchUs], by_numbers)),
        ("NewBankLogin", bare(&[AchUs], reference::<LoginInfo>()).into()),
        ("NewBankAnswer", BankAnswer::schema()),
        ("NewWireNode", node(&[WireUs], reference::<WireInfo>())),
        ("NewWireAbroadNode", node(&[WireInt], reference::<WireAbroadInfo>())),
        ("NewCheckNode", node(&[CheckUs], reference::<CheckInfo>())),
    ]
}

/// Schema of a body of these types with `info` only.
fn bare(kinds: &[NodeKind], info: impl Into<RefOr<Schema>>) -> ObjectBuilder {
    let nothing = || ObjectBuilder::new().schema_type(Type::Null);
    let kinds = one_of(kinds.iter().map(|kind| kind.as_str()));
    let node = ObjectBuilder::new().schema_type(Type::Object);
    let node = node.property("type", kinds).required("type").property("info", info).required("info");
    // A body with one of these fields is an answer to a bank's challenge.
    node.property("access_token", nothing()).property("mfa_answer", nothing())
}

fn node(kinds: &[NodeKind], info: impl Into<RefOr<Schema>>) -> RefOr<Schema> {
    let nothing = ObjectBuilder::new().schema_type(Type::Null);
    let flag = ObjectBuilder::new().schema_type(SchemaType::from_iter([Type::Boolean, Type::Null]));
    let extra = OneOfBuilder::new().item(reference::<Extra>()).item(nothing);
    bare(kinds, info).property("extra", extra).property("is_active", flag).into()
}

fn reference<T: ToSchema>() -> Ref {
    let name: Cow<'static, str> = T::name();
    Ref::from_schema_name(name)
}
