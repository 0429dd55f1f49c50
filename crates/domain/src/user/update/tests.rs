use super::*;
use crate::actor::Actor;
use crate::attachment::Added;
use crate::id::AttachmentId;
use crate::testing::fixture::{
    ANN, CAT, DAN, OWNER, PLATFORM, change, document, lower, part_id, person, sealed, set_profile, verify,
};
use crate::testing::{World, given};
use crate::user::SubDocumentStatus;
use crate::user::verify::Verify;
use Permission::{Closed, Locked, MakeItGoAway, Receive, SendAndReceive, Unverified};

const EVE: UserId = UserId::from_u128(9);

fn permission(world: &World, user: UserId) -> Option<Permission> {
    world.user(user).map(User::permission)
}

fn refused(update: Update, no: Refusal) {
    given([]).when(update).refused(no);
}

#[test]
fn profile_is_replaced_from_current_revision_only() {
    let set = ProfileSet { cip_tag: 3, origin: Origin::of(Actor::User(ANN)), profile: Some(sealed(70)) };
    let (first, second) = (set_profile(ANN, 2, 70), set_profile(ANN, 2, 71));
    let world = given([]).when(first.clone()).then([NewEvent::new(ANN, set)]);
    let ann = world.user(ANN).expect("made");
    assert_eq!((ann.cip_tag, &ann.profile, ann.revision), (3, &Some(sealed(70)), 3));
    world.clone().when(second).refused(Refusal::Stale);
    world.when(set_profile(ANN, 3, 71)).accepted();
}

#[test]
fn document_is_added_changed_and_removed() {
    let added = given([]).when(change(EVE, 0, DocumentChange::Add(document(EVE, &["SSN"]))));
    added.refused(Refusal::Unknown);
    let world = given([person(EVE, &[]).into()]);
    let world = world.when(change(EVE, 0, DocumentChange::Add(document(EVE, &["EMAIL"])))).accepted();
    let world = world.when(verify(EVE, SubDocumentStatus::Valid)).accepted();
    assert_eq!(permission(&world, EVE), Some(Receive));
    let mut grown = document(EVE, &["EMAIL", "SSN"]);
    grown.parts[0].status = SubDocumentStatus::Valid;
    let world = world.when(change(EVE, 2, DocumentChange::Set(grown))).accepted();
    assert_eq!(world.user(EVE).map(|user| user.documents[0].parts.len()), Some(2));
    let found =
        Verify { user: EVE, revision: 3, findings: vec![(part_id(EVE, 1), SubDocumentStatus::Valid)] };
    let world = world.when(found).accepted();
    assert_eq!(permission(&world, EVE), Some(SendAndReceive));
    let world = world.when(change(EVE, 4, DocumentChange::Remove(part_id(EVE, 99)))).accepted();
    assert_eq!(permission(&world, EVE), Some(Unverified));
    assert_eq!(world.user(EVE).map(|user| user.documents.len()), Some(0));
}

#[test]
fn caller_cannot_claim_valid_documents() {
    let mut claimed = document(DAN, &["SSN", "EMAIL"]);
    claimed.parts.iter_mut().for_each(|part| part.status = SubDocumentStatus::Valid);
    let status = |world: &World| {
        let parts = world.user(DAN).expect("made").documents[0].parts.iter();
        parts.map(|part| part.status).collect::<Vec<_>>()
    };
    let world = given([]).when(change(DAN, 1, DocumentChange::Set(claimed.clone()))).accepted();
    assert_eq!(status(&world), [SubDocumentStatus::Reviewing; 2]);
    let found = vec![(part_id(DAN, 0), SubDocumentStatus::Invalid)];
    let world = world.when(Verify { user: DAN, revision: 2, findings: found }).accepted();
    let world = world.when(change(DAN, 3, DocumentChange::Set(claimed))).accepted();
    assert_eq!(status(&world), [SubDocumentStatus::Invalid, SubDocumentStatus::Reviewing]);
}

#[test]
fn remaining_documents_limit_the_permission() {
    let other = Document { id: part_id(CAT, 98), ..document(CAT, &["PASSPORT"]) };
    let world = given([change(ANN, 2, DocumentChange::Add(other)).into()]);
    let world = world.when(change(ANN, 3, DocumentChange::Remove(part_id(ANN, 99)))).accepted();
    assert_eq!(permission(&world, ANN), Some(Receive));
}

#[test]
fn removal_of_invalid_document_raises_permission() {
    let wrong = Document { id: part_id(ANN, 98), ..document(CAT, &["PASSPORT"]) };
    let found = vec![(wrong.parts[0].id.clone(), SubDocumentStatus::Invalid)];
    let world = given([change(ANN, 2, DocumentChange::Add(wrong)).into()]);
    let world = world.when(Verify { user: ANN, revision: 3, findings: found }).accepted();
    assert_eq!(permission(&world, ANN), Some(Unverified));
    let back = change(ANN, 4, DocumentChange::Remove(part_id(ANN, 98)));
    let locked = Update { permission: Some(Locked), ..back.clone() };
    assert_eq!(permission(&world.clone().when(locked).accepted(), ANN), Some(Locked));
    assert_eq!(permission(&world.when(back).accepted(), ANN), Some(SendAndReceive));
}

