//! Output of lists: a table for terminals, otherwise one JSON object per line.

use std::io::{self, IsTerminal};

use daybook_domain::Timestamp;
use serde::Serialize;
use serde_json::Value;

use crate::config::OperatorOptions;
use crate::error::Error;
use crate::table::{Side, Table};

/// A column: its head, and the JSON pointer to its cell in a record.
type Column = (&'static str, &'static str);

/// Kind of records in a list.
pub(super) struct Kind {
    columns: &'static [Column],
    /// Line that is printed for an empty list.
    nothing: &'static str,
}

/// Queued transactions.
pub(super) const QUEUED: Kind = Kind {
    columns: &[
        ("transaction", "/_id"),
        ("amount", "/amount"),
        ("from", "/from/type"),
        ("to", "/to/type"),
        ("queued on", "/queued_on"),
        ("why", "/reasons"),
    ],
    nothing: "Nothing is queued.",
};

/// Returned transactions.
pub(super) const RETURNED: Kind = Kind {
    columns: &[
        ("transaction", "/_id"),
        ("amount", "/amount"),
        ("from", "/from/type"),
        ("to", "/to/type"),
        ("created on", "/created_on"),
        ("code", "/code"),
        ("why", "/reason"),
    ],
    nothing: "Nothing came back.",
};

/// Operations of operators.
pub(super) const OPERATIONS: Kind = Kind {
    columns: &[
        ("operation", "/_id"),
        ("kind", "/kind"),
        ("status", "/status"),
        ("asked on", "/created_on"),
        ("by", "/by"),
        ("reason", "/reason"),
    ],
    nothing: "There are no operations.",
};

/// Open items: amounts that no statement has explained yet.
pub(super) const OPEN_ITEMS: Kind = Kind {
    columns: &[
        ("transaction", "/trans_id"),
        ("account", "/account"),
        ("amount", "/amount"),
        ("since", "/since"),
        ("days", "/age_days"),
    ],
    nothing: "There are no open items.",
};

/// Lines in suspense.
pub(super) const BREAKS: Kind = Kind {
    columns: &[
        ("break", "/_id"),
        ("date", "/date"),
        ("days", "/age_banking_days"),
        ("line", "/line_id"),
        ("amount", "/amount"),
        ("left", "/left"),
        ("currency", "/currency"),
    ],
    nothing: "No line is in suspense.",
};

/// Lines in suspense, with the best answer of rules that are tried.
pub(super) const TRIED: Kind = Kind {
    columns: &[
        ("break", "/_id"),
        ("date", "/date"),
        ("left", "/left"),
        ("currency", "/currency"),
        ("rule", "/suggestions/0/rule"),
        ("score", "/suggestions/0/score"),
        ("transaction", "/suggestions/0/items/0/trans_id"),
    ],
    nothing: "No line is in suspense.",
};

/// Matching rules.
pub(super) const RULES: Kind = Kind {
    columns: &[
        ("rule", "/name"),
        ("strategy", "/strategy"),
        ("currency", "/currency"),
        ("days", "/days"),
        ("text", "/text"),
        ("node", "/node_id"),
    ],
    nothing: "There are no rules.",
};

/// Files for a bank.
pub(super) const FILES: Kind = Kind {
    columns: &[
        ("file", "/_id"),
        ("rail", "/rail"),
        ("number", "/number"),
        ("entries", "/entries"),
        ("cut on", "/cut_on"),
    ],
    nothing: "No file was cut.",
};

/// Entries of a file of returns.
pub(super) const RETURNS: Kind = Kind {
    columns: &[
        ("trace", "/trace"),
        ("code", "/code"),
        ("amount", "/amount"),
        ("outcome", "/outcome"),
        ("transaction", "/trans_id"),
        ("text", "/text"),
    ],
    nothing: "The file has no entries.",
};

