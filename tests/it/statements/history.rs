//! Random histories: their statements are compared with a fold of the log made by hand, and with earlier results.

use std::collections::{BTreeMap, BTreeSet};

use daybook_domain::calendar::{Day, Month};
use daybook_domain::node::NodeKind;
use daybook_domain::node::deactivate::Deactivate;
use daybook_domain::operation::Act;
use daybook_domain::posting::{LedgerAccount, Posting, Postings};
use daybook_domain::testing::fixture::{
    ANN, ANNS, ASLEEP, BOB, BOBS, HOUSE, OWNER, PLATFORM, advance_clock, between, bounce, fund, node,
    operate, owner, step,
};
use daybook_domain::time::DAY_MS;
use daybook_domain::transaction::advance::Step;
use daybook_domain::{
    AccountId, Command, Currency, Event, Key, NodeId, Timestamp, UserId, account, platform,
};
use daybook_log::PAGE;
use daybook_projector::{Error, Moment, Page, Reads, RecordedEvent, Statement, StatementOwner};
use daybook_random::Random;

use crate::read_models::story::{SHARD, Story, project};

/// A node of the platform that is closed during the history.
const CLOSED: NodeId = NodeId::from_u128(77);
/// Nodes that hold money.
const HELD: [NodeId; 5] = [HOUSE, ANNS, BOBS, ASLEEP, CLOSED];
const USERS: [UserId; 3] = [OWNER, ANN, BOB];

/// A statement with all its entries.
type Told = (Statement, Vec<RecordedEvent>);

/// A fold of the log made by hand: every event with the platform's time at which it was decided.
struct Fold {
    events: Vec<(RecordedEvent, Timestamp)>,
    /// The platform's time at the end.
    now: Timestamp,
}

impl Fold {
    async fn of(story: &Story) -> Self {
        let mut events = vec![];
        let (mut ahead, mut now) = (0, Timestamp::default());
        let head = story.head().await;
        while (events.len() as u64) < head {
            for recorded in story.log.read(SHARD, events.len() as u64, head).await.expect("reads") {
                let happened = RecordedEvent::decode(&recorded).expect("is an event");
                let at = happened.recorded_at.plus_ms(ahead);
                if let Event::Platform(platform::Event::ClockAdvanced(advanced)) = &happened.event {
                    ahead += advanced.ms;
                }
                now = happened.recorded_at.plus_ms(ahead);
                events.push((happened, at));
            }
        }
        Self { events, now }
    }

    fn of_key(&self, key: Key) -> impl Iterator<Item = &(RecordedEvent, Timestamp)> {
        self.events.iter().filter(move |(happened, _)| happened.key == key)
    }

    /// Returns opening balance, ending balance and entry positions of a node's statement for a month, if it has one.
    fn month(&self, id: NodeId, month: Month) -> Option<(i64, i64, Vec<u64>)> {
        let in_month = |at: &Timestamp| Month::of(Day::of(*at));
        let mut life = self.of_key(id.into());
        let (made, at) = life.next()?;
        let Event::Node(daybook_domain::node::Event::Created(created)) = &made.event else { return None };
        let is_end = |(happened, _): &&(RecordedEvent, Timestamp)| {
            matches!(happened.event, Event::Node(daybook_domain::node::Event::Deactivated(_)))
        };
        let made = in_month(at);
        let closed = life.find(is_end).map(|(_, at)| in_month(at)).or((!created.is_active).then_some(made));
        let (mut opening, mut ending, mut entries) = (0, 0, vec![]);
        for (happened, at) in self.of_key(AccountId::of(id, Currency::USD).into()) {
            let Event::Account(account::Event::Entry(entry)) = &happened.event else { continue };
            if in_month(at) < month {
                opening += entry.delta;
            }
            if in_month(at) <= month {
                ending += entry.delta;
            }
            if in_month(at) == month {
                entries.push(happened.position);
            }
        }
        let is_over = in_month(&self.now) > month;
        let lives = closed.is_none_or(|closed| month <= closed) || opening != 0 || !entries.is_empty();
        (is_over && made <= month && lives).then_some((opening, ending, entries))
    }

