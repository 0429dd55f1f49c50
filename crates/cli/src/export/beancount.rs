//! Beancount's ledger. Source: "Beancount - Language Syntax".

use std::fmt::Write as _;

use daybook_api::wire::ops::sum::Sum;
use daybook_domain::calendar::Day;
use daybook_domain::posting::LedgerAccount;
use daybook_domain::{Currency, Money};

use super::{Dialect, Entry, hledger};

/// Writes for Beancount.
#[derive(Clone, Copy, Debug, Default)]
pub struct Beancount;

/// The account as Beancount spells them: every part begins with a capital or a digit.
fn name(account: LedgerAccount) -> String {
    let capital = |part: &str| {
        let mut letters = part.chars();
        match letters.next() {
            Some(first) if first.is_ascii_alphanumeric() => {
                first.to_ascii_uppercase().to_string() + letters.as_str()
            }
            // A bank's short name may begin with a hyphen.
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

    /// Opened before everything: a correction may count earlier than what it corrects.
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

    /// A balance is that of the beginning of a day, so the next one is named; to the cent, not nearly.
    fn assert(&self, day: Day, account: LedgerAccount, sum: i128, currency: Currency, text: &mut String) {
        let (day, sum) = (day.plus_days(1), Sum(sum, currency));
        let _ = writeln!(text, "{day} balance {}  {sum} ~ 0 {currency}", name(account));
    }

    fn end(&self, position: u64, text: &mut String) {
        let _ = writeln!(text, "\n; The end: position {position} of the log.");
    }
}
