//! `daybook ops`: work of operators, directly on the database, with the operators' own credentials.

mod bank;
mod listing;
mod operations;
mod rules;
mod statement;
mod transactions;

use std::io;
use std::path::Path;
use std::sync::Arc;

use daybook_domain::calendar::Day;
use daybook_domain::roles::Right;
use daybook_domain::{CustodyId, States};
use daybook_engine::access::{OperatorRecord, PlatformRecord};
use daybook_engine::rails::incoming::text_of;
use daybook_engine::{Call, Engine};
use daybook_intake::file::{self, Pipes};
use daybook_projector::{Listed, Page};

pub(in crate::commands) use rules::rules_of;

use super::ledger::{SETTLE_IMMEDIATELY, platform, with_engine};
use crate::config::{OperatorOptions, Ops};
use crate::error::Error;

/// Environment variable with the operator's secret. It is not an option, because options are visible in process lists.
const SECRET: &str = "DAYBOOK_OPERATOR_SECRET";

/// Maximum size of a file from a bank, in bytes. The largest statement fits.
const MAX_FILE: u64 = 16 << 20;

/// Runs the command.
///
/// # Errors
///
/// Fails if the database cannot be reached, the credentials are wrong, or the rules refuse the command.
pub async fn run(command: Ops) -> Result<(), Error> {
    match command {
        Ops::Queued(desk) => transactions::queued(&desk).await,
        Ops::Returned(desk) => transactions::returned(&desk).await,
        Ops::Operations { waiting, desk } => operations::list(&desk, waiting).await,
        Ops::Operate { act, reason, desk } => operations::operate(&desk, &act, &reason).await,
        Ops::Approve { id, desk } => operations::review(&desk, &id, true).await,
        Ops::Decline { id, desk } => operations::review(&desk, &id, false).await,
        Ops::OpenItems(desk) => bank::open_items(&desk).await,
        Ops::Breaks(desk) => bank::breaks(&desk).await,
        Ops::Rules { file: None, desk, .. } => rules::show(&desk).await,
        Ops::Rules { file: Some(file), reason: Some(reason), desk, .. } => {
            rules::set(&desk, &file, &reason).await
        }
        Ops::Rules { file: Some(file), reason: None, desk, .. } => rules::attempt(&desk, &file).await,
        Ops::Files { id: None, desk } => bank::files(&desk).await,
        Ops::Files { id: Some(id), desk } => bank::file(&desk, &id).await,
        Ops::Returns { file, desk } => bank::returns(&desk, &file).await,
        Ops::BankAccount { account_num, desk } => bank::account(&desk, &account_num).await,
        Ops::Statement { files, format, preview, restate, other_accounts, desk } => {
            let format = statement::format(&format)?;
            if preview {
                return statement::preview(&desk, &files, format).await;
            }
            statement::take(&desk, &files, (format, other_accounts), restate).await
        }
    }
}

/// An authenticated operator, and the platform on which the operator works.
pub(in crate::commands) struct OperatorSession {
    pub(in crate::commands) engine: Engine,
    pub(in crate::commands) operator: Arc<OperatorRecord>,
    pub(in crate::commands) platform: Arc<PlatformRecord>,
}

impl OperatorSession {
    /// Metadata of the operator's commands for the engine.
    fn call(&self) -> Call {
        Call::by_operator(self.operator.id, self.platform.shard)
    }
}

/// Runs `work` if the operator's credentials are valid and its roles have this right on the platform.
pub(in crate::commands) async fn as_operator(
    desk: &OperatorOptions,
    right: Right,
    work: impl AsyncFnOnce(OperatorSession) -> Result<(), Error>,
) -> Result<(), Error> {
    let secret = std::env::var(SECRET).map_err(|_| Error::Credentials)?;
    with_engine(&desk.database, SETTLE_IMMEDIATELY, &desk.bank, async |engine| {
        let operator = engine.access().authenticate_operator(&desk.operator, &secret).await?;
        let operator = operator.ok_or(Error::Credentials)?;
        let platform = platform(engine.access(), &desk.platform).await?;
        let rights = engine.rights(operator.id, Some(platform.id)).await?;
        if !rights.have(right) {
            return Err(Error::Role(right.as_str()));
        }
        work(OperatorSession { engine, operator, platform }).await
    })
    .await
}

/// Returns the platform's account at the bank.
async fn custody(work: &OperatorSession) -> Result<CustodyId, Error> {
    let found = work.engine.custody_of(work.platform.shard, work.platform.id).await?;
    found.ok_or_else(|| Error::Usage("the platform has no account at a bank".into()))
}

/// Returns the current day of the platform.
async fn today(work: &OperatorSession) -> Result<Day, Error> {
    let OperatorSession { engine, platform, .. } = work;
    let found = engine.reads().aggregates().records(platform.shard, &[platform.id.into()]).await?;
    Ok(Day::of(found.now_of(Some(platform.id), engine.clock().now())))
}

/// Reads all pages of a list and passes each to `show`.
async fn pages<T>(
    mut list: impl AsyncFnMut(Page) -> Result<Listed<T>, daybook_projector::Error>,
    mut show: impl AsyncFnMut(Vec<T>) -> Result<(), Error>,
) -> Result<(), Error> {
    let size = 100;
    for number in 1.. {
        let listed = list(Page { number, size }).await?;
        let is_last = listed.items.len() < size as usize;
        show(listed.items).await?;
        if is_last {
            break;
        }
    }
    Ok(())
}

/// Reads the text of a file from the bank.
fn read(path: &Path) -> Result<String, Error> {
    Ok(text_of(read_bytes(path, MAX_FILE)?))
}

/// Reads a file from the bank of at most `most` bytes.
fn read_bytes(path: &Path, most: u64) -> Result<Vec<u8>, Error> {
    let named = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
    Ok(file::read(path, most, Pipes::Read).map_err(named)?)
}
