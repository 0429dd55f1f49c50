//! PostgreSQL crashes: everything that a caller has seen exists afterwards.

use daybook_tests::server::Server;

use crate::database_hosts::dev;
use crate::restart::{dev_client, folder_with_key};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn crash_never_rewinds_read_models() {
    let (server, folder) = (Server::start(), folder_with_key());
    // A commit that does not wait for the disk is flushed only after this delay.
    let database = server.client().await;
    database.batch_execute("alter system set wal_writer_delay = '10s'").await.expect("its owner may");
    database.batch_execute("select pg_reload_conf()").await.expect("its owner may");
    let process = dev(&server.url(""), folder.path());
    let ada = dev_client(process.address()).verified("Ada Lovelace").await;
    let mut told = 0_i64;
    for _ in 0..10 {
        ada.node("DEPOSIT-US").await;
        let list = ada.call("GET", "/nodes").send().await;
        told = list.headers["x-daybook-position"].to_str().expect("digits").parse().expect("a position");
    }
    process.kill();
    server.crash();
    server.launch();
    let row = server.client().await.query_one("select position from cursor where name = 'reads'", &[]).await;
    let position: i64 = row.expect("it is there").get(0);
    assert!(position >= told, "a caller saw {told}, and the cursor is at {position}");
}
