//! BAI2: the rules that no sample shows.

use daybook_statement::{BankFile, DayBalances, Fault, Line, MAX_LINES, ReferenceKind, Standing, bai2};

/// Header of a group of final data.
const FINAL: &str = "02,R,BANK,1,261102,2359,,2/";

/// File with groups of one account each: its header, its records and its control total. Counts are added.
fn file(groups: &[(&str, &[&str], i64)]) -> String {
    let (mut all, mut sum) = ("01,S,R,261103,0600,1,,,2/\n".to_owned(), 0);
    for (header, records, total) in groups {
        let count = records.len() + 1;
        sum += total;
        let records = records.join("\n");
        let trailers = format!("49,{total},{count}/\n98,{total},1,{}/", count + 2);
        all += &[header, &*records, &*trailers, ""].join("\n");
    }
    let count = all.lines().count() + 1;
    format!("{all}99,{sum},{},{count}/\n", groups.len())
}

fn read(groups: &[(&str, &[&str], i64)]) -> Result<BankFile, Fault> {
    bai2::read(file(groups).as_bytes())
}

/// Reads one record 16 on its own, in a group whose balances are not checked.
fn line(records: &[&str], total: i64) -> Result<Option<Line>, Fault> {
    let records = [&["03,A,,,,,/"], records].concat();
    let file = read(&[("02,,BANK,1,261102,2359,,3/", &records, total)])?;
    Ok(file.statements.into_iter().flat_map(|statement| statement.lines).next())
}

fn day(file: &BankFile) -> Option<&DayBalances> {
    file.statements.first().and_then(|statement| statement.days.first())
}

/// Record and field of a fault.
fn at(fault: &Fault) -> (&str, &str) {
    (&fault.record, &fault.field)
}

#[test]
fn balances_must_tie_out() {
    let credit = "16,142,50,0,,,/";
    for (summary, total, expected) in [
        ("010,100,,,015,150,,", 300, Some((100, 150))),
        ("015,150,,", 200, Some((100, 150))),
        ("015,-150,,", -100, Some((-200, -150))),
        ("015,-9223372036854775800,,", -9_223_372_036_854_775_750, None),
        ("010,100,,,015,149,,", 299, None),
        ("010,100,,", 150, None),
        ("045,150,,", 200, None),
        ("", 50, None),
        ("010,100,,,015,,,", 150, None),
        ("010,,,,015,150,,", 200, Some((100, 150))),
    ] {
        let read = read(&[(FINAL, &[&format!("03,A,,{summary}/"), credit], total)]);
        let balances = read.as_ref().ok().and_then(day).map(|day| (day.opening, day.closing));
        assert_eq!(balances, expected, "{summary}: {read:?}");
        if let Err(fault) = read {
            assert_eq!(at(&fault), ("03", "015"), "{summary}: {fault}");
        }
    }
}

#[test]
fn group_codes_give_standing() {
    let [tied, untied] = ["03,A,,010,1,,,015,1,,/", "03,A,,010,1,,,015,2,,/"];
    for (status, modifier, standing, is_checked, has_day) in [
        ("1", "2", Standing::Booked, true, true),
        ("1", "4", Standing::Booked, true, true),
        ("1", "", Standing::Booked, true, true),
        ("1", "1", Standing::Pending, false, false),
        ("1", "3", Standing::Pending, false, false),
        ("2", "2", Standing::Restated, true, true),
        ("3", "2", Standing::Restated, true, true),
        ("3", "4", Standing::Restated, true, true),
        ("3", "3", Standing::Pending, false, false),
        ("4", "2", Standing::Test, true, false),
        ("4", "3", Standing::Test, false, false),
    ] {
        let header = format!("02,R,BANK,{status},261102,2359,,{modifier}/");
        let file = read(&[(&header, &[tied], 2)]).expect("is read");
        let statement = &file.statements[0];
        assert_eq!((statement.standing, day(&file).is_some()), (standing, has_day), "{header}");
        let modifier = (!modifier.is_empty()).then(|| ("as_of_modifier", modifier.to_owned()));
        let marks = [("group_status", status.to_owned())].into_iter().chain(modifier);
        assert_eq!(statement.marks, marks.collect::<Vec<_>>());
        assert_eq!(read(&[(&header, &[untied], 3)]).is_err(), is_checked, "{header}");
    }
    // A deletion may name accounts only.
    let empty: &[&str] = &["03,A,,,,,/"];
    let file = read(&[("02,R,BANK,2,261102,,,2/", empty, 0)]).expect("is read");
    assert_eq!((file.statements[0].standing, day(&file)), (Standing::Restated, None));
    assert!(read(&[("02,R,BANK,2,261102,,,2/", &["03,A,,,,,/", "16,142,0,0,,,/"], 0)]).is_err());
    assert!(read(&[(FINAL, empty, 0)]).is_err());
}

