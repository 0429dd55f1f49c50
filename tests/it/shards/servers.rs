//! Shards on three PostgreSQL servers: one that is lost stops its shards alone, and a process with another map of servers
//! ends before it writes anything.

use std::collections::BTreeSet;

use daybook_log::postgres::{PostgresLog, add_shard};
use daybook_pg::Pg;
use daybook_pg::embedded::StopMode;
use daybook_tests::app::{PUBLIC_KEY, SETTLE_AFTER, TestApp};
use daybook_tests::client::{Client, Session, until};
use daybook_tests::database::Database;
use daybook_tests::process::run;
use serde_json::{Value, json};
use uuid::Uuid;

use super::service::ready;
use super::{opened, pay, platform};
use crate::harmed::{Server, status};
use crate::restart::folder_with_key;

/// Home with shard 1, and a server for each of the shards 2 and 3.
struct Servers([Server; 3]);

impl Servers {
    async fn start() -> Self {
        let start = || Server::start(&[]);
        let servers = tokio::join!(start(), start(), start());
        let servers = Self([servers.0, servers.1, servers.2]);
        for number in 2..=3 {
            let added = add_shard(&servers.pg(), Uuid::from_u128(number)).await.expect("is added");
            assert_eq!(added.map(i16::unsigned_abs).map(u128::from), Some(number));
        }
        servers
    }

    fn pg(&self) -> Pg {
        let [home, two, three] = &self.0;
        let others = vec![(2..=2, two.cluster.config()), (3..=3, three.cluster.config())];
        Pg::with_servers(home.cluster.config(), others).expect("the pools are well configured")
    }

    async fn app(&self) -> TestApp {
        TestApp::start_on(Database::create().await, self.pg(), SETTLE_AFTER).await
    }

    /// Connection string of a server.
    fn url(&self, server: usize) -> String {
        let folder = self.0[server].cluster.socket_dir();
        format!("host={} port=5432 user=daybook dbname=daybook", folder.display())
    }

    /// Options that name the servers.
    fn map(&self) -> Vec<String> {
        let shard = |shard: usize| ["--shard-url".to_owned(), format!("{shard}={}", self.url(shard - 1))];
        let home = ["--database-url".to_owned(), self.url(0)];
        home.into_iter().chain([2, 3].into_iter().flat_map(shard)).collect()
    }

    /// Number of events on a server.
    async fn events(&self, server: usize) -> i64 {
        let client = self.0[server].pg.client().await.expect("connects");
        client.query_one("select count(*) from event", &[]).await.expect("an answer").get(0)
    }
}

