//! Funds type: the availability of an amount, in one or several fields. No control total contains its amounts.
//!
//! Source: BAI2 2005, "Funds Type".

use daybook_domain::calendar::Day;

use super::record::Record;
use crate::Fault;

/// Reads a funds type with all its fields. Returns the value date, if it states one.
pub(super) fn read(record: &mut Record<'_, '_>) -> Result<Option<Day>, Fault> {
    let Some(kind) = record.optional("funds type")? else { return Ok(None) };
    match kind.value {
        b"Z" | b"0" | b"1" | b"2" => Ok(None),
        b"V" => {
            let day = record.required("value date")?.day()?;
            if let Some(time) = record.optional("value time")? {
                time.time()?;
            }
            Ok(Some(day))
        }
        b"S" => {
            for name in
                ["immediate availability", "one-day availability", "availability after two or more days"]
            {
                available(record, name)?;
            }
            Ok(None)
        }
        b"D" => {
            let mut left = record.required("number of distributions")?.number()?;
            // The fields of the record bound the loop, whatever the number says.
            while left > 0 {
                record.required("days of availability")?.number()?;
                available(record, "available amount")?;
                left -= 1;
            }
            Ok(None)
        }
        _ => Err(kind.fault("a funds type is 0, 1, 2, D, S, V or Z")),
    }
}

/// Checks an available amount. It may be empty for zero, or below zero, and must be there.
fn available(record: &mut Record<'_, '_>, name: &'static str) -> Result<(), Fault> {
    let field = record.next(name)?.ok_or_else(|| record.missing(name))?;
    if field.value.is_empty() { Ok(()) } else { field.amount(true).map(|_| ()) }
}

#[cfg(test)]
mod tests {
    use super::super::records::Records;
    use super::*;

    /// Value date, and the field after the funds type.
    fn parse(fields: &str) -> Option<(Option<String>, String)> {
        let file = format!("16,{fields}");
        let mut records = Records::open(file.as_bytes());
        let mut record = records.logical(&["16"], "nothing").expect("a record");
        let value = read(&mut record).ok()?.map(|day| day.to_string());
        let after = record.next("after").expect("a field").map(|field| field.text());
        Some((value, after.unwrap_or_default()))
    }

    #[test]
    fn funds_types_have_fields_of_their_own() {
        for fields in [
            ",after/",
            "Z,after/",
            "0,after/",
            "1,after/",
            "2,after/",
            "S,1,-2,+3,after/",
            "S,,,,after/",
            "S/\n88,1/\n88,2,3/\n88,after/",
            "D,0,after/",
            "D,1,0,5,after/",
            "D,3,0,1,1,-2,12,,after/",
        ] {
            assert_eq!(parse(fields), Some((None, "after".to_owned())), "{fields}");
        }
        for fields in ["V,261104,1300,after/", "V,261104,,after/", "V,261104,9999,after/"] {
            assert_eq!(parse(fields), Some((Some("2026-11-04".to_owned()), "after".to_owned())), "{fields}");
        }
        assert_eq!(parse("V,261104/"), Some((Some("2026-11-04".to_owned()), String::new())));
        assert_eq!(parse("/"), Some((None, String::new())));
    }

    #[test]
    fn incomplete_funds_types_are_refused() {
        for fields in [
            "X,after/",
            "v,261104,,after/",
            "00,after/",
            "V/",
            "V,,1300,after/",
            "V,261131,,after/",
            "V,261104,2500,after/",
            "S,1,2/",
            "S,1,x,3,after/",
            "D/",
            "D,,after/",
            "D,-1,after/",
            "D,2,0,1/",
            "D,2,0,1,,5,after/",
            "D,99999999999999999999999999999,1,1/",
        ] {
            assert_eq!(parse(fields), None, "{fields}");
        }
    }
}
