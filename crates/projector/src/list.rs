//! A list: a page in the order of creation, with its exact total and the position that both are of.

use std::time::Duration;

use daybook_log::Shard;
use futures::try_join;
use tokio_postgres::Row;
use uuid::Uuid;

use crate::Reads;
use crate::error::Error;
use crate::sql::{self, Params};

/// How long a list waits for what was recorded before it was asked for.
pub(crate) const PATIENCE: Duration = Duration::from_millis(250);

/// Which part of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page {
    /// 1, 2, 3, …
    pub number: u32,
    /// How many items a full page has: 1 to 100.
    pub size: u32,
}

impl Page {
    /// How many items come before this page: 2³² pages of 100 fit easily.
    #[must_use]
    pub fn offset(self) -> i64 {
        i64::from(self.number.saturating_sub(1)).saturating_mul(self.limit())
    }

    /// How many items it has at most.
    #[must_use]
    pub fn limit(self) -> i64 {
        i64::from(self.size)
    }
}

/// A page of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed<T> {
    /// What is on the page.
    pub items: Vec<T>,
    /// How much is in the list.
    pub total: u64,
    /// The position of the log that both are of.
    pub position: u64,
}

impl Reads {
    /// Asks at once, and a second time only if the answer is older than what was recorded before the question.
    pub(crate) async fn list<T>(
        &self,
        shard: Shard,
        sql: &str,
        params: &Params<'_>,
        id: impl Fn(u128) -> T,
    ) -> Result<Listed<T>, Error> {
        let head = async { self.log.head(shard).await.map_err(Error::from) };
        if daybook_fault::mutant("page_of_two_moments") {
            let earlier = self.list_now(shard, sql, params, &id).await?;
            let Listed { items, .. } = self.list_now(shard, sql, params, &id).await?;
            return Ok(Listed { items, ..earlier });
        }
        let (listed, head) = try_join!(self.list_now(shard, sql, params, &id), head)?;
        if listed.position >= head.position {
            return Ok(listed);
        }
        // Another process may have appended what this one has not heard of.
        self.log.observe(shard, head.position);
        self.caught_up(shard, head.position, PATIENCE).await?;
        self.list_now(shard, sql, params, &id).await
    }

    async fn list_now<T>(
        &self,
        shard: Shard,
        sql: &str,
        params: &Params<'_>,
        id: impl Fn(u128) -> T,
    ) -> Result<Listed<T>, Error> {
        let rows = self.ask(shard, sql, params).await?;
        let number = |row: Option<&Row>, column: usize| -> Result<u64, Error> {
            Ok(row.map(|row| row.try_get(column)).transpose()?.map_or(0, sql::to_u64))
        };
        let (position, total) = (number(rows.first(), 0)?, number(rows.first(), 1)?);
        let member = |row: &Row| row.try_get::<_, Option<Uuid>>(2).map_err(Error::from).transpose();
        let items = rows.iter().filter_map(member).map(|found| Ok(id(found?.as_u128())));
        Ok(Listed { items: items.collect::<Result<_, Error>>()?, total, position })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_farthest_page_fits() {
        let page = Page { number: u32::MAX, size: 100 };
        assert_eq!((page.offset(), page.limit()), (429_496_729_400, 100));
    }
}
