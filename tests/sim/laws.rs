//! The laws of money (`docs/reference/money.md`, Invariants), checked on the events of the log after every step, and a
//! comparison with the auditor's model.

use std::collections::{BTreeMap, HashMap};

use daybook_domain::account::{Cause, Entry, Event as AccountEvent};
use daybook_domain::posting::LedgerAccount;
use daybook_domain::transaction::{Event as TransactionEvent, Status, Transaction};
use daybook_domain::{
    AccountId, BreakId, Currency, Event, Key, NodeId, State, StatementId, States, TransactionId, UserId,
    testing::fixture::{CUSTODY, PLATFORM},
};
use daybook_projector::RecordedEvent;

use crate::auditor::Auditor;
use crate::ledger::Told;

/// Fold of the events so far.
#[derive(Default)]
pub(crate) struct Laws {
    pub told: Told,
    ledger: BTreeMap<(Currency, LedgerAccount), i128>,
    holds: HashMap<Cause, (Vec<i64>, NodeId)>,
    traces: u64,
}

/// Entries and postings of one decision, which must agree.
#[derive(Default)]
struct Decision {
    entries: Vec<(Currency, NodeId, i128)>,
    postings: Vec<(Currency, NodeId, i128)>,
}

impl Laws {
    /// Folds the events of one decision, and checks all laws about them.
    pub(crate) fn decision(&mut self, events: &[RecordedEvent]) -> Result<(), String> {
        let mut decision = Decision::default();
        for happened in events {
            let before = self.told.states.get(&happened.key).cloned();
            self.told.fold(happened)?;
            self.postings(happened, &mut decision)?;
            if let Event::Account(AccountEvent::Entry(entry)) = &happened.event {
                self.entry(happened, entry, before.as_ref(), &mut decision)?;
                let is_return = events.iter().any(|it| {
                    it.key == entry.cause.key()
                        && matches!(it.event, Event::Transaction(TransactionEvent::Returned(_)))
                });
                law(entry.returned == is_return, "a return, and only a return, says so", entry)?;
            }
            self.files(&happened.event)?;
        }
        let Decision { mut entries, mut postings } = decision;
        for sums in [&mut entries, &mut postings] {
            let mut by_node: BTreeMap<_, i128> = BTreeMap::new();
            for (currency, node, sum) in &*sums {
                *by_node.entry((*currency, *node)).or_default() += sum;
            }
            *sums = by_node.into_iter().map(|((currency, node), sum)| (currency, node, sum)).collect();
            sums.retain(|(_, _, sum)| *sum != 0);
        }
        law(entries == postings, "entries are what the postings say", &(entries, postings))
    }

    /// Laws 1 and 2: each set of postings sums to zero.
    fn postings(&mut self, happened: &RecordedEvent, decision: &mut Decision) -> Result<(), String> {
        let Some(postings) = happened.event.postings() else { return Ok(()) };
        let currency = postings.currency();
        let sum: i128 = postings.lines().iter().map(|line| i128::from(line.amount)).sum();
        law(sum == 0, "postings sum to zero", postings)?;
        for line in postings.lines() {
            *self.ledger.entry((currency, line.account)).or_default() += i128::from(line.amount);
            if let LedgerAccount::Node(node) = line.account {
                decision.postings.push((currency, node, -i128::from(line.amount)));
            }
            let by_statement = matches!(
                happened.event,
                Event::Custody(_)
                    | Event::Statement(_)
                    | Event::Transaction(TransactionEvent::Cleared(_) | TransactionEvent::Reopened(_))
            );
            law(
                by_statement || !matches!(line.account, LedgerAccount::Bank(_)),
                "only a statement touches the account of the bank",
                happened,
            )?;
        }
        Ok(())
    }

