//! Finds deadlocks that PostgreSQL resolved, in the server's log: its statistics of deadlocks are lost in a crash.

use crate::cluster::Cluster;
use crate::error::Result;

/// Beginning of a deadlock in the server's log. The lines below it name the waiting processes and their locks.
const SAID: &str = "ERROR:  deadlock detected";

/// Returns the messages about each deadlock, joined into one line.
pub fn seen(cluster: &Cluster) -> Result<Vec<String>> {
    let log = std::fs::read(cluster.folder().join("postgres.log"))?;
    let log = String::from_utf8_lossy(&log);
    let lines: Vec<&str> = log.lines().map(str::trim).collect();
    let places = (0..lines.len()).filter(|at| lines[*at].contains(SAID));
    Ok(places.map(|at| lines[at..lines.len().min(at + 9)].join(" | ")).collect())
}

#[cfg(test)]
mod tests {
    use super::seen;
    use crate::cluster::Cluster;
    use crate::stage::{Watchdog, folder};

    #[tokio::test]
    async fn deadlock_is_reported_once_after_crash() {
        let folder = folder().expect("a folder");
        let _watchdog = Watchdog::over(&folder).expect("a shell");
        let cluster = Cluster::start(&folder, &[("deadlock_timeout", "10ms")]).await.expect("it starts");
        let [one, other] = [cluster.connect().await, cluster.connect().await].map(|it| it.expect("connects"));
        let make = "create table pair (id int primary key); insert into pair values (1), (2)";
        one.batch_execute(make).await.expect("is made");
        let lock = |id: u8| format!("select from pair where id = {id} for update");
        one.batch_execute(&format!("begin; {}", lock(1))).await.expect("is locked");
        other.batch_execute(&format!("begin; {}", lock(2))).await.expect("is locked");
        assert_eq!(seen(&cluster).expect("a log"), Vec::<String>::new());
        let (first, second) = (lock(2), lock(1));
        let ended = futures::join!(one.batch_execute(&first), other.batch_execute(&second));
        assert!(ended.0.is_err() != ended.1.is_err(), "{ended:?}");
        cluster.kill().await.expect("it ends");
        cluster.resume().await.expect("it starts");
        let seen = seen(&cluster).expect("a log");
        assert!(matches!(&seen[..], [one] if one.contains(&second)), "{seen:?}");
    }
}
