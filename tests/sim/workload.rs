//! Random commands of a history: every kind of command, sensible and senseless ones.

use std::collections::{BTreeMap, BTreeSet};

use daybook_domain::calendar::{Day, ReturnCode};
use daybook_domain::custody::Line;
use daybook_domain::custody::book::BookStatement;
use daybook_domain::custody::cut::CutFile;
use daybook_domain::money::MAX_MINOR;
use daybook_domain::node::correct::Correct;
use daybook_domain::node::create::Create as CreateNode;
use daybook_domain::node::deactivate::Deactivate;
use daybook_domain::node::link::Link;
use daybook_domain::node::micro_deposits::MicroDeposits;
use daybook_domain::node::relabel::Relabel;
use daybook_domain::node::resend::ResendMicroDeposits;
use daybook_domain::node::verify::VerifyMicroDeposits;
use daybook_domain::node::{ChangeCode, NodeKind};
use daybook_domain::operation::request::Request;
use daybook_domain::operation::review::Review;
use daybook_domain::operation::{Act, ActKind};
use daybook_domain::platform::clock::AdvanceClock;
use daybook_domain::platform::{Limits, Policy};
use daybook_domain::posting::{LedgerAccount, Posting, Postings, Rail};
use daybook_domain::testing::fixture::{
    self, ANN, ANNS, BOB, BOBS, BOBS_BANK, CAT, CUSTODY, DAN, FEES, GATED, HOUSE, OLGA, OTTO, OWNER,
    PLATFORM, PULLED, PURSE, RESERVE, SHOP, TILL, TIPS, WIRED, sealed,
};
use daybook_domain::time::DAY_MS;
use daybook_domain::transaction::advance::{Advance, Step};
use daybook_domain::transaction::cancel::Cancel;
use daybook_domain::transaction::comment::Comment;
use daybook_domain::transaction::create::Create;
use daybook_domain::transaction::external_transfer::{ExternalTransfer, TransferDirection};
use daybook_domain::transaction::queue::{Queue, Release};
use daybook_domain::transaction::returns::ReturnTransaction;
use daybook_domain::transaction::{CancelReason, Direction, Fee, QueueReason, Status};
use daybook_domain::user::Permission;
use daybook_domain::user::permit::Permit;
use daybook_domain::user::update::Update;
use daybook_domain::{
    Actor, Bank, Command, Currency, CustodyId, FileId, Money, NodeId, OperationId, Origin, PlatformId,
    Timestamp, TransactionId, UserId,
};
use daybook_random::Random;

use crate::auditor::Auditor;

const REASONS: [QueueReason; 4] = [
    QueueReason::Risk,
    QueueReason::SenderNotAuthorised,
    QueueReason::ReceiverNotAuthorised,
    QueueReason::DailyLimit,
];
const STEPS: [Step; 3] = [Step::Debit, Step::Credit, Step::Settle];
const LEGS: [Option<Direction>; 3] = [None, Some(Direction::Pull), Some(Direction::Push)];
const RAILS: [Rail; 3] = Rail::ALL;
const TAKERS: [NodeId; 6] = [FEES, TIPS, FEES, SHOP, TILL, PURSE];
const PACE_MS: i64 = 60_000;

/// Generator of commands.
pub(crate) struct Workload<'a> {
    pub random: &'a mut Random,
    pub auditor: &'a Auditor,
    /// Last used id.
    pub ids: &'a mut u128,
}

/// Returns the commands that open the small bank of the fixtures, with some money in it.
pub(crate) fn opening() -> Vec<Command> {
    let mut commands = fixture::bank();
    commands.extend(fixture::ledgers());
    commands.extend([ANNS, BOBS, HOUSE].map(|node| fixture::fund(node, 300)));
    commands
}