#[test]
fn type_codes_give_direction() {
    for (code, expected) in [
        ("101", Ok(Some(7))),
        ("399", Ok(Some(7))),
        ("720", Ok(Some(7))),
        ("920", Ok(Some(7))),
        ("401", Ok(Some(-7))),
        ("699", Ok(Some(-7))),
        ("760", Ok(Some(-7))),
        ("999", Ok(Some(-7))),
        ("890", Ok(None)),
        ("010", Err(())),
        ("100", Err(())),
        ("400", Err(())),
        ("701", Err(())),
        ("900", Err(())),
        ("800", Err(())),
        ("14", Err(())),
        ("", Err(())),
    ] {
        let read = line(&[&format!("16,{code},7,0,,,/")], 7);
        if let Err(fault) = &read {
            assert_eq!(at(fault), ("16", "type code"), "{code}: {fault}");
        }
        let amount = read.map(|line| line.map(|line| line.amount)).map_err(|_| ());
        assert_eq!(amount, expected, "{code}");
    }
    for summary in ["890,1,,", "800,1,,", "000,1,,", "1000,1,,"] {
        let fault = read(&[(FINAL, &[&format!("03,A,,015,0,,,{summary}/")], 1)]).expect_err(summary);
        assert_eq!(at(&fault), ("03", "type code"), "{summary}: {fault}");
    }
}

#[test]
fn only_statuses_are_below_zero() {
    for (code, is_allowed) in [("040", true), ("705", true), ("915", true), ("100", false), ("142", false)] {
        let read = read(&[(FINAL, &[&format!("03,A,,015,5,,,{code},-3,,/")], 2)]);
        assert_eq!(read.is_ok(), is_allowed, "{code}: {read:?}");
    }
    for amount in ["-7", "-0", "7.00", "7 0", "7-", "+", "9223372036854775808"] {
        let fault = line(&[&format!("16,142,{amount},0,,,/")], 7).expect_err(amount);
        assert_eq!(at(&fault), ("16", "amount"), "{amount}: {fault}");
    }
    assert_eq!(line(&["16,142,+7,0,,,/"], 7).expect("is read").map(|line| line.amount), Some(7));
}

#[test]
fn records_without_money_are_no_lines() {
    for record in ["16,142,,,,,TEXT", "16,142/", "16,142", "16,890,,,,,detail at 11:00 AM.", "16,142,,0,,,/"]
    {
        assert_eq!(line(&[record], 0), Ok(None), "{record}");
    }
    assert_eq!(line(&["16,142,0,,,,TEXT"], 0).expect("is read").map(|line| line.amount), Some(0));
    // The amount of a message is in the total nevertheless.
    assert_eq!(line(&["16,890,5,,,,TEXT"], 5), Ok(None));
    assert!(line(&["16,890,5,,,,TEXT"], 0).is_err());
}

