use daybook_domain::calendar::ReturnCode;
use daybook_domain::posting::Rail;

use super::record::WIDTH;
use super::{Returned, parse_returns, render, render_returns};
use crate::contents::PayeeAddress;
use crate::rails::destination::{AccountClass, Destination};
use crate::rails::file::tests::{HOSTILE, entry, file, originator};
use crate::rails::file::{Direction, FileError, Originator, OutgoingEntry, OutgoingFile, Unfit};

fn code(text: &str) -> ReturnCode {
    text.parse().expect("a code")
}

fn savings(entry: OutgoingEntry) -> OutgoingEntry {
    let destination = Destination::Account {
        routing_num: "021000021".into(),
        account_num: "98-765".into(),
        class: AccountClass::Savings,
        correspondent: None,
    };
    OutgoingEntry { destination, ..entry }
}

/// A pull and a push of a checking and of a savings account.
fn four() -> Vec<OutgoingEntry> {
    let note = Some("Invoice 4711 – thanks".into());
    vec![
        OutgoingEntry { addendum: note, ..entry(7, Direction::Push, 123_456) },
        entry(8, Direction::Pull, 1),
        savings(entry(9, Direction::Push, 100)),
        savings(entry(11, Direction::Pull, 9_999_999_999)),
    ]
}

fn sent(entries: Vec<OutgoingEntry>) -> Result<String, Unfit> {
    render(&file(Rail::Ach, entries), &originator())
}

/// The file that sends the four back.
fn back() -> String {
    let (four, codes) = (four(), ["R03", "R01", "R02", "R10"].map(code));
    let returned: Vec<_> = four.iter().zip(codes).collect();
    let made_at = "2026-01-07".parse::<daybook_domain::calendar::Day>().expect("a date").start();
    render_returns(&originator(), made_at, &returned).expect("a file")
}

fn lines(text: &str) -> Vec<String> {
    text.lines().map(str::to_owned).collect()
}

/// The text with `new` in a line from a column on, both counted from 1.
fn with(text: &str, line: usize, column: usize, new: &str) -> String {
    let mut lines = lines(text);
    lines[line - 1].replace_range(column - 1..column - 1 + new.len(), new);
    lines.join("\n")
}

#[test]
fn a_file_is_records_of_94_characters_in_blocks_of_ten() {
    let expected = [
        "101 02100002112345678902601051730A094101FIRST BANK             DAYBOOK INC.           QKFF04HM",
        "5200DAYBOOK INC.                        1234567890PPDPAYMENT         260106   1021000020000001",
        "62209100001912345678         00001234568T5CY4TQKFF0007ANN EXAMPLE             1021000020000007",
        "705INVOICE 4711 - THANKS                                                           00010000007",
        "62709100001912345678         00000000018T5CY4TQKFF0008ANN EXAMPLE             0021000020000008",
        "63202100002198-765           00000001008T5CY4TQKFF0009ANN EXAMPLE             0021000020000009",
        "63702100002198-765           99999999998T5CY4TQKFF000BANN EXAMPLE             0021000020000011",
        "820000000500224000060100000000000000001235561234567890                         021000020000001",
        "9000001000001000000050022400006010000000000000000123556                                       ",
        "9999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999",
    ];
    assert_eq!(lines(&sent(four()).expect("a file")), expected);
}

