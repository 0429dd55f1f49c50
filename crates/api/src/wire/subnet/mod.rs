//! Subnets: bodies that create or change one, and records that show one.

mod create;
mod render;
mod update;

pub use create::{CreateSubnet, NewSubnet};
pub use render::{Subnet, SubnetView, render};
pub use update::{SubnetUpdate, UpdateSubnet};
