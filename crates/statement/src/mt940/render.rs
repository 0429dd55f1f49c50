//! Writer of messages.

use std::fmt::Write as _;

use daybook_domain::Currency;
use daybook_domain::calendar::Day;

use super::details::{Details, FULL_LINE};
use super::line::is_reference;
use crate::amount::decimal;
use crate::short_date::yymmdd;
use crate::statement::find;
use crate::{BankFile, CodeKind, Line, ReferenceKind, Standing, Statement};

/// Maximum number of letters of the reference in `:61:`. A longer one is in `:86:`. Source: SWIFT, format `16x`.
const MAX_REFERENCE: usize = 16;

/// Date of what has none. No date can be left out.
const NO_DATE: &str = "700101";

/// Writes a file: statements with days as MT940 without blocks, one page each; pending and test statements as MT942.
///
/// References that the text does not contain are put in front of it, as `/EREF/…/REMI/` and the text.
///
/// The format cannot express:
///
/// - a test, which is written as pending, and a restatement, which is written as booked;
/// - marks, available balances and parts; codes other than that of SWIFT;
/// - days without lines, except the last one; booked statements without days, which are left out;
/// - references of the kinds message, entry, transaction and check, and values with `/` and a code word in them;
/// - a return reason other than in `/RTRN/`, and lines that are not booked in a statement that is;
/// - letters of control; a line of a text that begins with `:` or `-`, whose first letter becomes a space; a line break in
///   a structured text; spaces at the end of a text;
/// - dates outside 1980 to 2079, booking days that are half a year or more from the value date, lines without both dates,
///   and amounts with more than 14 digits.
#[must_use]
pub fn render(file: &BankFile) -> String {
    let mut text = String::new();
    for (number, statement) in (1_usize..).zip(&file.statements) {
        let is_booked = matches!(statement.standing, Standing::Booked | Standing::Restated);
        if !is_booked {
            report(&mut text, number, statement);
        } else if let [first, .., last] | [first @ last] = &*statement.days {
            let Statement { currency, .. } = *statement;
            head(&mut text, number, statement);
            balance(&mut text, "60F", (first.date.plus_days(-1), currency, first.opening));
            lines(&mut text, statement);
            balance(&mut text, "62F", (last.date, currency, last.closing));
            text.push_str("-\r\n");
        }
    }
    text
}

fn report(text: &mut String, number: usize, statement: &Statement) {
    let currency = statement.currency;
    head(text, number, statement);
    put(text, format_args!(":34F:{currency}{}\r\n", amount(0, currency)));
    if let Some(day) = statement.lines.last().and_then(|line| line.booking) {
        put(text, format_args!(":13D:{}0000+0000\r\n", yymmdd(day)));
    }
    lines(text, statement);
    for (tag, is_debit) in [("90D", true), ("90C", false)] {
        let side = statement.lines.iter().filter(|line| is_debit_of(line) == is_debit);
        let (count, sum) =
            side.fold((0_usize, 0_i128), |(count, sum), line| (count + 1, sum + i128::from(line.amount)));
        put(text, format_args!(":{tag}:{count}{currency}{}\r\n", amount(sum, currency)));
    }
    text.push_str("-\r\n");
}

fn head(text: &mut String, number: usize, Statement { account, .. }: &Statement) {
    let account = plain(account);
    put(text, format_args!(":20:STMT{number}\r\n:25:{account}\r\n:28C:{}/1\r\n", number % 100_000));
}

fn balance(text: &mut String, tag: &str, (day, currency, minor): (Day, Currency, i64)) {
    let mark = if minor < 0 { 'D' } else { 'C' };
    put(text, format_args!(":{tag}:{mark}{}{currency}{}\r\n", yymmdd(day), amount(minor.into(), currency)));
}

fn lines(text: &mut String, Statement { currency, lines, .. }: &Statement) {
    for line in lines {
        let booked = line.booking.filter(|_| line.booking_from.is_none());
        let value = line.value.or(line.booking).map_or(NO_DATE.to_owned(), yymmdd);
        let entry = booked.map(yymmdd);
        let entry = entry.as_deref().and_then(|date| date.get(2..)).unwrap_or_default();
        let mark = match (is_debit_of(line), line.reversal) {
            (true, false) => "D",
            (false, false) => "C",
            (true, true) => "RC",
            (false, true) => "RD",
        };
        let code = find(&line.codes, CodeKind::Swift).unwrap_or("NMSC");
        let owner = owner(line);
        let amount = amount(line.amount.into(), *currency);
        put(text, format_args!(":61:{value}{entry}{mark}{amount}{code}{}", owner.unwrap_or("NONREF")));
        if let Some(bank) = reference(line, ReferenceKind::Bank) {
            put(text, format_args!("//{}", plain(bank)));
        }
        text.push_str("\r\n");
        describe(text, line, owner.is_some());
    }
}

