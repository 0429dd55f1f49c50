//! Feed: what happened to a platform's records, in order, for whoever asks instead of being called. What is in it and what
//! a subscription is told of are the same.

use std::sync::Arc;
use std::time::Duration;

use daybook_domain::subscription::{Notice, Scope};
use daybook_domain::{Kind, PlatformId};
use daybook_log::{Log, Position, Recorded, Shard, Span};
use daybook_projector::{Error, Happened};
use tokio::sync::watch;
use uuid::Uuid;

use crate::share::{Bounds, Holder, Shares};

/// Positions that one call passes over at most, whosever they are: about a tenth of a second.
const FAR: Position = 200_000;
/// Events of the platform that one call looks at, at least one page, whether it asked for such ones or not.
const MANY: usize = 5_000;
/// How many of them are read at once.
const PART: u32 = 500;
/// Callers that wait at once, and those of one platform; one that comes then is answered without waiting.
const WAITING: Bounds = Bounds { platform: 64, ..Bounds::of(256) };
/// How long a waiting caller rests after it looked in vain: others write all the time.
const PAUSE: Duration = Duration::from_millis(250);

/// What somebody wants to know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// Whose events.
    pub platform: PlatformId,
    /// Of which scopes.
    pub scopes: Vec<Scope>,
    /// How many at most.
    pub limit: usize,
}

/// A part of the feed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fed {
    /// The events, each with what it is about.
    pub events: Vec<(Happened, Notice, Scope)>,
    /// Up to where there are no others: the next part begins behind it.
    pub up_to: Position,
    /// Whether the log goes on behind.
    pub is_behind: bool,
}

impl Fed {
    fn is_worth_an_answer(&self) -> bool {
        self.is_behind || !self.events.is_empty()
    }
}

/// The feeds of a log's platforms; cheap to clone.
#[derive(Clone)]
pub struct Feed {
    log: Arc<dyn Log>,
    waiting: Shares,
    over: watch::Sender<bool>,
}

impl Feed {
    /// Those of `log`.
    #[must_use]
    pub fn new(log: Arc<dyn Log>) -> Self {
        Self { log, waiting: Shares::new(WAITING), over: watch::Sender::new(false) }
    }

    /// Nobody waits any more.
    pub fn hang_up(&self) {
        self.over.send_replace(true);
    }

    /// Behind which position nothing has happened yet.
    ///
    /// # Errors
    ///
    /// [`Error`] if the log cannot be read.
    pub async fn end(&self, shard: Shard) -> Result<Position, Error> {
        Ok(self.log.head(shard).await?.position)
    }

    /// What was asked for and is behind the position `after`. Where there is nothing it is waited for, `patience` long.
    ///
    /// # Errors
    ///
    /// [`Error`] if the log cannot be read, or holds what this binary does not know.
    pub async fn after(
        &self,
        shard: Shard,
        after: Position,
        asked: &Asked,
        patience: Duration,
    ) -> Result<Fed, Error> {
        // Looked at from here on, so nothing falls between.
        let mut heads = self.log.watch(shard);
        let mut fed = self.look(shard, after, asked).await?;
        if fed.is_worth_an_answer() || patience.is_zero() {
            return Ok(fed);
        }
        let platform = Holder::Platform(asked.platform.as_u128());
        let Ok(_place) = self.waiting.take(1, [platform]) else { return Ok(fed) };
        let mut over = self.over.subscribe();
        let waited = async {
            while !fed.is_worth_an_answer() && heads.wait_for(|head| *head > fed.up_to).await.is_ok() {
                fed = self.look(shard, fed.up_to, asked).await?;
                tokio::time::sleep(if fed.is_worth_an_answer() { Duration::ZERO } else { PAUSE }).await;
            }
            Ok::<_, Error>(())
        };
        tokio::select! {
            waited = waited => waited?,
            () = tokio::time::sleep(patience) => {}
            _ = over.wait_for(|over| *over) => {}
        }
        Ok(fed)
    }

    async fn look(&self, shard: Shard, after: Position, asked: &Asked) -> Result<Fed, Error> {
        let head = self.end(shard).await?;
        let end = head.min(after.saturating_add(FAR));
        let mut fed = Fed { events: vec![], up_to: after, is_behind: after < head };
        let mut seen = 0;
        while fed.up_to < end && fed.events.len() < asked.limit && seen < MANY {
            let page = worth_a_notice(
                &*self.log,
                shard,
                asked.platform,
                Span { after: fed.up_to, up_to: end },
                PART,
            )
            .await?;
            seen += page.len();
            let mut rest = page.iter();
            while fed.events.len() < asked.limit
                && let Some(recorded) = rest.next()
            {
                let happened = Happened::decode(recorded)?;
                fed.up_to = happened.position;
                let notice = Notice::of(&happened.event);
                let about = notice.and_then(|notice| Some((notice, notice.scope(&asked.scopes)?)));
                fed.events.extend(about.map(|(notice, scope)| (happened, notice, scope)));
            }
            if rest.as_slice().is_empty() && page.len() < PART as usize {
                fed.up_to = end;
            }
        }
        fed.is_behind = fed.up_to < head;
        Ok(fed)
    }
}

/// What happened to a platform's records in a range of positions, perhaps to be told: the first `limit` of it.
pub(crate) async fn worth_a_notice(
    log: &dyn Log,
    shard: Shard,
    platform: PlatformId,
    span: Span,
    limit: u32,
) -> Result<Vec<Recorded>, daybook_log::Error> {
    let kinds = Notice::KINDS.map(Kind::code);
    log.of_platform(shard, Uuid::from(platform), &kinds, span, limit).await
}
