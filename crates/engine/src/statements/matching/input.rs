//! Input of the matching: the lines in suspense with their texts, the open items with their names, and the files.

use std::collections::{BTreeMap, HashMap};

use daybook_domain::breaks::Break;
use daybook_domain::calendar::Day;
use daybook_domain::matching::{Input, Item, Line, MIN_WORD_CHARS, RuleSet, SentFile};
use daybook_domain::statement::book::MAX_LINES_AT_ONCE;
use daybook_domain::{BreakId, CustodyId, Event, FileId, Key, StatementId, States, Timestamp};
use daybook_log::Position;
use daybook_projector::{OpenItemRow, Page, RecordedEvent, Timeline};

use super::Patterns;
use super::batches::Batches;
use crate::access::PlatformRecord;
use crate::contents::StatementLine;
use crate::engine::Engine;
use crate::ops::{OpsError, trace};
use crate::rails::ach::reference_code;
use crate::reconciliation::moves_money;
use crate::statements::entries::entry_of;
use crate::statements::intake::aside;
use crate::statements::keep;

/// A time after every item: the first millisecond of the year 10000.
const THE_END: Timestamp = Timestamp::from_ms(253_402_300_800_000);

/// Number of words of a line.
const MAX_WORDS: usize = 100;

/// All rows of a list, up to a million, the oldest first. One query reads them: rows that another process clears between two
/// pages would shift the others, and an amount would look unique.
const ALL: Page = Page { number: 1, size: 1_000_000 };

/// Number of records that are read at once.
const RECORDS_AT_ONCE: usize = 1_000;

/// Gathers the input of a custody. Reads nothing else if no line is in suspense.
pub(super) async fn gather(
    engine: &Engine,
    platform: &PlatformRecord,
    custody: CustodyId,
    set: RuleSet,
) -> Result<Input, OpsError> {
    let breaks = breaks(engine, platform, custody).await?;
    if breaks.is_empty() {
        return Ok(Input::default());
    }
    let (lines, _) = lines(engine, platform, breaks, set).await?;
    let rows = engine.reads().lists().open_items(platform.shard, platform.id, THE_END, ALL).await?;
    let (items, files) = items(engine, (platform, custody), (&rows, None), &mut Batches::default()).await?;
    Ok(Input { lines, items, files })
}

/// Returns the lines with what the patterns of a set find in their texts, and the number of lines whose texts are destroyed.
pub(in crate::statements) async fn lines(
    engine: &Engine,
    platform: &PlatformRecord,
    breaks: Vec<(BreakId, Break)>,
    set: RuleSet,
) -> Result<(Vec<Line>, usize), OpsError> {
    let mut texts = texts(engine, platform, &breaks).await?;
    let is_unread = |(id, of): &&(BreakId, Break)| of.statement.is_some() && !texts.contains_key(id);
    let unread = breaks.iter().filter(is_unread).count();
    let lines = aside(move || {
        let patterns = Patterns::of(&set);
        let line =
            |(id, of): (BreakId, Break)| line(id, &of, texts.remove(&id).unwrap_or_default(), &patterns);
        breaks.into_iter().map(line).collect()
    });
    Ok((lines.await?, unread))
}

/// A line with what the patterns find in its texts.
fn line(id: BreakId, of: &Break, stated: StatementLine, patterns: &Patterns) -> Line {
    let captures = patterns.captures(&stated.text, &stated.references);
    let words = words(&stated);
    let StatementLine { references, codes, .. } = stated;
    let &Break { currency, day, left, by_hand, .. } = of;
    Line { id, currency, day, left, by_hand, references, codes, captures, words }
}

/// The lines in suspense.
async fn breaks(
    engine: &Engine,
    platform: &PlatformRecord,
    custody: CustodyId,
) -> Result<Vec<(BreakId, Break)>, OpsError> {
    let reads = engine.reads();
    let ids = reads.lists().breaks(platform.shard, platform.id, ALL).await?.items;
    let mut all = vec![];
    for some in ids.chunks(RECORDS_AT_ONCE) {
        let keys: Vec<Key> = some.iter().map(|id| Key::from(*id)).collect();
        let found = reads.aggregates().records(platform.shard, &keys).await?;
        let open = some.iter().filter_map(|id| Some((*id, found.line_break(*id)?.clone())));
        all.extend(open.filter(|(_, of)| of.custody == custody && of.left != 0));
    }
    Ok(all)
}

