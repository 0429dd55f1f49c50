//! Parts of a file that are kept as evidence, and pages of its lines, each sealed in an attachment of the platform's own
//! user.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use daybook_domain::attachment::NewAttachment;
use daybook_domain::statement::book::MAX_LINES_AT_ONCE;
use daybook_domain::statement::keep::KeepPart;
use daybook_domain::{AttachmentId, CustodyId, Event, Key, StatementId, attachment};
use daybook_log::Shard;
use daybook_vault::{Class, SubjectKeys};
use serde::Serialize;

use super::ids::{self, FileHash};
use crate::access::PlatformRecord;
use crate::batch::Call;
use crate::contents::{FileContents, StatementLine, StatementLines};
use crate::engine::Engine;
use crate::ops::OpsError;
use crate::sealer::{Sealer, open};

/// Size of a part of a file, in bytes.
const PART_BYTES: usize = 1 << 20;

/// Keeps the parts of one file.
pub(super) struct Keeper<'a> {
    pub(super) engine: &'a Engine,
    pub(super) platform: &'a PlatformRecord,
    pub(super) call: &'a Call,
    pub(super) sealer: Sealer,
}

impl Keeper<'_> {
    /// Keeps the file itself.
    pub(super) async fn file(
        &self,
        (hash, custody): (FileHash, CustodyId),
        format: &str,
        bytes: &[u8],
    ) -> Result<(), OpsError> {
        for (part, number) in bytes.chunks(PART_BYTES).zip(0..) {
            let contents = FileContents { media_type: format.to_owned(), base64: BASE64.encode(part) };
            self.part(hash.part(custody, number), &contents).await?;
        }
        Ok(())
    }

    /// Keeps the lines of a statement, a page for each step of the booking.
    pub(super) async fn lines(
        &self,
        statement: StatementId,
        lines: &[StatementLine],
    ) -> Result<(), OpsError> {
        for (page, number) in lines.chunks(MAX_LINES_AT_ONCE as usize).zip(0..) {
            let contents = StatementLines { lines: page.to_vec() };
            self.part(ids::page(statement, number), &contents).await?;
        }
        Ok(())
    }

    async fn part(&self, id: AttachmentId, contents: &impl Serialize) -> Result<(), OpsError> {
        let contents = self.sealer.seal(Class::Document, contents)?;
        let part = NewAttachment { id, contents };
        let keep = KeepPart { platform: self.platform.id, subject: self.platform.user, part };
        self.engine.submit(self.call.clone(), keep).await?;
        Ok(())
    }
}

/// Returns the page of a statement's lines with this number; `None` if the page or its keys are gone.
pub(super) async fn page(
    engine: &Engine,
    shard: Shard,
    keys: &SubjectKeys,
    statement: StatementId,
    number: u32,
) -> Result<Option<Vec<StatementLine>>, OpsError> {
    let key = Key::from(ids::page(statement, number));
    let events = engine.reads().aggregates().timelines(shard, &[key]).await?.remove(&key).unwrap_or_default();
    let sealed = events.iter().find_map(|happened| match &happened.event {
        Event::Attachment(attachment::Event::Added(added)) => added.contents.as_ref(),
        _ => None,
    });
    let Some(sealed) = sealed else { return Ok(None) };
    let page: StatementLines = open(keys, Class::Document, sealed)?;
    Ok(Some(page.lines))
}
