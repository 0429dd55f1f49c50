//! A naive fold of what the log says about one platform and its bank: statements with their lines, lines in suspense, open
//! items, and ledger accounts. Shares no code with the product.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde_json::Value;

use super::bank_records::{Break, Item, Statement};
use super::evidence::Event;
use super::fold::number;

/// Fold of a platform's events.
#[derive(Debug, Default)]
pub struct BankFold {
    /// Statements by their ids.
    pub statements: BTreeMap<String, Statement>,
    /// Days that the sandbox's bank stated without a file, with the closing balance.
    pub days: BTreeMap<String, i64>,
    /// Lines in suspense by their ids.
    pub breaks: BTreeMap<String, Break>,
    /// Items by transaction and account.
    pub items: BTreeMap<(String, String), Item>,
    /// Balances of ledger accounts; debits are positive.
    pub accounts: HashMap<String, i64>,
    /// Number of runs of the matching rules that are due, and that are done.
    pub runs: (i64, i64),
    /// Number of matches of operators, of rules, and of those that were taken back.
    matches: [u64; 3],
    /// Number of lines that were booked, and that were taken back.
    line_counts: [u64; 2],
    /// Violations in the log itself.
    pub wrong: Vec<String>,
}

impl BankFold {
    /// Folds the events of `platform`.
    pub fn of(log: &[Event], platform: &str) -> Self {
        let (mut fold, mut streams) = (Self::default(), HashSet::new());
        for event in log {
            if event.data["platform"] == platform {
                streams.insert(event.stream.as_str());
            }
            if streams.contains(event.stream.as_str()) {
                fold.add(event);
            }
        }
        fold
    }