#[test]
fn continuations_follow_any_field() {
    let whole = line(&["16,142,7,V,261104,1300,BANK,CUST,TEXT A/B, C"], 7).expect("is read").expect("a line");
    assert_eq!(whole.text, "TEXT A/B, C");
    for records in [
        &[
            "16/",
            "88,142/",
            "88,7/",
            "88,V/",
            "88,261104/",
            "88,1300/",
            "88,BANK/",
            "88,CUST/",
            "88,TEXT A/B, C",
        ][..],
        &["16,142/", "88,7,V,261104,1300,BANK,CUST,TEXT", "88,A/B, C"],
        &["16,142,7,V/", "88,261104,1300/", "88,BANK/", "88,CUST,TEXT A/B,", "88,C"],
        &["16,142,7,V,261104,1300,BANK,CUST/", "88,TEXT A/B, C"],
        &["16,142,7,V,261104,1300,BANK,CUST,/", "88,TEXT A/B, C"],
    ] {
        let line = line(records, 7).expect("is read").expect("a line");
        let length: usize = records.iter().map(|record| record.len() + 1).sum();
        assert_eq!(line.bytes.len(), length - 1, "{records:?}");
        assert_eq!(Line { bytes: whole.bytes.clone(), ..line }, whole, "{records:?}");
    }
    // Headers and trailers go on as well, and each continuation is counted.
    let broken = "01/\n88,S,R/\n88,261103,0600,1,,/\n88,2/\n02,R/\n88,BANK,1/\n88,261102,2359,/\n88,2/\n03/\n88,A/\n\
        88,,015/\n88,5,,/\n49/\n88,5/\n88,7/\n98,5/\n88,1,13/\n99,5/\n88,1/\n88,20/\n";
    let file = bai2::read(broken.as_bytes()).expect("is read");
    assert_eq!(day(&file).map(|day| day.closing), Some(5));
    for (from, to, field) in [("88,7/", "88,5/", "49"), ("1,13/", "1,12/", "98"), ("88,20/", "88,18/", "99")]
    {
        let fault = bai2::read(broken.replace(from, to).as_bytes()).expect_err("a fault");
        assert_eq!(at(&fault), (field, "number of records"), "{fault}");
    }
}

#[test]
fn optional_fields_may_be_missing() {
    let group = "02,,BANK,1,261102/";
    let file = read(&[(group, &["03,A,,015,7/", "16,142,7/"], 14)]).expect("is read");
    assert_eq!((file.statements[0].currency.code(), file.statements[0].lines[0].amount), ("USD", 7));
    let read = line(&["16,142,7,V,261104/"], 7).expect("is read").expect("a line");
    assert_eq!(read.value.map(|day| day.to_string()).as_deref(), Some("2026-11-04"));
    let references = |record| line(&[record], 7).expect("is read").expect("a line").references;
    let [bank, customer] = [(ReferenceKind::Bank, "B"), (ReferenceKind::Customer, "C")];
    for (record, expected) in [
        ("16,142,7,0,B,C,TEXT", vec![bank, customer]),
        ("16,142,7,0,B,C/", vec![bank, customer]),
        ("16,142,7,0,B/", vec![bank]),
        ("16,142,7,0,,C,/", vec![customer]),
        ("16,142,7,0, ,,/", vec![]),
    ] {
        let expected: Vec<_> = expected.into_iter().map(|(kind, text)| (kind, text.to_owned())).collect();
        assert_eq!(references(record), expected, "{record}");
    }
}

