//! No free database connection, or a locked log: 503 in time, and recovery without a restart.

use std::time::Duration;

use daybook_pg::Pg;
use daybook_tests::app::TestApp;
use daybook_tests::bodies::transfer;
use daybook_tests::client::{Session, until};
use daybook_tests::http::Call;
use tokio::join;
use tokio_postgres::{Client, NoTls};

use super::{Server, status};

/// Statuses of a read, a list, a write and the health check, all called concurrently.
async fn statuses(app: &TestApp, us: &Session, (from, to): (&str, &str)) -> [u16; 4] {
    let write = us.transfer(from, &transfer(to, "1")).key("k1");
    let health = Call::new(app.address, "GET", "/health/ready");
    let (record, list) =
        (us.call("GET", &format!("/nodes/{from}?full_dehydrate=yes")), us.call("GET", "/trans"));
    join!(status(record), status(list), status(write), status(health)).into()
}

/// Checks that the service recovers by itself and that the payment with the unknown outcome was made exactly once.
async fn recovers(us: &Session, from: &str, to: &str) {
    until("it is well again", async || (status(us.call("GET", "/trans")).await == 200).then_some(())).await;
    let id = until("the payment is known", async || {
        let answer = us.transfer(from, &transfer(to, "1")).key("k1").send().await;
        match answer.status {
            200 => Some(answer.ok()["_id"].clone()),
            409 => Some(answer.refused(409, "400")["original_id"].clone()),
            _ => None,
        }
    })
    .await;
    us.when(from, id.as_str().expect("an id"), "SETTLED").await;
    assert_eq!(us.balance(from).await, "9.00");
}

/// Takes every connection that the server offers, and terminates those of others.
async fn all_connections(server: &Server) -> Vec<Client> {
    let config = server.cluster.config().to_tokio_postgres();
    let mut ours = vec![];
    // A connection that is being opened is not listed yet, so the list must be empty ten times in a row.
    let mut quiet = 0;
    for _ in 0..1_000 {
        if let Ok((client, connection)) = config.clone().application_name("hog").connect(NoTls).await {
            tokio::spawn(connection);
            ours.push(client);
            quiet = 0;
            continue;
        }
        let others = "select pg_terminate_backend(pid) from pg_stat_activity
            where backend_type = 'client backend' and application_name <> 'hog'";
        let is_alone = ours[0].query(others, &[]).await.expect("it may").is_empty();
        quiet = if is_alone { quiet + 1 } else { 0 };
        if quiet == 10 {
            return ours;
        }
        tokio::time::sleep(Duration::from_millis(20 * quiet)).await;
    }
    panic!("others are faster");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn exhausted_database_connections_cause_503_until_freed() {
    let server = Server::start(&[("max_connections", "30")]).await;
    server.pg.close();
    let app = server.app().await;
    let us = app.client.own_session().await;
    let (from, to) = (us.funded("10").await, us.node("DEPOSIT-US").await);
    let hogs = all_connections(&server).await;
    let [_, list, write, health] = statuses(&app, &us, (&from, &to)).await;
    assert_eq!([list, write, health], [503; 3]);
    drop(hogs);
    recovers(&us, &from, &to).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn locked_log_causes_503_until_released() {
    let app = TestApp::start().await;
    let us = app.client.own_session().await;
    let (from, to) = (us.funded("10").await, us.node("DEPOSIT-US").await);
    let holder: Pg = Pg::new(app.database.config()).expect("the pool is well configured");
    let holder = holder.dedicated().await.expect("connects");
    holder.batch_execute("begin; lock table commit in access exclusive mode").await.expect("it is held");
    let [_, list, write, health] = statuses(&app, &us, (&from, &to)).await;
    assert_eq!([list, write, health], [503; 3]);
    holder.batch_execute("rollback").await.expect("it is given back");
    recovers(&us, &from, &to).await;
}