    /// Laws 3, 4 and 9: an entry adds up, keeps its floor, and resolves a hold once.
    fn entry(
        &mut self,
        happened: &RecordedEvent,
        entry: &Entry,
        before: Option<&State>,
        decision: &mut Decision,
    ) -> Result<(), String> {
        decision.entries.push((entry.currency, entry.node, entry.delta.into()));
        law(
            happened.key == AccountId::of(entry.node, entry.currency).into(),
            "an entry is in the stream of its account",
            entry,
        )?;
        let (posted, held, pending_in) = match before {
            Some(State::Account(account)) => (account.posted, account.held, account.pending_in),
            _ => (0, 0, 0),
        };
        let adds =
            |before: i64, by: i64, after: i64| i128::from(before) + i128::from(by) == i128::from(after);
        let is_sum = adds(posted, entry.delta, entry.posted)
            && adds(held, entry.hold_delta, entry.held)
            && adds(pending_in, entry.pending_delta, entry.pending_in);
        law(is_sum, "an entry adds up", entry)?;
        law(entry.held >= 0 && entry.pending_in >= 0, "held and pending in are not negative", entry)?;
        let takes = i128::from(entry.hold_delta) - i128::from(entry.delta) > 0;
        let available = i128::from(entry.posted) - i128::from(entry.held);
        let floor = self.floor(entry.node, entry.currency);
        law(
            !takes || entry.returned || available >= i128::from(floor),
            "available does not go below its floor",
            &(entry, floor),
        )?;
        // The last entry alone gives the same state as the fold of all entries.
        let last = State::begin(&happened.event, happened.effective_at).ok();
        law(last.as_ref() == self.told.state(happened.key), "the last entry is the account", entry)?;
        if entry.hold_delta != 0 {
            let (holds, node) = self.holds.entry(entry.cause).or_insert((vec![], entry.node));
            holds.push(entry.hold_delta);
            let is_once = matches!(holds[..], [taken] if taken > 0)
                || matches!(holds[..], [taken, given] if taken > 0 && given == -taken);
            law(is_once && *node == entry.node, "a hold is taken once and resolved once", &(entry, &holds))?;
        }
        Ok(())
    }

    fn floor(&self, node: NodeId, currency: Currency) -> i64 {
        let own = self.told.node(node).and_then(|node| node.limits.get(&currency)?.floor);
        let platform = self.told.platform(PLATFORM);
        let reserve = platform.filter(|it| it.reserve == node).map(|_| -100_000);
        own.or(reserve).or(platform.and_then(|it| it.policy.limits.get(&currency)?.floor)).unwrap_or(0)
    }

    /// Checks that the entries of files are numbered without gaps.
    fn files(&mut self, event: &Event) -> Result<(), String> {
        let Event::Custody(daybook_domain::custody::Event::FileCut(cut)) = event else { return Ok(()) };
        for item in &cut.items {
            self.traces += 1;
            law(u64::from(item.trace) == self.traces, "entries of files are numbered", cut)?;
            let transaction = self.told.transaction(item.transaction);
            law(
                transaction.is_some_and(|it| it.amount.minor >= item.amount),
                "an entry of a file does not exceed its transaction",
                cut,
            )?;
        }
        Ok(())
    }

    /// Checks the laws about all states together.
    pub(crate) fn check(&self) -> Result<(), String> {
        let mut sums: BTreeMap<Currency, [i128; 3]> = BTreeMap::new();
        for ((currency, account), amount) in &self.ledger {
            let [all, identity, _] = sums.entry(*currency).or_default();
            *all += amount;
            // Held nodes are counted below, by the states of their accounts.
            *identity += if account.node().is_some() { 0 } else { *amount };
        }
        for (key, state) in &self.told.states {
            match state {
                State::Account(account) => {
                    let sum = sums.entry(account.currency).or_default();
                    sum[1] -= i128::from(account.posted);
                    let ledger = self.ledger.get(&(account.currency, LedgerAccount::Node(account.node)));
                    let ledger = -ledger.copied().unwrap_or_default();
                    law(ledger == i128::from(account.posted), "an account is the sum of postings", account)?;
                }
                State::Transaction(transaction) => {
                    over(*key, transaction)?;
                    let transit = i128::from(transaction.net.on(LedgerAccount::Transit));
                    sums.entry(transaction.amount.currency).or_default()[2] += transit;
                }
                // While lines are booked, the auditor knows the balance (`ties_out`).
                State::Custody(custody) if custody.booking.is_empty() => {
                    for (currency, (_, balance)) in &custody.statements {
                        let bank = self.ledger.get(&(*currency, LedgerAccount::Bank(custody.bank)));
                        let bank = bank.copied().unwrap_or_default();
                        law(
                            bank == i128::from(*balance),
                            "the bank's account is what its statements say",
                            custody,
                        )?;
                    }
                }
                State::Platform(_)
                | State::User(_)
                | State::Node(_)
                | State::Custody(_)
                | State::Operation(_)
                | State::Subnet(_)
                | State::Subscription(_)
                | State::Attachment(_)
                | State::Attestation(_)
                | State::Statement(_)
                | State::Evidence(_)
                | State::Roles(_)
                | State::Break(_) => {}
            }
        }
        for (currency, [all, identity, transit]) in sums {
            law(all == 0, "debits equal credits", &(currency, all))?;
            law(identity == 0, "custody: what the bank has is what is owed", &(currency, identity))?;
            let lies = self.ledger.get(&(currency, LedgerAccount::Transit)).copied().unwrap_or_default();
            law(lies == transit, "transit is what transactions have under way", &(currency, lies, transit))?;
        }
        Ok(())
    }

