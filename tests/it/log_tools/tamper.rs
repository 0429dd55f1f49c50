//! Random changes to a log in memory, 200 of each kind: verification finds and locates each.

use std::collections::HashMap;
use std::ops::RangeInclusive;

use daybook_checker::{CheckedEvent, Report, Verifier};
use daybook_domain::operation::{Act, ActKind};
use daybook_domain::platform::Policy;
use daybook_domain::testing::fixture::{self, ANN, ANNS, BOB, BOBS, FEES, OLGA, OTTO, TIPS};
use daybook_domain::transaction::create::Create;
use daybook_domain::{Event, NodeId, OperatorId, UserId};
use daybook_log::raw::{RawCommit, RawEvent};
use daybook_random::Random;
use daybook_tests::shard;
use tokio::sync::OnceCell;
use uuid::Uuid;

use super::Ledger;

/// Number of changes of each kind.
const ITERATIONS: usize = 200;

/// A log as rows. Unchanged rows keep their check result, so that they need not be checked again.
#[derive(Clone)]
pub(super) struct Rows {
    events: Vec<(RawEvent, Option<CheckedEvent>)>,
    commits: Vec<RawCommit>,
}

impl Rows {
    /// The rows that all tests share.
    async fn get() -> Self {
        static ROWS: OnceCell<Rows> = OnceCell::const_new();
        ROWS.get_or_init(Self::new).await.clone()
    }

    pub(super) async fn of(ledger: &Ledger) -> Self {
        let (events, commits) = ledger.rows().await;
        let events =
            events.into_iter().map(|raw| (raw.clone(), Some(CheckedEvent::of(&raw, shard())))).collect();
        Self { events, commits }
    }

    async fn new() -> Self {
        let rows = Self::of(&Ledger::new().await).await;
        let report = rows.verify();
        assert_eq!(report.findings, []);
        assert!(rows.events.len() > 300, "{}", rows.events.len());
        rows
    }

    pub(super) fn verify(&self) -> Report {
        let mut verifier = Verifier::new();
        verifier.commits(&self.commits);
        for (raw, checked) in &self.events {
            match checked {
                Some(checked) => verifier.event(checked),
                None => verifier.event(&CheckedEvent::of(raw, shard())),
            }
        }
        verifier.finish()
    }

    /// Mutable access to the event at this index, counted from 0. Discards its check result.
    fn event(&mut self, at: usize) -> &mut RawEvent {
        let (raw, checked) = &mut self.events[at];
        *checked = None;
        raw
    }

    /// Assigns new positions, in order.
    fn renumber(&mut self) {
        for at in 0..self.events.len() {
            if self.events[at].0.position != at as u64 + 1 {
                self.event(at).position = at as u64 + 1;
            }
        }
    }

    /// Positions of the commit that contains the event at this index.
    fn commit_of(&self, at: usize) -> RangeInclusive<u64> {
        let position = self.events[at].0.position;
        let after = self.commits.iter().rev().find(|commit| commit.last_position < position);
        let own = self.commits.iter().find(|commit| commit.last_position >= position).expect("has a commit");
        after.map_or(0, |commit| commit.last_position) + 1..=own.last_position
    }

    /// Index of a random event that fulfils `is_meant`.
    fn pick(&self, random: &mut Random, is_meant: impl Fn(&RawEvent) -> bool) -> usize {
        let places: Vec<_> = (0..self.events.len()).filter(|at| is_meant(&self.events[*at].0)).collect();
        places[random.below(places.len())]
    }
}

/// Makes `ITERATIONS` random changes, each to a fresh copy of the log, and requires that the first finding of each is
/// at the place that `tamper` returns.
fn many(rows: &Rows, name: &str, tamper: impl Fn(&mut Rows, &mut Random) -> (String, RangeInclusive<u64>)) {
    let mut random = Random::of_test(name);
    for time in 0..ITERATIONS {
        let mut tampered = rows.clone();
        let (what, place) = tamper(&mut tampered, &mut random);
        let found = tampered.verify().findings;
        let first = found.first().and_then(|it| it.position);
        assert!(
            first.is_some_and(|position| place.contains(&position)),
            "{name} {time}: {what} at {place:?}: {found:?}"
        );
    }
}

fn exactly(position: u64) -> RangeInclusive<u64> {
    position..=position
}

/// Adds `by` to a number after `field` in the data. `None` if there is no such field.
fn changed(data: &str, field: &str, which: usize, by: i64) -> Option<String> {
    let mark = format!("\"{field}\":");
    let places: Vec<_> = data.match_indices(&mark).map(|(at, _)| at + mark.len()).collect();
    let at = *places.get(which % places.len().max(1))?;
    let end = data[at..].find([',', '}'])? + at;
    let number: i64 = data[at..end].parse().ok()?;
    Some(format!("{}{}{}", &data[..at], number + by, &data[end..]))
}