/// The lines as the bank states them. Lines whose keys are destroyed are missing, and those of days without a file.
async fn texts(
    engine: &Engine,
    platform: &PlatformRecord,
    breaks: &[(BreakId, Break)],
) -> Result<HashMap<BreakId, StatementLine>, OpsError> {
    let mut wanted: BTreeMap<StatementId, usize> = BTreeMap::new();
    for statement in breaks.iter().filter_map(|(_, of)| of.statement) {
        *wanted.entry(statement).or_default() += 1;
    }
    let keys: Vec<Key> = wanted.keys().map(|id| Key::from(*id)).collect();
    let found = engine.reads().aggregates().records(platform.shard, &keys).await?;
    let ids: std::collections::HashSet<BreakId> = breaks.iter().map(|(id, _)| *id).collect();
    let mut texts = HashMap::new();
    for (id, count) in wanted {
        let lines = found.statement(id).map_or(0, |statement| statement.lines);
        // The numbers of its lines in suspense follow from their ids, so that only their pages are read.
        let numbers = (0..lines).filter(|number| ids.contains(&BreakId::of(id, *number))).take(count);
        let mut pages: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for number in numbers {
            pages.entry(number / MAX_LINES_AT_ONCE).or_default().push(number);
        }
        for (page, numbers) in pages {
            let Some(mut stated) = keep::page(engine, platform.shard, id, page).await? else { continue };
            for number in numbers {
                let line = stated.get_mut((number % MAX_LINES_AT_ONCE) as usize).map(std::mem::take);
                texts.extend(line.map(|line| (BreakId::of(id, number), line)));
            }
        }
    }
    Ok(texts)
}

/// Words of a line in which a part of a name can be.
fn words(line: &StatementLine) -> Vec<String> {
    let texts = std::iter::once(line.text.as_str()).chain(line.references.iter().map(String::as_str));
    let words = texts.flat_map(|text| text.split(|letter: char| !letter.is_ascii_alphanumeric()));
    words.filter(|word| word.len() >= MIN_WORD_CHARS).take(MAX_WORDS).map(str::to_owned).collect()
}

/// Returns open items, and the files in which their entries went to the bank. As of a position, the timelines tell since when
/// the items are open; the rows need not.
pub(in crate::statements) async fn items(
    engine: &Engine,
    (platform, custody): (&PlatformRecord, CustodyId),
    (rows, at): (&[OpenItemRow], Option<Position>),
    batches: &mut Batches,
) -> Result<(Vec<Item>, Vec<SentFile>), OpsError> {
    let originator = trace::originator(engine, platform, custody).await?;
    let (aggregates, shard) = (engine.reads().aggregates(), platform.shard);
    let (mut items, mut files) = (vec![], BTreeMap::new());
    for some in rows.chunks(RECORDS_AT_ONCE) {
        let keys: Vec<Key> = some.iter().map(|row| Key::from(row.transaction)).collect();
        let timelines = match at {
            None => aggregates.timelines(shard, &keys).await?,
            Some(position) => aggregates.timelines_at(shard, &keys, position).await?,
        };
        for row in some {
            let timeline = timelines.get(&Key::from(row.transaction));
            let since = at.and(timeline).and_then(moved_at).unwrap_or(row.since);
            let entry = timeline.and_then(|events| entry_of(events, row.account));
            files.extend(entry.map(|(submitted, day)| (submitted.file, day)));
            let trace = entry.and_then(|(submitted, _)| originator.trace(submitted.trace).ok());
            let row = OpenItemRow { since, ..*row };
            items.push(item(&row, trace, entry.map(|(submitted, _)| submitted.file)));
        }
    }
    batches.set(engine, (platform, custody), &mut items).await?;
    Ok((items, sent(files)))
}

/// Time of the last step of a transaction that moved money: its items are open since then.
fn moved_at(timeline: &Timeline) -> Option<Timestamp> {
    let moved = |it: &&RecordedEvent| matches!(&it.event, Event::Transaction(event) if moves_money(event));
    timeline.iter().rfind(moved).map(|happened| happened.effective_at)
}

/// The files, with the names by which references mean them.
fn sent(files: BTreeMap<FileId, Day>) -> Vec<SentFile> {
    let file = |(id, day): (FileId, Day)| {
        let names = vec![id.to_string(), reference_code(id)];
        SentFile { id, day, names }
    };
    files.into_iter().map(file).collect()
}

fn item(row: &OpenItemRow, trace: Option<String>, file: Option<FileId>) -> Item {
    let &OpenItemRow { transaction, account, currency, amount, since } = row;
    Item {
        transaction,
        account,
        currency,
        amount,
        since: Day::of(since),
        names: std::iter::once(transaction.to_string()).chain(trace).collect(),
        file,
        batch: None,
    }
}
