//! Rules of CSV by a mapping that no sample shows, as tables.

use daybook_statement::csv::{Mapping, read};
use daybook_statement::{BankFile, CodeKind, Fault, MAX_LINES, ReferenceKind};
use serde_json::{Value, json};

/// Mapping of files with the header `Date,Amount`, with changes: a null takes a field away, columns are replaced.
fn mapping(changes: Value) -> Mapping {
    let mut mapping = json!({
        "date": "%Y-%m-%d",
        "decimal": ".",
        "sign": "signed",
        "currency": "USD",
        "account": "A",
        "skip_header": 1,
        "columns": {"booking": "Date", "amount": "Amount"},
        "opening": 0,
    });
    let (Value::Object(fields), Value::Object(changes)) = (&mut mapping, changes) else { panic!("objects") };
    for (name, value) in changes {
        fields.insert(name, value);
    }
    fields.retain(|_, value| !value.is_null());
    serde_json::from_value(mapping).expect("a mapping")
}

fn amounts(file: &BankFile) -> Vec<i64> {
    file.statements.iter().flat_map(|of| of.lines.iter().map(|line| line.amount)).collect()
}

/// Record, field and line of a fault.
fn place(fault: &Fault) -> String {
    format!("{}, {}, {}", fault.record, fault.field, fault.line)
}

/// Amounts of all lines, or the place of the fault.
type Expected = Result<&'static [i64], &'static str>;

fn check(text: &str, changes: Value, expected: Expected) {
    let name = format!("{text:?} {changes}");
    match (read(text.as_bytes(), &mapping(changes)), expected) {
        (Ok(file), Ok(expected)) => assert_eq!(amounts(&file), expected, "{name}"),
        (Err(fault), Err(expected)) => assert_eq!(place(&fault), expected, "{name}: {fault}"),
        (read, expected) => panic!("{name}: {read:?}, not {expected:?}"),
    }
}

#[test]
fn wrong_mappings_are_refused_by_field() {
    let two = json!({"booking": 1, "debit": 2, "credit": 3});
    let words = json!({"booking": 1, "amount": 2, "sign": 3});
    let sign = |credit: &[&str], debit: &[&str]| json!({"words": {"credit": credit, "debit": debit}});
    for (changes, field) in [
        (json!({"separator": "\"", "quote": "\""}), "quote"),
        (json!({"separator": "\n"}), "separator"),
        (json!({"separator": "x"}), "separator"),
        (json!({"quote": "1"}), "quote"),
        (json!({"decimal": ",", "thousands": ","}), "thousands"),
        (json!({"decimal": "-"}), "decimal"),
        (json!({"decimal": " "}), "decimal"),
        (json!({"decimal": "1"}), "decimal"),
        (json!({"thousands": "("}), "thousands"),
        (json!({"symbols": [""]}), "symbols"),
        (json!({"symbols": ["$ "]}), "symbols"),
        (json!({"symbols": ["$1"]}), "symbols"),
        (json!({"symbols": ["-$"]}), "symbols"),
        (json!({"symbols": ["."]}), "symbols"),
        (json!({"date": "%d/%m"}), "date"),
        (json!({"date": "%d/%m/%Y %H"}), "date"),
        (json!({"currency": "XAU"}), "currency"),
        (json!({"currency": "usd"}), "currency"),
        (json!({"currency": null}), "currency"),
        (json!({"account": null}), "account"),
        (json!({"account": ""}), "account"),
        (json!({"opening": null}), "opening"),
        (json!({"skip_header": 0}), "skip_header"),
        (json!({"skip_header": 1_001}), "skip_header"),
        (json!({"skip_footer": 1_001}), "skip_footer"),
        (json!({"columns": {"amount": 1}}), "columns"),
        (json!({"columns": {"booking": 1}}), "columns"),
        (json!({"columns": {"booking": 0, "amount": 1}}), "columns"),
        (json!({"columns": {"booking": 1, "amount": 257}}), "columns"),
        (json!({"columns": {"booking": " ", "amount": 1}}), "columns"),
        (json!({"columns": {"booking": 1, "amount": 2, "debit": 3}}), "sign"),
        (json!({"columns": {"booking": 1, "debit": 2, "credit": 3}}), "columns"),
        (json!({"sign": "two columns", "columns": {"booking": 1, "debit": 2}}), "columns"),
        (
            json!({"sign": "two columns", "columns": {"booking": 1, "debit": 2, "credit": 3, "amount": 4}}),
            "sign",
        ),
        (json!({"sign": sign(&["C"], &["D"]), "columns": two}), "columns"),
        (json!({"sign": sign(&[], &["D"]), "columns": words}), "sign"),
        (json!({"sign": sign(&["C"], &[]), "columns": words}), "sign"),
        (json!({"sign": sign(&["C"], &["C"]), "columns": words}), "sign"),
        (json!({"sign": sign(&["C"], &[" "]), "columns": words}), "sign"),
    ] {
        let name = changes.to_string();
        let mapping = mapping(changes);
        let fault = mapping.check().expect_err(&name);
        assert_eq!(place(&fault), format!("mapping, {field}, 1"), "{name}: {fault}");
        assert_eq!(read(b"Date,Amount\n2026-11-02,1.00\n", &mapping), Err(fault), "{name}");
    }
    assert_eq!(mapping(json!({})).check(), Ok(()));
}

