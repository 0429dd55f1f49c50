//! Files of a bank as text: the amounts of the lines in each format, and the harness's own changes of a CSV. Shares no code
//! with the product.

use std::fmt::Write as _;

use daybook_random::Random;

use crate::cents::{cents, written};

/// Rows of a CSV before its first line.
const HEAD_ROWS: usize = 3;
/// Number of lines of a long statement, which is booked in several commits by a process.
const LONG: (i64, i64) = (600, 1_300);
/// One of so many lines of a long statement has an amount; the others are zero.
const WITH_AMOUNT: i64 = 16;

/// Returns the amounts of the lines of a file, in minor units, in its order.
pub fn amounts(text: &str) -> Vec<i64> {
    match text.get(..3) {
        Some("01,") => text.lines().filter_map(|line| bai2(line.strip_prefix("16,")?)).collect(),
        Some(":20") => text.lines().filter_map(|line| mt940(line.strip_prefix(":61:")?)).collect(),
        Some("dat") => text.lines().skip(HEAD_ROWS).filter_map(|line| Some(row(line)?.amount)).collect(),
        _ => text.split("<Ntry>").skip(1).filter_map(camt).collect(),
    }
}

/// Record of a transaction: type code, amount in minor units. Codes from 400 on are debits.
fn bai2(rest: &str) -> Option<i64> {
    let mut fields = rest.split(',');
    let (code, amount) = (fields.next()?.parse::<i64>().ok()?, fields.next()?.parse::<i64>().ok()?);
    Some(if code < 400 { amount } else { -amount })
}

/// Statement line: dates, the mark of debit or credit, amount with a decimal comma.
fn mt940(rest: &str) -> Option<i64> {
    let rest = rest.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let at = rest.find(|letter: char| letter.is_ascii_digit())?;
    let (mark, rest) = rest.split_at(at);
    let end = rest.find(|letter: char| !letter.is_ascii_digit() && letter != ',')?;
    let amount = cents(&rest[..end].replace(',', "."));
    Some(if matches!(mark, "C" | "RD") { amount } else { -amount })
}

/// Entry: the first amount in it, and its indicator.
fn camt(entry: &str) -> Option<i64> {
    let (_, rest) = entry.split_once("<Amt ")?.1.split_once('>')?;
    let (amount, rest) = rest.split_once('<')?;
    let (_, indicator) = rest.split_once("<CdtDbtInd>")?;
    let amount = cents(amount);
    Some(if indicator.starts_with("CRDT") { amount } else { -amount })
}

/// A line of a CSV.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Row {
    amount: i64,
    reference: String,
    text: String,
}

fn row(line: &str) -> Option<Row> {
    let mut fields = line.splitn(4, ',').skip(1);
    let (amount, reference, text) = (cents(fields.next()?), fields.next()?, fields.next()?);
    Some(Row { amount, reference: reference.to_owned(), text: text.to_owned() })
}

/// A statement of one day in Daybook's own CSV.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Csv {
    date: String,
    opening: i64,
    rows: Vec<Row>,
}

impl Csv {
    /// Reads a CSV; none if the file has another format.
    pub fn read(text: &str) -> Option<Self> {
        text.starts_with("date,").then_some(())?;
        let mut balances = text.lines().nth(1)?.split(',');
        let (date, opening) = (balances.next()?.to_owned(), cents(balances.next()?));
        Some(Self { date, opening, rows: text.lines().skip(HEAD_ROWS).filter_map(row).collect() })
    }

    /// Returns the statement of a file in any format, without its references.
    pub fn of(date: &str, opening: i64, text: &str) -> Self {
        let rows = amounts(text).into_iter().map(|amount| unexplained(amount, "OF ANOTHER FORMAT")).collect();
        Self { date: date.to_owned(), opening, rows }
    }

    /// Writes the statement, with the closing balance that its lines make.
    pub fn written(&self) -> String {
        let closing = self.opening + self.rows.iter().map(|row| row.amount).sum::<i64>();
        let mut text = "date,opening_balance,closing_balance,currency\n".to_owned();
        let _ = writeln!(text, "{},{},{},USD", self.date, written(self.opening), written(closing));
        text.push_str("line_id,amount,reference,description\n");
        for (number, Row { amount, reference, text: said }) in self.rows.iter().enumerate() {
            let _ = writeln!(text, "{}.{number},{},{reference},{said}", self.date, written(*amount));
        }
        text
    }