#[test]
fn total_size_of_documents_is_bounded() {
    let long = |id, length| {
        let bytes: std::sync::Arc<[u8]> = vec![0; length].into();
        Document {
            id: part_id(ANN, id),
            contents: Some(Sealed { bytes, ..sealed(5) }),
            ..document(ANN, &["X"])
        }
    };
    let (half, more) = (MAX_BYTES / 2, MAX_BYTES / 2 + 1);
    let world = given([change(ANN, 2, DocumentChange::Add(long(97, half))).into()]);
    let second = |length| change(ANN, 3, DocumentChange::Add(long(98, length)));
    let world = world.when(second(more)).refused(Refusal::TooLongDocuments);
    // The replaced document does not count.
    let again = change(ANN, 3, DocumentChange::Set(long(97, MAX_BYTES - 16)));
    world.when(again).accepted();
    let whole =
        |length| crate::user::create::Create { documents: vec![long(97, length)], ..person(EVE, &[]) };
    given([]).when(whole(MAX_BYTES + 1)).refused(Refusal::TooLongDocuments);
}

#[test]
fn unknown_document_cannot_change() {
    let nobodys = Document { id: part_id(DAN, 99), ..document(ANN, &["SSN"]) };
    refused(change(ANN, 2, DocumentChange::Set(nobodys)), Refusal::UnknownDocument);
    refused(change(ANN, 2, DocumentChange::Remove(part_id(DAN, 99))), Refusal::UnknownDocument);
}

#[test]
fn number_of_documents_is_limited() {
    let numbered = |n| DocumentChange::Add(Document { id: part_id(ANN, n), ..document(ANN, &["EMAIL"]) });
    let many =
        |count: usize| Update { documents: (200..200 + count).map(numbered).collect(), ..lower(ANN, Locked) };
    let all = |count| Update { revision: 2, permission: None, ..many(count) };
    refused(all(MAX_DOCUMENTS), Refusal::TooManyDocuments);
    given([]).when(all(MAX_DOCUMENTS - 1)).accepted();
}

#[test]
fn images_are_attachments() {
    let image = NewAttachment { id: AttachmentId::from_u128(5), contents: sealed(5) };
    let update =
        Update { attachments: vec![image], ..change(ANN, 2, DocumentChange::Add(document(ANN, &[]))) };
    let added = Added { platform: PLATFORM, subject: ANN, evidence: None, contents: Some(sealed(5)) };
    let paper = document(ANN, &[]);
    let told = DocumentAdded { id: paper.id, parts: vec![], contents: paper.contents };
    given([]).when(update).then([NewEvent::new(AttachmentId::from_u128(5), added), NewEvent::new(ANN, told)]);
}

#[test]
fn permission_can_only_be_lowered() {
    let down = [Unverified, Locked, Closed, MakeItGoAway];
    for wanted in down {
        let world = given([]).when(lower(ANN, wanted)).accepted();
        assert_eq!(permission(&world, ANN), Some(wanted));
        world.when(lower(ANN, wanted)).then([]);
    }
    refused(lower(DAN, Receive), Refusal::CannotRaise);
    refused(lower(CAT, SendAndReceive), Refusal::CannotRaise);
    for closed in [Closed, MakeItGoAway] {
        given([lower(ANN, closed).into()]).when(lower(ANN, Unverified)).refused(Refusal::Closed);
    }
    let gone = given([lower(ANN, Closed).into()]).when(lower(ANN, MakeItGoAway)).accepted();
    assert_eq!(gone.user(ANN).map(User::is_listed), Some(false));
}

#[test]
fn only_the_platform_unlocks_a_user() {
    let locked = || given([lower(ANN, Locked).into()]);
    locked().when(lower(ANN, Unverified)).refused(Refusal::CannotRaise);
    let world = locked().when(Update { by_gateway: true, ..lower(ANN, Unverified) }).accepted();
    assert_eq!(permission(&world, ANN), Some(Unverified));
}

#[test]
fn closed_user_cannot_change_its_profile() {
    given([lower(ANN, Closed).into()]).when(set_profile(ANN, 2, 70)).refused(Refusal::Closed);
}

#[test]
fn own_user_keeps_its_permission() {
    refused(lower(OWNER, Closed), Refusal::OwnUser);
    given([]).when(set_profile(OWNER, 1, 70)).accepted();
}

#[test]
fn foreign_user_is_unknown() {
    refused(Update { platform: PlatformId::from_u128(2), ..lower(ANN, Locked) }, Refusal::Unknown);
}
