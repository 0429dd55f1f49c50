//! Heartbeats: each background worker reports the result of its last turn. Readiness shows stopped workers from these
//! reports, without a database.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use daybook_domain::named;
use daybook_log::{FIRST_SHARD, Shard};
use tokio::time::Instant;

use crate::readiness::Fault;

/// Time after which a continuing fault counts as late, and after which an unrepeated event is forgotten: 5 minutes.
pub const LATE_AFTER: Duration = Duration::from_mins(5);

named! {
    /// A part of the service that can stop while requests are still served. Readiness and metrics use its name.
    #[derive(PartialOrd, Ord)]
    pub enum Component {
        /// The anchors: places outside the database that receive checkpoints.
        Anchors => "anchors",
        /// The worker that commits the trees of last entries to the log.
        Attestations => "attestations",
        /// The worker that creates checkpoints.
        Checkpoints => "checkpoints",
        /// Commits of the writer.
        Commits => "commits",
        /// Disk of the database.
        Disk => "disk",
        /// The worker that destroys the keys of erased users.
        Erasures => "erasures",
        /// Exchange of files with banks.
        Files => "files",
        /// The worker that performs due to-dos: settlement, release, verification.
        Processes => "processes",
        /// The worker that fills the tiles of the hash tree, from which proofs are made.
        Tiles => "tiles",
        /// The worker that delivers webhooks.
        Webhooks => "webhooks",
    }
}

