//! Journal for hledger. Source: hledger 1.25 manual, "Journal".

use std::fmt::Write as _;

use daybook_api::wire::ops::sum::Sum;
use daybook_domain::calendar::Day;
use daybook_domain::posting::{LedgerAccount, Rail};
use daybook_domain::{Currency, Money};

use super::{Dialect, Entry};

/// Dialect of hledger.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hledger;

/// Name of an account, below the five top levels of hledger.
#[must_use]
pub(super) fn name(account: LedgerAccount) -> String {
    let rail = |side: &str, direction: &str, rail: Rail| format!("{side}:rail:{direction}:{}", rail.as_str());
    match account {
        LedgerAccount::Node(node) => format!("liabilities:nodes:{node}"),
        LedgerAccount::Transit => "liabilities:transit".into(),
        LedgerAccount::RailIn(of) => rail("assets", "in", of),
        LedgerAccount::RailOut(of) => rail("liabilities", "out", of),
        LedgerAccount::ReturnIn => "assets:returns:in".into(),
        LedgerAccount::ReturnOut => "liabilities:returns:out".into(),
        LedgerAccount::Bank(bank) => format!("assets:bank:{bank}"),
        LedgerAccount::Suspense => "liabilities:suspense".into(),
    }
}

impl Dialect for Hledger {
    fn header(&self, text: &mut String) {
        text.push_str("; Written by daybook ledger export. Dates are effective ones, in UTC.\n");
        text.push_str("decimal-mark .\n");
    }

    fn currency(&self, currency: Currency, text: &mut String) {
        let sample = Sum(1_000_000, currency);
        // A sample amount needs its decimal mark, even if the currency has no decimals.
        let mark = if currency.decimals() == 0 { "." } else { "" };
        let _ = writeln!(text, "commodity {sample}{mark} {currency}");
    }

    fn open(&self, account: LedgerAccount, text: &mut String) {
        let _ = writeln!(text, "account {}", name(account));
    }

    fn entry(&self, entry: &Entry<'_>, text: &mut String) {
        let Entry { day, id, position, name: what, platform, stream, postings } = entry;
        let tags = format!("position:{position}, stream:{stream}, platform:{platform}");
        let _ = writeln!(text, "\n{day} * ({id}) {what}  ; {tags}");
        let currency = postings.currency();
        for line in postings.lines() {
            let amount = Money::new(line.amount, currency);
            let _ = writeln!(text, "    {}  {amount} {currency}", name(line.account));
        }
    }

    /// Assertions are written last: hledger checks them by date, and within a date in the order of the file.
    fn assert(&self, day: Day, account: LedgerAccount, sum: i128, currency: Currency, text: &mut String) {
        let sum = Sum(sum, currency);
        let _ = writeln!(text, "\n{day} * assertion\n    {}  0 {currency} = {sum} {currency}", name(account));
    }

    fn end(&self, at: &str, text: &mut String) {
        let _ = writeln!(text, "\n; The end: {at} of the log.");
    }
}
