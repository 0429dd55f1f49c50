//! Callers that make one transfer per call, or many.

use std::sync::Arc;

use cala_ledger::posting::PostingInput;
use cala_ledger::tx_template::Params;
use cala_ledger::{AccountId, CalaLedger, TransactionId};
use rust_decimal::Decimal;

use crate::Error;
use crate::load::Caller;
use crate::random::Random;

/// Code of the transfer template.
pub(super) const TEMPLATE: &str = "TRANSFER";

/// Amount of every transfer, in dollars.
pub(super) const AMOUNT: Decimal = Decimal::ONE;

/// Number of transfers in one call of the batch API.
pub(super) const BATCH: u32 = 100;

/// Receiver of transfers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Receiver {
    Any,
    First,
}

/// Generator of the transfers of one task.
pub(super) struct Transfers {
    pub(super) ledger: CalaLedger,
    pub(super) accounts: Arc<[AccountId]>,
    pub(super) receiver: Receiver,
    pub(super) random: Random,
}

impl Transfers {
    fn next(&mut self) -> Params {
        let receiver = match self.receiver {
            Receiver::Any => self.random.below(self.accounts.len()),
            Receiver::First => 0,
        };
        // A random account other than the receiver.
        let distance = 1 + self.random.below(self.accounts.len() - 1);
        let sender = (receiver + distance) % self.accounts.len();
        let mut params = Params::new();
        params.insert("sender", self.accounts[sender]);
        params.insert("receiver", self.accounts[receiver]);
        params.insert("amount", AMOUNT);
        params
    }
}

/// Caller with one transfer per call.
pub(super) struct OneByOne(pub(super) Transfers);

impl Caller for OneByOne {
    const WORK: u32 = 1;

    async fn call(&mut self) -> Result<(), Error> {
        let params = self.0.next();
        self.0.ledger.post_transaction(TransactionId::new(), TEMPLATE, params).await?;
        Ok(())
    }
}

/// Caller with a batch per call, which is posted atomically.
pub(super) struct Together(pub(super) Transfers);

impl Caller for Together {
    const WORK: u32 = BATCH;

    async fn call(&mut self) -> Result<(), Error> {
        let posting = |params| PostingInput::new(TransactionId::new(), TEMPLATE, params);
        let batch = (0..BATCH).map(|_| posting(self.0.next())).collect();
        self.0.ledger.post_transactions(batch).await?;
        Ok(())
    }
}
