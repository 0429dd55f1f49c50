//! `/v3.1/client`: what a platform gets for itself.

pub mod issue_public_key;
