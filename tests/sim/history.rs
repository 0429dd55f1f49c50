//! Random histories of the ledger. The auditor predicts each step, and each step is checked against the laws of money.
//! A seed determines a history. The numbers of its steps select those that are executed, so that a failing history can
//! be shortened. Several shards of one log have a history each, and their steps take turns.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use daybook_domain::time::DAY_MS;
use daybook_domain::{Command, Decide, Timestamp, TransactionId};
use daybook_engine::{Call, SubmitError};
use daybook_log::Shard;
use daybook_projector::RecordedEvent;
use daybook_random::Random;
use tokio::runtime::Runtime;

use crate::auditor::{self, Auditor};
use crate::bank::Bank;
use crate::laws::Laws;
use crate::ledger::Ledger;
use crate::workload::{self, Workload};
use crate::{desk, reports};

/// Default number of steps of a history.
pub(crate) const STEPS: u64 = 90;

/// Number of the first step from which on the bank states days in files, and operators match lines.
const FIRST_WITH_FILES: u64 = 60;

/// Distance of the seeds of two shards.
const SEEDS_OF_A_SHARD: u64 = 1_000_000_007;

/// 5 January 2026, 00:00 UTC, a Monday.
pub(crate) const BEGIN_MS: i64 = 1_767_571_200_000;

/// Number of occurrences of each event or situation.
pub(crate) type Statistics = BTreeMap<String, u64>;

/// A failed history.
#[derive(Debug)]
pub(crate) struct Failure {
    /// Seed of the history.
    pub seed: u64,
    /// Number of shards.
    pub shards: Shard,
    /// Executed steps.
    pub steps: Vec<u64>,
    /// Description of the violation.
    pub what: String,
    /// Steps before the violation.
    pub trace: Vec<String>,
}

/// A used key: fingerprint of the body, id of the created object, and time.
type Used = ([u8; 32], u128, i64);

/// A history in progress.
pub(crate) struct History<'a> {
    pub ledger: Ledger<'a>,
    pub auditor: Auditor,
    pub laws: Laws,
    pub bank: Bank,
    used: HashMap<daybook_log::Key, Used>,
    pub ids: u128,
    is_traced: bool,
    trace: Vec<String>,
    pub seen: &'a mut Statistics,
}

/// Executes `steps` of the history of `seed` in each of the first `shards` shards of one log. The platforms, users and
/// nodes of all shards have the same ids, so that a state of one shard that reaches another is noticed.
///
/// # Errors
///
/// [`Failure`] if an answer or a balance differs from the auditor's, or if a law of money is violated.
pub(crate) fn live(
    runtime: &Runtime,
    (seed, shards): (u64, Shard),
    steps: &[u64],
    is_traced: bool,
    seen: &mut Statistics,
) -> Result<(), Box<Failure>> {
    let log = Ledger::log();
    let mut counts: Vec<(Shard, Statistics)> = (1..=shards).map(|shard| (shard, Statistics::new())).collect();
    let history =
        |(shard, seen)| History::new(Ledger::new(runtime, Arc::clone(&log), shard), is_traced, seen);
    let mut histories: Vec<History<'_>> =
        counts.iter_mut().map(|(shard, seen)| history((*shard, seen))).collect();
    let lived = live_together(&mut histories, seed, steps);
    let lived = lived.map_err(|(index, what)| {
        let trace = std::mem::take(&mut histories[index].trace);
        let what = if shards == 1 { what } else { format!("shard {}: {what}", index + 1) };
        Box::new(Failure { seed, shards, steps: steps.to_vec(), what, trace })
    });
    drop(histories);
    for (what, count) in counts.into_iter().flat_map(|(_, seen)| seen) {
        *seen.entry(what).or_default() += count;
    }
    lived
}

