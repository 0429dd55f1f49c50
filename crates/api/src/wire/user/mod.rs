//! Users: what creates one, and how one is shown.

mod create;
mod render;

pub use create::{CreateUser, NewUser};
pub use render::{User, UserView, render};
