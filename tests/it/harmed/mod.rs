//! Faults of the environment: a resource of the service is damaged, exhausted or locked. Callers get 503 in time, no
//! answer is wrong, and the service recovers when the cause is gone.

mod coming_up;
mod crashed;
mod damaged;
mod process;
mod torn;
mod used_up;

use std::time::Duration;

use daybook_pg::embedded::{Cluster, Options};
use daybook_pg::{Pg, migrate};
use daybook_tests::app::{SETTLE_AFTER, TestApp};
use daybook_tests::database::Database;
use daybook_tests::http::Call;
use tokio::time::timeout;

use crate::restart::DataDir;

/// Upper bound for the time of any answer.
const MAX_DURATION: Duration = Duration::from_secs(9);

/// A PostgreSQL server of its own, so that other tests are not affected.
pub(crate) struct Server {
    _folder: DataDir,
    pub(crate) cluster: Cluster,
    pub(crate) pg: Pg,
}

impl Server {
    pub(crate) async fn start(settings: &[(&str, &str)]) -> Self {
        let folder = DataDir::new();
        let settings =
            settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let options =
            Options { data_dir: folder.text().into(), pg_bin: daybook_tests::database::pg_bin(), settings };
        let cluster = Cluster::prepare(options).await.expect("the folder is usable");
        cluster.start().await.expect("it starts");
        let pg = Pg::new(cluster.config()).expect("the pool is well configured");
        migrate::run(&pg).await.expect("the migrations pass");
        Self { _folder: folder, cluster, pg }
    }

    /// Starts a service on this server.
    async fn app(&self) -> TestApp {
        let pg = Pg::new(self.cluster.config()).expect("the pool is well configured");
        TestApp::start_on(Database::create().await, pg, SETTLE_AFTER).await
    }
}

/// Status of the answer. Fails if the answer takes longer than [`MAX_DURATION`], or if a 503 lacks `Retry-After`.
pub(crate) async fn status(call: Call) -> u16 {
    let answer = timeout(MAX_DURATION, call.send()).await.expect("it is answered in time");
    if answer.status == 503 {
        assert!(answer.headers.contains_key("retry-after"), "{}", answer.text());
    }
    answer.status
}