#[test]
fn a_return_file_repeats_the_trace_with_the_reason() {
    let expected = [
        "1011234567890 0210000212601070000A094101DAYBOOK INC.           FIRST BANK                     ",
        "5200DAYBOOK INC.                        1234567890PPDPAYMENT         260107   1021000020000001",
        "62102100002112345678         00001234568T5CY4TQKFF0007ANN EXAMPLE             1091000010000001",
        "799R03021000020000007      09100001                                            091000010000001",
        "62602100002112345678         00000000018T5CY4TQKFF0008ANN EXAMPLE             1091000010000002",
        "799R01021000020000008      09100001                                            091000010000002",
        "63102100002198-765           00000001008T5CY4TQKFF0009ANN EXAMPLE             1021000020000003",
        "799R02021000020000009      02100002                                            021000020000003",
        "63602100002198-765           99999999998T5CY4TQKFF000BANN EXAMPLE             1021000020000004",
        "799R10021000020000011      02100002                                            021000020000004",
        "820000000800084000080100000000000000001235561234567890                         021000020000001",
        "9000001000002000000080008400008010000000000000000123556                                       ",
    ];
    let lines = lines(&back());
    assert_eq!(lines[..12], expected);
    assert_eq!(lines[12..], vec!["9".repeat(WIDTH); 8]);
}

#[test]
fn every_class_of_account_has_codes_of_its_own_and_nothing_is_pulled_from_a_loan() {
    use AccountClass::{Checking, GeneralLedger, Loan, Savings};
    let of_class = |class, direction| {
        let (routing_num, account_num) = ("021000021".into(), "98-765".into());
        let destination = Destination::Account { routing_num, account_num, class, correspondent: None };
        OutgoingEntry { destination, ..entry(7, direction, 100) }
    };
    let table =
        [(Checking, "622", "627"), (Savings, "632", "637"), (GeneralLedger, "642", "647"), (Loan, "652", "")];
    assert_eq!(table.map(|(class, ..)| class), AccountClass::ALL);
    for (class, push, pull) in table {
        for (direction, code) in [(Direction::Push, push), (Direction::Pull, pull)] {
            let entry = of_class(class, direction);
            let written = sent(vec![entry.clone()]).map(|text| lines(&text)[2][..3].to_owned());
            let unfit = Unfit { transaction: Some(entry.transaction), field: "class" };
            assert_eq!(written, if code.is_empty() { Err(unfit) } else { Ok(code.to_owned()) });
            if !code.is_empty() {
                let made_at = file(Rail::Ach, vec![]).cut_at;
                let back = render_returns(&originator(), made_at, &[(&entry, self::code("R02"))]);
                assert_eq!(parse_returns(&back.expect("a file")).map(|found| found.len()), Ok(1));
            }
        }
    }
}

#[test]
fn the_class_of_a_batch_says_which_way_its_money_goes() {
    for (direction, class) in [(Direction::Push, "220"), (Direction::Pull, "225")] {
        let lines = lines(&sent(vec![entry(1, direction, 5)]).expect("a file"));
        assert_eq!((&lines[1][1..4], &lines[3][1..4]), (class, class));
    }
}

#[test]
fn each_file_of_a_day_has_a_mark() {
    let mark = |of_day| {
        let file = OutgoingFile { of_day, ..file(Rail::Ach, four()) };
        render(&file, &originator()).map(|text| text[33..34].to_owned())
    };
    assert_eq!((mark(1), mark(25), mark(35)), (Ok("B".into()), Ok("Z".into()), Ok("9".into())));
    assert_eq!(mark(36), Err(Unfit::file("of_day")));
}

#[test]
fn text_of_customers_adds_no_record() {
    for text in HOSTILE {
        let hostile = OutgoingEntry {
            name: text.to_owned(),
            addendum: Some(text.to_owned()),
            ..entry(7, Direction::Pull, 5)
        };
        let lines = lines(&sent(vec![hostile, entry(8, Direction::Pull, 5)]).expect("a file"));
        assert!(lines.iter().all(|line| line.len() == WIDTH && line.is_ascii()), "{text:?}");
        let kinds: String = lines.iter().map(|line| &line[..1]).collect();
        assert_eq!(kinds, "1567689999", "{text:?}");
        assert_eq!((&lines[2][78..], &lines[3][83..]), ("1021000020000007", "00010000007"), "{text:?}");
    }
}

#[test]
fn a_note_of_nothing_has_no_record() {
    let silent = OutgoingEntry { addendum: Some(" \n".into()), ..entry(7, Direction::Pull, 5) };
    assert_eq!(sent(vec![silent]), sent(vec![entry(7, Direction::Pull, 5)]));
}

