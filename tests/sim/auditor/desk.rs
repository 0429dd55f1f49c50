//! Users, nodes and operations in the auditor's model.

use std::collections::{BTreeMap, BTreeSet};

use daybook_domain::breaks::match_line::MatchLine;
use daybook_domain::breaks::unmatch::UnmatchLine;
use daybook_domain::calendar::Day;
use daybook_domain::money::MAX_MINOR;
use daybook_domain::node::create::Create as CreateNode;
use daybook_domain::node::link::Link;
use daybook_domain::node::{self, NodeKind};
use daybook_domain::operation::request::Request;
use daybook_domain::operation::review::Review;
use daybook_domain::operation::{self, Act, ActKind};
use daybook_domain::platform::clock::AdvanceClock;
use daybook_domain::platform::open::Open;
use daybook_domain::posting::{LedgerAccount, Postings};
use daybook_domain::statement::accept::AcceptStatements;
use daybook_domain::testing::fixture;
use daybook_domain::time::DAY_MS;
use daybook_domain::transaction::cancel::Cancel;
use daybook_domain::transaction::queue::{Queue, Release};
use daybook_domain::transaction::returns::ReturnTransaction;
use daybook_domain::transaction::{CancelReason, ClearedItem};
use daybook_domain::user::create::Create as CreateUser;
use daybook_domain::user::permit::Permit;
use daybook_domain::user::update::Update;
use daybook_domain::user::verify::Verify;
use daybook_domain::user::{self, Permission, SubDocumentStatus};
use daybook_domain::{Actor, NodeId, OperationId, Origin, Timestamp, UserId, breaks, platform};

use super::{Answer, Auditor, Person, Place, Step, Terms, Wish, is_closed, rail_of};

impl Auditor {
    pub(super) fn open(&mut self, ask: &Open) {
        let person = Person { may: Permission::SendAndReceive, locked: false };
        self.people.insert(ask.user.id, person);
        (self.boss, self.reserve) = (Some(ask.user.id), Some(ask.reserve.id));
        self.places.insert(ask.reserve.id, place(&ask.reserve));
        self.custody.opened = Day::of(self.now());
    }

    pub(super) fn advance_clock(&mut self, ask: &AdvanceClock) -> Answer {
        if ask.ms <= 0 || i128::from(self.ahead) + i128::from(ask.ms) > 3_653 * i128::from(DAY_MS) {
            return Err(platform::Refusal::OutOfRange.into());
        }
        self.ahead += ask.ms;
        Ok(true)
    }

    pub(super) fn create_user(&mut self, ask: &CreateUser) {
        self.people.insert(ask.id, Person { may: Permission::Unverified, locked: false });
    }

    /// Sets the permission after a verification. In this workload each user submits one document only: an SSN, or an
    /// e-mail address.
    pub(super) fn verify_user(&mut self, ask: &Verify) -> Answer {
        let is_valid = ask.findings.iter().all(|(_, status)| *status == SubDocumentStatus::Valid);
        let person = self.people.get_mut(&ask.user).ok_or(user::Refusal::Unknown)?;
        let has_ssn = ask.user != fixture::CAT;
        // A verification does not change a user who is locked or closed.
        if person.may != Permission::Locked && !is_closed(person.may) {
            person.may = match (is_valid, has_ssn) {
                (true, true) => Permission::SendAndReceive,
                (true, false) => Permission::Receive,
                (false, _) => Permission::Unverified,
            };
        }
        Ok(true)
    }

    /// Lowers a permission. In this workload an update of a user changes nothing else.
    pub(super) fn lower(&mut self, ask: &Update) -> Answer {
        let person = self.people.get_mut(&ask.user).filter(|_| ask.platform == fixture::PLATFORM);
        let person = person.ok_or(user::Refusal::Unknown)?;
        let wanted = ask.permission.filter(|wanted| *wanted != person.may);
        let Some(wanted) = wanted else { return Ok(false) };
        if Some(ask.user) == self.boss {
            return Err(user::Refusal::OwnUser.into());
        }
        let is_down = match wanted {
            Permission::SendAndReceive => false,
            Permission::Receive => person.may == Permission::SendAndReceive,
            Permission::Unverified => {
                matches!(person.may, Permission::SendAndReceive | Permission::Receive)
                    || person.may == Permission::Locked && ask.by_gateway
            }
            Permission::Locked => !is_closed(person.may),
            Permission::Closed => person.may != Permission::MakeItGoAway,
            Permission::MakeItGoAway => true,
        };
        if !is_down {
            let closed = is_closed(person.may);
            return Err(if closed { user::Refusal::Closed } else { user::Refusal::CannotRaise }.into());
        }
        person.may = wanted;
        Ok(true)
    }