    /// Law 6: a replay of the log gives the same states, also through serialized rows.
    pub(crate) fn replay(&self, everything: &[RecordedEvent]) -> Result<(), String> {
        let mut told = Told::default();
        everything.iter().try_for_each(|happened| told.fold(happened))?;
        law(told.states == self.told.states, "replay makes the same states", &told.position)?;
        for state in told.states.values() {
            let row = serde_json::to_string(state).map_err(|error| error.to_string())?;
            let read = serde_json::from_str::<State>(&row).map_err(|error| error.to_string())?;
            law(read == *state, "a row holds a state", state)?;
        }
        Ok(())
    }

    /// Compares all states with the auditor's model.
    pub(crate) fn agrees(&self, auditor: &Auditor) -> Result<(), String> {
        let (mut counted, mut breaks) = (0, 0);
        for (key, state) in &self.told.states {
            match state {
                State::Account(account) => {
                    let id = (account.node, account.currency);
                    let purse = auditor.purses.get(&id).copied().unwrap_or_default();
                    let expected = (purse.posted, purse.held, purse.pending, auditor.today(id.0, id.1));
                    let today = account.today(auditor.now());
                    same(
                        "account",
                        key,
                        &(account.posted, account.held, account.pending_in, today),
                        &expected,
                    )?;
                }
                State::Transaction(transaction) => {
                    counted += 1;
                    Self::deal(TransactionId::from_u128(key.id), transaction, auditor)?;
                }
                State::Node(node) => {
                    let Some(place) = auditor.places.get(&NodeId::from_u128(key.id)) else {
                        return Err(format!("the auditor does not know the node: {node:?}"));
                    };
                    let told = (node.user, node.kind, node.permitted.debit(), node.is_locked, node.missed);
                    let expected = (place.owner, place.kind, place.debit, place.locked, place.missed);
                    same("node", key, &told, &expected)?;
                    same("secret", key, &node.micro_deposits, &place.secret)?;
                    same("limits", key, &node.limits, &place.limits)?;
                }
                State::User(user) => {
                    let person = auditor.people.get(&UserId::from_u128(key.id));
                    let expected = person.map(|person| (person.may, person.locked));
                    same("user", key, &Some((user.permitted, user.is_locked)), &expected)?;
                }
                State::Custody(custody) => {
                    let ours = &auditor.custody;
                    same("statements", key, &custody.statements, &ours.stated)?;
                    same("files", key, &(custody.files, &custody.unsent), &(ours.files, &ours.unsent))?;
                    same("booking", key, &custody.booking, &ours.booking)?;
                    let rules = custody.rules.as_ref().map(|rules| (rules.version, rules.set.clone()));
                    same("rules", key, &rules, &ours.rules)?;
                    let runs = (custody.runs_due, custody.runs_done);
                    same("runs", key, &runs, &(ours.runs_due, ours.runs_done))?;
                }
                State::Statement(statement) => {
                    let ours = auditor.custody.sheets.get(&StatementId::from_u128(key.id));
                    let expected = ours.map(|sheet| (sheet.booked.len(), sheet.is_replaced, sheet.balance()));
                    let told = (statement.booked as usize, statement.replaced_by.is_some());
                    same("statement", key, &Some((told.0, told.1, statement.balance_at_bank())), &expected)?;
                }
                State::Roles(_) => return Err(format!("the auditor gives no roles: {key:?}")),
                State::Evidence(_) => return Err(format!("the auditor keeps no files: {key:?}")),
                State::Break(of) => {
                    let ours = auditor.custody.strays.get(&BreakId::from_u128(key.id));
                    let told = (of.left, of.next, of.by_hand, of.is_withdrawn);
                    let expected = ours.map(|it| (it.left, it.next, it.by_hand, it.is_withdrawn));
                    same("line in suspense", key, &Some(told), &expected)?;
                    let numbers: Vec<u32> = of.matches.iter().map(|it| it.number).collect();
                    let held = ours.into_iter().flat_map(|it| it.matches.keys().copied()).collect();
                    same("matches", key, &numbers, &held)?;
                    breaks += 1;
                }
                // These states contain no money and do not change.
                State::Subnet(_) | State::Subscription(_) | State::Attachment(_) | State::Attestation(_) => {}
                State::Platform(platform) => {
                    let policy = &platform.policy;
                    same("clock", key, &platform.clock_ms, &auditor.ahead)?;
                    same("policy", key, &policy.limits, &auditor.limits)?;
                    same("policy", key, &policy.reject_unfunded, &auditor.reject_unfunded)?;
                }
                State::Operation(operation) => {
                    let id = daybook_domain::OperationId::from_u128(key.id);
                    let waits = operation.status == daybook_domain::operation::Status::Waiting;
                    same("operation", key, &Some(waits), &auditor.wishes.get(&id).map(|wish| wish.waits))?;
                }
            }
        }
        law(counted == auditor.deals.len(), "as many transactions as the auditor knows", &counted)?;
        law(
            breaks == auditor.custody.strays.len(),
            "as many lines in suspense as the auditor knows",
            &breaks,
        )?;
        auditor.ties_out(&self.ledger)?;
        let nonzero = |ledger: &BTreeMap<(Currency, LedgerAccount), i128>| {
            ledger.clone().into_iter().filter(|(_, amount)| *amount != 0).collect::<Vec<_>>()
        };
        same("ledger", &CUSTODY.into(), &nonzero(&self.ledger), &nonzero(&auditor.ledger))
    }

