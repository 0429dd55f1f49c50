//! Intake of a bank's file: whole or not at all. The same file may be handed in again, also after a crash in the middle.

use daybook_domain::statement::Statement;
use daybook_domain::statement::accept::{AcceptStatements, StatedDay};
use daybook_domain::statement::book::MAX_LINES_AT_ONCE;
use daybook_domain::{Actor, CustodyId, Decide, Key, Origin, PlatformId, States};

use super::booking::{self, BookingStep, is_not_next};
use super::ids::FileHash;
use super::keep::Keeper;
use super::read::{self, ReadDay, ReadFile, Refused, StatementFormat};
use super::view::StatementView;
use crate::access::PlatformRecord;
use crate::batch::Call;
use crate::engine::Engine;
use crate::error::SubmitError;
use crate::ops::{OpsError, trace};

/// Result of the intake of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TakenFile {
    /// Last position of the commits that the intake made or found.
    pub position: u64,
    /// SHA-256 of the file, in hexadecimal digits.
    pub hash: String,
    /// Format of the file with its version.
    pub format: String,
    /// Reason for which no line is booked: `pending` or `test`.
    pub books: Option<&'static str>,
    /// True if the file was accepted before, so that nothing happened.
    pub is_repeated: bool,
    /// The statements in the file. Lines are listed if one commit books all of them.
    pub statements: Vec<StatementView>,
}

impl Engine {
    /// Returns a file as it is read, as JSON, and books nothing.
    ///
    /// # Errors
    ///
    /// [`OpsError::Statement`] if the file is refused.
    pub async fn preview_statement(
        &self,
        bytes: Vec<u8>,
        format: StatementFormat,
    ) -> Result<serde_json::Value, OpsError> {
        Ok(aside(move || read::preview(&bytes, &format)).await??)
    }

    /// Takes a file of the bank that an operator hands in: accepts its statements, and books the lines of small ones at
    /// once. Processes book the others.
    ///
    /// # Errors
    ///
    /// [`OpsError::Statement`] if the file is refused; [`SubmitError::Refused`] if a statement does not continue the
    /// previous one, or its day was stated before by another file. Nothing is accepted then.
    pub async fn take_statement(
        &self,
        platform: &PlatformRecord,
        call: Call,
        bytes: Vec<u8>,
        format: StatementFormat,
    ) -> Result<TakenFile, OpsError> {
        let custody = self.custody(platform.shard, platform.id).await?;
        let (bytes, hash, file) = aside(move || {
            let (hash, file) = (FileHash::of(&bytes), read::read(&bytes, &format)?);
            Ok::<_, Refused>((bytes, hash, file))
        })
        .await??;
        self.check_accounts(platform, &file).await?;
        let accept = accept(custody, hash, &file, bytes.len());
        let is_new = self.may_be_accepted(platform, &accept).await?;
        let mut taken = TakenFile {
            position: self.log().head(platform.shard).await.map_err(daybook_projector::Error::from)?.position,
            hash: hash.hex(),
            format: file.format.clone(),
            books: file.books,
            is_repeated: !is_new && !accept.statements.is_empty(),
            statements: vec![],
        };
        if is_new && call.dry_run {
            let stated = accept.statements.iter().map(|stated| unbooked(platform.id, custody, stated));
            taken.statements = stated.collect();
            return Ok(taken);
        }
        if is_new {
            let sealer = self.own_sealer(platform).await?;
            let keeper = Keeper { engine: self, platform, call: &call, sealer };
            keeper.file((hash, custody), &file.format, &bytes).await?;
            for (stated, day) in accept.statements.iter().zip(&file.days) {
                keeper.lines(stated.id, &day.lines).await?;
            }
            let done = self.submit(call.clone(), accept.clone()).await?;
            taken.position = done.position;
            taken.is_repeated = done.events.is_empty();
        }
        for stated in accept.statements {
            taken.position = taken.position.max(self.book_small(platform, &call, &stated).await?);
            let count = if stated.lines > MAX_LINES_AT_ONCE { 0 } else { stated.lines as usize };
            taken.statements.extend(self.statement(platform.shard, stated.id, (0, count)).await?);
        }
        Ok(taken)
    }

    /// Refuses a file that states another account than the platform's.
    async fn check_accounts(&self, platform: &PlatformRecord, file: &ReadFile) -> Result<(), OpsError> {
        let own = trace::originator(self, platform).await?.account_num;
        match file.accounts.iter().find(|account| **account != own) {
            Some(other) => Err(Refused::Account(other.clone()).into()),
            None => Ok(()),
        }
    }

    /// Decides about the file without recording anything, so that nothing is kept of a file that will be refused.
    /// Returns false if it is accepted already.
    async fn may_be_accepted(
        &self,
        platform: &PlatformRecord,
        accept: &AcceptStatements,
    ) -> Result<bool, OpsError> {
        let statements = accept.statements.iter().map(|stated| Key::from(stated.id));
        let keys: Vec<Key> = statements.chain([accept.custody.into(), platform.id.into()]).collect();
        let found = self.reads().aggregates().records(platform.shard, &keys).await?;
        let now = found.now_of(Some(platform.id), self.clock().now());
        let events = accept.decide(&found, now).map_err(SubmitError::Refused)?;
        Ok(!events.is_empty())
    }

    /// Books a statement that one step books. If an earlier statement has lines to book, a process does it later.
    async fn book_small(
        &self,
        platform: &PlatformRecord,
        call: &Call,
        stated: &StatedDay,
    ) -> Result<u64, OpsError> {
        if stated.lines == 0 || stated.lines > MAX_LINES_AT_ONCE {
            return Ok(0);
        }
        match booking::step(self, platform.shard, call.clone(), stated.id).await {
            Ok(BookingStep::Booked(done)) => Ok(done.position),
            Ok(BookingStep::Completed | BookingStep::Missing) => Ok(0),
            Err(error) if is_not_next(&error) => Ok(0),
            Err(error) => Err(error),
        }
    }
}

/// The statement as it would be accepted.
fn unbooked(platform: PlatformId, custody: CustodyId, stated: &StatedDay) -> StatementView {
    let &StatedDay { id, currency, day, opening, closing, lines } = stated;
    let (booked, balance, suspended) = (0, opening, 0);
    let statement =
        Statement { platform, custody, currency, day, opening, closing, lines, booked, balance, suspended };
    StatementView { id, statement, lines: vec![] }
}

/// Runs work for a processor aside from the threads that serve requests.
async fn aside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, OpsError> {
    tokio::task::spawn_blocking(work).await.map_err(|_| OpsError::Submit(SubmitError::Failed))
}

fn accept(custody: CustodyId, hash: FileHash, file: &ReadFile, bytes: usize) -> AcceptStatements {
    let stated = |read: &ReadDay| StatedDay {
        id: hash.statement(custody, read.currency, read.day),
        currency: read.currency,
        day: read.day,
        opening: read.opening,
        closing: read.closing,
        lines: u32::try_from(read.lines.len()).unwrap_or(u32::MAX),
    };
    AcceptStatements {
        custody,
        statements: file.days.iter().map(stated).collect(),
        format: file.format.clone(),
        file: hash.hex(),
        bytes: bytes as u64,
        origin: Origin::of(Actor::Bank),
    }
}
