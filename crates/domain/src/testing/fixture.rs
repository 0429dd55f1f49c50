//! A small bank for tests: a platform with its user, two people who may send, one who may only receive, one whom
//! nobody knows, their nodes, and short words for what happens between them.

use std::sync::Arc;

use crate::account::Entry;
use crate::actor::{Actor, Origin};
use crate::aggregate::Fact;
use crate::bank::Bank;
use crate::calendar::{Day, ReturnCode};
use crate::command::Command;
use crate::custody::book::{BookStatement, Line};
use crate::custody::cut::CutFile;
use crate::event::Event;
use crate::id::{
    AccountId, BoxId, CustodyId, FileId, NodeId, OperationId, OperatorId, PlatformId, TransactionId, UserId,
};
use crate::money::{Currency, Money};
use crate::node::{self, NodeKind};
use crate::operation::Act;
use crate::operation::request::Request;
use crate::operation::review::Review;
use crate::platform::Policy;
use crate::platform::clock::AdvanceClock;
use crate::platform::open::Open;
use crate::posting::{LedgerAccount, Posting, Rail};
use crate::sealed::Sealed;
use crate::time::{DAY_MS, Timestamp};
use crate::transaction::advance::{Advance, Step};
use crate::transaction::cancel::Cancel;
use crate::transaction::create::Create;
use crate::transaction::queue::{Queue, Release};
use crate::transaction::receive::{Receive, Way};
use crate::transaction::returning::Return;
use crate::transaction::{self, CancelReason, Direction, Fee, Party, QueueReason};
use crate::user::permit::Permit;
use crate::user::verify::Verify;
use crate::user::{self, Document, SubDocument, SubDocumentGroup, SubDocumentId, SubDocumentStatus};

/// The platform.
pub const PLATFORM: PlatformId = PlatformId::from_u128(1);
/// The platform's own user.
pub const OWNER: UserId = UserId::from_u128(10);
/// May send and receive.
pub const ANN: UserId = UserId::from_u128(11);
/// May send and receive.
pub const BOB: UserId = UserId::from_u128(12);
/// May receive, and send to the platform.
pub const CAT: UserId = UserId::from_u128(13);
/// Not verified.
pub const DAN: UserId = UserId::from_u128(14);

/// The platform's reserve, which may be credited only.
pub const RESERVE: NodeId = NodeId::from_u128(20);
/// A DEPOSIT-US node of the platform's own user.
pub const HOUSE: NodeId = NodeId::from_u128(21);
/// A LEDGER-US node of the platform's own user.
pub const FEES: NodeId = NodeId::from_u128(22);
/// Another one.
pub const TIPS: NodeId = NodeId::from_u128(23);
/// Ann's DEPOSIT-US node.
pub const ANNS: NodeId = NodeId::from_u128(24);
/// Bob's DEPOSIT-US node.
pub const BOBS: NodeId = NodeId::from_u128(25);
/// Cat's DEPOSIT-US node.
pub const CATS: NodeId = NodeId::from_u128(26);
/// Dan's DEPOSIT-US node.
pub const DANS: NodeId = NodeId::from_u128(27);
/// Ann's account at a bank outside, ACH-US.
pub const OUTSIDE: NodeId = NodeId::from_u128(28);
/// Bob's DEPOSIT-US node that only gateway calls may debit.
pub const GATED: NodeId = NodeId::from_u128(29);
/// Bob's DEPOSIT-US node that is not active.
pub const ASLEEP: NodeId = NodeId::from_u128(30);

/// Ann's account at a bank outside that may be debited.
pub const PULLED: NodeId = NodeId::from_u128(31);
/// Bob's account at a bank outside.
pub const BOBS_BANK: NodeId = NodeId::from_u128(32);
/// Bob's account for wires.
pub const WIRED: NodeId = NodeId::from_u128(33);
/// A payee of Ann's checks.
pub const PAYEE: NodeId = NodeId::from_u128(34);

