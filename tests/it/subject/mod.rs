//! Subjects: retention of their personal data, and its erasure. After an erasure no process can read the data, from no
//! copy, and records that showed it can still be read.

mod commands;
mod erased;
mod executed;
mod refused;
mod rotated;
mod swapped;

use daybook_domain::user::ErasureReason;
use daybook_domain::user::retain::HoldChange;
use daybook_domain::{OperatorId, Timestamp, UserId};
use daybook_engine::StoresError;
use daybook_engine::access::{PlatformRecord, parse_operator_id};
use daybook_tests::app::TestApp;
use daybook_tests::client::{Session, until};
use daybook_tests::operator::Operator;
use daybook_tests::shard;
use serde_json::json;
use std::sync::Arc;
use uuid::Uuid;

/// A sandbox with an operator.
pub(crate) struct Desk {
    pub(crate) app: TestApp,
    ada: Operator,
    platform: Arc<PlatformRecord>,
}

impl Desk {
    pub(crate) async fn new() -> Self {
        let app = TestApp::start().await;
        let ada = app.operator("Ada").await;
        let access = app.service.engine.access();
        let platform = access.platform_of_client(&app.client.client_id).await.expect("reads");
        Self { platform: platform.expect("a platform"), ada, app }
    }

    fn by(&self) -> OperatorId {
        parse_operator_id(&self.ada.operator_id).expect("an id")
    }

    pub(crate) async fn erase(&self, user: &str) -> Result<(), StoresError> {
        let engine = &self.app.service.engine;
        engine.erase_user(&self.platform, self.by(), id(user), ErasureReason::Requested).await
    }

    async fn retain(&self, user: &str, until: Option<i64>, hold: HoldChange) {
        let (engine, until) = (&self.app.service.engine, until.map(Timestamp::from_ms));
        engine.retain_user(&self.platform, self.by(), id(user), until, hold).await.expect("is not refused");
    }

    /// Closes the user, ends its retention, and erases it.
    async fn forget(&self, us: &Session) {
        self.let_go(us).await;
        self.erase(&us.user_id).await.expect("erased");
    }

    /// Closes the user and ends its retention, so that it can be erased.
    pub(crate) async fn let_go(&self, us: &Session) {
        close(us).await;
        self.retain(&us.user_id, Some(0), HoldChange::Stays).await;
    }

    /// Waits until the bank's statement has explained every open item.
    pub(crate) async fn explained(&self) {
        let engine = &self.app.service.engine;
        let _ = self.app.client.advance(24 * 60 * 60).await.ok();
        until("a statement", async || {
            let count =
                engine.reads().lists().open_item_count(shard(), self.platform.id).await.expect("reads");
            (count == 0).then_some(())
        })
        .await;
    }
}

pub(crate) async fn close(us: &Session) {
    let closed = us.call("PATCH", "").json(&json!({"permission": "CLOSED"})).send().await.ok();
    assert_eq!(closed["permission"], "CLOSED");
}

fn id(user: &str) -> UserId {
    user.parse().expect("an id")
}

fn subject(user: &str) -> Uuid {
    Uuid::from(id(user))
}
