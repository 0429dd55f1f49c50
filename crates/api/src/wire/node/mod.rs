//! Nodes: bodies that create or change one, and records that show one.

mod balance;
mod bank_login;
mod create;
mod render;
mod update;

pub use balance::{Balance, Explanation, Line, balance, explanation, line};
pub use bank_login::{BankCall, Challenge};
pub use create::{CreateNode, NewNode, NewNodes};
pub use render::{Node, NodeView, render};
pub use update::{Labels, NodeUpdate, Resend, UpdateNode};