/// The platform's account at the bank.
pub const CUSTODY: CustodyId = CustodyId::from_u128(PLATFORM.as_u128() ^ BANK_BITS);
/// The letters of the sandbox's bank.
const BANK_BITS: u128 = 0x7361_6e64_626f_7800_0000;
/// A file for the bank.
pub const FILE: FileId = FileId::from_u128(50);
/// An operator.
pub const OLGA: OperatorId = OperatorId::from_u128(60);
/// Another one.
pub const OTTO: OperatorId = OperatorId::from_u128(61);

/// Milliseconds from each step of a [`payment`] to the next.
pub const PACE_MS: i64 = 1_000;

/// Everything that makes the bank.
#[must_use]
pub fn bank() -> Vec<Command> {
    let people = [(ANN, "SSN"), (BOB, "SSN"), (CAT, "EMAIL"), (DAN, "SSN")];
    let nodes = [
        (HOUSE, OWNER, NodeKind::DepositUs),
        (FEES, OWNER, NodeKind::LedgerUs),
        (TIPS, OWNER, NodeKind::LedgerUs),
        (ANNS, ANN, NodeKind::DepositUs),
        (BOBS, BOB, NodeKind::DepositUs),
        (CATS, CAT, NodeKind::DepositUs),
        (DANS, DAN, NodeKind::DepositUs),
        (OUTSIDE, ANN, NodeKind::AchUs),
        (BOBS_BANK, BOB, NodeKind::AchUs),
        (WIRED, BOB, NodeKind::WireUs),
        (PAYEE, ANN, NodeKind::CheckUs),
    ];
    let mut commands: Vec<Command> = vec![open().into()];
    commands.extend(people.map(|(id, part)| person(id, &[part]).into()));
    commands.extend([ANN, BOB, CAT].map(|id| verify(id, SubDocumentStatus::Valid).into()));
    commands.extend(nodes.map(|(id, owner, kind)| node(id, owner, kind).into()));
    commands.push(
        node::create::Create { gateway_restricted: true, ..node(GATED, BOB, NodeKind::DepositUs) }.into(),
    );
    commands.push(node::create::Create { is_active: false, ..node(ASLEEP, BOB, NodeKind::DepositUs) }.into());
    commands
}

/// Opens the platform, whose reserve starts empty.
#[must_use]
pub fn open() -> Open {
    Open {
        id: PLATFORM,
        name: "Daybook".into(),
        sandbox: true,
        bank: Bank::SANDBOX,
        user: user::create::Create { is_business: true, ..person(OWNER, &[]) },
        reserve: node(RESERVE, OWNER, NodeKind::ReserveUs),
        credit: None,
    }
}

/// Creates a user; one document with these parts, if there are any, waits for its review.
#[must_use]
pub fn person(id: UserId, parts: &[&str]) -> user::create::Create {
    let part = |(index, name): (usize, &&str)| SubDocument {
        id: part_id(id, index),
        group: SubDocumentGroup::Virtual,
        document_type: (*name).into(),
        status: SubDocumentStatus::Reviewing,
        updated_at: Timestamp::default(),
    };
    let parts: Vec<_> = parts.iter().enumerate().map(part).collect();
    let document = Document { id: part_id(id, 99), parts };
    let documents = (!document.parts.is_empty()).then(|| (document, sealed(id.as_u128() + 100)));
    user::create::Create {
        id,
        platform: PLATFORM,
        is_business: false,
        cip_tag: 1,
        profile: sealed(id.as_u128()),
        documents: documents.into_iter().collect(),
    }
}

/// The id of a part of a [`person`]'s document.
#[must_use]
pub fn part_id(user: UserId, index: usize) -> SubDocumentId {
    let mut bits = [0; 32];
    bits[..16].copy_from_slice(&user.as_u128().to_be_bytes());
    bits[24..].copy_from_slice(&index.to_be_bytes());
    SubDocumentId::new(bits)
}

/// Finds the first part of a [`person`]'s document to be so.
#[must_use]
pub fn verify(user: UserId, status: SubDocumentStatus) -> Verify {
    Verify { user, findings: vec![(part_id(user, 0), status)] }
}

