//! Small messages, and what the reader must make of them.

use daybook_domain::calendar::Day;
use daybook_statement::mt940::read;
use daybook_statement::{BankFile, Fault, Line};

/// Statement of the account A from the first to the third of November 2026 with these fields, and its closing balance.
pub(crate) fn message(fields: &str, closing: &str) -> String {
    format!(":20:X\n:25:A\n:28C:5/1\n:60F:C261101EUR100,00\n{fields}:62F:C261103EUR{closing}\n-\n")
}

pub(crate) fn report(fields: &str) -> String {
    format!(":20:X\n:25:A\n:28C:5/1\n:34F:EURD10,\n:34F:EURC20,\n:13D:2611021530+0100\n{fields}-\n")
}

pub(crate) fn accepted(text: impl AsRef<[u8]>) -> BankFile {
    let text = text.as_ref();
    read(text).unwrap_or_else(|fault| panic!("{fault}: {}", String::from_utf8_lossy(text)))
}

pub(crate) fn lines(text: impl AsRef<[u8]>) -> Vec<Line> {
    accepted(text).statements.into_iter().flat_map(|statement| statement.lines).collect()
}

#[track_caller]
pub(crate) fn refused(text: impl AsRef<[u8]>) -> Fault {
    read(text.as_ref()).expect_err("a fault")
}

pub(crate) fn day(text: &str) -> Day {
    text.parse().expect("a day")
}

/// Checks record and field of each refusal.
#[track_caller]
pub(crate) fn all_refused(cases: &[(String, &str, &str)]) {
    for (text, record, field) in cases {
        let fault = refused(text);
        assert_eq!((&*fault.record, &*fault.field), (*record, *field), "{fault}: {text}");
    }
}
