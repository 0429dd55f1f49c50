//! A history as it unfolds: the world, all events that were recorded, and running sums over them.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::history::{Deed, Mistake, Part, Stated};
use super::recipients::Inflows;
use crate::account::{Account, Entry};
use crate::actor::{Actor, Origin};
use crate::custody::Line;
use crate::custody::book::BookStatement;
use crate::custody::cut::{CutFile, SendFile};
use crate::decide::Decide;
use crate::node::correct::Correct;
use crate::node::deactivate::Deactivate;
use crate::operation::review::Review;
use crate::operation::{Act, ActKind, Operation};
use crate::platform::{Limits, Policy};
use crate::posting::{LedgerAccount, Rail};
use crate::process::{self, Process, settlement};
use crate::statement::accept::{AcceptStatements, StatedDay, StatedFile};
use crate::statement::book::BookLines;
use crate::statement::take_back::TakeBackLines;
use crate::statement::{self, LinesBooked, Statement};
use crate::testing::World;
use crate::testing::fixture::{
    ANNS, BOBS, CATS, CUSTODY, PLATFORM, SHOP, bank, bounce, contest, correct, cut_as, erase, fund, ledgers,
    look_again, lower, operate, set_account, set_policy, step, transaction as number,
};
use crate::transaction::advance::Step;
use crate::transaction::returns::ReturnTransaction;
use crate::transaction::withdraw::Withdraw;
use crate::transaction::{Direction, OpenItem, Status, Transaction};
use crate::user::Permission;
use crate::user::erase::Erase;
use crate::{
    Command, Currency, Event, FileId, NewEvent, NodeId, OperationId, State, StatementId, States, Timestamp,
    TransactionId, UserId, account, operation,
};

/// Sum of postings by currency and account; a debit is positive.
pub(super) type Balance = BTreeMap<(Currency, LedgerAccount), i128>;

#[derive(Default)]
pub(super) struct Chronicle {
    pub(super) world: World,
    pub(super) submitted: Vec<Command>,
    pub(super) recorded: Vec<(Timestamp, NewEvent)>,
    pub(super) refused: usize,
    /// Sum of all postings.
    pub(super) trial: Balance,
    /// Sum of the postings of journal entries.
    pub(super) journaled: Balance,
    /// Changes of the held amount, by transaction.
    pub(super) holds: HashMap<TransactionId, Vec<i64>>,
    /// Credits to recipients.
    inflows: Inflows,
}

impl Chronicle {
    /// The fixture bank with a little money, and with two nodes that have low daily limits. A journal entry needs the
    /// approval of a second operator.
    pub(super) fn of_the_bank() -> Self {
        let mut chronicle = Self::default();
        for command in
            bank().into_iter().chain(ledgers()).chain([ANNS, BOBS, CATS].map(|node| fund(node, 300)))
        {
            chronicle.submit(command);
        }
        for (number, node, most) in [(1_997, BOBS, 100), (1_998, SHOP, 40)] {
            let limits = Limits { daily_in: Some(most), ..Limits::default() };
            let limits = [(Currency::USD, limits)].into();
            chronicle.submit(operate(number, Act::SetLimits { node, limits }).into());
        }
        let policy = Policy { approvals: [ActKind::Journal].into(), ..Policy::default() };
        chronicle.submit(set_policy(1_999, policy));
        chronicle.submit(set_account("555000111"));
        chronicle
    }

    pub(super) fn submit(&mut self, command: Command) {
        let before = self.world.clone();
        let at = before.now_of(command.platform(&before));
        let asked = crate::testing::RestrictedWorld::needed(&before, &command);
        let answer = self.world.submit(&command);
        assert_eq!(command.decide(&asked, at), answer, "needs more than it says: {command:?}");
        if let Ok(facts) = answer {
            super::checks::step(&before, &self.world, &facts);
            self.inflows.decided(&before, at, &facts);
            for fact in facts {
                self.record(at, fact);
            }
        } else {
            assert_eq!(self.world, before, "a refused command changes nothing");
            self.refused += 1;
        }
        self.submitted.push(command);
    }

