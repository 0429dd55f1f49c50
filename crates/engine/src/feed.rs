//! Feed: the events of a platform, in order, for clients that poll instead of receiving webhooks. It has the same
//! content as webhooks.

use std::sync::Arc;
use std::time::Duration;

use daybook_domain::subscription::{Notice, Scope};
use daybook_domain::{Kind, PlatformId};
use daybook_log::{Log, Position, Recorded, Shard, Span};
use daybook_projector::{Error, RecordedEvent};
use tokio::sync::watch;
use uuid::Uuid;

use crate::share::{LimitHolder, Limits, SharedLimit};

/// Maximum number of log positions that one call scans, of all platforms: about 0.1 s.
const MAX_POSITIONS_SCANNED: Position = 200_000;
/// Number of the platform's events after which a call stops scanning. They count even if their scope was not requested.
const MAX_EVENTS_SCANNED: usize = 5_000;
/// Page size of a read.
const PAGE_SIZE: u32 = 500;
/// Maximum number of waiting callers, in all and per platform. Further callers get an answer without a wait.
const WAITING_LIMITS: Limits = Limits { platform: 64, ..Limits::of(256) };
/// Pause of a waiting caller after a scan without result. Other platforms write all the time.
const POLL_INTERVAL: Duration = Duration::from_millis(250);

/// A query of the feed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeedQuery {
    /// Platform whose events are returned.
    pub platform: PlatformId,
    /// Scopes of the events.
    pub scopes: Vec<Scope>,
    /// Maximum number of events.
    pub limit: usize,
}

/// A page of the feed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeedPage {
    /// The events, each with its notice and the matching scope.
    pub events: Vec<(RecordedEvent, Notice, Scope)>,
    /// Position up to which the page is complete. The next page begins after it.
    pub up_to: Position,
    /// True if the log continues after this position.
    pub is_behind: bool,
}

impl FeedPage {
    fn has_news(&self) -> bool {
        self.is_behind || !self.events.is_empty()
    }
}

/// Feeds of the platforms of a log. Cheap to clone.
#[derive(Clone)]
pub struct Feed {
    log: Arc<dyn Log>,
    waiting: SharedLimit,
    over: watch::Sender<bool>,
}

impl Feed {
    /// Creates the feeds of `log`.
    #[must_use]
    pub fn new(log: Arc<dyn Log>) -> Self {
        Self { log, waiting: SharedLimit::new(WAITING_LIMITS), over: watch::Sender::new(false) }
    }

    /// Ends all waits, because the service shuts down.
    pub fn close(&self) {
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

    /// Returns the requested events after the position `after`. If there are none, waits for at most `max_wait`.
    ///
    /// # Errors
    ///
    /// [`Error`] if the log cannot be read, or contains an event unknown to this binary.
    pub async fn after(
        &self,
        shard: Shard,
        after: Position,
        asked: &FeedQuery,
        max_wait: Duration,
    ) -> Result<FeedPage, Error> {
        // Watch the head before the first read, so that no commit is missed in between.
        let mut heads = self.log.watch(shard);
        let mut fed = self.look(shard, after, asked).await?;
        if fed.has_news() || max_wait.is_zero() {
            return Ok(fed);
        }
        let platform = LimitHolder::Platform(asked.platform.as_u128());
        let Ok(_place) = self.waiting.take(1, [platform]) else { return Ok(fed) };
        let mut over = self.over.subscribe();
        let waited = async {
            while !fed.has_news() && heads.wait_for(|head| *head > fed.up_to).await.is_ok() {
                fed = self.look(shard, fed.up_to, asked).await?;
                tokio::time::sleep(if fed.has_news() { Duration::ZERO } else { POLL_INTERVAL }).await;
            }
            Ok::<_, Error>(())
        };
        tokio::select! {
            waited = waited => waited?,
            () = tokio::time::sleep(max_wait) => {}
            _ = over.wait_for(|over| *over) => {}
        }
        Ok(fed)
    }

    async fn look(&self, shard: Shard, after: Position, asked: &FeedQuery) -> Result<FeedPage, Error> {
        let head = self.end(shard).await?;
        let end = head.min(after.saturating_add(MAX_POSITIONS_SCANNED));
        let mut fed = FeedPage { events: vec![], up_to: after, is_behind: after < head };
        let mut seen = 0;
        while fed.up_to < end && fed.events.len() < asked.limit && seen < MAX_EVENTS_SCANNED {
            let page = notifiable_events(
                &*self.log,
                shard,
                asked.platform,
                Span { after: fed.up_to, up_to: end },
                PAGE_SIZE,
            )
            .await?;
            seen += page.len();
            let mut rest = page.iter();
            while fed.events.len() < asked.limit
                && let Some(recorded) = rest.next()
            {
                let happened = RecordedEvent::decode(recorded)?;
                fed.up_to = happened.position;
                let notice = Notice::of(&happened.event);
                let about = notice.and_then(|notice| Some((notice, notice.scope(&asked.scopes)?)));
                fed.events.extend(about.map(|(notice, scope)| (happened, notice, scope)));
            }
            if rest.as_slice().is_empty() && page.len() < PAGE_SIZE as usize {
                fed.up_to = end;
            }
        }
        fed.is_behind = fed.up_to < head;
        Ok(fed)
    }
}

/// Reads the first `limit` events in a range of positions that a subscription of the platform may be notified of.
pub(crate) async fn notifiable_events(
    log: &dyn Log,
    shard: Shard,
    platform: PlatformId,
    span: Span,
    limit: u32,
) -> Result<Vec<Recorded>, daybook_log::Error> {
    let kinds = Notice::KINDS.map(Kind::code);
    log.of_platform(shard, Uuid::from(platform), &kinds, span, limit).await
}
