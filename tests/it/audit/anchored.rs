//! A log as a running service leaves it: signed, with tiles, with checkpoints in the database and in an anchor.

use std::sync::Arc;

use daybook_checker::{Report, Walk, walk};
use daybook_cli::anchor::Folder;
use daybook_cli::commands::log::trust::{TrustedInputs, trust};
use daybook_cli::config::{self, AnchorLocation, Anchors, Trusted};
use daybook_domain::testing::fixture;
use daybook_engine::{Audit, ShardAudit};
use daybook_log::postgres::PostgresLog;
use daybook_tests::app::{PUBLIC_KEY, signer};
use daybook_tests::database::Database;
use daybook_tests::shard;
use tempfile::TempDir;

use crate::read_models::all_sorts;
use crate::read_models::story::Story;

/// Number of events: more than one tile holds.
const EVENTS: u64 = 280;

/// A log with its anchor, which is a folder.
pub(super) struct Anchored {
    pub(super) database: Database,
    pub(super) log: PostgresLog,
    pub(super) audit: ShardAudit,
    pub(super) folder: TempDir,
    pub(super) story: Story,
}

impl Anchored {
    /// Appends events of all kinds, then payments. Makes a checkpoint after every ten payments.
    pub(super) async fn new() -> Self {
        let database = Database::create().await;
        let log = PostgresLog::new(database.pg()).signed_by(Arc::new(signer()));
        let audit = Audit::new(log.clone(), signer().into()).of(shard()).expect("is the first");
        let folder = tempfile::tempdir().expect("a folder");
        let mut story = Story::on(Arc::new(log.clone())).await;
        story.tell_all(all_sorts()).await;
        let mut made = Self { database, log, audit, folder, story };
        made.keep().await;
        let mut number = 3_000;
        while made.story.head().await < EVENTS {
            made.story.tell_all((number..number + 10).map(|number| fixture::pay(number, 5))).await;
            number += 10;
            made.keep().await;
        }
        made
    }

    /// Does the background work of a service: fills tiles, makes a checkpoint and stores it in the anchor.
    pub(super) async fn keep(&self) {
        self.audit.fill_tiles().await.expect("fills");
        let made = self.audit.make_checkpoint().await.expect("makes");
        Folder::new(self.folder.path()).expect("is made").keep(&made).expect("keeps");
    }

    /// Verifies the log in the same way as `daybook log verify`, with the anchor or without it.
    pub(super) async fn verify(&self, with_anchor: bool) -> Report {
        let anchor = with_anchor.then(|| AnchorLocation::Folder(self.folder.path().to_owned()));
        verify(&self.log, Anchors { anchor: Vec::from_iter(anchor), ..Anchors::default() }).await
    }
}

/// Verifies a log in the same way as `daybook log verify`.
pub(super) async fn verify(log: &PostgresLog, anchors: Anchors) -> Report {
    let nowhere = config::Database { data_dir: "/nowhere".into(), ..config::Database::default() };
    let trusted = Trusted { keys: vec![PUBLIC_KEY.into()], unsigned: false, anchors };
    let TrustedInputs { trust, wrong, unchecked } =
        trust(log, shard(), &trusted, &nowhere).await.expect("is read");
    assert!(!trust.keys.is_empty());
    let mut report =
        walk(log, Walk { shard: shard(), from: 1, boxes: true, trust }, |_| {}).await.expect("is read");
    report.findings.extend(wrong);
    report.unchecked.extend(unchecked);
    report
}
