use super::*;
use crate::Command;
use crate::aggregate::NewEvent;
use crate::calendar::Day;
use crate::evidence::destroy::DestroyEvidence;
use crate::evidence::{Destroyed, Opened};
use crate::platform::Policy;
use crate::testing::fixture::{CUSTODY, OWNER, PLATFORM, advance_clock, keep_part, set_policy};
use crate::testing::{World, given};
use crate::time::DAY_MS;

fn month(text: &str) -> Month {
    text.parse().expect("a month")
}

fn keep(number: u128) -> KeepPart {
    keep_part("1970-01", number)
}

fn kept(number: u128) -> NewEvent {
    keep(number).part.kept(PLATFORM, OWNER, keep(number).evidence())
}

fn opened(kept_until: &str) -> NewEvent {
    let kept_until: Day = kept_until.parse().expect("a day");
    let opened = Opened { platform: PLATFORM, custody: CUSTODY, month: month("1970-01"), kept_until };
    NewEvent::new(keep(1).evidence(), opened)
}

fn destroy() -> Command {
    DestroyEvidence { id: keep(1).evidence() }.into()
}

#[test]
fn first_part_opens_the_month() {
    let mut world = given([]);
    assert_eq!(world.submit(&keep(1).into()), Ok(vec![opened("1980-02-01"), kept(1)]));
    assert_eq!(world.submit(&keep(2).into()), Ok(vec![kept(2)]));
    assert_eq!(world.submit(&keep(1).into()), Ok(vec![]));
}

#[test]
fn policy_sets_the_retention_once() {
    let years =
        |years| set_policy(u128::from(years), Policy { evidence_years: Some(years), ..Policy::default() });
    let mut world = given([years(2)]);
    assert_eq!(world.submit(&keep(1).into()), Ok(vec![opened("1972-02-01"), kept(1)]));
    world.submit(&years(1)).expect("set");
    world.submit(&keep(2).into()).expect("kept");
    let evidence = world.evidence(keep(1).evidence()).expect("opened");
    assert_eq!(evidence.kept_until.to_string(), "1972-02-01");
}

/// A month whose part was kept, on the day before its retention ends.
fn last_day() -> World {
    let policy = Policy { evidence_years: Some(1), ..Policy::default() };
    given([set_policy(1, policy), keep(1).into(), advance_clock(395 * DAY_MS).into()])
}

#[test]
fn keys_are_destroyed_on_their_day() {
    let mut world = last_day();
    assert_eq!(world.submit(&destroy()), Ok(vec![]));
    world.submit(&advance_clock(DAY_MS).into()).expect("advanced");
    assert_eq!(world.submit(&destroy()), Ok(vec![NewEvent::new(keep(1).evidence(), Destroyed {})]));
    assert_eq!(world.submit(&destroy()), Ok(vec![]));
}

#[test]
fn destroyed_month_takes_no_part() {
    let mut world = last_day();
    world.submit(&advance_clock(DAY_MS).into()).expect("advanced");
    world.submit(&destroy()).expect("destroyed");
    assert_eq!(world.submit(&keep(2).into()), Err(Refusal::Destroyed.into()));
    assert_eq!(world.submit(&keep(1).into()), Ok(vec![]));
}
