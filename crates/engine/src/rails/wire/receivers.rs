//! Who receives a wire: the bank that it is sent to, those behind it, and whose account it is there.

use super::{lines, name_of, party, value};
use crate::contents::Correspondent;
use crate::rails::destination::{Abroad, Destination, is_swift};
use crate::rails::file::{Direction, Originator, OutgoingEntry, Unfit, is_routing_num};

/// The banks, a field for each.
///
/// With a correspondent, the wire is sent to it and names the receiver's bank as the beneficiary's. Fedwire leads to no
/// bank abroad: without a correspondent in the US the wire is sent to our own bank, which finds the way.
pub(super) fn receivers(entry: &OutgoingEntry, originator: &Originator) -> Result<String, Unfit> {
    if entry.direction != Direction::Push {
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

/// A correspondent in the US, as the bank that the wire is sent to.
fn sent_to(routing_num: &str, correspondent: &Correspondent) -> Result<String, Unfit> {
    if !is_routing_num(routing_num) {
        return Err(Unfit::file("correspondent.routing_num"));
    }
    let name = correspondent.bank_name.as_deref().unwrap_or_default();
    let name = name_of(name, 18, "correspondent.bank_name")?;
    Ok(format!("{{3400}}{routing_num}{name}*"))
}

/// A bank that is known by its SWIFT code: that, its name and its address, and what these fields are called.
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

/// Whose account it is.
pub(super) fn beneficiary(entry: &OutgoingEntry) -> Result<String, Unfit> {
    match &entry.destination {
        Destination::Account { account_num, .. } | Destination::Abroad(Abroad { account_num, .. }) => {
            party(account_num, &entry.name)
        }
        Destination::Mail(_) => Err(Unfit::file("destination")),
    }
}

/// By which code banks of its country know the beneficiary's; text of nothing if nobody told one.
pub(super) fn clearing_code(entry: &OutgoingEntry) -> &str {
    match &entry.destination {
        Destination::Abroad(to) => to.routing_num.as_deref().unwrap_or_default(),
        Destination::Account { .. } | Destination::Mail(_) => "",
    }
}