#[test]
fn mapping_reads_back_from_json() {
    for changes in [
        json!({}),
        json!({"quote": "", "thousands": ",", "decimal": null, "date": null}),
        json!({"encoding": "utf-16le", "order": "newest first", "negative": "behind"}),
        json!({"sign": {"words": {"credit": ["C"], "debit": ["D"]}}, "columns": {"booking": 1, "end_to_end": "E"}}),
    ] {
        let mapping = mapping(changes);
        let text = serde_json::to_string(&mapping).expect("JSON");
        assert_eq!(serde_json::from_str::<Mapping>(&text).expect("a mapping"), mapping, "{text}");
    }
    let of = |changes: Value| serde_json::from_value::<Mapping>(changes).is_ok();
    assert!(of(json!({"sign": "signed", "columns": {}})));
    for wrong in [
        json!({"sign": "signed", "columns": {}, "colour": "red"}),
        json!({"sign": "signed", "columns": {"colour": 1}}),
        json!({"sign": "unsigned", "columns": {}}),
        json!({"sign": {"words": {"credit": [], "debit": [], "other": []}}, "columns": {}}),
        json!({"sign": "signed", "columns": {}, "quote": "''"}),
        json!({"sign": "signed", "columns": {}, "encoding": "ebcdic"}),
    ] {
        assert!(!of(wrong.clone()), "{wrong}");
    }
}