/// Creates an active node.
#[must_use]
pub fn node(id: NodeId, user: UserId, kind: NodeKind) -> node::create::Create {
    node::create::Create {
        id,
        platform: PLATFORM,
        user,
        kind,
        is_active: true,
        gateway_restricted: false,
        micro_deposits: None,
        details: sealed(id.as_u128()),
    }
}

/// Money from outside; a node and an amount together name the transaction.
#[must_use]
pub fn income(to: NodeId, minor: i64) -> Receive {
    Receive {
        id: TransactionId::from_u128(to.as_u128() << 64 | u128::from(minor.unsigned_abs())),
        platform: PLATFORM,
        node: to,
        way: Way::In,
        amount: usd(minor),
        rail: Rail::Ach,
        origin: Origin::simulated(),
        details: sealed(7),
    }
}

/// Money from outside came onto a node.
#[must_use]
pub fn fund(to: NodeId, minor: i64) -> Command {
    income(to, minor).into()
}

/// Ann pays Bob, today and without fees.
#[must_use]
pub fn payment(number: u128, minor: i64) -> Create {
    Create {
        id: transaction(number),
        platform: PLATFORM,
        by: ANN,
        from: ANNS,
        to: BOBS,
        to_kind: NodeKind::DepositUs,
        amount: usd(minor),
        fees: vec![],
        in_days: 0,
        pace_ms: PACE_MS,
        by_gateway: false,
        details: sealed(number + 1_000),
    }
}

/// Ann paid Bob.
#[must_use]
pub fn pay(number: u128, minor: i64) -> Command {
    payment(number, minor).into()
}

/// A fee.
#[must_use]
pub fn fee(to: NodeId, minor: i64) -> Fee {
    Fee { minor, to }
}

/// The step to PROCESSING-DEBIT.
#[must_use]
pub fn debit(number: u128) -> Command {
    step(number, Step::Debit)
}

/// The step to PROCESSING-CREDIT.
#[must_use]
pub fn credit(number: u128) -> Command {
    step(number, Step::Credit)
}

/// The step to SETTLED.
#[must_use]
pub fn settle(number: u128) -> Command {
    step(number, Step::Settle)
}

/// A step.
#[must_use]
pub fn step(number: u128, step: Step) -> Command {
    Command::Advance(Advance { id: transaction(number), step, origin: Origin::PROCESS })
}

/// The transaction with this number.
#[must_use]
pub fn transaction(number: u128) -> TransactionId {
    TransactionId::from_u128(number)
}

/// US cents.
#[must_use]
pub fn usd(minor: i64) -> Money {
    Money::new(minor, Currency::USD)
}

/// A box with this id; its bytes are as good as any.
#[must_use]
pub fn sealed(id: u128) -> Sealed {
    Sealed { id: BoxId::from_u128(id), bytes: Arc::from(id.to_be_bytes().as_slice()) }
}

/// A node as a side of a transaction.
#[must_use]
pub fn party(id: NodeId, user: UserId) -> Party {
    Party::Node { id, user, kind: kind(id) }
}

/// What `create` records first, with this much held.
#[must_use]
pub fn created(create: &Create, hold: i64) -> Fact {
    let event = transaction::Created {
        platform: PLATFORM,
        from: party(create.from, create.by),
        to: party(create.to, owner(create.to)),
        subject: create.by,
        amount: create.amount,
        fees: create.fees.clone(),
        hold,
        process_on: Timestamp::from_ms(i64::from(create.in_days) * DAY_MS),
        pace_ms: create.pace_ms,
        is_micro_deposit: false,
        origin: Origin::of(Actor::User(create.by)),
        details: Some(create.details.clone()),
    };
    Fact::new(create.id, event)
}

/// Something happened to the transaction with this number.
#[must_use]
pub fn happened(number: u128, event: impl Into<Event>) -> Fact {
    Fact::new(transaction(number), event)
}

