//! Parts of a file that are kept as evidence, and pages of its lines, each sealed in an attachment under the keys of its
//! month.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use daybook_domain::attachment::NewAttachment;
use daybook_domain::calendar::{Day, Month};
use daybook_domain::evidence::keep::KeepPart;
use daybook_domain::statement::book::MAX_LINES_AT_ONCE;
use daybook_domain::{
    AttachmentId, CustodyId, Event, EvidenceId, Key, StatementId, States, attachment, evidence,
};
use daybook_log::Shard;
use daybook_vault::Class;
use serde::Serialize;
use uuid::Uuid;

use super::ids::{self, FileHash};
use crate::access::PlatformRecord;
use crate::batch::Call;
use crate::contents::{FileContents, StatementLine, StatementLines};
use crate::engine::Engine;
use crate::error::SubmitError;
use crate::ops::OpsError;
use crate::sealer::{Sealer, open};

/// Size of a part of a file, in bytes.
const PART_BYTES: usize = 1 << 20;

/// Keeps the parts of one file that belong to one month.
pub(super) struct Keeper<'a> {
    engine: &'a Engine,
    platform: &'a PlatformRecord,
    call: &'a Call,
    custody: CustodyId,
    month: Month,
    sealer: Sealer,
}

impl<'a> Keeper<'a> {
    /// Prepares the keys of the month of `day`, unless they are destroyed.
    pub(super) async fn of(
        engine: &'a Engine,
        (platform, call): (&'a PlatformRecord, &'a Call),
        custody: CustodyId,
        day: Day,
    ) -> Result<Self, OpsError> {
        let month = Month::of(day);
        let id = EvidenceId::of(custody, month);
        let found = engine.reads().aggregates().records(platform.shard, &[id.into()]).await?;
        if found.evidence(id).is_some_and(|evidence| evidence.is_destroyed) {
            return Err(SubmitError::Refused(evidence::Refusal::Destroyed.into()).into());
        }
        let (now, entropy) = (engine.clock().now(), engine.entropy());
        let fill = |bytes: &mut [u8]| entropy.fill(bytes);
        let keys = engine.vault().create(platform.shard, Uuid::from(id), now.ms(), &fill).await?;
        let sealer = Sealer::new(keys, now, entropy);
        Ok(Self { engine, platform, call, custody, month, sealer })
    }

    /// Returns true if the parts of `day` are sealed under these keys.
    pub(super) fn is_of(&self, day: Day) -> bool {
        self.month == Month::of(day)
    }

    /// Keeps the file itself.
    pub(super) async fn file(&self, hash: FileHash, format: &str, bytes: &[u8]) -> Result<(), OpsError> {
        for (part, number) in bytes.chunks(PART_BYTES).zip(0..) {
            let contents = FileContents { media_type: format.to_owned(), base64: BASE64.encode(part) };
            self.part(hash.part(self.custody, number), &contents).await?;
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
        let &PlatformRecord { id: platform, user: subject, .. } = self.platform;
        let keep = KeepPart { platform, subject, custody: self.custody, month: self.month, part };
        self.engine.submit(self.call.clone(), keep).await?;
        Ok(())
    }
}

/// Returns the page of a statement's lines with this number; `None` if the page or its keys are gone.
pub(super) async fn page(
    engine: &Engine,
    shard: Shard,
    statement: StatementId,
    number: u32,
) -> Result<Option<Vec<StatementLine>>, OpsError> {
    let key = Key::from(ids::page(statement, number));
    let events = engine.reads().aggregates().timelines(shard, &[key]).await?.remove(&key).unwrap_or_default();
    let kept = events.iter().find_map(|happened| match &happened.event {
        Event::Attachment(attachment::Event::Added(added)) => {
            Some((added.key_holder(), added.contents.as_ref()?))
        }
        _ => None,
    });
    let Some((holder, sealed)) = kept else { return Ok(None) };
    let Some(keys) = engine.vault().keys(shard, holder).await? else { return Ok(None) };
    let page: StatementLines = open(&keys, Class::Document, sealed)?;
    Ok(Some(page.lines))
}