#[test]
fn rows_are_split_strictly() {
    let row = "2026-11-02,1.00\n";
    for (text, changes, expected) in [
        (format!("Date,Amount\n{row}"), json!({}), Ok(&[100][..])),
        (format!("\u{feff}Date,Amount\n{row}"), json!({}), Ok(&[100])),
        (format!("Date,Amount\r{}", row.replace('\n', "\r")), json!({}), Ok(&[100])),
        (format!("Date,Amount\n{}", row.trim_end()), json!({}), Ok(&[100])),
        (format!("Date,Amount\n\n \n{row}\n\r\n{row}\n"), json!({}), Ok(&[100, 100])),
        ("\"Date\",\"Amount\"\n\"2026-11-02\",\"1.00\"\n".to_owned(), json!({}), Ok(&[100])),
        ("Date;Amount\n2026-11-02;1.00\n".to_owned(), json!({"separator": ";"}), Ok(&[100])),
        ("Date\tAmount\n2026-11-02\t1.00\n".to_owned(), json!({"separator": "\t"}), Ok(&[100])),
        ("Date,Amount\n'2026-11-02','1.00'\n".to_owned(), json!({"quote": "'"}), Ok(&[100])),
        ("Date,Amount\n\"2026-11-02\",1.00\n".to_owned(), json!({"quote": ""}), Err("row 1, Date, 2")),
        (format!("Date,Amount\n{row}2026-11-02,1\"0\n"), json!({}), Err("row 2, Amount, 3")),
        (format!("Date,Amount\n{row}2026-11-02, \"1\"\n"), json!({}), Err("row 2, Amount, 3")),
        (format!("Date,Amount\n{row}\"2026-11-02\" ,1\n"), json!({}), Err("row 2, Date, 3")),
        (format!("Date,Amount\n{row}2026-11-02,\"1\n\n{row}"), json!({}), Err("row 2, Amount, 3")),
        (format!("Date,Amount\n{row}2026-11-02,\"1\n"), json!({"skip_footer": 1}), Err("row 2, Amount, 3")),
        (format!("Date,Amount\n{row}2026-11-02,1,2\n"), json!({}), Err("row 2, column 3, 3")),
        (format!("Date,Amount\n{row},\n"), json!({}), Err("row 2, Date, 3")),
        (format!("Date,Amount\n\"2026-11-02\r\n\n\r\",1\n{row},\n"), json!({}), Err("row 3, Date, 7")),
        (format!("Date,Amount\n{row}2026\0-11-02,1\n"), json!({}), Err("file, encoding, 3")),
        (format!("Date,Amount\n{row}{}\n", ",".repeat(300)), json!({}), Err("row 2, column 257, 3")),
        // Skipped rows may have any shape, but no quote that swallows the lines.
        (
            format!("5\" of,a,b\n\nDate,Amount\n{row}x\"\n"),
            json!({"skip_header": 3, "skip_footer": 1}),
            Ok(&[100]),
        ),
        (format!("\"Report\n\",\n\nDate,Amount\n{row}"), json!({"skip_header": 3}), Ok(&[100])),
        (format!("x,\"Report\nDate,Amount\n{row}"), json!({"skip_header": 2}), Err("header, column 2, 1")),
        (format!("Date,Amount\"\n{row}"), json!({}), Err("header, column 2, 1")),
        (format!("\nDate,Amount\n{row}"), json!({}), Err("header, Date, 1")),
        (format!("Date,Amount,Date\n{row}"), json!({}), Err("header, Date, 1")),
        (format!("Date , Amount\n{row}"), json!({}), Ok(&[100])),
        ("Date,Amount\n".to_owned(), json!({}), Err("end of file, rows, 2")),
        (format!("Date,Amount\n{row}"), json!({"skip_footer": 1}), Err("end of file, rows, 3")),
        (format!("Date,Amount\n{row}"), json!({"skip_header": 3}), Err("end of file, header, 3")),
        (String::new(), json!({}), Err("end of file, header, 1")),
    ] {
        check(&text, changes, expected);
    }
}

#[test]
fn columns_are_found_by_number() {
    let by_number = json!({"booking": 2, "amount": 1});
    for (text, changes, expected) in [
        ("1.00,2026-11-02\n2.00,2026-11-02\n", json!({"skip_header": 0}), Ok(&[100, 200][..])),
        ("anything\n1.00,2026-11-02\n", json!({}), Ok(&[100])),
        ("1.00,2026-11-02\n2.00\n", json!({"skip_header": 0}), Err("row 2, column 2, 2")),
        ("1.00\n", json!({"skip_header": 0}), Err("mapping, columns, 1")),
        ("x,2026-11-02\n", json!({"skip_header": 0}), Err("row 1, column 1, 1")),
    ] {
        let mut changes = changes;
        changes["columns"] = by_number.clone();
        check(text, changes, expected);
    }
    let mixed = json!({"columns": {"booking": "Date", "amount": 2}});
    check("Date,Amount\n2026-11-02,1\n", mixed, Ok(&[100]));
    let twice = json!({"columns": {"booking": "Date", "amount": 2, "balance": "Amount"}});
    check("Date,Amount\n2026-11-02,1\n", twice, Err("mapping, columns, 1"));
}

