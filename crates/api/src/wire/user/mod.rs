//! Users: bodies that create or change one, and records that show one.

mod create;
mod document;
mod login;
mod query;
mod render;
mod update;

pub use create::{CreateUser, NewUser};
pub use document::{Ids, NewDocument};
pub use query::UserQuery;
pub use render::{User, UserView, render};
pub use update::{DocumentUpdate, ProfileUpdate, UpdateUser, UserUpdate};
