//! Micro-deposits: verification and resending. A wrong guess, and a guess that does not apply, are recorded as events
//! and answered as errors.

use daybook_domain::node::micro_deposits::{MAX_MINOR, MicroDeposits};
use daybook_domain::node::resend::ResendMicroDeposits;
use daybook_domain::node::verify::{MAX_MISSED, VerifyMicroDeposits};
use daybook_domain::{Command, Event, NodeId, TransactionId, node};
use daybook_engine::access::PlatformRecord;
use daybook_engine::{Entropy, Submitted};
use daybook_projector::RecordedEvent;

use crate::app::App;
use crate::auth::{Caller, dry_run, scopes};
use crate::body::Body;
use crate::error::ApiError;

/// Verifies the amounts that the owner reports. Every guess counts, so a dry run is refused.
pub(super) async fn verify(
    app: &App,
    caller: &Caller<scopes::NodePatch>,
    body: &Body,
    id: NodeId,
    amounts: [i64; 2],
) -> Result<Submitted, ApiError> {
    dry_run::refuse(caller.dry_run, "micro-deposits that are told: every guess counts")?;
    let (platform, by) = (caller.platform.id, caller.user);
    let command = VerifyMicroDeposits { node: id, platform, by, amounts };
    submit(app, caller, body, command).await
}

/// Sends new micro-deposits.
pub(super) async fn resend(
    app: &App,
    caller: &Caller<scopes::NodePatch>,
    body: &Body,
    id: NodeId,
) -> Result<Submitted, ApiError> {
    let (platform, by) = (caller.platform.id, caller.user);
    let micro_deposits = new(app, &caller.platform);
    let command = ResendMicroDeposits { node: id, platform, by, micro_deposits };
    submit(app, caller, body, command).await
}

async fn submit(
    app: &App,
    caller: &Caller<scopes::NodePatch>,
    body: &Body,
    command: impl Into<Command>,
) -> Result<Submitted, ApiError> {
    let done = app.engine.submit(caller.call(body), command).await?;
    done.events.iter().find_map(wrong).map_or(Ok(done), Err)
}

/// Returns the error for an event that records a failed attempt.
fn wrong(happened: &RecordedEvent) -> Option<ApiError> {
    let Event::Node(event) = &happened.event else { return None };
    match event {
        node::Event::MicroDepositsMissed(missed) => {
            let text = missed_text(MAX_MISSED.saturating_sub(missed.attempts));
            Some(ApiError::Conflict("wrong_micro_deposits", text.into()))
        }
        node::Event::MicroDepositsInapplicable(told) => Some(node::Refusal::Inapplicable(told.reason).into()),
        node::Event::Created(_)
        | node::Event::Locked(_)
        | node::Event::Unlocked(_)
        | node::Event::LimitsSet(_)
        | node::Event::MicroDepositsSent(_)
        | node::Event::MicroDepositsFailed(_)
        | node::Event::MicroDepositsVerified(_)
        | node::Event::MicroDepositsResent(_)
        | node::Event::Relabeled(_)
        | node::Event::Deactivated(_)
        | node::Event::AuthorizationEnded(_)
        | node::Event::Corrected(_) => None,
    }
}

/// Returns the text for a wrong guess, with the number of remaining tries.
fn missed_text(left: u8) -> String {
    match left {
        0 => "Wrong micro-deposit amounts; the node is locked now.".to_owned(),
        1 => "Wrong micro-deposit amounts; 1 try left.".to_owned(),
        _ => format!("Wrong micro-deposit amounts; {left} tries left."),
    }
}

/// Amount of both micro-deposits in the sandbox in minor units (0.10), fixed so that tests can report it.
const SANDBOX_MINOR: i64 = 10;

/// Makes the two micro-deposits for a bank account that was added by its numbers.
pub(super) fn new(app: &App, platform: &PlatformRecord) -> MicroDeposits {
    let entropy = app.engine.entropy();
    let amounts = if platform.sandbox { [SANDBOX_MINOR; 2] } else { [small(entropy), small(entropy)] };
    MicroDeposits { amounts, transactions: [0; 2].map(|_| TransactionId::from_u128(app.new_id())) }
}

/// Returns a random amount from 1 to [`MAX_MINOR`], uniformly distributed.
fn small(entropy: Entropy) -> i64 {
    loop {
        let [byte] = entropy.bytes();
        // Only 200 of the 256 values are used, so that each amount has the same probability.
        let number = i64::from(byte);
        if number < 2 * MAX_MINOR {
            return number % MAX_MINOR + 1;
        }
    }
}
