//! The targets, one file for each kind of measurement.

pub(crate) mod create;
pub(crate) mod engine;
pub(crate) mod history;
pub(crate) mod lag;
pub(crate) mod life;
pub(crate) mod look;
