//! Records in the extended JSON of the original service's database: `{"$oid": …}` for `_id` and `{"$date": …}` for a
//! time. All other values stay byte for byte: an amount is decimal text and never a float.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// All fields of a record that are times, in milliseconds since the Unix epoch.
const TIMES: [&str; 5] = ["created_on", "date", "date_joined", "last_updated", "process_on"];
/// Id of a record, here or in another record.
const ID: &str = "_id";
/// URL of the record in the API, which the original's records lack.
const LINKS: &str = "_links";

/// Returns the fields of a record without its links and without the outer braces.
pub(super) fn fields(record: &RawValue) -> serde_json::Result<String> {
    let fields: Fields<'_> = serde_json::from_str(record.get())?;
    let mut text = String::with_capacity(record.get().len() * 5 / 4);
    write_fields(&mut text, fields.0.into_iter().filter(|(name, _)| name != LINKS))?;
    Ok(text)
}

fn write_fields<'a>(
    text: &mut String,
    fields: impl Iterator<Item = (String, &'a RawValue)>,
) -> serde_json::Result<()> {
    for (index, (name, value)) in fields.enumerate() {
        if index > 0 {
            text.push(',');
        }
        text.push_str(&serde_json::to_string(&name)?);
        text.push(':');
        write(text, &name, value)?;
    }
    Ok(())
}

fn write(text: &mut String, name: &str, value: &RawValue) -> serde_json::Result<()> {
    let json = value.get();
    match json.as_bytes().first() {
        Some(b'{') => {
            text.push('{');
            write_fields(text, serde_json::from_str::<Fields<'_>>(json)?.0.into_iter())?;
            text.push('}');
        }
        Some(b'[') => {
            let items: Vec<&RawValue> = serde_json::from_str(json)?;
            text.push('[');
            for (index, item) in items.into_iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                write(text, "", item)?;
            }
            text.push(']');
        }
        Some(b'"') if name == ID => wrap(text, "$oid", json),
        Some(b'0'..=b'9' | b'-') if TIMES.contains(&name) => wrap(text, "$date", json),
        _ => text.push_str(json),
    }
    Ok(())
}

fn wrap(text: &mut String, name: &str, json: &str) {
    text.extend(["{\"", name, "\":", json, "}"]);
}

/// Fields of an object in their order.
struct Fields<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Fields<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OrderedFields;
        impl<'de> Visitor<'de> for OrderedFields {
            type Value = Fields<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(Fields(fields))
            }
        }
        deserializer.deserialize_map(OrderedFields)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_ids_and_times_are_wrapped() {
        let record = concat!(
            r#"{"_id":"01","_links":{"self":{"href":"h"}},"amount":{"amount":100.10,"currency":"USD"},"#,
            r#""from":{"id":"02","user":{"_id":"03","legal_names":["\u00e9 \"x\"","date"]}},"#,
            r#""recent_status":{"date":1700000000000,"note":"a date: 1"},"timeline":[{"date":-1},{}],"#,
            r#""extra":{"process_on":5,"date":null,"other":{}},"_v":2,"fees":[]}"#
        );
        let expected = concat!(
            r#""_id":{"$oid":"01"},"amount":{"amount":100.10,"currency":"USD"},"#,
            r#""from":{"id":"02","user":{"_id":{"$oid":"03"},"legal_names":["\u00e9 \"x\"","date"]}},"#,
            r#""recent_status":{"date":{"$date":1700000000000},"note":"a date: 1"},"timeline":[{"date":{"$date":-1}},{}],"#,
            r#""extra":{"process_on":{"$date":5},"date":null,"other":{}},"_v":2,"fees":[]"#
        );
        let record = RawValue::from_string(record.to_owned()).unwrap();
        assert_eq!(fields(&record).unwrap(), expected);
    }

    #[test]
    fn non_object_has_no_fields() {
        for json in ["1", "[]", "null"] {
            assert!(fields(&RawValue::from_string(json.to_owned()).unwrap()).is_err(), "{json}");
        }
    }
}