    /// Returns the statements of these nodes, the newest month first.
    fn list(&self, nodes: &[NodeId]) -> Vec<(NodeId, Month)> {
        let mut list = vec![];
        let mut month = Month::of(Day::of(self.now));
        while month >= Month::of(Day::default()) {
            list.extend(nodes.iter().filter(|id| self.month(**id, month).is_some()).map(|id| (*id, month)));
            month = month.previous();
        }
        list
    }
}

/// Returns all pages of a list.
async fn listed(reads: &Reads, whose: StatementOwner, size: u32) -> Vec<Statement> {
    let mut all = vec![];
    for number in 1.. {
        let page = Page { number, size };
        let listed =
            reads.statements().list(SHARD, PLATFORM, whose, Currency::USD, page).await.expect("lists");
        if listed.items.is_empty() {
            assert_eq!(listed.total, all.len() as u64);
            break;
        }
        all.extend(listed.items);
    }
    all
}

/// Returns a statement's entries, read in pages of `size`.
async fn entries(reads: &Reads, statement: &Statement, size: u32) -> Vec<RecordedEvent> {
    let mut all: Vec<RecordedEvent> = vec![];
    loop {
        let told = u32::try_from(all.len()).expect("few");
        let more = reads.statements().entries(SHARD, statement, told, size).await.expect("reads");
        if more.is_empty() {
            return all;
        }
        all.extend(more);
    }
}

/// Returns a random next command. Some are refused.
fn next(random: &mut Random, number: u128, now: Timestamp) -> Command {
    let sides = [(ANNS, BOBS), (BOBS, CLOSED), (CLOSED, HOUSE), (HOUSE, ANNS), (ANNS, CLOSED)];
    let (from, to) = sides[random.below(sides.len())];
    let older = number.saturating_sub(u128::from(random.up_to(9)));
    let amount = 1 + i64::try_from(random.below(400)).expect("small");
    match random.below(12) {
        0..=3 => between(number, from, to, amount).into(),
        4..=6 => step(older, [Step::Debit, Step::Credit, Step::Settle][random.below(3)]),
        7 => bounce(older, "R03").into(),
        8 => fund(from, amount),
        9 if random.below(3) == 0 => {
            advance_clock(i64::from(u32::try_from(random.below(70)).expect("small")) * DAY_MS + 1).into()
        }
        9 | 10 => {
            let posting = |account, amount| Posting { account, amount };
            let lines = vec![
                posting(LedgerAccount::Node(from), amount - 200),
                posting(LedgerAccount::Node(to), 200 - amount),
            ];
            let postings = Postings::new(Currency::USD, lines);
            let days = i64::try_from(random.below(90)).expect("small");
            let effective_at = (random.below(4) > 0).then(|| now.plus_ms(-days * DAY_MS));
            match postings {
                Ok(postings) => {
                    operate(number, Act::Journal { postings, effective_at, clears: vec![] }).into()
                }
                Err(_) => fund(to, amount),
            }
        }
        _ if random.below(6) == 0 => Deactivate { node: CLOSED, platform: PLATFORM, by: OWNER }.into(),
        _ => step(older, Step::Settle),
    }
}

