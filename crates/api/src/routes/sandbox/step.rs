//! The next step of a transaction, taken now.

use daybook_domain::transaction::advance::{Advance, Step};
use daybook_domain::transaction::{self, Status};
use daybook_domain::{Command, Origin, Refusal, TransactionId};
use daybook_engine::access::PlatformRecord;
use daybook_engine::{Call, SubmitError, Submitted};

use crate::app::App;
use crate::error::ApiError;
use crate::render;

/// Takes the next step, whichever that is; answers the status at which there is none.
pub(super) async fn next(
    app: &App,
    platform: &PlatformRecord,
    call: &Call,
    id: TransactionId,
) -> Result<Result<Submitted, Status>, ApiError> {
    loop {
        let status = render::status(app, platform, render::By::Platform, id).await?;
        let Some(step) = Step::after(status) else { return Ok(Err(status)) };
        let command = Advance { id, step, origin: Origin::simulated() };
        match app.engine.submit(call.clone(), Command::Advance(command)).await {
            // It was just due, and has taken that step by itself: the next one is another.
            Err(SubmitError::Refused(Refusal::Transaction(transaction::Refusal::NoNextStep(_)))) => {}
            answered => return Ok(Ok(answered?)),
        }
    }
}