#[test]
fn sign_rules_decide_or_refuse() {
    let words = json!({
        "sign": {"words": {"credit": ["CR", "Haben"], "debit": ["DR"]}},
        "columns": {"booking": 1, "amount": 2, "sign": 3},
    });
    let two = json!({"sign": "two columns", "columns": {"booking": 1, "debit": 2, "credit": 3}});
    for (amounts, changes, expected) in [
        ("5.00,CR", &words, Ok(&[500][..])),
        ("5.00, Haben ", &words, Ok(&[500])),
        ("5.00,DR", &words, Ok(&[-500])),
        ("5.00,dr", &words, Err("row 1, column 3, 2")),
        ("5.00,", &words, Err("row 1, column 3, 2")),
        ("-5.00,DR", &words, Err("row 1, column 2, 2")),
        (",DR", &words, Err("row 1, column 2, 2")),
        ("5.00,", &two, Ok(&[-500])),
        (",5.00", &two, Ok(&[500])),
        ("0.00,5.00", &two, Ok(&[500])),
        ("5.00,0", &two, Ok(&[-500])),
        ("0.00,0.00", &two, Ok(&[0])),
        ("0.00,", &two, Ok(&[0])),
        (",", &two, Err("row 1, column 2, 2")),
        ("5.00,5.00", &two, Err("row 1, column 3, 2")),
        ("-5.00,", &two, Err("row 1, column 2, 2")),
        (",+5.00", &two, Err("row 1, column 3, 2")),
    ] {
        check(&format!("x,x,x\n2026-11-02,{amounts}\n"), changes.clone(), expected);
    }
}

#[test]
fn open_dates_need_one_reading() {
    for (dates, expected) in [
        (&["02/11/2026", "13/11/2026"][..], Ok("2026-11-02")),
        (&["01/11/2026", "01/13/2026"], Ok("2026-01-11")),
        (&["11/11/2026", "11/11/2026"], Ok("2026-11-11")),
        (&["2026-11-02"], Ok("2026-11-02")),
        (&["20261102"], Ok("2026-11-02")),
        (&["2 Nov 2026"], Ok("2026-11-02")),
        (&["Nov 2 2026"], Ok("2026-11-02")),
        (&["28.12.45"], Ok("2045-12-28")),
        // The first number is as well a year.
        (&["31.12.26"], Err("mapping, date, 2")),
        (&["31.12.29"], Err("mapping, date, 2")),
        (&["02-11-26"], Err("mapping, date, 2")),
        (&["13/11/2026", "11/14/2026"], Err("mapping, date, 3")),
        (&["11/11/2026", "02/11/2026"], Err("mapping, date, 3")),
        (&["yesterday"], Err("row 1, Date, 2")),
        (&["13/11/2026", "yesterday"], Err("row 2, Date, 3")),
        (&["13/11/2026", ""], Err("row 2, Date, 3")),
    ] {
        let rows: Vec<_> = dates.iter().map(|date| format!("{date},1.00\n")).collect();
        let rows = rows.concat();
        let read = read(format!("Date,Amount\n{rows}").as_bytes(), &mapping(json!({"date": null})));
        let first = read.as_ref().map(|file| file.statements[0].days[0].date.to_string()).map_err(place);
        assert_eq!(first.as_ref().map(String::as_str).map_err(String::as_str), expected, "{dates:?}");
    }
}

#[test]
fn open_marks_need_one_reading() {
    for (amounts, thousands, expected) in [
        (&["1.234"][..], "", Err("mapping, decimal, 2")),
        (&["1,000"], "", Err("mapping, decimal, 2")),
        (&["1.230"], "", Err("mapping, decimal, 2")),
        (&["5", "1,234.5", "1,234"], "", Ok(&[500, 123_450, 123_400][..])),
        (&["5", "1.234,5", "1.234"], "", Ok(&[500, 123_450, 123_400])),
        (&["-1.50", "-1,234"], "", Ok(&[-150, -123_400])),
        (&["1.50", "1,50"], "", Err("mapping, decimal, 3")),
        (&["1", "20"], "", Ok(&[100, 2_000])),
        (&["1'234.50"], "'", Ok(&[123_450])),
        (&["1'234"], "'", Ok(&[123_400])),
        (&["1.234"], ".", Ok(&[123_400])),
        (&["a lot"], "", Err("row 1, Amount, 2")),
    ] {
        let rows: Vec<_> = amounts.iter().map(|amount| format!("2026-11-02;{amount}\n")).collect();
        let rows = rows.concat();
        let changes = json!({"decimal": null, "thousands": thousands, "separator": ";"});
        check(&format!("Date;Amount\n{rows}"), changes, expected);
    }
}

