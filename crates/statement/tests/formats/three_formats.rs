//! One model, rendered as BAI2, as CAMT.053 and as MT940, reads the same.
//!
//! The model is what all three formats can say: one account, days that all have lines, and lines with a value date that
//! is not before the booking day, with one line of text, and with short references.

use daybook_domain::Currency;
use daybook_domain::calendar::Day;
use daybook_statement::{
    BankFile, DayBalances, Line, ReferenceKind, References, Standing, Statement, bai2, camt, mt940,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

/// Reference of a line, with room in `:61:`, and with a letter that says that it is none of those that mean none.
const REFERENCE: &str = "[0-9][A-Z0-9.+-]{0,13}[A-Z0-9]";

/// Text that is free in MT940: on one line, not structured, and without marks where a line may begin.
const TEXT: &str = "([A-Za-zü€]([A-Za-z0-9ü€+.,() ]{0,110}[A-Za-z0-9ü€.)])?)?";

fn line() -> impl Strategy<Value = Line> {
    let references = (option::of(REFERENCE), option::of(REFERENCE), option::of(REFERENCE));
    (-10_000_000_000_i64..10_000_000_000, 0..60, references, TEXT).prop_map(
        |(amount, later, (bank, customer, end_to_end), text)| {
            let kinds = [ReferenceKind::Bank, ReferenceKind::Customer, ReferenceKind::EndToEnd];
            let references = kinds.into_iter().zip([bank, customer, end_to_end]);
            Line {
                booking: None,
                booking_from: None,
                // Days after the booking day, which the statement sets.
                value: Some(Day::default().plus_days(later)),
                amount,
                booked: true,
                reversal: false,
                codes: vec![],
                references: references.filter_map(|(kind, value)| Some((kind, value?))).collect(),
                return_reason: None,
                text,
                parts: vec![],
                bytes: 0..0,
            }
        },
    )
}

/// Model: a statement about days from 2000 to 2079, some of which have nothing.
fn model() -> impl Strategy<Value = Statement> {
    let currency =
        select(&["USD", "JPY", "KWD"][..]).prop_map(|code| Currency::parse(code).expect("ISO 4217"));
    let days = vec((1..40, vec(line(), 1..5)), 1..6);
    ("[A-Z0-9]{1,20}", currency, -1_000_000_000_i64..1_000_000_000, 11_000..39_000, days).prop_map(
        |(account, currency, opening, first, made)| {
            let (mut date, mut balance) = (Day::default().plus_days(first), opening);
            let (mut days, mut lines) = (vec![], vec![]);
            for (later, of_day) in made {
                date = date.plus_days(later);
                let opening = balance;
                balance += of_day.iter().map(|line| line.amount).sum::<i64>();
                let count = of_day.len();
                days.push(DayBalances { date, opening, closing: balance, lines: count, available: None });
                lines.extend(of_day.into_iter().map(|line| {
                    let value = line.value.map(|later| date.plus_days(later.number()));
                    Line { booking: Some(date), value, ..line }
                }));
            }
            Statement { account, currency, standing: Standing::Booked, marks: vec![], days, lines }
        },
    )
}

/// The account as a file states it in one statement or in several, one after another.
fn joined(file: BankFile) -> Statement {
    let joined = file.statements.into_iter().reduce(|mut whole, next| {
        assert_eq!(
            (&next.account, next.currency, next.standing),
            (&whole.account, whole.currency, whole.standing)
        );
        whole.days.extend(next.days);
        whole.lines.extend(next.lines);
        whole
    });
    joined.expect("a statement")
}

/// Values of a line that every format states, with a text and references that depend on the format.
fn said<'a>(
    line: &'a Line,
    text: &'a str,
    references: &References,
) -> impl PartialEq + std::fmt::Debug + use<'a> {
    let mut references = references.clone();
    references.sort();
    (line.booking, line.value, line.amount, line.booked, text, references)
}

/// The customer's reference of BAI2 is the end-to-end reference, if there is no other.
fn of_bai2(references: &References) -> References {
    let has_customer = references.iter().any(|(kind, _)| *kind == ReferenceKind::Customer);
    let one = |(kind, value): &(ReferenceKind, String)| match kind {
        ReferenceKind::EndToEnd if has_customer => None,
        ReferenceKind::EndToEnd => Some((ReferenceKind::Customer, value.clone())),
        _ => Some((*kind, value.clone())),
    };
    references.iter().filter_map(one).collect()
}

/// The text of MT940 states the end-to-end reference before everything else.
fn of_mt940(line: &Line) -> String {
    let Line { references, text, .. } = line;
    let end_to_end = references.iter().find(|(kind, _)| *kind == ReferenceKind::EndToEnd);
    match (end_to_end, &**text) {
        (None, text) => text.to_owned(),
        (Some((_, value)), "") => format!("/EREF/{value}"),
        (Some((_, value)), text) => format!("/EREF/{value}/REMI/{text}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn one_model_reads_same_from_formats(model in model()) {
        let file = BankFile { format: "camt.053.001.08".to_owned(), statements: vec![model.clone()] };
        for (format, content) in
            [("bai2", bai2::render(&file)), ("camt", camt::render(&file)), ("mt940", mt940::render(&file))]
        {
            let bytes = content.as_bytes();
            let is = [bai2::is_format(bytes), camt::is_format(bytes), mt940::is_format(bytes)];
            prop_assert_eq!(is, [format == "bai2", format == "camt", format == "mt940"]);
            let read = match format {
                "bai2" => bai2::read(bytes),
                "camt" => camt::read(bytes),
                _ => mt940::read(bytes),
            };
            prop_assert!(read.is_ok(), "{read:?}: {content}");
            let read = joined(read.expect("is read"));
            prop_assert_eq!((&read.account, read.currency), (&model.account, model.currency));
            let balances = |of: &Statement| -> Vec<_> {
                of.days.iter().map(|day| (day.date, day.opening, day.closing, day.lines)).collect()
            };
            prop_assert_eq!(balances(&read), balances(&model), "{}: {}", format, content);
            prop_assert_eq!(read.lines.len(), model.lines.len());
            for (line, stated) in read.lines.iter().zip(&model.lines) {
                let (text, references) = match format {
                    "bai2" => (stated.text.clone(), of_bai2(&stated.references)),
                    "camt" => (stated.text.clone(), stated.references.clone()),
                    _ => (of_mt940(stated), stated.references.clone()),
                };
                let expected = said(stated, &text, &references);
                prop_assert_eq!(said(line, &line.text, &line.references), expected, "{}: {}", format, content);
            }
        }
    }
}
