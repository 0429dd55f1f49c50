//! Bank files in MT940 and MT942. Input: the file.

use daybook_domain::calendar::Day;
use daybook_statement::mt940::{is_format, read, render};
use daybook_statement::{BankFile, CodeKind, Line, ReferenceKind, Statement};

use crate::bank_file::{checked, has_small_sums, placeless};

/// Largest amount: 14 digits.
const LARGEST: u128 = 99_999_999_999_999;

/// Largest number of lines of one side of a report.
const MOST_LINES: usize = 99_999;

/// Number of letters of a full line of a text.
const FULL_LINE: usize = 65;

/// Maximum number of letters of a reference in `:61:`.
const MAX_REFERENCE: usize = 16;

/// Checks that a file is refused at a place, or adds up and reads the same after it is rendered. A text that is written
/// in another form reads the same from then on.
///
/// # Panics
///
/// Panics if the property is violated.
pub fn holds(data: &[u8]) {
    let Some(file) = checked(data, read(data)) else { return };
    let file = placeless(file);
    if !is_expressible(&file) {
        return;
    }
    let again = rendered(&file);
    assert_eq!(kept(&again), kept(&file));
    for (line, before) in lines(&again).zip(lines(&file)) {
        if is_plain(before) {
            assert_eq!(line, before);
        }
    }
    assert_eq!(rendered(&again), again);
}

/// The file after it is rendered and read.
fn rendered(file: &BankFile) -> BankFile {
    let rendered = render(file);
    assert!(is_format(rendered.as_bytes()));
    let read = checked(rendered.as_bytes(), read(rendered.as_bytes()));
    placeless(read.unwrap_or_else(|| panic!("is refused: {rendered}")))
}

fn lines(file: &BankFile) -> impl Iterator<Item = &Line> {
    file.statements.iter().flat_map(|statement| &statement.lines)
}

/// The file without what depends on the form of a text.
fn kept(file: &BankFile) -> BankFile {
    let mut file = file.clone();
    for line in file.statements.iter_mut().flat_map(|statement| &mut statement.lines) {
        (line.text, line.return_reason) = (String::new(), None);
        line.references.retain(|(kind, _)| *kind == ReferenceKind::Bank);
        line.codes.retain(|(kind, _)| *kind == CodeKind::Swift);
    }
    file
}

/// True if amounts, numbers and days have a place.
fn is_expressible(file: &BankFile) -> bool {
    has_small_sums(file, LARGEST) && file.statements.iter().all(|of| has_small_balances(of) && has_days(of))
}

fn has_small_balances(Statement { days, lines, .. }: &Statement) -> bool {
    let mut balances = days.iter().flat_map(|day| [day.opening, day.closing]);
    balances.all(|balance| u128::from(balance.unsigned_abs()) <= LARGEST) && lines.len() <= MOST_LINES
}

/// True if a day before the first one exists, and no line without entry date counts for the first one, which its value
/// date alone does not say.
fn has_days(Statement { days, lines, .. }: &Statement) -> bool {
    let Some(first) = days.first() else { return true };
    let is_moved = |line: &Line| {
        line.booking_from.is_some() && line.value == Some(first.date) && line.booking != line.value
    };
    Day::from_civil(1980, 1, 1).is_some_and(|least| first.date > least) && !lines.iter().any(is_moved)
}

/// True for a line of which the writer keeps references and text as they are: a customer's reference that fits `:61:`,
/// and a free text without marks where a line begins.
fn is_plain(line: &Line) -> bool {
    let customer = line.references.iter().find(|(kind, _)| *kind == ReferenceKind::Customer);
    let fits = |value: &str| {
        value.len() <= MAX_REFERENCE
            && value.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' ')
            && !value.contains("//")
            && !value.ends_with('/')
    };
    customer.is_none_or(|(_, value)| fits(value))
        && !line
            .text
            .starts_with(|letter: char| letter.is_ascii_digit() || matches!(letter, '/' | '?' | '\n'))
        && line.text.trim_end() == line.text
        && line.text.split('\n').enumerate().all(|(number, text)| is_plain_line(text, number == 0))
}

fn is_plain_line(text: &str, is_first: bool) -> bool {
    let letters: Vec<char> = text.chars().collect();
    let mut begins = letters.chunks(FULL_LINE).skip(usize::from(is_first)).filter_map(<[char]>::first);
    !begins.any(|letter| matches!(letter, ':' | '-'))
}