#[test]
fn balances_tie_out_or_refuse() {
    let with_balance = |mut changes: Value| {
        changes["columns"] = json!({"booking": 1, "amount": 2, "balance": 3});
        let given = changes.get("opening").cloned().unwrap_or_default();
        changes["opening"] = given;
        changes
    };
    let newest = "x\n2026-11-03,3.00,6.00\n2026-11-03,2.00,3.00\n2026-11-02,1.00,1.00\n";
    let oldest = "x\n2026-11-02,1.00,1.00\n2026-11-03,2.00,3.00\n";
    for (text, changes, expected) in [
        (oldest, json!({}), Ok(&[100, 200][..])),
        (oldest, json!({"opening": 0, "closing": 300}), Ok(&[100, 200])),
        (oldest, json!({"opening": 1}), Err("opening, opening, 2")),
        (oldest, json!({"closing": 301}), Err("closing, closing, 3")),
        (newest, json!({"order": "newest first"}), Ok(&[300, 200, 100])),
        (newest, json!({"order": "newest first", "opening": 0, "closing": 600}), Ok(&[300, 200, 100])),
        (newest, json!({"order": "newest first", "closing": 100}), Err("closing, closing, 2")),
        (newest, json!({"order": "newest first", "opening": 100}), Err("opening, opening, 4")),
        (newest, json!({}), Err("row 2, column 3, 3")),
        (oldest, json!({"order": "newest first"}), Err("row 1, column 3, 2")),
        ("x\n2026-11-02,1.00,1.00\n2026-11-02,1.00,\n", json!({}), Err("row 2, column 3, 3")),
        ("x\n2026-11-02,1.00,1.00\n2026-11-02,1.00,1.00\n", json!({}), Err("row 2, column 3, 3")),
        ("x\n2026-11-03,1.00,1.00\n2026-11-02,1.00,2.00\n", json!({}), Err("row 2, column 1, 3")),
    ] {
        check(text, with_balance(changes), expected);
    }
    let max = "92233720368547758.07";
    for (rows, changes, expected) in [
        ("2026-11-02,1.00\n".to_owned(), json!({"opening": null, "closing": 5}), Ok(&[100][..])),
        ("2026-11-02,1.00\n".to_owned(), json!({"closing": 101}), Err("closing, closing, 2")),
        ("2026-11-03,1\n2026-11-02,1\n".to_owned(), json!({}), Err("row 2, Date, 3")),
        ("2026-11-03,1\n2026-11-02,1\n".to_owned(), json!({"order": "newest first"}), Ok(&[100, 100])),
        ("2026-11-02,1\n2026-11-03,1\n".to_owned(), json!({"order": "newest first"}), Err("row 1, Date, 2")),
        (format!("2026-11-02,{max}\n2026-11-02,0.01\n"), json!({}), Err("row 2, balance, 3")),
        (format!("2026-11-02,-{max}\n"), json!({"opening": -1}), Ok(&[-i64::MAX])),
        (format!("2026-11-02,-{max}\n"), json!({"opening": -2}), Err("row 1, balance, 2")),
        (format!("2026-11-02,{max}\n"), json!({"opening": null, "closing": -2}), Err("row 1, balance, 2")),
    ] {
        check(&format!("Date,Amount\n{rows}"), changes, expected);
    }
}

#[test]
fn days_have_newest_first_balances() {
    let text = "Date,Amount\n2026-11-05,3.00\n2026-11-03,2.00\n2026-11-03,1.00\n";
    let changes = json!({"order": "newest first", "opening": 50});
    let file = read(text.as_bytes(), &mapping(changes)).expect("is read");
    let days = file.statements[0].days.iter();
    let days: Vec<_> = days.map(|day| (day.date.to_string(), day.opening, day.closing, day.lines)).collect();
    assert_eq!(days, [("2026-11-03".to_owned(), 50, 350, 2), ("2026-11-05".to_owned(), 350, 650, 1)]);
}

