//! Handlers of `/v3.1/client`: credentials that a platform issues.

pub mod issue_public_key;
