//! What happened in the newest chapter. Chapters that were told are files; what was asked for in them is not needed any
//! more, so these deeds give way to those of the next one.

use daybook_domain::attachment::NewAttachment;
use daybook_domain::custody::cut::SendFile;
use daybook_domain::id::BoxId;
use daybook_domain::node::NodeKind;
use daybook_domain::node::create::Create as CreateNode;
use daybook_domain::node::deactivate::Deactivate;
use daybook_domain::node::micro_deposits::MicroDeposits;
use daybook_domain::node::relabel::Relabel;
use daybook_domain::node::resend::ResendMicroDeposits;
use daybook_domain::node::verify::VerifyMicroDeposits;
use daybook_domain::operation::{Act, ActKind};
use daybook_domain::platform::{Limits, Policy};
use daybook_domain::posting::{LedgerAccount, Posting, Postings, Rail};
use daybook_domain::subscription::Scope;
use daybook_domain::subscription::change::Change;
use daybook_domain::testing::fixture::{
    ANN, ANNS, BOB, BOBS, BOBS_BANK, CATS, CUSTODY, DAN, DANS, FEES, OTTO, PLATFORM, PULLED, RESERVE, TIPS,
    WIRED, advance_clock, bank, between, bounce, cancel, change, change_subnet, change_subscription, credit,
    cut_as, debit, document, fee, fund, income, look_again, node, operate, part_id, pay, pay_out, payment,
    permit, person, pull, queue, release, review, sealed, set_policy, set_profile, settle, statement, subnet,
    subscription, transaction, withdrawal,
};
use daybook_domain::time::DAY_MS;
use daybook_domain::transaction::comment::Comment;
use daybook_domain::transaction::create::Create;
use daybook_domain::transaction::receive::Receive;
use daybook_domain::transaction::withdraw::Withdraw;
use daybook_domain::transaction::{Direction, QueueReason};
use daybook_domain::user::update::{DocumentChange, Update};
use daybook_domain::user::verify::Verify;
use daybook_domain::user::{Document, Permission, SubDocumentGroup, SubDocumentStatus};
use daybook_domain::{AttachmentId, Command, Currency, FileId, Money, NodeId, Timestamp, UserId};

const EVE: UserId = UserId::from_u128(70);
const EVES: NodeId = NodeId::from_u128(71);
const EVES_BANK: NodeId = NodeId::from_u128(72);
const UNPAID: NodeId = NodeId::from_u128(73);

/// Everything that is asked for, in order.
pub(super) fn deeds() -> Vec<Command> {
    [opening(), people(), nodes(), payments(), at_the_bank(), hindrances(), operators(), places(), end()]
        .concat()
}

fn opening() -> Vec<Command> {
    [bank(), vec![fund(ANNS, 1_000_000), fund(BOBS, 250_000), fund(RESERVE, 10_000)]].concat()
}

fn paper(number: u128) -> NewAttachment {
    NewAttachment { id: AttachmentId::from_u128(6_000 + number), contents: sealed(6_000 + number) }
}

/// Eve's document with its image, every part found to be as it was found, or waiting if nobody has looked at it.
fn papers(parts: &[&str]) -> Document {
    let mut papers = document(EVE, parts);
    for part in &mut papers.parts {
        part.status = SubDocumentStatus::Valid;
    }
    papers.parts[2].group = SubDocumentGroup::Physical;
    papers.parts[2].image = Some(paper(1).id);
    papers
}

fn people() -> Vec<Command> {
    let found =
        |revision, part, status| Verify { user: EVE, revision, findings: vec![(part_id(EVE, part), status)] };
    let set = |revision, parts| change(EVE, revision, DocumentChange::Set(papers(parts)));
    let grown = Update { attachments: vec![paper(1)], ..set(3, &["EMAIL", "SSN", "GOVT_ID"]) };
    let other = Document { id: part_id(EVE, 98), contents: Some(sealed(7_098)), ..document(EVE, &["EMAIL"]) };
    vec![
        person(EVE, &["EMAIL"]).into(),
        found(1, 0, SubDocumentStatus::Valid).into(),
        set_profile(EVE, 2, 7_001).into(),
        grown.into(),
        found(4, 1, SubDocumentStatus::Invalid).into(),
        found(5, 2, SubDocumentStatus::MfaPending).into(),
        change(EVE, 6, DocumentChange::Add(other)).into(),
        change(EVE, 7, DocumentChange::Remove(part_id(EVE, 98))).into(),
        set(8, &["EMAIL", "SSN", "GOVT_ID", "PHONE_NUMBER"]).into(),
        permit(EVE, Permission::SendAndReceive).into(),
        permit(DAN, Permission::Receive).into(),
        operate(2_001, Act::LockUser { user: BOB }).into(),
        operate(2_002, Act::UnlockUser { user: BOB }).into(),
    ]
}

