//! Nodes: every type shows its own fields, lists are exact, and what their owners do with them.

mod create;
mod deleted;
mod deprecated;
mod get;
mod labels;
mod list;
mod micro_deposits;
mod own;
mod restricted;
