//! Reconciliation with the bank: the tie-out of a platform's account, and the lists that explain it.
//!
//! [`tie_out`] is a pure function of balances, open items, breaks and statements. Its inputs come from the read models, as
//! of now ([`Engine::reconciliation`](crate::Engine::reconciliation)), or from a fold of the log up to a position
//! ([`Books`]), which gives the same result at any later time. No box is opened: the report has ids and amounts only.

mod books;
mod completion;
mod open;
mod report;
mod served;
mod stated;
mod tie_out;

pub use books::{Books, Found, Unknown};
pub use completion::{Completed, Completion};
pub use open::moves_money;
pub use report::{Acts, Listing, MadeMatch, OpenBreak, OpenItem, Period, Report, StatedDay, WriteOff};
pub use tie_out::{AGE_BUCKETS, Balances, OLD_BANKING_DAYS, TieOut, overdue_before, tie_out};
