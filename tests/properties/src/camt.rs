//! Bank files in CAMT. Input: the file.

use daybook_statement::camt::{is_format, read, render};
use daybook_statement::{BankFile, CodeKind, Line, Standing};

use crate::bank_file::{checked, has_small_sums, lines_mut, placeless};

/// Largest sum that a summary states.
const LARGEST: u128 = i64::MAX as u128;

/// First version in which a part has a sign of its own.
const WITH_SIGNS: &str = "04";

/// Checks that a file is refused at a place, or adds up and reads the same after it is rendered.
///
/// # Panics
///
/// Panics if the property is violated.
pub fn holds(data: &[u8]) {
    let Some(file) = checked(data, read(data)) else { return };
    let file = expressible(file);
    if is_expressible(&file) {
        let rendered = render(&file);
        assert!(is_format(rendered.as_bytes()));
        let read = checked(rendered.as_bytes(), read(rendered.as_bytes()));
        assert_eq!(read.map(placeless), Some(placeless(file)), "{rendered}");
    }
}

/// The file without what the writer leaves out.
fn expressible(mut file: BankFile) -> BankFile {
    file.statements.iter_mut().for_each(|statement| statement.marks.clear());
    lines_mut(&mut file).for_each(|line| line.booking_from = None);
    file
}

/// True if the writer has a place for everything else: for a statement at least, for no page of one, and for texts as
/// they are.
fn is_expressible(file: &BankFile) -> bool {
    let is_report = !file.format.starts_with("camt.053.");
    let has_signs = file.format.get(file.format.len() - 2..).is_some_and(|version| version >= WITH_SIGNS);
    let mut lines = file.statements.iter().flat_map(|statement| &statement.lines);
    !file.statements.is_empty()
        && file.statements.iter().all(|statement| is_report || statement.standing == Standing::Booked)
        && has_small_sums(file, LARGEST)
        && file.statements.iter().all(|statement| is_plain(&statement.account))
        && lines.all(|line| (has_signs || has_one_sign(line)) && has_plain_texts(line))
}

fn has_one_sign(line: &Line) -> bool {
    let amounts = line.parts.iter().filter_map(|part| part.amount);
    amounts.into_iter().all(|amount| amount == 0 || (amount < 0) == (line.amount < 0))
}

fn has_plain_texts(line: &Line) -> bool {
    let of_parts = line.parts.iter().flat_map(|part| {
        let references = part.references.iter().map(|(_, value)| value);
        references.chain(&part.return_reason).chain([&part.text])
    });
    let references = line.references.iter().map(|(_, value)| value);
    let texts = references.chain(&line.return_reason).chain([&line.text]).chain(of_parts);
    texts.into_iter().all(|text| is_plain(text)) && line.codes.iter().all(|(kind, code)| is_code(*kind, code))
}

/// True for a text that no element changes.
fn is_plain(text: &str) -> bool {
    text.trim() == text && !text.contains(['\u{fffe}', '\u{ffff}'])
}

/// True for a code with as many parts as it has elements. An element without content is none.
fn is_code(kind: CodeKind, code: &str) -> bool {
    let is_part = |part: &str| !part.is_empty() && is_plain(part);
    if kind == CodeKind::Iso { code.splitn(3, '/').all(is_part) } else { is_part(code) }
}
