//! Check files: comma-separated values, one check per row. The bank prints and mails the checks.

use daybook_domain::Currency;
use daybook_domain::money::Money;
use daybook_domain::posting::Rail;

use super::csv::push_row;
use super::destination::Destination;
use super::file::{EntryDirection, OutgoingEntry, OutgoingFile, Unfit, write_entries};
use super::text::one_line;

const COLUMNS: [&str; 8] =
    ["number", "date", "payee", "amount", "address_line_1", "address_line_2", "address_line_3", "memo"];
/// Maximum characters of a memo on a check.
const MAX_MEMO_CHARS: usize = 80;

/// Renders the checks as UTF-8 text, one line each. The number of a check is its sequence number.
/// # Errors
///
/// [`Unfit`] for another rail, no entries, sequence numbers that do not rise, a pull, a destination that is no mailing
/// address, or an empty payee or address.
pub fn render(file: &OutgoingFile) -> Result<String, Unfit> {
    let mut csv = String::new();
    push_row(&mut csv, COLUMNS);
    write_entries(file, Rail::Check, |entry, _| {
        let memo: String = entry.addendum.iter().flat_map(|note| note.chars()).take(MAX_MEMO_CHARS).collect();
        let [street, city, country] = address(entry)?;
        let amount = Money::new(entry.amount_minor, Currency::USD);
        let row = [
            entry.sequence.to_string(),
            file.effective.to_string(),
            given(&entry.name, "name")?,
            amount.to_string(),
            street,
            city,
            country,
            one_line(&memo),
        ];
        push_row(&mut csv, row.iter().map(String::as_str));
        Ok(())
    })?;
    Ok(csv)
}

/// Formats the address lines below the name.
fn address(entry: &OutgoingEntry) -> Result<[String; 3], Unfit> {
    let Destination::Mail(address) = &entry.destination else { return Err(Unfit::file("destination")) };
    if entry.direction != EntryDirection::Push {
        return Err(Unfit::file("direction"));
    }
    let city = given(&address.address_city, "payee_address.address_city")?;
    let (state, code) = (one_line(&address.address_subdivision), one_line(&address.address_postal_code));
    Ok([
        given(&address.address_street, "payee_address.address_street")?,
        format!("{city}, {state} {code}"),
        one_line(&address.address_country_code),
    ])
}

/// Returns a mandatory text on one line.
fn given(text: &str, field: &'static str) -> Result<String, Unfit> {
    let line = one_line(text);
    if line.is_empty() { Err(Unfit::file(field)) } else { Ok(line) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contents::PayeeAddress;
    use crate::rails::csv::Rows;
    use crate::rails::file::tests::{HOSTILE, Unfitting, checking, entry, file};

    fn check(sequence: u32) -> OutgoingEntry {
        let address = PayeeAddress {
            address_street: "1 Market St., Apt. 2".into(),
            address_city: "San Francisco".into(),
            address_subdivision: "CA".into(),
            address_country_code: "US".into(),
            address_postal_code: "94105".into(),
        };
        OutgoingEntry {
            destination: Destination::Mail(address),
            ..entry(sequence, EntryDirection::Push, 123_456)
        }
    }

    #[test]
    fn check_is_one_row() {
        let rent = OutgoingEntry { addendum: Some("Rent, \"May\"".into()), ..check(7) };
        let expected = "number,date,payee,amount,address_line_1,address_line_2,address_line_3,memo\r\n\
            7,2026-01-06,Ann Example,1234.56,\"1 Market St., Apt. 2\",\"San Francisco, CA 94105\",US,\"Rent, \"\"May\"\"\"\r\n\
            8,2026-01-06,Ann Example,1234.56,\"1 Market St., Apt. 2\",\"San Francisco, CA 94105\",US,\r\n";
        assert_eq!(render(&file(Rail::Check, vec![rent, check(8)])).as_deref(), Ok(expected));
    }

    #[test]
    fn customer_text_stays_in_its_field() {
        for text in HOSTILE {
            let hostile = OutgoingEntry { name: text.into(), addendum: Some(text.into()), ..check(7) };
            let csv = render(&file(Rail::Check, vec![hostile, check(8)])).expect("checks");
            assert_eq!(csv.lines().count(), 3, "{text:?}");
            let mut rows = Rows::of(&csv);
            let mut numbers = Vec::new();
            while let Some(row) = rows.next_row().expect("a row") {
                assert_eq!(row.fields.len(), COLUMNS.len(), "{text:?}");
                numbers.push(row.fields[0].clone());
            }
            assert_eq!(numbers, ["number", "7", "8"]);
        }
    }

    #[test]
    fn unfit_field_is_refused() {
        let table: [Unfitting; 5] = [
            ("amount", |check| check.amount_minor = -1),
            ("direction", |check| check.direction = EntryDirection::Pull),
            ("destination", |check| check.destination = checking()),
            ("name", |check| check.name = " \n".into()),
            ("payee_address.address_city", |check| {
                check.destination = Destination::Mail(PayeeAddress {
                    address_street: "1 Market St.".into(),
                    ..PayeeAddress::default()
                });
            }),
        ];
        for (field, change) in table {
            let mut check = check(7);
            change(&mut check);
            let found = render(&file(Rail::Check, vec![check])).map_err(|unfit| unfit.field);
            assert_eq!(found, Err(field));
        }
    }

    #[test]
    fn check_number_is_used_once() {
        let twice = render(&file(Rail::Check, vec![check(7), check(7)]));
        assert_eq!(twice, Err(Unfit { transaction: Some(check(7).transaction), field: "sequence" }));
        assert_eq!(render(&file(Rail::Check, vec![])), Err(Unfit::file("entries")));
        assert_eq!(render(&file(Rail::Ach, vec![check(7)])), Err(Unfit::file("rail")));
    }
}
