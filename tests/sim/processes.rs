//! What processes do: whatever is due, in any order, some of it twice.

use std::collections::BTreeMap;

use daybook_domain::custody::cut::{CutFile, SendFile};
use daybook_domain::process::settlement::LOOK_AGAIN;
use daybook_domain::process::{Process, to_do};
use daybook_domain::testing::fixture::CUSTODY;
use daybook_domain::time::DAY_MS;
use daybook_domain::transaction::advance::{Advance, Step};
use daybook_domain::transaction::queue::Release;
use daybook_domain::transaction::{Status, Transaction};
use daybook_domain::{Command, Currency, FileId, Key, Origin, State, States, TransactionId};
use daybook_engine::Call;

use crate::auditor;
use crate::history::History;
use crate::random::Random;
use crate::workload;

impl History<'_> {
    /// What processes have to do by now, in any order; some of it twice.
    pub(crate) fn tick(&mut self, random: &mut Random) -> Result<(), String> {
        let mut work = self.due(random);
        // A process asks again for what it thinks was not done.
        if !work.is_empty() && random.once_in(3) {
            let again = random.below(work.len());
            work.push(work[again].clone());
        }
        for place in 1..work.len() {
            work.swap(place, random.below(place + 1));
        }
        for batch in work.chunks(4) {
            let batch = batch.iter().map(|command| (Call::default(), command.clone()));
            self.submit(random.below(2), &batch.collect::<Vec<_>>())?;
        }
        Ok(())
    }

    fn due(&mut self, random: &mut Random) -> Vec<Command> {
        let now = self.auditor.now();
        let mut due: Vec<(Key, Process, i16)> = vec![];
        for (key, state) in &self.laws.told.states {
            due.extend(to_do(state).filter(|it| it.due_at <= now).map(|it| (*key, it.process, it.step)));
            // A permission or a lock may have changed.
            let is_queued = matches!(state, State::Transaction(it) if it.status == Status::Queued);
            due.extend(is_queued.then_some((*key, Process::Release, 0)));
        }
        due.sort_unstable();
        let mut commands = vec![];
        let mut legs: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for (key, process, step) in due {
            let id = TransactionId::from_u128(key.id);
            let release = Command::Release(Release { id, platform: None, origin: Origin::PROCESS });
            match process {
                Process::Settlement if step == LOOK_AGAIN => commands.push(release),
                Process::Release => commands.push(release),
                Process::Settlement => {
                    let step = Step::from_code(step);
                    let advance = |step| Command::Advance(Advance { id, step, origin: Origin::PROCESS });
                    commands.extend(step.map(advance));
                }
                Process::Submission => {
                    let leg = self.laws.told.transaction(id).and_then(Transaction::to_submit);
                    if let Some((leg, _, rail)) = leg {
                        legs.entry(rail).or_default().push((id, leg));
                    }
                }
                Process::Delivery => {
                    let custody = self.laws.told.custody(CUSTODY);
                    let unsent = custody.into_iter().flat_map(|custody| custody.unsent.iter().copied());
                    commands
                        .extend(unsent.map(|file| Command::SendFile(SendFile { custody: CUSTODY, file })));
                }
                Process::Statement => {
                    let currencies = [Some(Currency::USD), Currency::parse("EUR")];
                    let day = workload::yesterday(now);
                    let state = |currency| self.bank.state(random, &self.auditor, currency, day);
                    commands.extend(currencies.into_iter().flatten().map(state));
                }
                Process::Verification => {}
            }
        }
        for (rail, items) in legs {
            self.ids += 1;
            let file = FileId::from_u128(self.ids);
            commands.push(Command::CutFile(CutFile { custody: CUSTODY, file, rail, items }));
        }
        commands
    }

    /// Everything goes its way until nothing is due; then the bank has explained every open item.
    pub(crate) fn come_to_rest(&mut self, random: &mut Random) -> Result<(), String> {
        self.note(|| "coming to rest".into());
        for _ in 0..30 {
            self.auditor.wall += DAY_MS;
            for _ in 0..5 {
                self.ids += 1;
                self.tick(random)?;
            }
            let waits = |deal: &auditor::Deal| {
                let is_over = matches!(deal.status, Status::Settled | Status::Canceled | Status::Returned);
                !is_over || deal.leg().is_some()
            };
            if self.bank.is_silent() && !self.auditor.deals.values().any(waits) {
                let open = self.auditor.deals.iter().find(|(_, deal)| !auditor::open_items(deal).is_empty());
                *self.seen.entry("came to rest".into()).or_default() += 1;
                return open.map_or(Ok(()), |open| Err(format!("nobody explains {open:?}")));
            }
        }
        Err("it does not come to rest".into())
    }
}
