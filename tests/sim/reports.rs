//! The product's reconciliation report over a whole history, against the auditor's numbers.

use std::collections::{BTreeMap, HashMap};

use daybook_domain::breaks::Event as BreakEvent;
use daybook_domain::calendar::Day;
use daybook_domain::testing::fixture::PLATFORM;
use daybook_domain::{BreakId, Currency, Event};
use daybook_engine::reconciliation::{Books, Found, Period, Report};
use daybook_projector::RecordedEvent;

use crate::auditor::{Auditor, TieOut};

/// Returns the report of the period after these events. Ages are those at the end of its last day.
pub(crate) fn report(events: &[RecordedEvent], period: Period) -> Report {
    let mut books = Books::new(PLATFORM, period, 0);
    let mut found = Found { breaks: HashMap::new(), transactions: HashMap::new() };
    for happened in events {
        books.add(happened);
        if let Event::Break(BreakEvent::Opened(opened)) = &happened.event {
            let id = BreakId::from_u128(happened.key.id);
            found.breaks.insert(id, (happened.position, opened.clone()));
        }
    }
    let position = events.last().map_or(0, |last| last.position);
    books.end(position, (period.to, BTreeMap::new()), &found)
}

/// Compares the tie-out of each currency.
pub(crate) fn agree(events: &[RecordedEvent], auditor: &Auditor) -> Result<(), String> {
    let today = Day::of(auditor.now());
    let mut tied: Vec<(Currency, TieOut)> = vec![];
    for it in report(events, Period { from: today, to: today }).tie_outs {
        let differences = [it.difference(), it.bank_difference(), it.open_difference()];
        if differences != [0, 0, 0] {
            return Err(format!("the report says: {it:?}"));
        }
        let told = TieOut {
            stated: it.stated,
            open: it.open.minor,
            breaks: it.breaks.minor,
            journaled: -it.unnamed(),
            nodes: -it.ledger.nodes,
            transit: -it.ledger.transit,
        };
        tied.push((it.currency, told));
    }
    for (currency, told) in tied {
        let expected = auditor.tie_out(currency);
        if told != expected {
            return Err(format!("the report says {told:?}, the auditor {expected:?}"));
        }
    }
    Ok(())
}
