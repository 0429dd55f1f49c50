//! Summary of a statement.

use super::markup::Markup;
use super::{WITH_AMOUNTS, decimal};
use crate::Statement;

/// Writes the summary of all lines.
pub(super) fn write(to: &mut Markup, version: u32, statement: &Statement) {
    let amounts = || statement.lines.iter().map(|line| i128::from(line.amount));
    let net: i128 = amounts().sum();
    to.open("TxsSummry");
    to.open("TtlNtries");
    totals(to, statement, amounts());
    let shown = decimal(net.abs(), '.', statement.currency);
    if version < WITH_AMOUNTS {
        to.leaf("TtlNetNtryAmt", &shown);
        to.sign(net >= 0);
    } else {
        to.open("TtlNetNtry");
        to.leaf("Amt", &shown);
        to.sign(net >= 0);
        to.close("TtlNetNtry");
    }
    to.close("TtlNtries");
    for (name, is_credit) in [("TtlCdtNtries", true), ("TtlDbtNtries", false)] {
        to.open(name);
        totals(to, statement, amounts().filter(|amount| (*amount >= 0) == is_credit));
        to.close(name);
    }
    to.close("TxsSummry");
}

fn totals(to: &mut Markup, statement: &Statement, amounts: impl Iterator<Item = i128>) {
    let (count, sum) = amounts.fold((0, 0), |(count, sum), amount| (count + 1, sum + amount.abs()));
    to.leaf("NbOfNtries", &count.to_string());
    to.leaf("Sum", &decimal(sum, '.', statement.currency));
}