    pub(super) fn permit(&mut self, ask: &Permit) -> Answer {
        let person = self.people.get_mut(&ask.user).filter(|_| ask.platform == fixture::PLATFORM);
        let person = person.ok_or(user::Refusal::Unknown)?;
        let is_news = person.may != ask.permission;
        if is_news && is_closed(person.may) {
            return Err(user::Refusal::Closed.into());
        }
        if is_news && Some(ask.user) == self.boss {
            return Err(user::Refusal::OwnUser.into());
        }
        person.may = ask.permission;
        Ok(is_news)
    }

    pub(super) fn create_node(&mut self, ask: &CreateNode) -> Answer {
        if ask.platform != fixture::PLATFORM || !self.people.contains_key(&ask.user) {
            return Err(user::Refusal::Unknown.into());
        }
        if is_closed(self.people[&ask.user].may) {
            return Err(user::Refusal::Closed.into());
        }
        if ask.kind == NodeKind::AchUs {
            self.may_verify(ask.user)?;
        }
        self.places.insert(ask.id, place(ask));
        if let Some(micro) = &ask.micro_deposits {
            // The node itself records micro-deposits that could not be sent.
            let _ = self.send_micro_deposits(ask.id, micro);
        }
        Ok(true)
    }

    /// Links the accounts of a bank login. Money may be pulled from them at once. A login is completed once.
    pub(super) fn link(&mut self, ask: &Link) -> Answer {
        if ask.platform != fixture::PLATFORM || !self.people.contains_key(&ask.user) {
            return Err(user::Refusal::Unknown.into());
        }
        if self.places.contains_key(&ask.first) {
            return Ok(false);
        }
        if is_closed(self.people[&ask.user].may) {
            return Err(user::Refusal::Closed.into());
        }
        for (offset, details) in (0..).zip(&ask.accounts) {
            let id = NodeId::from_u128(ask.first.as_u128() + offset);
            let ask = CreateNode { details: details.clone(), ..fixture::node(id, ask.user, NodeKind::AchUs) };
            self.places.insert(id, Place { debit: true, ..place(&ask) });
        }
        Ok(!ask.accounts.is_empty())
    }

    pub(super) fn request(&mut self, ask: &Request) -> Answer {
        if ask.platform != fixture::PLATFORM {
            return Err(platform::Refusal::Unknown.into());
        }
        let is_policy = ask.act.kind() == ActKind::SetPolicy && !self.approvals.is_empty();
        let waits = is_policy || self.approvals.contains(&ask.act.kind());
        if waits {
            self.would_do(ask)?
        } else {
            self.act(&ask.act, ask.by)?
        };
        self.wishes.insert(ask.id, Wish { by: ask.by, act: ask.act.clone(), waits });
        Ok(true)
    }

    /// Tests the act on a copy of the model: a request whose act would be refused is refused at once.
    fn would_do(&self, ask: &Request) -> Answer {
        let mut copy = self.clone();
        copy.act(&ask.act, ask.by)
    }

    pub(super) fn review(&mut self, ask: &Review) -> Answer {
        let wish = self.wishes.get(&ask.id).ok_or(operation::Refusal::Unknown)?;
        if !wish.waits {
            return Err(operation::Refusal::NotWaiting.into());
        }
        if wish.by == ask.by {
            return Err(operation::Refusal::SamePerson.into());
        }
        if ask.approves {
            let (act, by) = (wish.act.clone(), wish.by);
            self.act(&act, by)?;
        }
        self.wishes.entry(ask.id).and_modify(|wish| wish.waits = false);
        Ok(true)
    }

    /// Returns true if the operation waits for another operator.
    pub(crate) fn waits(&self, operation: u128) -> bool {
        self.wishes.get(&OperationId::from_u128(operation)).is_some_and(|wish| wish.waits)
    }

