//! Properties of CSV by a mapping: round trips through a writer of tests, the crate `csv` as second reader, and hostile
//! bytes.

use crate::samples;
use csv::{QuoteStyle, ReaderBuilder, WriterBuilder};
use daybook_domain::calendar::Day;
use daybook_statement::csv::{Column, Encoding, Mapping, Negative, Order, Role, Sign, read};
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// Line of a made file: days after the line before, amount, text.
type Made = (u8, i32, String);

fn lines() -> impl Strategy<Value = Vec<Made>> {
    let text = "[ -~äß€\n\r]{0,12}".prop_map(|text: String| text.trim().to_owned());
    prop::collection::vec((0_u8..3, any::<i32>(), text), 1..20)
}

/// Mapping of a made file, with everything that has a choice.
fn mapping() -> impl Strategy<Value = Mapping> {
    let marks =
        select(vec![('.', None), ('.', Some(',')), (',', Some('.')), (',', Some(' ')), ('.', Some('\''))]);
    let words = Sign::Words { credit: vec!["CR".to_owned()], debit: vec!["DR".to_owned()] };
    let sign = select(vec![Sign::Signed, Sign::TwoColumns, words]);
    let negative = select(vec![Negative::Before, Negative::Behind, Negative::Parentheses]);
    let date = select(vec!["%Y-%m-%d", "%m/%d/%Y", "%d.%m.%y", "%d %b %Y", "%Y%m%d"]);
    let encoding = select(vec![Encoding::Utf8, Encoding::Utf16, Encoding::Utf16Le, Encoding::Windows1252]);
    let order = select(vec![Order::OldestFirst, Order::NewestFirst]);
    let symbols = select(vec![vec![], vec!["$".to_owned()]]);
    let looks = (select(vec![',', ';', '\t', '|']), select(vec!['"', '~']), encoding, date, marks);
    (looks, sign, negative, symbols, order, any::<[bool; 2]>()).prop_map(
        |(
            (separator, quote, encoding, date, (decimal, thousands)),
            sign,
            negative,
            symbols,
            order,
            flags,
        )| {
            let [has_balance, has_header] = flags;
            let mut roles = vec![Role::Booking, Role::Text];
            roles.extend(match &sign {
                Sign::Signed => vec![Role::Amount],
                Sign::TwoColumns => vec![Role::Debit, Role::Credit],
                Sign::Words { .. } => vec![Role::Sign, Role::Amount],
            });
            roles.extend(has_balance.then_some(Role::Balance));
            let column = |(at, role): (usize, Role)| {
                (role, if has_header { Column::Name(format!("{role:?}")) } else { Column::Number(at + 1) })
            };
            Mapping {
                separator,
                quote: Some(quote),
                encoding,
                date: Some(date.to_owned()),
                decimal: Some(decimal),
                thousands,
                sign,
                negative,
                symbols,
                currency: Some("USD".to_owned()),
                account: Some("A".to_owned()),
                skip_header: usize::from(has_header),
                skip_footer: 0,
                order,
                columns: roles.into_iter().enumerate().map(column).collect(),
                opening: Some(100),
                closing: None,
            }
        },
    )
}

fn amount(minor: i64, mapping: &Mapping) -> String {
    let digits = format!("{:03}", minor.unsigned_abs());
    let (whole, part) = digits.split_at(digits.len() - 2);
    let mut text = String::new();
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at).is_multiple_of(3) {
            text.extend(mapping.thousands);
        }
        text.push(digit);
    }
    text.extend(mapping.decimal);
    let text = mapping.symbols.concat() + &text + part;
    match mapping.negative {
        _ if minor >= 0 => text,
        Negative::Before => format!("-{text}"),
        Negative::Behind => format!("{text}-"),
        Negative::Parentheses => format!("({text})"),
    }
}

