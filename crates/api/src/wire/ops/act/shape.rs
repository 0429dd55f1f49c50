//! Schema of an act: one shape per kind, exactly one of which matches.

use std::borrow::Cow;

use utoipa::openapi::schema::{ObjectBuilder, OneOfBuilder, Schema};
use utoipa::openapi::{Ref, RefOr};
use utoipa::{PartialSchema, ToSchema};

use super::matching::{MatchIn, UnmatchIn};
use super::rules::SetRulesIn;
use super::{JournalIn, NewAct, OnNode, OnTransaction, OnUser, QueueIn, ReturnIn, SetLimitsIn, SetPolicyIn};
use crate::description::values::{CurrencyIn, one_of};

/// Each shape of an act, with the kinds that have it.
impl PartialSchema for NewAct {
    fn schema() -> RefOr<Schema> {
        let names = Self::shapes().into_iter().map(|(name, _)| Ref::from_schema_name(name));
        names.fold(OneOfBuilder::new(), OneOfBuilder::item).into()
    }
}

impl ToSchema for NewAct {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.extend(Self::shapes().into_iter().map(|(name, shape)| (name.into_owned(), shape)));
        QueueIn::schemas(schemas);
        OnTransaction::schemas(schemas);
        ReturnIn::schemas(schemas);
        JournalIn::schemas(schemas);
        OnNode::schemas(schemas);
        OnUser::schemas(schemas);
        SetLimitsIn::schemas(schemas);
        SetPolicyIn::schemas(schemas);
        MatchIn::schemas(schemas);
        UnmatchIn::schemas(schemas);
        SetRulesIn::schemas(schemas);
        // The derive macro does not add the schema of a map's keys.
        schemas.push((CurrencyIn::name().into_owned(), CurrencyIn::schema()));
    }
}

impl NewAct {
    fn shapes() -> [(Cow<'static, str>, RefOr<Schema>); 11] {
        [
            of_kind::<QueueIn>(&["queue"]),
            of_kind::<OnTransaction>(&["release", "cancel", "present_again"]),
            of_kind::<ReturnIn>(&["return"]),
            of_kind::<JournalIn>(&["journal"]),
            of_kind::<OnNode>(&["lock_node", "unlock_node"]),
            of_kind::<OnUser>(&["lock_user", "unlock_user"]),
            of_kind::<SetLimitsIn>(&["set_limits"]),
            of_kind::<SetPolicyIn>(&["set_policy"]),
            of_kind::<MatchIn>(&["match"]),
            of_kind::<UnmatchIn>(&["unmatch"]),
            of_kind::<SetRulesIn>(&["set_rules"]),
        ]
    }
}

fn of_kind<T: ToSchema>(kinds: &[&'static str]) -> (Cow<'static, str>, RefOr<Schema>) {
    let RefOr::T(Schema::Object(object)) = T::schema() else { return (T::name(), T::schema()) };
    let object = ObjectBuilder::from(object).property("kind", one_of(kinds.iter().copied())).required("kind");
    (T::name(), object.into())
}
