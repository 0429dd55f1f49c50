//! Verification: everything that a log says about itself, checked by folding it once from the beginning.
//!
//! Positions, commits and streams have no holes; every event decodes and is, byte for byte, what it is written as; every
//! box is the one that was hashed; every stream begins as its kind does; every entry follows from the one before it and
//! from the postings of its decision; every transaction goes from state to state as the rules have it, with its money
//! where that state says.
//!
//! Pure: whoever calls it brings the rows. It compares nothing with what was folded elsewhere, and it cannot see a
//! history that was rewritten so that all of this still holds.

mod accounts;
mod books;
mod check;
mod commits;
mod decision;
mod finding;
mod ids;
mod payments;
mod roots;
mod tiles;
mod walk;

use daybook_domain::account::Event as AccountEvent;
use daybook_domain::node::Event as NodeEvent;
use daybook_domain::{Event, Key, Kind, NodeId, State, Timestamp, UserId};
use daybook_log::Shard;
use daybook_log::raw::{RawCommit, RawEvent};
use daybook_proof::Frontier;

use self::accounts::Accounts;
use self::books::Books;
pub use self::check::Checked;
use self::commits::Commits;
use self::decision::Decision;
pub use self::finding::Finding;
use self::finding::Findings;
use self::ids::Ids;
use self::payments::{Payments, Step};
use self::roots::Roots;
pub use self::roots::Trust;
use self::tiles::Tiles;
pub use self::walk::{Walk, walk};

/// What came of a verification.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// How many events were read.
    pub events: u64,
    /// How many commits were read.
    pub commits: u64,
    /// How many streams the events were of.
    pub streams: u64,
    /// How many events have the hash of a box that was not read with them.
    pub lacking_boxes: u64,
    /// What is wrong, in order of position; at most a thousand.
    pub findings: Vec<Finding>,
    /// How many findings there were in all.
    pub total: u64,
    /// What was not checked. Anything here means that an empty list of findings is no proof.
    pub unchecked: Vec<String>,
}

/// Folds a log and notes what is not as it must be. Memory grows with the streams: about 100 bytes each, and 200 more
/// for a transaction that is under way.
#[derive(Debug)]
pub struct Verifier {
    position: u64,
    /// Whether the log is read from its beginning.
    is_whole: bool,
    events: u64,
    lacking_boxes: u64,
    commits: Commits,
    streams: Ids<Stream>,
    /// Of nodes.
    owners: Ids<ids::Id>,
    accounts: Accounts,
    payments: Payments,
    books: Books,
    decision: Decision,
    /// Which decision that is: commit and command.
    deciding: (u64, Option<u128>),
    /// The hash tree, if it is looked at.
    roots: Option<Roots>,
    found: Findings,
}

/// What is known of a stream.
#[derive(Clone, Copy, Debug)]
struct Stream {
    platform: ids::Id,
    version: i32,
    kind: Kind,
    /// Whether all of its events could be read.
    is_whole: bool,
}

impl Default for Verifier {
    fn default() -> Self {
        Self::new()
    }
}

impl Verifier {
    /// Begins at the beginning.
    #[must_use]
    pub fn new() -> Self {
        Self::after(0, 0)
    }

    /// Begins after the commit `commit_no`, which ends at `position`. What began before is taken as it is found.
    #[must_use]
    pub fn after(commit_no: u64, position: u64) -> Self {
        Self {
            position,
            is_whole: position == 0,
            events: 0,
            lacking_boxes: 0,
            commits: Commits::after(commit_no, position),
            streams: Ids::default(),
            owners: Ids::default(),
            accounts: Accounts::default(),
            payments: Payments::default(),
            books: Books::default(),
            decision: Decision::default(),
            deciding: (0, None),
            roots: None,
            found: Findings::default(),
        }
    }

    /// Computes the hash tree, too, from `frontier` on, and compares it with what commits and `trust` say; without a
    /// frontier nothing is known of it.
    #[must_use]
    pub fn with_roots(self, shard: Shard, frontier: Option<Frontier>, trust: Trust) -> Self {
        Self { roots: Some(Roots::new(shard, frontier, trust)), ..self }
    }

    /// Folds the next rows. Both in order; commits may be ahead of the events and must not be behind them.
    pub fn page(&mut self, shard: Shard, events: &[RawEvent], commits: &[RawCommit]) {
        self.commits(commits);
        for event in events {
            self.event(&Checked::of(event, shard));
        }
    }

    /// Takes commits whose events come next.
    pub fn commits(&mut self, commits: &[RawCommit]) {
        for commit in commits {
            self.commits.take(commit, &mut self.found);
            if let Some(roots) = &mut self.roots {
                roots.take(commit);
            }
        }
    }

    /// The last position of the commits that were taken.
    #[must_use]
    pub const fn commits_end(&self) -> u64 {
        self.commits.end()
    }

