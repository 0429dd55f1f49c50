//! Notifications of change: a bank answers an entry with the right data of its account. The node is corrected, so that
//! the next file has that data.
//!
//! A notification that was recorded before is recognized by the node's own events: transaction, leg, code and corrected
//! data are those of an earlier event. So it changes nothing, even if the node was changed again since.

use std::sync::Arc;

use daybook_domain::node::correct::Correct;
use daybook_domain::node::{self, ChangeCode, Corrected};
use daybook_domain::posting::Rail;
use daybook_domain::transaction::{Direction, Transaction};
use daybook_domain::{
    Actor, Event, Key, NodeId, Origin, PlatformId, Refusal, State, TransactionId, UserId, user,
};
use daybook_projector::{RecordedEvent, fold};
use daybook_vault::{Class, SubjectKeys};
use uuid::Uuid;

use super::OpsError;
use super::returns::{ReturnOutcome, ReturnProcessor};
use crate::batch::Call;
use crate::contents::NodeDetails;
use crate::engine::Engine;
use crate::error::SubmitError;
use crate::rails::ach::{ACCOUNT_NUM_CHARS, Correction, Entry, Notice};
use crate::sealer::{SealError, Sealer, open};

/// Maximum number of attempts if concurrent calls change the same node.
const MAX_ATTEMPTS: usize = 32;

/// Reason why nothing is corrected if the owner of the node was erased.
const ERASED: &str = "the owner of the account was erased";

/// The entry that a notification answers.
#[derive(Clone, Copy)]
pub(super) struct Answered {
    transaction: TransactionId,
    leg: Direction,
    pub(super) node: NodeId,
    owner: UserId,
}

impl Answered {
    /// Returns the entry of a leg; none if no file of ACH has one.
    pub(super) fn of(id: TransactionId, transaction: &Transaction, leg: Direction) -> Option<Self> {
        let party = transaction.party(leg);
        let (node, _) = party.external().filter(|(_, rail)| *rail == Rail::Ach)?;
        Some(Self { transaction: id, leg, node, owner: party.user()? })
    }
}

/// A notification about an entry of ours.
struct Notification<'a> {
    entry: Answered,
    code: ChangeCode,
    correction: &'a Correction,
}

impl ReturnProcessor<'_> {
    /// Corrects the node of the entry `answered`. A notification that corrects nothing that a node has is reported.
    pub(super) async fn correct(
        &self,
        entry: &Entry,
        (title, correction): (&'static str, &Correction),
        answered: Option<Answered>,
    ) -> Result<ReturnOutcome, OpsError> {
        let notice = |reason| Ok(ReturnOutcome::Notice(Notice::Change, title, reason));
        let Some(code) = ChangeCode::parse(&entry.code) else { return notice(None) };
        let Some(answered) = answered else { return Ok(ReturnOutcome::UnknownTrace) };
        let notification = Notification { entry: answered, code, correction };
        let mut refusal = node::Refusal::Stale.into();
        for _ in 0..MAX_ATTEMPTS {
            match self.attempt(&notification).await {
                Ok(Ok(outcome)) => return Ok(outcome),
                Ok(Err(reason)) => return notice(Some(reason.to_owned())),
                Err(OpsError::Submit(SubmitError::Refused(Refusal::User(user::Refusal::Erased)))) => {
                    return notice(Some(ERASED.to_owned()));
                }
                Err(OpsError::Submit(SubmitError::Refused(refused))) => refusal = refused,
                Err(error) => return Err(error),
            }
            if refusal != node::Refusal::Stale.into() {
                break;
            }
        }
        Ok(ReturnOutcome::Refused(refusal))
    }

    /// Corrects the node as it is at the moment. Returns the reason if nobody can correct it without a person.
    async fn attempt(
        &self,
        notification: &Notification<'_>,
    ) -> Result<Result<ReturnOutcome, &'static str>, OpsError> {
        let Notification { entry: Answered { transaction, leg, node, owner }, code, correction } =
            *notification;
        let (engine, shard) = (self.engine, self.platform.shard);
        let key = Key::from(node);
        let events =
            engine.reads().aggregates().timelines(shard, &[key]).await?.remove(&key).unwrap_or_default();
        let Some(State::Node(state)) = fold(None, &events)?.map(|folded| folded.state) else {
            return Ok(Ok(ReturnOutcome::UnknownTrace));
        };
        let Some(keys) = engine.vault().keys(shard, Uuid::from(owner)).await? else {
            return Ok(Err(ERASED));
        };
        if notification.is_known(&events, &keys)? {
            return Ok(Ok(ReturnOutcome::CorrectedBefore));
        }
        let Some(sealed) = &state.details else { return Ok(Err(ERASED)) };
        let before: NodeDetails = open(&keys, Class::Profile, sealed)?;
        let mut details = before.clone();
        correction.put_on(&mut details);
        if details.unwritable().is_some() {
            return Ok(Err("the corrected name cannot be written to banks"));
        }
        if details.account_num.as_ref().is_some_and(|number| number.len() > ACCOUNT_NUM_CHARS) {
            return Ok(Err("the corrected account number is longer than an entry has room for"));
        }
        if !correction.accepts(leg) {
            return Ok(Err("an account of this class takes no such entries"));
        }
        if details.routing_num != before.routing_num {
            name_bank(engine, self.platform.id, &mut details).await?;
        }
        let sealer = Sealer::new(keys, engine.clock().now(), engine.entropy());
        let command = Correct {
            node,
            platform: self.platform.id,
            transaction,
            leg,
            code,
            from: Some(sealed.id),
            details: sealer.seal(Class::Profile, &details)?,
            origin: Origin::of(Actor::Bank),
        };
        engine.submit(Call::by_operator(self.operator, shard), command).await?;
        Ok(Ok(ReturnOutcome::Corrected))
    }
}

impl Notification<'_> {
    /// Returns true if an event of the node records this notification.
    fn is_known(&self, events: &Arc<Vec<RecordedEvent>>, keys: &SubjectKeys) -> Result<bool, SealError> {
        for happened in events.iter() {
            let Event::Node(node::Event::Corrected(corrected)) = &happened.event else { continue };
            let Corrected { transaction, leg, code, details, .. } = corrected;
            let Some(sealed) = details else { continue };
            let (of, about) = ((*transaction, *leg), (self.entry.transaction, self.entry.leg));
            if of == about
                && *code == self.code
                && self.correction.is_in(&open(keys, Class::Profile, sealed)?)
            {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Replaces the bank's name and address, which belong to the former routing number, by those in the directory. They are
/// left out if the directory has no entry or is unavailable.
async fn name_bank(engine: &Engine, platform: PlatformId, details: &mut NodeDetails) -> Result<(), OpsError> {
    let number = details.routing_num.as_deref().unwrap_or_default();
    let bank = engine.routing_directory(platform).await?.bank_of(number, Rail::Ach).await.ok().flatten();
    let (name, long_name, address) =
        bank.map_or((None, None, None), |bank| (Some(bank.name), Some(bank.long_name), Some(bank.address)));
    if let Some(linked) = &mut details.linked {
        linked.bank_long_name = long_name.clone().unwrap_or_default();
    }
    (details.bank_name, details.bank_long_name, details.address) = (name, long_name, address);
    Ok(())
}
