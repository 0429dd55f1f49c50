//! Wire files: one message of tagged fields per wire, one field per line, an empty line after each message.
//!
//! Source: tags and widths of the Fedwire Funds Service's format (FAIM). The bank adds the fields that only the bank
//! knows (IMAD, OMAD).

mod receivers;

use daybook_domain::posting::Rail;
use receivers::{beneficiary, clearing_code, receivers};

use super::file::{Originator, OutgoingFile, Unfit, write_entries};
use super::text::{column, plain, written};

/// Renders the wires as text. The sender's reference is the trace, and `{6000}` is the note for the beneficiary.
///
/// # Errors
///
/// [`Unfit`] for another rail, no entries, sequence numbers that do not rise, a pull, an amount above twelve digits, a
/// destination without an account, or an empty name.
pub fn render(file: &OutgoingFile, originator: &Originator) -> Result<String, Unfit> {
    originator.bank()?;
    let us = party(&originator.account_num, &originator.company_name);
    let us = us.map_err(|_| Unfit::file("originator.account_num"))?;
    let mut messages = String::new();
    write_entries(file, Rail::Wire, |entry, amount| {
        let message = [
            "{1510}1000".to_owned(),
            format!("{{2000}}{}", digits(amount)?),
            format!("{{3100}}{}{}*", originator.routing_num, value(&originator.bank_name, 18)),
            receivers(entry, originator)?,
            format!("{{3320}}{}*", originator.trace(entry.sequence)?),
            "{3600}CTR".to_owned(),
            format!("{{4200}}{}", beneficiary(entry)?),
            format!("{{5000}}{us}"),
            tagged("{6000}", &lines(entry.addendum.as_deref().unwrap_or_default(), 4)),
            tagged("{6300}", &lines(clearing_code(entry), 1)),
        ];
        for field in message.iter().filter(|field| !field.is_empty()) {
            messages.push_str(field);
            messages.push('\n');
        }
        messages.push('\n');
        Ok(())
    })?;
    Ok(messages)
}

/// Formats cents with twelve digits.
fn digits(amount: u64) -> Result<String, Unfit> {
    let digits = format!("{amount:012}");
    if digits.len() == 12 { Ok(digits) } else { Err(Unfit::file("amount")) }
}

/// Formats a customer's account with the name of its owner.
fn party(account_num: &str, name: &str) -> Result<String, Unfit> {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    if !(1..=34).contains(&account_num.len()) || !account_num.bytes().all(is_letter) {
        return Err(Unfit::file("account_num"));
    }
    match name_of(name, 35, "name")?.as_str() {
        "" => Err(Unfit::file("name")),
        name => Ok(format!("D{account_num}*{name}*")),
    }
}

/// Formats a tagged field; an empty value gives no field.
fn tagged(tag: &str, value: &str) -> String {
    if value.is_empty() { String::new() } else { format!("{tag}{value}") }
}

/// Splits a text into up to `count` lines of 35 characters.
fn lines(text: &str, count: usize) -> String {
    let text = value(text, count * 35);
    let lines = (0..count).filter_map(|line| text.get(line * 35..text.len().min(line * 35 + 35)));
    lines.filter(|line| !line.is_empty()).flat_map(|line| [line, "*"]).collect()
}

/// Formats a name or an address of a receiver or a bank. Only letters beyond `width` are dropped.
fn name_of(text: &str, width: usize, field: &'static str) -> Result<String, Unfit> {
    let written = written(text).map_err(|_| Unfit::file(field))?;
    Ok(value(&written, width))
}

/// Removes field delimiters from a text and cuts it to `width`.
fn value(text: &str, width: usize) -> String {
    let safe: String =
        plain(text).chars().map(|letter| if "{}*".contains(letter) { ' ' } else { letter }).collect();
    column(&safe, width).trim_end().to_owned()
}

#[cfg(test)]
mod tests;