impl Workload<'_> {
    fn fresh(&mut self) -> u128 {
        *self.ids += 1;
        *self.ids
    }

    /// Returns a random command.
    pub(crate) fn command(&mut self) -> Command {
        match self.random.below(100) {
            0..24 => self.payment(),
            24..34 => self.receive(),
            34..52 => self.advance(),
            52..57 => self.cancel(),
            57..60 => self.queue(),
            60..64 => self.release(),
            64..70 => self.give_back(),
            70..74 => self.permit(),
            74..75 => self.lower(),
            75..86 => self.request(),
            86..89 => self.review(),
            89..91 => self.node(),
            91..92 => self.link(),
            92..94 => self.guess(),
            94 => self.owners_wish(),
            95 => self.comment(),
            96..97 => self.clock(),
            97..98 => self.odd_file(),
            _ => self.odd_statement(),
        }
    }

    /// Returns a random amount: mostly small, so that limits matter; sometimes at the limits or beyond.
    fn amount(&mut self) -> i64 {
        match self.random.below(40) {
            0 => self.random.between(-2, 0),
            1 => self.random.one_of(&[MAX_MINOR, MAX_MINOR + 1, i64::MAX, i64::MIN]),
            2..6 => self.random.between(100, 500),
            _ => self.random.between(1, 100),
        }
    }

    fn money(&mut self) -> Money {
        Money::new(self.amount(), self.currency())
    }

    fn currency(&mut self) -> Currency {
        if self.random.once_in(25) { euro() } else { Currency::USD }
    }

    fn any_node(&mut self) -> NodeId {
        match self.random.below(12) {
            0..6 => self.random.one_of(&[ANNS, BOBS]),
            6 | 7 => self.random.one_of(&[PULLED, BOBS_BANK, WIRED]),
            8 => self.random.one_of(&[FEES, TIPS, GATED, SHOP, TILL]),
            9 if self.random.once_in(8) => NodeId::from_u128(404),
            _ => {
                let nodes: Vec<NodeId> = self.auditor.places.keys().copied().collect();
                self.random.one_of(&nodes)
            }
        }
    }

    /// Returns a random node, often one that waits for a fee.
    fn node_to_lock(&mut self) -> NodeId {
        let under_way = |status| matches!(status, Status::ProcessingDebit | Status::ProcessingCredit);
        let deals = self.auditor.deals.values().filter(|deal| under_way(deal.status));
        let takers: Vec<NodeId> = deals.flat_map(|deal| &deal.fees).map(|(node, _)| *node).collect();
        if takers.is_empty() || self.random.once_in(3) {
            self.any_node()
        } else {
            self.random.one_of(&takers)
        }
    }

    fn any_user(&mut self) -> UserId {
        if self.random.once_in(40) {
            UserId::from_u128(404)
        } else {
            self.random.one_of(&[ANN, BOB, CAT, DAN, OWNER])
        }
    }

    fn platform(&mut self) -> PlatformId {
        if self.random.once_in(60) { PlatformId::from_u128(2) } else { PLATFORM }
    }

    /// Returns a random transaction, mostly one that is not finished.
    fn any_transaction(&mut self) -> TransactionId {
        if self.random.once_in(50) {
            return TransactionId::from_u128(404);
        }
        let is_over = |status| matches!(status, Status::Settled | Status::Canceled | Status::Returned);
        let all = || self.auditor.deals.iter();
        let open: Vec<_> = all().filter(|(_, deal)| !is_over(deal.status)).map(|(id, _)| *id).collect();
        let every: Vec<_> = all().map(|(id, _)| *id).collect();
        if open.is_empty() || self.random.once_in(4) {
            self.random.one_of(&every)
        } else {
            self.random.one_of(&open)
        }
    }

    fn origin(&mut self) -> Origin {
        self.random.one_of(&[Origin::PROCESS, Origin::simulated()])
    }

    fn owner(&self, node: NodeId) -> UserId {
        self.auditor.places.get(&node).map_or(OWNER, |place| place.owner)
    }

    fn payment(&mut self) -> Command {
        let (from, to) = (if self.random.once_in(6) { PULLED } else { self.any_node() }, self.any_node());
        let by = if self.random.once_in(40) { self.any_user() } else { self.owner(from) };
        let kind = self.auditor.places.get(&to).map_or(NodeKind::DepositUs, |place| place.kind);
        let to_kind = if self.random.once_in(40) { self.random.one_of(&NodeKind::ALL) } else { kind };
        let count = if self.random.once_in(3) { self.random.below(3) } else { 0 };
        let fees = (0..count)
            .map(|_| {
                let to = if self.random.once_in(15) { self.any_node() } else { self.random.one_of(&TAKERS) };
                let minor = if self.random.once_in(15) { self.amount() } else { self.random.between(1, 9) };
                Fee { minor, to }
            })
            .collect();
        let id = self.fresh();
        let create = Create {
            id: TransactionId::from_u128(id),
            platform: self.platform(),
            by,
            from,
            to,
            to_kind,
            amount: self.money(),
            fees,
            in_days: if self.random.once_in(7) { self.random.one_of(&[1, 2, 5]) } else { 0 },
            pace_ms: PACE_MS,
            by_gateway: self.random.once_in(2),
            attachments: vec![],
            details: sealed(id),
        };
        Command::CreateTransaction(Box::new(create))
    }

    fn receive(&mut self) -> Command {
        let id = self.fresh();
        let receive = ExternalTransfer {
            id: TransactionId::from_u128(id),
            platform: self.platform(),
            node: self.any_node(),
            direction: if self.random.once_in(3) { TransferDirection::Out } else { TransferDirection::In },
            amount: self.money(),
            rail: self.random.one_of(&RAILS),
            by_gateway: self.random.once_in(2),
            origin: Origin::simulated(),
            details: sealed(id),
        };
        Command::ExternalTransfer(Box::new(receive))
    }

    fn advance(&mut self) -> Command {
        let id = self.any_transaction();
        let next = self.auditor.deals.get(&id).and_then(|deal| Step::after(deal.status));
        let step = next.filter(|_| !self.random.once_in(12)).unwrap_or(self.random.one_of(&STEPS));
        Command::Advance(Advance { id, step, waits_for_bank: false, origin: self.origin() })
    }

    fn cancel(&mut self) -> Command {
        let id = self.any_transaction();
        let sender = self.random.once_in(2).then(|| {
            let node = self.auditor.deals.get(&id).and_then(|deal| deal.from.node()).unwrap_or(ANNS);
            let user = if self.random.once_in(5) { self.any_user() } else { self.owner(node) };
            (user, node)
        });
        let origin = Origin::of(Actor::Platform);
        Command::Cancel(Cancel {
            id,
            platform: self.platform(),
            sender,
            reason: CancelReason::Requested,
            origin,
        })
    }

    fn queue(&mut self) -> Command {
        let (id, platform) = (self.any_transaction(), self.platform());
        Command::Queue(Queue {
            id,
            platform,
            reason: self.random.one_of(&REASONS),
            origin: Origin::simulated(),
        })
    }

    fn release(&mut self) -> Command {
        let origin = self.origin();
        let platform = (origin != Origin::PROCESS).then(|| self.platform());
        Command::Release(Release { id: self.any_transaction(), platform, origin })
    }

    fn code(&mut self) -> ReturnCode {
        let name = self.random.one_of(&["R01", "R02", "R10"]);
        name.parse().unwrap_or_else(|_| panic!("{name} is a code"))
    }

    fn give_back(&mut self) -> Command {
        let id = self.any_transaction();
        let origin = Origin::of(Actor::Bank);
        let leg = self.random.one_of(&LEGS);
        Command::ReturnTransaction(ReturnTransaction {
            id,
            platform: self.platform(),
            code: self.code(),
            leg,
            origin,
        })
    }

    fn permit(&mut self) -> Command {
        let all = [Permission::SendAndReceive, Permission::Receive, Permission::Unverified];
        let permission = if self.random.once_in(2) { all[0] } else { self.random.one_of(&all) };
        let (user, platform) = (self.any_user(), self.platform());
        Command::PermitUser(Permit { user, platform, permission, origin: Origin::simulated() })
    }

    /// Lowers a permission. A closed user stays closed, so mostly users are closed without whom payments continue.
    fn lower(&mut self) -> Command {
        use Permission::{Closed, Locked, MakeItGoAway, Receive, SendAndReceive, Unverified};
        let (user, permission) = if self.random.once_in(4) {
            (self.random.one_of(&[CAT, DAN]), self.random.one_of(&[Closed, MakeItGoAway]))
        } else {
            (self.any_user(), self.random.one_of(&[SendAndReceive, Receive, Unverified, Locked]))
        };
        let (platform, by_gateway) = (self.platform(), self.random.once_in(2));
        Command::UpdateUser(Box::new(Update { platform, by_gateway, ..fixture::lower(user, permission) }))
    }

    fn node(&mut self) -> Command {
        let id = self.fresh();
        let kind = self.random.one_of(&NodeKind::ALL);
        let user = self.any_user();
        let is_away = crate::auditor::rail_of(kind) == Some(Rail::Ach);
        let micro_deposits = is_away.then(|| MicroDeposits {
            amounts: [self.random.between(1, 100), self.random.between(1, 100)],
            transactions: [self.fresh(), self.fresh()].map(TransactionId::from_u128),
        });
        let create = fixture::node(NodeId::from_u128(id), user, kind);
        let create = CreateNode { micro_deposits, platform: self.platform(), ..create };
        Command::CreateNode(create)
    }

    /// Links the accounts of a bank login, sometimes of one that was completed before.
    fn link(&mut self) -> Command {
        let new = NodeId::from_u128(self.fresh());
        let accounts = (0..self.random.below(3)).map(|_| sealed(self.fresh())).collect();
        let known: Vec<NodeId> = self.auditor.places.keys().copied().collect();
        let first = if self.random.once_in(3) { self.random.one_of(&known) } else { new };
        Command::LinkNodes(Link { first, platform: self.platform(), user: self.any_user(), accounts })
    }

    fn guess(&mut self) -> Command {
        let secrets = self.auditor.places.iter().filter(|(_, place)| place.secret.is_some());
        let nodes: Vec<NodeId> = secrets.map(|(id, _)| *id).collect();
        let node = if nodes.is_empty() || self.random.once_in(8) {
            self.any_node()
        } else {
            self.random.one_of(&nodes)
        };
        let secret = self.auditor.places.get(&node).and_then(|place| place.secret);
        let [first, second] = secret.filter(|_| self.random.once_in(2)).unwrap_or([1, 2]);
        let by = if self.random.once_in(10) { self.any_user() } else { self.owner(node) };
        let amounts = [second, first];
        Command::VerifyMicroDeposits(VerifyMicroDeposits { node, platform: self.platform(), by, amounts })
    }

    /// Acts mostly on nodes that were created in this history: the other nodes are needed.
    fn owners_wish(&mut self) -> Command {
        let made = self.auditor.places.iter().filter(|(_, place)| place.kind == NodeKind::AchUs);
        let made: Vec<NodeId> = made.map(|(id, _)| *id).collect();
        let node = if self.random.once_in(4) { self.any_node() } else { self.random.one_of(&made) };
        let by = if self.random.once_in(10) { self.any_user() } else { self.owner(node) };
        let platform = self.platform();
        match self.random.below(8) {
            0..5 => {
                let amounts = [self.random.between(1, 100), self.random.between(1, 100)];
                let transactions = [self.fresh(), self.fresh()].map(TransactionId::from_u128);
                let micro_deposits = MicroDeposits { amounts, transactions };
                Command::ResendMicroDeposits(ResendMicroDeposits { node, platform, by, micro_deposits })
            }
            5 | 6 => {
                let label = self.auditor.places.get(&node).map(|place| place.label);
                let from = label.filter(|_| !self.random.once_in(4));
                let details = sealed(self.fresh());
                let changes_supp_id = self.random.once_in(2);
                // A bank's notification does to the model what a new nickname does.
                match self.entry_of(node).filter(|_| !changes_supp_id) {
                    Some((transaction, leg)) => Command::CorrectNode(Correct {
                        node,
                        platform,
                        transaction,
                        leg,
                        code: ChangeCode::AccountNum,
                        from,
                        details,
                        origin: Origin::of(Actor::Bank),
                    }),
                    None => {
                        Command::RelabelNode(Relabel { node, platform, by, from, changes_supp_id, details })
                    }
                }
            }
            _ => Command::DeactivateNode(Deactivate { node, platform, by }),
        }
    }

    /// Returns the newest entry in a file to or from the node.
    fn entry_of(&self, node: NodeId) -> Option<(TransactionId, Direction)> {
        self.auditor.deals.iter().rev().find_map(|(id, deal)| {
            let side = |leg: &Direction| if *leg == Direction::Push { deal.to } else { deal.from };
            let leg = deal.filed.iter().find(|leg| side(leg).node() == Some(node))?;
            Some((*id, *leg))
        })
    }

    fn comment(&mut self) -> Command {
        let (id, node) = (self.any_transaction(), self.any_node());
        let by = self.owner(node);
        Command::Comment(Comment { id, platform: self.platform(), by, node, comment: sealed(self.fresh()) })
    }

    fn clock(&mut self) -> Command {
        let ms = self.random.one_of(&[PACE_MS, DAY_MS, 0, -1, i64::MAX]);
        Command::AdvanceClock(AdvanceClock { platform: PLATFORM, ms })
    }

    fn request(&mut self) -> Command {
        let id = self.fresh();
        let by = self.random.one_of(&[OLGA, OTTO]);
        let act = self.act();
        let (platform, reason) = (self.platform(), sealed(id));
        Command::Request(Box::new(Request { id: OperationId::from_u128(id), platform, by, act, reason }))
    }

    fn act(&mut self) -> Act {
        match self.random.below(17) {
            16 => Act::PresentAgain { transaction: self.any_transaction() },
            0 => Act::Queue { transaction: self.any_transaction(), reason: self.random.one_of(&REASONS) },
            1 => Act::Release { transaction: self.any_transaction() },
            2 => Act::Cancel { transaction: self.any_transaction() },
            3 => {
                let (transaction, code) = (self.any_transaction(), self.code());
                Act::Return { transaction, code, leg: self.random.one_of(&LEGS) }
            }
            4..7 => self.journal(),
            7 => Act::LockNode { node: self.node_to_lock() },
            8 | 9 => Act::UnlockNode { node: self.any_node() },
            10 => Act::LockUser { user: self.any_user() },
            11 | 12 => Act::UnlockUser { user: self.any_user() },
            13 | 14 => {
                let node = if self.random.once_in(6) { RESERVE } else { self.any_node() };
                let limits = BTreeMap::from([(self.currency(), self.limits())]);
                Act::SetLimits { node, limits: if self.random.once_in(3) { BTreeMap::new() } else { limits } }
            }
            _ => {
                let limits = BTreeMap::from([(Currency::USD, self.limits())]);
                let approvals = [ActKind::Journal, ActKind::Return, ActKind::Cancel];
                let approvals = approvals.into_iter().filter(|_| self.random.once_in(2)).collect();
                let currencies = self.random.once_in(2).then(euro);
                let reject_unfunded = self.random.once_in(3);
                let limits = if self.random.once_in(2) { limits } else { BTreeMap::new() };
                let currencies: BTreeSet<_> = currencies.into_iter().collect();
                // Derived from values that were drawn already: another draw would change the history of every seed.
                let of_usd = limits.get(&Currency::USD).and_then(|limits| limits.daily_in);
                let daily_micro_deposits = of_usd.and_then(|minor| u16::try_from(minor % 4).ok());
                let policy = Policy {
                    reject_unfunded,
                    currencies,
                    limits,
                    approvals,
                    daily_micro_deposits,
                    written_authorizations: reject_unfunded,
                    evidence_years: None,
                };
                Act::SetPolicy { policy }
            }
        }
    }

    fn limits(&mut self) -> Limits {
        let some = |random: &mut Random, low, high| random.once_in(2).then(|| random.between(low, high));
        Limits {
            floor: some(self.random, -100, 50),
            daily_in: some(self.random, 0, 400),
            daily_out: some(self.random, 0, 400),
        }
    }

    /// Creates two or three lines between any accounts, now or in the past; rarely with amounts at the ends of the
    /// integer range.
    fn journal(&mut self) -> Act {
        let mut accounts: Vec<LedgerAccount> = (0..3).map(|_| self.ledger_account()).collect();
        let size =
            if self.random.once_in(20) { self.random.one_of(&[i64::MAX, i64::MIN]) } else { self.amount() };
        let size = if size == 0 { 1 } else { size };
        let part = if self.random.once_in(2) { 0 } else { size / 3 };
        let rest = i128::from(size) - i128::from(part);
        let mut amounts = vec![size];
        // An amount that does not fit into one line is split into two.
        for piece in [-i128::from(part), -rest] {
            match i64::try_from(piece) {
                Ok(0) => {}
                Ok(piece) => amounts.push(piece),
                Err(_) => amounts.extend([i64::MAX, 1]),
            }
        }
        accounts.resize(amounts.len().max(3), LedgerAccount::Suspense);
        let lines = accounts.into_iter().zip(amounts).map(|(account, amount)| Posting { account, amount });
        let postings =
            Postings::new(self.currency(), lines.collect()).unwrap_or_else(|error| panic!("{error}"));
        let effective_at = self.random.once_in(3).then(|| {
            let back = self.random.one_of(&[0, PACE_MS, DAY_MS, 3 * DAY_MS, -DAY_MS]);
            Timestamp::from_ms(self.auditor.now().ms() - back)
        });
        Act::Journal { postings, effective_at, clears: vec![] }
    }

    fn ledger_account(&mut self) -> LedgerAccount {
        match self.random.below(10) {
            0..5 => LedgerAccount::Node(self.any_node()),
            5..8 => LedgerAccount::Suspense,
            8 => self.random.one_of(&[
                LedgerAccount::ReturnIn,
                LedgerAccount::ReturnOut,
                LedgerAccount::RailIn(Rail::Ach),
                LedgerAccount::RailOut(Rail::Wire),
            ]),
            _ => self.random.one_of(&[
                LedgerAccount::Suspense,
                LedgerAccount::Transit,
                LedgerAccount::Bank(Bank::SANDBOX),
            ]),
        }
    }

    fn review(&mut self) -> Command {
        let waiting = self.auditor.wishes.iter().filter(|(_, wish)| wish.waits || self.random.once_in(10));
        let waiting: Vec<OperationId> = waiting.map(|(id, _)| *id).collect();
        let id = if waiting.is_empty() { OperationId::from_u128(404) } else { self.random.one_of(&waiting) };
        Command::Review(Review::new(id, self.random.one_of(&[OLGA, OTTO]), !self.random.once_in(4)))
    }

    /// Cuts a file with random legs, some of them twice.
    fn odd_file(&mut self) -> Command {
        let legs = [Direction::Pull, Direction::Push, Direction::Refund];
        let items = (0..4).map(|_| (self.any_transaction(), self.random.one_of(&legs))).collect();
        let custody = if self.random.once_in(20) { CustodyId::from_u128(404) } else { CUSTODY };
        let (file, rail) = (FileId::from_u128(self.fresh()), self.random.one_of(&RAILS));
        Command::CutFile(CutFile { custody, file, rail, items, cut_off: None })
    }

    /// Books a wrong statement that the bank did not make.
    fn odd_statement(&mut self) -> Command {
        let currency = self.currency();
        let (stated, balance) =
            self.auditor.custody.stated.get(&currency).copied().unwrap_or((self.auditor.custody.opened, 0));
        let amounts = [self.random.between(-9, 9), self.random.one_of(&[1, i64::MIN, i64::MAX])];
        let is_twice = self.random.once_in(6);
        let lines = amounts.iter().enumerate().map(|(number, amount)| Line {
            id: format!("X{}", if is_twice { 0 } else { number }),
            amount: *amount,
            transaction: None,
        });
        let statement = BookStatement {
            custody: CUSTODY,
            currency,
            day: stated.plus_days(self.random.one_of(&[0, 0, 1])),
            opening: balance + self.random.one_of(&[0, 1]),
            closing: balance.wrapping_add(2).wrapping_add(amounts[0]).wrapping_add(amounts[1]),
            lines: lines.collect(),
            origin: Origin::of(Actor::Bank),
            details: None,
        };
        Command::BookStatement(Box::new(statement))
    }
}

/// A currency that a policy may enable.
fn euro() -> Currency {
    Currency::parse("EUR").unwrap_or(Currency::USD)
}

/// Returns the last complete day before `now`.
pub(crate) fn yesterday(now: Timestamp) -> Day {
    Day::of(now).plus_days(-1)
}