    fn act(&mut self, act: &Act, by: daybook_domain::OperatorId) -> Answer {
        let (platform, origin) = (fixture::PLATFORM, Origin::of(Actor::Operator(by)));
        match act {
            Act::Queue { transaction, reason } => {
                self.queue(&Queue { id: *transaction, platform, reason: *reason, origin })
            }
            Act::Release { transaction } => {
                self.release(&Release { id: *transaction, platform: Some(platform), origin })
            }
            Act::Cancel { transaction } => {
                let reason = CancelReason::Requested;
                self.cancel(&Cancel { id: *transaction, platform, sender: None, reason, origin })
            }
            Act::Return { transaction, code, leg } => self.return_transaction(&ReturnTransaction {
                id: *transaction,
                platform,
                code: *code,
                leg: *leg,
                origin,
            }),
            Act::PresentAgain { transaction } => self.present_again(*transaction, platform),
            Act::Journal { postings, effective_at, clears } => self.journal(postings, *effective_at, clears),
            Act::LockNode { node } => self.lock_node(*node, true),
            Act::UnlockNode { node } => self.lock_node(*node, false),
            Act::LockUser { user } => self.lock_user(*user, true),
            Act::UnlockUser { user } => self.lock_user(*user, false),
            Act::SetLimits { node, limits } => {
                let place = self.places.get_mut(node).ok_or(node::Refusal::Unknown)?;
                if rail_of(place.kind).is_some() {
                    return Err(node::Refusal::NotHeld.into());
                }
                place.limits.clone_from(limits);
                Ok(true)
            }
            Act::SetPolicy { policy } => {
                self.reject_unfunded = policy.reject_unfunded;
                self.currencies.clone_from(&policy.currencies);
                self.limits.clone_from(&policy.limits);
                self.approvals.clone_from(&policy.approvals);
                self.micro_deposits = policy.daily_micro_deposits;
                Ok(true)
            }
            Act::Restate { custody, file } => {
                self.accept(&AcceptStatements { custody: *custody, file: file.clone(), origin })
            }
            Act::Match { id, currency, items, posts } => {
                let (items, posts, by) = (items.clone(), posts.clone(), None);
                self.match_line(&MatchLine {
                    id: *id,
                    platform,
                    currency: *currency,
                    items,
                    posts,
                    by,
                    origin,
                })
            }
            Act::Unmatch { id, matched, .. } => {
                let matched = matched.as_deref().ok_or(breaks::Refusal::NoMatch)?.clone();
                self.unmatch_line(&UnmatchLine { id: *id, platform, matched, origin })
            }
            Act::SetRules { rules } => self.set_rules(rules),
        }
    }

    fn lock_node(&mut self, node: NodeId, shall_be: bool) -> Answer {
        let place = self.places.get_mut(&node).ok_or(node::Refusal::Unknown)?;
        place.locked = shall_be;
        Ok(true)
    }

    fn lock_user(&mut self, user: UserId, shall_be: bool) -> Answer {
        let person = self.people.get_mut(&user).ok_or(user::Refusal::Unknown)?;
        person.locked = shall_be;
        Ok(true)
    }

    fn journal(
        &mut self,
        postings: &Postings,
        effective_at: Option<Timestamp>,
        clears: &[ClearedItem],
    ) -> Answer {
        let lines: Vec<_> = postings.lines().iter().map(|line| (line.account, line.amount)).collect();
        for (account, _) in &lines {
            let is_open = match account {
                LedgerAccount::Node(node) => self.is_held(*node),
                LedgerAccount::Transit | LedgerAccount::Bank(_) => false,
                LedgerAccount::RailIn(_)
                | LedgerAccount::RailOut(_)
                | LedgerAccount::ReturnIn
                | LedgerAccount::ReturnOut
                | LedgerAccount::Suspense => true,
            };
            if !is_open {
                return Err(operation::Refusal::Account.into());
            }
        }
        let is_too_much = lines.iter().any(|(_, amount)| !(-MAX_MINOR..=MAX_MINOR).contains(amount));
        if is_too_much || effective_at.is_some_and(|at| at > self.now()) {
            return Err(operation::Refusal::OutOfRange.into());
        }
        // The entry clears what it posts to the accounts of open items.
        let currency = postings.currency();
        let mut between: BTreeMap<LedgerAccount, i128> = BTreeMap::new();
        for (account, amount) in lines.iter().filter(|(account, _)| account.is_open_item()) {
            *between.entry(*account).or_default() += i128::from(*amount);
        }
        for item in clears {
            *between.entry(item.account).or_default() += i128::from(item.amount);
        }
        let items: BTreeSet<_> = clears.iter().map(|item| (item.transaction, item.account)).collect();
        if between.values().any(|sum| *sum != 0) || items.len() < clears.len() {
            return Err(operation::Refusal::Items.into());
        }
        if !clears.iter().all(|item| self.is_open(currency, item)) {
            return Err(operation::Refusal::NotOpen.into());
        }
        let step = Step { lines, ..Step::default() };
        let posted = self.post(currency, &step, Terms::Correction);
        posted.map_err(|_| operation::Refusal::OutOfRange)?;
        let suspense = step.lines.iter().filter(|(account, _)| *account == LedgerAccount::Suspense);
        let suspense: i128 = suspense.map(|(_, amount)| i128::from(*amount)).sum();
        *self.custody.journaled.entry(currency).or_default() += suspense;
        for item in clears {
            self.deals.entry(item.transaction).and_modify(|deal| {
                *deal.stated.entry(item.account).or_default() -= item.amount;
            });
        }
        Ok(true)
    }
}

/// Returns a new node. A reserve and external nodes may only be credited.
fn place(ask: &CreateNode) -> Place {
    Place {
        owner: ask.user,
        kind: ask.kind,
        debit: rail_of(ask.kind).is_none() && ask.kind != NodeKind::ReserveUs,
        locked: false,
        active: ask.is_active,
        gated: ask.gateway_restricted,
        limits: BTreeMap::new(),
        secret: None,
        missed: 0,
        resent: 0,
        noted: None,
        label: ask.details.id,
    }
}
