//! Dates by a format.

use std::iter;
use std::str::Chars;

use daybook_domain::calendar::Day;

/// Names of months as `%b` reads them, in letters of any case.
const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// First year that a bank states. An earlier one is a sign of another format.
const FIRST_YEAR: i64 = 1900;

/// Formats that are tried if the mapping names none; `/` stands for `/`, `-` and `.`.
const USUAL: [&str; 6] = ["%d/%m/%Y", "%m/%d/%Y", "%Y/%m/%d", "%d/%m/%y", "%m/%d/%y", "%y/%m/%d"];

/// More formats that are tried.
const OTHERS: [&str; 9] =
    ["%Y%m%d", "%d%m%Y", "%m%d%Y", "%d %b %Y", "%d-%b-%Y", "%d %b %y", "%d-%b-%y", "%b %d, %Y", "%b %d %Y"];

/// Format of a date.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Format {
    items: Vec<Item>,
    text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Item {
    Day,
    Month,
    MonthName,
    Year,
    ShortYear,
    Literal(char),
}

impl Item {
    const fn is_number(self) -> bool {
        matches!(self, Self::Day | Self::Month | Self::Year | Self::ShortYear)
    }
}

impl Format {
    /// Parses a format, or returns the rule that it breaks.
    pub(super) fn parse(text: &str) -> Result<Self, &'static str> {
        let mut items = vec![];
        let mut letters = text.chars();
        while let Some(letter) = letters.next() {
            items.push(item(letter, &mut letters)?);
        }
        let count = |of: &[Item]| items.iter().filter(|item| of.contains(item)).count();
        let counts = [
            count(&[Item::Day]),
            count(&[Item::Month, Item::MonthName]),
            count(&[Item::Year, Item::ShortYear]),
        ];
        match counts {
            [1, 1, 1] => Ok(Self { items, text: text.to_owned() }),
            _ => Err("one day, one month and one year expected"),
        }
    }

    /// Formats that are tried if the mapping names none.
    pub(super) fn usual() -> Vec<Self> {
        let marks = ["/", "-", "."];
        let usual = USUAL.iter().flat_map(|format| marks.map(|mark| format.replace('/', mark)));
        usual.chain(OTHERS.map(str::to_owned)).filter_map(|format| Self::parse(&format).ok()).collect()
    }

    /// Reads a date, or returns the reason for which it is none. Days and months have one or two digits, but two if no
    /// letter parts them from other digits.
    pub(super) fn read(&self, text: &str) -> Result<Day, String> {
        let (year, month, day) =
            self.parts(text).ok_or_else(|| format!("not of the format {}", self.text))?;
        if year < FIRST_YEAR {
            return Err(format!("year {year}"));
        }
        if !(1..=12).contains(&month) {
            return Err(format!("month {month}"));
        }
        Day::from_civil(year, month, day).ok_or_else(|| format!("day {day} of month {month}"))
    }

    fn parts(&self, text: &str) -> Option<(i64, i64, i64)> {
        let (mut year, mut month, mut day) = (0, 0, 0);
        let mut rest = text;
        let before = iter::once(None).chain(self.items.iter().map(Some));
        let after = self.items.iter().skip(1).map(Some).chain(iter::once(None));
        for ((item, before), after) in self.items.iter().zip(before).zip(after) {
            let is_fixed = before.into_iter().chain(after).any(|beside| beside.is_number());
            let least = if is_fixed { 2 } else { 1 };
            match item {
                Item::Day => day = number(&mut rest, least, 2)?,
                Item::Month => month = number(&mut rest, least, 2)?,
                Item::Year => year = number(&mut rest, 4, 4)?,
                Item::ShortYear => year = 2000 + number(&mut rest, 2, 2)?,
                Item::MonthName => month = month_name(&mut rest)?,
                Item::Literal(letter) => rest = rest.strip_prefix(*letter)?,
            }
        }
        rest.is_empty().then_some((year, month, day))
    }
}

