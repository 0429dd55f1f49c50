//! BAI2: round trips of the writer, and hostile input.

use crate::samples;
use daybook_domain::Currency;
use daybook_domain::calendar::Day;
use daybook_statement::{
    BankFile, CodeKind, Codes, DayBalances, Line, Part, ReferenceKind, References, Standing, Statement, bai2,
};
use proptest::prelude::*;

/// Largest amount of a line and of a balance. The sum of all lines must fit 64 bits.
const LARGEST: i64 = 1 << 50;

fn days() -> impl Strategy<Value = Day> {
    (2000..2100_i64, 1..=12_i64, 1..=28_i64)
        .prop_map(|(year, month, day)| Day::from_civil(year, month, day).expect("a date"))
}

fn currencies() -> impl Strategy<Value = Currency> {
    proptest::sample::select(Currency::all().collect::<Vec<_>>())
}

/// Account numbers and references: letters of several bytes and blanks inside, but neither `,` nor `/`.
fn words() -> impl Strategy<Value = String> {
    "[A-Za-z0-9ß€:.'-]([A-Za-z0-9ß€:.' -]{0,20}[A-Za-z0-9ß€:.'-])?"
}

fn texts() -> impl Strategy<Value = String> {
    "|[A-Za-zß€0-9':.]([ -~ß€]{0,80}[!-~ß€])?"
}

fn references() -> impl Strategy<Value = References> {
    let kinds = [ReferenceKind::Bank, ReferenceKind::Customer];
    (proptest::option::of(words()), proptest::option::of(words())).prop_map(move |(bank, customer)| {
        kinds.into_iter().zip([bank, customer]).filter_map(|(kind, text)| Some((kind, text?))).collect()
    })
}

fn codes(amount: i64) -> impl Strategy<Value = Codes> {
    let [credits, debits] = [[101..=399, 720..=728, 920..=959], [401..=699, 760..=760, 960..=999]];
    let ranges = if amount < 0 { debits } else { credits };
    let codes: Vec<u16> = ranges.into_iter().flatten().collect();
    proptest::sample::select(codes).prop_map(|code| vec![(CodeKind::Bai, format!("{code:03}"))])
}

fn lines(as_of: Day, booked: bool) -> impl Strategy<Value = Line> {
    let amounts = -LARGEST..=LARGEST;
    amounts.prop_flat_map(move |amount| {
        let value = proptest::option::of(0..60).prop_map(move |later| Some(as_of.plus_days(later?)));
        (value, codes(amount), references(), texts()).prop_map(move |(value, codes, references, text)| Line {
            booking: Some(as_of),
            booking_from: None,
            value,
            amount,
            booked,
            reversal: false,
            codes,
            references,
            return_reason: None,
            text,
            parts: vec![],
            bytes: 0..0,
        })
    })
}

/// Statements that BAI2 can express: one day, and lines of that day that are all booked or all not.
fn statements() -> impl Strategy<Value = Statement> {
    let kinds = [
        (Standing::Booked, "1", Some("2")),
        (Standing::Booked, "1", Some("4")),
        (Standing::Booked, "1", None),
        (Standing::Restated, "2", Some("2")),
        (Standing::Restated, "3", Some("4")),
        (Standing::Pending, "1", Some("1")),
        (Standing::Pending, "3", Some("3")),
        (Standing::Test, "4", Some("2")),
        (Standing::Test, "4", Some("3")),
    ];
    let kinds = proptest::sample::select(kinds.to_vec());
    (words(), currencies(), kinds, days().prop_filter("value dates of 20..", |day| day.date().year() < 2099))
        .prop_flat_map(|(account, currency, (standing, status, modifier), as_of)| {
            let booked = matches!(standing, Standing::Booked | Standing::Restated);
            let available = [(); 2].map(|()| proptest::option::of(-LARGEST..=LARGEST));
            let lines = proptest::collection::vec(lines(as_of, booked), 0..6);
            (lines, -LARGEST..=LARGEST, available).prop_map(move |(lines, opening, available)| {
                let closing = opening + lines.iter().map(|line| line.amount).sum::<i64>();
                let day = DayBalances {
                    date: as_of,
                    opening,
                    closing,
                    lines: lines.len(),
                    available: Some(available),
                };
                let modifier = modifier.map(|modifier| ("as_of_modifier", modifier.to_owned()));
                Statement {
                    account: account.clone(),
                    currency,
                    standing,
                    marks: [("group_status", status.to_owned())].into_iter().chain(modifier).collect(),
                    days: booked.then_some(day).into_iter().collect(),
                    lines,
                }
            })
        })
}