fn is_debit_of(line: &Line) -> bool {
    line.amount < 0
}

/// Writes `:86:`, if there is something to say.
fn describe(text: &mut String, line: &Line, has_owner: bool) {
    let said = Details::read(&line.text);
    let mut words = String::new();
    for (word, kind) in [
        ("EREF", ReferenceKind::EndToEnd),
        ("MREF", ReferenceKind::Mandate),
        ("KREF", ReferenceKind::Customer),
        ("IREF", ReferenceKind::Instruction),
        ("PREF", ReferenceKind::Payment),
    ] {
        let is_said =
            (kind == ReferenceKind::Customer && has_owner) || find(&said.references, kind).is_some();
        if let Some(value) = reference(line, kind).filter(|_| !is_said) {
            put(&mut words, format_args!("/{word}/{value}"));
        }
    }
    if let Some(reason) = line.return_reason.as_deref().filter(|_| said.return_reason.is_none()) {
        put(&mut words, format_args!("/RTRN/{reason}"));
    }
    if !words.is_empty() && !line.text.is_empty() {
        words.push_str("/REMI/");
    }
    words.push_str(&line.text);
    if !words.is_empty() {
        text.push_str(":86:");
        let is_structured = Details::read(&words).is_structured;
        wrap(text, &words, is_structured);
    }
}

/// Writes a text in lines of at most 65 letters. A structured text may be broken anywhere, a free one after full lines: a
/// line of the text that ends with one is followed by an empty line.
fn wrap(text: &mut String, words: &str, is_structured: bool) {
    let (mut is_first, mut ends_full) = (true, false);
    for line in words.split('\n') {
        if ends_full && !is_structured {
            text.push_str("\r\n");
        }
        let letters: Vec<char> = plain(line).chars().collect();
        let mut rest = &*letters;
        loop {
            let (line, following) = rest.split_at(width(rest, is_structured));
            // A tag or the end of the message would begin here.
            let blank = line.first().filter(|letter| !is_first && is_mark(**letter)).map(|_| ' ');
            text.extend(blank);
            text.extend(line.iter().skip(usize::from(blank.is_some())));
            text.push_str("\r\n");
            (rest, is_first, ends_full) = (following, false, line.len() == FULL_LINE);
            if rest.is_empty() {
                break;
            }
        }
    }
}

/// Number of letters for the next line.
fn width(rest: &[char], is_structured: bool) -> usize {
    let full = rest.len().min(FULL_LINE);
    let is_good = |width: &usize| !rest.get(*width).is_some_and(|letter| is_mark(*letter));
    (1..=full).rev().find(is_good).filter(|_| is_structured).unwrap_or(full)
}

fn is_mark(letter: char) -> bool {
    matches!(letter, ':' | '-')
}

/// Reference of a kind, if it names something.
fn reference(line: &Line, kind: ReferenceKind) -> Option<&str> {
    find(&line.references, kind).filter(|value| is_reference(value.trim()))
}

/// Reference of the account's owner, if it has a form for `:61:`.
fn owner(line: &Line) -> Option<&str> {
    let fits = |value: &&str| {
        value.len() <= MAX_REFERENCE
            && value.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' ')
            && !value.contains("//")
            && !value.ends_with('/')
    };
    reference(line, ReferenceKind::Customer).filter(fits)
}

/// Returns an amount without sign, always with a comma.
fn amount(minor: i128, currency: Currency) -> String {
    let text = decimal(minor.checked_abs().unwrap_or(i128::MAX), ',', currency);
    if text.contains(',') { text } else { text + "," }
}

/// Replaces letters that would end a line or are refused.
fn plain(text: &str) -> String {
    text.chars()
        .map(|letter| if letter.is_ascii_control() && letter != '\t' { ' ' } else { letter })
        .collect()
}

fn put(text: &mut String, content: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = text.write_fmt(content);
}
