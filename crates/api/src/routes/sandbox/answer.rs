//! Answer of every simulated step of a transaction.

use daybook_domain::TransactionId;
use daybook_engine::Submitted;
use daybook_engine::access::PlatformRecord;

use crate::app::App;
use crate::envelope::{Record, WithPosition};
use crate::error::ApiError;
use crate::render::{self, View};
use crate::wire::transaction::Transaction;

/// Answer with the transaction.
pub(super) type Answer = Result<WithPosition<Record<Transaction>>, ApiError>;

/// Returns the transaction from the platform's point of view, in the state after `done` or later.
pub(super) async fn answer(
    app: &App,
    platform: &PlatformRecord,
    id: TransactionId,
    done: &Submitted,
) -> Answer {
    let view = View::after(app, platform, done).await?;
    let record = render::transaction(app, platform, view, render::Viewer::Platform, id).await?;
    Ok(Record(record).at(done))
}
