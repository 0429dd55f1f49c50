//! Nodes: what creates one, and how one is shown.

mod balance;
mod create;
mod render;
mod update;

pub use balance::{Balance, Explanation, Line, balance, explanation, line};
pub use create::{CreateNode, NewNode};
pub use render::{Node, NodeView, render};
pub use update::{Labels, NodeUpdate, UpdateNode};
