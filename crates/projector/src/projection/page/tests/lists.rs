//! Tests of the members of lists, and of members that leave.

use daybook_domain::testing::fixture::{CAT, GATED, MICRO_DEPOSITS, OWNER, RESERVE, lower};
use daybook_domain::{TransactionId, UserId};

use super::*;
use crate::models::members::ListKind;

impl Tables {
    /// Returns the ids that a list shows, in its order.
    fn shown(&self, kind: ListKind, of: u128) -> Vec<u128> {
        let members = self.members.get(&List { of, kind }).into_iter().flatten();
        members.filter(|(_, is_present)| *is_present).map(|(id, _)| *id).collect()
    }
}

#[test]
fn transaction_is_once_in_each_party_list() {
    let own = fixture::between(2, BOBS, GATED, 5);
    let tables = tables([fund(ANNS, 100), pay(1, 5), own.into()]);
    let lists = |id: u128| {
        let has = |ids: &[u128]| ids.iter().filter(|other| **other == id).count();
        let lists = tables.parties.iter().map(|(list, ids)| (list.kind, list.of, has(ids)));
        lists.filter(|(.., times)| *times > 0).collect::<Vec<_>>()
    };
    let expected = [
        (ListKind::TransactionsOfPlatform, PLATFORM.as_u128(), 1),
        (ListKind::TransactionsOfUser, ANN.as_u128(), 1),
        (ListKind::TransactionsOfUser, BOB.as_u128(), 1),
        (ListKind::TransactionsOfNode, ANNS.as_u128(), 1),
        (ListKind::TransactionsOfNode, BOBS.as_u128(), 1),
    ];
    assert_eq!(lists(1), expected);
    let expected = [
        (ListKind::TransactionsOfPlatform, PLATFORM.as_u128(), 1),
        (ListKind::TransactionsOfUser, BOB.as_u128(), 1),
        (ListKind::TransactionsOfNode, BOBS.as_u128(), 1),
        (ListKind::TransactionsOfNode, GATED.as_u128(), 1),
    ];
    assert_eq!(lists(2), expected);
}

#[test]
fn micro_deposit_is_hidden_from_its_receiver() {
    let tables = tables([]);
    for id in MICRO_DEPOSITS.map(TransactionId::as_u128) {
        let lists = tables.parties.iter().filter(|(_, ids)| ids.contains(&id));
        let lists: Vec<_> = lists.map(|(list, _)| (list.kind, list.of)).collect();
        let expected = [
            (ListKind::TransactionsOfPlatform, PLATFORM.as_u128()),
            (ListKind::TransactionsOfUser, OWNER.as_u128()),
            (ListKind::TransactionsOfNode, RESERVE.as_u128()),
        ];
        assert_eq!(lists, expected);
    }
}

#[test]
fn departed_user_leaves_list_and_keeps_number() {
    let users = |commands: &[Command]| {
        let tables = tables(commands.to_vec());
        tables.shown(ListKind::UsersOfPlatform, PLATFORM.as_u128())
    };
    let all = [OWNER, ANN, BOB, CAT, DAN].map(UserId::as_u128);
    assert_eq!(users(&[]), all);
    let leaves = |user, permission| Command::from(lower(user, permission));
    assert_eq!(users(&[leaves(BOB, Permission::Closed)]), all);
    let gone = [leaves(BOB, Permission::MakeItGoAway), leaves(CAT, Permission::MakeItGoAway)];
    assert_eq!(users(&gone), [all[0], all[1], all[4]]);
}

#[test]
fn inactive_node_is_in_no_list() {
    let tables = tables([]);
    let nodes = tables.shown(ListKind::NodesOfPlatform, PLATFORM.as_u128());
    let (_, world) = told([]);
    let active = world.states().filter(|(_, state)| matches!(state, State::Node(node) if node.is_active));
    assert_eq!(nodes.len(), active.count());
    assert!(nodes.contains(&ANNS.as_u128()) && !nodes.contains(&fixture::ASLEEP.as_u128()));
}
