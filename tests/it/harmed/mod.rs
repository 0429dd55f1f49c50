//! What the service stands on is missing in part, used up or held by somebody else: callers are told 503 in time, nothing wrong is
//! answered, and it is over when its cause is.

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

/// Longer than any answer may take.
const BOUND: Duration = Duration::from_secs(9);

/// A server of its own, which others do not notice.
struct Server {
    _folder: DataDir,
    cluster: Cluster,
    pg: Pg,
}

impl Server {
    async fn start(settings: &[(&str, &str)]) -> Self {
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

    /// A service on it.
    async fn app(&self) -> TestApp {
        let pg = Pg::new(self.cluster.config()).expect("the pool is well configured");
        TestApp::start_on(Database::create().await, pg, SETTLE_AFTER).await
    }
}

/// The status of an answer that comes in time.
async fn status(call: Call) -> u16 {
    let answer = timeout(BOUND, call.send()).await.expect("it is answered in time");
    if answer.status == 503 {
        assert!(answer.headers.contains_key("retry-after"), "{}", answer.text());
    }
    answer.status
}
