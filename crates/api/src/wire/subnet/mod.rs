//! Subnets: what creates and changes one, and how one is shown.

mod create;
mod render;
mod update;

pub use create::{CreateSubnet, NewSubnet};
pub use render::{Subnet, SubnetView, render};
pub use update::{SubnetUpdate, UpdateSubnet};