fn item(letter: char, letters: &mut Chars<'_>) -> Result<Item, &'static str> {
    match letter {
        '%' => match letters.next() {
            Some('d') => Ok(Item::Day),
            Some('m') => Ok(Item::Month),
            Some('b') => Ok(Item::MonthName),
            Some('Y') => Ok(Item::Year),
            Some('y') => Ok(Item::ShortYear),
            _ => Err("after %, one of d m b Y y expected"),
        },
        '0'..='9' => Err("a digit cannot be told from the date"),
        letter => Ok(Item::Literal(letter)),
    }
}

/// Takes a number of `least` to `most` digits.
fn number(rest: &mut &str, least: usize, most: usize) -> Option<i64> {
    let digits = rest.bytes().take(most).take_while(u8::is_ascii_digit).count();
    let (number, behind) = rest.split_at_checked(digits).filter(|_| digits >= least)?;
    *rest = behind;
    number.parse().ok()
}

fn month_name(rest: &mut &str) -> Option<i64> {
    let (name, behind) = rest.split_at_checked(3)?;
    let month = MONTHS.iter().zip(1..).find(|(month, _)| name.eq_ignore_ascii_case(month));
    *rest = behind;
    month.map(|(_, month)| month)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_follow_their_format() {
        for (format, text, expected) in [
            ("%m/%d/%Y", "11/02/2026", Ok("2026-11-02")),
            ("%m/%d/%Y", "1/2/2026", Ok("2026-01-02")),
            ("%m/%d/%Y", "13/11/2026", Err("month 13")),
            ("%m/%d/%Y", "0/11/2026", Err("month 0")),
            ("%m/%d/%Y", "02/30/2026", Err("day 30 of month 2")),
            ("%m/%d/%Y", "02/00/2026", Err("day 0 of month 2")),
            ("%m/%d/%Y", "11/02/26", Err("not of the format %m/%d/%Y")),
            ("%m/%d/%Y", "11/02/20261", Err("not of the format %m/%d/%Y")),
            ("%m/%d/%Y", "011/02/2026", Err("not of the format %m/%d/%Y")),
            ("%m/%d/%Y", "11-02-2026", Err("not of the format %m/%d/%Y")),
            ("%m/%d/%Y", "", Err("not of the format %m/%d/%Y")),
            ("%m/%d/%Y", "11/02/0026", Err("year 26")),
            ("%d.%m.%y", "2.11.26", Ok("2026-11-02")),
            ("%Y%m%d", "20261102", Ok("2026-11-02")),
            ("%Y%m%d", "2026112", Err("not of the format %Y%m%d")),
            ("%d%m%Y", "2112026", Err("not of the format %d%m%Y")),
            ("%d %b %Y", "2 nov 2026", Ok("2026-11-02")),
            ("%d%b%y", "02NOV26", Ok("2026-11-02")),
            ("%b %d, %Y", "Nov 2, 2026", Ok("2026-11-02")),
            ("%d %b %Y", "2 Növ 2026", Err("not of the format %d %b %Y")),
            ("%d %b %Y", "2 Now 2026", Err("not of the format %d %b %Y")),
            ("%d. %m. %Y", "2. 11. 2026", Ok("2026-11-02")),
            ("%m/%d/%Y", "11/٠٢/2026", Err("not of the format %m/%d/%Y")),
            ("%Y-%m-%d", "2026-11-02T00:00", Err("not of the format %Y-%m-%d")),
        ] {
            let read = Format::parse(format).expect("a format").read(text).map(|day| day.to_string());
            assert_eq!(
                read.as_ref().map(String::as_str).map_err(String::as_str),
                expected,
                "{format} {text}"
            );
        }
    }

    #[test]
    fn formats_have_day_month_year_once() {
        for format in
            ["", "%d/%m", "%d/%m/%Y/%y", "%d/%m/%b/%Y", "%H%d%m%Y", "%d/%m/%Y%", "%%%d%m%Y", "%d1%m%Y"]
        {
            assert!(Format::parse(format).is_err(), "{format}");
        }
        assert_eq!(Format::usual().len(), 3 * USUAL.len() + OTHERS.len());
    }
}
