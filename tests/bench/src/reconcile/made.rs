//! A made bank: of four lines, one names its item, one has an amount of its own, one has an amount that thousands have, and
//! one is a whole file or a fee.

use daybook_domain::matching::{Item, Line, MIN_WORD_CHARS, Means, Rule, RuleSet, SentFile};
use daybook_domain::posting::{LedgerAccount, Rail};
use daybook_domain::{BreakId, Currency, FileId, NodeId, TransactionId};
use daybook_engine::statements::Patterns;
use daybook_statement::{BankFile, CodeKind, Line as Stated, bai2};

use crate::statements::model;

/// Amount that many lines and items have, in minor units.
const COMMON: i64 = 500;
/// A fee, in minor units.
const FEE: i64 = -25;
/// Number of lines for each file.
const LINES_PER_FILE: usize = 2_000;

/// Rules of every strategy.
pub(super) fn rules() -> RuleSet {
    let rule = |means: Means| Rule { currency: Some(Currency::USD), ..Rule::new(means.as_str(), means) };
    let node = Some(NodeId::from_u128(1));
    let fees = Rule {
        codes: "698".parse().into_iter().collect(),
        node,
        per_line: Some(100),
        per_day: Some(100_000_000),
        ..rule(Means::Book)
    };
    let near = Rule {
        of: Some(Means::Amount.as_str().to_owned()),
        difference: Some(5),
        node,
        ..rule(Means::Tolerance)
    };
    let named =
        Rule { text: Some("INVOICE ([0-9]{7})".to_owned()), ..Rule::new("invoices", Means::Reference) };
    let suggest = Rule { threshold: Some(50), ..rule(Means::Suggest) };
    let exact = [Means::Reference, Means::File, Means::Returns, Means::Amount].map(rule);
    let all = [named].into_iter().chain(exact).chain([fees, near, rule(Means::Group), suggest]);
    RuleSet::try_from(all.collect::<Vec<_>>()).unwrap_or_else(|_| RuleSet::built_in())
}

/// A statement in BAI2 with so many lines, and as many open items with their files.
pub(super) fn bank(count: usize) -> (String, Vec<Item>, Vec<SentFile>) {
    let mut lines: Vec<Stated> = model::lines(count);
    let items: Vec<Item> = (0..count).map(|number| item(number, &lines[number])).collect();
    for (number, line) in lines.iter_mut().enumerate() {
        match number % 4 {
            0 => {}
            1 => line.references.clear(),
            2 => (line.amount, line.references) = (COMMON, vec![]),
            _ if number % LINES_PER_FILE == 3 => {
                let of_file = items.iter().filter(|item| item.file == Some(file_of(number)));
                (line.amount, line.references) = (of_file.map(|item| item.amount).sum(), vec![]);
            }
            _ => {
                line.amount = FEE;
                line.codes = vec![(CodeKind::Bai, "698".to_owned())];
                line.references.clear();
            }
        }
    }
    let day = |number: usize| lines[number].booking.unwrap_or_default();
    let files = (0..count).step_by(LINES_PER_FILE).filter(|first| first + 3 < count);
    let files =
        files.map(|first| SentFile { id: file_of(first), day: day(first + 3), names: vec![] }).collect();
    let statements = vec![model::of(lines)];
    (bai2::render(&BankFile { format: "bai2".to_owned(), statements }), items, files)
}

fn file_of(number: usize) -> FileId {
    FileId::from_u128((number / LINES_PER_FILE) as u128)
}

fn item(number: usize, line: &Stated) -> Item {
    let amount = if number % 4 == 2 { COMMON } else { line.amount };
    let account =
        if amount > 0 { LedgerAccount::RailIn(Rail::Ach) } else { LedgerAccount::RailOut(Rail::Ach) };
    Item {
        transaction: TransactionId::from_u128(number as u128),
        account,
        currency: Currency::USD,
        amount,
        since: line.booking.unwrap_or_default(),
        names: vec![format!("BR{number:010}"), format!("0210000{number:08}")],
        file: (number % 4 == 3).then(|| file_of(number)),
        batch: None,
    }
}

/// A line of the file, as the engine makes it.
pub(super) fn line(stated: &Stated, id: u128, patterns: &Patterns) -> Line {
    let references: Vec<String> = stated.references.iter().map(|(_, text)| text.clone()).collect();
    let captures = patterns.captures(&stated.text, &references);
    let words = stated.text.split(|letter: char| !letter.is_ascii_alphanumeric());
    Line {
        id: BreakId::from_u128(id),
        currency: Currency::USD,
        day: stated.booking.unwrap_or_default(),
        left: stated.amount,
        by_hand: false,
        codes: stated.codes.iter().map(|(_, code)| code.clone()).collect(),
        captures,
        words: words.filter(|word| word.len() >= MIN_WORD_CHARS).map(str::to_owned).collect(),
        references,
    }
}

#[cfg(test)]
mod tests {
    use daybook_domain::matching::{Input, run};
    use daybook_statement::bai2;

    use super::*;

    #[test]
    fn made_bank_uses_most_strategies() {
        let (file, items, files) = bank(4_000);
        let rules = rules();
        let patterns = Patterns::compile(&rules).expect("compiles");
        let read = bai2::read(file.as_bytes()).expect("is read");
        let stated = read.statements.iter().flat_map(|statement| &statement.lines);
        let lines = stated.zip(1..).map(|(stated, id)| line(stated, id, &patterns)).collect();
        let outcome = run(&Input { lines, items, files }, &rules);
        let count =
            |means: Means| outcome.matches.iter().filter(|it| it.strategy.as_str() == means.as_str()).count();
        assert_eq!((count(Means::Reference), count(Means::Book), count(Means::File)), (1_000, 998, 2));
        assert!(count(Means::Amount) > 900 && !outcome.suggestions.is_empty(), "{}", count(Means::Amount));
    }
}
