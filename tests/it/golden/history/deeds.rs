//! What happened in the newest chapter. Chapters that were told are files; what was asked for in them is not needed any
//! more, so these deeds give way to those of the next one.
//!
//! This one is told since documents say what was found about their parts: of a new user, and of one whose document the
//! first chapter told otherwise.

use daybook_domain::custody::cut::SendFile;
use daybook_domain::node::NodeKind;
use daybook_domain::posting::Rail;
use daybook_domain::testing::fixture::{
    BOB, BOBS, CUSTODY, OTTO, advance_clock, bounce, change, credit, cut_as, debit, document, node, part_id,
    payment, person, review, settle, statement,
};
use daybook_domain::time::DAY_MS;
use daybook_domain::transaction::Direction;
use daybook_domain::transaction::create::Create;
use daybook_domain::user::update::{DocumentChange, Update};
use daybook_domain::user::verify::Verify;
use daybook_domain::user::{SubDocumentGroup, SubDocumentStatus};
use daybook_domain::{AttachmentId, Command, FileId, NodeId, UserId};

/// Her document is one of the first chapter.
const EVE: UserId = UserId::from_u128(70);
/// New.
const FAY: UserId = UserId::from_u128(74);
const FAYS: NodeId = NodeId::from_u128(75);
/// The image of Eve's document.
const IMAGE: AttachmentId = AttachmentId::from_u128(6_001);
/// A file for the bank.
const FILE: FileId = FileId::from_u128(5_042);

/// Everything that is asked for, in order.
pub(super) fn deeds() -> Vec<Command> {
    [people(), money()].concat()
}

/// A document with these parts, each found to be as it was found, or waiting if nobody has looked at it.
fn papers(user: UserId, revision: u32, parts: &[&str]) -> Update {
    let mut papers = document(user, parts);
    for part in &mut papers.parts {
        part.status = SubDocumentStatus::Valid;
        if part.document_type == "GOVT_ID" {
            (part.group, part.image) = (SubDocumentGroup::Physical, Some(IMAGE));
        }
    }
    change(user, revision, DocumentChange::Set(papers))
}

fn people() -> Vec<Command> {
    let valid = |user, revision, part| Verify {
        user,
        revision,
        findings: vec![(part_id(user, part), SubDocumentStatus::Valid)],
    };
    vec![
        person(FAY, &["EMAIL"]).into(),
        valid(FAY, 1, 0).into(),
        papers(FAY, 2, &["EMAIL", "SSN"]).into(),
        valid(FAY, 3, 1).into(),
        papers(EVE, 9, &["EMAIL", "SSN", "GOVT_ID", "PHONE_NUMBER", "FACEBOOK"]).into(),
        valid(EVE, 10, 3).into(),
        node(FAYS, FAY, NodeKind::DepositUs).into(),
    ]
}

/// What was on its way at the end of the first chapter arrives; some of what had arrived comes back.
fn money() -> Vec<Command> {
    let to_fay = Create { by: BOB, from: BOBS, to: FAYS, ..payment(1_051, 2_500) };
    vec![
        to_fay.into(),
        debit(1_051),
        credit(1_051),
        settle(1_051),
        bounce(1_001, "R10").into(),
        review(2_016, OTTO, false).into(),
        cut_as(1_042, Direction::Pull, Rail::Ach, FILE),
        SendFile { custody: CUSTODY, file: FILE }.into(),
        credit(1_042),
        settle(1_042),
        advance_clock(DAY_MS).into(),
        statement(2, 3_423, &[(70, 1_042)]),
    ]
}