    /// The day as a worse bank states it: some lines are late or anonymous, in two parts or in one sum, twice, fees, or
    /// hundreds of lines.
    pub fn vary(&mut self, random: &mut Random) {
        self.rows.retain(|_| random.percent(85));
        self.make_anonymous(random, 40);
        if let Some(row) = self.rows.iter_mut().find(|row| row.amount > 1 && !row.reference.is_empty()) {
            let part = Row { amount: row.amount / 2, ..row.clone() };
            row.amount -= part.amount;
            self.rows.push(part);
        }
        if random.percent(30) {
            self.sum_up();
        }
        if random.percent(20) {
            self.rows.extend(self.rows.last().cloned());
        }
        for _ in 0..random.below(3) {
            self.rows.push(unexplained(-random.between(1, 2_000), "FEE"));
        }
        if random.percent(20) {
            self.lengthen(random);
        }
    }

    /// The day with the same lines in another order, some of them anonymous: its balances are the same.
    pub fn rearrange(&mut self, random: &mut Random) {
        self.rows.reverse();
        self.make_anonymous(random, 50);
    }

    fn make_anonymous(&mut self, random: &mut Random, percent: u64) {
        for row in &mut self.rows {
            if random.percent(percent) {
                row.reference.clear();
            }
        }
    }

    /// Puts one line in the place of all anonymous ones.
    fn sum_up(&mut self) {
        let is_anonymous = |row: &Row| row.reference.is_empty();
        let amount = self.rows.iter().filter(|row| is_anonymous(row)).map(|row| row.amount).sum();
        self.rows.retain(|row| !is_anonymous(row));
        self.rows.push(unexplained(amount, "A BATCH"));
    }

    fn lengthen(&mut self, random: &mut Random) {
        for number in 0..random.between(LONG.0, LONG.1) {
            let has_amount = number % WITH_AMOUNT == 0;
            let amount = if has_amount { random.between(-400, 500) } else { 0 };
            self.rows.push(unexplained(amount, "FEE"));
        }
    }
}

fn unexplained(amount: i64, text: &str) -> Row {
    Row { amount, reference: String::new(), text: text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CSV: &str = "date,opening_balance,closing_balance,currency\n2026-11-28,1.00,36.50,USD\n\
        line_id,amount,reference,description\n2026-11-28.0,40.00,A,ACH CREDIT\n2026-11-28.1,-4.50,,FEE\n";

    #[test]
    fn amounts_are_read_in_every_format() {
        let bai2 = "01,X/\n03,1,USD/\n16,142,4000,V,261128,,A,,X\n16,698,450,Z,,,FEE\n49,1,2/\n";
        let mt940 = ":20:X\r\n:60F:C261127USD1,\r\n:61:2611281128C40,NTRFX//Y\r\n:86:X\r\n\
            :61:2611281128D4,5NCHGX\r\n:61:2611281128RD4,05NCHGX\r\n-\r\n";
        let camt = "<Stmt><Ntry><Amt Ccy=\"USD\">40.00</Amt><CdtDbtInd>CRDT</CdtDbtInd></Ntry>\
            <Ntry><Amt Ccy=\"USD\">4.5</Amt><CdtDbtInd>DBIT</CdtDbtInd></Ntry></Stmt>";
        assert_eq!(amounts(bai2), [4_000, -450]);
        assert_eq!(amounts(mt940), [4_000, -450, 405]);
        assert_eq!(amounts(camt), [4_000, -450]);
        assert_eq!(amounts(CSV), [4_000, -450]);
    }

    #[test]
    fn day_of_other_format_keeps_balances() {
        let bai2 = "01,X/\n16,142,4000,V,261128,,A,,X\n16,698,450,Z,,,FEE\n";
        assert_eq!(Csv::read(bai2), None);
        let written = Csv::of("2026-11-28", 100, bai2).written();
        assert!(written.contains("\n2026-11-28,1.00,36.50,USD\n"), "{written}");
        assert_eq!(amounts(&written), [4_000, -450]);
    }

    #[test]
    fn csv_survives_round_trip() {
        assert_eq!(Csv::read(CSV).map(|csv| csv.written()).as_deref(), Some(CSV));
    }
}
