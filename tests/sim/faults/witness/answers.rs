//! Checks of answers: each must be true when it arrives, and remain true.

use daybook_domain::time::DAY_MS;
use daybook_domain::{Decide, Refusal};
use daybook_engine::{SubmitError, Submitted};

use super::{Attempt, Witness, wrong};
use crate::faults::MAX_SKEW_MS;

/// Knowledge about a command after its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Known {
    /// The command was executed or refused.
    Yes,
    /// The key was used before.
    KeyUsed,
    /// Nothing was recorded; the command may be repeated.
    Not,
    /// The outcome is unknown.
    Unknown,
}

impl Witness {
    /// Checks an answer that arrived at `now_ms`, and records what must remain true.
    pub(crate) fn answer(
        &mut self,
        mark: usize,
        outcome: &Result<Submitted, SubmitError>,
        now_ms: i64,
    ) -> Result<Known, String> {
        self.catch_up()?;
        let attempt = &mut self.attempts[mark];
        attempt.is_answered = !matches!(outcome, Err(SubmitError::Unavailable));
        let is_recorded = attempt.recorded.is_some();
        let is_silent = !matches!(outcome, Ok(done) if !done.events.is_empty());
        attempt.is_refused = is_silent && !matches!(outcome, Err(SubmitError::Unavailable));
        if is_recorded && attempt.is_refused {
            return Err(format!("recorded, and answered {outcome:?}: {:?}", attempt.command));
        }
        let known = match outcome {
            Ok(done) if is_silent => {
                self.was_true(mark, now_ms, &Ok(false)).map(|()| (Known::Yes, done.position))
            }
            Ok(done) => self.is_acknowledged(mark, done).map(|()| (Known::Yes, done.position)),
            Err(SubmitError::Refused(refusal)) => {
                self.was_true(mark, now_ms, &Err(*refusal)).map(|()| (Known::Yes, 0))
            }
            Err(SubmitError::KeyUsed { original, same_payload }) => {
                self.key_was_used(mark, *original, *same_payload).map(|()| (Known::KeyUsed, 0))
            }
            Err(SubmitError::Busy | SubmitError::Failed) => Ok((Known::Not, 0)),
            Err(SubmitError::Unavailable) => Ok((Known::Unknown, 0)),
        };
        let (known, position) = known?;
        if known == Known::Not {
            self.chance.met("a call was told to come back");
        }
        self.chance.count(&format!("answered {known:?}"));
        self.chance.trace(&(mark, format!("{known:?}"), position, now_ms));
        Ok(known)
    }

    /// Checks that the log contains the acknowledged events, and that the states from the writer's cache equal those of
    /// the log.
    fn is_acknowledged(&self, mark: usize, done: &Submitted) -> Result<(), String> {
        let attempt = &self.attempts[mark];
        if attempt.recorded.as_ref() != Some(&done.events) {
            return Err(format!(
                "acknowledged {:?}, in the log is {:?}: {:?}",
                done.events, attempt.recorded, attempt.command
            ));
        }
        let last = done.events.last().map_or(0, |last| last.position);
        let after = self.moments.iter().find(|moment| moment.position >= last);
        for (key, state) in &done.states {
            let told = after.and_then(|moment| moment.states.get(key));
            if told != Some(state) {
                return Err(format!("the writer's cache says {state:?}, the log says {told:?}"));
            }
        }
        Ok(())
    }

    /// Checks that the answer is correct for some state of the ledger between request and answer.
    fn was_true(&self, mark: usize, now_ms: i64, answer: &Result<bool, Refusal>) -> Result<(), String> {
        let attempt = &self.attempts[mark];
        let mut told = vec![];
        for moment in &self.moments[attempt.begun..] {
            let walls = [moment.auditor.wall, attempt.begun_ms, now_ms];
            for wall in walls.map(|wall| wall.max(moment.auditor.wall)) {
                let mut auditor = moment.auditor.clone();
                auditor.wall = wall;
                let predicted = auditor.predict(&attempt.command);
                if predicted == *answer {
                    return Ok(());
                }
                told.push(predicted);
            }
        }
        Err(format!("answered {answer:?}, and the auditor says {told:?}: {:?}", attempt.command))
    }

    /// Checks a 409: the key was used by another attempt within the last day.
    fn key_was_used(&self, mark: usize, original: Option<u128>, is_same: bool) -> Result<(), String> {
        let attempt = &self.attempts[mark];
        let Some((key, fingerprint)) = attempt.call.key else { return Err("a call had no key".into()) };
        let uses = self.uses.get(&key).into_iter().flatten();
        let counts = |at: i64| at > attempt.begun_ms - DAY_MS - MAX_SKEW_MS;
        let mut uses = uses.filter(|(_, at)| counts(*at)).map(|(first, _)| &self.attempts[*first]);
        let is_it = |first: &Attempt| {
            let is_equal = first.call.key.is_some_and(|(_, other)| other == fingerprint);
            Some(first.command.subject().id) == original && is_equal == is_same
        };
        if uses.any(is_it) { Ok(()) } else { Err(wrong("409, and the key had no effect", &attempt.command)) }
    }

    /// Returns true if the key of `mark` was used by an attempt that was not answered.
    pub(crate) fn was_retried(&self, mark: usize) -> bool {
        let key = self.attempts[mark].call.key.map(|(key, _)| key);
        let uses = key.and_then(|key| self.uses.get(&key)).into_iter().flatten();
        uses.last().is_some_and(|(first, _)| *first < mark && !self.attempts[*first].is_answered)
    }
}
