//! The auditor: a second, naive model of the ledger, written from `docs/reference/money.md` and not from the code. It
//! predicts the answer to every command, and the balance of every account afterwards.
//!
//! It uses types of the domain (ids, statuses, refusals, commands) and none of its rules: no decision, no movement, no
//! state. It has one platform, plain maps and integers.

mod bank;
mod breaks;
mod crossing;
mod deal;
mod desk;
mod nodes;
mod screening;
mod statements;
mod tie_out;
mod transactions;

use std::collections::{BTreeMap, BTreeSet};

pub(crate) use bank::open_items;
pub(crate) use breaks::Stray;
use daybook_domain::account::Shortfall;
use daybook_domain::calendar::Day;
use daybook_domain::id::BoxId;
use daybook_domain::matching::RuleSet;
use daybook_domain::node::{Inapplicable, NodeKind};
use daybook_domain::operation::ActKind;
use daybook_domain::platform::Limits;
use daybook_domain::posting::{LedgerAccount, Rail};
use daybook_domain::time::DAY_MS;
use daybook_domain::user::Permission;
use daybook_domain::{
    BreakId, Command, Currency, FileId, NodeId, OperationId, OperatorId, Refusal, StatementId, Timestamp,
    TransactionId, UserId,
};
pub(crate) use deal::{Deal, Side};
pub(crate) use statements::Sheet;
pub(crate) use tie_out::TieOut;

/// True if something changed, false if nothing changed, or the refusal.
pub(crate) type Answer = Result<bool, Refusal>;

/// Leg of a transaction in a file: see `daybook_domain::transaction::Direction`.
pub(crate) use daybook_domain::transaction::Direction;

/// A user.
#[derive(Clone, Copy)]
pub(crate) struct Person {
    pub may: Permission,
    pub locked: bool,
}

/// A node.
#[derive(Clone)]
#[allow(clippy::struct_excessive_bools, reason = "each says one thing about a node")]
pub(crate) struct Place {
    pub owner: UserId,
    pub kind: NodeKind,
    pub debit: bool,
    pub locked: bool,
    pub active: bool,
    pub gated: bool,
    pub limits: BTreeMap<Currency, Limits>,
    pub secret: Option<[i64; 2]>,
    pub missed: u8,
    pub resent: u8,
    pub noted: Option<Inapplicable>,
    pub label: BoxId,
}

/// Balance of a held node in one currency, with the day of its last change and the amounts that came in and went out on
/// that day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Purse {
    pub posted: i64,
    pub held: i64,
    pub pending: i64,
    pub day: i64,
    pub came: i64,
    pub went: i64,
}

/// The platform's account at the bank.
#[derive(Clone, Default)]
pub(crate) struct Custody {
    pub opened: Day,
    pub stated: BTreeMap<Currency, (Day, i64)>,
    pub files: u64,
    pub unsent: Vec<FileId>,
    /// Statements in files.
    pub sheets: BTreeMap<StatementId, Sheet>,
    /// Statements that have lines to take back or to book, in this order.
    pub booking: Vec<StatementId>,
    /// Lines that were booked to suspense.
    pub strays: BTreeMap<BreakId, Stray>,
    /// Matching rules with their version.
    pub rules: Option<(u32, RuleSet)>,
    /// Numbers of runs of the rules that were due, and that are done.
    pub runs_due: u32,
    pub runs_done: u32,
    /// Journal entries on suspense.
    pub journaled: BTreeMap<Currency, i128>,
}

/// An operation, as requested by an operator.
#[derive(Clone)]
pub(crate) struct Wish {
    pub by: OperatorId,
    pub act: daybook_domain::operation::Act,
    pub waits: bool,
}

/// Terms of a change of accounts.
#[derive(Clone, Copy, PartialEq)]
enum Terms {
    Forward,
    Correction,
    Reversal,
    Returned,
}

/// Atomic changes: postings (a debit is positive), a hold and announcements.
#[derive(Default)]
struct Step {
    lines: Vec<(LedgerAccount, i64)>,
    hold: Option<(NodeId, i64)>,
    pending: Option<(NodeId, i64)>,
    told: Vec<(NodeId, i64)>,
}