    fn record(&mut self, at: Timestamp, fact: NewEvent) {
        if let Some(postings) = fact.event.postings() {
            let is_journal = matches!(fact.event, Event::Operation(operation::Event::Journaled(_)));
            for line in postings.lines() {
                let key = (postings.currency(), line.account);
                *self.trial.entry(key).or_default() += i128::from(line.amount);
                *self.journaled.entry(key).or_default() += if is_journal { line.amount.into() } else { 0 };
            }
        }
        if let Event::Account(account::Event::Entry(Entry { cause, hold_delta, .. })) = &fact.event
            && *hold_delta != 0
        {
            let id = cause.transaction().expect("only a transaction holds");
            self.holds.entry(id).or_default().push(*hold_delta);
        }
        self.recorded.push((at, fact));
    }

    /// Performs one deed.
    pub(super) fn live(&mut self, deed: Deed) {
        match deed {
            Deed::Submit(command) => self.submit(command),
            Deed::Next(which) => self.next(which),
            Deed::Bounce(which, leg, code) => {
                let left = |it: &Transaction| Step::after(it.status).is_none_or(|step| step != Step::Debit);
                let over = |it: &Transaction| {
                    matches!(it.status, Status::Canceled | Status::Returned | Status::Queued)
                };
                if let Some(id) = self.pick(which, |it| left(it) && !over(it)) {
                    self.submit(ReturnTransaction { leg, ..bounce(id.as_u128(), code) }.into());
                }
            }
            Deed::Withdraw(which) => {
                let filed = |it: &Transaction| it.status != Status::Returned && !it.submitted.is_empty();
                if let Some(id) = self.pick(which, filed) {
                    let legs = self.world.transaction(id).map(|it| it.submitted.clone()).unwrap_or_default();
                    let code = "R03".parse().expect("known");
                    let direction = legs[which % legs.len()];
                    self.submit(Withdraw { id, platform: PLATFORM, direction, code }.into());
                }
            }
            Deed::Review(which, by, approves) => {
                let mut waiting: Vec<_> = self
                    .operations()
                    .filter(|(_, it)| it.status == operation::Status::Waiting)
                    .map(|(id, _)| id)
                    .collect();
                waiting.sort();
                if let Some(id) = which.checked_rem(waiting.len()).map(|which| waiting[which]) {
                    self.submit(Review::new(id, by, approves).into());
                }
            }
            Deed::Hinder(which) => self.hinder(which),
            Deed::Erase(user) => self.submit(self.erasure(user).into()),
            Deed::Cut(rail) => self.cut(rail),
            Deed::State(stated) => {
                let statement = self.statement(&stated);
                // A reader of files refuses a file with a wrong sum.
                if stated.in_file && !matches!(stated.mistake, Some(Mistake::Sum)) {
                    let old = if stated.is_anew { self.newest_in_file(statement.currency) } else { None };
                    self.state_in_file(statement, old);
                } else {
                    self.submit(statement.into());
                }
            }
            Deed::Match(which, posts_rest) => self.match_line(which, posts_rest),
            Deed::MatchByRules => self.match_by_rules(),
            Deed::Unmatch(which) => self.unmatch_line(which),
            Deed::WriteOff(which) => self.write_off(which),
            Deed::Repeat(back) => {
                if let Some(command) = self.submitted.iter().rev().nth(back).cloned() {
                    self.submit(command);
                }
            }
            Deed::Pass(ms) => self.world.pass(ms),
        }
    }

    /// One of the transactions for which `is_meant` is true.
    fn pick(&self, which: usize, is_meant: impl Fn(&Transaction) -> bool) -> Option<TransactionId> {
        let mut meant: Vec<_> =
            self.transactions().filter(|(_, it)| is_meant(it)).map(|(id, _)| id).collect();
        meant.sort();
        meant.get(which.checked_rem(meant.len())?).copied()
    }

    fn next(&mut self, which: usize) {
        let to_do = |it: &Transaction| process::to_do(&State::Transaction(Arc::new(it.clone())));
        let Some(payment) = self.pick(which, |it| to_do(it).is_some()).map(TransactionId::as_u128) else {
            return;
        };
        let Some(to_do) = self.world.transaction(number(payment)).and_then(to_do) else { return };
        let command = match to_do.process {
            Process::Settlement if to_do.step == settlement::RECHECK_QUEUED => look_again(payment).into(),
            Process::Settlement => step(payment, Step::from_code(to_do.step).expect("a step")),
            Process::Submission => {
                let transaction = self.world.transaction(number(payment)).expect("waits");
                let (direction, _, rail) = transaction.to_submit().expect("waits for a file");
                assert_eq!(Direction::from_code(to_do.step), Some(direction));
                cut_as(payment, direction, rail, self.new_file())
            }
            other => panic!("{other:?} about a payment"),
        };
        self.submit(command);
    }

