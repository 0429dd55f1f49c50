//! C20: at rest the lists of statements, lines in suspense and open items are those of the log, all lines are booked, the
//! rules have been tried on all lines in suspense, and ledger and bank agree. Every reconciliation that was read ties out.

use std::collections::BTreeMap;

use serde_json::Value;

use super::bank_fold::BankFold;
use super::bank_records::{Break, Statement};
use super::{Evidence, Findings};
use crate::cents::minor;
use crate::desk::Served;
use crate::ops::Seen;

/// Score of a match that a rule makes in its next run.
const CERTAIN: u64 = 100;

/// Returns the violations of C20.
pub(super) fn look(evidence: &Evidence) -> Findings {
    let (Some(_), Some(bank)) = (&evidence.world.desk, &evidence.bank) else { return vec![] };
    let Some(served) = &evidence.last.desk else { return vec!["nothing was read of the desk".to_owned()] };
    let mut found = untied(evidence);
    found.extend(differences("statements", &statements(bank), &rows(&served.statements, statement)));
    found.extend(differences("breaks", &breaks(bank), &rows(&served.breaks, line)));
    found.extend(differences("open items", &items(bank), &rows(&served.open_items, item)));
    found.extend(work(bank, served));
    if bank.statements.is_empty() {
        found.push("no file was accepted, so that nothing is proved".to_owned());
    }
    found
}

/// Returns reconciliations, under way and at rest, in which ledger and bank differ.
fn untied(evidence: &Evidence) -> Findings {
    let mut found = vec![];
    for (_, answered) in evidence.answers() {
        if let Seen::TieOut { tied_out: false, said } = &answered.seen {
            found.push(format!("ledger and bank differ: {said}"));
        }
    }
    found
}

/// Checks that no work is left at rest.
fn work(bank: &BankFold, served: &Served) -> Findings {
    let mut found = vec![];
    let tied = &served.reconciliation;
    if tied["tied_out"] != true || tied["booking"] != false {
        let (is_tied, is_booking) = (&tied["tied_out"], &tied["booking"]);
        found.push(format!("at rest tied_out is {is_tied} and booking {is_booking}"));
    }
    if served.to_dos != 0 {
        found.push(format!("{} to-dos of the bank's files are left", served.to_dos));
    }
    let (due, done) = bank.runs;
    if due != done {
        found.push(format!("{due} runs of the rules are due, {done} are done"));
    }
    for one in &served.breaks {
        let is_certain = |it: &Value| it["score"].as_u64() == Some(CERTAIN);
        let is_certain = one["suggestions"].as_array().into_iter().flatten().any(is_certain);
        let id = one["_id"].as_str().unwrap_or_default();
        if is_certain && bank.breaks.get(id).is_some_and(|of| !of.is_by_hand) {
            found.push(format!("a rule would match {id}, and did not: {}", one["suggestions"]));
        }
    }
    found
}

/// Rows by their keys.
type Rows = BTreeMap<String, String>;

fn statements(bank: &BankFold) -> Rows {
    let row = |(id, of): (&String, &Statement)| {
        let Statement { day, opening, closing, lines, booked, replaced_by, .. } = of;
        (id.clone(), format!("{day} {opening} {closing} {lines} {} {replaced_by:?}", booked.len()))
    };
    bank.statements.iter().map(row).collect()
}

fn statement(row: &Value) -> (String, String) {
    let (opening, closing) = (minor(&row["opening_balance"]), minor(&row["closing_balance"]));
    let (day, replaced_by) = (text(row, "date"), row["replaced_by"].as_str());
    let (lines, booked) = (&row["line_count"], &row["booked_line_count"]);
    (text(row, "_id"), format!("{day} {opening} {closing} {lines} {booked} {replaced_by:?}"))
}

fn breaks(bank: &BankFold) -> Rows {
    let open = bank.breaks.iter().filter(|(_, of)| of.left() != 0);
    open.map(|(id, of): (&String, &Break)| (id.clone(), format!("{} {}", of.amount, of.left()))).collect()
}

fn line(row: &Value) -> (String, String) {
    (text(row, "_id"), format!("{} {}", minor(&row["amount"]), minor(&row["left"])))
}

fn items(bank: &BankFold) -> Rows {
    let open = bank.items.iter().map(|((id, account), of)| (id, account, of.amount - of.cleared));
    let open = open.filter(|(.., left)| *left != 0);
    open.map(|(id, account, left)| (format!("{id} {account}"), left.to_string())).collect()
}

fn item(row: &Value) -> (String, String) {
    let left = minor(&row["amount"]["amount"]);
    (format!("{} {}", text(row, "trans_id"), text(row, "account")), left.to_string())
}

fn rows(list: &[Value], row: fn(&Value) -> (String, String)) -> Rows {
    list.iter().map(row).collect()
}

/// Returns rows that are in one of two lists only.
fn differences(name: &str, log: &Rows, list: &Rows) -> Findings {
    let mut found = vec![];
    for (key, row) in log {
        match list.get(key) {
            Some(other) if other == row => {}
            other => found.push(format!("{name}: {key} is {row} in the log and {other:?} in the list")),
        }
    }
    let unknown = list.keys().filter(|key| !log.contains_key(*key));
    found.extend(unknown.map(|key| format!("{name}: {key} is in the list only")));
    found
}

fn text(row: &Value, name: &str) -> String {
    row[name].as_str().unwrap_or_default().to_owned()
}
