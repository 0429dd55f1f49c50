//! Days that a bank states anew. Each of them replaces a statement whose lines are all booked.
//!
//! The days of a currency that are stated anew follow one another. Later days stay booked only if the last of the new
//! days closes as the old one did.

use std::collections::BTreeMap;

use super::accept::StatedDay;
use super::{Refusal, Statement};
use crate::custody::{self, Custody};
use crate::id::{CustodyId, StatementId};
use crate::money::Currency;
use crate::state::States;

/// Replacements in a file.
pub(super) struct Days {
    /// Sum of the lines of later days that stay booked, in minor units.
    later: BTreeMap<Currency, i64>,
    /// Replaced statements that have lines to take back.
    with_lines: Vec<StatementId>,
}

/// Replacement of a statement.
#[derive(Clone, Copy)]
pub(super) struct Replacement {
    /// Sum of the lines of later days that stay booked, in minor units.
    pub(super) later: i64,
    /// The replaced statement, if it has lines to take back.
    pub(super) takes_back: Option<StatementId>,
}

/// The last day of a currency that is stated anew: the old statement, and the new closing balance.
struct Last<'a> {
    old: &'a Statement,
    closing: i64,
}

impl Days {
    /// Checks the replacements in a file for `custody`.
    pub(super) fn of(
        states: &impl States,
        (id, custody): (CustodyId, &Custody),
        statements: &[StatedDay],
    ) -> Result<Self, crate::Refusal> {
        let mut days = Self { later: BTreeMap::new(), with_lines: vec![] };
        let mut last: BTreeMap<Currency, Last<'_>> = BTreeMap::new();
        for (stated, replaces) in statements.iter().filter_map(|stated| Some((stated, stated.replaces?))) {
            let old = states.statement(replaces).ok_or(Refusal::NotReplaceable)?;
            let is_its = (old.custody, old.currency, old.day) == (id, stated.currency, stated.day);
            if !is_its || old.replaced_by.is_some() {
                return Err(Refusal::NotReplaceable.into());
            }
            let (opening, old_opening) = last
                .get(&stated.currency)
                .map_or((old.opening, old.opening), |it| (it.closing, it.old.closing));
            if stated.opening != opening || old.opening != old_opening {
                return Err(Refusal::LaterDays.into());
            }
            last.insert(stated.currency, Last { old, closing: stated.closing });
            days.with_lines.extend((old.lines > 0).then_some(replaces));
        }
        if !last.is_empty() && !custody.booking.is_empty() {
            return Err(custody::Refusal::Booking.into());
        }
        for (currency, Last { old, closing }) in last {
            let is_newest = old.day == custody.stated_on(currency);
            if !is_newest && closing != old.closing {
                return Err(Refusal::LaterDays.into());
            }
            let later = custody.balance(currency).checked_sub(old.closing).ok_or(Refusal::LaterDays)?;
            days.later.insert(currency, if is_newest { 0 } else { later });
        }
        Ok(days)
    }

    /// Returns the replacement that a statement makes, if any.
    pub(super) fn replacement(&self, stated: &StatedDay) -> Option<Replacement> {
        let replaces = stated.replaces?;
        let later = self.later.get(&stated.currency).copied().unwrap_or_default();
        Some(Replacement { later, takes_back: self.with_lines.contains(&replaces).then_some(replaces) })
    }
}
