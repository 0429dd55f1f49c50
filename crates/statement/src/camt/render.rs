//! Writer of messages, for the sandbox's bank and for tests.

mod details;
mod markup;
mod summary;

use markup::Markup;

use super::kind::{KINDS, Kind, is_read};
use crate::amount::decimal;
use crate::statement::find;
use crate::{BankFile, DayBalances, Line, ReferenceKind, Statement};

/// Format of a file of another format.
const DEFAULT: &str = "camt.053.001.08";

/// First version with the amount in `TxDtls/Amt`, and with a net amount as one element.
const WITH_AMOUNTS: u32 = 4;

/// First version with the status as a code.
const WITH_STATUS_CODES: u32 = 7;

/// Writes a file in its format, `camt.053.001.08` if that is no format of this module. Reading the result gives the
/// same file, apart from the bytes of the lines, and from the following, for which the format or this writer has no
/// place:
///
/// - marks, the standings `Restated`, `Test` and, in a statement, `Pending`;
/// - codes of kinds other than `Iso` and `Proprietary`, and references like `NOTPROVIDED`;
/// - a line with exactly one part, which reads as the line itself;
/// - beside parts: a return reason, and references other than `Bank`, `Entry`, `Message` and `Payment`;
/// - up to version .03, parts with another sign than their line;
/// - a booked line without booking day or with `booking_from`, and the status of pending lines (written `PDNG`, or
///   `BOOK` in reports and notifications);
/// - texts with white space around them or with control characters.
///
/// Balances, days, and parts that do not sum up are written as they are, and refused by the reader.
#[must_use]
pub fn render(file: &BankFile) -> String {
    let known =
        KINDS.iter().find(|kind| is_read(kind, &file.format)).map(|kind| (kind, file.format.as_str()));
    let (kind, format) = known.unwrap_or((&KINDS[1], DEFAULT));
    let version = format.get(format.len() - 2..).and_then(|version| version.parse().ok()).unwrap_or_default();
    let mut out = Writer { to: Markup::new(format), kind, version };
    out.to.open(kind.message);
    out.header(file);
    for (number, statement) in file.statements.iter().enumerate() {
        out.statement(number + 1, statement);
    }
    out.to.close(kind.message);
    out.to.finish()
}

struct Writer {
    to: Markup,
    kind: &'static Kind,
    version: u32,
}

impl Writer {
    fn header(&mut self, file: &BankFile) {
        self.to.open("GrpHdr");
        self.to.leaf("MsgId", "MSG-1");
        self.created(file.statements.last());
        self.to.close("GrpHdr");
    }

    /// Time of creation: the end of the last day, since a writer has no clock.
    fn created(&mut self, statement: Option<&Statement>) {
        let day = statement.and_then(|statement| {
            let closing = statement.days.last().map(|day| day.date);
            closing.or_else(|| statement.lines.iter().filter_map(|line| line.booking).max())
        });
        self.to.leaf("CreDtTm", &format!("{}T23:59:59", day.unwrap_or_default()));
    }

    fn statement(&mut self, number: usize, statement: &Statement) {
        self.to.open(self.kind.unit);
        self.to.leaf("Id", &format!("S{number}"));
        self.to.leaf("ElctrncSeqNb", &number.to_string());
        self.created(Some(statement));
        self.account(statement);
        for (number, day) in statement.days.iter().enumerate() {
            self.balances(number == 0, day, statement);
        }
        summary::write(&mut self.to, self.version, statement);
        for line in &statement.lines {
            self.entry(line, statement);
        }
        self.to.close(self.kind.unit);
    }

    fn account(&mut self, statement: &Statement) {
        self.to.open("Acct");
        self.to.open("Id");
        if is_iban(&statement.account) {
            self.to.leaf("IBAN", &statement.account);
        } else {
            self.to.open("Othr");
            self.to.leaf("Id", &statement.account);
            self.to.close("Othr");
        }
        self.to.close("Id");
        self.to.leaf("Ccy", statement.currency.code());
        self.to.close("Acct");
    }

    fn balances(&mut self, is_first: bool, day: &DayBalances, statement: &Statement) {
        let [opening, closing] = day.available.unwrap_or_default();
        let all = [
            ("OPBD", is_first.then_some(day.opening)),
            ("OPAV", opening),
            ("CLBD", Some(day.closing)),
            ("CLAV", closing),
        ];
        for (code, minor) in all.into_iter().filter_map(|(code, minor)| Some((code, minor?))) {
            self.to.open("Bal");
            self.to.open("Tp");
            self.to.open("CdOrPrtry");
            self.to.leaf("Cd", code);
            self.to.close("CdOrPrtry");
            self.to.close("Tp");
            self.to.amount("Amt", minor, statement.currency);
            self.to.sign(minor >= 0);
            self.to.day("Dt", Some(day.date));
            self.to.close("Bal");
        }
    }

    fn entry(&mut self, line: &Line, statement: &Statement) {
        self.to.open("Ntry");
        self.reference("NtryRef", line, ReferenceKind::Entry);
        self.to.amount("Amt", line.amount, statement.currency);
        self.to.sign(line.amount >= 0);
        if line.reversal {
            self.to.leaf("RvslInd", "true");
        }
        self.status(line.booked || !self.kind.is_booked);
        self.to.day("BookgDt", line.booking);
        self.to.day("ValDt", line.value);
        self.reference("AcctSvcrRef", line, ReferenceKind::Bank);
        self.to.codes(&line.codes);
        let is_long = details::write(&mut self.to, self.version, line, statement.currency);
        if is_long {
            self.to.leaf("AddtlNtryInf", &line.text);
        }
        self.to.close("Ntry");
    }

    fn status(&mut self, is_booked: bool) {
        let code = if is_booked { "BOOK" } else { "PDNG" };
        if self.version < WITH_STATUS_CODES {
            return self.to.leaf("Sts", code);
        }
        self.to.open("Sts");
        self.to.leaf("Cd", code);
        self.to.close("Sts");
    }

    fn reference(&mut self, name: &str, line: &Line, kind: ReferenceKind) {
        if let Some(value) = find(&line.references, kind) {
            self.to.leaf(name, value);
        }
    }
}

/// True for an account number with the shape of an IBAN. Source: ISO 20022, `IBAN2007Identifier`.
fn is_iban(account: &str) -> bool {
    let bytes = account.as_bytes();
    let (country, rest) = bytes.split_at(bytes.len().min(2));
    let (digits, rest) = rest.split_at(rest.len().min(2));
    country.len() == 2
        && country.iter().all(u8::is_ascii_uppercase)
        && digits.iter().all(u8::is_ascii_digit)
        && (1..=30).contains(&rest.len())
        && rest.iter().all(u8::is_ascii_alphanumeric)
}