    /// Makes the node of a fee unable to take credits while the money is under way.
    fn hinder(&mut self, which: usize) {
        let under_way = |it: &Transaction| {
            matches!(it.status, Status::ProcessingDebit | Status::ProcessingCredit) && !it.fees.is_empty()
        };
        let Some(id) = self.pick(which, under_way) else { return };
        let fee = self.world.transaction(id).and_then(|it| it.fees.first().cloned()).expect("was picked");
        let owner = self.world.node(fee.to).expect("exists").user;
        self.submit(match which % 4 {
            0 => operate(2_000 + which as u128 % 1_000, Act::LockNode { node: fee.to }).into(),
            1 => Deactivate { node: fee.to, platform: PLATFORM, by: owner }.into(),
            2 => lower(owner, Permission::Closed).into(),
            _ => self.erasure(owner).into(),
        });
    }

    /// The erasure of a user with all of its accounts and transactions, which read models list.
    fn erasure(&self, user: UserId) -> Erase {
        let is_theirs = |node: NodeId| self.world.node(node).is_some_and(|node| node.user == user);
        let accounts = self.accounts().filter(|account| is_theirs(account.node));
        let accounts = accounts.map(|account| (account.node, account.currency)).collect();
        let takes_part = |it: &Transaction| [it.from.user(), it.to.user()].contains(&Some(user));
        let transactions = self.transactions().filter(|(_, it)| takes_part(it)).map(|(id, _)| id).collect();
        Erase { accounts, transactions, ..erase(user) }
    }

    fn new_file(&self) -> FileId {
        FileId::from_u128(10_000 + self.submitted.len() as u128)
    }

    fn cut(&mut self, rail: Rail) {
        let mut items: Vec<_> =
            self.transactions().filter_map(|(id, it)| Some((id, it.to_submit()?.0))).collect();
        items.sort();
        let file = self.new_file();
        let first = items.first().copied();
        self.submit(CutFile { custody: CUSTODY, file, rail, items, cut_off: None }.into());
        self.submit(SendFile { custody: CUSTODY, file, as_of: 0 }.into());
        if let Some((id, leg)) = first {
            self.notify(id, leg);
            self.contest(id, leg);
        }
    }

    /// The bank answers an entry with a notification of change.
    fn notify(&mut self, id: TransactionId, leg: Direction) {
        let node = self.world.transaction(id).and_then(|it| it.party(leg).node()).expect("a node outside");
        let from = self.world.node(node).and_then(|node| node.details.as_ref()).map(|details| details.id);
        let to = 30_000 + self.submitted.len() as u128;
        self.submit(Correct { leg, from, ..correct(id.as_u128(), node, to) }.into());
    }

    /// A bank insists on its return of an entry, whether or not the return came.
    fn contest(&mut self, id: TransactionId, leg: Direction) {
        let mut notice = contest(id.as_u128());
        notice.contest.leg = leg;
        self.submit(notice.into());
    }

    /// The newest statement in a file.
    fn newest_in_file(&self, currency: Currency) -> Option<(StatementId, Statement)> {
        let statements = self.world.states().filter_map(|(key, state)| match state {
            State::Statement(it) if it.currency == currency => {
                Some((StatementId::from_u128(key.id), (**it).clone()))
            }
            _ => None,
        });
        statements.filter(|(_, it)| it.replaced_by.is_none()).max_by_key(|(_, it)| it.day)
    }

    /// Accepts the statement, and books its lines in two parts. If it states the day of an `old` one anew, the lines of that
    /// one are taken back before.
    fn state_in_file(&mut self, statement: BookStatement, old: Option<(StatementId, Statement)>) {
        let BookStatement { custody, currency, mut day, mut opening, mut closing, lines, origin, .. } =
            statement;
        if let Some((_, old)) = &old {
            let by_lines = closing.saturating_sub(opening);
            (day, opening, closing) = (old.day, old.opening, old.opening.saturating_add(by_lines));
        }
        let replaces = old.map(|(id, _)| id);
        let id = StatementId::from_u128(20_000 + self.submitted.len() as u128);
        let count = u32::try_from(lines.len()).expect("few");
        let stated = StatedDay { id, currency, day, opening, closing, lines: count, replaces };
        let (format, hash) = ("bai2".to_owned(), "00".repeat(32));
        let file = StatedFile { statements: vec![stated], format, hash, bytes: 1 };
        self.submit(AcceptStatements { custody, file, origin }.into());
        if let Some(old) = replaces {
            self.take_back(old, origin);
        }
        let (one, other) = lines.split_at(lines.len() / 2);
        for (first, lines) in [(0, one), (count / 2, other)] {
            self.submit(BookLines { statement: id, first, lines: lines.to_vec(), origin }.into());
        }
    }

