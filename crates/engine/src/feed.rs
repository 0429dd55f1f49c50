//! Feed: the events of a platform, in order, for clients that poll instead of receiving webhooks. It has the same
//! content as webhooks.

use std::sync::Arc;
use std::time::Duration;

use daybook_domain::subscription::{Notice, Scope};
use daybook_domain::{Kind, PlatformId};
use daybook_log::{Log, Position, Recorded, Shard, Span};
use daybook_projector::{Error, Happened};
use tokio::sync::watch;
use uuid::Uuid;

use crate::share::{Bounds, Holder, Shares};

/// Maximum number of log positions that one call scans, of all platforms: about 0.1 s.
const FAR: Position = 200_000;
/// Number of the platform's events after which a call stops scanning. They count even if their scope was not requested.
const MANY: usize = 5_000;
/// Page size of a read.
const PART: u32 = 500;
/// Maximum number of waiting callers, in all and per platform. Further callers get an answer without a wait.
const WAITING: Bounds = Bounds { platform: 64, ..Bounds::of(256) };
/// Pause of a waiting caller after a scan without result. Other platforms write all the time.
const PAUSE: Duration = Duration::from_millis(250);

/// A query of the feed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// Platform whose events are returned.
    pub platform: PlatformId,
    /// Scopes of the events.
    pub scopes: Vec<Scope>,
    /// Maximum number of events.
    pub limit: usize,
}

/// A page of the feed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fed {
    /// The events, each with its notice and the matching scope.
    pub events: Vec<(Happened, Notice, Scope)>,
    /// Position up to which the page is complete. The next page begins after it.
    pub up_to: Position,
    /// True if the log continues after this position.
    pub is_behind: bool,
}

impl Fed {
    fn is_worth_an_answer(&self) -> bool {
        self.is_behind || !self.events.is_empty()
    }
}

/// Feeds of the platforms of a log. Cheap to clone.
#[derive(Clone)]
pub struct Feed {
    log: Arc<dyn Log>,
    waiting: Shares,
    over: watch::Sender<bool>,
}

impl Feed {
    /// Creates the feeds of `log`.
    #[must_use]
    pub fn new(log: Arc<dyn Log>) -> Self {
        Self { log, waiting: Shares::new(WAITING), over: watch::Sender::new(false) }
    }

    /// Ends all waits, because the service shuts down.
    pub fn hang_up(&self) {
        self.over.send_replace(true);
    }

    /// Returns the position of the newest event.
    ///
    /// # Errors
    ///
    /// [`Error`] if the log cannot be read.
    pub async fn end(&self, shard: Shard) -> Result<Position, Error> {
        Ok(self.log.head(shard).await?.position)
    }

    /// Returns the requested events after the position `after`. If there are none, waits for at most `patience`.
    ///
    /// # Errors
    ///
    /// [`Error`] if the log cannot be read, or contains an event unknown to this binary.
    pub async fn after(
        &self,
        shard: Shard,
        after: Position,
        asked: &Asked,
        patience: Duration,
    ) -> Result<Fed, Error> {
        // Watch the head before the first read, so that no commit is missed in between.
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

/// Reads the first `limit` events in a range of positions that a subscription of the platform may be notified of.
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
