//! Ledger for Beancount. Source: "Beancount - Language Syntax".

use std::fmt::Write as _;

use daybook_api::wire::ops::sum::Sum;
use daybook_domain::calendar::Day;
use daybook_domain::posting::LedgerAccount;
use daybook_domain::{Currency, Money};

use super::{Dialect, Entry, hledger};

/// Dialect of Beancount.
#[derive(Clone, Copy, Debug, Default)]
pub struct Beancount;

/// Name of an account for Beancount: every part begins with a capital letter or a digit.
fn name(account: LedgerAccount) -> String {
    let capital = |part: &str| {
        let mut letters = part.chars();
        match letters.next() {
            Some(first) if first.is_ascii_alphanumeric() => {
                first.to_ascii_uppercase().to_string() + letters.as_str()
            }
            // The short name of a bank may begin with a hyphen.
            _ => format!("X{part}"),
        }
    };
    hledger::name(account).split(':').map(capital).collect::<Vec<_>>().join(":")
}

impl Dialect for Beancount {
    fn header(&self, text: &mut String) {
        text.push_str("; Written by daybook ledger export. Dates are effective ones, in UTC.\n");
    }

    fn currency(&self, currency: Currency, text: &mut String) {
        let _ = writeln!(text, "option \"operating_currency\" \"{currency}\"");
    }

    /// Opens the account at the earliest date: the effective date of a correction may precede that of the corrected
    /// event.
    fn open(&self, account: LedgerAccount, text: &mut String) {
        let _ = writeln!(text, "{} open {}", Day::default(), name(account));
    }

    fn entry(&self, entry: &Entry<'_>, text: &mut String) {
        let Entry { day, id, position, name: what, platform, stream, postings } = entry;
        let _ = writeln!(text, "\n{day} * \"{what}\"\n  id: \"{id}\"\n  position: {position}");
        let _ = writeln!(text, "  stream: \"{stream}\"\n  platform: \"{platform}\"");
        let currency = postings.currency();
        for line in postings.lines() {
            let amount = Money::new(line.amount, currency);
            let _ = writeln!(text, "  {}  {amount} {currency}", name(line.account));
        }
    }

    /// Beancount checks a balance at the beginning of a day, so the assertion has the date of the next day. It has no
    /// tolerance.
    fn assert(&self, day: Day, account: LedgerAccount, sum: i128, currency: Currency, text: &mut String) {
        let (day, sum) = (day.plus_days(1), Sum(sum, currency));
        let _ = writeln!(text, "{day} balance {}  {sum} ~ 0 {currency}", name(account));
    }

    fn end(&self, at: &str, text: &mut String) {
        let _ = writeln!(text, "\n; The end: {at} of the log.");
    }
}
