//! Isolation: a call that names an object of another user or platform gets the same bytes as for an object that does
//! not exist.

use std::collections::{BTreeMap, BTreeSet};

use daybook_tests::http::Answer;
use futures::stream::{self, StreamExt};

use crate::moments::RECORDS;
use crate::routes::{By, IDS, ROUTES, Route, fill, slots};
use crate::town::{Ids, Person, Town};

/// Owner of the id at one place of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum StatementOwner {
    /// The caller.
    Own,
    /// Another user of the same platform.
    Neighbours,
    /// A user of another platform.
    Strangers,
    /// The caller, but the id is that of an object of another kind.
    OfAnotherKind,
    /// None: no object has this id.
    Nobodys,
}

impl StatementOwner {
    const ALL: [Self; 5] = [Self::Own, Self::Neighbours, Self::Strangers, Self::OfAnotherKind, Self::Nobodys];
}

/// An owner for each place of a call: the places of the path, then those of the body.
type Choice = Vec<StatementOwner>;

/// All combinations of owners for this number of places.
fn choices(places: usize) -> Vec<Choice> {
    (0..places).fold(vec![vec![]], |choices, _| {
        let longer = |choice: Choice| StatementOwner::ALL.map(|whose| [&choice[..], &[whose]].concat());
        choices.into_iter().flat_map(longer).collect()
    })
}

/// Returns true if the caller may name all of these objects together.
fn opens(route: &Route, choice: &[StatementOwner]) -> bool {
    use StatementOwner::{Neighbours, Own, Strangers};
    let (path, body) = choice.split_at(slots(route.path()).len());
    let all =
        |choice: &[StatementOwner], of: &[StatementOwner]| choice.iter().all(|whose| of.contains(whose));
    let on_platform = [Own, Neighbours];
    match route.by {
        By::Nobody => true,
        // A sender may name any user of the platform as the receiver.
        By::User(_) => all(path, &[Own]) && all(body, &on_platform),
        By::Gateway | By::PlatformOrPublicKey(_) => all(path, &on_platform) && all(body, &on_platform),
        // An operator belongs to no platform, but all named objects must belong to one platform.
        By::Operator => all(choice, &on_platform) || all(choice, &[Strangers]),
    }
}

/// The same choice, with [`StatementOwner::Nobodys`] at each place that the caller may not name.
fn lacking(route: &Route, choice: &[StatementOwner]) -> Choice {
    use StatementOwner::{Neighbours, Nobodys, Own, Strangers};
    let path = slots(route.path()).len();
    let may_name = |(index, whose): (usize, &StatementOwner)| match route.by {
        By::User(_) if index < path => *whose == Own,
        By::Operator if index == 0 => [Own, Neighbours, Strangers].contains(whose),
        By::Operator if choice[0] == Strangers => *whose == Strangers,
        _ => [Own, Neighbours].contains(whose),
    };
    let places = choice.iter().enumerate();
    places.map(|place| if may_name(place) { *place.1 } else { Nobodys }).collect()
}

/// The ids of a choice, for the person at `index`.
fn ids(town: &Town, index: usize, names: &[&'static str], choice: &[StatementOwner]) -> Ids {
    let whose = |index: usize| &town.people[index].ids;
    let mut ids = whose(index).clone();
    for (name, choice) in names.iter().zip(choice) {
        let id = match choice {
            StatementOwner::Own => continue,
            StatementOwner::Neighbours => whose(index ^ 1)[name].clone(),
            StatementOwner::Strangers => whose(index ^ 2)[name].clone(),
            StatementOwner::OfAnotherKind if ["node_id", "to_id", "fee_id"].contains(name) => {
                whose(index)["user_id"].clone()
            }
            StatementOwner::OfAnotherKind => whose(index)["node_id"].clone(),
            StatementOwner::Nobodys => "7ZZZZZZZZZZZZZZZZZZZZZZZZZ".to_owned(),
        };
        ids.insert(name, id);
    }
    ids
}

/// Names of the ids in the path and the body of a route.
fn places(route: &Route) -> Vec<&'static str> {
    [slots(route.path()), slots(route.body)].concat()
}

