//! Attester: regularly commits to the balances of each platform's accounts in the log. With such an attestation the
//! newest entry of each account can be proved ([`crate::ShardAudit::balance`]).

use std::time::Duration;

use daybook_domain::attestation::{self, Made, attest::Attest};
use daybook_domain::{AttestationId, Event, Kind, PlatformId};
use daybook_log::postgres::{PostgresLog, Tree};
use daybook_log::{Error, Log, Shard};
use daybook_pg::Causes;
use daybook_projector::RecordedEvent;
use tokio::sync::watch;
use uuid::Uuid;

use crate::batch::Call;
use crate::engine::Engine;
use crate::error::SubmitError;
use crate::heartbeat::{Component, LATE_AFTER};

/// Error of an attestation.
#[derive(Debug, thiserror::Error)]
pub enum AttestError {
    /// The log cannot be read, or the trees of last entries cannot be stored.
    #[error("the trees of last entries cannot be updated")]
    Log(#[from] Error),
    /// This binary cannot decode the newest attestation.
    #[error("the newest attestation cannot be decoded")]
    Unreadable(#[from] daybook_projector::Error),
    /// The log cannot be written.
    #[error("a tree of last entries cannot be committed to the log")]
    Submit(#[from] SubmitError),
}

/// Attests the accounts of one shard.
pub struct Attester {
    engine: Engine,
    log: PostgresLog,
    shard: Shard,
}

impl Attester {
    /// Creates an attester of a shard of `log`, which writes through `engine`.
    #[must_use]
    pub fn new(engine: Engine, log: PostgresLog, shard: Shard) -> Self {
        Self { engine, log, shard }
    }

    /// Attests the accounts of every platform with new entries, unless some process did so within `every`.
    ///
    /// # Errors
    ///
    /// [`AttestError`]. The next call continues with the remaining platforms.
    pub async fn attest(&self, every: Duration) -> Result<(), AttestError> {
        let done = self.try_attest(every).await;
        if matches!(done, Err(AttestError::Log(Error::Corrupt { .. }))) {
            // Part of a tree is lost. Trees are derived from the log, so drop them and build them again. The
            // verification of the log checks the log itself.
            self.log.forget_last_trees(self.shard).await?;
        }
        done
    }

    async fn try_attest(&self, every: Duration) -> Result<(), AttestError> {
        let every_ms = i64::try_from(every.as_millis()).unwrap_or(i64::MAX);
        let before_ms = self.engine.clock().now().ms().saturating_sub(every_ms);
        self.log.grow_last_trees(self.shard, Kind::Account.code(), before_ms).await?;
        for tree in self.log.unattested(self.shard).await? {
            self.commit(&tree).await?;
        }
        Ok(())
    }

    async fn commit(&self, tree: &Tree) -> Result<(), AttestError> {
        let (last, root) = (&tree.last, tree.last.root_text().into());
        let made = Made { position: last.position, accounts: last.head.size, root };
        let command = Attest { platform: PlatformId::from(tree.platform), made };
        let before = self.newest(command.id()).await?;
        // A process that committed to this very tree may have stopped before it stored the position.
        let position = if let Some((position, _)) = before.filter(|(_, before)| *before == command.made) {
            Some(position)
        } else {
            let done = self.engine.submit(Call::of(self.shard), command).await?;
            done.events.last().map(|happened| happened.position)
        };
        if let Some(position) = position {
            self.log.attested_by(self.shard, tree, position).await?;
        }
        Ok(())
    }

    /// Returns the newest attestation and its position.
    async fn newest(&self, id: AttestationId) -> Result<Option<(u64, Made)>, AttestError> {
        let last = self.log.last(self.shard, &[Uuid::from(id)]).await?.pop();
        let last = last.map(|last| RecordedEvent::decode(&last)).transpose()?;
        Ok(last.and_then(|last| match last.event {
            Event::Attestation(attestation::Event::Made(made)) => Some((last.position, made)),
            _ => None,
        }))
    }

    /// Attests at the interval `every` until `stop` is set. Continues through outages of the database.
    pub async fn run(self, every: Duration, mut stop: watch::Receiver<bool>) {
        while !*stop.borrow() {
            let done = self.attest(every).await;
            if let Err(error) = &done {
                tracing::warn!(error = %Causes(error), "no account was attested");
            }
            let fault = done.is_err().then_some("no account was attested".into());
            self.engine.heartbeats(self.shard).turn(Component::Attestations, 3 * every + LATE_AFTER, fault);
            tokio::select! {
                () = tokio::time::sleep(every) => {}
                stopped = stop.changed() => if stopped.is_err() { return },
            }
        }
    }
}
