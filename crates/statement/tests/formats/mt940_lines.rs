//! MT940: rules about lines that no sample shows.

use crate::mt940_made::{accepted, all_refused, day, lines, message, refused};
use daybook_statement::{CodeKind, MAX_LINES, ReferenceKind};

#[test]
fn marks_and_funds_codes_are_told_apart() {
    for (mark, amount, reversal) in [
        ("C", 1_200, false),
        ("D", -1_200, false),
        ("RC", -1_200, true),
        ("RD", 1_200, true),
        ("CR", 1_200, false),
        ("DR", -1_200, false),
        ("CD", 1_200, false),
        ("DD", -1_200, false),
        ("RCR", -1_200, true),
        ("RDD", 1_200, true),
    ] {
        let closing = format!("{},{:02}", (10_000 + amount) / 100, (10_000 + amount) % 100);
        let line = &lines(message(&format!(":61:2611021102{mark}12,NTRFNONREF\n"), &closing))[0];
        assert_eq!((line.amount, line.reversal), (amount, reversal), "{mark}");
    }
}

#[test]
fn fields_of_a_line_are_checked() {
    let cases = [
        ("2611311102C1,NTRFX", "value date"),
        ("26112C1,NTRFX", "value date"),
        ("2611021302C1,NTRFX", "entry date"),
        ("261102110C1,NTRFX", "entry date"),
        ("2611020229C1,NTRFX", "entry date"),
        ("2611021102X1,NTRFX", "mark"),
        ("2611021102EC1,NTRFX", "mark"),
        ("2611021102R1,NTRFX", "mark"),
        ("2611021102C1NTRFX", "amount"),
        ("2611021102C1.00NTRFX", "amount"),
        ("2611021102C,5NTRFX", "amount"),
        ("2611021102C1,2,3NTRFX", "amount"),
        ("2611021102C-1,NTRFX", "amount"),
        ("2611021102C1,005NTRFX", "amount"),
        ("2611021102C0000000000001,00NTRFX", "amount"),
        ("2611021102CNTRFX", "amount"),
        ("2611021102CRR1,NTRFX", "amount"),
        ("2611021102C1,XTRFX", "transaction type"),
        ("2611021102C1,NtrfX", "transaction type"),
        ("2611021102C1,SABCX", "transaction type"),
        ("2611021102C1,NT", "transaction type"),
        ("2611021102C1,NTRF", "reference"),
        ("2611021102C1,NTRF//B", "reference"),
        ("2611021031C1,NTRFX", "entry date"),
        ("2611021104C1,NTRFX", "entry date"),
    ];
    let text = |line| message(&format!(":61:{line}\n:86:x\n"), "101,00");
    all_refused(&cases.map(|(line, field)| (text(line), ":61:", field)));
}

#[test]
fn entry_date_takes_nearest_year() {
    let text = |value: &str, entry: &str| {
        format!(":20:X\n:25:A\n:28C:1\n:60F:C200101EUR0,\n:61:{value}{entry}C1,NTRFX\n:62F:C301231EUR1,\n")
    };
    for (value, entry, booking) in [
        ("261231", "0102", "2027-01-02"),
        ("270104", "1231", "2026-12-31"),
        ("261102", "1102", "2026-11-02"),
        ("260101", "0703", "2025-07-03"),
        ("260101", "0702", "2026-07-02"),
        ("270228", "0229", "2028-02-29"),
        ("240229", "0228", "2024-02-28"),
        // Both the second of January 2024 and that of 2025 are 183 days away.
        ("240703", "0102", "2024-01-02"),
    ] {
        let line = &lines(text(value, entry))[0];
        assert_eq!((line.booking, line.booking_from), (Some(day(booking)), None), "{value} {entry}");
    }
}

#[test]
fn missing_entry_date_stays_within_statement() {
    let value = "value date: the line has no entry date";
    let closing =
        "closing balance: the line has no entry date, and its value date is not a day of the statement";
    for (stated, booking, from) in [
        ("261102", "2026-11-02", value),
        ("261103", "2026-11-03", value),
        ("261101", "2026-11-03", closing),
        ("261030", "2026-11-03", closing),
        ("261104", "2026-11-03", closing),
    ] {
        let line = &lines(message(&format!(":61:{stated}C1,NTRFX\n"), "101,"))[0];
        assert_eq!((line.booking, line.booking_from), (Some(day(booking)), Some(from)), "{stated}");
    }
}