    /// Folds the next event, which was looked at by itself already.
    pub fn event(&mut self, event: &Checked) {
        self.events += 1;
        self.lacking_boxes += u64::from(event.lacks_box);
        self.follows(event.position);
        let commit_no = self.commits.of(event, &mut self.found).map_or(0, |commit| commit.commit_no);
        if (commit_no, event.cause) != self.deciding {
            self.close();
            self.deciding = (commit_no, event.cause);
        }
        let name =
            || event.kind.map_or_else(|| "stream".to_owned(), |kind| format!("{kind:?}").to_lowercase());
        let place = || format!("{} {}", name(), NodeId::from_u128(event.stream));
        for what in &event.wrong {
            self.found.add(event.position, place(), what);
        }
        for what in self.stream(event) {
            self.found.add(event.position, place(), what);
        }
        if let Some(roots) = &mut self.roots {
            roots.event(event, &mut self.found);
        }
    }

    /// What is wrong although no event shows it.
    pub fn note(&mut self, finding: Finding) {
        self.found.take(finding);
    }

    /// What was found so far, in the order in which it was found. At the end of a commit nothing about what came before
    /// is still to be found.
    pub fn findings(&mut self) -> &[Finding] {
        self.close();
        self.deciding = (0, None);
        self.found.kept()
    }

    /// The tiles that there have to be, if all of the log was read. Asked once, at the end.
    fn take_tiles(&mut self) -> Option<Tiles> {
        self.roots.as_mut().filter(|_| self.is_whole)?.take_tiles()
    }

    /// Ends at the end of the log.
    #[must_use]
    pub fn finish(mut self) -> Report {
        self.close();
        if self.commits.end() > self.position {
            let what = format!("the log ends here, its commits at {}", self.commits.end());
            self.found.add(self.position + 1, "end of the log", what);
        }
        let part = "what happened before the first position that was read, and whatever follows from it";
        let mut unchecked = if self.is_whole { vec![] } else { vec![part.to_owned()] };
        if let Some(roots) = &self.roots {
            roots.finish(self.position, &mut self.found);
            unchecked.extend(roots.unchecked());
        }
        let (findings, total) = self.found.finish();
        Report {
            events: self.events,
            commits: self.commits.count(),
            streams: self.streams.len() as u64,
            lacking_boxes: self.lacking_boxes,
            findings,
            total,
            unchecked,
        }
    }

    fn follows(&mut self, position: u64) {
        let expected = self.position + 1;
        if position > expected {
            let what = format!("positions {expected} to {} are missing", position - 1);
            self.found.add(expected, "log", what);
        } else if position < expected {
            self.found.add(position, "log", "this position comes twice");
        }
        self.position = position.max(self.position);
    }

    fn close(&mut self) {
        let decision = std::mem::take(&mut self.decision);
        decision.close(&mut self.found);
        for (position, what) in self.books.close(&decision) {
            self.found.add(position, "bank", what);
        }
    }

    /// Folds an event into its stream; what is wrong with it there.
    fn stream(&mut self, event: &Checked) -> Vec<String> {
        let mut wrong = vec![];
        let Some(kind) = event.kind else { return wrong };
        let (id, platform) = (event.stream.into(), event.platform.into());
        let known = self.streams.get(&id).copied();
        let before = known.unwrap_or(Stream { platform, version: 0, kind, is_whole: self.is_whole });
        let continues = before.version.checked_add(1) == Some(event.version);
        if !continues && (known.is_some() || self.is_whole) {
            wrong.push(format!("version {} follows version {}", event.version, before.version));
        }
        if (before.kind, before.platform) != (kind, platform) {
            wrong.push("its stream is of another kind or platform".to_owned());
        }
        let is_whole = before.is_whole && event.event.is_some() && continues;
        self.streams.insert(id, Stream { version: event.version, is_whole, ..before });
        let at = Timestamp::from_ms(event.effective_at_us.unwrap_or(event.recorded_at_us) / 1_000);
        if let Some(it) = event.event.as_ref().filter(|it| it.kind() == kind) {
            let begins = event.version == 1 && known.is_none();
            self.begins(event, it, at, begins, &mut wrong);
            let whole = Whole { begins, is_whole: before.is_whole };
            wrong.extend(self.fold(event, it, at, whole));
            self.counts(event, it, &mut wrong);
        }
        wrong
    }

    /// A stream begins with an event with which streams of its kind begin, and with no other.
    fn begins(&mut self, event: &Checked, it: &Event, at: Timestamp, begins: bool, wrong: &mut Vec<String>) {
        let begun = State::begin(it, at);
        match (begins, &begun) {
            (true, Err(error)) => wrong.push(error.to_string()),
            (false, Ok(_)) if it.kind() != Kind::Account && event.version != 1 => {
                wrong.push("its stream begins again".to_owned());
            }
            (true | false, _) => {}
        }
        if let (true, Ok(state)) = (begins, &begun) {
            let key = Key { kind: it.kind(), id: event.stream };
            let says = state.platform(key).map(daybook_domain::PlatformId::as_u128);
            if says.is_some_and(|says| says != event.platform) {
                wrong.push("it is of another platform than it says".to_owned());
            }
            self.knows(event, state, wrong);
        }
        if self.is_whole && self.books.platform(event.platform).is_none() && it.kind() != Kind::Platform {
            wrong.push("its platform was not opened".to_owned());
        }
    }

