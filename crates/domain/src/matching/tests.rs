//! Tests of the strategies as tables, and of properties of all of them.

use proptest::prelude::{any, prop, prop_assert, prop_assert_eq, proptest};
use proptest::strategy::Strategy as _;

use super::*;
use crate::posting::Rail;

const NODE: crate::NodeId = crate::NodeId::from_u128(9);

/// Monday, 5 January 2026, and the days after it.
fn day(after: i32) -> Day {
    Day::from_civil(2026, 1, 5).expect("a date").plus_days(after)
}

fn line(id: u128, left: i64) -> Line {
    Line {
        id: BreakId::from_u128(id),
        currency: Currency::USD,
        day: day(1),
        left,
        by_hand: false,
        references: vec![],
        codes: vec![],
        captures: vec![],
        words: vec![],
    }
}

fn naming(id: u128, left: i64, references: &[&str]) -> Line {
    Line { references: references.iter().map(|it| (*it).to_owned()).collect(), ..line(id, left) }
}

fn item(id: u128, amount: i64) -> Item {
    let account =
        if amount > 0 { LedgerAccount::RailIn(Rail::Ach) } else { LedgerAccount::RailOut(Rail::Ach) };
    Item {
        transaction: TransactionId::from_u128(id),
        account,
        currency: Currency::USD,
        amount,
        since: day(0),
        names: vec![format!("T{id}"), format!("021000020{id:06}")],
        file: None,
        batch: None,
    }
}

fn in_file(file: u128, item: Item) -> Item {
    Item { file: Some(FileId::from_u128(file)), ..item }
}

fn returned(item: Item) -> Item {
    let account = if item.amount > 0 { LedgerAccount::ReturnIn } else { LedgerAccount::ReturnOut };
    Item { account, ..item }
}

fn files(ids: &[u128]) -> Vec<SentFile> {
    let file = |id| SentFile { id: FileId::from_u128(id), day: day(0), names: vec![format!("F{id}")] };
    ids.iter().copied().map(file).collect()
}

fn set(rules: Vec<Rule>) -> RuleSet {
    rules.try_into().expect("can be meant")
}

fn one(means: Means) -> RuleSet {
    set(vec![Rule::new("one", means)])
}

/// Matches as line, transactions with their amounts, and what nodes get.
type Found = Vec<(u128, Vec<(u128, i64)>, Vec<i64>)>;

fn found(outcome: &Outcome) -> Found {
    let of = |it: &Match| {
        let items = it.parts.items.iter().map(|item| (item.transaction.as_u128(), item.amount));
        let posts = it.parts.posts.iter().map(|post| post.amount);
        (it.line.as_u128(), items.collect(), posts.collect())
    };
    outcome.matches.iter().map(of).collect()
}

fn matched(lines: &[Line], items: &[Item], set: &RuleSet) -> Found {
    let input = Input { lines: lines.to_vec(), items: items.to_vec(), files: files(&[1, 2]) };
    found(&run(&input, set))
}

#[test]
fn reference_names_the_item_of_a_line() {
    let items = [item(1, 100), item(2, 40), returned(item(2, -40))];
    let table: [(Line, Found); 8] = [
        (naming(1, 100, &["T1"]), vec![(1, vec![(1, 100)], vec![])]),
        (naming(1, 100, &["none", " 021000020000001 "]), vec![(1, vec![(1, 100)], vec![])]),
        // A part of an item.
        (naming(1, 30, &["T1"]), vec![(1, vec![(1, 30)], vec![])]),
        // More than the item.
        (naming(1, 101, &["T1"]), vec![]),
        // The sign tells the item from its return.
        (naming(1, -40, &["T2"]), vec![(1, vec![(2, -40)], vec![])]),
        // Two references that make the amount together.
        (naming(1, 100, &["T1", "T2"]), vec![(1, vec![(1, 100), (2, 40), (2, -40)], vec![])]),
        (naming(1, 140, &["T1", "T2"]), vec![]),
        (naming(1, 100, &["T3"]), vec![]),
    ];
    for (line, expected) in table {
        assert_eq!(
            matched(std::slice::from_ref(&line), &items, &one(Means::Reference)),
            expected,
            "{line:?}"
        );
    }
}