#[test]
fn headers_are_checked() {
    let whole = file(&[(FINAL, &["03,A,,015,5,,/"], 5)]);
    for (from, to, record, field) in [
        ("01,S,R", "01,,R", "01", "sender"),
        ("01,S,R", "01,S,", "01", "receiver"),
        ("261103", "261131", "01", "file creation date"),
        ("0600", "2500", "01", "file creation time"),
        ("0600,1,,", "0600,,,", "01", "file identification number"),
        ("1,,,2/", "1,x,,2/", "01", "physical record length"),
        ("1,,,2/", "1,,x,2/", "01", "block size"),
        ("1,,,2/", "1,,,3/", "01", "version number"),
        ("1,,,2/", "1,,/", "01", "version number"),
        ("1,,,2/", "1,,,2,/", "01", "end of record"),
        ("R,BANK", "R,", "02", "originator"),
        ("BANK,1", "BANK,5", "02", "group status"),
        ("BANK,1", "BANK,", "02", "group status"),
        ("261102", "", "02", "as-of date"),
        ("261102", "260230", "02", "as-of date"),
        ("2359", "2360", "02", "as-of time"),
        ("2359,,", "2359,XYZ,", "02", "currency code"),
        (",2/\n03", ",5/\n03", "02", "as-of date modifier"),
        ("03,A", "03,", "03", "customer account number"),
        ("A,,", "A,usd,", "03", "currency code"),
        ("5,,/", "5,x,/", "03", "item count"),
        ("5,,/", "5,,x/", "03", "funds type"),
        ("5,,/", "5,,,,5/", "03", "type code"),
        ("5,,/", "5,,", "03", "funds type"),
        ("5,,/", "5,,,015,0,,/", "03", "015"),
    ] {
        let fault = bai2::read(whole.replacen(from, to, 1).as_bytes()).expect_err(to);
        assert_eq!(at(&fault), (record, field), "{from} {to}: {fault}");
        assert_eq!(
            Some(fault.line),
            ["01", "02", "03"].iter().position(|code| *code == record).map(|at| at + 1)
        );
    }
    for time in ["0000", "2400", "9999", ""] {
        assert!(bai2::read(whole.replace("2359", time).as_bytes()).is_ok(), "{time}");
    }
}

#[test]
fn records_come_in_order() {
    let whole = file(&[(FINAL, &["03,A,,015,5,,/", "16,142,0,0,,,/"], 5)]);
    for (from, to, record, expected, line) in [
        ("01,", "02,", "02", "01", 1),
        ("\n02,", "\n03,", "03", "02 or 99", 2),
        ("\n03,", "\n16,", "16", "03 or 98", 3),
        ("\n16,", "\n03,", "03", "16 or 49", 4),
        ("\n16,", "\n17,", "17", "16 or 49", 4),
        ("\n49,", "\n98,", "98", "16 or 49", 5),
        ("\n98,", "\n99,", "99", "03 or 98", 6),
        ("\n99,", "\n02,R,B,1,261102/\n99,", "99", "03 or 98", 8),
        ("99,5,1,7/\n", "99,5,1,7/\n01,S,R,261103,0600,1,,,2/\n", "01", "end of file", 8),
        ("99,5,1,7/\n", "", "end of file", "02 or 99", 6),
        ("98,5,1,5/\n99,5,1,7/\n", "", "end of file", "03 or 98", 5),
    ] {
        let fault = bai2::read(whole.replacen(from, to, 1).as_bytes()).expect_err(to);
        assert_eq!(at(&fault), (record, "record code"), "{from} {to}: {fault}");
        assert_eq!((fault.expected.as_deref(), fault.line), (Some(expected), line), "{from} {to}: {fault}");
    }
    for empty in ["", "\n", "\u{feff}"] {
        assert_eq!(at(&bai2::read(empty.as_bytes()).expect_err("a fault")), ("end of file", "record code"));
    }
    assert!(bai2::read(b"01,S,R,261103,0600,1,,,2/\n99,0,0,2/").is_ok());
}

#[test]
fn several_accounts_have_own_currencies() {
    let yen = "02,R,BANK,1,261101,,JPY,2/";
    let file = read(&[
        (yen, &["03,A,,015,7,,/", "16,142,7,0,,,/"], 14),
        (yen, &["03,B,KWD,015,1234,,/"], 1_234),
        (FINAL, &["03,A,,015,7,,/"], 7),
    ]);
    let statements = file.expect("is read").statements;
    let shown: Vec<_> = statements
        .iter()
        .map(|statement| (&*statement.account, statement.currency.code(), statement.days[0].date.to_string()))
        .collect();
    let [first, second] = ["2026-11-01".to_owned(), "2026-11-02".to_owned()];
    assert_eq!(shown, [("A", "JPY", first.clone()), ("B", "KWD", first), ("A", "USD", second)]);
}

