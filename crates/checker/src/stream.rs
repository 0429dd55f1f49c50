//! Streams: checks that an event continues its stream, that the aggregates it names exist, and that its aggregate
//! allows it.

use std::collections::hash_map::Entry;

use daybook_domain::account::{Cause, Event as AccountEvent};
use daybook_domain::node::Event as NodeEvent;
use daybook_domain::{Event, Key, Kind, NodeId, State, Timestamp, UserId};

use crate::payments::Step;
use crate::{CheckedEvent, Stream, Verifier};

impl Verifier {
    /// Folds an event into its stream and returns its inconsistencies.
    pub(crate) fn stream(&mut self, event: &CheckedEvent) -> Vec<String> {
        let mut wrong = vec![];
        let Some(kind) = event.kind else { return wrong };
        let (id, platform) = (event.stream.into(), event.platform.into());
        let slot = self.streams.entry(id);
        let known = if let Entry::Occupied(slot) = &slot { Some(*slot.get()) } else { None };
        let before = known.unwrap_or(Stream { platform, version: 0, kind, is_whole: self.is_whole });
        let continues = before.version.checked_add(1) == Some(event.version);
        if !continues && (known.is_some() || self.is_whole) {
            wrong.push(format!("version {} follows version {}", event.version, before.version));
        }
        if (before.kind, before.platform) != (kind, platform) {
            wrong.push("its stream is of another kind or platform".to_owned());
        }
        let is_whole = before.is_whole && event.event.is_some() && continues;
        slot.insert_entry(Stream { version: event.version, is_whole, ..before });
        let at = Timestamp::from_ms(event.effective_at_us.unwrap_or(event.recorded_at_us) / 1_000);
        if let Some(it) = event.event.as_ref().filter(|it| it.kind() == kind) {
            let begins = event.version == 1 && known.is_none();
            self.begins(event, it, at, begins, &mut wrong);
            let whole = StreamCoverage { begins, is_whole: before.is_whole };
            wrong.extend(self.fold(event, it, at, whole));
            self.counts(event, it, &mut wrong);
        }
        wrong
    }

    /// Checks that a stream begins with an event that begins a state of its kind, and that no later event does.
    fn begins(
        &mut self,
        event: &CheckedEvent,
        it: &Event,
        at: Timestamp,
        begins: bool,
        wrong: &mut Vec<String>,
    ) {
        // A kind whose last event is its whole state can begin with any of its events.
        let may_not = |kind: Kind| !kind.last_event_is_state() && event.version != 1;
        if begins {
            match State::begin(it, at) {
                Ok(state) => {
                    let key = Key { kind: it.kind(), id: event.stream };
                    let says = state.platform(key).map(daybook_domain::PlatformId::as_u128);
                    if says.is_some_and(|says| says != event.platform) {
                        wrong.push("its platform differs from the one in its data".to_owned());
                    }
                    self.knows(event, &state, wrong);
                }
                Err(error) => wrong.push(error.to_string()),
            }
        } else if may_not(it.kind()) && State::begin(it, at).is_ok() {
            wrong.push("its stream begins again".to_owned());
        }
        let has_platform = !matches!(it.kind(), Kind::Platform | Kind::Roles);
        if self.is_whole && has_platform && self.books.platform(event.platform).is_none() {
            wrong.push("its platform was not opened".to_owned());
        }
    }

