//! What routes are tried on: one user with two nodes, a transaction between them, and a subnet.

use daybook_tests::app::TestApp;
use daybook_tests::client::Session;

/// One user with everything that the routes are about.
pub(crate) struct World {
    pub(crate) app: TestApp,
    pub(crate) us: Session,
    pub(crate) node: String,
    pub(crate) to: String,
    pub(crate) trans: String,
    pub(crate) subnet: String,
    /// A node that nothing else needs.
    pub(crate) spare: String,
}

impl World {
    pub(crate) async fn new() -> Self {
        let app = TestApp::start().await;
        let us = app.client.own_session().await;
        let (node, to) = (us.funded("100").await, us.node("DEPOSIT-US").await);
        let trans = us.sent(&node, &to, "1").await;
        let subnet = us.subnet(&node).await["_id"].as_str().expect("an id").to_owned();
        let spare = us.node("DEPOSIT-US").await;
        Self { app, us, node, to, trans, subnet, spare }
    }
}
