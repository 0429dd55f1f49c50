//! The versions of read models that a page of the log is written to: the active ones, and each version beside one.

use std::collections::HashMap;
use std::sync::Arc;

use daybook_log::{Log, Position, Shard};
use daybook_pg::{Causes, Transaction};

use crate::error::Error;
use crate::models::{Model, Models};
use crate::projection::page::{Page, PageCarry, Source};
use crate::store::recorded_event::RecordedEvent;
use crate::store::sql::Target;
use crate::store::version::{self, Stage, Tables, Version};

/// The versions that are fed together, and the values kept from earlier pages for each.
#[derive(Default)]
pub(crate) struct ProjectionTargets {
    tables: Arc<Tables>,
    kept: PageCarry,
    beside: Vec<Version>,
    kept_beside: HashMap<(Model, u16), PageCarry>,
}

impl ProjectionTargets {
    /// Follows a change of `versions`. After a change nothing is kept of earlier rows, because the tables are
    /// different.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownFold`].
    pub(crate) fn follow(&mut self, versions: &[Version]) -> Result<(), Error> {
        let tables = Tables::read(versions)?;
        if tables == *self.tables {
            return Ok(());
        }
        let is_beside = |version: &&Version| matches!(version.stage, Stage::Verify | Stage::Retired);
        let beside = versions.iter().filter(is_beside).copied().collect();
        *self = Self { tables: Arc::new(tables), beside, ..Self::default() };
        Ok(())
    }

    /// Returns the active tables.
    pub(crate) fn tables(&self) -> Arc<Tables> {
        Arc::clone(&self.tables)
    }

    /// Folds `events` and writes their rows: one page for all active versions, and one for each version beside them,
    /// which shares no state with the version that it is compared with. A version that cannot be fed does not stop the
    /// others: it goes back to [`Stage::Tail`] and has to catch up by itself.
    pub(crate) async fn page(
        &mut self,
        log: &dyn Log,
        tx: &Transaction<'_>,
        shard: Shard,
        after: Position,
        events: &[RecordedEvent],
    ) -> Result<Vec<Option<Page>>, Error> {
        let target = Target { tx, shard, tables: &self.tables, is_bulk: false };
        let page =
            Page::fold(Models::ALL, &Source::Rows(&target, log), events.iter(), &mut self.kept).await?;
        Box::pin(page.save(&target, &mut self.kept)).await?;
        let mut pages = vec![Some(page)];
        for version in &self.beside {
            let kept = self.kept_beside.entry((version.model, version.number)).or_default();
            tx.batch_execute("savepoint beside").await?;
            match Box::pin(project(version, log, tx, shard, events.iter(), kept, false)).await {
                Ok(page) => pages.push(Some(page)),
                // A newer process knows the fold and feeds all of them.
                Err(error @ Error::UnknownFold { .. }) => return Err(error),
                Err(error) if error.is_transient() => return Err(error),
                Err(error) => {
                    tracing::error!(%version, error = %Causes(&error), "version cannot be fed and has to catch up");
                    tx.batch_execute("rollback to savepoint beside").await?;
                    let left = Version { stage: Stage::Tail, position: after, compared: None, ..*version };
                    version::save(tx, shard, &left).await?;
                    pages.push(None);
                }
            }
        }
        Ok(pages)
    }

    /// Keeps the parts of `pages` that later pages need. Called after the commit.
    pub(crate) fn keep(&mut self, pages: Vec<Option<Page>>) {
        let mut pages = pages.into_iter();
        if let Some(page) = pages.next().flatten() {
            page.keep(&mut self.kept);
        }
        for (version, page) in self.beside.iter().zip(pages) {
            if let Some(page) = page {
                page.keep(self.kept_beside.entry((version.model, version.number)).or_default());
            }
        }
    }
}

/// Folds `events` into the tables of one version only.
pub(crate) async fn project<'e>(
    version: &Version,
    log: &dyn Log,
    tx: &Transaction<'_>,
    shard: Shard,
    events: impl Iterator<Item = &'e RecordedEvent> + Clone,
    kept: &mut PageCarry,
    is_bulk: bool,
) -> Result<Page, Error> {
    let tables = Tables::of([version])?;
    let target = Target { tx, shard, tables: &tables, is_bulk };
    let source =
        if version.model.holds_states() { Source::Rows(&target, log) } else { Source::Log(log, shard) };
    let page = Page::fold(Models::one(version.model), &source, events, kept).await?;
    Box::pin(page.save(&target, kept)).await?;
    Ok(page)
}
