//! Contested returns: the receiver's bank insists on a return that the bank of the platform had dishonored. The notice is
//! recorded with the transaction, for operators. It moves no money: the bank's statement does.

use daybook_domain::transaction::contest::RecordContest;
use daybook_domain::transaction::{ContestCode, Direction, DishonorCode, EarlierEntry, ReturnContested};
use daybook_domain::{Actor, Origin, TransactionId};

use super::OpsError;
use super::returns::{ReturnOutcome, ReturnProcessor};
use crate::batch::Call;
use crate::error::SubmitError;
use crate::rails::ach::{Contested, Entry, Notice};

impl ReturnProcessor<'_> {
    /// Records a notice about the entry with the trace `number`. A notice about no entry of the platform is reported.
    pub(super) async fn contest(
        &self,
        entry: &Entry,
        (title, contested): (&'static str, &Contested),
        found: Option<(u32, TransactionId)>,
    ) -> Result<ReturnOutcome, OpsError> {
        let reported = ReturnOutcome::Notice(Notice::Contested, title, None);
        let Some((number, id)) = found else { return Ok(reported) };
        let Some((transaction, leg)) = self.leg(number, id).await? else { return Ok(reported) };
        if transaction.leg_minor(leg) != entry.amount_minor {
            return Ok(ReturnOutcome::OtherAmount);
        }
        let Some(contest) = notice(&entry.code, leg, contested) else { return Ok(reported) };
        let command = RecordContest { id, platform: self.platform.id, contest };
        let call = Call::by_operator(self.operator, self.platform.shard);
        match self.engine.submit(call, command).await {
            Ok(done) if done.events.is_empty() => Ok(ReturnOutcome::ContestKnown),
            Ok(_) => Ok(ReturnOutcome::Contested(title)),
            Err(SubmitError::Refused(refusal)) => Ok(ReturnOutcome::Refused(refusal)),
            Err(error) => Err(error.into()),
        }
    }
}

/// Returns the event of a notice; `None` if a code is none of its kind, which the parser refuses.
fn notice(code: &str, leg: Direction, contested: &Contested) -> Option<ReturnContested> {
    let Contested { returned_on, settlement_day, returned, dishonored } = contested;
    Some(ReturnContested {
        code: ContestCode::parse(code)?,
        leg,
        settlement_day: *settlement_day,
        returned_on: *returned_on,
        returned: EarlierEntry {
            trace: returned.trace.parse().ok()?,
            code: returned.code.parse().ok()?,
            settlement_day: returned.settlement_day,
        },
        dishonored: EarlierEntry {
            trace: dishonored.trace.parse().ok()?,
            code: DishonorCode::parse(&dishonored.code)?,
            settlement_day: dishonored.settlement_day,
        },
        origin: Origin::of(Actor::Bank),
    })
}