fn field(role: Role, (day, minor, text): (Day, i64, &str), balance: i64, mapping: &Mapping) -> String {
    let unsigned = |is_here: bool| if is_here { amount(minor.abs(), mapping) } else { String::new() };
    match role {
        Role::Booking => day.date().strftime(mapping.date.as_deref().expect("a format")).to_string(),
        Role::Amount if mapping.sign == Sign::Signed => amount(minor, mapping),
        Role::Amount => unsigned(true),
        Role::Debit => unsigned(minor < 0),
        Role::Credit => unsigned(minor >= 0),
        Role::Sign => if minor < 0 { "DR" } else { "CR" }.to_owned(),
        Role::Balance => amount(balance, mapping),
        _ => text.to_owned(),
    }
}

/// Returns the file of some lines, the oldest first, as the mapping says.
fn render(lines: &[(Day, i64, &str)], style: QuoteStyle, mapping: &Mapping) -> Vec<u8> {
    let mut roles: Vec<_> = mapping.columns.keys().copied().collect();
    roles.sort_by_key(|role| match &mapping.columns[role] {
        Column::Number(number) => *number,
        Column::Name(_) => 0,
    });
    let mut balance = 100;
    let mut rows: Vec<Vec<String>> = vec![];
    for line in lines {
        balance += line.1;
        rows.push(roles.iter().map(|role| field(*role, *line, balance, mapping)).collect());
    }
    if mapping.order == Order::NewestFirst {
        rows.reverse();
    }
    if mapping.skip_header == 1 {
        rows.insert(0, roles.iter().map(|role| format!("{role:?}")).collect());
    }
    let (separator, quote) = (mapping.separator as u8, mapping.quote.expect("a quote") as u8);
    let mut writer =
        WriterBuilder::new().delimiter(separator).quote(quote).quote_style(style).from_writer(vec![]);
    for row in rows {
        writer.write_record(row).expect("is written");
    }
    encode(&String::from_utf8(writer.into_inner().expect("is written")).expect("UTF-8"), mapping.encoding)
}

fn encode(text: &str, encoding: Encoding) -> Vec<u8> {
    match encoding {
        Encoding::Utf16 => {
            std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(u16::to_be_bytes).collect()
        }
        Encoding::Utf16Le => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        Encoding::Windows1252 => {
            let byte = |letter| if letter == '€' { 0x80 } else { u8::try_from(letter).expect("a letter") };
            text.chars().map(byte).collect()
        }
        _ => text.as_bytes().to_vec(),
    }
}

