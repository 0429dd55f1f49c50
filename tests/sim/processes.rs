//! Process managers: do the due to-dos in any order, some of them twice.

use std::collections::{BTreeMap, BTreeSet};

use daybook_domain::custody::cut::{CutFile, SendFile};
use daybook_domain::process::settlement::RECHECK_QUEUED;
use daybook_domain::process::{Process, to_do};
use daybook_domain::testing::fixture::CUSTODY;
use daybook_domain::time::DAY_MS;
use daybook_domain::transaction::advance::{Advance, Step};
use daybook_domain::transaction::queue::Release;
use daybook_domain::transaction::{Status, Transaction};
use daybook_domain::{
    Command, Currency, FileId, Key, Origin, State, StatementId, States, Timestamp, TransactionId, breaks,
};
use daybook_engine::Call;
use daybook_random::Random;

use crate::auditor::Auditor;
use crate::bank::Bank;
use crate::history::History;
use crate::ledger::Told;
use crate::{desk, matching, workload};

impl History<'_> {
    /// Does all to-dos that are due, in any order, and one of them perhaps twice.
    pub(crate) fn tick(&mut self, random: &mut Random) -> Result<(), String> {
        let mut work = self.due(random)?;
        // A process repeats work if it does not know the outcome.
        if !work.is_empty() && random.once_in(3) {
            let again = random.below(work.len());
            work.push(work[again].clone());
        }
        for place in 1..work.len() {
            work.swap(place, random.below(place + 1));
        }
        for batch in work.concat().chunks(4) {
            let batch = batch.iter().map(|command| (Call::of(self.ledger.shard), command.clone()));
            self.submit(random.below(2), &batch.collect::<Vec<_>>())?;
        }
        Ok(())
    }

    /// Returns the due work, each with its commands in their order.
    fn due(&mut self, random: &mut Random) -> Result<Vec<Vec<Command>>, String> {
        let now = self.auditor.now();
        let mut commands = vec![];
        for work in due(&self.laws.told, now, true, &mut self.ids) {
            let is_run = matches!(work, Work::Match);
            let own = work.commands((&self.laws.told, now), random, &mut self.bank, &self.auditor);
            if is_run {
                self.are_acceptable(&own)?;
            }
            commands.push(own);
        }
        Ok(commands)
    }

    /// Checks that the auditor accepts all matches of the rules, one after the other.
    fn are_acceptable(&mut self, matches: &[Command]) -> Result<(), String> {
        let mut copy = self.auditor.clone();
        for command in matches {
            let answer = copy.predict(command);
            // The node of a rule may be at its floor.
            let is_short = answer == Err(breaks::Refusal::OutOfRange.into());
            if answer != Ok(true) && !is_short {
                return Err(format!("the rules found what the auditor answers with {answer:?}: {command:?}"));
            }
        }
        Ok(())
    }

    /// Lets operators match what is left of lines, and write off what is left of items, until nothing changes.
    fn clear_all(&mut self) -> Result<(), String> {
        let (mut tried, mut before) = (BTreeSet::new(), 0);
        while before < self.laws.told.position {
            before = self.laws.told.position;
            tried.clear();
            while let Some(act) = desk::next_to_clear(&self.auditor, &mut tried) {
                self.ids += 1;
                let (id, call) = (self.ids, Call::of(self.ledger.shard));
                self.submit(0, &[(call.clone(), desk::request(id, act))])?;
                if self.auditor.waits(id) {
                    self.submit(0, &[(call, desk::approval(id))])?;
                }
            }
        }
        desk::is_cleared(&self.auditor)
    }

    /// Lets everything continue until nothing is due. The bank or operators must then have explained every open item.
    pub(crate) fn come_to_rest(&mut self, random: &mut Random) -> Result<(), String> {
        self.note(|| "coming to rest".into());
        for _ in 0..30 {
            self.auditor.wall += DAY_MS;
            for _ in 0..5 {
                self.ids += 1;
                self.tick(random)?;
            }
            if self.bank.is_silent() && self.auditor.rests() {
                *self.seen.entry("came to rest".into()).or_default() += 1;
                return if self.bank.has_files { self.clear_all() } else { self.auditor.is_explained() };
            }
        }
        Err("it does not come to rest".into())
    }
}

/// Work of a process manager.
#[derive(Clone)]
pub(crate) enum Work {
    /// A command.
    Ask(Command),
    /// The bank's statement in this currency.
    State(Currency),
    /// The next lines of a statement in a file.
    Book(StatementId),
    /// A run of the matching rules.
    Match,
}

impl Work {
    /// Returns the commands of the work, in their order, by the states `told` at `now`.
    pub(crate) fn commands(
        self,
        (told, now): (&Told, Timestamp),
        random: &mut Random,
        bank: &mut Bank,
        auditor: &Auditor,
    ) -> Vec<Command> {
        match self {
            Self::Ask(command) => vec![command],
            Self::State(currency) => vec![bank.state(random, auditor, currency, workload::yesterday(now))],
            Self::Book(statement) => matching::book(told, bank, random, statement),
            Self::Match => matching::run(told, bank),
        }
    }
}

/// Returns the to-dos that are due at `now` by the states `told`. With `looks` every queued transaction is screened
/// again. Files get the ids after `ids`.
pub(crate) fn due(told: &Told, now: Timestamp, looks: bool, ids: &mut u128) -> Vec<Work> {
    let mut due: Vec<(Key, Process, i16)> = vec![];
    for (key, state) in &told.states {
        due.extend(to_do(state).filter(|it| it.due_at <= now).map(|it| (*key, it.process, it.step)));
        // A permission or a lock may have changed.
        let is_queued = looks && matches!(state, State::Transaction(it) if it.status == Status::Queued);
        due.extend(is_queued.then_some((*key, Process::Release, 0)));
    }
    due.sort_unstable();
    let mut work = vec![];
    let mut legs: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for (key, process, step) in due {
        let id = TransactionId::from_u128(key.id);
        let release = || Command::Release(Release { id, platform: None, origin: Origin::PROCESS });
        match process {
            Process::Settlement if step == RECHECK_QUEUED => work.push(Work::Ask(release())),
            Process::Release => work.push(Work::Ask(release())),
            Process::Settlement => {
                let advance = |step| {
                    Command::Advance(Advance { id, step, waits_for_bank: false, origin: Origin::PROCESS })
                };
                work.extend(Step::from_code(step).map(advance).map(Work::Ask));
            }
            Process::Submission => {
                if let Some((leg, _, rail)) = told.transaction(id).and_then(Transaction::to_submit) {
                    legs.entry(rail).or_default().push((id, leg));
                }
            }
            Process::Delivery => {
                let unsent = told.custody(CUSTODY).into_iter().flat_map(|custody| custody.unsent.iter());
                let send =
                    |file: &FileId| Command::SendFile(SendFile { custody: CUSTODY, file: *file, as_of: 0 });
                work.extend(unsent.map(send).map(Work::Ask));
            }
            Process::Statement => {
                let currencies = [Some(Currency::USD), Currency::parse("EUR")];
                work.extend(currencies.into_iter().flatten().map(Work::State));
            }
            Process::Booking => work.push(Work::Book(StatementId::from_u128(key.id))),
            Process::Matching => work.push(Work::Match),
            Process::Verification | Process::Retention => {}
        }
    }
    for (rail, items) in legs {
        *ids += 1;
        let file = FileId::from_u128(*ids);
        work.push(Work::Ask(Command::CutFile(CutFile {
            custody: CUSTODY,
            file,
            rail,
            items,
            cut_off: None,
        })));
    }
    work
}