/// Lines of a statement.
pub(super) const LINES: Kind = Kind {
    columns: &[
        ("line", "/line_id"),
        ("amount", "/amount"),
        ("explains", "/explains/trans_id"),
        ("account", "/explains/account"),
        ("still open", "/explains/still_open"),
        ("suspense", "/suspense"),
    ],
    nothing: "The statement has no lines.",
};

/// A list that is being printed.
pub(super) struct Listing {
    kind: Kind,
    /// Rows of the table; `None` if JSON is printed.
    records: Option<Vec<Value>>,
}

impl Listing {
    /// Begins a list for the terminal and options of `desk`.
    pub(super) fn of(desk: &OperatorOptions, kind: Kind) -> Self {
        let is_table = !desk.json && io::stdout().is_terminal();
        Self { kind, records: is_table.then(Vec::new) }
    }

    /// Returns true if a table is printed.
    pub(super) const fn is_table(&self) -> bool {
        self.records.is_some()
    }

    /// Adds a record.
    pub(super) fn add(&mut self, record: &impl Serialize) -> Result<(), Error> {
        match &mut self.records {
            Some(records) => records.push(serde_json::to_value(record).map_err(io::Error::other)?),
            None => crate::say!("{}", serde_json::to_string(record).map_err(io::Error::other)?)?,
        }
        Ok(())
    }

    /// Ends the list. A table is printed only here, because the widths of its columns depend on all rows.
    pub(super) fn end(self) -> Result<(), Error> {
        let Some(records) = self.records else { return Ok(()) };
        if records.is_empty() {
            return Ok(crate::say!("{}", self.kind.nothing)?);
        }
        Ok(crate::say!("{}", table(self.kind.columns, &records))?)
    }
}

fn table(columns: &[Column], records: &[Value]) -> Table {
    let is_number = |pointer: &str| {
        let mut cells =
            records.iter().filter_map(|record| record.pointer(pointer)).filter(|cell| !cell.is_null());
        !is_time(pointer) && cells.all(|cell| cell.is_number() || cell.get("currency").is_some())
    };
    let side = |pointer| if is_number(pointer) { Side::Right } else { Side::Left };
    let heads: Vec<_> = columns.iter().map(|(head, pointer)| (*head, side(pointer))).collect();
    let mut table = Table::new(&heads);
    for record in records {
        table.add(columns.iter().map(|(_, pointer)| cell(pointer, record.pointer(pointer))));
    }
    table
}

/// Returns true if a field is a time, in milliseconds since 1970.
fn is_time(pointer: &str) -> bool {
    pointer.ends_with("_on") || pointer == "/since"
}

fn cell(pointer: &str, value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::Bool(is_so)) => if *is_so { "yes" } else { "" }.to_owned(),
        Some(Value::Number(ms)) if is_time(pointer) => {
            ms.as_i64().map(|ms| Timestamp::from_ms(ms).to_string()).unwrap_or_default()
        }
        Some(Value::Number(number)) => number.to_string(),
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(list)) => {
            list.iter().map(|one| cell(pointer, one.get("reason"))).collect::<Vec<_>>().join(", ")
        }
        Some(Value::Object(amount)) => {
            let part = |name| cell("", amount.get(name));
            format!("{} {}", part("amount"), part("currency"))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn cells_show_amounts_times_and_causes() {
        let record = json!({
            "_id": "01M7", "amount": {"amount": 12.5, "currency": "USD"}, "from": {"type": "DEPOSIT-US"},
            "to": {"type": "ACH-US"}, "queued_on": 0, "reasons": [{"code": "a", "reason": "limit"}, {"code": "b", "reason": "hold"}],
        });
        let shown = table(QUEUED.columns, &[record]).to_string();
        let lines = [
            "TRANSACTION    AMOUNT  FROM        TO      QUEUED ON                 WHY",
            "01M7         12.5 USD  DEPOSIT-US  ACH-US  1970-01-01T00:00:00.000Z  limit, hold",
        ];
        assert_eq!(shown, lines.join("\n"));
    }
}