/// Lets the histories take turns, step by step. Returns the index of the one that fails, and the violation.
fn live_together(histories: &mut [History<'_>], seed: u64, steps: &[u64]) -> Result<(), (usize, String)> {
    let mut each = |act: &dyn Fn(&mut History<'_>, u64) -> Result<(), String>| {
        for (index, history) in histories.iter_mut().enumerate() {
            // Shard 1 has the history that it has alone.
            let own_seed = seed.wrapping_add((index as u64).wrapping_mul(SEEDS_OF_A_SHARD));
            act(history, own_seed).map_err(|what| (index, what))?;
        }
        Ok(())
    };
    each(&|history, _| history.open())?;
    for step in steps {
        each(&|history, seed| history.make_step(seed, *step))?;
    }
    each(&|history, seed| history.end(seed))
}

/// Returns a shorter history that also fails: steps are left out as long as the history fails.
pub(crate) fn shrink(runtime: &Runtime, failure: Failure) -> Failure {
    let mut shortest = failure;
    let mut width = shortest.steps.len().div_ceil(2);
    while width > 0 {
        let mut from = 0;
        while from < shortest.steps.len() {
            let mut fewer = shortest.steps.clone();
            fewer.drain(from..(from + width).min(shortest.steps.len()));
            match live(runtime, (shortest.seed, shortest.shards), &fewer, false, &mut Statistics::new()) {
                Err(failure) => shortest = *failure,
                Ok(()) => from += width,
            }
        }
        width /= 2;
    }
    let traced =
        live(runtime, (shortest.seed, shortest.shards), &shortest.steps, true, &mut Statistics::new());
    traced.err().map_or(shortest, |failure| *failure)
}

impl<'a> History<'a> {
    fn new(ledger: Ledger<'a>, is_traced: bool, seen: &'a mut Statistics) -> Self {
        Self {
            ledger,
            auditor: Auditor { wall: BEGIN_MS, ..Auditor::default() },
            laws: Laws::default(),
            bank: Bank::default(),
            used: HashMap::new(),
            ids: 1 << 40,
            is_traced,
            trace: vec![],
            seen,
        }
    }
}

impl History<'_> {
    fn open(&mut self) -> Result<(), String> {
        let shard = self.ledger.shard;
        let opening = workload::opening().into_iter().map(|command| (Call::of(shard), command));
        self.submit(0, &opening.collect::<Vec<_>>())?;
        // The opening is always the same and not part of the trace.
        self.trace.clear();
        Ok(())
    }

    fn make_step(&mut self, seed: u64, step: u64) -> Result<(), String> {
        let mut random = Random::branch(seed, step + 1);
        self.ids = (1 << 40) + (u128::from(step) << 16);
        self.bank.has_files |= step >= FIRST_WITH_FILES;
        if self.bank.has_files && random.once_in(3) {
            let command = desk::command(&mut random, &self.auditor, &mut self.bank, &mut self.ids);
            return self.submit(random.below(2), &[(Call::of(self.ledger.shard), command)]);
        }
        self.step(&mut random)
    }

    fn end(&mut self, seed: u64) -> Result<(), String> {
        let mut random = Random::branch(seed, 0);
        if random.once_in(3) {
            self.come_to_rest(&mut random)?;
        }
        let everything = self.ledger.everything()?;
        self.laws.replay(&everything)?;
        reports::agree(&everything, &self.auditor)?;
        self.ledger.verify()
    }

    fn step(&mut self, random: &mut Random) -> Result<(), String> {
        let writer = random.below(2);
        match random.below(20) {
            0..11 => {
                let count = 1 + random.below(4);
                let mut workload = Workload { random, auditor: &self.auditor, ids: &mut self.ids };
                let commands: Vec<_> = (0..count).map(|_| workload.command()).collect();
                let shard = self.ledger.shard;
                let batch =
                    commands.into_iter().map(|command| (Self::call(random, shard, &command), command));
                self.submit(writer, &batch.collect::<Vec<_>>())
            }
            11..13 => {
                let ms =
                    random.one_of(&[1, 20_000, 60_000, 60_000, DAY_MS / 3, DAY_MS, 3 * DAY_MS, 15 * DAY_MS]);
                self.auditor.wall += ms;
                self.note(|| format!("{ms} ms pass"));
                self.tick(random)
            }
            13..19 => self.tick(random),
            _ => {
                self.note(|| format!("writer {writer} starts anew"));
                self.ledger.restart(writer);
                self.laws.replay(&self.ledger.everything()?)
            }
        }
    }

    /// Returns a call, sometimes with an idempotency key, which may have been used before.
    fn call(random: &mut Random, shard: Shard, command: &Command) -> Call {
        if command.creates().is_none() || !random.once_in(4) {
            return Call::of(shard);
        }
        let number = u8::try_from(random.below(6)).unwrap_or_default();
        let fingerprint = u8::try_from(random.below(2)).unwrap_or_default();
        Call { key: Some(([number; 32], [fingerprint; 32])), ..Call::of(shard) }
    }

    /// Submits one batch, predicts its answers, reads the recorded events back, and checks everything.
    pub(crate) fn submit(&mut self, writer: usize, batch: &[(Call, Command)]) -> Result<(), String> {
        for (call, command) in batch {
            self.note(|| {
                format!(
                    "writer {writer}: {command:?}{}",
                    if call.key.is_some() { ", with a key" } else { "" }
                )
            });
        }
        let at = Timestamp::from_ms(self.auditor.wall);
        let decided = self.ledger.submit(writer, at, batch.to_vec());
        let news = self.ledger.news()?;
        let mut rest = &news[..];
        for (place, outcome) in decided {
            let (call, command) = &batch[place];
            let told = self.predict(call, command);
            let own = self.compare(call, command, &told, outcome, &mut rest)?;
            for happened in &own {
                Laws::ended(happened, &self.auditor)?;
                self.bank.hear(happened, &self.auditor);
            }
            self.laws.decision(&own)?;
            self.count(&own);
        }
        if let Some(happened) = rest.first() {
            return Err(format!("recorded without an answer: {happened:?}"));
        }
        self.laws.check()?;
        self.laws.agrees(&self.auditor)
    }

    fn predict(&mut self, call: &Call, command: &Command) -> Predicted {
        if let Some((key, fingerprint)) = call.key
            && let Some((first, object, at)) = self.used.get(&key)
            && self.auditor.wall - at < DAY_MS
        {
            return Predicted::KeyUsed(*object, *first == fingerprint);
        }
        match self.auditor.predict(command) {
            Ok(is_news) => {
                if let Some((key, fingerprint)) = call.key.filter(|_| is_news) {
                    self.used.insert(key, (fingerprint, command.subject().id, self.auditor.wall));
                }
                Predicted::Done(is_news)
            }
            Err(refusal) => Predicted::Refused(refusal),
        }
    }

    /// Compares an answer with the prediction, and the recorded events with the answer.
    fn compare(
        &mut self,
        call: &Call,
        command: &Command,
        told: &Predicted,
        outcome: Result<daybook_engine::Submitted, SubmitError>,
        rest: &mut &[RecordedEvent],
    ) -> Result<Vec<RecordedEvent>, String> {
        let differs =
            |answer: &str| Err(format!("{command:?} {call:?}: expected {told:?}, answered {answer}"));
        match (told, outcome) {
            (Predicted::Done(is_news), Ok(submitted)) if *is_news != submitted.events.is_empty() => {
                let Some((own, others)) = rest.split_at_checked(submitted.events.len()) else {
                    return Err(format!("answered, but not recorded: {submitted:?}"));
                };
                if own != submitted.events {
                    return Err(format!("answered {:?}, recorded {own:?}", submitted.events));
                }
                *rest = others;
                if let Command::BookStatement(statement) = command {
                    // No money moves between the creation of a statement and its booking.
                    self.bank.stated(statement, self.bank.waits(statement.currency));
                }
                Ok(own.to_vec())
            }
            (Predicted::Refused(expected), Err(SubmitError::Refused(refusal))) if *expected == refusal => {
                *self.seen.entry(format!("refused {}", short(&format!("{refusal:?}")))).or_default() += 1;
                Ok(vec![])
            }
            (Predicted::KeyUsed(object, same), Err(SubmitError::KeyUsed { original, same_payload }))
                if (Some(*object), *same) == (original, same_payload) =>
            {
                *self.seen.entry("refused key used".into()).or_default() += 1;
                Ok(vec![])
            }
            (_, answer) => differs(&format!("{answer:?}")),
        }
    }

    pub(crate) fn note(&mut self, line: impl FnOnce() -> String) {
        if self.is_traced {
            self.trace.push(line());
        }
    }

    fn count(&mut self, events: &[RecordedEvent]) {
        *self.seen.entry("commands".into()).or_default() += 1;
        for happened in events {
            let name = short(&format!("{:?}", happened.event)).to_string();
            let Some(deal) = self.auditor.deals.get(&TransactionId::from_u128(happened.key.id)) else {
                *self.seen.entry(format!("event {name}")).or_default() += 1;
                continue;
            };
            let flow = format!("{} → {}", side(deal.from), side(deal.to));
            *self.seen.entry(format!("{flow}: {name}")).or_default() += 1;
        }
    }
}

/// Prediction of the auditor.
#[derive(Debug)]
enum Predicted {
    Done(bool),
    Refused(daybook_domain::Refusal),
    KeyUsed(u128, bool),
}

fn side(side: auditor::Side) -> String {
    match side {
        auditor::Side::Held(_) => "held".into(),
        auditor::Side::Away(_, rail) => format!("{rail:?}").to_lowercase(),
        auditor::Side::Outside(_) => "outside".into(),
    }
}

/// Returns the name of the innermost variant at the beginning of a debug text.
fn short(text: &str) -> &str {
    let is_part = |c: char| c == '(' || c == ')' || c.is_ascii_alphabetic();
    let names = text.split(|c| !is_part(c)).next().unwrap_or_default();
    names.split(['(', ')']).rfind(|name| !name.is_empty()).unwrap_or_default()
}
