//! Replicas that are lost, belong to another ledger, or are named where a server must take writes.

use daybook_tests::app::PUBLIC_KEY;
use daybook_tests::process::run;
use daybook_tests::server::Server;

use super::{Machines, servers};
use crate::restart::{at, folder_with_key};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn primary_answers_for_lost_replica() {
    let Some(machines) = Machines::start() else { return };
    let ada = machines.client().verified("Ada Lovelace").await;
    let node = ada.funded("1").await;
    let reader = at(&ada, machines.reader.address());
    assert_eq!(reader.balance(&node).await, "1.00");
    assert!(machines.answered("replica").await > 0.0);
    machines.standby.crash();
    let _ = ada.client.credit(&node, "1").await.ok();
    assert_eq!(reader.balance(&node).await, "2.00");
    machines.serving(0.0).await;
    let _ = ada.client.credit(&node, "1").await.ok();
    assert_eq!(reader.balance(&node).await, "3.00");
    machines.standby.launch();
    machines.serving(1.0).await;
    let _ = ada.client.credit(&node, "1").await.ok();
    assert_eq!(reader.balance(&node).await, "4.00");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replica_of_another_ledger_never_answers() {
    let Some((primary, standby)) = servers() else { return };
    // The other ledger is longer, so its positions alone would do.
    let other = Server::start();
    let folder = folder_with_key();
    let data = folder.path().display().to_string();
    let key = format!("{data}/master.key");
    let url = other.url("");
    let process = daybook_tests::process::Daybook::start([
        "dev",
        "--database-url",
        &url,
        "--data-dir",
        &data,
        "--master-key",
        &key,
        "--listen",
        "127.0.0.1:0",
    ]);
    let client = crate::restart::dev_client(process.address());
    for name in ["Ada", "Bob", "Cy", "Di", "Eve"] {
        let _ = client.verified(name).await;
    }
    let machines = Machines::reading_from(primary, standby, &url);
    let ada = machines.client().verified("Ada Lovelace").await;
    let node = ada.funded("1").await;
    let reader = at(&ada, machines.reader.address());
    assert_eq!(reader.balance(&node).await, "1.00");
    assert_eq!(reader.transactions().await.len(), ada.transactions().await.len());
    assert!(machines.answered("other_log").await > 0.0);
    assert!(machines.answered("replica").await < 1.0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unreachable_replica_does_not_stop_service() {
    let Some((primary, standby)) = servers() else { return };
    let machines = Machines::reading_from(primary, standby, "host=127.0.0.1 port=1 user=nobody dbname=x");
    let ada = machines.client().verified("Ada Lovelace").await;
    let node = ada.funded("1").await;
    assert_eq!(at(&ada, machines.reader.address()).balance(&node).await, "1.00");
    machines.serving(0.0).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn standby_serves_commands_that_only_read() {
    let Some(machines) = Machines::start() else { return };
    let _ = machines.client().verified("Ada Lovelace").await;
    let standby = machines.standby.url("target_session_attrs=read-only");
    for command in
        [&["log", "stats"][..], &["log", "verify", "--key", PUBLIC_KEY], &["ledger", "trial-balance"]]
    {
        let output = run([command, &["--database-url", &standby]].concat());
        assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
    let key = machines.folder.path().join("master.key").display().to_string();
    let serve = ["serve", "--listen", "127.0.0.1:0", "--master-key", &key, "--database-url", &standby];
    for command in [&serve[..], &["migrate", "--database-url", &standby]] {
        let refused = run(command);
        let why = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert_eq!(refused.status.code(), Some(2), "{why}");
        assert!(why.contains("target_session_attrs=read-only is for commands that only read"), "{why}");
    }
    let wrong = run([&serve[..6], &[&machines.primary.url(""), "--read-url", "mysql://db"]].concat());
    assert_eq!(wrong.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("--read-url: "));
}