#[test]
fn what_has_no_place_is_refused() {
    let account = |routing_num: &str, account_num: &str| Destination::Account {
        routing_num: routing_num.into(),
        account_num: account_num.into(),
        class: AccountClass::Checking,
        correspondent: None,
    };
    let good = || entry(7, Direction::Push, 5);
    let table = [
        ("amount", OutgoingEntry { amount_minor: 10_000_000_000, ..good() }),
        ("amount", OutgoingEntry { amount_minor: 0, ..good() }),
        ("amount", OutgoingEntry { amount_minor: i64::MIN, ..good() }),
        ("sequence", OutgoingEntry { sequence: 0, ..good() }),
        ("sequence", OutgoingEntry { sequence: 10_000_000, ..good() }),
        ("name", OutgoingEntry { name: "\u{0}\n".into(), ..good() }),
        ("routing_num", OutgoingEntry { destination: account("091000018", "1"), ..good() }),
        ("account_num", OutgoingEntry { destination: account("091000019", ""), ..good() }),
        ("account_num", OutgoingEntry { destination: account("091000019", "123456789012345678"), ..good() }),
        ("account_num", OutgoingEntry { destination: account("091000019", "1\n2"), ..good() }),
        ("destination", OutgoingEntry { destination: Destination::Mail(PayeeAddress::default()), ..good() }),
    ];
    for (field, bad) in table {
        let transaction = Some(bad.transaction);
        assert_eq!(sent(vec![bad]), Err(Unfit { transaction, field }));
    }
    let nobody = Originator { company_id: "1\n2".into(), ..originator() };
    let found = render(&file(Rail::Ach, four()), &nobody);
    assert_eq!(found, Err(Unfit::file("originator.company_id")));
    let most: Vec<_> = (1..=101).map(|sequence| entry(sequence, Direction::Pull, 9_999_999_999)).collect();
    let beyond = most.last().map(|entry| entry.transaction);
    assert_eq!(sent(most), Err(Unfit { transaction: beyond, field: "total of debits" }));
}

#[test]
fn what_a_bank_sends_back_is_read() {
    let returned = |trace: &str, reason, amount_minor| Returned {
        trace: trace.into(),
        code: code(reason),
        amount_minor,
    };
    let expected = vec![
        returned("021000020000007", "R03", 123_456),
        returned("021000020000008", "R01", 1),
        returned("021000020000009", "R02", 100),
        returned("021000020000011", "R10", 9_999_999_999),
    ];
    assert_eq!(parse_returns(&back()).as_ref(), Ok(&expected));
    assert_eq!(parse_returns(&back().replace('\n', "\r\n")).as_ref(), Ok(&expected));
    let nothing = render_returns(&originator(), daybook_domain::Timestamp::default(), &[]).expect("a file");
    assert_eq!(parse_returns(&nothing), Ok(vec![]));
}

#[test]
fn every_return_of_any_size_of_file_reads_back() {
    for count in 1..30 {
        let sent: Vec<_> = (1..=count)
            .map(|sequence| {
                let direction = if sequence % 3 == 0 { Direction::Push } else { Direction::Pull };
                entry(sequence * 1_000, direction, i64::from(sequence) * 7_919)
            })
            .collect();
        let returned: Vec<_> = sent.iter().zip(ReturnCode::all()).collect();
        let text =
            render_returns(&originator(), daybook_domain::Timestamp::default(), &returned).expect("a file");
        let expected: Vec<_> = returned
            .iter()
            .map(|(entry, code)| Returned {
                trace: originator().trace(entry.sequence).expect("a trace"),
                code: *code,
                amount_minor: entry.amount_minor,
            })
            .collect();
        assert_eq!(parse_returns(&text), Ok(expected), "{count}");
    }
}