#[test]
fn captured_text_replaces_the_references() {
    let rule = Rule { text: Some("REF (.*)".into()), ..Rule::new("one", Means::Reference) };
    let captured = Line { captures: vec![(0, "T2".into())], ..naming(1, 40, &["T1"]) };
    let items = [item(1, 40), item(2, 40)];
    let expected = vec![(1, vec![(2, 40)], vec![])];
    assert_eq!(matched(&[captured], &items, &set(vec![rule.clone()])), expected);
    assert_eq!(matched(&[naming(1, 40, &["T1"])], &items, &set(vec![rule])), vec![], "it has no such text");
}

#[test]
fn lines_that_want_one_item_match_nothing() {
    let (items, set) = ([item(1, 100)], one(Means::Reference));
    let both =
        |first, second| matched(&[naming(1, first, &["T1"]), naming(2, second, &["T1"])], &items, &set);
    assert_eq!(both(100, 100), vec![]);
    assert_eq!(both(60, 60), vec![]);
    assert_eq!(both(60, 40), vec![(1, vec![(1, 60)], vec![]), (2, vec![(1, 40)], vec![])]);
}

#[test]
fn file_is_stated_net_or_by_side() {
    let items = [in_file(1, item(1, 100)), in_file(1, item(2, 40)), in_file(1, item(3, -30))];
    let table: [(&[i64], Found); 4] = [
        (&[110], vec![(1, vec![(1, 100), (2, 40), (3, -30)], vec![])]),
        (&[140, -30], vec![(1, vec![(1, 100), (2, 40)], vec![]), (2, vec![(3, -30)], vec![])]),
        (&[100], vec![]),
        // Both the whole and a side of it: what each wants is more than there is.
        (&[110, -30], vec![]),
    ];
    for (lines, expected) in table {
        let lines: Vec<_> = (1..).zip(lines).map(|(id, left)| line(id, *left)).collect();
        assert_eq!(matched(&lines, &items, &one(Means::File)), expected, "{lines:?}");
    }
}

#[test]
fn batches_of_file_are_stated_apart() {
    let of_batch = |batch, id, amount| Item { batch: Some(batch), ..in_file(1, item(id, amount)) };
    let back = Item { batch: Some(2), ..in_file(1, returned(item(4, -60))) };
    let items = [of_batch(1, 1, 100), of_batch(1, 2, 40), of_batch(2, 3, 50), of_batch(2, 4, 60), back];
    let (first, second) = (vec![(1, 100), (2, 40)], vec![(3, 50), (4, 60)]);
    let netted = [vec![(4, -60)], second.clone()].concat();
    let table: [(&[i64], Found); 4] = [
        (&[140], vec![(1, first.clone(), vec![])]),
        (&[140, 110], vec![(1, first.clone(), vec![]), (2, second, vec![])]),
        (&[140, 50], vec![(1, first, vec![]), (2, netted, vec![])]),
        // The whole and a batch of it want the same items.
        (&[250, 140], vec![]),
    ];
    for (lines, expected) in table {
        let lines: Vec<_> = (1..).zip(lines).map(|(id, left)| line(id, *left)).collect();
        assert_eq!(matched(&lines, &items, &one(Means::File)), expected, "{lines:?}");
    }
}

#[test]
fn returned_entries_are_netted_out_of_file() {
    let back = in_file(1, returned(item(2, -40)));
    let items = [in_file(1, item(1, 100)), in_file(1, item(2, 40)), back];
    let expected = vec![(1, vec![(2, -40), (1, 100), (2, 40)], vec![])];
    assert_eq!(matched(&[line(1, 100)], &items, &one(Means::File)), expected);
    assert_eq!(matched(&[line(1, -40)], &items, &one(Means::Returns)), vec![(1, vec![(2, -40)], vec![])]);
}

#[test]
fn file_named_by_reference_has_the_amount() {
    let items = [in_file(1, item(1, 100)), in_file(2, item(2, 60)), in_file(2, item(3, 40))];
    let lines = [naming(1, 100, &["F2"])];
    let expected = vec![(1, vec![(2, 60), (3, 40)], vec![])];
    assert_eq!(matched(&lines, &items, &one(Means::Reference)), expected);
    assert_eq!(matched(&lines, &items, &one(Means::File)), vec![], "both files have the amount");
    assert_eq!(matched(&[naming(1, 99, &["F2"])], &items, &one(Means::Reference)), vec![]);
    let twice = [naming(1, 100, &["F2"]), naming(2, 100, &["F2"]), naming(3, 60, &["T2"])];
    assert_eq!(matched(&twice, &items, &one(Means::Reference)), vec![], "three want the item");
}

