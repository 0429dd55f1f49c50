//! CAMT: what is written reads back, and nothing that is read panics.

use crate::samples;
use std::path::PathBuf;
use std::sync::LazyLock;

use daybook_domain::Currency;
use daybook_domain::calendar::Day;
use daybook_statement::camt::{is_format, read, render};
use daybook_statement::{BankFile, CodeKind, DayBalances, Line, Part, ReferenceKind, Standing, Statement};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::{Index, select, subsequence};
use serde_json::Value;

/// Currencies with two, no and three decimals.
const CURRENCIES: [&str; 3] = ["EUR", "JPY", "KWD"];

/// References beside the details of a batch, and those of lines without parts and of parts.
const OF_ENTRIES: [ReferenceKind; 2] = [ReferenceKind::Entry, ReferenceKind::Bank];
const OF_BATCHES: [ReferenceKind; 4] =
    [ReferenceKind::Entry, ReferenceKind::Bank, ReferenceKind::Message, ReferenceKind::Payment];
const OF_DETAILS: [ReferenceKind; 7] = [
    ReferenceKind::Message,
    ReferenceKind::Payment,
    ReferenceKind::Instruction,
    ReferenceKind::EndToEnd,
    ReferenceKind::Transaction,
    ReferenceKind::Mandate,
    ReferenceKind::Check,
];

fn day() -> impl Strategy<Value = Day> {
    (0..50_000).prop_map(|days| Day::default().plus_days(days))
}

/// Text without white space around it, with markup in it.
fn text() -> impl Strategy<Value = String> {
    "([!-~ü€][ -~ü€\t\n\r]{0,160}[!-~😀])?"
}

fn references(kinds: &'static [ReferenceKind]) -> impl Strategy<Value = Vec<(ReferenceKind, String)>> {
    let some = subsequence(kinds.to_vec(), 0..=kinds.len());
    (some, vec("[A-Z0-9<&>/-]{1,35}", kinds.len()))
        .prop_map(|(kinds, values)| kinds.into_iter().zip(values).collect())
}

fn codes() -> impl Strategy<Value = Vec<(CodeKind, String)>> {
    let iso =
        option::of("[A-Z]{4}/[A-Z]{4}/[A-Z]{4}").prop_map(|code| code.map(|code| (CodeKind::Iso, code)));
    let own = option::of("[A-Z+0-9]{1,9}").prop_map(|code| code.map(|code| (CodeKind::Proprietary, code)));
    (iso, own).prop_map(|(iso, own)| iso.into_iter().chain(own).collect())
}

/// Two or more parts, and their sum.
fn parts() -> impl Strategy<Value = (Vec<Part>, i64)> {
    let part = (1_i64..1_000_000, references(&OF_DETAILS), option::of("[A-Z]{2}[0-9]{2,9}"), text());
    (vec(part, 2..4), any::<bool>()).prop_map(|(parts, is_credit)| {
        let sign = if is_credit { 1 } else { -1 };
        let sum = parts.iter().map(|part| part.0 * sign).sum();
        let part = |(amount, references, return_reason, text)| Part {
            amount: Some(amount * sign),
            references,
            return_reason,
            text,
        };
        (parts.into_iter().map(part).collect(), sum)
    })
}

fn line() -> impl Strategy<Value = Line> {
    let whole =
        (references(&OF_DETAILS), references(&OF_ENTRIES), option::of("[A-Z]{2}[0-9]{2,9}"), any::<i32>())
            .prop_map(|(of_detail, of_entry, reason, amount)| {
                let references = of_entry.into_iter().chain(of_detail).collect();
                (references, reason, i64::from(amount), Vec::new())
            });
    let batch = (references(&OF_BATCHES), parts())
        .prop_map(|(references, (parts, amount))| (references, None, amount, parts));
    let of_details = prop_oneof![whole, batch];
    (of_details, day(), option::of(day()), any::<[bool; 2]>(), codes(), text()).prop_map(
        |((references, return_reason, amount, parts), booking, value, [booked, reversal], codes, text)| {
            Line {
                booking: Some(booking),
                booking_from: None,
                value,
                amount,
                booked,
                reversal,
                codes,
                references,
                return_reason,
                text,
                parts,
                bytes: 0..0,
            }
        },
    )
}

fn statement() -> impl Strategy<Value = Statement> {
    let account = prop_oneof![Just("XX02MADEUP00001234567".to_owned()), "[A-Z0-9/&<-]{1,34}"];
    let available = option::of([option::of(-9_999_i64..9_999), option::of(-9_999_i64..9_999)]);
    (account, select(&CURRENCIES[..]), day(), any::<i32>(), available, vec(line(), 0..4)).prop_map(
        |(account, currency, date, opening, available, lines)| {
            let opening = i64::from(opening);
            let booked: Vec<_> = lines.iter().filter(|line| line.booked).map(|line| line.amount).collect();
            let available = available.filter(|available| *available != [None, None]);
            let closing = opening + booked.iter().sum::<i64>();
            let days = vec![DayBalances { date, opening, closing, lines: booked.len(), available }];
            let currency = Currency::parse(currency).expect("ISO 4217");
            Statement { account, currency, standing: Standing::Booked, marks: vec![], days, lines }
        },
    )
}