/// Compares every statement with the fold, and with the result of the previous call, which it stores in `seen`.
async fn compare(
    story: &Story,
    reads: &Reads,
    seen: &mut BTreeMap<(NodeId, Month), Told>,
    over: &mut Option<Month>,
) {
    let fold = Fold::of(story).await;
    for user in USERS {
        let nodes: Vec<NodeId> = HELD.into_iter().filter(|id| owner(*id) == user).collect();
        let all = listed(reads, StatementOwner::User(user), 7).await;
        let mine: Vec<_> =
            all.iter().filter(|one| nodes.contains(&one.node)).map(|one| (one.node, one.month)).collect();
        assert_eq!(mine, fold.list(&nodes), "{user:?}");
    }
    let known: BTreeSet<_> = seen.keys().copied().collect();
    let mut told = BTreeSet::new();
    for id in HELD {
        for statement in listed(reads, StatementOwner::Node(id), 100).await {
            let Statement { month, position, opening, ending, .. } = statement;
            let (first, last, expected) = fold.month(id, month).expect("has a statement");
            assert_eq!((opening, ending), (first, last), "{id:?} {month}");
            let lines = entries(reads, &statement, 2).await;
            let positions: Vec<_> = lines.iter().map(|line| line.position).collect();
            assert_eq!(positions, expected, "{id:?} {month}");
            let account = AccountId::of(id, Currency::USD);
            let balance =
                reads.balances().balance_at(SHARD, account, Moment::Position(position)).await.expect("reads");
            assert_eq!(balance.expect("is there").posted, ending, "{id:?} {month}");
            let one =
                reads.statements().find(SHARD, PLATFORM, id, Currency::USD, month).await.expect("reads");
            assert_eq!(one, Some(statement));
            told.insert((id, month));
            let before = seen.entry((id, month)).or_insert_with(|| (statement, lines.clone()));
            assert_eq!(*before, (statement, lines), "{id:?} {month} has changed");
        }
    }
    // A month that was over before has the same statements as before.
    let was_over = |(_, month): &&(NodeId, Month)| over.is_some_and(|over| *month <= over);
    for key in told.iter().filter(was_over).chain(&known) {
        assert!(told.contains(key) && known.contains(key), "{key:?} came or went");
    }
    *over = Some(Month::of(Day::of(fold.now)).previous());
}

#[tokio::test]
async fn unprojected_month_has_no_statement() {
    let mut story = Story::begin().await;
    let (reads, _database) = story.projected().await;
    story.tell(advance_clock(40 * DAY_MS)).await;
    let month = Month::of(Day::default());
    let statement = async || reads.statements().find(SHARD, PLATFORM, ANNS, Currency::USD, month).await;
    assert!(matches!(statement().await, Err(Error::Behind { .. })));
    assert_eq!(listed(&reads, StatementOwner::Node(ANNS), 5).await, []);
    project(&reads).await;
    let found = statement().await.expect("reads").expect("is there");
    assert_eq!((found.opening, found.ending, found.month), (0, 1_000_000, month));
    assert_eq!(listed(&reads, StatementOwner::Node(ANNS), 5).await, [found]);
    // The next month is not over.
    let next = reads.statements().find(SHARD, PLATFORM, ANNS, Currency::USD, month.next()).await;
    assert_eq!(next.expect("reads"), None);
}

#[tokio::test]
async fn statements_equal_log_and_never_change() {
    let mut random = Random::of_test("statements");
    let mut story = Story::begin().await;
    story.tell(node(CLOSED, OWNER, NodeKind::DepositUs)).await;
    story.tell_all([BOBS, CLOSED, HOUSE].map(|id| fund(id, 5_000))).await;
    let (reads, _database) = story.reads().await;
    let (mut seen, mut over) = (BTreeMap::new(), None);
    for number in 0..120_u128 {
        story.world.pass(i64::try_from(random.below(4 * 86_400_000)).expect("small"));
        let mut command = next(&mut random, 10_000 + number, story.world.now_of(Some(PLATFORM)));
        if story.world.clone().submit(&command).is_err() {
            command = fund(BOBS, 1 + i64::try_from(number).expect("small"));
        }
        if story.world.clone().submit(&command).is_ok() {
            story.tell(command).await;
        }
        if random.below(6) == 0 {
            project(&reads).await;
            compare(&story, &reads, &mut seen, &mut over).await;
        }
    }
    project(&reads).await;
    compare(&story, &reads, &mut seen, &mut over).await;
    assert!(seen.len() > 20, "{}", seen.len());
    assert!(seen.values().any(|(statement, _)| statement.entries > 3));
    // Rebuilt tables return the same statements.
    let (anew, _other) = story.projected().await;
    for (id, month) in seen.keys().copied().collect::<Vec<_>>() {
        let found = anew.statements().find(SHARD, PLATFORM, id, Currency::USD, month).await.expect("reads");
        let found = found.expect("is there");
        assert_eq!((found, entries(&anew, &found, PAGE).await), seen[&(id, month)]);
    }
}
