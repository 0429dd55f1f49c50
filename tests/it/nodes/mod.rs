//! Nodes: fields of every type, exact lists, and the changes that owners make.

mod create;
mod deleted;
mod deprecated;
mod get;
mod labels;
mod list;
mod micro_deposits;
mod own;
mod restricted;