#[test]
fn batches_add_up_to_the_file() {
    let all = lines(&back());
    let mut two = [&all[..11], &all[1..11]].concat();
    let control = "9000002000003000000160016800016020000000000000000247112";
    two.push(format!("{control:94}"));
    two.resize(30, "9".repeat(WIDTH));
    assert_eq!(parse_returns(&two.join("\n")).map(|returned| returned.len()), Ok(8));
}

#[test]
fn a_notification_of_change_is_no_return() {
    let changed = with(&back(), 4, 1, "798C03");
    assert_eq!(parse_returns(&changed).map(|returned| returned.len()), Ok(3));
}

#[test]
fn damage_is_found_where_it_is() {
    let table = [
        (1, 1, "2", "no file header"),
        (1, 35, "095", "the records are of another size"),
        (2, 1, "6", "neither a batch header nor a file control"),
        (2, 2, "280", "unknown service class"),
        (3, 1, "7", "neither an entry nor a batch control"),
        (3, 2, "22", "not the transaction code of a return"),
        (3, 12, "2", "not a routing number"),
        (3, 30, " ", "amount is not a number"),
        (3, 79, "0", "an entry without an addenda record"),
        (3, 80, "x", "trace is not a number"),
        (4, 1, "6", "not an addenda record"),
        (4, 2, "05", "neither a return nor a notification of change"),
        (4, 4, "R61", "unknown return reason code"),
        (4, 7, " ", "trace of the original entry is not a number"),
        (4, 22, "2601", "date of death is not a date"),
        (4, 28, " ", "bank of the original entry is not a number"),
        (4, 94, "2", "trace is not that of the entry"),
        (5, 1, "\u{1}", "a record has 94 characters of printable ASCII"),
        (11, 4, "5", "service class is not that of the batch header"),
        (11, 10, "9", "number of entries is not that of the batch"),
        (11, 20, "9", "hash is not that of the routing numbers"),
        (11, 32, "1", "total of debits is not that of the entries"),
        (11, 44, "5", "total of credits is not that of the entries"),
        (11, 45, "9", "company is not that of the batch header"),
        (11, 94, "2", "bank or number is not that of the batch header"),
        (12, 7, "2", "number of batches is not that of the file"),
        (12, 13, "1", "number of blocks is not that of the file"),
        (12, 21, "9", "number of entries is not that of the file"),
        (12, 31, "9", "hash is not that of the routing numbers"),
        (12, 43, "1", "total of debits is not that of the entries"),
        (12, 55, "5", "total of credits is not that of the entries"),
        (12, 94, "9", "the reserved columns are not blank"),
        (20, 94, "8", "a record after the file control"),
    ];
    for (line, column, new, text) in table {
        let damaged = with(&back(), line, column, new);
        assert_eq!(parse_returns(&damaged), Err(FileError { line, text }), "{column}");
    }
}

#[test]
fn a_file_that_is_cut_is_refused() {
    let all = lines(&back());
    for length in 0..all.len() {
        let found = parse_returns(&all[..length].join("\n"));
        assert_eq!(found.map_err(|error| error.line), Err(12.min(length + 1)), "{length}");
    }
    let text = back();
    for length in 0..text.len() - 1 {
        assert!(parse_returns(&text[..length]).is_err(), "{length}");
    }
    let short = text.replacen("ANN EXAMPLE", "ANN EXAMPL", 1);
    assert_eq!(parse_returns(&short).map_err(|error| error.line), Err(3));
}

/// One wrong character may change a reason or a trace, which nothing checks, but never how much came back.
#[test]
fn no_single_damage_changes_an_amount() {
    let sum = |returned: Vec<Returned>| returned.iter().map(|one| one.amount_minor).sum::<i64>();
    let expected = sum(parse_returns(&back()).expect("returns"));
    for line in 1..=12 {
        for column in 1..=WIDTH {
            for new in ["0", "1", "9", "A", " "] {
                let found = parse_returns(&with(&back(), line, column, new)).map(sum);
                assert!(found.is_err() || found == Ok(expected), "{line}:{column} {new}");
            }
        }
    }
}