#[tokio::test]
async fn altered_data_are_found() {
    let rows = Rows::get().await;
    let fields =
        ["posted", "held", "pending_in", "delta", "hold_delta", "pending_delta", "amount", "closing"];
    many(&rows, "altered data", |rows, random| {
        let (field, by) =
            (fields[random.below(fields.len())], i64::try_from(random.up_to(999)).expect("fits"));
        let which = random.below(4);
        let text = |event: &RawEvent| String::from_utf8(event.data.clone()).expect("text");
        // Changes an amount of an entry, an amount of a posting, or the JSON form of any event.
        let at = match random.below(3) {
            0 => rows.pick(random, |_| true),
            _ => rows.pick(random, |event| changed(&text(event), field, which, by).is_some()),
        };
        let place = rows.commit_of(at);
        let event = rows.event(at);
        let data = text(event);
        let form = [data.replacen('{', "{ ", 1), data.replacen('{', "{\"x\":1,", 1), data[1..].to_owned()];
        let data = changed(&data, field, which, by).unwrap_or_else(|| form[which % 3].clone());
        event.data = data.into_bytes();
        (format!("{field} of {}", event.event_type), place)
    });
}

#[tokio::test]
async fn altered_columns_are_found() {
    let rows = Rows::get().await;
    many(&rows, "altered column", |rows, random| {
        let column = random.below(9);
        let at = match column {
            // A renamed stream of a single event leaves nothing to compare with, so it is left out.
            0 => rows.pick(random, |event| event.version > 1 || event.stream_kind == 4),
            8 => rows.pick(random, |event| event.sealed.is_some()),
            _ => rows.pick(random, |_| true),
        };
        let (by, id) =
            (i64::try_from(random.up_to(100)).expect("fits"), Uuid::from_u128(u128::from(random.bits())));
        let place = rows.commit_of(at);
        let event = rows.event(at);
        match column {
            0 => event.stream = id,
            1 => event.stream_kind = event.stream_kind % 10 + 1,
            2 => event.version += i32::try_from(by).expect("fits"),
            3 => event.recorded_at_us += by * 1_000,
            4 => {
                event.effective_at_us =
                    event.effective_at_us.map_or(Some(event.recorded_at_us + by * 1_000), |_| None);
            }
            5 => event.cause_id = None,
            6 => event.correlation_id = Some(id),
            7 => event.platform = id,
            _ => event.sealed_hash = Some(id.as_bytes().to_vec()),
        }
        (format!("column {column}"), place)
    });
}

#[tokio::test]
async fn impossible_numbers_are_found() {
    let rows = Rows::get().await;
    many(&rows, "impossible number", |rows, random| {
        let at = random.below(rows.events.len());
        let (column, is_low) = (random.below(7), random.below(2) == 0);
        let (int, big) = if is_low { (i32::MIN, i64::MIN) } else { (i32::MAX, i64::MAX) };
        let small = if is_low { i16::MIN } else { i16::MAX };
        let place = rows.commit_of(at);
        if column == 6 {
            let commit = rows.commits.iter_mut().find(|commit| commit.last_position == *place.end());
            commit.expect("a commit").recorded_at_us = big;
        } else {
            let event = rows.event(at);
            match column {
                0 => event.stream_kind = small,
                1 => event.version = int,
                2 => event.event_type = small,
                3 => event.schema_version = small,
                4 => event.recorded_at_us = big,
                _ => event.effective_at_us = Some(big),
            }
        }
        (format!("column {column}, low {is_low}"), place)
    });
}

/// Ranges of the numbers in JSON without spaces.
fn numbers(data: &str) -> Vec<std::ops::Range<usize>> {
    let starts = data.match_indices([':', ',', '[']).map(|(at, _)| at + 1);
    let range = |start: usize| {
        let length = data[start..].find([',', '}', ']'])?;
        data[start..start + length].parse::<i64>().ok().map(|_| start..start + length)
    };
    starts.filter_map(range).collect()
}

#[tokio::test]
async fn extreme_numbers_never_crash_verification() {
    let rows = Rows::get().await;
    let mut random = Random::of_test("any number");
    let extremes = [i64::MIN, i64::MIN + 1, -1, 0, i64::from(u32::MAX), i64::MAX - 1, i64::MAX];
    for _ in 0..ITERATIONS * 3 {
        let mut tampered = rows.clone();
        let is_meant = |event: &RawEvent| !numbers(&String::from_utf8_lossy(&event.data)).is_empty();
        let event = tampered.pick(&mut random, is_meant);
        let event = tampered.event(event);
        let mut data = String::from_utf8(event.data.clone()).expect("text");
        let places = numbers(&data);
        data.replace_range(
            places[random.below(places.len())].clone(),
            &extremes[random.below(extremes.len())].to_string(),
        );
        event.data = data.into_bytes();
        // Not every number contradicts other rows, so a finding is not required.
        tampered.verify();
    }
}

