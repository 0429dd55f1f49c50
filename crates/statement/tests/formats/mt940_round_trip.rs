//! MT940 and MT942: the reader reads what the writer writes.
//!
//! The subset is that of the writer's documentation: booked statements whose days all have lines, and pending ones.

use daybook_domain::Currency;
use daybook_domain::calendar::Day;
use daybook_statement::mt940::{read, render};
use daybook_statement::{
    BankFile, CodeKind, DayBalances, Line, ReferenceKind, References, Standing, Statement,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::string::string_regex;

/// Reference without a slash and spaces at its ends.
fn reference(length: usize) -> impl Strategy<Value = String> {
    string_regex(&format!("[A-Za-z0-9][A-Za-z0-9.,-]{{0,{}}}", length - 1))
        .expect("a pattern")
        .prop_filter("means none", |text| text != "NONREF")
}

/// A text as the format can state it: free, or structured with the references in it.
fn text() -> impl Strategy<Value = (String, References)> {
    let free = vec("([a-zA-Z0-9ü€+,.() ]{0,150}[a-zA-Z0-9])|", 0..4)
        .prop_map(|lines| lines.join("\n").trim_end().to_owned())
        .prop_filter("a break after a full line is lost", |text| {
            text.lines().all(|line| line.is_empty() || line.chars().count() % 65 != 0)
        })
        .prop_map(|text| (text, vec![]));
    let structured = (reference(35), option::of(reference(35)), "[a-zA-Z0-9ü:+. -]{0,150}x").prop_map(
        |(end_to_end, mandate, rest)| {
            let mut text = format!("/EREF/{end_to_end}");
            let mut references = vec![(ReferenceKind::EndToEnd, end_to_end)];
            if let Some(mandate) = mandate {
                text = text + "/MREF/" + &mandate;
                references.push((ReferenceKind::Mandate, mandate));
            }
            (text + "/REMI/" + &rest, references)
        },
    );
    prop_oneof![free, structured]
}

fn line(is_booked: bool) -> impl Strategy<Value = Line> {
    let codes = select(&["NTRF", "NCHG", "FMSC", "S103"][..]);
    let amount = (0..10_000_000_000_i64, any::<bool>());
    let references = (option::of(reference(16)), option::of(reference(16)));
    let days = (19_000..19_020, -180..180, any::<bool>());
    (days, amount, any::<bool>(), codes, references, text()).prop_map(
        move |((booking, value, _), (amount, is_debit), reversal, code, (bank, customer), (text, stated))| {
            let booking = Day::default().plus_days(booking);
            let bank = bank.map(|bank| (ReferenceKind::Bank, bank));
            let customer = customer.map(|customer| (ReferenceKind::Customer, customer));
            Line {
                booking: Some(booking),
                booking_from: None,
                value: Some(booking.plus_days(value)),
                amount: if is_debit { -amount } else { amount },
                booked: is_booked,
                // Nothing has no side.
                reversal: reversal && amount != 0,
                codes: vec![(CodeKind::Swift, code.to_owned())],
                references: bank.into_iter().chain(customer).chain(stated).collect(),
                return_reason: None,
                text,
                parts: vec![],
                bytes: 0..0,
            }
        },
    )
}

/// Days on which the lines are booked, each with its balances; one without lines if there is none.
fn days(opening: i64, lines: &[Line]) -> Vec<DayBalances> {
    let mut dates: Vec<_> = lines.iter().filter_map(|line| line.booking).collect();
    dates.sort_unstable();
    dates.dedup();
    if dates.is_empty() {
        dates.push(Day::default().plus_days(19_000));
    }
    let mut opening = opening;
    let of = |date| lines.iter().filter(move |line| line.booking == Some(date));
    let day = |date| {
        let closing = opening + of(date).map(|line| line.amount).sum::<i64>();
        let day = DayBalances { date, opening, closing, lines: of(date).count(), available: None };
        opening = closing;
        day
    };
    dates.into_iter().map(day).collect()
}

fn statement() -> impl Strategy<Value = Statement> {
    let currency =
        select(&["EUR", "JPY", "KWD"][..]).prop_map(|code| Currency::parse(code).expect("ISO 4217"));
    let of = |booked: bool| (vec(line(booked), 0..6), Just(booked));
    let lines = prop_oneof![of(true), of(false)];
    (reference(34), currency, -1_000_000..1_000_000_i64, lines).prop_map(
        |(account, currency, opening, (lines, is_booked))| {
            let standing = if is_booked { Standing::Booked } else { Standing::Pending };
            let days = if is_booked { days(opening, &lines) } else { vec![] };
            Statement { account, currency, standing, marks: vec![], days, lines }
        },
    )
}

fn file() -> impl Strategy<Value = BankFile> {
    vec(statement(), 1..4).prop_map(|statements| {
        let is_report = statements.iter().all(|statement| statement.standing == Standing::Pending);
        BankFile { format: if is_report { "mt942" } else { "mt940" }.to_owned(), statements }
    })
}

/// The file without the places of its lines, after a check of these.
fn without_places(mut file: BankFile, content: &str) -> BankFile {
    for line in file.statements.iter_mut().flat_map(|statement| &mut statement.lines) {
        let stated = content.get(std::mem::replace(&mut line.bytes, 0..0)).expect("is in the file");
        assert!(stated.starts_with(":61:") && stated.matches("\n:61:").count() == 0, "{stated}");
    }
    file
}

/// File of one line with this text and these references.
fn one_line(text: &str, references: &[(ReferenceKind, &str)]) -> BankFile {
    let day = Day::default().plus_days(20_000);
    let line = Line {
        booking: Some(day),
        booking_from: None,
        value: Some(day),
        amount: 1,
        booked: true,
        reversal: false,
        codes: vec![],
        references: references.iter().map(|(kind, value)| (*kind, (*value).to_owned())).collect(),
        return_reason: None,
        text: text.to_owned(),
        parts: vec![],
        bytes: 0..0,
    };
    let lines = vec![line];
    let days = days(0, &lines);
    let (account, currency, standing) = ("A".to_owned(), Currency::USD, Standing::Booked);
    let statement = Statement { account, currency, standing, marks: vec![], days, lines };
    BankFile { format: "mt940".to_owned(), statements: vec![statement] }
}

#[test]
fn text_is_rendered_as_documented() {
    use ReferenceKind::{Bank, Check, Customer, EndToEnd, Mandate};
    let x = "x".repeat(65);
    for (text, references, read_text, read_references) in [
        ("a\n:61:b\n-\n-}\nc", &[][..], "a\n 61:b\n \n }\nc", &[][..]),
        (&(x.clone() + ":62F:"), &[], &(x.clone() + " 62F:"), &[]),
        (&format!("/REMI/{}:62F:", &x[6..]), &[], &format!("/REMI/{}:62F:", &x[6..]), &[]),
        ("a\u{0}b", &[], "a b", &[]),
        (
            "Rent",
            &[(EndToEnd, "E"), (Mandate, "M")],
            "/EREF/E/MREF/M/REMI/Rent",
            &[(EndToEnd, "E"), (Mandate, "M")],
        ),
        ("", &[(EndToEnd, "E")], "/EREF/E", &[(EndToEnd, "E")]),
        ("?20EREF+E", &[(EndToEnd, "E")], "?20EREF+E", &[(EndToEnd, "E")]),
        ("", &[(Bank, "B"), (Customer, "C/1")], "", &[(Bank, "B"), (Customer, "C/1")]),
        ("x", &[(Customer, "C//1")], "/KREF/C//1/REMI/x", &[(Customer, "C//1")]),
        (
            "x",
            &[(Customer, "12345678901234567")],
            "/KREF/12345678901234567/REMI/x",
            &[(Customer, "12345678901234567")],
        ),
        ("x", &[(Check, "1"), (EndToEnd, "NOTPROVIDED")], "x", &[]),
    ] {
        let file = read(render(&one_line(text, references)).as_bytes()).expect("is read");
        let line = &file.statements[0].lines[0];
        let found: Vec<_> = line.references.iter().map(|(kind, value)| (*kind, &**value)).collect();
        assert_eq!((&*line.text, &*found), (read_text, read_references), "{text}");
    }
}

proptest! {
    #[test]
    fn rendered_file_reads_as_itself(file in file()) {
        let content = render(&file);
        let read = read(content.as_bytes());
        prop_assert!(read.is_ok(), "{read:?}: {content}");
        prop_assert_eq!(without_places(read.expect("is read"), &content), file, "{}", content);
        prop_assert!(content.lines().all(|line| line.chars().count() <= 70), "{}", content);
    }

    #[test]
    fn any_text_can_be_rendered(text in any::<String>(), customer in any::<String>(), file in file()) {
        let mut file = file;
        for line in file.statements.iter_mut().flat_map(|statement| &mut statement.lines) {
            line.text.clone_from(&text);
            line.references = vec![(ReferenceKind::Customer, customer.clone())];
        }
        let content = render(&file);
        let read = read(content.as_bytes());
        prop_assert!(read.is_ok(), "{read:?}: {content}");
        let amounts = |file: &BankFile| -> Vec<_> {
            file.statements.iter().flat_map(|of| of.lines.iter().map(|line| line.amount)).collect()
        };
        prop_assert_eq!(amounts(&read.expect("is read")), amounts(&file));
    }
}