#[test]
fn amount_is_unique_on_both_sides() {
    let set = one(Means::Amount);
    let two = [item(1, 100), item(2, 40)];
    assert_eq!(matched(&[line(1, 100)], &two, &set), vec![(1, vec![(1, 100)], vec![])]);
    assert_eq!(matched(&[line(1, 100), line(2, 100)], &two, &set), vec![]);
    assert_eq!(matched(&[line(1, 100)], &[item(1, 100), item(2, 100)], &set), vec![]);
    assert_eq!(matched(&[line(1, -100)], &two, &set), vec![]);
    let euros = Line { currency: Currency::parse("EUR").expect("ISO 4217"), ..line(1, 100) };
    assert_eq!(matched(&[euros], &two, &set), vec![]);
}

#[test]
fn line_by_hand_is_suggested_only() {
    let by_hand = Line { by_hand: true, ..line(1, 100) };
    let (set, items) = (one(Means::Amount), [item(1, 100)]);
    assert_eq!(matched(std::slice::from_ref(&by_hand), &items, &set), vec![]);
    // It may be the line that the item is about.
    assert_eq!(matched(&[by_hand.clone(), line(2, 100)], &items, &set), vec![]);
    assert_eq!(suggested(&[by_hand], &items, &set).len(), 1);
}

#[test]
fn rail_of_rule_excludes_other_items() {
    let rule = |rail| set(vec![Rule { rail: Some(rail), ..Rule::new("one", Means::Amount) }]);
    let wire = Item { account: LedgerAccount::RailIn(Rail::Wire), ..item(1, 100) };
    let items = [wire, item(2, 100), returned(item(3, 100))];
    assert_eq!(matched(&[line(1, 100)], &items, &rule(Rail::Wire)), vec![(1, vec![(1, 100)], vec![])]);
    assert_eq!(matched(&[line(1, 100)], &items, &rule(Rail::Check)), vec![]);
}

#[test]
fn window_counts_banking_days() {
    let set = set(vec![Rule { days: Some(2), ..Rule::new("one", Means::Amount) }]);
    // From Friday, 9 January 2026, the second banking day is Tuesday.
    let friday = Item { since: day(4), ..item(1, 100) };
    for (after, expected) in [(2, false), (3, true), (4, true), (5, true), (8, true), (9, false)] {
        let line = Line { day: day(after), ..line(1, 100) };
        assert_eq!(!matched(&[line], std::slice::from_ref(&friday), &set).is_empty(), expected, "{after}");
    }
}

fn fees() -> Rule {
    Rule {
        codes: vec!["698".parse().expect("a code")],
        currency: Some(Currency::USD),
        node: Some(NODE),
        per_line: Some(500),
        per_day: Some(800),
        ..Rule::new("fees", Means::Book)
    }
}

#[test]
fn lines_are_booked_within_limits() {
    let fee = |id, left| Line { codes: vec!["698".into()], ..line(id, left) };
    let set = set(vec![fees()]);
    let booked = |lines: &[Line]| matched(lines, &[], &set);
    assert_eq!(booked(&[fee(1, -500), fee(2, 300)]), vec![(1, vec![], vec![-500]), (2, vec![], vec![300])]);
    assert_eq!(booked(&[fee(1, -501), fee(2, -300)]), vec![(2, vec![], vec![-300])]);
    assert_eq!(booked(&[fee(1, -500), fee(2, -301)]), vec![], "the day has more than 8.00");
    assert_eq!(booked(&[line(1, -1)]), vec![], "it has another code");
    let next = Line { day: day(2), ..fee(2, -301) };
    assert_eq!(booked(&[fee(1, -500), next]).len(), 2);
}

