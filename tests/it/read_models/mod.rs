//! Read models of the ledger, the banks, the operators and the queue: their rows equal the fold of the log.

mod banking;
mod ledger;
mod lists;
mod queue;
pub(crate) mod story;

use daybook_domain::operation::{Act, ActKind};
use daybook_domain::platform::Policy;
use daybook_domain::posting::Rail;
use daybook_domain::roles::Role;
use daybook_domain::roles::set::SetRoles;
use daybook_domain::subnet::Allowed;
use daybook_domain::subnet::update::Update;
use daybook_domain::subscription::change::Change;
use daybook_domain::testing::fixture::{
    self, ANNS, BOB, BOBS, CAT, DAN, DANS, OLGA, accept, advance_clock, book_lines, bounce, change_subnet,
    change_subscription, credit, cut_as, debit, keep_part, look_again, lower, operate, pay, pay_out, permit,
    pull, queue, set_policy, settle, statement, subnet, subscription,
};
use daybook_domain::time::DAY_MS;
use daybook_domain::transaction::{Direction, QueueReason};
use daybook_domain::user::Permission;
use daybook_domain::{Command, FileId, Origin, PlatformId, Timestamp};
use daybook_projector::{Listed, Page};
use story::{Story, TABLES, dump, project};

/// A platform that does not exist.
const NOBODY: PlatformId = PlatformId::from_u128(2);
/// A time after every event.
const FAR_FUTURE: Timestamp = Timestamp::from_ms(1 << 40);
/// The first ten items of a list.
const PAGE: Page = Page { number: 1, size: 10 };

fn shown<T>(listed: Listed<T>) -> (Vec<T>, u64) {
    (listed.items, listed.total)
}

fn file(number: u128) -> FileId {
    FileId::from_u128(5_000 + number)
}

fn cut(number: u128, direction: Direction) -> Command {
    cut_as(number, direction, Rail::Ach, file(number))
}

pub(crate) fn to_dan(number: u128) -> Command {
    fixture::between(number, ANNS, DANS, 5).into()
}

/// Returns a command that locks Bob's node.
fn lock(number: u128) -> Command {
    operate(number, Act::LockNode { node: BOBS }).into()
}

/// Returns a command that unlocks Bob's node.
fn unlock(number: u128) -> Command {
    operate(number, Act::UnlockNode { node: BOBS }).into()
}

/// Returns a command that sets a policy by which locks need a second operator's approval.
fn locks_need_approval(number: u128) -> Command {
    set_policy(number, Policy { approvals: [ActKind::Lock].into(), ..Policy::default() })
}

/// Commands of every kind: a pull with its statement, a push that is returned, users and nodes that block payments,
/// files, operations, a clock that is ahead at the end, external accounts, and a user that is removed.
pub(crate) fn all_sorts() -> Vec<Command> {
    vec![
        pull(1_001, 100),
        debit(1_001),
        cut(1_001, Direction::Pull),
        pay_out(1_002, 60),
        debit(1_002),
        credit(1_002),
        cut(1_002, Direction::Push),
        credit(1_001),
        settle(1_001),
        statement(0, 0, &[(100, 1_001), (-25, 1_002), (7, 0)]),
        bounce(1_002, "R03").into(),
        to_dan(1_003),
        pay(1_004, 5),
        lock(2_001),
        pay(1_005, 5),
        queue(1_004, QueueReason::Risk).into(),
        permit(DAN, Permission::Receive).into(),
        look_again(1_003).into(),
        unlock(2_002),
        locks_need_approval(2_003),
        operate(2_004, Act::LockUser { user: BOB }).into(),
        advance_clock(DAY_MS).into(),
        keep_part("1970-01", 1).into(),
        accept(&[(1, 82, 89, 2)]),
        book_lines(1, 0, &[(9, 0)]),
        pay_out(1_006, 10),
        debit(1_006),
        credit(1_006),
        subnet(1, ANNS).into(),
        Update { allowed: Some(Allowed::Locked), ..change_subnet(1, ANNS) }.into(),
        subscription(1).into(),
        Change { is_active: Some(false), ..change_subscription(1) }.into(),
        lower(CAT, Permission::MakeItGoAway).into(),
        SetRoles {
            operator: OLGA,
            roles: [(Role::Admin, None)].into(),
            active: vec![OLGA],
            origin: Origin::PROCESS,
        }
        .into(),
    ]
}

#[tokio::test]
async fn projector_restarted_each_commit_writes_same_rows() {
    let mut story = Story::begin().await;
    let (often, restarted) = story.reads().await;
    for command in all_sorts() {
        project(&often).await;
        story.tell(command).await;
    }
    project(&often).await;
    let (_, database) = story.projected().await;
    let rows = dump(&database).await;
    assert_eq!(dump(&restarted).await, rows);
    for table in TABLES {
        assert!(rows.iter().any(|row| row.starts_with(table)), "{table} is empty");
    }
}
