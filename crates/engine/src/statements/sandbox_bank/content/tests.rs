use daybook_domain::posting::{LedgerAccount, Rail};
use daybook_domain::{Timestamp, TransactionId};
use daybook_projector::OpenItemRow;
use daybook_statement::{CodeKind, bai2, camt, mt940};

use super::*;
use crate::rails::statement as own;
use crate::statements::sandbox_bank::Format;
use crate::statements::sandbox_bank::render::render;

const PLAIN: Options = Options {
    format: Format::Bai2,
    currency: Currency::USD,
    per: LinePer::Item,
    late: 0,
    fee: None,
    doubled: false,
    restate: None,
};

const FORMATS: [Format; 4] = [Format::Bai2, Format::Camt, Format::Mt940, Format::Csv];

fn head() -> Head<'static> {
    let day = Day::from_civil(2026, 11, 28).expect("a day");
    Head { account: "1000000001", currency: Currency::USD, day, opening: 1_000, is_restated: false }
}

/// An item of the transaction with this number, in the file with this number.
fn item(number: u128, account: LedgerAccount, amount: i64, file: Option<u128>) -> Item {
    let (transaction, since) = (TransactionId::from_u128(number), Timestamp::from_ms(0));
    let row = OpenItemRow { transaction, account, currency: Currency::USD, amount, since };
    Item::new(row, format!("12345678{number:07}"), file.map(FileId::from_u128))
}

const IN: LedgerAccount = LedgerAccount::RailIn(Rail::Ach);
const OUT: LedgerAccount = LedgerAccount::RailOut(Rail::Ach);
const WIRED: LedgerAccount = LedgerAccount::RailOut(Rail::Wire);

/// Two files, one of them with a pull, and a wire between their items.
fn items() -> Vec<Item> {
    vec![
        item(1, OUT, -500, Some(1)),
        item(2, WIRED, -70, None),
        item(3, IN, 900, Some(1)),
        item(4, OUT, -30, Some(2)),
        item(5, OUT, -1, Some(2)),
    ]
}

fn amounts(options: &Options) -> Vec<i64> {
    let file = bank_file(&head(), &items(), options).expect("small amounts");
    file.statements[0].lines.iter().map(|line| line.amount).collect()
}

#[test]
fn options_decide_the_lines() {
    let by_file = Options { per: LinePer::File, ..PLAIN };
    for (options, lines) in [
        (PLAIN, vec![-500, -70, 900, -30, -1]),
        (Options { late: 2, ..PLAIN }, vec![-500, -70, 900]),
        (Options { late: 9, ..PLAIN }, vec![]),
        (Options { fee: Some(25), ..PLAIN }, vec![-500, -70, 900, -30, -1, -25]),
        (Options { doubled: true, ..PLAIN }, vec![-500, -70, 900, -30, -1, -1]),
        (Options { doubled: true, late: 9, ..PLAIN }, vec![]),
        (Options { doubled: true, fee: Some(25), late: 4, ..PLAIN }, vec![-500, -25, -25]),
        (by_file, vec![400, -70, -31]),
        // One late item makes its whole file late.
        (Options { late: 1, ..by_file }, vec![400, -70]),
        (Options { late: 3, ..by_file }, vec![-70]),
    ] {
        assert_eq!(amounts(&options), lines, "{options:?}");
    }
}

#[test]
fn lines_make_the_closing_balance() {
    let file = bank_file(&head(), &items(), &PLAIN).expect("small amounts");
    let day = &file.statements[0].days[0];
    assert_eq!((day.opening, day.closing, day.lines), (1_000, 1_299, 5));
    let most = [item(1, IN, i64::MAX, None)];
    assert_eq!(bank_file(&head(), &most, &PLAIN), None);
    let files = [item(1, IN, i64::MAX, Some(1)), item(2, IN, 1, Some(1))];
    assert_eq!(bank_file(&head(), &files, &Options { per: LinePer::File, ..PLAIN }), None);
}

#[test]
fn line_of_file_names_no_item() {
    let options = Options { per: LinePer::File, ..PLAIN };
    let file = bank_file(&head(), &items(), &options).expect("small amounts");
    let line = &file.statements[0].lines[0];
    let code = reference_code(FileId::from_u128(1));
    assert_eq!(line.references[0], (ReferenceKind::Bank, "SB2026112800001".to_owned()));
    assert_eq!(line.references[1..], [(ReferenceKind::Customer, code.clone())]);
    assert_eq!(line.text, format!("ACH SETTLEMENT FILE {code} ENTRIES 2"));
}

/// Items of every ledger account, in both directions.
fn all_kinds() -> Vec<Item> {
    let both = LedgerAccount::of_open_items().flat_map(|account| [(account, 7), (account, -7), (account, 0)]);
    both.zip(1..).map(|((account, amount), number)| item(number, account, amount, Some(number))).collect()
}

#[test]
fn each_format_reads_back_alike() {
    for per in [LinePer::Item, LinePer::File] {
        for format in FORMATS {
            let options = Options { format, per, fee: Some(25), doubled: true, ..PLAIN };
            let file = bank_file(&head(), &all_kinds(), &options).expect("small amounts");
            let text = render(&file, format);
            let (read, kind) = match format {
                Format::Bai2 => (bai2::read(text.as_bytes()).expect("BAI2"), CodeKind::Bai),
                Format::Camt => (camt::read(text.as_bytes()).expect("CAMT"), CodeKind::Iso),
                Format::Mt940 => (mt940::read(text.as_bytes()).expect("MT940"), CodeKind::Swift),
                Format::Csv => {
                    let read = own::parse(&text).expect("CSV");
                    assert_eq!(read.lines.len(), file.statements[0].lines.len());
                    continue;
                }
            };
            assert_eq!(read.format, file.format);
            let (wrote, read) = (&file.statements[0], &read.statements[0]);
            // A reader tells that no available balance is stated in its own way.
            let told = |of: &Statement| {
                let days: Vec<_> =
                    of.days.iter().map(|day| (day.date, day.opening, day.closing, day.lines)).collect();
                (of.account.clone(), of.standing, days)
            };
            assert_eq!(told(read), told(wrote), "{format:?}");
            for (wrote, read) in wrote.lines.iter().zip(&read.lines) {
                let own_code = wrote.codes.iter().find(|(of, _)| *of == kind);
                assert_eq!(read.codes.first(), own_code, "{format:?} {wrote:?}");
                for (_, reference) in &wrote.references {
                    assert!(read.references.iter().any(|(_, text)| text == reference), "{format:?} {read:?}");
                }
                assert_eq!((read.booking, read.amount), (wrote.booking, wrote.amount));
            }
        }
    }
}

#[test]
fn bai2_says_that_a_day_is_restated() {
    let head = Head { is_restated: true, ..head() };
    let file = bank_file(&head, &items(), &PLAIN).expect("small amounts");
    let read = bai2::read(render(&file, Format::Bai2).as_bytes()).expect("BAI2");
    assert_eq!(read.statements[0].standing, Standing::Restated);
}