/// Parts of an answer that could reveal the existence of an object.
fn told(answer: &Answer) -> (u16, BTreeSet<(String, String)>, String) {
    // `connection` depends on whether the body had arrived before the answer.
    let by_chance = ["date", "x-request-id", "connection"];
    let headers = answer.headers.iter().filter(|(name, _)| !by_chance.contains(&name.as_str()));
    let headers =
        headers.map(|(name, value)| (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into()));
    (answer.status, headers.collect(), answer.text())
}

/// Number of concurrent calls.
const CONCURRENT_CALLS: usize = 16;

async fn answers(
    town: &Town,
    index: usize,
    calls: Vec<(&Route, Choice)>,
    query: &str,
) -> Vec<(String, Answer)> {
    let person: &Person = &town.people[index];
    let answer = async |(route, choice): (&Route, Choice)| {
        let ids = ids(town, index, &places(route), &choice);
        let call = town.call(route, person, &ids).at(&format!("{}{query}", fill(route.path(), &ids)));
        (format!("{} {choice:?}", route.name), call.send().await)
    };
    stream::iter(calls).map(answer).buffered(CONCURRENT_CALLS).collect().await
}

#[tokio::test]
async fn foreign_objects_are_answered_like_missing_ones() {
    let town = Town::new().await;
    let before = town.state().await;
    let mut wrong = vec![];
    let mut count = 0;
    // One person of each platform is enough, because the cases are symmetric. The third run asks about the past.
    let then = format!("?at={}", before.0);
    for (index, query) in [(0, ""), (3, ""), (0, then.as_str())] {
        let routes = ROUTES.iter().filter(|route| query.is_empty() || RECORDS.contains(&route.name));
        let refused = routes.flat_map(|route| {
            let choices = choices(places(route).len()).into_iter();
            choices.filter(|choice| !opens(route, choice)).map(move |choice| (route, choice))
        });
        let calls: Vec<_> = refused.collect();
        // The same calls with ids of no object in the places that the caller may not name.
        let nothing: BTreeMap<_, _> =
            calls.iter().map(|(route, choice)| ((route.name, lacking(route, choice)), *route)).collect();
        let nothing: Vec<_> = nothing.into_iter().map(|((_, choice), route)| (route, choice)).collect();
        let nothing: BTreeMap<_, _> = answers(&town, index, nothing, query).await.into_iter().collect();
        for (name, answer) in &nothing {
            if (answer.status, answer.json()["error_code"].as_str()) != (404, Some("404")) {
                wrong.push(format!("{name}: {} {:.200}", answer.status, answer.text()));
            }
        }
        count += calls.len();
        let expected: Vec<_> = calls
            .iter()
            .map(|(route, choice)| format!("{} {:?}", route.name, lacking(route, choice)))
            .collect();
        for ((name, answer), expected) in answers(&town, index, calls, query).await.iter().zip(expected) {
            if told(answer) != told(&nothing[&expected]) {
                wrong.push(format!("{name}: {:?} rather than {:?}", told(answer), told(&nothing[&expected])));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(town.state().await, before);
}

/// Checks that the ids of the test above belong to existing objects.
#[tokio::test]
async fn own_objects_exist_for_every_person() {
    let town = Town::new().await;
    for person in &town.people {
        assert!(IDS.iter().all(|name| person.ids.contains_key(name)), "{:?}", person.ids);
        for name in [
            "users.get",
            "nodes.get",
            "trans.get",
            "trans.attachment",
            "statements.get",
            "statements.csv",
            "ops.operations.get",
            "ops.files.get",
            "ops.statements.get",
            "audit.event",
            "audit.receipt",
            "audit.tile",
            "audit.balance",
        ] {
            let answer = town.send(name, person).await;
            assert_eq!(answer.status, 200, "{name}: {}", answer.text());
        }
    }
}