    fn deal(id: TransactionId, transaction: &Transaction, auditor: &Auditor) -> Result<(), String> {
        let key = Key::from(id);
        let Some(deal) = auditor.deals.get(&id) else {
            return Err(format!("the auditor does not know the transaction: {transaction:?}"));
        };
        same("status", &key, &transaction.status, &deal.status)?;
        same("reasons", &key, &transaction.queue, &deal.reasons)?;
        same("recipients to wait for", &key, &transaction.waits_for, &deal.waits)?;
        same("promised", &key, &(transaction.hold, transaction.pending_in), &(deal.hold, deal.pending))?;
        let announced = transaction.announced.iter().map(|it| (it.node, it.minor)).collect();
        same("announced", &key, &announced, &deal.told)?;
        let lies: BTreeMap<_, _> = transaction.net.lines().collect();
        same("where the money lies", &key, &lies, &deal.lies)?;
        let open = transaction.open_items().into_iter().map(|item| (item.account, item.amount));
        let open: Vec<_> = open.collect();
        same("open items", &key, &open, &crate::auditor::open_items(deal))?;
        same("files", &key, &transaction.submitted, &deal.filed)?;
        let leg = transaction.to_submit().map(|(leg, _, rail)| (leg, rail));
        same("next leg", &key, &leg, &deal.leg())
    }

    /// Compares the reason of a cancellation with the auditor's.
    pub(crate) fn ended(happened: &RecordedEvent, auditor: &Auditor) -> Result<(), String> {
        let Event::Transaction(TransactionEvent::Canceled(canceled)) = &happened.event else { return Ok(()) };
        let deal = auditor.deals.get(&TransactionId::from_u128(happened.key.id));
        same("end", &happened.key, &Some(canceled.reason), &deal.and_then(|deal| deal.ended))
    }
}

/// Law 10: a finished transaction leaves nothing in transit, held or announced.
fn over(key: Key, transaction: &Transaction) -> Result<(), String> {
    match transaction.status {
        Status::Settled | Status::Canceled | Status::Returned => {
            let left = (transaction.net.on(LedgerAccount::Transit), transaction.hold, transaction.pending_in);
            let left_nothing = left == (0, 0, 0) && transaction.announced.is_empty();
            law(left_nothing, "what is over leaves nothing behind", &(key, transaction))?;
            let is_undone = transaction.status != Status::Canceled || transaction.net.is_empty();
            law(is_undone, "what is canceled has done nothing", &(key, transaction))
        }
        Status::Queued | Status::Created | Status::ProcessingDebit | Status::ProcessingCredit => Ok(()),
    }
}

fn law(holds: bool, law: &str, about: &impl std::fmt::Debug) -> Result<(), String> {
    if holds { Ok(()) } else { Err(format!("{law}: {about:?}")) }
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, key: &Key, told: &T, expected: &T) -> Result<(), String> {
    if told == expected {
        Ok(())
    } else {
        Err(format!("{what} of {key:?}: the ledger says {told:?}, the auditor {expected:?}"))
    }
}