#[test]
fn texts_and_references_belong_to_lines() {
    use ReferenceKind::{Bank, Customer, EndToEnd, Mandate};
    for (fields, references, text) in [
        ("NONREF\n:86:one\ntwo\n", vec![], "one\ntwo"),
        ("A/1//B/2//C\n", vec![(Bank, "B/2//C"), (Customer, "A/1")], ""),
        ("NONREF//NONREF\n", vec![], ""),
        ("KREF+\n:86:/KREF/K\n", vec![(Customer, "K")], "/KREF/K"),
        ("OWN\n:86:/KREF/K\n", vec![(Customer, "OWN")], "/KREF/K"),
        ("X\nmore\n:86:/EREF/E/REMI/x\n", vec![(Customer, "X"), (EndToEnd, "E")], "/EREF/E/REMI/x\nmore"),
        ("X\nmore\n", vec![(Customer, "X")], "more"),
        ("X//B\n:86:/EREF/NOTPROVIDED/MREF/M\n", vec![(Bank, "B"), (Customer, "X"), (Mandate, "M")], ""),
        ("X\n:86:\n", vec![(Customer, "X")], ""),
        ("NONREF\n:86:a\n- b\n:c\n-\u{e4}\n", vec![], "a\n- b\n:c\n-\u{e4}"),
        ("NONREF\n:86:a\n\n\nb\n\n\n", vec![], "a\n\n\nb"),
    ] {
        let content = message(&format!(":61:2611021102C1,NTRF{fields}"), "101,");
        let line = &lines(&content)[0];
        let found: Vec<_> = line.references.iter().map(|(kind, value)| (*kind, &**value)).collect();
        assert_eq!(found, references, "{fields}");
        assert!(text.is_empty() || line.text == text, "{fields}: {}", line.text);
        let stated = &content.as_bytes()[line.bytes.clone()];
        let expected = content.split_once(":62F:").expect("is there").0;
        let expected = &expected[expected.find(":61:").expect("is there")..];
        assert_eq!(String::from_utf8_lossy(stated), expected.trim_end(), "{fields}");
    }
}

#[test]
fn text_after_balance_belongs_to_no_line() {
    let text = message(":61:2611021102C1,NTRFX\n", "101,");
    let text =
        text.replace("\n-", "\n:64:C261103EUR5,\n:86:/EREF/E\n:65:C261104EUR5,\n:65:D261105EUR5,\n:86:y\n-");
    let [statement] = &*accepted(text).statements else { panic!("one") };
    assert_eq!(statement.days.last().map(|day| day.closing), Some(10_100));
    assert_eq!((&*statement.lines[0].text, statement.lines[0].references.len()), ("", 1));
}

#[test]
fn letters_are_read_in_both_encodings() {
    let text = message(":61:2611021102C1,NTRFX\n:86:166?00\u{dc}BER?20EREF+\u{e9}\n", "101,");
    let latin: Vec<u8> =
        text.chars().map(|letter| u8::try_from(u32::from(letter)).expect("Latin-1")).collect();
    let with_mark = [b"\xef\xbb\xbf\r\n", text.as_bytes()].concat();
    for content in [text.as_bytes(), &latin, &with_mark] {
        let line = &lines(content)[0];
        assert_eq!(line.text, "166?00\u{dc}BER?20EREF+\u{e9}");
        assert!(line.references.contains(&(ReferenceKind::EndToEnd, "\u{e9}".to_owned())));
        assert!(line.codes.contains(&(CodeKind::Proprietary, "166".to_owned())));
    }
}

#[test]
fn lines_are_limited() {
    let line = ":61:261102C0,NTRFX\n";
    let full = message(&line.repeat(MAX_LINES), "100,");
    assert_eq!(accepted(&full).statements[0].lines.len(), MAX_LINES);
    let fault = refused(full.clone() + &message(line, "100,"));
    assert_eq!((&*fault.record, &*fault.field, fault.line), (":61:", "lines", MAX_LINES + 11));
}
