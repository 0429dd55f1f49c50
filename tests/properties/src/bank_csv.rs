//! Bank files as CSV. Input: a byte that selects a mapping, and the file.

use std::sync::LazyLock;

use daybook_statement::csv::{Mapping, read};

use crate::bank_file::checked;

/// Mappings, of which `0` is the first: signed amounts with a running balance, marks of Europe, parentheses, two columns,
/// words for the sign with the newest row first, and a file that says almost everything itself.
static MAPPINGS: LazyLock<[Mapping; 6]> = LazyLock::new(|| {
    [
        r#"{"sign": "signed", "date": "%m/%d/%Y", "decimal": ".", "currency": "USD", "account": "000111222333",
            "skip_header": 1, "columns": {"booking": "Date", "value": "Value Date", "amount": "Amount",
            "balance": "Balance", "bank": "Bank Reference", "customer": "Customer Reference", "text": "Description"}}"#,
        r#"{"separator": ";", "encoding": "windows-1252", "sign": "signed", "date": "%d.%m.%Y", "decimal": ",",
            "thousands": ".", "currency": "EUR", "account": "XX02MADEUP00001234567", "skip_header": 4,
            "columns": {"booking": "Buchungstag", "value": "Valuta", "text": "Buchungstext", "amount": "Betrag",
            "currency": "Währung", "balance": "Saldo"}}"#,
        r#"{"sign": "signed", "negative": "parentheses", "symbols": ["$"], "date": "%m/%d/%Y", "decimal": ".",
            "thousands": ",", "currency": "USD", "account": "0004455", "skip_header": 4, "skip_footer": 3,
            "columns": {"booking": "Date", "amount": "Amount", "text": "Description"},
            "opening": 0, "closing": 876551}"#,
        r#"{"sign": "two columns", "date": "%m/%d/%Y", "decimal": ".", "currency": "USD", "account": "0004455",
            "skip_header": 1, "columns": {"booking": "Date", "text": "Description", "customer": "Check #",
            "debit": "Debit", "credit": "Credit"}, "opening": 0}"#,
        r#"{"separator": "\t", "quote": "", "encoding": "utf-16", "sign": {"words": {"credit": ["CR"], "debit":
            ["DR"]}}, "negative": "behind", "date": "%d %b %y", "decimal": ".", "thousands": "'", "currency": "CHF",
            "order": "newest first", "columns": {"account": 1, "booking": 2, "sign": 3, "amount": 4, "balance": 5,
            "text": 6}}"#,
        r#"{"sign": "signed", "skip_header": 1, "columns": {"account": "Account", "currency": "Currency",
            "booking": "Booking", "amount": "Amount", "end_to_end": "Reference", "iso": "Code", "text": "Text"},
            "opening": 0}"#,
    ]
    .map(|mapping| serde_json::from_str(mapping).expect("a mapping"))
});

/// Checks that a file is refused at a place, or adds up from and to the balances of its mapping.
///
/// # Panics
///
/// Panics if the property is violated.
pub fn holds(data: &[u8]) {
    let Some((choice, data)) = data.split_first() else { return };
    let mapping = &MAPPINGS[usize::from(choice.wrapping_sub(b'0')) % MAPPINGS.len()];
    assert_eq!(mapping.check(), Ok(()));
    let Some(file) = checked(data, read(data, mapping)) else { return };
    assert!(!file.statements.is_empty());
    for statement in &file.statements {
        let (first, last) = (statement.days.first().expect("a day"), statement.days.last().expect("a day"));
        assert!(mapping.opening.is_none_or(|opening| opening == first.opening), "{statement:?}");
        assert!(mapping.closing.is_none_or(|closing| closing == last.closing), "{statement:?}");
        assert!(
            mapping.account.as_ref().is_none_or(|account| *account == statement.account),
            "{statement:?}"
        );
        assert!(statement.lines.iter().all(|line| line.booked && line.booking.is_some()), "{statement:?}");
        let has_order = statement.lines.is_sorted_by(|one, next| one.bytes.end <= next.bytes.start);
        assert!(has_order, "{statement:?}");
    }
}
