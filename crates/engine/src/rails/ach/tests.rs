use daybook_domain::calendar::ReturnCode;
use daybook_domain::posting::Rail;

use super::record::RECORD_CHARS;
use super::{Content, Entry, EntryClass, Purpose, parse_returns, render, render_returns};
use crate::contents::PayeeAddress;
use crate::rails::destination::{AccountClass, Destination};
use crate::rails::file::tests::{HOSTILE, entry, file, originator};
use crate::rails::file::{EntryDirection, FileError, Originator, OutgoingEntry, OutgoingFile, Unfit};
use crate::rails::incoming::error;
use crate::rails::text::written;

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

/// A pull and a push each of a checking and of a savings account.
fn four() -> Vec<OutgoingEntry> {
    let note = Some("Invoice 4711 – thanks".into());
    vec![
        OutgoingEntry { addendum: note, ..entry(7, EntryDirection::Push, 123_456) },
        entry(8, EntryDirection::Pull, 1),
        savings(entry(9, EntryDirection::Push, 100)),
        savings(entry(11, EntryDirection::Pull, 9_999_999_999)),
    ]
}

fn sent(entries: Vec<OutgoingEntry>) -> Result<String, Unfit> {
    render(&file(Rail::Ach, entries), &originator())
}

/// The file that returns the four entries.
fn back() -> String {
    let (four, codes) = (four(), ["R03", "R01", "R02", "R10"].map(code));
    let returned: Vec<_> = four.iter().zip(codes).collect();
    let made_at = "2026-01-07".parse::<daybook_domain::calendar::Day>().expect("a date").start();
    render_returns(&originator(), made_at, &returned).expect("a file")
}

fn lines(text: &str) -> Vec<String> {
    text.lines().map(str::to_owned).collect()
}

/// Replaces text in a line, from a column on. Both are counted from 1.
fn with(text: &str, line: usize, column: usize, new: &str) -> String {
    let mut lines = lines(text);
    lines[line - 1].replace_range(column - 1..column - 1 + new.len(), new);
    lines.join("\n")
}

