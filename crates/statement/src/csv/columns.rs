//! Columns of a file by their roles, found by name or number.

use std::collections::BTreeMap;

use super::mapping::{Column, Mapping, Role};
use super::table::Header;
use crate::Fault;

/// Roles that must have columns of their own: a balance that is read as an amount would check itself.
const OWN: [Role; 5] = [Role::Amount, Role::Debit, Role::Credit, Role::Sign, Role::Balance];

/// Number of the column for each role, from 0.
pub(super) type Places = BTreeMap<Role, usize>;

/// Finds all columns of the mapping.
pub(super) fn resolve(header: &Header<'_>, mapping: &Mapping) -> Result<Places, Fault> {
    let mut places = Places::new();
    for (role, column) in &mapping.columns {
        let place = match column {
            Column::Number(number) => numbered(header, *number)?,
            Column::Name(name) => named(header, name)?,
        };
        let is_own = |role: &Role| OWN.contains(role);
        if is_own(role) && places.iter().any(|(other, taken)| is_own(other) && *taken == place) {
            let why = "the column has another role already";
            return Err(Fault::new((1, 0), ("mapping", "columns"), why).found(column));
        }
        places.insert(*role, place);
    }
    Ok(places)
}

fn numbered(header: &Header<'_>, number: usize) -> Result<usize, Fault> {
    let width = header.width.unwrap_or(number);
    if number > width {
        let fault = Fault::new(header.place, ("mapping", "columns"), "the file has no such column");
        return Err(fault.expected(format_args!("1 to {width}")).found(number));
    }
    Ok(number.saturating_sub(1))
}

fn named(header: &Header<'_>, name: &str) -> Result<usize, Fault> {
    let fault = |why| Fault::new(header.place, ("header", name), why).expected(name);
    let mut places = header.names.iter().enumerate().filter(|(_, of)| *of == name.trim());
    match (places.next(), places.next()) {
        (Some((place, _)), None) => Ok(place),
        (None, _) => Err(fault("the header has no such column").found(header.names.join(", "))),
        _ => Err(fault("the header has the column twice")),
    }
}
