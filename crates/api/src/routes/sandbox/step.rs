//! The next step of a transaction, taken now.

use daybook_domain::transaction::advance::{Advance, Step};
use daybook_domain::transaction::{Refusal as No, Status};
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
        // Where there is none the ledger says so, after it has looked at the request's key.
        let step = Step::after(status).unwrap_or(Step::Settle);
        let command = Advance { id, step, waits_for_bank: false, origin: Origin::simulated() };
        match app.engine.submit(call.clone(), Command::Advance(command)).await {
            Err(SubmitError::Refused(Refusal::Transaction(No::NoNextStep(status)))) => {
                if Step::after(status).is_none() {
                    return Ok(Err(status));
                }
                // It was just due, and has taken that step by itself: the next one is another.
            }
            answered => return Ok(Ok(answered?)),
        }
    }
}
