//! Lists and reconciliation of the desk's platform at rest, as the service shows them.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::time::{Instant, sleep};

use super::seat::Seat;
use crate::arena::Arena;
use crate::balancer::Balancer;
use crate::error::Result;

/// Size of a page.
const PAGE_SIZE: usize = 100;
/// Timeout for the to-dos of the bank's files to be done.
const WORK_TIMEOUT: Duration = Duration::from_secs(30);
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Query for the number of to-dos of the processes Booking and Matching.
const TO_DOS: &str = "select count(*) from to_dos_v1 where process in (7, 9)";

/// Data of the desk at rest.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Served {
    /// Number of statements and custodies that wait for a process.
    pub to_dos: i64,
    /// All statements in files.
    pub statements: Vec<Value>,
    /// All lines in suspense, with suggestions.
    pub breaks: Vec<Value>,
    /// All open items.
    pub open_items: Vec<Value>,
    /// Reconciliation with the bank.
    pub reconciliation: Value,
}

/// To-dos of the bank's files at rest.
#[derive(Clone, Copy, Debug, Default)]
pub struct ToDos {
    /// Number of to-dos that are left after a timeout.
    pub left: i64,
    /// True if some were left when the system seemed to be at rest: a failed one is repeated after a while.
    pub has_waited: bool,
}

/// Waits until no lines have to be booked or matched.
pub async fn wait(arena: &Arena) -> Result<ToDos> {
    let (sql, deadline) = (arena.cluster.connect().await?, Instant::now() + WORK_TIMEOUT);
    let mut to_dos = ToDos::default();
    loop {
        to_dos.left = sql.query_one(TO_DOS, &[]).await?.try_get(0)?;
        if to_dos.left == 0 || Instant::now() > deadline {
            return Ok(to_dos);
        }
        to_dos.has_waited = true;
        sleep(POLL_INTERVAL).await;
    }
}

impl Served {
    /// Reads everything through one service; `to_dos` is the number of to-dos that are left.
    pub async fn read(arena: &Arena, to_dos: i64) -> Self {
        let balancer = Balancer::over(arena.hosts.len());
        let mut seat = Seat::new(arena, &balancer, 0);
        Self {
            to_dos,
            statements: all(&mut seat, "statements?", "statements").await,
            breaks: all(&mut seat, "breaks?suggestions=yes&", "breaks").await,
            open_items: all(&mut seat, "open-items?", "open_items").await,
            reconciliation: seat.read("reconciliation").await,
        }
    }
}

async fn all(seat: &mut Seat<'_>, path: &str, name: &str) -> Vec<Value> {
    let mut all = vec![];
    for page in 1.. {
        let read = seat.read(&format!("{path}per_page={PAGE_SIZE}&page={page}")).await;
        let rows = read[name].as_array().cloned().unwrap_or_default();
        let is_more = rows.len() == PAGE_SIZE;
        all.extend(rows);
        if !is_more {
            break;
        }
    }
    all
}