#[tokio::test]
async fn removed_events_are_found() {
    let rows = Rows::get().await;
    many(&rows, "removed", |rows, random| {
        let at = random.below(rows.events.len());
        let place = rows.commit_of(at);
        rows.events.remove(at);
        ("event".to_owned(), place)
    });
}

#[tokio::test]
async fn removed_events_are_found_after_renumbering() {
    let rows = Rows::get().await;
    many(&rows, "removed and closed up", |rows, random| {
        // An event that is not the last of its stream, so that the next version does not follow.
        let last: HashMap<_, _> =
            rows.events.iter().map(|(event, _)| (event.stream, event.position)).collect();
        let at = rows.pick(random, |event| last[&event.stream] > event.position);
        let start = *rows.commit_of(at).start();
        rows.events.remove(at);
        rows.renumber();
        // The finding is at the latest at the beginning of the next commit, which is one position too early.
        let end = rows
            .commits
            .iter()
            .find(|commit| commit.last_position > at as u64)
            .expect("a commit")
            .last_position;
        ("event".to_owned(), start..=end)
    });
}

#[tokio::test]
async fn inserted_events_are_found() {
    let rows = Rows::get().await;
    many(&rows, "inserted", |rows, random| {
        let (of, at) = (random.below(rows.events.len()), random.below(rows.events.len()));
        let (mut raw, _) = rows.events[of].clone();
        // A copy of an event, in its own stream or in a new one.
        if random.below(2) == 0 {
            raw.stream = Uuid::from_u128(u128::from(random.bits()));
        }
        let place = rows.commit_of(at);
        rows.events.insert(at, (raw, None));
        rows.renumber();
        // The inserted event moves the last event of its commit into the next commit.
        ("event".to_owned(), *place.start()..=*place.end() + 1)
    });
}

#[tokio::test]
async fn swapped_events_are_found() {
    let rows = Rows::get().await;
    many(&rows, "swapped", |rows, random| {
        let one = random.below(rows.events.len());
        let is_of_another_commit = {
            let own = rows.events[one].0.recorded_at_us;
            move |event: &RawEvent| event.recorded_at_us != own
        };
        let other = rows.pick(random, is_of_another_commit);
        let place = rows.commit_of(one.min(other));
        rows.events.swap(one, other);
        rows.renumber();
        ("events".to_owned(), place)
    });
}

#[tokio::test]
async fn truncated_tail_is_found() {
    let rows = Rows::get().await;
    many(&rows, "truncated", |rows, random| {
        if random.below(2) == 0 {
            let left = random.below(rows.events.len());
            let place = rows.commit_of(left);
            rows.events.truncate(left);
            return ("events".to_owned(), *place.start()..=left as u64 + 1);
        }
        let left = random.below(rows.commits.len());
        rows.commits.truncate(left);
        let end = rows.commits.last().map_or(0, |commit| commit.last_position);
        ("commits".to_owned(), exactly(end + 1))
    });
}

#[tokio::test]
async fn altered_boxes_are_found() {
    let rows = Rows::get().await;
    many(&rows, "altered box", |rows, random| {
        let at = rows.pick(random, |event| event.sealed.as_ref().is_some_and(|sealed| !sealed.is_empty()));
        let event = rows.event(at);
        let sealed = event.sealed.as_mut().expect("has a box");
        let byte = random.below(sealed.len());
        sealed[byte] ^= u8::try_from(random.up_to(255)).expect("fits");
        ("box".to_owned(), exactly(event.position))
    });
}

#[tokio::test]
async fn altered_commits_are_found() {
    let rows = Rows::get().await;
    many(&rows, "altered commit", |rows, random| {
        let at = random.below(rows.commits.len());
        let first = at.checked_sub(1).map_or(0, |before| rows.commits[before].last_position) + 1;
        let next = rows.commits.get(at + 1).map_or(u64::MAX, |commit| commit.last_position);
        let by = random.up_to(100);
        let commit = &mut rows.commits[at];
        let what = random.below(4);
        match what {
            0 => commit.commit_no += by,
            1 => commit.recorded_at_us += i64::try_from(by).expect("fits") * 1_000,
            2 => commit.last_position += by,
            // Not below the end of the previous commit.
            _ => commit.last_position = commit.last_position.saturating_sub(by).max(first - 1),
        }
        (format!("commit {at}, {what}"), first..=next)
    });
}

#[tokio::test]
async fn unknown_types_are_found() {
    let rows = Rows::get().await;
    many(&rows, "unknown type", |rows, random| {
        let at = random.below(rows.events.len());
        let number = i16::try_from(random.up_to(30_000)).expect("fits");
        let place = rows.commit_of(at);
        let event = rows.event(at);
        if random.below(2) == 0 {
            event.schema_version += number;
        } else {
            event.event_type = number;
            let is_known = Event::schemas().any(|(schema, _)| schema.event_type == number);
            event.event_type = if is_known { 30_001 } else { number };
        }
        ("type".to_owned(), place)
    });
}

