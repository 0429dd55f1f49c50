//! Intake of a bank's file: whole or not at all. The same file may be handed in again, also after a crash in the middle.

use daybook_domain::statement::accept::{AcceptStatements, StatedDay};
use daybook_domain::statement::book::MAX_LINES_AT_ONCE;
use daybook_domain::{Decide, Key, StatementId, States};
use daybook_projector::Records;

use super::booking::{self, BookingStep};
use super::file::ReadIn;
use super::ids::FileHash;
use super::keep::Keeper;
use super::read::{self, OtherAccounts, Refused, StatementFormat};
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
    /// Numbers of the accounts whose statements were left out.
    pub skipped_accounts: Vec<String>,
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

    /// Takes a file of the bank: accepts its statements, and books the lines of small ones at once. Processes book the
    /// others. Statements about other accounts than the platform's are treated as `others` says.
    ///
    /// # Errors
    ///
    /// [`OpsError::Statement`] if the file is refused; [`SubmitError::Refused`] if a statement does not continue the
    /// previous one, or its day was stated before by another file. Nothing is accepted then.
    pub async fn take_statement(
        &self,
        platform: &PlatformRecord,
        call: Call,
        (bytes, format, others): (Vec<u8>, StatementFormat, OtherAccounts),
    ) -> Result<TakenFile, OpsError> {
        let read = self.read_in(platform, (bytes, format, others)).await?;
        if let Some(day) = read.file.restates {
            return Err(Refused::Restated(day).into());
        }
        let accept = read.accept();
        let stated = &accept.file.statements;
        let is_new = self.may_be_accepted(platform, &accept).await?;
        let mut taken = self.taken(platform, &read).await?;
        taken.is_repeated = !is_new && !stated.is_empty();
        if is_new && call.dry_run {
            taken.statements = read.views(platform.id, stated);
            return Ok(taken);
        }
        if is_new {
            self.keep(platform, &call, &read, stated).await?;
            let done = self.submit(call.clone(), accept.clone()).await?;
            taken.position = done.position;
            taken.is_repeated = done.events.is_empty();
        }
        self.book(platform, &call, stated, &mut taken).await?;
        Ok(taken)
    }

    /// Books the small ones of accepted statements, and adds the view of each to the result.
    pub(super) async fn book(
        &self,
        platform: &PlatformRecord,
        call: &Call,
        stated: &[StatedDay],
        taken: &mut TakenFile,
    ) -> Result<(), OpsError> {
        for &StatedDay { id, lines, .. } in stated {
            taken.position = taken.position.max(self.book_small(platform, call, (id, lines)).await?);
            let count = if lines > MAX_LINES_AT_ONCE { 0 } else { lines as usize };
            taken.statements.extend(self.statement(platform.shard, id, (0, count)).await?);
        }
        Ok(())
    }

    /// Reads the statements of the platform's account in a file.
    pub(super) async fn read_in(
        &self,
        platform: &PlatformRecord,
        (bytes, format, others): (Vec<u8>, StatementFormat, OtherAccounts),
    ) -> Result<ReadIn, OpsError> {
        let custody = self.custody(platform.shard, platform.id).await?;
        let own = trace::originator(self, platform, custody).await?.account_num;
        let read = move || {
            let (hash, file) = (FileHash::of(&bytes), read::read(&bytes, &format, &own, others)?);
            Ok::<_, Refused>(ReadIn { custody, bytes, hash, file })
        };
        Ok(aside(read).await??)
    }

    /// The result for a file of which nothing is accepted yet.
    pub(super) async fn taken(
        &self,
        platform: &PlatformRecord,
        read: &ReadIn,
    ) -> Result<TakenFile, OpsError> {
        Ok(TakenFile {
            position: self.log().head(platform.shard).await.map_err(daybook_projector::Error::from)?.position,
            hash: read.hash.hex(),
            format: read.file.format.clone(),
            books: read.file.books,
            is_repeated: false,
            skipped_accounts: read.file.skipped.clone(),
            statements: vec![],
        })
    }

    /// Keeps the file itself, and the lines of the statements that will be accepted.
    pub(super) async fn keep(
        &self,
        platform: &PlatformRecord,
        call: &Call,
        read: &ReadIn,
        stated: &[StatedDay],
    ) -> Result<(), OpsError> {
        let by = (platform, call);
        // A file over several months is kept as long as the last of them.
        let Some(last) = stated.iter().map(|stated| stated.day).max() else { return Ok(()) };
        let mut keeper = Keeper::of(self, by, read.custody, last).await?;
        keeper.file(read.hash, &read.file.format, &read.bytes).await?;
        for day in &read.file.days {
            let of_day = |it: &&StatedDay| (it.currency, it.day) == (day.currency, day.day);
            if let Some(stated) = stated.iter().find(of_day) {
                if !keeper.is_of(day.day) {
                    keeper = Keeper::of(self, by, read.custody, day.day).await?;
                }
                keeper.lines(stated.id, &day.lines).await?;
            }
        }
        Ok(())
    }

    /// Decides about the file without recording anything, so that nothing is kept of a file that will be refused.
    /// Returns false if it is accepted already.
    pub(super) async fn may_be_accepted(
        &self,
        platform: &PlatformRecord,
        accept: &AcceptStatements,
    ) -> Result<bool, OpsError> {
        let own: Key = platform.id.into();
        // No key depends on a state.
        let keys: Vec<Key> = accept.needs(&Records::default()).into_iter().chain([own]).collect();
        let found = self.reads().aggregates().records(platform.shard, &keys).await?;
        let now = found.now_of(Some(platform.id), self.clock().now());
        let events = accept.decide(&found, now).map_err(SubmitError::Refused)?;
        Ok(!events.is_empty())
    }

    /// Books a statement that one step books, or takes it back. If that is refused, a process does it later: an earlier
    /// statement has lines to book, or a line was matched meanwhile. The file is accepted all the same.
    pub(super) async fn book_small(
        &self,
        platform: &PlatformRecord,
        call: &Call,
        (id, lines): (StatementId, u32),
    ) -> Result<u64, OpsError> {
        if lines == 0 || lines > MAX_LINES_AT_ONCE {
            return Ok(0);
        }
        match booking::step(self, platform.shard, call.clone(), id).await {
            Ok(BookingStep::Booked(done)) => Ok(done.position),
            Ok(BookingStep::Completed | BookingStep::Missing) => Ok(0),
            Err(OpsError::Submit(SubmitError::Refused(_))) => Ok(0),
            Err(error) => Err(error),
        }
    }
}

/// Runs work for a processor aside from the threads that serve requests.
pub(super) async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, OpsError> {
    tokio::task::spawn_blocking(work).await.map_err(|_| OpsError::Submit(SubmitError::Failed))
}
