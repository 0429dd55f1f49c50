//! Statements in files of banks: a file is read and checked as a whole, kept as evidence, and accepted by one small
//! event. Its lines are booked afterwards, at most [`MAX_LINES_AT_ONCE`](daybook_domain::statement::book::MAX_LINES_AT_ONCE)
//! in a commit.

mod account;
mod booking;
mod current;
mod entries;
mod file;
mod folder_file;
mod ids;
mod intake;
mod keep;
mod matching;
mod read;
mod replay;
mod restate;
pub mod sandbox_bank;
mod view;

pub use daybook_statement::csv::Mapping;
pub use folder_file::PlatformFile;
pub use intake::TakenFile;
pub use matching::{Candidates, Patterns};
pub use read::{OtherAccounts, Refused, StatementFormat};
pub use replay::{Explained, ReplayedLine, ReplayedRules};
pub use restate::Restated;
pub use view::{ExplainedItem, StatementPage, StatementView};

pub use crate::contents::StatementLine;

pub(crate) use booking::{BookingStep, is_not_next, step};
pub(crate) use matching::run as match_breaks;