    /// Takes back the lines of a statement, those of the last booking first.
    fn take_back(&mut self, statement: StatementId, origin: Origin) {
        self.unmatch_lines(statement);
        let booked: Vec<_> = self
            .recorded
            .iter()
            .filter(|(_, fact)| fact.key == statement.into())
            .filter_map(|(_, fact)| match &fact.event {
                Event::Statement(statement::Event::LinesBooked(booked)) => Some(booked.clone()),
                _ => None,
            })
            .collect();
        for LinesBooked { first, lines, .. } in booked.into_iter().rev() {
            self.submit(TakeBackLines { statement, first, lines, origin }.into());
        }
    }

    fn statement(&self, stated: &Stated) -> BookStatement {
        let custody = self.world.custody(CUSTODY).expect("opened");
        let currency = Currency::USD;
        let mut open: Vec<(TransactionId, OpenItem)> = self
            .transactions()
            .filter(|(_, it)| it.amount.currency == currency)
            .flat_map(|(id, it)| it.open_items().into_iter().map(move |item| (id, item)))
            .collect();
        open.sort_by_key(|(id, item)| (*id, item.account));
        let about = stated.about.iter().filter_map(|(which, part)| {
            let (id, item) = open.get(which.checked_rem(open.len())?)?;
            let amount = match part {
                Part::Whole => item.amount,
                Part::Half => item.amount / 2,
                Part::Twice => item.amount.saturating_mul(2),
                Part::Opposite => item.amount.saturating_neg(),
                Part::Met => 0,
            };
            Some((amount, Some(*id)))
        });
        let lines = about.chain(stated.strays.iter().map(|amount| (*amount, None)));
        let line = |(index, (amount, transaction))| Line { id: format!("L{index}"), amount, transaction };
        let lines: Vec<Line> = lines.enumerate().map(line).collect();
        let opening = custody.balance(currency);
        let closing = lines.iter().fold(opening, |sum, line| sum.saturating_add(line.amount));
        let (mut opening, mut closing) = (opening, closing);
        let mut day = custody.stated_on(currency).plus_days(1);
        match stated.mistake {
            None => {}
            Some(Mistake::Opening) => {
                (opening, closing) = (opening.saturating_add(1), closing.saturating_add(1));
            }
            Some(Mistake::Sum) => closing = closing.saturating_add(1),
            Some(Mistake::Day) => day = day.plus_days(-1),
        }
        let origin = Origin::of(Actor::Bank);
        BookStatement { custody: CUSTODY, currency, day, opening, closing, lines, origin, details: None }
    }

    pub(super) fn transactions(&self) -> impl Iterator<Item = (TransactionId, &Transaction)> {
        self.world.states().filter_map(|(key, state)| match state {
            State::Transaction(transaction) => Some((TransactionId::from_u128(key.id), &**transaction)),
            _ => None,
        })
    }

    fn operations(&self) -> impl Iterator<Item = (OperationId, &Operation)> {
        self.world.states().filter_map(|(key, state)| match state {
            State::Operation(operation) => Some((OperationId::from_u128(key.id), &**operation)),
            _ => None,
        })
    }

    pub(super) fn accounts(&self) -> impl Iterator<Item = &Account> {
        self.world.states().filter_map(|(_, state)| match state {
            State::Account(account) => Some(&**account),
            _ => None,
        })
    }

    /// Sum of all postings to an account; a debit is positive.
    pub(super) fn on(&self, currency: Currency, account: LedgerAccount) -> i128 {
        self.trial.get(&(currency, account)).copied().unwrap_or_default()
    }

    /// Returns true if a hold is still in place for a transaction with this status.
    pub(super) fn waits(status: Status) -> bool {
        matches!(status, Status::Created | Status::Queued)
    }
}