#[test]
fn tolerance_posts_the_difference() {
    let near = |of: &str| Rule {
        of: Some(of.into()),
        difference: Some(5),
        node: Some(NODE),
        currency: Some(Currency::USD),
        ..Rule::new("near", Means::Tolerance)
    };
    let amount = set(vec![Rule::new("amount", Means::Amount), near("amount")]);
    let table = [
        (95, vec![(1, vec![(1, 100)], vec![-5])]),
        (105, vec![(1, vec![(1, 100)], vec![5])]),
        (100, vec![(1, vec![(1, 100)], vec![])]),
        (94, vec![]),
        (106, vec![]),
    ];
    for (left, expected) in table {
        assert_eq!(matched(&[line(1, left)], &[item(1, 100)], &amount), expected, "{left}");
    }
    assert_eq!(matched(&[line(1, 98)], &[item(1, 100), item(2, 97)], &amount), vec![], "two are near");
    let named = set(vec![Rule::new("reference", Means::Reference), near("reference")]);
    let expected = vec![(1, vec![(1, 100)], vec![3])];
    assert_eq!(matched(&[naming(1, 103, &["T1"])], &[item(1, 100), item(2, 103)], &named), expected);
    // Near zero, an item of the other sign is no match.
    assert_eq!(matched(&[line(1, 2)], &[item(1, -2)], &amount), vec![]);
}

#[test]
fn earlier_rule_takes_the_item() {
    let rules = vec![Rule::new("names", Means::Reference), Rule::new("amounts", Means::Amount)];
    let lines = [line(1, 100), naming(2, 100, &["T1"])];
    let expected = vec![(1, vec![(2, 100)], vec![]), (2, vec![(1, 100)], vec![])];
    assert_eq!(matched(&lines, &[item(1, 100), item(2, 100)], &set(rules)), expected);
}

fn suggested(lines: &[Line], items: &[Item], set: &RuleSet) -> Vec<(u128, Vec<u128>, u8, Vec<Reason>)> {
    let input = Input { lines: lines.to_vec(), items: items.to_vec(), files: files(&[1, 2]) };
    let outcome = run(&input, set);
    assert_eq!(outcome.matches, vec![]);
    let of = |it: Suggestion| {
        let items = it.items.iter().map(|item| item.transaction.as_u128()).collect();
        (it.line.as_u128(), items, it.score, it.reasons)
    };
    outcome.suggestions.into_iter().map(of).collect()
}

#[test]
fn group_of_items_is_suggested() {
    let items = [item(1, 100), item(2, 40), item(3, 25)];
    let set = one(Means::Group);
    let expected = vec![(1, vec![1, 3], 55, vec![Reason::Sum])];
    assert_eq!(suggested(&[line(1, 125)], &items, &set), expected);
    let expected = vec![(1, vec![1], 55, vec![Reason::Part]), (2, vec![1], 55, vec![Reason::Part])];
    assert_eq!(suggested(&[line(1, 70), line(2, 30)], &items[..1], &set), expected);
}

#[test]
fn suggestions_of_line_are_limited() {
    // Each day has a dozen items of which any two make any line.
    let of_day = |after: i32| {
        (0..12)
            .map(move |id| Item { since: day(after), ..item(id + 12 * u128::from(after.unsigned_abs()), 50) })
    };
    let items: Vec<_> = (0..3).flat_map(of_day).collect();
    let lines: Vec<_> = (1..=50).map(|id| line(id, 100)).collect();
    let rules = [Means::Group, Means::File, Means::Amount].map(|means| Rule::new(means.as_str(), means));
    let similar = Rule { threshold: Some(1), ..Rule::new("similar", Means::Suggest) };
    let found = suggested(&lines, &items, &set(rules.into_iter().chain([similar]).collect()));
    for id in 1..=50 {
        assert!(found.iter().filter(|(line, ..)| *line == id).count() <= 10, "{id}");
    }
}

#[test]
fn similar_items_are_suggested_with_reasons() {
    let set = set(vec![Rule { threshold: Some(50), ..Rule::new("similar", Means::Suggest) }]);
    let items = [item(1, 100), item(2, 100), item(3, 99)];
    let expected = vec![
        (1, vec![1], 70, vec![Reason::Amount, Reason::Day]),
        (1, vec![2], 70, vec![Reason::Amount, Reason::Day]),
    ];
    assert_eq!(suggested(&[line(1, 100)], &items, &set), expected);
    let cut = Line { words: vec!["0000003".into()], ..line(1, 100) };
    let best = suggested(&[cut], &items, &set).remove(0);
    assert_eq!(best, (1, vec![3], 75, vec![Reason::NearAmount, Reason::Day, Reason::Name]));
}

