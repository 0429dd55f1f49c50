//! Read models and the runner that feeds them.
//!
//! A read model is a table that remembers a fold of events: it may be thrown away at any time. Only this crate writes
//! those tables, and it writes nothing else: it appends no event and opens no box; ciphertext moves verbatim.
//! [`Reads`] is what others may ask, [`Runner`] what keeps the answers coming.

#![warn(clippy::wildcard_enum_match_arm)]

mod balance;
mod banking;
mod cursor;
mod decode;
mod error;
mod fold;
mod list;
mod lists;
mod page;
mod projection;
mod read;
mod record;
mod runner;
mod sql;
mod states;
mod tail;
pub mod verify;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

pub use balance::{Balance, Explained, Moment};
use cursor::Known;
use daybook_log::{Log, Shard};
use daybook_pg::{Pg, Transaction};
pub use decode::Happened;
pub use error::{Error, Undecodable};
pub use fold::{Records, Versioned, fold};
pub use list::{Listed, Page};
pub use read::files::CutRow;
pub use read::ledger::{CustodyRow, LedgerRow, Sums, custody};
pub use read::open_items::OpenItemRow;
pub use read::to_dos::{Due, Place, Question};
pub use runner::{Progress, Runner};
use tokio::time::{sleep, timeout};

/// How often a waiting reader looks whether the runner of another process has moved the cursor.
const LOOK_AGAIN: Duration = Duration::from_millis(10);

/// What the read models answer. Cheap to clone.
#[derive(Clone)]
pub struct Reads {
    pg: Pg,
    log: Arc<dyn Log>,
    known: Arc<Mutex<HashMap<Shard, Arc<Known>>>>,
}

impl Reads {
    /// Reads the tables in the database of `pg`, and from `log` what they do not hold yet.
    #[must_use]
    pub fn new(pg: Pg, log: Arc<dyn Log>) -> Self {
        Self { pg, log, known: Arc::default() }
    }

    /// Makes the tables that are missing. Two processes may do so at the same time.
    ///
    /// # Errors
    ///
    /// [`Error::Database`].
    pub async fn install(&self) -> Result<(), Error> {
        self.pg
            .tx("projector.install", async |tx: &Transaction<'_>| {
                // `if not exists` alone lets two sessions make the same table and one of them fail.
                tx.batch_execute("lock table cursor in share update exclusive mode").await?;
                for schema in read::SCHEMAS {
                    tx.batch_execute(schema).await?;
                }
                Ok(())
            })
            .await
    }

    /// Where the cursor stands: the position that lists are of.
    ///
    /// # Errors
    ///
    /// [`Error::Database`].
    pub async fn position(&self, shard: Shard) -> Result<u64, Error> {
        let db = self.pg.client().await?;
        let position = cursor::position(&db, shard).await?;
        self.known(shard).tell(position);
        Ok(position)
    }

    /// Waits until the cursor has reached `position`, but not longer than `within`; answers where it stands.
    ///
    /// # Errors
    ///
    /// [`Error::Database`].
    pub async fn caught_up(&self, shard: Shard, position: u64, within: Duration) -> Result<u64, Error> {
        let known = self.known(shard);
        let mut cursor = known.subscribe();
        let reached = async {
            while *cursor.borrow_and_update() < position {
                known.hurry.notify_one();
                tokio::select! {
                    _ = cursor.changed() => {}
                    () = sleep(LOOK_AGAIN) => {
                        self.position(shard).await?;
                    }
                }
            }
            Ok(())
        };
        match timeout(within, reached).await {
            Ok(Err(error)) => Err(error),
            Ok(Ok(())) | Err(_) => Ok(*known.subscribe().borrow()),
        }
    }

    /// What a process has to do, the longest due first.
    ///
    /// The rows stay locked until `tx` ends, and rows that another `tx` has locked are passed over. The runner waits
    /// for a locked row that it has to change: end `tx` soon after the command was submitted.
    ///
    /// # Errors
    ///
    /// [`Error::Database`].
    pub async fn due(
        &self,
        tx: &Transaction<'_>,
        shard: Shard,
        question: Question,
    ) -> Result<Vec<Due>, Error> {
        read::to_dos::due(tx, shard, question).await
    }

    fn known(&self, shard: Shard) -> Arc<Known> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(known.entry(shard).or_insert_with(|| Arc::new(Known::new())))
    }
}