/// An entry of a node's account: what was added to `posted`, `held` and `pending_in`, and the three after it.
#[must_use]
pub fn entry(node: NodeId, cause: TransactionId, added: (i64, i64, i64), after: (i64, i64, i64)) -> Fact {
    let (delta, hold_delta, pending_delta) = added;
    let (posted, held, pending_in) = after;
    let currency = Currency::USD;
    let entry = Entry {
        node,
        currency,
        cause: cause.into(),
        delta,
        hold_delta,
        pending_delta,
        posted,
        held,
        pending_in,
        day_in: 0,
        day_out: 0,
        returned: false,
    };
    Fact::new(AccountId::of(node, Currency::USD), entry)
}

/// A posting to a node: what its owner gains is a credit, so negative.
#[must_use]
pub fn on_node(node: NodeId, amount: i64) -> Posting {
    Posting { account: LedgerAccount::Node(node), amount }
}

/// A posting to transit.
#[must_use]
pub fn on_transit(amount: i64) -> Posting {
    Posting { account: LedgerAccount::Transit, amount }
}

/// What type of node of the bank it is.
#[must_use]
pub fn kind(node: NodeId) -> NodeKind {
    match node {
        RESERVE => NodeKind::ReserveUs,
        FEES | TIPS => NodeKind::LedgerUs,
        OUTSIDE | PULLED | BOBS_BANK => NodeKind::AchUs,
        WIRED => NodeKind::WireUs,
        PAYEE => NodeKind::CheckUs,
        _ => NodeKind::DepositUs,
    }
}

/// Whose node of the bank it is.
#[must_use]
pub fn owner(node: NodeId) -> UserId {
    match node {
        ANNS | OUTSIDE | PULLED | PAYEE => ANN,
        BOBS | GATED | ASLEEP | BOBS_BANK | WIRED => BOB,
        CATS => CAT,
        DANS => DAN,
        _ => OWNER,
    }
}

/// Ann pays to Bob's account at a bank outside.
#[must_use]
pub fn pay_out(number: u128, minor: i64) -> Command {
    between(number, ANNS, BOBS_BANK, minor).into()
}

/// Ann pulls from her account at a bank outside onto the one here.
#[must_use]
pub fn pull(number: u128, minor: i64) -> Command {
    between(number, PULLED, ANNS, minor).into()
}

/// A payment between any two nodes.
#[must_use]
pub fn between(number: u128, from: NodeId, to: NodeId, minor: i64) -> Create {
    Create { by: owner(from), from, to, to_kind: kind(to), ..payment(number, minor) }
}

/// The leg of a transaction that has to go into a file goes into [`FILE`]; which one is told by its sides.
#[must_use]
pub fn cut(number: u128) -> Command {
    cut_as(number, Direction::Push, Rail::Ach, FILE)
}

/// A leg of a transaction goes into a file.
#[must_use]
pub fn cut_as(number: u128, direction: Direction, rail: Rail, file: FileId) -> Command {
    CutFile { custody: CUSTODY, file, rail, items: vec![(transaction(number), direction)] }.into()
}

/// The bank's statement of a day, counted from the first: opening balance and lines.
#[must_use]
pub fn statement(day: i32, opening: i64, lines: &[(i64, u128)]) -> Command {
    let line = |(index, (amount, number)): (usize, &(i64, u128))| Line {
        id: format!("L{index}"),
        amount: *amount,
        transaction: (*number != 0).then(|| transaction(*number)),
    };
    let closing = lines.iter().fold(opening, |sum, (amount, _)| sum.saturating_add(*amount));
    BookStatement {
        custody: CUSTODY,
        currency: Currency::USD,
        day: Day::default().plus_days(day),
        opening,
        closing,
        lines: lines.iter().enumerate().map(line).collect(),
        origin: Origin::of(Actor::Bank),
        details: None,
    }
    .into()
}

/// The sandbox's clock goes forward.
#[must_use]
pub fn advance_clock(ms: i64) -> AdvanceClock {
    AdvanceClock { platform: PLATFORM, ms }
}

/// Somebody's permission is set.
#[must_use]
pub fn permit(user: UserId, permission: user::Permission) -> Permit {
    Permit { user, platform: PLATFORM, permission, origin: Origin::simulated() }
}