fn sent(amounts: [i64; 2], first: u128) -> MicroDeposits {
    MicroDeposits { amounts, transactions: [transaction(first), transaction(first + 1)] }
}

fn limited(number: u128, node: NodeId, limits: Limits) -> Command {
    operate(number, Act::SetLimits { node, limits: [(Currency::USD, limits)].into() }).into()
}

fn nodes() -> Vec<Command> {
    let told = |node, amounts| VerifyMicroDeposits { node, platform: PLATFORM, by: EVE, amounts };
    let attached = |id, micro_deposits| CreateNode { micro_deposits, ..node(id, EVE, NodeKind::AchUs) };
    let again = ResendMicroDeposits {
        node: EVES_BANK,
        platform: PLATFORM,
        by: EVE,
        micro_deposits: sent([5, 6], 3_003),
    };
    let relabeled = Relabel {
        node: EVES,
        platform: PLATFORM,
        by: EVE,
        from: Some(BoxId::from_u128(EVES.as_u128())),
        changes_supp_id: true,
        details: sealed(7_071),
    };
    let none = Limits { floor: Some(9_980), daily_in: None, daily_out: None };
    vec![
        node(EVES, EVE, NodeKind::DepositUs).into(),
        relabeled.into(),
        attached(EVES_BANK, Some(sent([7, 12], 3_001))).into(),
        told(EVES_BANK, [1, 2]).into(),
        again.into(),
        told(EVES_BANK, [12, 7]).into(),
        told(EVES_BANK, [12, 7]).into(),
        told(EVES, [12, 7]).into(),
        limited(2_003, RESERVE, none),
        attached(UNPAID, Some(sent([50, 60], 3_005))).into(),
        operate(2_004, Act::LockNode { node: EVES }).into(),
        operate(2_005, Act::UnlockNode { node: EVES }).into(),
        Deactivate { node: UNPAID, platform: PLATFORM, by: EVE }.into(),
    ]
}

fn payments() -> Vec<Command> {
    let with_fees = Create {
        fees: vec![fee(FEES, 150), fee(TIPS, 25)],
        attachments: vec![paper(2)],
        ..payment(1_001, 6_000)
    };
    let comment =
        Comment { id: transaction(1_001), platform: PLATFORM, by: BOB, node: BOBS, comment: sealed(7_002) };
    vec![
        with_fees.into(),
        debit(1_001),
        credit(1_001),
        comment.into(),
        settle(1_001),
        pay(1_002, 500),
        cancel(1_002).into(),
        pay(1_003, 99_999_999),
        debit(1_003),
        Create { in_days: 1, ..payment(1_004, 700) }.into(),
        withdrawal(BOBS, 1_234).into(),
        pay(1_005, 300),
        debit(1_005),
        between(1_006, ANNS, EVES, 2_000).into(),
        debit(1_006),
        credit(1_006),
        settle(1_006),
        bounce(1_006, "R10").into(),
    ]
}

fn file(number: u128) -> FileId {
    FileId::from_u128(5_000 + number)
}

fn cut(number: u128, direction: Direction, rail: Rail) -> Command {
    cut_as(number, direction, rail, file(number))
}