/// Creates a platform in each of the three shards.
async fn platforms(app: &TestApp) -> [Client; 3] {
    [platform(app, 1).await, platform(app, 2).await, platform(app, 3).await]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn shards_live_on_their_servers() {
    let servers = Servers::start().await;
    let app = servers.app().await;
    let [one, two, three] = platforms(&app).await;
    let sessions = [one.own_session().await, two.own_session().await, three.own_session().await];
    futures::future::join_all(sessions.iter().map(pay)).await;
    let log = PostgresLog::new(servers.pg());
    for (server, shard) in [(0, 1), (1, 2), (2, 3)] {
        let head = daybook_log::Log::head(&log, shard).await.expect("a head").position;
        assert_eq!(servers.events(server).await.unsigned_abs(), head, "shard {shard}");
    }
    app.stop().await;
}

/// Fails unless a call of the platform gets 503 in time.
async fn is_unavailable(client: &Client, us: &Session) {
    assert_eq!(status(client.call("GET", "/users")).await, 503);
    assert_eq!(status(us.call("GET", "/nodes")).await, 503);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lost_server_leaves_others_alone() {
    let servers = Servers::start().await;
    let app = servers.app().await;
    let [one, two, three] = platforms(&app).await;
    let (us, lost, them) = (one.own_session().await, two.own_session().await, three.own_session().await);
    pay(&lost).await;
    servers.0[1].cluster.stop(StopMode::Immediate).await.expect("it stops");

    tokio::join!(is_unavailable(&two, &lost), pay(&us), pay(&them));
    let found = until("the loss is told", async || {
        let (status, found) = ready(&app).await;
        assert_eq!((status, &found["status"]), (200, &json!("ready")), "{found}");
        (found["shards"]["2"]["parts"]["database"]["status"] != "ok").then_some(found)
    })
    .await;
    assert_eq!(found["shards"]["3"]["parts"]["database"]["status"], "ok");

    servers.0[1].cluster.start().await.expect("it starts");
    until("it answers again", async || (two.call("GET", "/users").send().await.status == 200).then_some(()))
        .await;
    pay(&lost).await;
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn server_lost_at_start_joins_later() {
    let servers = Servers::start().await;
    let app = servers.app().await;
    let [one, _, three] = platforms(&app).await;
    app.stop().await;
    servers.0[2].cluster.stop(StopMode::Fast).await.expect("it stops");
    let app = servers.app().await;
    let at = |client: Client| Client { address: app.address, ..client };
    let (one, three) = (at(one), at(three));
    pay(&one.own_session().await).await;
    assert_eq!(status(three.call("GET", "/users")).await, 503);
    servers.0[2].cluster.start().await.expect("it starts");
    opened(&app, 3).await;
    pay(&three.own_session().await).await;
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn process_with_another_map_is_refused() {
    let (servers, folder) = (Servers::start().await, folder_with_key());
    let app = servers.app().await;
    for client in platforms(&app).await {
        client.verified("Ada Lovelace").await;
    }
    let key = folder.path().join("master.key").display().to_string();
    let map = |range: &str, server: usize| format!("{range}={}", servers.url(server));
    let create = |maps: &[String]| {
        let (url, maps) = (servers.url(0), maps.to_vec());
        let words = ["client", "create", "Acme", "--database-url", &url, "--master-key", &key, "--json"];
        let maps = maps.iter().flat_map(|map| ["--shard-url", map]);
        run(words.into_iter().chain(maps))
    };
    let before = servers.events(0).await;
    for (maps, says) in [
        (vec![], "shard 2 has platforms, and no server"),
        (vec![map("2", 1)], "shard 3 has platforms, and no server"),
        (vec![map("2", 2), map("3", 1)], "shard 3 has events on the server 2-2"),
        (vec![map("1-3", 1)], "shard 1 has events on the server home"),
        (vec![map("2-3", 1), map("3", 2)], "the ranges 2-3 and 3 overlap"),
        (vec![map("2-3", 1)], "shard 3 has platforms, and no server"),
    ] {
        let refused = create(&maps);
        let told = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert_eq!(refused.status.code(), Some(2), "{told}");
        assert!(told.contains(says) && told.trim_end().lines().count() == 1, "{says}: {told}");
    }
    assert_eq!(servers.events(0).await, before, "nothing was written");
    let made = create(&[map("2", 1), map("3", 2)]);
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tables_of_home_are_reconciled_elsewhere() {
    let servers = Servers::start().await;
    let app = servers.app().await;
    let platforms = platforms(&app).await;
    let operator = app.operator("Desk").await;
    for client in &platforms {
        let node = client.own_session().await.funded("1").await;
        let path = format!("/platforms/{}/operations", client.client_id.replace(' ', "%20"));
        let act = json!({"act": {"kind": "lock_node", "node_id": node}, "reason": "A ticket asks for it."});
        let _ = operator.call("POST", &path).json(&act).send().await.ok();
    }
    let differing = || {
        let words = ["log", "verify", "--tables", "--json", "--key", PUBLIC_KEY];
        let done = run(words.map(str::to_owned).into_iter().chain(servers.map()));
        let text = String::from_utf8_lossy(&done.stdout).into_owned();
        let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        let summary = lines.iter().find(|line| line["left_out"].is_array());
        let summary = summary.unwrap_or_else(|| panic!("no summary: {done:?}"));
        assert_eq!((&summary["left_out"], &summary["skipped"]), (&json!([]), &json!([])));
        let is_wrong =
            |line: &&Value| line["is_difference"] == json!(true) && line["rows_found"].as_u64() > Some(0);
        let place = |line: &Value| (line["table"].to_string(), line["shard"].as_i64());
        lines.iter().filter(is_wrong).map(place).collect::<BTreeSet<_>>()
    };
    assert_eq!(differing(), BTreeSet::new());
    let home = servers.0[0].pg.client().await.expect("connects");
    // Rows of these tables are not deleted by mistake.
    home.batch_execute("set session_replication_role = replica").await.expect("the login is a superuser");
    let repair = "update platform set name = 'Company 2' where shard = 2";
    let elsewhere =
        [repair, "update platform set shard = 3 where shard = 2", "delete from operator"].join(";");
    for (damage, places) in [
        ("update platform set name = 'Other' where shard = 2", &[("platform", 2)][..]),
        (&elsewhere, &[("operator", 1), ("operator", 2), ("operator", 3), ("platform", 2), ("platform", 3)]),
    ] {
        home.batch_execute(damage).await.expect(damage);
        let place = |(table, shard): &(&str, i64)| (json!(table).to_string(), Some(*shard));
        assert_eq!(differing(), places.iter().map(place).collect(), "{damage}");
    }
    app.stop().await;
}
