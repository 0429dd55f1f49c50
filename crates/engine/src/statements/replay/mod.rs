//! Replay of the matching: what other rules would have matched in a period. Each run of the rules is repeated as of its own
//! position, with the lines and the open items that other rules would have left. Nothing is recorded.

mod line;
mod what_if;

use std::collections::BTreeMap;

use daybook_domain::breaks::Break;
use daybook_domain::calendar::Day;
use daybook_domain::custody;
use daybook_domain::matching::{self, Input, Line, RuleSet};
use daybook_domain::{BreakId, Currency, CustodyId, Event, Kind, Timestamp};
use daybook_log::{KindFilter, PAGE, Position};
use daybook_projector::{OpenItemRow, RecordedEvent, Tally};
pub use line::Explained;
use what_if::WhatIf;

use super::matching::batches::Batches;
use super::matching::input;
use crate::access::PlatformRecord;
use crate::engine::Engine;
use crate::ops::OpsError;
use crate::statements::intake::aside;

/// Differences that another rule set would have made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReplayedRules {
    /// Number of runs of the matching that were repeated.
    pub runs: u32,
    /// Number of lines whose texts cannot be read any more: rules about texts were not tried on them.
    pub unread: u32,
    /// Lines that would be explained otherwise, in the order of their days.
    pub lines: Vec<ReplayedLine>,
    /// Lines in suspense at the end: in the log, and under the other rules.
    pub breaks: BTreeMap<Currency, (Tally, Tally)>,
}

/// A line that another rule set would have explained otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplayedLine {
    /// The break.
    pub id: BreakId,
    /// The bank's id of the line.
    pub line: String,
    /// Day of the statement.
    pub day: Day,
    /// Currency of the amount.
    pub currency: Currency,
    /// Minor units; positive for money onto the account.
    pub amount: i64,
    /// Explanation in the log.
    pub was: Explained,
    /// Explanation under the other rules.
    pub would: Explained,
    /// True if the log contradicts a match of the other rules: something else cleared an item of it later, or an operator
    /// took the same match back.
    pub is_contradicted: bool,
}

/// A replay on its way through the log.
struct Replay<'a> {
    engine: &'a Engine,
    platform: &'a PlatformRecord,
    custody: CustodyId,
    set: RuleSet,
    what_if: WhatIf,
    /// Lines with their texts, read when a run first sees them.
    read: BTreeMap<BreakId, Line>,
    batches: Batches,
    told: ReplayedRules,
}

impl Engine {
    /// Repeats the runs of the matching at the positions `after + 1 ..= end` with another rule set.
    ///
    /// # Errors
    ///
    /// Fails if the log, the read models or the vault are unavailable.
    pub async fn replay_rules(
        &self,
        (platform, custody): (&PlatformRecord, CustodyId),
        set: RuleSet,
        (after, end): (Position, Position),
    ) -> Result<ReplayedRules, OpsError> {
        let what_if = WhatIf::new(platform.id, after);
        let (read, told) = (BTreeMap::new(), ReplayedRules::default());
        let batches = Batches::default();
        let mut replay = Replay { engine: self, platform, custody, set, what_if, read, batches, told };
        let others = Kind::codes_except(&[Kind::Transaction, Kind::Custody, Kind::Break]);
        let filter = KindFilter { kinds: others, later: vec![] };
        let mut read_to = 0;
        while read_to < end {
            let page = self.log().read_filtered(platform.shard, read_to, end, &filter).await;
            for recorded in &page.map_err(daybook_projector::Error::from)? {
                let happened = RecordedEvent::decode(recorded)?;
                replay.what_if.add(&happened);
                if happened.position > after && replay.is_run(&happened) {
                    replay.run(happened.position).await?;
                }
            }
            read_to = read_to.saturating_add(u64::from(PAGE)).min(end);
        }
        Ok(replay.end())
    }
}

impl Replay<'_> {
    /// True if the event ends a run of the custody's rules.
    fn is_run(&self, happened: &RecordedEvent) -> bool {
        happened.key == self.custody.into()
            && matches!(happened.event, Event::Custody(custody::Event::BreaksMatched(_)))
    }

    /// Repeats the run that ended at `position`.
    async fn run(&mut self, position: Position) -> Result<(), OpsError> {
        self.told.runs += 1;
        let lines = self.lines().await?;
        if lines.is_empty() {
            return Ok(());
        }
        let input = self.input(lines, position).await?;
        let set = self.set.clone();
        let outcome = aside(move || matching::run(&input, &set)).await?;
        let rules = self.set.rules();
        self.what_if
            .make(outcome.matches, |rule| rules.get(rule).map(|it| it.name.clone()).unwrap_or_default());
        Ok(())
    }

    /// The lines in suspense, with what the patterns capture from their texts.
    async fn lines(&mut self) -> Result<Vec<Line>, OpsError> {
        let open: Vec<(BreakId, Break)> =
            self.what_if.open_lines().map(|(id, of)| (id, of.clone())).collect();
        let new = open.iter().filter(|(id, _)| !self.read.contains_key(id)).cloned().collect();
        let (new, unread) = input::lines(self.engine, self.platform, new, self.set.clone()).await?;
        self.told.unread = self.told.unread.saturating_add(u32::try_from(unread).unwrap_or(u32::MAX));
        self.read.extend(new.into_iter().map(|line| (line.id, line)));
        let line = |(id, of): (BreakId, Break)| {
            let read = self.read.get(&id)?.clone();
            Some(Line { left: of.left, by_hand: of.by_hand, ..read })
        };
        Ok(open.into_iter().filter_map(line).collect())
    }

    /// The input of the run, with the open items as of its position.
    async fn input(&mut self, lines: Vec<Line>, position: Position) -> Result<Input, OpsError> {
        let row = |((transaction, account), currency, amount)| {
            let since = Timestamp::default();
            OpenItemRow { transaction, account, currency, amount, since }
        };
        let rows: Vec<OpenItemRow> = self.what_if.open_items().map(row).collect();
        let of = (self.platform, self.custody);
        let (items, files) =
            input::items(self.engine, of, (&rows, Some(position)), &mut self.batches).await?;
        Ok(Input { lines, items, files })
    }

    fn end(self) -> ReplayedRules {
        let mut told = self.told;
        for (id, line) in self.what_if.into_lines() {
            let of = &line.of;
            let (was, would) = told.breaks.entry(of.currency).or_default();
            for (tally, left) in [(was, line.was_left()), (would, of.left)] {
                tally.add(Tally { count: (left != 0).into(), minor: left.into() });
            }
            if !line.is_unchanged() || line.is_contradicted {
                let Break { day, currency, amount, .. } = *of;
                let (was, would, is_contradicted) = (line.was(), line.would(), line.is_contradicted);
                let line = of.line.clone();
                told.lines.push(ReplayedLine {
                    id,
                    line,
                    day,
                    currency,
                    amount,
                    was,
                    would,
                    is_contradicted,
                });
            }
        }
        told.lines
            .sort_by(|one, other| (one.day, &one.line, one.id).cmp(&(other.day, &other.line, other.id)));
        told
    }
}
