//! A small setup for tests: one user with two nodes.

use daybook_tests::app::TestApp;
use daybook_tests::client::Session;

/// A user with a node that has 100.00, and an empty second node.
pub(crate) struct World {
    pub(crate) app: TestApp,
    pub(crate) us: Session,
    pub(crate) node: String,
    pub(crate) to: String,
}

impl World {
    pub(crate) async fn new() -> Self {
        let app = TestApp::start().await;
        let us = app.client.own_session().await;
        let (node, to) = (us.funded("100").await, us.node("DEPOSIT-US").await);
        Self { app, us, node, to }
    }
}