/// Condition of a component, in order from good to bad.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Condition {
    /// The last turn succeeded.
    Ok,
    /// The component has been failing for less than [`LATE_AFTER`].
    Failed(Cow<'static, str>),
    /// The component has been failing for longer than [`LATE_AFTER`].
    Late(Cow<'static, str>),
    /// The component has stopped reporting.
    Stopped(Cow<'static, str>),
}

impl Condition {
    /// Returns true if the component is late or has stopped.
    #[must_use]
    pub const fn stands_still(&self) -> bool {
        matches!(self, Self::Late(_) | Self::Stopped(_))
    }
}

/// Last report of each component of a shard. Clones share the same reports.
#[derive(Clone, Debug)]
pub struct Heartbeats {
    shard: Shard,
    reports: Arc<Mutex<Reports>>,
}

/// Reports by shard, component and place.
type Reports = BTreeMap<(Shard, Component, String), Report>;

#[derive(Clone, Debug)]
struct Report {
    fault: Fault,
    kind: Kind,
    at: Instant,
    /// Time of the last report without a fault, or of the first report.
    ok_at: Instant,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    /// Result of a periodic turn. The next report is due within this time.
    Turn(Duration),
    /// State that is valid until the next report.
    State,
    /// Result of a single action. It is forgotten after [`LATE_AFTER`], because no further report may follow.
    Event,
}

impl Default for Heartbeats {
    fn default() -> Self {
        Self { shard: FIRST_SHARD, reports: Arc::default() }
    }
}

impl Heartbeats {
    /// Returns the reports of another shard. A report of one shard does not change those of others.
    #[must_use]
    pub fn of(&self, shard: Shard) -> Self {
        Self { shard, reports: Arc::clone(&self.reports) }
    }

    /// Reports a turn of a worker. The next report is due within `patience`.
    pub fn turn(&self, component: Component, patience: Duration, fault: Fault) {
        self.report(component, "", Kind::Turn(patience), fault);
    }

    /// Reports the state of one of several places that `component` depends on.
    pub fn state(&self, component: Component, place: &str, fault: Fault) {
        self.report(component, place, Kind::State, fault);
    }

    /// Reports the result of an action that a caller requested.
    pub fn event(&self, component: Component, fault: Fault) {
        self.report(component, "", Kind::Event, fault);
    }

    fn report(&self, component: Component, place: &str, kind: Kind, fault: Fault) {
        let (at, mut reports) = (Instant::now(), self.lock());
        let key = (self.shard, component, place.to_owned());
        let before = reports.get(&key).filter(|_| fault.is_some()).map(|report| report.ok_at);
        reports.insert(key, Report { fault, kind, at, ok_at: before.unwrap_or(at) });
    }

    /// Returns the condition of each component of the shard in this process. Of several places the worst counts.
    #[must_use]
    pub fn conditions(&self) -> BTreeMap<Component, Condition> {
        let mut worst = BTreeMap::new();
        for ((_, component, _), report) in self.lock().iter().filter(|((shard, ..), _)| *shard == self.shard)
        {
            let condition = report.condition();
            let known = worst.entry(*component).or_insert(Condition::Ok);
            *known = condition.max(known.clone());
        }
        worst
    }

    /// Locks the reports. Poisoning is ignored, because nothing under the lock can panic half way.
    fn lock(&self) -> MutexGuard<'_, Reports> {
        self.reports.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Report {
    fn condition(&self) -> Condition {
        let silent = self.at.elapsed();
        let since = self.ok_at.elapsed();
        match (self.kind, &self.fault) {
            (Kind::Turn(patience), _) if silent > patience => {
                Condition::Stopped(format!("no turn ended for {} s", silent.as_secs()).into())
            }
            (Kind::Event, _) if silent > LATE_AFTER => Condition::Ok,
            (_, None) => Condition::Ok,
            (_, Some(fault)) if since > LATE_AFTER => {
                Condition::Late(format!("{fault}, for {} s", since.as_secs()).into())
            }
            (_, Some(fault)) => Condition::Failed(fault.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    const ROUND_INTERVAL: Duration = Duration::from_mins(1);

    fn of(heartbeats: &Heartbeats, component: Component) -> Option<Condition> {
        heartbeats.conditions().remove(&component)
    }

    const FAILED: Fault = Some(Cow::Borrowed("it fails"));

    #[test]
    fn components_have_names() {
        let names = "anchors attestations checkpoints commits disk erasures files processes tiles webhooks";
        assert_eq!(Component::ALL.map(Component::as_str).join(" "), names);
    }

    #[tokio::test(start_paused = true)]
    async fn worker_that_keeps_failing_is_late() {
        let heartbeats = Heartbeats::default();
        assert_eq!(of(&heartbeats, Component::Tiles), None);
        for _ in 0..=LATE_AFTER.as_secs() / 60 {
            heartbeats.turn(Component::Tiles, ROUND_INTERVAL, FAILED);
            assert_eq!(of(&heartbeats, Component::Tiles), Some(Condition::Failed("it fails".into())));
            advance(ROUND_INTERVAL).await;
        }
        heartbeats.turn(Component::Tiles, ROUND_INTERVAL, FAILED);
        let late = of(&heartbeats, Component::Tiles);
        assert_eq!(late, Some(Condition::Late("it fails, for 360 s".into())));
        assert!(late.is_some_and(|condition| condition.stands_still()));
        heartbeats.turn(Component::Tiles, ROUND_INTERVAL, None);
        assert_eq!(of(&heartbeats, Component::Tiles), Some(Condition::Ok));
    }

    #[tokio::test(start_paused = true)]
    async fn silent_worker_has_stopped() {
        let heartbeats = Heartbeats::default();
        heartbeats.turn(Component::Webhooks, ROUND_INTERVAL, None);
        advance(ROUND_INTERVAL).await;
        assert_eq!(of(&heartbeats, Component::Webhooks), Some(Condition::Ok));
        advance(Duration::from_secs(1)).await;
        let stopped = Condition::Stopped("no turn ended for 61 s".into());
        assert_eq!(of(&heartbeats, Component::Webhooks), Some(stopped));
    }

    #[tokio::test(start_paused = true)]
    async fn worst_place_decides_until_it_recovers() {
        let heartbeats = Heartbeats::default();
        heartbeats.state(Component::Anchors, "a", FAILED);
        heartbeats.state(Component::Anchors, "b", None);
        advance(LATE_AFTER + ROUND_INTERVAL).await;
        assert!(of(&heartbeats, Component::Anchors).is_some_and(|condition| condition.stands_still()));
        heartbeats.state(Component::Anchors, "a", None);
        assert_eq!(of(&heartbeats, Component::Anchors), Some(Condition::Ok));
    }

    #[tokio::test(start_paused = true)]
    async fn shards_report_apart() {
        let heartbeats = Heartbeats::default();
        let second = heartbeats.of(2);
        second.turn(Component::Tiles, ROUND_INTERVAL, FAILED);
        heartbeats.turn(Component::Tiles, ROUND_INTERVAL, None);
        assert_eq!(of(&heartbeats, Component::Tiles), Some(Condition::Ok));
        assert_eq!(of(&second, Component::Tiles), Some(Condition::Failed("it fails".into())));
    }

    #[tokio::test(start_paused = true)]
    async fn single_event_is_forgotten() {
        let heartbeats = Heartbeats::default();
        heartbeats.event(Component::Disk, FAILED);
        advance(LATE_AFTER).await;
        assert_eq!(of(&heartbeats, Component::Disk), Some(Condition::Failed("it fails".into())));
        advance(ROUND_INTERVAL).await;
        assert_eq!(of(&heartbeats, Component::Disk), Some(Condition::Ok));
    }
}