    /// Checks that the aggregates named by the first event of a stream exist and belong to the same platform.
    fn knows(&mut self, event: &CheckedEvent, state: &State, wrong: &mut Vec<String>) {
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
            State::Attachment(it) => {
                named.push(user(it.subject));
                named.extend(it.evidence.map(|id| (Kind::Evidence, id.as_u128())));
            }
            State::Statement(it) => named.push((Kind::Custody, it.custody.as_u128())),
            State::Evidence(it) => named.push((Kind::Custody, it.custody.as_u128())),
            State::Break(it) => {
                named.push((Kind::Custody, it.custody.as_u128()));
                named.extend(it.statement.map(|id| (Kind::Statement, id.as_u128())));
            }
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
            | State::Subscription(_)
            | State::Attestation(_)
            | State::Roles(_) => {}
        }
        for (kind, id) in named {
            let known = self.streams.get(&id.into());
            let is_theirs = known.is_some_and(|it| (it.kind, it.platform) == (kind, event.platform.into()));
            if !is_theirs && self.is_whole {
                wrong.push(format!("it names a {kind:?} that its platform does not have").to_lowercase());
            }
        }
    }

    fn fold(
        &mut self,
        event: &CheckedEvent,
        it: &Event,
        at: Timestamp,
        whole: StreamCoverage,
    ) -> Vec<String> {
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
                // If earlier events were not read, the node may have limits of its own that are unknown here.
                let platform = self.books.platform(event.platform).filter(|_| self.is_whole);
                self.accounts.entry(id, entry, at, platform, whole.begins)
            }
            Event::Transaction(it) => {
                let reserve = self.books.platform(event.platform).map(|platform| platform.reserve);
                let StreamCoverage { begins: is_first, is_whole } = whole;
                let step = Step { id, position, event: it, reserve, is_first, is_whole };
                self.payments.fold(&step, &mut self.decision)
            }
            Event::Custody(it) => {
                self.books.custody_event((id, event.platform, position), it, at, &mut self.decision)
            }
            Event::Statement(it) => {
                self.books.statement_event((id, event.platform, position), it, at, &mut self.decision)
            }
            Event::Operation(it) => {
                if let daybook_domain::operation::Event::Journaled(journaled) = it {
                    for (node, amount) in journaled.postings.node_changes() {
                        let currency = journaled.postings.currency();
                        self.decision.causes(id, node, currency, [amount, 0, 0], position);
                    }
                }
                self.books.operation_event((id, position), it, whole.is_whole, &mut self.decision)
            }
            Event::Break(it) => {
                let of = (id, position, whole.is_whole);
                self.breaks.event(of, it, at, &self.books, &mut self.decision)
            }
            Event::User(_)
            | Event::Node(_)
            | Event::Subnet(_)
            | Event::Subscription(_)
            | Event::Attachment(_)
            | Event::Attestation(_)
            | Event::Evidence(_)
            | Event::Roles(_) => vec![],
        }
    }

    /// Checks the effective time: that of the platform's clock. Only a journal entry may have an earlier one.
    fn counts(&self, event: &CheckedEvent, it: &Event, wrong: &mut Vec<String>) {
        if !self.is_whole {
            return;
        }
        let ahead_us = self.books.platform(event.platform).map_or(0, |it| it.clock_ms.saturating_mul(1_000));
        let now_us = event.recorded_at_us.saturating_add(ahead_us);
        let expected = (now_us != event.recorded_at_us).then_some(now_us);
        let is_journal = match it {
            Event::Operation(it) => matches!(it, daybook_domain::operation::Event::Journaled(_)),
            Event::Account(AccountEvent::Entry(entry)) => matches!(entry.cause, Cause::Operation(_)),
            Event::Platform(_)
            | Event::User(_)
            | Event::Node(_)
            | Event::Transaction(_)
            | Event::Custody(_)
            | Event::Statement(_)
            | Event::Subnet(_)
            | Event::Subscription(_)
            | Event::Attachment(_)
            | Event::Attestation(_)
            | Event::Evidence(_)
            | Event::Break(_)
            | Event::Roles(_) => false,
        };
        let is_earlier = event.effective_at_us.is_none_or(|at| at <= now_us);
        if event.effective_at_us != expected && !(is_journal && is_earlier) {
            wrong.push("its effective time is not that of its platform's clock".to_owned());
        }
    }
}

/// Extent to which a stream is known.
#[derive(Clone, Copy)]
struct StreamCoverage {
    /// True if it is the first event of its stream.
    begins: bool,
    /// True if every earlier event was read.
    is_whole: bool,
}
