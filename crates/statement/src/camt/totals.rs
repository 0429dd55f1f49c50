//! Counts and sums of entries, compared with those that summaries state.

use std::collections::BTreeMap;

use daybook_domain::Currency;

use super::codes::TransactionCode;
use super::entry::Entry;
use super::summary::{Claim, SUMMARY, Value};
use super::values::{fault, unsigned};
use crate::amount::decimal;
use crate::statement::find;
use crate::{CodeKind, Fault};

/// Number of entries, and sum of their amounts without signs.
#[derive(Clone, Copy, Default)]
struct Total {
    count: u64,
    minor: i128,
}

/// Totals of debits and credits.
type Sides = [Total; 2];

/// Code of ISO 20022 and code of the bank's own, each if it matters.
type Key = (Option<String>, Option<String>);

/// Totals of some entries.
pub(super) struct Totals {
    all: Sides,
    by_code: BTreeMap<Key, Sides>,
    /// The currency, if all entries have the same one. Sums of several have no meaning, and are not compared.
    currency: Option<Currency>,
}

impl Totals {
    /// Totals of entries, also by code if some claims are about codes.
    pub(super) fn of<'a>(
        entries: impl Iterator<Item = &'a Entry>,
        by_code: bool,
        currency: Option<Currency>,
    ) -> Self {
        let mut totals = Self { all: Sides::default(), by_code: BTreeMap::new(), currency };
        for entry in entries {
            count(&mut totals.all, entry);
            let Some((iso, own)) = by_code.then(|| key(entry)) else { continue };
            if iso.is_some() && own.is_some() {
                count(totals.by_code.entry((iso.clone(), None)).or_default(), entry);
                count(totals.by_code.entry((None, own.clone())).or_default(), entry);
            }
            count(totals.by_code.entry((iso, own)).or_default(), entry);
        }
        totals
    }

    /// Compares the totals with the first claim that they do not fulfil.
    pub(super) fn check(&self, claims: &[Claim]) -> Result<(), Fault> {
        claims.iter().try_for_each(|claim| self.check_one(claim))
    }

    fn check_one(&self, claim: &Claim) -> Result<(), Fault> {
        let sides = match &claim.code {
            None => self.all,
            Some(code) => self.by_code.get(&key_of(code)).copied().unwrap_or_default(),
        };
        let [debits, credits] = sides;
        let (count, sum) = match claim.side {
            None => (debits.count + credits.count, debits.minor + credits.minor),
            Some(true) => (credits.count, credits.minor),
            Some(false) => (debits.count, debits.minor),
        };
        let of = |why: &str| fault(claim.at, SUMMARY, &claim.field, why);
        match (&claim.value, self.currency) {
            (Value::Count(stated), _) if *stated != count => {
                Err(of("the number of entries is another").expected(count).found(stated))
            }
            (Value::Sum(text), Some(currency)) => {
                let stated = unsigned(text, currency).map(i128::from).ok();
                compare(&of("the sum of the entries is another"), text, stated, sum, currency)
            }
            (Value::Net(text, sign), Some(currency)) => {
                let net = credits.minor - debits.minor;
                let (stated, net) =
                    (net_of(text, *sign, currency), if is_signed(text, *sign) { net } else { net.abs() });
                compare(&of("the net amount of the entries is another"), text, stated, net, currency)
            }
            _ => Ok(()),
        }
    }
}

fn compare(
    fault: &Fault,
    text: &str,
    stated: Option<i128>,
    right: i128,
    currency: Currency,
) -> Result<(), Fault> {
    if stated == Some(right) {
        return Ok(());
    }
    let found = stated.map_or_else(|| text.to_owned(), |stated| decimal(stated, '.', currency));
    Err(fault.clone().expected(decimal(right, '.', currency)).found(found))
}

/// Net amount with its sign. `DecimalNumber` has one, and `CdtDbtInd` states it again.
fn net_of(text: &str, sign: Option<bool>, currency: Currency) -> Option<i128> {
    let size = unsigned(text.strip_prefix('-').unwrap_or(text), currency).map(i128::from).ok()?;
    let is_negative = sign.map_or(text.starts_with('-'), |is_credit| !is_credit);
    Some(if is_negative { -size } else { size })
}

/// True if the text or the indicator says a sign.
fn is_signed(text: &str, sign: Option<bool>) -> bool {
    sign.is_some() || text.starts_with('-')
}

fn count([debits, credits]: &mut Sides, entry: &Entry) {
    let total = if entry.is_credit { credits } else { debits };
    total.count += 1;
    total.minor += i128::from(entry.line.amount.unsigned_abs());
}

fn key(entry: &Entry) -> Key {
    let of = |kind| find(&entry.line.codes, kind).map(str::to_owned);
    (of(CodeKind::Iso), of(CodeKind::Proprietary))
}

fn key_of(code: &TransactionCode) -> Key {
    code.codes().into_iter().fold((None, None), |(iso, own), (kind, code)| match kind {
        CodeKind::Iso => (Some(code), own),
        _ => (iso, Some(code)),
    })
}