/// The second model of the ledger.
#[derive(Clone, Default)]
pub(crate) struct Auditor {
    pub wall: i64,
    pub ahead: i64,
    pub reserve: Option<NodeId>,
    pub boss: Option<UserId>,
    pub reject_unfunded: bool,
    pub currencies: BTreeSet<Currency>,
    pub limits: BTreeMap<Currency, Limits>,
    pub approvals: BTreeSet<ActKind>,
    pub micro_deposits: Option<u16>,
    /// Number of micro-deposits of each user on each day.
    pub counted: BTreeMap<(UserId, Day), u16>,
    pub people: BTreeMap<UserId, Person>,
    pub places: BTreeMap<NodeId, Place>,
    pub purses: BTreeMap<(NodeId, Currency), Purse>,
    pub ledger: BTreeMap<(Currency, LedgerAccount), i128>,
    pub deals: BTreeMap<TransactionId, Deal>,
    pub custody: Custody,
    pub wishes: BTreeMap<OperationId, Wish>,
}

impl Auditor {
    /// Returns the current time of the platform's clock.
    pub(crate) fn now(&self) -> Timestamp {
        Timestamp::from_ms(self.wall + self.ahead)
    }

    /// Predicts the answer to `command`, and applies its changes.
    pub(crate) fn predict(&mut self, command: &Command) -> Answer {
        match command {
            Command::OpenPlatform(command) => {
                self.open(command);
                Ok(true)
            }
            Command::AdvanceClock(command) => self.advance_clock(command),
            Command::CreateUser(command) => {
                self.create_user(command);
                Ok(true)
            }
            Command::VerifyUser(command) => self.verify_user(command),
            Command::PermitUser(command) => self.permit(command),
            Command::UpdateUser(command) => self.lower(command),
            Command::CreateNode(command) => self.create_node(command),
            Command::LinkNodes(command) => self.link(command),
            Command::VerifyMicroDeposits(command) => self.guess(command),
            Command::ResendMicroDeposits(command) => self.resend(command),
            Command::RelabelNode(command) => self.relabel(command),
            Command::CorrectNode(command) => self.correct(command),
            Command::DeactivateNode(command) => self.deactivate(command),
            Command::CreateTransaction(command) => self.create(command),
            Command::ExternalTransfer(command) => self.receive(command),
            Command::Advance(command) => self.advance(command),
            Command::Cancel(command) => self.cancel(command),
            Command::Queue(command) => self.queue(command),
            Command::Release(command) => self.release(command),
            Command::ReturnTransaction(command) => self.return_transaction(command),
            Command::Withdraw(command) => self.withdraw(command),
            Command::Comment(command) => self.comment(command),
            Command::CutFile(command) => self.cut(command),
            Command::SendFile(command) => self.send(command),
            Command::BookStatement(command) => self.book(command),
            Command::Request(command) => self.request(command),
            Command::Review(command) => self.review(command),
            Command::AcceptStatements(command) => self.accept(command),
            Command::BookLines(command) => self.book_lines(command),
            Command::TakeBackLines(command) => self.take_back(command),
            Command::MatchLine(command) => self.match_line(command),
            Command::UnmatchLine(command) => self.unmatch_line(command),
            Command::EndMatching(command) => self.end_matching(command),
            // The bank of the workload keeps its files itself, and contests no return.
            Command::KeepPart(_)
            | Command::DestroyEvidence(_)
            | Command::RecordContest(_)
            | Command::SetRoles(_) => {
                unreachable!("the workload does not generate {command:?}")
            }
            // The workload does not generate these commands. They move no money, and no rule about money depends on
            // them.
            Command::RetainUser(_)
            | Command::EraseUser(_)
            | Command::CreateSubnet(_)
            | Command::UpdateSubnet(_)
            | Command::CreateSubscription(_)
            | Command::ChangeSubscription(_)
            | Command::SetAccount(_)
            | Command::Attest(_) => Ok(true),
        }
    }

    /// Returns true if the node is held: its money is kept in the ledger.
    pub(crate) fn is_held(&self, node: NodeId) -> bool {
        self.places.get(&node).is_some_and(|place| rail_of(place.kind).is_none())
    }

