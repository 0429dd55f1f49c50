//! Tests of the roles of operators.

use super::*;
use crate::roles::{Event, Right};
use crate::testing::fixture::{OLGA, OTTO, PLATFORM};
use crate::testing::{World, given};
use crate::{Command, Event as Any};

const OTHER: PlatformId = PlatformId::from_u128(2);

fn set(operator: OperatorId, roles: &[(Role, Option<PlatformId>)]) -> Command {
    let (roles, active) = (roles.iter().copied().collect(), vec![OLGA, OTTO]);
    SetRoles { operator, roles, active, origin: Origin::PROCESS }.into()
}

fn changes(events: &[NewEvent]) -> Vec<(Grant, bool)> {
    let change = |event: &NewEvent| {
        let Any::Roles(Event::RoleSet(set)) = event.event else { panic!("{event:?}") };
        (set.grant, set.holds)
    };
    events.iter().map(change).collect()
}

fn decided(world: &World, command: &Command) -> Vec<(Grant, bool)> {
    changes(&command.decide(world, Timestamp::default()).expect("is accepted"))
}

fn may(world: &World, operator: OperatorId, right: Right, platform: Option<PlatformId>) -> bool {
    world.roles(RolesId::ALL).expect("were given").allow(operator, right, platform)
}

#[test]
fn first_role_leaves_others_administrators() {
    let auditor = set(OTTO, &[(Role::Auditor, None)]);
    let only_auditor = Grant { operator: OTTO, role: Role::Auditor, platform: None };
    assert_eq!(decided(&given([]), &auditor), [(Grant::admin(OLGA), true), (only_auditor, true)]);
    let world = given([auditor.clone()]);
    assert_eq!(decided(&world, &auditor), [], "the same again changes nothing");
    assert!(may(&world, OTTO, Right::Read, None) && !may(&world, OTTO, Right::Act, None));
    assert!(Right::ALL.into_iter().all(|right| may(&world, OLGA, right, Some(PLATFORM))));
}

#[test]
fn roles_are_replaced_as_a_whole() {
    let world = given([set(OTTO, &[(Role::Auditor, None), (Role::Approver, None)])]);
    let grant = |role| Grant { operator: OTTO, role, platform: None };
    let changed = decided(&world, &set(OTTO, &[(Role::Approver, None), (Role::Operator, None)]));
    assert_eq!(changed, [(grant(Role::Auditor), false), (grant(Role::Operator), true)]);
    assert_eq!(
        decided(&world, &set(OTTO, &[])),
        [(grant(Role::Auditor), false), (grant(Role::Approver), false)]
    );
}

#[test]
fn role_on_one_platform_reaches_no_other() {
    let world = given([set(OTTO, &[(Role::Operator, Some(PLATFORM)), (Role::Approver, Some(OTHER))])]);
    for (right, platform, expected) in [
        (Right::Read, Some(PLATFORM), true),
        (Right::Act, Some(PLATFORM), true),
        (Right::Review, Some(PLATFORM), false),
        (Right::Read, Some(OTHER), true),
        (Right::Act, Some(OTHER), false),
        (Right::Review, Some(OTHER), true),
        (Right::Read, None, false),
        (Right::Configure, Some(PLATFORM), false),
    ] {
        assert_eq!(may(&world, OTTO, right, platform), expected, "{right:?} {platform:?}");
    }
}

#[test]
fn last_active_administrator_stays() {
    let alone = |operator, roles: &[(Role, Option<PlatformId>)]| SetRoles {
        active: vec![operator],
        ..SetRoles {
            operator,
            roles: roles.iter().copied().collect(),
            active: vec![],
            origin: Origin::PROCESS,
        }
    };
    given([]).when(Command::from(alone(OLGA, &[(Role::Auditor, None)]))).refused(Refusal::LastAdmin);
    given([]).when(Command::from(alone(OLGA, &[(Role::Admin, Some(PLATFORM))]))).refused(Refusal::LastAdmin);
    let world = given([set(OTTO, &[(Role::Auditor, None)])]);
    // Otto is no administrator, and Olga is revoked.
    let revoked = SetRoles { active: vec![OTTO], ..alone(OTTO, &[(Role::Approver, None)]) };
    world.clone().when(Command::from(revoked)).refused(Refusal::LastAdmin);
    let world = world.when(set(OLGA, &[])).refused(Refusal::LastAdmin);
    // With another administrator, both may go.
    let world = world.when(set(OTTO, &[(Role::Admin, None)])).accepted();
    world.when(set(OLGA, &[])).accepted().when(set(OTTO, &[])).refused(Refusal::LastAdmin);
}