proptest! {
    /// Any lines, written in any way that a mapping can describe, read back.
    #[test]
    fn made_files_read_back(
        made in lines(),
        mut mapping in mapping(),
        style in select(vec![QuoteStyle::Necessary, QuoteStyle::Always, QuoteStyle::NonNumeric]),
    ) {
        let mut day: Day = "2026-11-02".parse().expect("a date");
        let lines: Vec<_> = made
            .iter()
            .map(|(days, minor, text)| {
                day = day.plus_days((*days).into());
                (day, i64::from(*minor), text.as_str())
            })
            .collect();
        let sum: i64 = lines.iter().map(|line| line.1).sum();
        let bytes = render(&lines, style, &mapping);
        mapping.closing = Some(100 + sum);
        let file = read(&bytes, &mapping).map_err(|fault| TestCaseError::fail(fault.to_string()))?;
        let statement = &file.statements[0];
        let mut read_lines: Vec<_> =
            statement.lines.iter().map(|line| (line.booking.expect("a day"), line.amount, line.text.as_str())).collect();
        if mapping.order == Order::NewestFirst {
            read_lines.reverse();
        }
        prop_assert_eq!(&read_lines, &lines);
        let mut balance = 100;
        for day in &statement.days {
            prop_assert_eq!(day.opening, balance);
            let of_day = lines.iter().filter(|line| line.0 == day.date);
            balance += of_day.clone().map(|line| line.1).sum::<i64>();
            prop_assert_eq!((day.closing, day.lines), (balance, of_day.count()));
        }
        prop_assert_eq!(balance, 100 + sum);
        prop_assert!(statement.lines.is_sorted_by(|one, next| one.bytes.end < next.bytes.start));
        mapping.closing = Some(101 + sum);
        prop_assert_eq!(read(&bytes, &mapping).map_err(|fault| fault.record), Err("closing".to_owned()));
    }

    /// Files that our splitter accepts have the same fields for the crate `csv`, which also takes most others.
    #[test]
    fn second_splitter_has_same_fields(
        fields in prop::collection::vec(("(\"([a,;\r\n ]|\"\"){0,6}\"|[a; ]{0,6})", "[,\"a\r]?"), 1..6),
    ) {
        let rows: Vec<_> = fields.iter().map(|(field, dirt)| format!("2026-11-02,1,{field}{dirt}\n")).collect();
        let rows = rows.concat();
        let text = format!("d,a,t\n{rows}");
        let mapping: Mapping = serde_json::from_str(
            r#"{"sign": "signed", "date": "%Y-%m-%d", "decimal": ".", "currency": "USD", "account": "A",
                "opening": 0, "skip_header": 1, "columns": {"booking": "d", "amount": "a", "text": "t"}}"#,
        )
        .expect("a mapping");
        let Ok(file) = read(text.as_bytes(), &mapping) else { return Ok(()) };
        let mut reader = ReaderBuilder::new().flexible(true).from_reader(text.as_bytes());
        let others: Vec<_> = reader.records().map(|row| row.expect("a row")).collect();
        let others = others.iter().filter(|row| row.len() > 1 || !row[0].trim().is_empty());
        let others: Vec<_> = others.map(|row| row.get(2).expect("a third").trim()).collect();
        let texts = file.statements[0].lines.iter().map(|line| line.text.as_str());
        prop_assert_eq!(texts.collect::<Vec<_>>(), others);
    }

    #[test]
    fn random_bytes_never_panic(bytes in any::<Vec<u8>>(), mapping in mapping()) {
        let _ = read(&bytes, &mapping);
    }

    /// Any mapping, also without formats and without sense, and any file that looks like one.
    #[test]
    fn random_texts_never_panic(
        text in "([0-9]{1,2}[/.-][0-9]{1,2}[/.-][0-9]{2,4}|[-+(]?[0-9.,' ]{1,9}[)-]?|[\"\r\n\0,;é😀\\PC]){0,40}",
        mapping in mapping(),
        marks in any::<(char, Option<char>, Option<char>, Option<char>)>(),
        date in prop::option::of("(%[dmbYy]|[/. é]){0,7}"),
        skipped in any::<[u8; 2]>(),
    ) {
        let _ = read(text.as_bytes(), &Mapping { date: None, decimal: None, ..mapping.clone() });
        let (separator, quote, decimal, thousands) = marks;
        let [skip_header, skip_footer] = skipped.map(|rows| usize::from(rows % 4));
        let other = Mapping { separator, quote, decimal, thousands, date, skip_header, skip_footer, ..mapping };
        let _ = read(text.as_bytes(), &other);
    }

    #[test]
    fn edited_samples_never_panic(
        edits in prop::collection::vec((any::<Index>(), any::<u8>(), 0_u8..3), 1..6),
        sample in any::<Index>(),
    ) {
        let all = samples::samples("csv-");
        let (_, mut content, expected) = sample.get(&all).clone();
        let mapping: Mapping = serde_json::from_value(expected["mapping"].clone()).expect("a mapping");
        for (at, byte, kind) in edits {
            let at = at.index(content.len());
            match kind {
                0 => content[at] = byte,
                1 => content.insert(at, byte),
                _ => drop(content.remove(at)),
            }
        }
        if let Ok(file) = read(&content, &mapping) {
            for line in file.statements.iter().flat_map(|statement| &statement.lines) {
                prop_assert!(content.get(line.bytes.clone()).is_some_and(|bytes| !bytes.is_empty()));
            }
        }
    }
}

/// A file of a megabyte that is one line, one row, one field, or nothing but line breaks.
#[test]
fn endless_lines_are_refused() {
    let mapping: Mapping = serde_json::from_str(
        r#"{"sign": "signed", "currency": "USD", "account": "A", "opening": 0,
            "columns": {"booking": 1, "amount": 2}}"#,
    )
    .expect("a mapping");
    for byte in *b"a,\"\n\r\0 1" {
        assert!(read(&vec![byte; 1 << 20], &mapping).is_err(), "{}", byte.escape_ascii());
    }
}