#[test]
fn trailers_are_checked() {
    let whole = file(&[(FINAL, &["03,A,,015,5,,/"], 5), (FINAL, &["03,B,,015,6,,/"], 6)]);
    for (from, to, record, field, expected, found) in [
        ("49,5,2/", "49,6,2/", "49", "account control total", "5", "6"),
        ("49,5,2/", "49,-5,2/", "49", "account control total", "5", "-5"),
        ("49,5,2/", "49,5,3/", "49", "number of records", "2", "3"),
        ("98,5,1,4/", "98,6,1,4/", "98", "group control total", "5", "6"),
        ("98,5,1,4/", "98,5,2,4/", "98", "number of accounts", "1", "2"),
        ("98,5,1,4/", "98,5,1,5/", "98", "number of records", "4", "5"),
        ("99,11,2,10/", "99,12,2,10/", "99", "file control total", "11", "12"),
        ("99,11,2,10/", "99,11,1,10/", "99", "number of groups", "2", "1"),
        ("99,11,2,10/", "99,11,2,8/", "99", "number of records", "10", "8"),
    ] {
        let fault = bai2::read(whole.replace(from, to).as_bytes()).expect_err(to);
        assert_eq!(at(&fault), (record, field), "{to}: {fault}");
        assert_eq!(
            (fault.expected.as_deref(), fault.found.as_deref()),
            (Some(expected), Some(found)),
            "{to}"
        );
    }
    for (from, to) in [
        ("49,5,2/", "49,,2/"),
        ("49,5,2/", "49,5/"),
        ("49,5,2/", "49,5,2"),
        ("49,5,2/", "49,5,+2/"),
        ("49,5,2/", "49,5,2,/"),
        ("49,5,2/", "49,5,2/ x"),
        ("98,5,1,4/", "98,5,1/"),
        ("99,11,2,10/", "99,11,2,10"),
    ] {
        assert!(bai2::read(whole.replace(from, to).as_bytes()).is_err(), "{to}");
    }
    let zeros = whole.replace("49,5,2/", "49,+0005,002/");
    assert_eq!(bai2::read(zeros.as_bytes()), bai2::read(whole.as_bytes()));
}

#[test]
fn number_of_lines_is_bounded() {
    let lines = |count: usize| {
        let records: Vec<&str> =
            std::iter::once("03,A,,015,0,,/").chain(std::iter::repeat_n("16,142,0,0,,,/", count)).collect();
        read(&[(FINAL, &records, 0)])
    };
    let file = lines(MAX_LINES).expect("is read");
    assert_eq!(day(&file).map(|day| day.lines), Some(MAX_LINES));
    let fault = lines(MAX_LINES + 1).expect_err("a fault");
    assert_eq!((at(&fault), fault.line), (("16", "number of lines"), MAX_LINES + 4));
}

#[test]
fn number_of_accounts_is_bounded() {
    let accounts = |count: usize| {
        let accounts = "03,A/\n49,0,2/\n".repeat(count);
        let records = 2 * count + 2;
        let header = "01,S,R,261103,0600,1,,,2/\n02,,BANK,1,261102,,,3/";
        bai2::read(format!("{header}\n{accounts}98,0,{count},{records}/\n99,0,1,{}/", records + 2).as_bytes())
    };
    assert_eq!(accounts(MAX_LINES).map(|file| file.statements.len()), Ok(MAX_LINES));
    let fault = accounts(MAX_LINES + 1).expect_err("a fault");
    assert_eq!((at(&fault), fault.line), (("03", "number of accounts"), 2 * MAX_LINES + 3));
}