    /// Returns the limits of a node: its own, then those of a reserve, then the platform's.
    pub(crate) fn limits_of(&self, node: NodeId, currency: Currency) -> Limits {
        let own = self.places.get(&node).and_then(|place| place.limits.get(&currency)).copied();
        let own = own.unwrap_or_default();
        let general = self.limits.get(&currency).copied().unwrap_or_default();
        let reserve = (self.reserve == Some(node)).then_some(-100_000);
        Limits {
            floor: own.floor.or(reserve).or(general.floor),
            daily_in: own.daily_in.or(general.daily_in),
            daily_out: own.daily_out.or(general.daily_out),
        }
    }

    /// Returns the amounts that came in and went out today.
    pub(crate) fn today(&self, node: NodeId, currency: Currency) -> (i64, i64) {
        let purse = self.purses.get(&(node, currency)).copied().unwrap_or_default();
        if purse.day == self.now().ms().div_euclid(DAY_MS) { (purse.came, purse.went) } else { (0, 0) }
    }

    /// Books a step atomically.
    fn post(&mut self, currency: Currency, step: &Step, terms: Terms) -> Result<(), Shortfall> {
        let mut changes: BTreeMap<NodeId, [i128; 3]> = BTreeMap::new();
        for (account, amount) in &step.lines {
            if let LedgerAccount::Node(node) = account {
                changes.entry(*node).or_default()[0] -= i128::from(*amount);
            }
        }
        let holds = step.hold.iter().map(|change| (1, change));
        let pending = step.pending.iter().chain(&step.told).map(|change| (2, change));
        for (place, (node, amount)) in holds.chain(pending).filter(|(_, (_, amount))| *amount != 0) {
            changes.entry(*node).or_default()[place] += i128::from(*amount);
        }
        let mut after = vec![];
        for (&node, &[posted, held, pending]) in &changes {
            let mut purse = self.purses.get(&(node, currency)).copied().unwrap_or_default();
            let (taken, available) = (held - posted, purse.posted.saturating_sub(purse.held));
            let needed = taken.clamp(i64::MIN.into(), i64::MAX.into());
            let needed = i64::try_from(needed).unwrap_or_default();
            let short = Shortfall { needed, available, held: purse.held };
            let add = |to: i64, by: i128| i64::try_from(i128::from(to) + by).map_err(|_| short);
            let (came, went) = self.today(node, currency);
            (purse.day, purse.came, purse.went) = (self.now().ms().div_euclid(DAY_MS), came, went);
            purse.posted = add(purse.posted, posted)?;
            purse.held = add(purse.held, held)?;
            purse.pending = add(purse.pending, pending)?;
            let left = i128::from(purse.posted) - i128::from(purse.held);
            let floor = match terms {
                Terms::Forward | Terms::Correction => self.limits_of(node, currency).floor.unwrap_or(0),
                Terms::Reversal => 0,
                Terms::Returned => i64::MIN,
            };
            let fits = i64::try_from(left).is_ok() && i64::try_from(posted).is_ok();
            if purse.held < 0 || purse.pending < 0 || !fits || taken > 0 && left < i128::from(floor) {
                return Err(short);
            }
            if terms == Terms::Forward && posted > 0 {
                purse.came = purse.came.saturating_add(i64::try_from(posted).unwrap_or(i64::MAX));
            } else if terms == Terms::Forward {
                purse.went = purse.went.saturating_add(i64::try_from(-posted).unwrap_or(i64::MAX));
            }
            after.push(((node, currency), purse));
        }
        self.purses.extend(after);
        for (account, amount) in &step.lines {
            *self.ledger.entry((currency, *account)).or_default() += i128::from(*amount);
        }
        Ok(())
    }
}

/// Returns the rail that reaches a node of this type; none for a held node.
pub(crate) fn rail_of(kind: NodeKind) -> Option<Rail> {
    match kind {
        NodeKind::AchUs => Some(Rail::Ach),
        NodeKind::WireUs | NodeKind::WireInt => Some(Rail::Wire),
        NodeKind::CheckUs => Some(Rail::Check),
        NodeKind::DepositUs
        | NodeKind::SubaccountUs
        | NodeKind::ReserveUs
        | NodeKind::ClearingUs
        | NodeKind::LedgerUs
        | NodeKind::PartnerSubaccountUs => None,
    }
}

/// Returns true if the user is closed permanently.
pub(crate) fn is_closed(may: Permission) -> bool {
    matches!(may, Permission::Closed | Permission::MakeItGoAway)
}