fn files() -> impl Strategy<Value = BankFile> {
    proptest::collection::vec(statements(), 0..5)
        .prop_map(|statements| BankFile { format: "bai2".to_owned(), statements })
}

/// The file without places in it and without origins, which a model does not have.
fn placeless(mut file: BankFile) -> BankFile {
    for line in file.statements.iter_mut().flat_map(|statement| &mut statement.lines) {
        (line.bytes, line.booking_from) = (0..0, None);
    }
    file
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn rendered_files_read_back(file in files()) {
        let rendered = bai2::render(&file);
        prop_assert!(bai2::is_format(rendered.as_bytes()));
        let read = bai2::read(rendered.as_bytes());
        prop_assert_eq!(read.map(placeless), Ok(file), "{}", rendered);
    }

    /// Every line names the record that states it.
    #[test]
    fn lines_know_their_bytes(file in files()) {
        let rendered = bai2::render(&file);
        let file = bai2::read(rendered.as_bytes()).expect("is read");
        let stated: Vec<&str> = rendered.lines().filter(|line| line.starts_with("16,")).collect();
        let known = file.statements.iter().flat_map(|statement| &statement.lines);
        let known: Vec<&str> = known.map(|line| &rendered[line.bytes.clone()]).collect();
        prop_assert_eq!(known, stated);
    }

    /// Continuations and blanks at any comma outside of texts change nothing but places.
    #[test]
    fn broken_records_read_alike(file in files(), breaks in proptest::collection::vec(0..40_usize, 1..8)) {
        let whole = bai2::render(&file);
        prop_assert_eq!(bai2::read(broken(&whole, &breaks).as_bytes()).map(placeless), Ok(file));
    }

    #[test]
    fn random_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let _ = bai2::read(&bytes);
        let _ = bai2::read(&[b"01,S,R,261103,0600,1,,,2/\n", &*bytes].concat());
        let _ = bai2::read(&[b"01,S,R,261103,0600,1,9,,2/", &*bytes].concat());
    }

    #[test]
    fn random_records_never_panic(text in "(01|02|03|16|49|88|98|99|[0-9,/VSD \n-]{1,9}|,|/|\n|\0|é){0,60}") {
        let _ = bai2::read(text.as_bytes());
        let _ = bai2::read(format!("01,S,R,261103,0600,1,,,2/\n02,,B,1,261102/\n{text}").as_bytes());
    }

    #[test]
    fn edited_samples_never_panic(
        sample in any::<prop::sample::Index>(),
        edits in proptest::collection::vec((any::<prop::sample::Index>(), 0..4_u8, any::<u8>()), 1..6),
    ) {
        let samples = samples::samples("bai2-");
        let (_, mut content, _) = sample.get(&samples).clone();
        for (at, kind, byte) in edits {
            let at = at.index(content.len());
            match kind {
                0 => content[at] = byte,
                1 => content.insert(at, b",/\n\0 0"[usize::from(byte) % 6]),
                2 if content.len() > 1 => drop(content.remove(at)),
                _ => content.rotate_left(at),
            }
        }
        if let Err(fault) = bai2::read(&content) {
            prop_assert!(fault.byte <= content.len() && fault.line >= 1 && !fault.record.is_empty());
        }
    }

    /// A model with what BAI2 cannot express is rendered to something that is read, with the same amounts.
    #[test]
    fn any_model_renders_readable_files(file in files(), text in ".{0,30}", kinds in any::<(bool, bool)>()) {
        let mut file = file;
        if kinds.0 {
            file.statements.iter_mut().for_each(|statement| statement.days.clear());
        }
        let other = "2026-05-01".parse().ok();
        for line in file.statements.iter_mut().flat_map(|statement| &mut statement.lines) {
            line.text.clone_from(&text);
            line.references = vec![(ReferenceKind::EndToEnd, text.clone()), (ReferenceKind::Bank, text.clone())];
            line.codes = vec![(CodeKind::Iso, text.clone()), (CodeKind::Bai, text.clone())];
            (line.value, line.reversal, line.return_reason) = (other, kinds.0, Some(text.clone()));
            let references = line.references.clone();
            line.parts = vec![Part { amount: None, references, return_reason: None, text: text.clone() }];
            line.booking = if kinds.1 { None } else { other };
        }
        let read = bai2::read(bai2::render(&file).as_bytes());
        let amounts = |file: &BankFile| -> Vec<i64> {
            file.statements.iter().flat_map(|statement| &statement.lines).map(|line| line.amount).collect()
        };
        prop_assert_eq!(read.map(|read| amounts(&read)), Ok(amounts(&file)));
    }
}