/// Ann wants her payment back.
#[must_use]
pub fn cancel(number: u128) -> Cancel {
    Cancel {
        id: transaction(number),
        platform: PLATFORM,
        sender: None,
        reason: CancelReason::Requested,
        origin: Origin::of(Actor::User(ANN)),
    }
}

/// Somebody holds a payment back.
#[must_use]
pub fn queue(number: u128, reason: QueueReason) -> Queue {
    Queue { id: transaction(number), platform: PLATFORM, reason, origin: Origin::simulated() }
}

/// A process looks again at a payment that is held back.
#[must_use]
pub fn look_again(number: u128) -> Release {
    Release { id: transaction(number), platform: None, origin: Origin::PROCESS }
}

/// The platform lets a payment go on.
#[must_use]
pub fn release(number: u128) -> Release {
    Release { platform: Some(PLATFORM), origin: Origin::simulated(), ..look_again(number) }
}

/// The bank sends a payment back.
#[must_use]
pub fn bounce(number: u128, code: &str) -> Return {
    let code: ReturnCode = code.parse().unwrap_or_else(|_| panic!("{code} is no return code"));
    let origin = Origin::of(Actor::Bank);
    Return { id: transaction(number), platform: PLATFORM, code, leg: None, origin }
}

/// Olga does something.
#[must_use]
pub fn operate(number: u128, act: Act) -> Request {
    Request { id: OperationId::from_u128(number), platform: PLATFORM, by: OLGA, act, reason: sealed(number) }
}

/// The platform's policy is set.
#[must_use]
pub fn set_policy(number: u128, policy: Policy) -> Command {
    operate(number, Act::SetPolicy { policy }).into()
}

/// Somebody approves an operation, or declines it.
#[must_use]
pub fn review(number: u128, by: OperatorId, approves: bool) -> Review {
    Review { id: OperationId::from_u128(number), by, approves }
}

impl From<AdvanceClock> for Command {
    fn from(command: AdvanceClock) -> Self {
        Self::AdvanceClock(command)
    }
}

impl From<Permit> for Command {
    fn from(command: Permit) -> Self {
        Self::PermitUser(command)
    }
}

impl From<Cancel> for Command {
    fn from(command: Cancel) -> Self {
        Self::Cancel(command)
    }
}

impl From<Queue> for Command {
    fn from(command: Queue) -> Self {
        Self::Queue(command)
    }
}

impl From<Release> for Command {
    fn from(command: Release) -> Self {
        Self::Release(command)
    }
}

impl From<Return> for Command {
    fn from(command: Return) -> Self {
        Self::Return(command)
    }
}

impl From<CutFile> for Command {
    fn from(command: CutFile) -> Self {
        Self::CutFile(command)
    }
}

impl From<BookStatement> for Command {
    fn from(command: BookStatement) -> Self {
        Self::BookStatement(Box::new(command))
    }
}

impl From<Request> for Command {
    fn from(command: Request) -> Self {
        Self::Request(Box::new(command))
    }
}

impl From<Review> for Command {
    fn from(command: Review) -> Self {
        Self::Review(command)
    }
}

impl From<Open> for Command {
    fn from(command: Open) -> Self {
        Self::OpenPlatform(Box::new(command))
    }
}

impl From<user::create::Create> for Command {
    fn from(command: user::create::Create) -> Self {
        Self::CreateUser(Box::new(command))
    }
}

impl From<Verify> for Command {
    fn from(command: Verify) -> Self {
        Self::VerifyUser(command)
    }
}

impl From<node::create::Create> for Command {
    fn from(command: node::create::Create) -> Self {
        Self::CreateNode(command)
    }
}

impl From<Create> for Command {
    fn from(command: Create) -> Self {
        Self::CreateTransaction(Box::new(command))
    }
}

impl From<Receive> for Command {
    fn from(command: Receive) -> Self {
        Self::Receive(Box::new(command))
    }
}

impl From<transaction::comment::Comment> for Command {
    fn from(command: transaction::comment::Comment) -> Self {
        Self::Comment(command)
    }
}