#[test]
fn accounts_are_fixed_or_columns() {
    let columns = json!({"booking": 1, "amount": 2, "account": 3, "currency": 4, "balance": 5});
    let open = json!({"account": null, "currency": null, "opening": null, "columns": columns});
    let with = |changes: Value| {
        let (mut all, Value::Object(changes)) = (open.clone(), changes) else { panic!("objects") };
        for (name, value) in changes {
            all[name] = value;
        }
        all
    };
    let several = "x\n2026-11-04,1.00,B,USD,9.00\n2026-11-02,1,A,JPY,1\n2026-11-04,2.00,B,USD,11.00\n\
                   2026-11-03,4.00,A,USD,4.00\n";
    for (text, changes, expected) in [
        (several, json!({}), Ok(&[100, 200, 1, 400][..])),
        (several, json!({"opening": 800}), Err("mapping, opening, 3")),
        (several, json!({"closing": 800}), Err("mapping, closing, 3")),
        (several, json!({"account": "A"}), Err("row 1, column 3, 2")),
        (several, json!({"currency": "USD"}), Err("row 2, column 4, 3")),
        ("x\n2026-11-02,1,A,JPY,1\n", json!({"account": "A", "currency": "JPY", "opening": 0}), Ok(&[1])),
        ("x\n2026-11-02,1,,JPY,1\n", json!({}), Err("row 1, column 3, 2")),
        ("x\n2026-11-02,1,,JPY,1\n", json!({"account": "A"}), Err("row 1, column 3, 2")),
        ("x\n2026-11-02,1,A,,1\n", json!({}), Err("row 1, column 4, 2")),
        ("x\n2026-11-02,1,A,XXX,1\n", json!({}), Err("row 1, column 4, 2")),
        ("x\n2026-11-02,1.5,A,JPY,1\n", json!({}), Err("row 1, column 2, 2")),
    ] {
        check(text, with(changes), expected);
    }
    let file = read(several.as_bytes(), &mapping(open.clone())).expect("is read");
    let accounts =
        file.statements.iter().map(|of| format!("{} {} {}", of.account, of.currency, of.days.len()));
    assert_eq!(accounts.collect::<Vec<_>>(), ["B USD 1", "A JPY 1", "A USD 1"]);
    assert_eq!((file.statements[0].days[0].opening, file.statements[0].days[0].closing), (800, 1_100));
}

#[test]
fn references_and_codes_have_kinds() {
    let columns = json!({
        "booking": 1, "amount": 2, "value": 3, "text": 4, "end_to_end": 5, "check": 6, "bai": 7, "proprietary": 8,
    });
    let text = "x\n2026-11-02,1,2026-11-01, a  b ,E,,142,FEE\n2026-11-02,1,,,, 7 ,,\n";
    let file = read(text.as_bytes(), &mapping(json!({"columns": columns}))).expect("is read");
    let [first, second] = file.statements[0].lines.as_slice() else { panic!("two lines") };
    assert_eq!(first.references, [(ReferenceKind::EndToEnd, "E".to_owned())]);
    assert_eq!(first.codes, [(CodeKind::Bai, "142".to_owned()), (CodeKind::Proprietary, "FEE".to_owned())]);
    assert_eq!(
        (first.text.as_str(), first.value.map(|day| day.to_string())),
        ("a  b", Some("2026-11-01".into()))
    );
    assert_eq!((second.text.as_str(), second.value, second.codes.len()), ("", None, 0));
    assert_eq!(second.references, [(ReferenceKind::Check, "7".to_owned())]);
    let wrong = json!({"columns": {"booking": 1, "amount": 2, "value": 3}});
    check("x\n2026-11-02,1,02.11.2026\n", wrong, Err("row 1, column 3, 2"));
}

#[test]
fn lines_are_bounded() {
    let rows = |count: usize| format!("Date,Amount\n{}total,\n", "2026-11-02,0.01\n".repeat(count));
    let mapping = mapping(json!({"skip_footer": 1}));
    let file = read(rows(MAX_LINES).as_bytes(), &mapping).expect("is read");
    assert_eq!((file.statements[0].lines.len(), file.statements[0].days[0].closing), (MAX_LINES, 100_000));
    let fault = read(rows(MAX_LINES + 1).as_bytes(), &mapping).expect_err("one too many");
    assert_eq!(place(&fault), "row 100001, rows, 100002");
}
