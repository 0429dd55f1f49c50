//! Attesting: what the accounts of each platform hold is committed to the log again and again, so that the newest entry of
//! each can be proved ([`crate::Audit::balance`]).

use std::time::Duration;

use daybook_domain::attestation::Made;
use daybook_domain::attestation::attest::Attest;
use daybook_domain::{Command, Kind, PlatformId};
use daybook_log::postgres::{PostgresLog, Tree};
use daybook_log::{Error, Log};
use tokio::sync::watch;
use uuid::Uuid;

use crate::batch::Call;
use crate::engine::{Engine, SHARD};
use crate::error::SubmitError;

/// Why nothing was attested.
#[derive(Debug, thiserror::Error)]
pub enum AttestError {
    /// The log cannot be read, or its trees of last entries cannot be kept.
    #[error("the trees of last entries")]
    Log(#[from] Error),
    /// The log cannot be written.
    #[error("committing to a tree of last entries")]
    Submit(#[from] SubmitError),
}

/// Attests the accounts of one shard.
pub struct Attester {
    engine: Engine,
    log: PostgresLog,
}

impl Attester {
    /// One that attests what is in `log`, by way of `engine`.
    #[must_use]
    pub fn new(engine: Engine, log: PostgresLog) -> Self {
        Self { engine, log }
    }

    /// Attests the accounts of every platform that has new entries, unless some process did so within `every`.
    ///
    /// # Errors
    ///
    /// [`AttestError`]; the next time does what is left.
    pub async fn attest(&self, every: Duration) -> Result<(), AttestError> {
        let every_ms = i64::try_from(every.as_millis()).unwrap_or(i64::MAX);
        let before_ms = self.engine.clock().now().ms().saturating_sub(every_ms);
        self.log.grow_last_trees(SHARD, Kind::Account.code(), before_ms).await?;
        for tree in self.log.unattested(SHARD).await? {
            self.commit(&tree).await?;
        }
        Ok(())
    }

    async fn commit(&self, tree: &Tree) -> Result<(), AttestError> {
        let (last, root) = (&tree.last, tree.last.root_text().into());
        let made = Made { position: last.position, accounts: last.head.size, root };
        let command = Attest { platform: PlatformId::from_u128(tree.platform.as_u128()), made };
        let stream = Uuid::from_u128(command.id().as_u128());
        let done = self.engine.submit(Call::default(), Command::Attest(command)).await?;
        let position = match done.events.last() {
            Some(happened) => Some(happened.position),
            // It was so already: whoever committed to this very tree had no time to say where.
            None => {
                let last = self.log.last(SHARD, &[stream]).await?.pop();
                last.filter(|last| last.event.data == tree.last.data().as_bytes()).map(|last| last.position)
            }
        };
        if let Some(position) = position {
            self.log.attested_by(SHARD, tree, position).await?;
        }
        Ok(())
    }

    /// Attests as often as `every` until `stop` says so, through outages of the database.
    pub async fn run(self, every: Duration, mut stop: watch::Receiver<bool>) {
        while !*stop.borrow() {
            if let Err(error) = self.attest(every).await {
                tracing::warn!(error = &error as &dyn std::error::Error, "no account was attested");
            }
            tokio::select! {
                () = tokio::time::sleep(every) => {}
                stopped = stop.changed() => if stopped.is_err() { return },
            }
        }
    }
}
