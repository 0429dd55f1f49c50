//! Rows of the security list that no other test stands for; the list is in `docs/SECURITY.md`.

mod answers;
mod credentials;
mod fields;
mod host;
mod secrets;
mod sql;
mod surface;
mod timing;
mod twice;
