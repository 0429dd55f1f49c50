//! Files that our writers make are read with the same result in every spelling.
#![allow(clippy::expect_used, reason = "a file of ours that cannot be written is a failure")]

use daybook_domain::calendar::{Day, ReturnCode};
use daybook_domain::{Currency, TransactionId};
use daybook_engine::rails::ach::{EntryClass, Purpose, render_returns};
use daybook_engine::rails::bank::{BankPort, SandboxBank};
use daybook_engine::rails::statement::{Statement, StatementLine};
use daybook_engine::rails::{AccountClass, Destination, EntryDirection, OutgoingEntry, statement};
use daybook_properties::returns::entries;
use daybook_properties::spelling::spellings;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// Sequence, amount, true for a pull, name, account, class of the account, return code.
type Sent = (u32, i64, bool, &'static str, String, AccountClass, ReturnCode);

fn any_sent() -> impl Strategy<Value = Sent> {
    let names = vec!["Ann Example", "Zoë Łukasiewicz-Groß", "O'Neil & Sons, Inc.", "Đặng Thị Ngọc"];
    let classes = vec![AccountClass::Checking, AccountClass::Savings];
    let codes: Vec<_> = ReturnCode::all().collect();
    (
        1..10_000_000_u32,
        1..1_000_000_000_i64,
        any::<bool>(),
        select(names),
        "[0-9A-Z]{1,17}",
        select(classes),
        select(codes),
    )
}

fn entry((sequence, amount_minor, pulls, name, account_num, class, _): &Sent) -> OutgoingEntry {
    let (routing_num, account_num) = ("091000019".into(), account_num.clone());
    OutgoingEntry {
        transaction: TransactionId::from_u128((*sequence).into()),
        direction: if *pulls { EntryDirection::Pull } else { EntryDirection::Push },
        amount_minor: *amount_minor,
        sequence: *sequence,
        destination: Destination::Account { routing_num, account_num, class: *class, correspondent: None },
        name: (*name).to_owned(),
        addendum: None,
        class: EntryClass::Ppd,
        purpose: Purpose::Payment,
    }
}

fn any_statement() -> impl Strategy<Value = Statement> {
    // All characters except those that end a line: the content of a field must not change.
    let text = || "[^\\p{C}\u{2028}\u{2029}]{0,12}";
    let line = (-1_000_000..1_000_000_i64, proptest::option::of("[0-9A-Za-z-]{1,12}"), text());
    (0..20_000_i32, -1_000_000..1_000_000_i64, vec(line, 0..8)).prop_map(|(day, opening_minor, lines)| {
        let closing_minor = lines.iter().fold(opening_minor, |sum, (amount, ..)| sum + amount);
        let lines = lines.into_iter().zip(1..).map(|((amount_minor, reference, description), id)| {
            StatementLine { id: format!("L{id}"), amount_minor, reference, description }
        });
        let date = Day::default().plus_days(day);
        Statement { date, currency: Currency::USD, opening_minor, closing_minor, lines: lines.collect() }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn returns_are_read_in_every_spelling(sent in vec(any_sent(), 0..12)) {
        let entries_sent: Vec<_> = sent.iter().map(|sent| (entry(sent), sent.6)).collect();
        let returned: Vec<_> = entries_sent.iter().map(|(entry, code)| (entry, *code)).collect();
        let originator = SandboxBank.originator("Sandbox");
        let text = render_returns(&originator, Day::default().start(), &returned).expect("a file");
        let read = entries(&text);
        prop_assert!(read.as_ref().is_ok_and(|read| read.len() == returned.len()), "{:?}", read);
        for (name, spelled) in spellings(&text, true) {
            prop_assert_eq!(&entries(&spelled), &read, "{}", name);
        }
        // Records have a fixed length and need no line ends, and records that fill a block may be missing.
        prop_assert_eq!(&entries(&text.replace('\n', "")), &read);
        let unfilled: String = text.split_inclusive('\n').filter(|line| !line.starts_with("999")).collect();
        prop_assert_eq!(&entries(&unfilled), &read);
    }

    #[test]
    fn statements_are_read_in_every_spelling(stated in any_statement()) {
        let text = statement::render(&stated);
        let expected = Ok(stated);
        prop_assert_eq!(&statement::parse(&text), &expected);
        for (name, spelled) in spellings(&text, true) {
            prop_assert_eq!(&statement::parse(&spelled), &expected, "{}", name);
        }
    }
}
