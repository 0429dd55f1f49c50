//! Nodes: what creates one, and how one is shown.

mod create;
mod render;

pub use create::{CreateNode, NewNode};
pub use render::{Node, NodeView, render};
