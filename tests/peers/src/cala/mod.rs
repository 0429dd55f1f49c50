//! `cala-ledger`: a double-entry ledger as a library, with one two-leg transfer or a hundred per call.

mod book;
mod transfers;

use std::sync::Arc;
use std::time::Duration;

use sqlx::PgPool;

use crate::Error;
use crate::figure::{About, Figure};
use crate::load;
use book::Book;
use transfers::{OneByOne, Receiver, Together};

const ABOUT: About = About {
    peer: "cala-ledger",
    version: env!("CALA_LEDGER_VERSION"),
    does: "Double entry from a template; both balances, their history and outbox events in the same transaction.",
    does_not: "No HTTP, no authentication, no sealed fields, no hash tree, no answers kept for repeated requests; its \
               limits, layers for holds, account sets and effective balances are not used.",
};

/// Load on the peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Load {
    /// Transfers between random accounts.
    Random,
    /// Transfers from random accounts to one account.
    Hot,
    /// Transfers between random accounts, many in one call.
    Batches,
}

impl Load {
    pub(crate) const ALL: [Self; 3] = [Self::Random, Self::Hot, Self::Batches];

    const fn name(self) -> &'static str {
        match self {
            Self::Random => "transfers, 1,000 random accounts, 32 tasks",
            Self::Hot => "transfers, one hot receiving account of 1,000, 32 tasks",
            Self::Batches => "transfers, 1,000 random accounts, 100 a call (latency is of a call), 4 tasks",
        }
    }

    /// Returns the number of tasks. Each waits for its answer before the next call.
    const fn tasks(self) -> usize {
        match self {
            Self::Random | Self::Hot => 32,
            Self::Batches => 4,
        }
    }

    const fn receiver(self) -> Receiver {
        match self {
            Self::Random | Self::Batches => Receiver::Any,
            Self::Hot => Receiver::First,
        }
    }
}

/// Creates a ledger in an empty database, measures a load, and checks the result in the database.
pub(crate) async fn measure(pool: PgPool, load: Load, duration: Duration) -> Result<Figure, Error> {
    ABOUT.begin(load.name());
    let book = Arc::new(Book::open(pool).await?);
    let transfers = (0..load.tasks()).map(|task| book.transfers(task, load.receiver()));
    let measured = match load {
        Load::Random | Load::Hot => load::run(transfers.map(OneByOne).collect(), duration).await?,
        Load::Batches => load::run(transfers.map(Together).collect(), duration).await?,
    };
    book.must_hold(measured.acknowledged).await?;
    Ok(ABOUT.figure(load.name(), &measured))
}
