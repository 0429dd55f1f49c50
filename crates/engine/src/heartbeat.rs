//! Heartbeats: each background worker reports how its last turn went, and readiness shows which of them stands still, without
//! a database.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use daybook_domain::named;
use tokio::time::Instant;

use crate::readiness::Fault;

/// The time after which a fault that goes on is late, and after which one is forgotten that is not reported again.
pub const LATE: Duration = Duration::from_mins(5);

named! {
    /// A part of the service that can stand still while requests are served, as readiness and metrics name it.
    #[derive(PartialOrd, Ord)]
    pub enum Component {
        /// Places outside of the database that take checkpoints.
        Anchors => "anchors",
        /// The worker that commits the trees of last entries to the log.
        Attestations => "attestations",
        /// The worker that makes checkpoints.
        Checkpoints => "checkpoints",
        /// The commits of the writer.
        Commits => "commits",
        /// The disk of the database.
        Disk => "disk",
        /// The worker that destroys the keys of erased users.
        Erasures => "erasures",
        /// Files to and from banks.
        Files => "files",
        /// The worker that does what is due: settlement, release, verification.
        Processes => "processes",
        /// The worker that fills the tiles of the hash tree, which proofs are made of.
        Tiles => "tiles",
        /// The worker that calls subscriptions.
        Webhooks => "webhooks",
    }
}

/// The condition of a component. The order is from good to bad.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Condition {
    /// Its last turn went well.
    Ok,
    /// It fails, for less than [`LATE`] so far.
    Failed(Cow<'static, str>),
    /// It fails for longer than that.
    Late(Cow<'static, str>),
    /// It reports nothing any more.
    Stopped(Cow<'static, str>),
}

impl Condition {
    /// Whether the component stands still: it is late or has stopped.
    #[must_use]
    pub const fn stands_still(&self) -> bool {
        matches!(self, Self::Late(_) | Self::Stopped(_))
    }
}

/// The last report of each component; clones share the same.
#[derive(Clone, Debug, Default)]
pub struct Heartbeats(Arc<Mutex<BTreeMap<(Component, String), Report>>>);

#[derive(Clone, Debug)]
struct Report {
    fault: Fault,
    kind: Kind,
    at: Instant,
    /// The time of the last report without a fault, or of the first report.
    ok_at: Instant,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    /// Reported at each turn, after so long at the latest.
    Turn(Duration),
    /// Stands until another report.
    State,
    /// Forgotten after [`LATE`]: nothing says that there will be another report.
    Event,
}

impl Heartbeats {
    /// Reports a turn of a worker; the next report has to come within `patience`.
    pub fn turn(&self, component: Component, patience: Duration, fault: Fault) {
        self.report(component, "", Kind::Turn(patience), fault);
    }

    /// Reports the state of one place, out of several, that `component` depends on.
    pub fn state(&self, component: Component, place: &str, fault: Fault) {
        self.report(component, place, Kind::State, fault);
    }

    /// Reports the end of something that is done when a caller asks for it.
    pub fn event(&self, component: Component, fault: Fault) {
        self.report(component, "", Kind::Event, fault);
    }

    fn report(&self, component: Component, place: &str, kind: Kind, fault: Fault) {
        let (at, key, mut reports) = (Instant::now(), (component, place.to_owned()), self.lock());
        let before = reports.get(&key).filter(|_| fault.is_some()).map(|report| report.ok_at);
        reports.insert(key, Report { fault, kind, at, ok_at: before.unwrap_or(at) });
    }

    /// The condition of each component that runs in this process; of several places the worst.
    #[must_use]
    pub fn conditions(&self) -> BTreeMap<Component, Condition> {
        let mut worst = BTreeMap::new();
        for ((component, _), report) in self.lock().iter() {
            let condition = report.condition();
            let known = worst.entry(*component).or_insert(Condition::Ok);
            *known = condition.max(known.clone());
        }
        worst
    }

    /// Nothing is done under the lock that could panic half way.
    fn lock(&self) -> MutexGuard<'_, BTreeMap<(Component, String), Report>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
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
            (Kind::Event, _) if silent > LATE => Condition::Ok,
            (_, None) => Condition::Ok,
            (_, Some(fault)) if since > LATE => {
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

    const TURN: Duration = Duration::from_mins(1);

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
    async fn a_worker_that_fails_on_is_late() {
        let heartbeats = Heartbeats::default();
        assert_eq!(of(&heartbeats, Component::Tiles), None);
        for _ in 0..=LATE.as_secs() / 60 {
            heartbeats.turn(Component::Tiles, TURN, FAILED);
            assert_eq!(of(&heartbeats, Component::Tiles), Some(Condition::Failed("it fails".into())));
            advance(TURN).await;
        }
        heartbeats.turn(Component::Tiles, TURN, FAILED);
        let late = of(&heartbeats, Component::Tiles);
        assert_eq!(late, Some(Condition::Late("it fails, for 360 s".into())));
        assert!(late.is_some_and(|condition| condition.stands_still()));
        heartbeats.turn(Component::Tiles, TURN, None);
        assert_eq!(of(&heartbeats, Component::Tiles), Some(Condition::Ok));
    }

    #[tokio::test(start_paused = true)]
    async fn a_worker_that_is_silent_has_stopped() {
        let heartbeats = Heartbeats::default();
        heartbeats.turn(Component::Webhooks, TURN, None);
        advance(TURN).await;
        assert_eq!(of(&heartbeats, Component::Webhooks), Some(Condition::Ok));
        advance(Duration::from_secs(1)).await;
        let stopped = Condition::Stopped("no turn ended for 61 s".into());
        assert_eq!(of(&heartbeats, Component::Webhooks), Some(stopped));
    }

    #[tokio::test(start_paused = true)]
    async fn the_worst_place_counts_until_it_is_well() {
        let heartbeats = Heartbeats::default();
        heartbeats.state(Component::Anchors, "a", FAILED);
        heartbeats.state(Component::Anchors, "b", None);
        advance(LATE + TURN).await;
        assert!(of(&heartbeats, Component::Anchors).is_some_and(|condition| condition.stands_still()));
        heartbeats.state(Component::Anchors, "a", None);
        assert_eq!(of(&heartbeats, Component::Anchors), Some(Condition::Ok));
    }

    #[tokio::test(start_paused = true)]
    async fn a_single_event_is_forgotten() {
        let heartbeats = Heartbeats::default();
        heartbeats.event(Component::Disk, FAILED);
        advance(LATE).await;
        assert_eq!(of(&heartbeats, Component::Disk), Some(Condition::Failed("it fails".into())));
        advance(TURN).await;
        assert_eq!(of(&heartbeats, Component::Disk), Some(Condition::Ok));
    }
}