    /// Returns the figures of a report.
    pub fn figures(&self) -> BTreeMap<&'static str, u64> {
        let is_restated = |statement: &&Statement| statement.replaces.is_some();
        let restated = self.statements.values().filter(is_restated).count() as u64;
        let ([by_operators, by_rules, taken_back], [booked, lines_back]) = (self.matches, self.line_counts);
        BTreeMap::from([
            ("statements accepted", self.statements.len() as u64),
            ("statements that restate a day", restated),
            ("lines booked", booked),
            ("lines taken back", lines_back),
            ("lines in suspense", self.breaks.len() as u64),
            ("matches of operators", by_operators),
            ("matches of rules", by_rules),
            ("matches taken back", taken_back),
        ])
    }

    fn add(&mut self, event: &Event) {
        self.post(event);
        let data = &event.data;
        match event.kind.as_str() {
            "statement.accepted" => self.accept(event),
            "statement.lines_booked" => self.book(event),
            "statement.replaced" => self.replace(event),
            "statement.lines_taken_back" => self.take_back(event),
            "custody.statement_booked" => {
                self.days.insert(text(data, "day"), number(data, "/closing"));
            }
            "custody.statement_completed" => self.runs.0 += i64::from(data["to_match"] == true),
            "custody.rules_set" => self.runs.0 += 1,
            "custody.breaks_matched" => self.runs.1 = number(data, "/runs"),
            "break.opened" => self.open(event),
            "break.matched" => self.match_line(event),
            "break.unmatched" => self.unmatch(event),
            "break.withdrawn" => self.withdraw(event),
            _ => {}
        }
    }

    /// Adds postings to the accounts, and those of a transaction to its items. At most the amount of an item is cleared.
    fn post(&mut self, event: &Event) {
        let sign = match event.kind.as_str() {
            "transaction.cleared" | "transaction.reopened" => Some(-1),
            _ => None,
        };
        for line in event.data["postings"]["lines"].as_array().into_iter().flatten() {
            let (account, amount) = (text(line, "account"), number(line, "/amount"));
            *self.accounts.entry(account.clone()).or_default() += amount;
            let is_of_item = account.starts_with("rail.") || account.starts_with("ret.");
            if !is_of_item || !event.kind.starts_with("transaction.") {
                continue;
            }
            let item = self.items.entry((event.stream.clone(), account)).or_default();
            match sign {
                Some(sign) => item.cleared += sign * amount,
                None => item.amount += amount,
            }
            let is_possible = item.cleared.abs() <= item.amount.abs()
                && (item.cleared == 0 || item.cleared.signum() == item.amount.signum());
            if !is_possible {
                let (at, of) = (event.position, &event.stream);
                self.wrong.push(format!("{at}: {} of an item of {of} of {}", item.cleared, item.amount));
            }
        }
    }

    fn accept(&mut self, event: &Event) {
        let data = &event.data;
        let statement = Statement {
            day: text(data, "day"),
            opening: number(data, "/opening"),
            closing: number(data, "/closing"),
            lines: number(data, "/lines"),
            file: text(data, "file"),
            replaces: data["replaces"].as_str().map(str::to_owned),
            ..Statement::default()
        };
        if self.statements.insert(event.stream.clone(), statement).is_some() {
            self.wrong.push(format!("{}: {} was accepted before", event.position, event.stream));
        }
    }

    fn book(&mut self, event: &Event) {
        let statement = self.statements.entry(event.stream.clone()).or_default();
        let first = number(&event.data, "/first");
        if first != count(statement.booked.len()) {
            let (at, of, booked) = (event.position, &event.stream, statement.booked.len());
            self.wrong.push(format!("{at}: lines from {first} of {of} are booked after {booked} lines"));
        }
        let before = statement.booked.len();
        statement.booked.extend(amounts(&event.data));
        self.line_counts[0] += (statement.booked.len() - before) as u64;
    }

    fn replace(&mut self, event: &Event) {
        let statement = self.statements.entry(event.stream.clone()).or_default();
        if let Some(before) = statement.replaced_by.replace(text(&event.data, "by")) {
            self.wrong.push(format!("{}: {} was replaced before by {before}", event.position, event.stream));
        }
    }

    fn take_back(&mut self, event: &Event) {
        let statement = self.statements.entry(event.stream.clone()).or_default();
        let lines: Vec<i64> = amounts(&event.data).collect();
        let kept = statement.booked.len().saturating_sub(lines.len());
        let is_end = number(&event.data, "/first") == count(kept) && statement.booked[kept..] == lines;
        if !is_end || statement.replaced_by.is_none() {
            let (at, of) = (event.position, &event.stream);
            self.wrong.push(format!("{at}: lines that are not the last ones of {of} are taken back"));
        }
        statement.booked.truncate(kept);
        self.line_counts[1] += lines.len() as u64;
    }

    fn open(&mut self, event: &Event) {
        let data = &event.data;
        let line = (data["statement"].as_str().map(str::to_owned), text(data, "line"));
        let opened = Break { line, amount: number(data, "/amount"), ..Break::default() };
        if self.breaks.insert(event.stream.clone(), opened).is_some_and(|before| !before.is_withdrawn) {
            self.wrong.push(format!("{}: {} was opened before", event.position, event.stream));
        }
    }

    fn match_line(&mut self, event: &Event) {
        let (data, amount) = (&event.data, matched(&event.data));
        self.matches[usize::from(data["strategy"] != "operator")] += 1;
        let of = self.breaks.entry(event.stream.clone()).or_default();
        let before = of.matches.insert(number(data, "/number"), amount);
        if before.is_some() || of.is_withdrawn {
            let (at, of) = (event.position, &event.stream);
            self.wrong.push(format!("{at}: a match of {of} has the number of another, or comes too late"));
        }
    }

    fn unmatch(&mut self, event: &Event) {
        // The postings reverse those of the match.
        let amount = items(&event.data) - out_of_suspense(&event.data);
        self.matches[2] += 1;
        let of = self.breaks.entry(event.stream.clone()).or_default();
        of.is_by_hand = true;
        if of.matches.remove(&number(&event.data, "/number")) != Some(amount) {
            self.wrong.push(format!("{}: {} had no such match", event.position, event.stream));
        }
    }

    fn withdraw(&mut self, event: &Event) {
        let of = self.breaks.entry(event.stream.clone()).or_default();
        of.is_withdrawn = true;
        if !of.matches.is_empty() {
            self.wrong.push(format!("{}: {} is withdrawn with its matches", event.position, event.stream));
        }
    }
}

/// Returns the amount of a line that a match explains.
fn matched(data: &Value) -> i64 {
    items(data) + out_of_suspense(data)
}

fn items(data: &Value) -> i64 {
    data["items"].as_array().into_iter().flatten().map(|item| number(item, "/amount")).sum()
}

/// Returns the amount that postings take out of suspense.
fn out_of_suspense(data: &Value) -> i64 {
    let lines = data["postings"]["lines"].as_array().into_iter().flatten();
    lines.filter(|line| line["account"] == "suspense").map(|line| number(line, "/amount")).sum()
}

/// Returns the length of a list, to compare it with a number of the log.
pub(super) fn count(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}

fn amounts(data: &Value) -> impl Iterator<Item = i64> {
    data["lines"].as_array().into_iter().flatten().map(|line| number(line, "/amount"))
}

fn text(data: &Value, name: &str) -> String {
    data[name].as_str().unwrap_or_default().to_owned()
}
