//! Rows of the security checklist that no other test covers. The list is in `docs/SECURITY.md`.

mod answers;
mod credentials;
mod fields;
mod host;
mod secrets;
mod sql;
mod surface;
mod timing;
mod twice;