/// An edit: type of the event, text that its data contain, replacements, and type of the event at which the edit shows.
pub(super) type Edit<'a> = (i16, &'a str, Vec<(String, String)>, i16);

/// A log with the events that the edits change.
async fn edited() -> Rows {
    let mut ledger = Ledger::small().await;
    let moved = |minor| fixture::postings(&[fixture::on_node(ANNS, minor), fixture::on_node(BOBS, -minor)]);
    let journal = |minor| Act::Journal { postings: moved(minor), effective_at: None, clears: vec![] };
    let policy = Policy { approvals: [ActKind::Journal].into(), ..Policy::default() };
    let paid = Create { fees: vec![fixture::fee(FEES, 3)], ..fixture::payment(7_000, 40) };
    ledger.story.tell_all([fixture::fund(ANNS, 500), paid.into()]).await;
    ledger.story.tell_all([fixture::debit, fixture::credit, fixture::settle].map(|step| step(7_000))).await;
    ledger.story.tell(fixture::operate(7_001, journal(11))).await;
    ledger.story.tell(fixture::set_policy(7_002, policy)).await;
    ledger.story.tell(fixture::review(7_002, OTTO, true)).await;
    ledger.story.tell(fixture::operate(7_003, journal(13))).await;
    ledger.story.tell(fixture::review(7_003, OTTO, true)).await;
    Rows::of(&ledger).await
}

#[tokio::test]
async fn edits_that_still_balance_are_found() {
    let rows = edited().await;
    assert_eq!(rows.verify().findings, []);
    let user = |user: UserId| format!("\"user\":\"{user}\"");
    let node = |node: NodeId| format!("\"node\":\"{node}\"");
    let (fees, tips) = (format!("\"to\":\"{FEES}\""), format!("\"to\":\"{TIPS}\""));
    let by = |operator: OperatorId| format!("\"by\":\"{operator}\"");
    let amount = |minor: i64| format!("\"amount\":{minor}");
    let edits: [Edit<'_>; 15] = [
        (40, &fees, vec![(fees.clone(), tips.clone())], 43),
        (40, &fees, vec![("\"minor\":3".into(), "\"minor\":4".into())], 42),
        (70, &amount(11), vec![(amount(11), amount(12)), (amount(-11), amount(-12))], 73),
        (70, &amount(13), vec![(amount(13), amount(12)), (amount(-13), amount(-12))], 73),
        (70, "\"waits\":true", vec![("\"waits\":true".into(), "\"waits\":false".into())], 70),
        (71, "by", vec![(by(OTTO), by(OLGA))], 71),
        (80, "user", vec![(user(ANN), user(BOB))], 80),
        (80, "node", vec![(node(ANNS), node(NodeId::from_u128(999)))], 80),
        (61, "explains", vec![("\"L0\"".into(), "\"L7\"".into())], 61),
        (61, "explains", vec![(amount(100), amount(99)), (amount(-25), amount(-24))], 50),
        (120, "opening", vec![("\"opening\":82".into(), "\"opening\":81".into())], 120),
        (120, "closing", vec![("\"closing\":89".into(), "\"closing\":90".into())], 64),
        (64, "closing", vec![("\"closing\":89".into(), "\"closing\":90".into())], 64),
        (121, "first", vec![("\"first\":0".into(), "\"first\":1".into())], 121),
        (121, "lines", vec![(amount(9), amount(8))], 121),
    ];
    all_are_found(&rows, &edits);
}

/// Makes each of the edits in a copy of a log, and checks that it shows at an event of the given type.
pub(super) fn all_are_found(rows: &Rows, edits: &[Edit<'_>]) {
    for (event_type, with, edit, at) in edits {
        let mut edited = rows.clone();
        let text = |event: &RawEvent| String::from_utf8(event.data.clone()).expect("text");
        let is_meant = |event: &RawEvent| event.event_type == *event_type && text(event).contains(with);
        let found = edited.events.iter().position(|(event, _)| is_meant(event)).expect("is there");
        let event = edited.event(found);
        let data = edit.iter().fold(text(event), |data, (from, to)| data.replace(from, to));
        assert_ne!(data, text(event), "{edit:?}");
        event.data = data.into_bytes();
        let report = edited.verify();
        let shown = report.findings.first().and_then(|it| it.position).expect("is found");
        let shows_at = &edited.events[usize::try_from(shown).expect("fits") - 1].0;
        assert!(shown > found as u64 && shows_at.event_type == *at, "{edit:?}: {:?}", report.findings);
    }
}
