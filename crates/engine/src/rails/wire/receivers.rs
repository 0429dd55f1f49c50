//! Receivers of a wire: the receiving bank, further banks, and the beneficiary's account.

use super::{lines, name_of, party, value};
use crate::contents::Correspondent;
use crate::rails::destination::{Abroad, Destination, is_swift};
use crate::rails::file::{EntryDirection, Originator, OutgoingEntry, Unfit, is_routing_num};

/// Formats the bank fields of a wire.
///
/// With a correspondent, the wire is sent to it and names the receiver's bank as the beneficiary's bank. Fedwire does
/// not reach foreign banks: without a correspondent in the US the wire is sent to our own bank, which chooses the
/// route.
pub(super) fn receivers(entry: &OutgoingEntry, originator: &Originator) -> Result<String, Unfit> {
    if entry.direction != EntryDirection::Push {
        return Err(Unfit::file("direction"));
    }
    match &entry.destination {
        Destination::Account { routing_num, correspondent, .. } => {
            domestic(routing_num, correspondent.as_ref())
        }
        Destination::Abroad(to) => abroad(to, originator),
        Destination::Mail(_) => Err(Unfit::file("destination")),
    }
}

fn domestic(routing_num: &str, correspondent: Option<&Correspondent>) -> Result<String, Unfit> {
    if !is_routing_num(routing_num) {
        return Err(Unfit::file("routing_num"));
    }
    let Some(correspondent) = correspondent else { return Ok(format!("{{3400}}{routing_num}*")) };
    let known = correspondent.routing_num.as_deref().ok_or(Unfit::file("correspondent.routing_num"))?;
    Ok(format!("{}\n{{4100}}F{routing_num}*", sent_to(known, correspondent)?))
}

fn abroad(to: &Abroad, originator: &Originator) -> Result<String, Unfit> {
    let bank =
        institution("4100", [&to.swift, &to.bank_name, &to.address], ["swift", "bank_name", "address"])?;
    let ours = format!("{{3400}}{}{}*", originator.routing_num, value(&originator.bank_name, 18));
    let Some(between) = &to.correspondent else { return Ok(format!("{ours}\n{bank}")) };
    if let Some(routing_num) = &between.routing_num {
        return Ok(format!("{}\n{bank}", sent_to(routing_num, between)?));
    }
    let [swift, name, address] = [&between.swift, &between.bank_name, &between.address]
        .map(|text| text.as_deref().unwrap_or_default());
    let fields = ["correspondent.swift", "correspondent.bank_name", "correspondent.address"];
    Ok(format!("{ours}\n{}\n{bank}", institution("4000", [swift, name, address], fields)?))
}

/// Formats a US correspondent as the receiving bank.
fn sent_to(routing_num: &str, correspondent: &Correspondent) -> Result<String, Unfit> {
    if !is_routing_num(routing_num) {
        return Err(Unfit::file("correspondent.routing_num"));
    }
    let name = correspondent.bank_name.as_deref().unwrap_or_default();
    let name = name_of(name, 18, "correspondent.bank_name")?;
    Ok(format!("{{3400}}{routing_num}{name}*"))
}

/// Formats a bank identified by its SWIFT code, with name and address. `fields` are the names of these values in
/// errors.
fn institution(
    tag: &str,
    [swift, name, address]: [&str; 3],
    fields: [&'static str; 3],
) -> Result<String, Unfit> {
    let [of_swift, of_name, of_address] = fields;
    if !is_swift(swift) {
        return Err(Unfit::file(of_swift));
    }
    let (name, address) = (name_of(name, 35, of_name)?, name_of(address, 105, of_address)?);
    Ok(format!("{{{tag}}}B{swift}*{name}*{}", lines(&address, 3)))
}

/// Formats the beneficiary's account.
pub(super) fn beneficiary(entry: &OutgoingEntry) -> Result<String, Unfit> {
    match &entry.destination {
        Destination::Account { account_num, .. } | Destination::Abroad(Abroad { account_num, .. }) => {
            party(account_num, &entry.name)
        }
        Destination::Mail(_) => Err(Unfit::file("destination")),
    }
}

/// Returns the clearing code of the beneficiary's bank in its country; empty if unknown.
pub(super) fn clearing_code(entry: &OutgoingEntry) -> &str {
    match &entry.destination {
        Destination::Abroad(to) => to.routing_num.as_deref().unwrap_or_default(),
        Destination::Account { .. } | Destination::Mail(_) => "",
    }
}