/// A pull, two pushes, a leg that no format had room for, what comes back, and two statements.
fn at_the_bank() -> Vec<Command> {
    let sent = |number| SendFile { custody: CUSTODY, file: file(number) };
    let no_room = Withdraw {
        id: transaction(1_014),
        platform: PLATFORM,
        direction: Direction::Push,
        code: "R03".parse().expect("a code"),
    };
    vec![
        pull(1_011, 10_000),
        debit(1_011),
        cut(1_011, Direction::Pull, Rail::Ach),
        sent(1_011).into(),
        credit(1_011),
        settle(1_011),
        pay_out(1_012, 6_000),
        debit(1_012),
        credit(1_012),
        cut(1_012, Direction::Push, Rail::Ach),
        sent(1_012).into(),
        between(1_013, BOBS, WIRED, 4_000).into(),
        debit(1_013),
        credit(1_013),
        cut(1_013, Direction::Push, Rail::Wire),
        between(1_014, ANNS, BOBS_BANK, 900).into(),
        debit(1_014),
        credit(1_014),
        cut(1_014, Direction::Push, Rail::Ach),
        no_room.into(),
        statement(0, 0, &[(10_000, 1_011), (-2_500, 1_012), (-77, 0)]),
        bounce(1_012, "R03").into(),
        bounce(1_011, "R01").into(),
        between(1_015, PULLED, BOBS_BANK, 800).into(),
        debit(1_015),
        cut(1_015, Direction::Pull, Rail::Ach),
        credit(1_015),
    ]
}

fn hindrances() -> Vec<Command> {
    vec![
        between(1_021, ANNS, DANS, 800).into(),
        permit(DAN, Permission::Unverified).into(),
        between(1_022, ANNS, DANS, 900).into(),
        pay(1_023, 1_000),
        queue(1_023, QueueReason::Risk).into(),
        release(1_023).into(),
        pay(1_024, 1_100),
        queue(1_024, QueueReason::SenderNotAuthorised).into(),
        permit(DAN, Permission::Receive).into(),
        look_again(1_022).into(),
        advance_clock(DAY_MS).into(),
        debit(1_004),
        statement(1, 7_423, &[(-4_000, 1_013), (0, 1_011)]),
    ]
}

fn operators() -> Vec<Command> {
    let euro = Currency::parse("EUR").expect("ISO 4217");
    let approvals = [ActKind::Journal, ActKind::Lock, ActKind::SetPolicy].into();
    let policy = Policy { currencies: [euro].into(), approvals, ..Policy::default() };
    let line = |account, amount| Posting { account, amount };
    let explained = vec![line(LedgerAccount::Node(FEES), 77), line(LedgerAccount::Suspense, -77)];
    let postings = Postings::new(Currency::USD, explained).expect("balanced");
    let journal = Act::Journal { postings, effective_at: Some(Timestamp::from_ms(1)) };
    let euros = Receive { amount: Money::new(5_000, euro), id: transaction(1_031), ..income(BOBS, 5_000) };
    vec![
        set_policy(2_011, policy),
        operate(2_012, journal).into(),
        review(2_012, OTTO, true).into(),
        operate(2_013, Act::LockNode { node: ANNS }).into(),
        review(2_013, OTTO, false).into(),
        operate(2_014, Act::LockNode { node: CATS }).into(),
        review(2_014, OTTO, true).into(),
        euros.into(),
        limited(2_015, ANNS, Limits { floor: Some(-500), daily_in: Some(9_000_000), daily_out: Some(1) }),
        pay(1_032, 250),
        operate(2_016, Act::LockUser { user: ANN }).into(),
    ]
}

fn places() -> Vec<Command> {
    vec![
        subnet(1, ANNS).into(),
        daybook_domain::subnet::update::Update {
            allowed: Some(daybook_domain::subnet::Allowed::Locked),
            ..change_subnet(1, ANNS)
        }
        .into(),
        daybook_domain::subnet::update::Update { details: Some(sealed(7_003)), ..change_subnet(1, ANNS) }
            .into(),
        subscription(1).into(),
        Change { scopes: Some(vec![Scope::NodeDelete]), ..change_subscription(1) }.into(),
        Change { is_active: Some(false), ..change_subscription(1) }.into(),
    ]
}

/// What is on its way goes on, and something is on its way or held back still when the chapter ends.
fn end() -> Vec<Command> {
    vec![
        credit(1_005),
        settle(1_005),
        credit(1_004),
        pay(1_041, 60),
        pull(1_042, 70),
        debit(1_042),
        permit(DAN, Permission::Unverified).into(),
        between(1_043, BOBS, DANS, 80).into(),
    ]
}
