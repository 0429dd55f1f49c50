//! Generators of commands about users: findings, permissions, retention, profiles and documents.

use proptest::prelude::*;
use proptest::sample::select;

use crate::attachment::NewAttachment;
use crate::id::AttachmentId;
use crate::testing::fixture::{
    ANN, BOB, CAT, DAN, change, document, lower, part_id, permit, retain, sealed, set_profile, verify,
};
use crate::user::update::{DocumentChange, Update};
use crate::user::verify::Verify;
use crate::user::{Permission, SubDocumentStatus};
use crate::{Command, UserId};

fn who() -> impl Strategy<Value = UserId> {
    select(vec![ANN, BOB, CAT, DAN, UserId::from_u128(404)])
}

/// A finding about a user, or a new permission.
pub(super) fn any_finding() -> impl Strategy<Value = Command> {
    let found = select(vec![SubDocumentStatus::Valid, SubDocumentStatus::Invalid]);
    let may = select(vec![
        Permission::SendAndReceive,
        Permission::SendAndReceive,
        Permission::Receive,
        Permission::Unverified,
    ]);
    prop_oneof![
        1 => (who(), found, 1..4_u32).prop_map(|(user, status, revision)| {
            Verify { revision, ..verify(user, status) }.into()
        }),
        2 => (who(), may).prop_map(|(user, permission)| permit(user, permission).into()),
    ]
}

/// Attachments, some of which are uploaded more than once.
pub(super) fn any_paper() -> impl Strategy<Value = NewAttachment> {
    let new = |id| NewAttachment { id: AttachmentId::from_u128(10_000_000 + id), contents: sealed(id) };
    any::<u64>().prop_map(move |id| new(u128::from(id)))
}

/// A change of a user's profile, documents, retention or permission. Users with full permission are rarely closed,
/// because little happens afterwards.
pub(super) fn any_update() -> impl Strategy<Value = Command> {
    let down =
        select(vec![Permission::Unverified, Permission::Locked, Permission::Closed, Permission::Closed]);
    let lowered = (select(vec![CAT, CAT, CAT, CAT, DAN, DAN, DAN, ANN]), down);
    let papers = (who(), 1..5_u32, select(vec![0, 1, 2]), any_paper());
    prop_oneof![
        1 => (who(), 0..9_i64).prop_map(|(user, until)| retain(user, until).into()),
        2 => lowered.prop_map(|(user, permission)| lower(user, permission).into()),
        2 => (who(), 1..5_u32, any::<u8>()).prop_map(|(user, revision, contents)| {
            set_profile(user, revision, u128::from(contents)).into()
        }),
        3 => papers.prop_map(|(user, revision, kind, image)| {
            let grown = document(user, &["SSN", "EMAIL"]);
            let update = match kind {
                0 => change(user, revision, DocumentChange::Add(grown)),
                1 => change(user, revision, DocumentChange::Set(grown)),
                _ => change(user, revision, DocumentChange::Remove(part_id(user, 99))),
            };
            Update { attachments: vec![image], ..update }.into()
        }),
    ]
}
