//! Pages of a statement. Source: ISO 20022, `MsgPgntn` of the message, and `StmtPgntn` of a statement from .03 on.
//!
//! Pages are joined if all of them are there. A page without the others is a pending statement that names its place:
//! its lines are booked when all pages are read together.

use std::collections::BTreeMap;

use super::balances::Role;
use super::unit::Unit;
use super::values::{fault, required};
use crate::{Fault, Statement};

/// Marks of a statement that waits for other pages.
pub(super) const MARKS: [&str; 3] = ["page", "last_page", "page_of"];

/// Statements of all units, in the order of their first pages.
pub(super) fn statements(units: Vec<Unit>) -> Result<Vec<Statement>, Fault> {
    let mut groups: Vec<Vec<Unit>> = Vec::new();
    let mut known = BTreeMap::new();
    for unit in units {
        let next = groups.len();
        let key = (unit.account().to_owned(), unit.id.clone());
        let at = if unit.page.is_one_of_several() { *known.entry(key).or_insert(next) } else { next };
        match groups.get_mut(at) {
            Some(group) => group.push(unit),
            None => groups.push(vec![unit]),
        }
    }
    let mut statements = Vec::with_capacity(groups.len());
    for group in groups {
        statements.extend(if is_paged(&group) { of_pages(group)? } else { of_whole(joined(group))? });
    }
    Ok(statements)
}

fn is_paged(group: &[Unit]) -> bool {
    group.first().is_some_and(|unit| unit.page.is_one_of_several())
}

/// Joins units in their order.
fn joined(group: Vec<Unit>) -> Option<Unit> {
    group.into_iter().reduce(|mut whole, page| {
        whole.append(page);
        whole
    })
}

/// Statements of a unit that must be right by itself.
fn of_whole(unit: Option<Unit>) -> Result<Vec<Statement>, Fault> {
    let Some(unit) = unit else { return Ok(Vec::new()) };
    // Again: the pages may be of several currencies, each right by itself.
    unit.check_head()?;
    unit.check_summaries()?;
    let days = unit.days()?;
    Ok(unit.statements(days, &[]))
}

fn of_pages(mut group: Vec<Unit>) -> Result<Vec<Statement>, Fault> {
    let mut numbers = Vec::with_capacity(group.len());
    for unit in &group {
        numbers.push((required(unit.page.number, unit.start, unit.kind.unit, "PgNb")?, unit.page.at));
    }
    numbers.sort_unstable();
    let twice = numbers.iter().zip(numbers.iter().skip(1)).find(|(one, next)| one.0 == next.0);
    if let (Some((_, (number, at))), Some(unit)) = (twice, group.first()) {
        return Err(fault(*at, unit.kind.unit, "PgNb", "the page is stated twice").found(number));
    }
    group.sort_by_key(|unit| unit.page.number);
    if is_complete(&group) {
        return of_whole(joined(group));
    }
    // A statement that ends before the message does is complete if its balances say so.
    if has_both_ends(&group) {
        let whole = of_whole(joined(group.clone()));
        if whole.is_ok() {
            return whole;
        }
    }
    Ok(group.into_iter().flat_map(waiting).collect())
}

/// True if the pages are all pages of the statement.
fn is_complete(group: &[Unit]) -> bool {
    let numbers = group.iter().filter_map(|unit| unit.page.number);
    numbers.zip(1..).all(|(number, expected)| number == expected)
        && group.last().is_some_and(|unit| unit.page.is_last == Some(true))
}

/// True if the pages follow one another and have the opening and the closing balance of a statement within a message
/// of more pages.
fn has_both_ends(group: &[Unit]) -> bool {
    let has = |role: &[Role]| {
        group.iter().flat_map(|unit| &unit.balances).any(|balance| role.contains(&balance.role))
    };
    let numbers = group.iter().filter_map(|unit| unit.page.number);
    let first = numbers.clone().next().unwrap_or_default();
    group.iter().all(|unit| unit.is_page_of_message)
        && numbers.zip(first..).all(|(number, expected)| number == expected)
        && has(&[Role::Opening, Role::Previous])
        && has(&[Role::Closing])
}

/// Statements of a page without the others. Reports and notifications are pending anyway, and wait for nothing.
fn waiting(unit: Unit) -> Vec<Statement> {
    let [page, last_page, page_of] = MARKS;
    let number = unit.page.number.unwrap_or_default().to_string();
    let is_last = unit.page.is_last.unwrap_or_default().to_string();
    let marks = [(page, number), (last_page, is_last), (page_of, unit.id.clone().unwrap_or_default())];
    let days = unit.no_days();
    let is_booked = unit.kind.is_booked;
    unit.statements(days, if is_booked { &marks } else { &[] })
}