fn file() -> impl Strategy<Value = BankFile> {
    (2..=13, vec(statement(), 1..4), select(&["camt.053.001", "camt.052.001", "camt.054.001"][..])).prop_map(
        |(version, mut statements, name)| {
            for statement in statements.iter_mut().filter(|_| name != "camt.053.001") {
                (statement.standing, statement.days) = (Standing::Pending, vec![]);
                statement.lines.iter_mut().for_each(|line| line.booked = false);
            }
            BankFile { format: format!("{name}.{version:02}"), statements }
        },
    )
}

/// The file with references in the order of their kinds, and without the places of lines.
fn comparable(mut file: BankFile) -> BankFile {
    for line in file.statements.iter_mut().flat_map(|statement| &mut statement.lines) {
        line.bytes = 0..0;
        line.references.sort();
        line.parts.iter_mut().for_each(|part| part.references.sort());
    }
    file
}

/// All samples.
static SAMPLES: LazyLock<Vec<(PathBuf, Vec<u8>, Value)>> = LazyLock::new(|| samples::samples("camt05"));

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn written_files_read_back(file in file()) {
        let text = render(&file);
        prop_assert!(is_format(text.as_bytes()));
        let read = read(text.as_bytes());
        prop_assert_eq!(read.map(comparable), Ok(comparable(file)), "{}", text);
    }

    #[test]
    fn random_bytes_are_refused(bytes in vec(any::<u8>(), 0..400), begin in any::<bool>()) {
        let before: &[u8] = if begin { b"<Document xmlns=\"urn:iso:std:iso:20022:tech:xsd:camt.053.001.08\">" } else { b"" };
        prop_assert!(read(&[before, &bytes].concat()).is_err());
        let _ = is_format(&bytes);
    }

    /// Edits of a sample: bytes replaced, removed, repeated, and parts moved.
    #[test]
    fn random_edits_never_panic(
        which in any::<Index>(),
        edits in vec((any::<Index>(), 0..4, any::<u8>(), 1..40_usize), 1..6),
    ) {
        let mut bytes = which.get(&SAMPLES).1.clone();
        for (at, kind, byte, length) in edits {
            let at = at.index(bytes.len());
            let end = (at + length).min(bytes.len());
            match kind {
                0 => bytes[at] = byte,
                1 => drop(bytes.drain(at..end)),
                2 => bytes.splice(at..at, vec![byte; length]).for_each(drop),
                _ => {
                    let part = bytes[at..end].to_vec();
                    bytes.splice(at..at, part).for_each(drop);
                }
            }
            if bytes.is_empty() {
                break;
            }
        }
        if let Err(fault) = read(&bytes) {
            prop_assert!(fault.line > 0 && fault.byte <= bytes.len() && !fault.record.is_empty(), "{:?}", fault);
        }
    }
}

/// Every sample that is cut within its document is refused, at its end or before.
#[test]
fn truncated_samples_are_refused() {
    let mut cut = 0;
    for (name, content, _) in samples::samples("camt053") {
        let is_end = |bytes: &[u8]| bytes.ends_with(b"Document>");
        let end = content.windows(9).rposition(is_end).map(|at| at + 8);
        let Some(end) = end.filter(|end| *end < 4_000) else { continue };
        for length in 0..end {
            let fault = read(&content[..length]).expect_err(&name.display().to_string());
            assert!(fault.byte <= length, "{}: {fault}", name.display());
            cut += 1;
        }
    }
    assert!(cut > 3_000, "{cut}");
}

/// Markup that is begun and never ended, for a megabyte.
#[test]
fn endless_markup_is_refused() {
    let head = "<Document xmlns=\"urn:iso:std:iso:20022:tech:xsd:camt.053.001.08\">";
    for begin in
        ["<!--", "<![CDATA[", "<?", "<a b='", "<", "&", "</", "<!", "<!DOCTYPE a [", "a", "<a>", "<a/>"]
    {
        for (before, count) in [("", 1 << 16), (head, 1 << 20)] {
            let text = format!("{before}{begin}{}", "a".repeat(count));
            assert!(read(text.as_bytes()).is_err(), "{begin}");
        }
        assert!(read(format!("{head}{}", begin.repeat(1 << 14)).as_bytes()).is_err(), "{begin}");
    }
    assert!(read(&vec![0; 1 << 20]).is_err());
}
