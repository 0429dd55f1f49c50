//! `/v3.1/institutions`

pub mod list;
