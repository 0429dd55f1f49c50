//! Writes reach a log without its newest commits, while reads still see them. This happens in an online move of tables
//! whose copy lags behind. A service that appends to such a log makes a gap; it has to stop within one commit.

use std::time::Duration;

use async_trait::async_trait;
use daybook_random::Random;
use tokio::time::{Instant, sleep};

use super::Nemesis;
use crate::arena::Arena;
use crate::client::Client;
use crate::error::Result;

/// Trigger that deletes the newest commits and their events in the transaction that appends, with the rights of the
/// superuser.
const INSTALL: &str = "
    create function lose_tail() returns trigger
    language plpgsql security definer set search_path = public set session_replication_role = replica as $$
    declare
        last bigint;
    begin
        select max(commit_no) - COUNT into last from commit where shard = 1;
        delete from event where shard = 1 and position > (select last_position from commit where shard = 1 and commit_no = last);
        delete from commit where shard = 1 and commit_no > last;
        return null;
    end $$;
    create trigger lose_tail before insert on event for each statement execute function lose_tail()";
const REMOVE: &str = "drop function lose_tail() cascade";

/// Timeout for the services to stop. Clients send writes during this time.
const STOP_TIMEOUT: Duration = Duration::from_secs(5);
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// A log that loses its newest commits.
pub(super) struct LostTail;

#[async_trait]
impl Nemesis for LostTail {
    async fn strike(&self, arena: &Arena, random: &mut Random) -> Result<()> {
        let database = arena.cluster.connect().await?;
        database.batch_execute(&INSTALL.replace("COUNT", &(1 + random.below_u64(3)).to_string())).await?;
        let stopped = all_unready(arena).await;
        database.batch_execute(REMOVE).await?;
        if !stopped {
            arena.history.wrong("a service writes to a log that lost its tail".to_owned());
        }
        for host in &arena.hosts {
            host.kill().await;
            host.start().await?;
        }
        Ok(())
    }
}

/// Waits until no service is ready. Returns false after the timeout.
async fn all_unready(arena: &Arena) -> bool {
    let deadline = Instant::now() + STOP_TIMEOUT;
    for host in &arena.hosts {
        let mut client = Client::new(host.address, STOP_TIMEOUT);
        while client.get("/health/ready").await.is_ok_and(|answer| answer.status == 200) {
            if Instant::now() > deadline {
                return false;
            }
            sleep(POLL_INTERVAL).await;
        }
    }
    true
}