#[test]
fn ambiguous_files_become_suggestions() {
    let items = [in_file(1, item(1, 100)), in_file(2, item(2, 100))];
    let found = suggested(&[line(1, 100)], &items, &one(Means::File));
    let reasons = vec![Reason::Amount, Reason::Ambiguous];
    assert_eq!(found, vec![(1, vec![1], 60, reasons.clone()), (1, vec![2], 60, reasons)]);
}

fn any_input() -> impl proptest::strategy::Strategy<Value = Input> {
    let some_line =
        (1..30_u128, prop::sample::select(vec![-40, -30, 30, 40, 70, 100, 140]), 0..4_i32, 0..12_u128);
    let some_item =
        (1..12_u128, prop::sample::select(vec![-40, -30, 30, 40, 100]), 0..4_i32, 0..3_u128, any::<bool>());
    (prop::collection::vec(some_line, 0..12), prop::collection::vec(some_item, 0..12)).prop_map(
        |(lines, items)| {
            let lines = (1..).zip(lines).map(|(id, (_, left, after, names))| Line {
                day: day(after),
                codes: if names % 3 == 0 { vec!["698".into()] } else { vec![] },
                ..naming(id, left, &[&format!("T{names}")])
            });
            let items = (1..).zip(items).map(|(id, (_, amount, after, file, is_return))| {
                let item = Item {
                    since: day(after),
                    file: (file > 0).then(|| FileId::from_u128(file)),
                    batch: u32::try_from(id % 3).ok().filter(|batch| *batch > 0),
                    ..item(id, amount)
                };
                if is_return { returned(item) } else { item }
            });
            Input { lines: lines.collect(), items: items.collect(), files: files(&[1, 2]) }
        },
    )
}

/// All strategies, each with a tolerance.
fn all_rules() -> RuleSet {
    let near = |of: &str| Rule {
        of: Some(of.into()),
        difference: Some(10),
        node: Some(NODE),
        currency: Some(Currency::USD),
        ..Rule::new(&format!("near-{of}"), Means::Tolerance)
    };
    let exact = [Means::Reference, Means::File, Means::Returns, Means::Amount];
    let exact = exact.into_iter().flat_map(|means| [Rule::new(means.as_str(), means), near(means.as_str())]);
    let rest = [
        fees(),
        Rule::new("group", Means::Group),
        Rule { threshold: Some(1), ..Rule::new("similar", Means::Suggest) },
    ];
    set(exact.chain(rest).collect())
}

proptest! {
    #[test]
    fn no_item_is_explained_twice(input in any_input()) {
        let outcome = run(&input, &all_rules());
        let mut left: std::collections::HashMap<_, i64> =
            input.items.iter().map(|item| ((item.transaction, item.account), item.amount)).collect();
        for it in &outcome.matches {
            let line = input.lines.iter().find(|line| line.id == it.line).expect("a line");
            prop_assert_eq!(it.parts.amount(), i128::from(line.left));
            for part in &it.parts.items {
                let open = left.get_mut(&(part.transaction, part.account)).expect("an open item");
                prop_assert!(part.amount.signum() == open.signum() && part.amount.abs() <= open.abs());
                *open -= part.amount;
            }
        }
        let mut lines: Vec<_> = outcome.matches.iter().map(|it| it.line).collect();
        lines.dedup();
        prop_assert_eq!(lines.len(), outcome.matches.len());
    }

    #[test]
    fn order_of_input_changes_nothing(input in any_input(), seed in any::<u64>()) {
        let mut other = input.clone();
        let at = |length: usize| usize::try_from(seed).unwrap_or_default().checked_rem(length).unwrap_or(0);
        let (line, item) = (at(other.lines.len()), at(other.items.len()));
        other.lines.rotate_left(line);
        other.items.rotate_left(item);
        other.lines.reverse();
        other.files.reverse();
        let set = all_rules();
        prop_assert_eq!(run(&input, &set), run(&other, &set));
        prop_assert_eq!(run(&input, &set), run(&input, &set));
    }

    #[test]
    fn suggestions_are_of_unmatched_lines(input in any_input()) {
        let outcome = run(&input, &all_rules());
        for it in &outcome.suggestions {
            prop_assert!(outcome.matches.iter().all(|made| made.line != it.line));
            prop_assert!((1..=100).contains(&it.score) && !it.items.is_empty());
        }
    }
}
