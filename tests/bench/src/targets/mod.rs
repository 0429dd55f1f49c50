//! The targets: what of Daybook is measured, a file for each thing that it is measured by.

pub(crate) mod create;
pub(crate) mod engine;
pub(crate) mod history;
pub(crate) mod lag;
pub(crate) mod life;
pub(crate) mod look;