/// Breaks records at their commas, except in texts, and corrects the counts.
fn broken(whole: &str, breaks: &[usize]) -> String {
    let (mut text, mut records, mut next) = (String::new(), 0, breaks.iter().cycle());
    let (mut group, mut account) = (0, 0);
    for line in whole.lines() {
        let begins = records;
        let is_detail = line.starts_with("16,");
        let has_value = line.split(',').nth(3) == Some("V");
        let kept = if is_detail { if has_value { 8 } else { 6 } } else { usize::MAX };
        let is_trailer = line.starts_with("49,") || line.starts_with('9');
        let line = if is_trailer { line.rsplit_once(',').map_or(line, |(line, _)| line) } else { line };
        records += 1;
        for (at, field) in line.split(',').enumerate() {
            if at > 0 && at <= kept && *next.next().expect("endless") < at {
                text += "/  \n88, ";
                records += 1;
            } else if at > 0 {
                text.push(',');
            }
            text += field;
        }
        let count = match line.get(..2) {
            Some("49") => Some(records - account),
            Some("98") => Some(records - group),
            Some("99") => Some(records),
            _ => None,
        };
        match line.get(..2) {
            Some("02") => group = begins,
            Some("03") => account = begins,
            _ => {}
        }
        text += &count.map(|count| format!(",{count}/")).unwrap_or_default();
        text += " \r\n";
    }
    text
}

#[test]
fn statement_of_days_becomes_groups() {
    let day = |text: &str| text.parse::<Day>().expect("a date");
    let line = |amount, booked, booking| Line {
        booking: Some(booking),
        booking_from: None,
        value: None,
        amount,
        booked,
        reversal: false,
        codes: vec![],
        references: vec![(ReferenceKind::EndToEnd, "E/1,2".to_owned())],
        return_reason: None,
        text: "/, A\nB".to_owned(),
        parts: vec![],
        bytes: 0..0,
    };
    let balances =
        |date, opening, closing, lines| DayBalances { date, opening, closing, lines, available: None };
    let [first, second] = [day("2026-11-02"), day("2026-11-03")];
    let statement = Statement {
        account: "A/1".to_owned(),
        currency: Currency::USD,
        standing: Standing::Booked,
        marks: vec![],
        days: vec![balances(first, 0, 5, 1), balances(second, 5, -2, 2)],
        lines: vec![
            line(5, true, first),
            line(-8, true, second),
            line(9, false, second),
            line(1, true, second),
        ],
    };
    let file = BankFile { format: "camt.053.001.08".to_owned(), statements: vec![statement] };
    let rendered = bai2::render(&file);
    let read = bai2::read(rendered.as_bytes()).expect("is read");
    let shown: Vec<_> = read
        .statements
        .iter()
        .map(|statement| {
            let amounts: Vec<_> = statement.lines.iter().map(|line| line.amount).collect();
            (statement.standing, statement.days.first().map(|day| (day.date, day.closing)), amounts)
        })
        .collect();
    assert_eq!(
        shown,
        [
            (Standing::Booked, Some((first, 5)), vec![5]),
            (Standing::Booked, Some((second, -2)), vec![-8, 1]),
            (Standing::Pending, None, vec![9]),
        ]
    );
    assert_eq!(rendered.lines().nth(3), Some("16,399,5,Z,,E-1-2,A B"));
    assert!(rendered.contains("03,A-1,USD,010,5,,,015,-2,,,100,1,1,,400,8,1,/"), "{rendered}");
}

/// A file of one endless line, and one of an endless record.
#[test]
fn endless_records_are_read_once() {
    for (record, begin) in [("x", "01,"), ("88,", "01,S,R,261103,0600,1,3,,2/\n"), (",", "01"), (" ", "01,")]
    {
        let file = begin.to_owned() + &record.repeat(1 << 20);
        assert!(bai2::read(file.as_bytes()).is_err(), "{record}");
    }
}
