//! Wires: a message of tagged fields for each, one field on a line, an empty line after each message.
//!
//! Source: tags and widths of the Fedwire Funds Service's format (FAIM); the bank adds what only it knows (IMAD, OMAD).

use daybook_domain::posting::Rail;

use super::file::{
    Destination, Direction, Originator, OutgoingEntry, OutgoingFile, Unfit, is_routing_num, write_entries,
};
use super::text::{column, plain};

/// The instructions as text. The sender's reference is the trace.
///
/// With a correspondent, the wire is sent to it and names the receiver's bank as the beneficiary's.
///
/// # Errors
///
/// [`Unfit`] for what has no place: another rail, no entries, sequences that do not rise, a pull, an amount above twelve
/// digits, a place without an account, a name of nothing.
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
            receivers(entry)?,
            format!("{{3320}}{}*", originator.trace(entry.sequence)?),
            "{3600}CTR".to_owned(),
            format!("{{4200}}{}", beneficiary(entry)?),
            format!("{{5000}}{us}"),
            note(entry.addendum.as_deref().unwrap_or_default()),
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

/// Cents in twelve digits.
fn digits(amount: u64) -> Result<String, Unfit> {
    let digits = format!("{amount:012}");
    if digits.len() == 12 { Ok(digits) } else { Err(Unfit::file("amount")) }
}

/// The bank that the wire goes to, and the beneficiary's if it is another.
fn receivers(entry: &OutgoingEntry) -> Result<String, Unfit> {
    let Destination::Account { routing_num, correspondent, .. } = &entry.destination else {
        return Err(Unfit::file("destination"));
    };
    if entry.direction != Direction::Push {
        return Err(Unfit::file("direction"));
    }
    if !is_routing_num(routing_num) {
        return Err(Unfit::file("routing_num"));
    }
    let Some(correspondent) = correspondent else { return Ok(format!("{{3400}}{routing_num}*")) };
    let known = correspondent.routing_num.as_deref().filter(|number| is_routing_num(number));
    let number = known.ok_or(Unfit::file("correspondent.routing_num"))?;
    let name = value(correspondent.bank_name.as_deref().unwrap_or_default(), 18);
    Ok(format!("{{3400}}{number}{name}*\n{{4100}}F{routing_num}*"))
}

fn beneficiary(entry: &OutgoingEntry) -> Result<String, Unfit> {
    match &entry.destination {
        Destination::Account { account_num, .. } => party(account_num, &entry.name),
        Destination::Mail(_) => Err(Unfit::file("destination")),
    }
}

/// An account of a customer and its owner's name.
fn party(account_num: &str, name: &str) -> Result<String, Unfit> {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    if !(1..=34).contains(&account_num.len()) || !account_num.bytes().all(is_letter) {
        return Err(Unfit::file("account_num"));
    }
    match value(name, 35).as_str() {
        "" => Err(Unfit::file("name")),
        name => Ok(format!("D{account_num}*{name}*")),
    }
}

/// What the originator tells the beneficiary: up to four lines of 35; nothing if there is nothing to tell.
fn note(text: &str) -> String {
    let text = value(text, 140);
    let lines: Vec<&str> =
        (0..4).filter_map(|line| text.get(line * 35..text.len().min(line * 35 + 35))).collect();
    let lines = lines.iter().filter(|line| !line.is_empty()).map(|line| format!("{line}*"));
    let lines: String = lines.collect();
    if lines.is_empty() { lines } else { format!("{{6000}}{lines}") }
}

/// Text that cannot end its field or begin another, cut to `width`.
fn value(text: &str, width: usize) -> String {
    let safe: String =
        plain(text).chars().map(|letter| if "{}*".contains(letter) { ' ' } else { letter }).collect();
    column(&safe, width).trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contents::{Correspondent, PayeeAddress};
    use crate::rails::file::tests::{HOSTILE, Unfitting, checking, entry, file, originator};

    fn wire(change: impl FnOnce(&mut OutgoingEntry)) -> Result<String, Unfit> {
        let mut wire = entry(7, Direction::Push, 123_456);
        change(&mut wire);
        render(&file(Rail::Wire, vec![wire]), &originator())
            .map_err(|unfit| Unfit { transaction: None, ..unfit })
    }

    fn through(routing_num: Option<&str>) -> Destination {
        let Destination::Account { routing_num: to, account_num, class, .. } = checking() else {
            unreachable!("an account")
        };
        let correspondent = Correspondent {
            routing_num: routing_num.map(str::to_owned),
            bank_name: Some("Middle Bank".into()),
            address: None,
        };
        Destination::Account { routing_num: to, account_num, class, correspondent: Some(correspondent) }
    }

    #[test]
    fn a_wire_is_a_message_of_tagged_fields() {
        let mut second = entry(8, Direction::Push, 1);
        second.destination = through(Some("021000021"));
        let mut first = entry(7, Direction::Push, 123_456);
        first.addendum = Some("Invoice 4711, the second half of it, thanks".into());
        let expected = "\
{1510}1000
{2000}000000123456
{3100}021000021FIRST BANK*
{3400}091000019*
{3320}021000020000007*
{3600}CTR
{4200}D12345678*ANN EXAMPLE*
{5000}D555000111*DAYBOOK INC.*
{6000}INVOICE 4711, THE SECOND HALF OF IT*, THANKS*

{1510}1000
{2000}000000000001
{3100}021000021FIRST BANK*
{3400}021000021MIDDLE BANK*
{4100}F091000019*
{3320}021000020000008*
{3600}CTR
{4200}D12345678*ANN EXAMPLE*
{5000}D555000111*DAYBOOK INC.*

";
        assert_eq!(render(&file(Rail::Wire, vec![first, second]), &originator()).as_deref(), Ok(expected));
    }

    #[test]
    fn text_of_customers_adds_no_field() {
        for text in HOSTILE {
            let message = wire(|wire| {
                wire.name = text.to_owned();
                wire.addendum = Some(text.to_owned());
            });
            let message = message.expect("a message");
            let lines: Vec<&str> = message.lines().collect();
            assert_eq!(lines.len(), 10, "{text:?}");
            let tags: Vec<&str> = lines.iter().filter_map(|line| line.get(..6)).collect();
            let expected = ["1510", "2000", "3100", "3400", "3320", "3600", "4200", "5000", "6000"];
            assert_eq!(tags, expected.map(|tag| format!("{{{tag}}}")), "{text:?}");
            assert!(lines.iter().all(|line| line.matches('{').count() <= 1), "{text:?}");
            assert_eq!(lines[6].matches('*').count(), 2, "{text:?}");
        }
    }

    #[test]
    fn what_has_no_place_is_refused() {
        let table: [Unfitting; 9] = [
            ("amount", |wire| wire.amount_minor = 1_000_000_000_000),
            ("amount", |wire| wire.amount_minor = 0),
            ("amount", |wire| wire.amount_minor = i64::MIN),
            ("direction", |wire| wire.direction = Direction::Pull),
            ("destination", |wire| wire.destination = Destination::Mail(PayeeAddress::default())),
            ("name", |wire| wire.name = "{*}".into()),
            ("sequence", |wire| wire.sequence = 10_000_000),
            ("correspondent.routing_num", |wire| wire.destination = through(None)),
            ("correspondent.routing_num", |wire| wire.destination = through(Some("1}{2000}9"))),
        ];
        for (field, change) in table {
            assert_eq!(wire(change), Err(Unfit::file(field)));
        }
    }
}
