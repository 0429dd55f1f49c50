//! Commands of the newest chapter of the golden history. Earlier chapters are stored as files, so their commands are
//! not needed: the commands of the next chapter replace these.
//!
//! This chapter covers the roles of operators: the first role leaves the other operator an administrator, and later a role
//! is replaced.

use daybook_domain::roles::Role;
use daybook_domain::roles::set::SetRoles;
use daybook_domain::testing::fixture::{OLGA, OTTO, PLATFORM};
use daybook_domain::{Command, Origin, PlatformId};

/// All commands of the chapter, in order.
pub(super) fn deeds() -> Vec<Command> {
    vec![
        roles(&[(Role::Auditor, None), (Role::Operator, Some(PLATFORM))]),
        roles(&[(Role::Auditor, None), (Role::Approver, None)]),
    ]
}

/// Sets the roles of Otto.
fn roles(roles: &[(Role, Option<PlatformId>)]) -> Command {
    let (roles, active) = (roles.iter().copied().collect(), vec![OLGA, OTTO]);
    SetRoles { operator: OTTO, roles, active, origin: Origin::PROCESS }.into()
}
