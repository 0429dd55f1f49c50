//! The aggregate: an account that sends transfers.

use std::convert::Infallible;

use cqrs_es::event_sink::EventSink;
use cqrs_es::{Aggregate, DomainEvent};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// An account as the fold of its events.
#[derive(Debug, Default, Deserialize, Serialize)]
pub(super) struct Account {
    sent: u64,
    sent_minor: i64,
}

/// Command for a transfer to another account.
#[derive(Clone, Copy, Debug)]
pub(super) struct Transfer {
    pub(super) to: usize,
    pub(super) amount_minor: i64,
}

/// Event of an account.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub(super) enum Event {
    /// A transfer was sent.
    Transferred {
        transaction: Uuid,
        to: String,
        amount_minor: i64,
        currency: String,
        sent_before: u64,
        sent_before_minor: i64,
        note: String,
        status: String,
    },
}

impl DomainEvent for Event {
    fn event_type(&self) -> String {
        "Transferred".to_owned()
    }

    fn event_version(&self) -> String {
        "1".to_owned()
    }
}

impl Aggregate for Account {
    const TYPE: &'static str = "account";
    type Command = Transfer;
    type Event = Event;
    type Error = Infallible;
    type Services = ();

    async fn handle(&mut self, command: Transfer, (): &(), sink: &EventSink<Self>) -> Result<(), Infallible> {
        let event = self.transferred(command);
        sink.write(event, self).await;
        Ok(())
    }

    fn apply(&mut self, event: Event) {
        let Event::Transferred { amount_minor, .. } = event;
        self.sent += 1;
        self.sent_minor += amount_minor;
    }
}

impl Account {
    /// Returns an event of about 400 bytes, as a transfer has elsewhere.
    fn transferred(&self, command: Transfer) -> Event {
        Event::Transferred {
            transaction: Uuid::now_v7(),
            to: name(command.to),
            amount_minor: command.amount_minor,
            currency: "USD".to_owned(),
            sent_before: self.sent,
            sent_before_minor: self.sent_minor,
            note: "rent ".repeat(41),
            status: "SETTLED".to_owned(),
        }
    }
}

/// Returns the id of an account in the store.
pub(super) fn name(number: usize) -> String {
    format!("account-{number:06}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn event_has_about_400_bytes() {
        let event = Account::default().transferred(Transfer { to: 7, amount_minor: 100 });
        let bytes = serde_json::to_vec(&event).unwrap().len();
        assert!((380..=420).contains(&bytes), "{bytes}");
    }

    #[test]
    fn account_counts_its_transfers() {
        let mut account = Account::default();
        for _ in 0..2 {
            account.apply(account.transferred(Transfer { to: 7, amount_minor: 100 }));
        }
        assert_eq!((account.sent, account.sent_minor), (2, 200));
    }
}