    /// Whom the beginning of a stream names is there.
    fn knows(&mut self, event: &Checked, state: &State, wrong: &mut Vec<String>) {
        let mut named: Vec<(Kind, u128)> = vec![];
        let user = |user: UserId| (Kind::User, user.as_u128());
        match state {
            State::Node(node) => {
                named.push(user(node.user));
                self.owners.insert(event.stream.into(), node.user.as_u128().into());
            }
            State::Transaction(it) => {
                named.push(user(it.subject));
                for party in [&it.from, &it.to] {
                    named.extend(party.user().map(user));
                    named.extend(party.node().map(|node| (Kind::Node, node.as_u128())));
                }
                named.extend(it.fees.iter().map(|fee| (Kind::Node, fee.to.as_u128())));
            }
            State::Attachment(it) => named.push(user(it.subject)),
            State::Subnet(it) => {
                named.extend([user(it.user), (Kind::Node, it.node.as_u128())]);
                let owner = self.owners.get(&it.node.as_u128().into());
                if owner.is_some_and(|owner| *owner != it.user.as_u128().into()) {
                    wrong.push("its node is another user's".to_owned());
                }
            }
            State::Platform(_)
            | State::User(_)
            | State::Account(_)
            | State::Custody(_)
            | State::Operation(_)
            | State::Subscription(_) => {}
        }
        for (kind, id) in named {
            let known = self.streams.get(&id.into());
            let is_theirs = known.is_some_and(|it| (it.kind, it.platform) == (kind, event.platform.into()));
            if !is_theirs && self.is_whole {
                wrong.push(format!("it names a {kind:?} that its platform does not have").to_lowercase());
            }
        }
    }

    fn fold(&mut self, event: &Checked, it: &Event, at: Timestamp, whole: Whole) -> Vec<String> {
        let (id, position) = (event.stream, event.position);
        if let Some(postings) = it.postings() {
            self.books.post(event.platform, postings);
        }
        match it {
            Event::Platform(it) => {
                self.books.platform_event(id, it, at, &mut self.decision);
                vec![]
            }
            Event::Node(NodeEvent::LimitsSet(set)) => {
                self.accounts.set_limits(NodeId::from_u128(id), &set.limits);
                vec![]
            }
            Event::Account(AccountEvent::Entry(entry)) => {
                let by = [entry.delta, entry.hold_delta, entry.pending_delta];
                let cause = entry.cause.as_u128();
                self.decision.enters(cause, entry.node, entry.currency, by, entry.returned, position);
                // A node's own limits may have been set before the first position that is read.
                let platform = self.books.platform(event.platform).filter(|_| self.is_whole);
                self.accounts.entry(id, entry, at, platform, whole.begins)
            }
            Event::Transaction(it) => {
                let reserve = self.books.platform(event.platform).map(|platform| platform.reserve);
                let Whole { begins: is_first, is_whole } = whole;
                let step = Step { id, position, event: it, reserve, is_first, is_whole };
                self.payments.fold(&step, &mut self.decision)
            }
            Event::Custody(it) => {
                self.books.custody_event((id, event.platform, position), it, at, &mut self.decision)
            }
            Event::Operation(it) => {
                if let daybook_domain::operation::Event::Journaled(journaled) = it {
                    for (node, amount) in journaled.postings.node_changes() {
                        let currency = journaled.postings.currency();
                        self.decision.causes(id, node, currency, [amount, 0, 0], position);
                    }
                }
                self.books.operation_event(id, it, whole.is_whole)
            }
            Event::User(_)
            | Event::Node(_)
            | Event::Subnet(_)
            | Event::Subscription(_)
            | Event::Attachment(_) => vec![],
        }
    }

    /// An event counts by its platform's clock; what corrects the past counts earlier.
    fn counts(&self, event: &Checked, it: &Event, wrong: &mut Vec<String>) {
        if !self.is_whole {
            return;
        }
        let ahead_us = self.books.platform(event.platform).map_or(0, |it| it.clock_ms.saturating_mul(1_000));
        let now_us = event.recorded_at_us.saturating_add(ahead_us);
        let expected = (now_us != event.recorded_at_us).then_some(now_us);
        let is_journal = match it {
            Event::Operation(it) => matches!(it, daybook_domain::operation::Event::Journaled(_)),
            Event::Account(AccountEvent::Entry(entry)) => entry.cause.transaction().is_none(),
            Event::Platform(_)
            | Event::User(_)
            | Event::Node(_)
            | Event::Transaction(_)
            | Event::Custody(_)
            | Event::Subnet(_)
            | Event::Subscription(_)
            | Event::Attachment(_) => false,
        };
        let is_earlier = event.effective_at_us.is_none_or(|at| at <= now_us);
        if event.effective_at_us != expected && !(is_journal && is_earlier) {
            wrong.push("it does not count when its platform's clock says".to_owned());
        }
    }
}

/// How much of a stream is known.
#[derive(Clone, Copy)]
struct Whole {
    /// Nothing came before.
    begins: bool,
    /// Everything that came before was read.
    is_whole: bool,
}