#[test]
fn file_has_94_character_records_in_blocks() {
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
fn return_file_repeats_trace_with_reason() {
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
    assert_eq!(lines[12..], vec!["9".repeat(RECORD_CHARS); 8]);
}

#[test]
fn account_classes_have_codes_loans_no_pull() {
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
        for (direction, code) in [(EntryDirection::Push, push), (EntryDirection::Pull, pull)] {
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
fn batch_class_names_money_direction() {
    for (direction, class) in [(EntryDirection::Push, "220"), (EntryDirection::Pull, "225")] {
        let lines = lines(&sent(vec![entry(1, direction, 5)]).expect("a file"));
        assert_eq!((&lines[1][1..4], &lines[3][1..4]), (class, class));
    }
}

#[test]
fn classes_and_descriptions_have_their_batches() {
    let of = |sequence, direction, class, purpose| OutgoingEntry {
        class,
        purpose,
        name: "Đặng Thị Ngọc".into(),
        ..entry(sequence, direction, 5)
    };
    let entries = vec![
        of(1, EntryDirection::Pull, EntryClass::Web, Purpose::Payment),
        of(2, EntryDirection::Push, EntryClass::Ppd, Purpose::AccountCheck),
        of(3, EntryDirection::Pull, EntryClass::Web, Purpose::Again),
        of(4, EntryDirection::Push, EntryClass::Ccd, Purpose::Payment),
        of(5, EntryDirection::Pull, EntryClass::Web, Purpose::Payment),
    ];
    let sent = lines(&sent(entries).expect("a file"));
    let batches: Vec<_> = sent.iter().filter(|line| line.starts_with('5')).collect();
    let said: Vec<_> = batches.iter().map(|line| (&line[1..4], &line[50..63], &line[87..])).collect();
    let expected = [
        ("220", "PPDACCTVERIFY", "0000001"),
        ("220", "CCDPAYMENT   ", "0000002"),
        ("225", "WEBPAYMENT   ", "0000003"),
        ("225", "WEBRETRY PYMT", "0000004"),
    ];
    assert_eq!(said, expected);
    let entries: Vec<_> = sent.iter().filter(|line| line.starts_with('6')).collect();
    let told: Vec<_> = entries.iter().map(|line| (&line[54..78], &line[87..])).collect();
    let (single, other) = ("DANG THI NGOC         S ", "DANG THI NGOC           ");
    let expected = [
        (other, "0000002"),
        (other, "0000004"),
        (single, "0000001"),
        (single, "0000005"),
        (single, "0000003"),
    ];
    assert_eq!(told, expected);
    let control = sent.iter().find(|line| line.starts_with("9000004")).expect("a file control");
    assert_eq!(&control[1..55], "000004000002000000050045500005000000000015000000000010");
}

#[test]
fn file_of_a_day_has_modifier() {
    let mark = |of_day| {
        let file = OutgoingFile { of_day, ..file(Rail::Ach, four()) };
        render(&file, &originator()).map(|text| text[33..34].to_owned())
    };
    assert_eq!((mark(1), mark(25), mark(35)), (Ok("B".into()), Ok("Z".into()), Ok("9".into())));
    assert_eq!(mark(36), Err(Unfit::file("of_day")));
}

#[test]
fn customer_text_adds_no_record() {
    for text in HOSTILE {
        let name = if written(text).is_ok() { text } else { "Zoë" };
        let hostile = OutgoingEntry {
            name: name.to_owned(),
            addendum: Some(text.to_owned()),
            ..entry(7, EntryDirection::Pull, 5)
        };
        let lines = lines(&sent(vec![hostile, entry(8, EntryDirection::Pull, 5)]).expect("a file"));
        assert!(lines.iter().all(|line| line.len() == RECORD_CHARS && line.is_ascii()), "{text:?}");
        let kinds: String = lines.iter().map(|line| &line[..1]).collect();
        assert_eq!(kinds, "1567689999", "{text:?}");
        assert_eq!((&lines[2][78..], &lines[3][83..]), ("1021000020000007", "00010000007"), "{text:?}");
    }
}

#[test]
fn blank_note_has_no_addenda_record() {
    let silent = OutgoingEntry { addendum: Some(" \n".into()), ..entry(7, EntryDirection::Pull, 5) };
    assert_eq!(sent(vec![silent]), sent(vec![entry(7, EntryDirection::Pull, 5)]));
}

#[test]
fn unfit_field_is_refused() {
    let account = |routing_num: &str, account_num: &str| Destination::Account {
        routing_num: routing_num.into(),
        account_num: account_num.into(),
        class: AccountClass::Checking,
        correspondent: None,
    };
    let good = || entry(7, EntryDirection::Push, 5);
    let table = [
        ("amount", OutgoingEntry { amount_minor: 10_000_000_000, ..good() }),
        ("amount", OutgoingEntry { amount_minor: 0, ..good() }),
        ("amount", OutgoingEntry { amount_minor: i64::MIN, ..good() }),
        ("sequence", OutgoingEntry { sequence: 0, ..good() }),
        ("sequence", OutgoingEntry { sequence: 10_000_000, ..good() }),
        ("name", OutgoingEntry { name: "\u{0}\n".into(), ..good() }),
        ("name", OutgoingEntry { name: "Li 李".into(), ..good() }),
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
    let most: Vec<_> =
        (1..=101).map(|sequence| entry(sequence, EntryDirection::Pull, 9_999_999_999)).collect();
    let beyond = most.last().map(|entry| entry.transaction);
    assert_eq!(sent(most), Err(Unfit { transaction: beyond, field: "total of debits" }));
}

/// A returned entry that begins on this line.
fn returned(line: usize, trace: &str, reason: &str, direction: EntryDirection, amount_minor: i64) -> Entry {
    let content = Content::Returned(code(reason));
    let (code_line, trace, code) = (line + 1, trace.into(), reason.into());
    Entry { line, code_line, trace, code, direction, amount_minor, content }
}

/// The four entries as parsed from the return file.
fn expected() -> Vec<Entry> {
    use EntryDirection::{Pull, Push};
    vec![
        returned(3, "021000020000007", "R03", Push, 123_456),
        returned(5, "021000020000008", "R01", Pull, 1),
        returned(7, "021000020000009", "R02", Push, 100),
        returned(9, "021000020000011", "R10", Pull, 9_999_999_999),
    ]
}

#[test]
fn return_file_is_parsed() {
    assert_eq!(parse_returns(&back()), Ok(expected()));
    let nothing = render_returns(&originator(), daybook_domain::Timestamp::default(), &[]).expect("a file");
    assert_eq!(parse_returns(&nothing), Ok(vec![]));
}

/// Line endings, padding and fill records may vary. The last two files count columns in letters and in bytes.
#[test]
fn equivalent_spellings_parse_the_same() {
    let text = back();
    let twelve = lines(&text)[..12].join("\n");
    let each =
        |change: &dyn Fn(&str) -> String| lines(&text).iter().map(|line| change(line)).collect::<String>();
    let spelled = [
        text.replace('\n', "\r\n"),
        text.replace('\n', "\r"),
        text.replace('\n', ""),
        text.replacen('\n', "\r\n", 5),
        text.trim_end().to_owned(),
        format!("\u{feff}{text}\n \r\n\u{1a}"),
        twelve.clone(),
        format!("{twelve}\n"),
        format!("{text}{}\n", "9".repeat(RECORD_CHARS)),
        each(&|line| format!("{}\n", line.trim_end())),
        each(&|line| format!("{line}      \r\n")),
        each(&|line| format!("{line}\n\n")).trim_end().to_owned(),
        text.replace("ANN EXAMPLE", "ZOË EXAMPLE"),
        text.replace("ANN EXAMPLE ", "ZOË EXAMPLE"),
    ];
    for text in spelled {
        let found = parse_returns(&text).map_err(|error| error.to_string());
        let without_lines = |entries: Vec<Entry>| {
            entries.into_iter().map(|entry| Entry { line: 0, code_line: 0, ..entry }).collect::<Vec<_>>()
        };
        assert_eq!(found.map(without_lines), Ok(without_lines(expected())), "{text:?}");
    }
}

#[test]
fn returns_round_trip_at_any_size() {
    for count in 1..30 {
        let sent: Vec<_> = (1..=count)
            .map(|sequence| {
                let direction = if sequence % 3 == 0 { EntryDirection::Push } else { EntryDirection::Pull };
                entry(sequence * 1_000, direction, i64::from(sequence) * 7_919)
            })
            .collect();
        let back: Vec<_> = sent.iter().zip(ReturnCode::all()).collect();
        let text =
            render_returns(&originator(), daybook_domain::Timestamp::default(), &back).expect("a file");
        let expected: Vec<_> = back
            .iter()
            .zip(0..)
            .map(|((entry, code), index)| {
                let trace = originator().trace(entry.sequence).expect("a trace");
                returned(3 + 2 * index, &trace, &code.to_string(), entry.direction, entry.amount_minor)
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
    two.resize(30, "9".repeat(RECORD_CHARS));
    assert_eq!(parse_returns(&two.join("\n")).map(|returned| returned.len()), Ok(8));
}

/// An entry that is no return, or is unreadable, does not block the others.
#[test]
fn entries_are_parsed_independently() {
    let unreadable = |field, expected: &'static str, found| {
        let line = if field == "addenda type" { 4 } else { 3 };
        let record = if line == 4 { "addenda" } else { "entry" };
        Content::Unreadable(error(line, (record, field), expected, found))
    };
    let on_addenda = |field, expected: &'static str, found| {
        Content::Unreadable(error(4, ("addenda", field), expected, found))
    };
    let reasons = "\"99\", a return, or \"98\", a notification of change";
    let moves_money = error(3, ("entry", "amount"), "\"0000000000\"", "0000123456");
    let no_trace = error(4, ("addenda", "trace of the return"), "digits", "               ");
    let table = [
        (4, 1, "798C03", Content::Changed("Incorrect routing number and account number", Err(moves_money))),
        (4, 1, "798C61", Content::RefusedChange("Misrouted notification of change")),
        (4, 1, "799R68", Content::Dishonored("Untimely return", Err(no_trace.clone()))),
        (4, 1, "799R76", Content::Contested("No errors found", Err(no_trace))),
        (4, 1, "799R99", Content::UnknownCode),
        (4, 1, "799C03", Content::UnknownCode),
        (4, 1, "798R01", Content::UnknownCode),
        (3, 2, "22", unreadable("transaction code", "that of a return, such as \"21\" or \"26\"", "22")),
        (3, 12, "2", unreadable("routing number", "nine digits with their checksum", "021000022")),
        (3, 79, "0", unreadable("addenda record indicator", "\"1\"", "0")),
        (3, 80, "x", unreadable("trace", "digits", "x91000010000001")),
        (4, 2, "05", unreadable("addenda type", reasons, "05")),
        (4, 7, " ", on_addenda("trace of the original entry", "digits", " 21000020000007")),
        (4, 22, "2601", on_addenda("date", "a date or blanks", "2601  ")),
        (4, 28, " ", on_addenda("bank of the original entry", "digits", " 9100001")),
        (4, 94, "2", on_addenda("trace", "\"091000010000001\"", "091000010000002")),
    ];
    for (line, column, new, content) in table {
        let found = parse_returns(&with(&back(), line, column, new)).expect("believed");
        assert_eq!(found[0].content, content, "{line}:{column}");
        assert_eq!(found[1..], expected()[1..], "{line}:{column}");
    }
}

#[test]
fn damage_is_reported_at_its_place() {
    let (file, batch) = ("file control", "batch control");
    let table = [
        (1, 1, "2", ("file header", "record type and priority"), "\"101\"", "201"),
        (1, 35, "095", ("file header", "size of the records"), "\"094101\"", "095101"),
        (2, 1, "6", ("record", "record type"), "\"5\", a batch header, or \"9\", the file control", "6"),
        (2, 2, "280", ("batch header", "service class"), "\"200\", \"220\" or \"225\"", "280"),
        (3, 1, "4", ("record", "record type"), "\"6\", an entry, or \"8\", the batch control", "4"),
        (3, 30, " ", ("entry", "amount"), "digits", " 000123456"),
        (4, 1, "6", ("entry", "amount"), "digits", "100001    "),
        (11, 4, "5", (batch, "service class"), "\"200\"", "205"),
        (11, 10, "9", (batch, "number of entries and addenda"), "\"000008\"", "000009"),
        (11, 20, "9", (batch, "hash of the routing numbers"), "\"0008400008\"", "0008400009"),
        (11, 32, "1", (batch, "total of debits"), "\"010000000000\"", "010000000001"),
        (11, 44, "5", (batch, "total of credits"), "\"000000123556\"", "000000123555"),
        (11, 45, "9", (batch, "company identification"), "\"1234567890\"", "9234567890"),
        (11, 94, "2", (batch, "batch number"), "\"0000001\"", "0000002"),
        (12, 7, "2", (file, "number of batches"), "\"000001\"", "000002"),
        (12, 13, "1", (file, "number of blocks"), "\"000002\"", "000001"),
        (12, 21, "9", (file, "number of entries and addenda"), "\"00000008\"", "00000009"),
        (12, 31, "9", (file, "hash of the routing numbers"), "\"0008400008\"", "0008400009"),
        (12, 43, "1", (file, "total of debits"), "\"010000000000\"", "010000000001"),
        (12, 55, "5", (file, "total of credits"), "\"000000123556\"", "000000123555"),
    ];
    for (line, column, new, field, expected, found) in table {
        let damaged = with(&back(), line, column, new);
        assert_eq!(parse_returns(&damaged), Err(error(line, field, expected, found)), "{line}:{column}");
    }
    let behind = parse_returns(&with(&back(), 20, 94, "8")).map_err(|error| (error.line, error.field));
    assert_eq!(behind, Err((20, "record")));
    let control = parse_returns(&with(&back(), 5, 1, "\u{1}")).map_err(|error| (error.line, error.field));
    assert_eq!(control, Err((5, "record")));
}

#[test]
fn truncated_file_is_refused() {
    let all = lines(&back());
    for length in 0..12 {
        let found = parse_returns(&all[..length].join("\n"));
        assert_eq!(found.map_err(|error| error.line), Err(length.max(1)), "{length}");
    }
    // Only fill records, and blanks after the last total, may be missing.
    let (text, needed) = (back(), 11 * (RECORD_CHARS + 1) + 55);
    for length in 0..needed {
        assert!(parse_returns(&text[..length]).is_err(), "{length}");
    }
    assert_eq!(parse_returns(&text[..needed]), Ok(expected()));
    let short = text.replacen("ANN EXAMPLE", "ANN EXAMPL", 1);
    let error: FileError =
        parse_returns(&text.replacen("ANN EXAMPLE ", "ANN EXAMPLE  ", 1)).expect_err("too long");
    assert_eq!((error.line, error.found.len()), (3, 45));
    assert!(matches!(
        parse_returns(&short).map(|found| found[0].content.clone()),
        Ok(Content::Unreadable(_))
    ));
}

/// One wrong character may change a reason or a trace, which have no checksum, but never the returned amount.
#[test]
fn single_damage_never_changes_an_amount() {
    let sum = |returned: Vec<Entry>| returned.iter().map(|one| one.amount_minor).sum::<i64>();
    let expected = sum(expected());
    for line in 1..=12 {
        for column in 1..=RECORD_CHARS {
            for new in ["0", "1", "9", "A", " "] {
                let found = parse_returns(&with(&back(), line, column, new)).map(sum);
                assert!(found.is_err() || found == Ok(expected), "{line}:{column} {new}");
            }
        }
    }
}
