//! Credentials of platforms: listing, rotation with an overlap, and revocation, effective in every process.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use daybook_domain::Timestamp;
use daybook_engine::access::{PLATFORM_CACHE_LIFETIME, revoke_client_secrets};
use daybook_tests::app::{SETTLE_AFTER, TestApp};
use daybook_tests::bodies;
use daybook_tests::client::{Client, Session, until};
use daybook_tests::database::Database;
use daybook_tests::process::{Daybook, run};
use futures::future::join_all;
use serde_json::{Value, json};

use crate::restart::{credentials, dev_client, dev_on, folder_with_key};

/// Two processes on one database, each with a client of the platform.
struct Pair {
    apps: [TestApp; 2],
    clients: [Client; 2],
}

impl Pair {
    async fn start() -> Self {
        let first = TestApp::start().await;
        let pg = first.database.pg();
        let second = TestApp::start_on(first.database.clone(), pg, SETTLE_AFTER).await;
        let clients = [first.client.clone(), Client { address: second.address, ..first.client.clone() }];
        Self { apps: [first, second], clients }
    }

    fn now(&self) -> Timestamp {
        self.apps[0].service.engine.clock().now()
    }

    /// Creates another secret. Earlier secrets end after `overlap`. Returns clients with the new secret.
    async fn rotate(&self, overlap: Duration) -> [Client; 2] {
        let engine = &self.apps[0].service.engine;
        let (now, entropy) = (self.now(), engine.entropy());
        let client_secret = format!("client_secret_{}", hex::encode(entropy.bytes::<32>()));
        let end = now.plus_ms(i64::try_from(overlap.as_millis()).expect("it is short"));
        let id = &self.clients[0].client_id;
        let made = engine.access().rotate_client_secret(id, &client_secret, end, now, entropy).await;
        assert!(made.expect("the database is there").is_some());
        self.clients.clone().map(|client| Client { client_secret: client_secret.clone(), ..client })
    }

    async fn revoke(&self, number: Option<i32>) -> Vec<i32> {
        let (pg, id) = (self.apps[0].database.pg(), &self.clients[0].client_id);
        revoke_client_secrets(&pg, id, number, self.now()).await.expect("the database is there")
    }
}

async fn status(client: &Client) -> u16 {
    client.call("GET", "/users").send().await.status
}

async fn user_status(session: &Session, address: std::net::SocketAddr) -> u16 {
    crate::restart::at(session, address).call("GET", "/nodes").send().await.status
}

async fn public_key(client: &Client) -> String {
    let issued = client.call("GET", "/client?issue_public_key=YES&scope=USERS|GET").send().await.ok();
    issued["public_key_obj"]["public_key"].as_str().expect("a key").to_owned()
}

async fn public_status(client: &Client, key: &str) -> u16 {
    client.anonymous("GET", "/users").header("X-SP-GATEWAY", format!("|{key}")).send().await.status
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn revoked_secret_fails_in_every_process() {
    let pair = Pair::start().await;
    let other = pair.apps[0].platform("Other", true).await;
    let ada = pair.clients[0].stranger("Ada Lovelace").await;
    let key = public_key(&pair.clients[0]).await;
    for client in &pair.clients {
        assert_eq!(status(client).await, 200);
        assert_eq!(user_status(&ada, client.address).await, 200);
        assert_eq!(public_status(client, &key).await, 200);
    }
    assert_eq!(pair.revoke(None).await, [1]);
    tokio::time::sleep(PLATFORM_CACHE_LIFETIME).await;
    for client in &pair.clients {
        client.call("GET", "/users").send().await.refused(401, "100");
        crate::restart::at(&ada, client.address).call("GET", "/nodes").send().await.refused(401, "110");
        assert_eq!(public_status(client, &key).await, 401);
    }
    assert_eq!(status(&other).await, 200);
    // Background work of the platform continues. A new secret opens the platform again, but keys issued before stay
    // invalid.
    let [again, _] = pair.rotate(Duration::ZERO).await;
    assert_eq!(status(&again).await, 200);
    assert_eq!(user_status(&ada, again.address).await, 401);
    assert_eq!(user_status(&again.session(&ada.user_id).await, again.address).await, 200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rotated_secrets_stay_valid_during_overlap() {
    let pair = Pair::start().await;
    let ada = pair.clients[0].stranger("Ada Lovelace").await;
    let rotated = pair.rotate(Duration::from_hours(1)).await;
    for client in pair.clients.iter().chain(&rotated) {
        assert_eq!(status(client).await, 200);
    }
    let newest = pair.rotate(Duration::ZERO).await;
    tokio::time::sleep(PLATFORM_CACHE_LIFETIME).await;
    for client in pair.clients.iter().chain(&rotated) {
        client.call("GET", "/users").send().await.refused(401, "100");
    }
    for client in &newest {
        assert_eq!(status(client).await, 200);
        // A user key issued under an ended secret stays valid until it expires.
        assert_eq!(user_status(&ada, client.address).await, 200);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn revoking_one_secret_keeps_other_secrets_keys() {
    let pair = Pair::start().await;
    let before = pair.clients[0].stranger("Ada Lovelace").await;
    let rotated = pair.rotate(Duration::from_hours(1)).await;
    let after = rotated[0].session(&before.user_id).await;
    let keys = [public_key(&pair.clients[0]).await, public_key(&rotated[0]).await];
    assert_eq!(pair.revoke(Some(1)).await, [1]);
    assert!(pair.revoke(Some(3)).await.is_empty());
    tokio::time::sleep(PLATFORM_CACHE_LIFETIME).await;
    for [old, new] in [0, 1].map(|at| [&pair.clients[at], &rotated[at]]) {
        assert_eq!((status(old).await, status(new).await), (401, 200));
        assert_eq!(user_status(&before, old.address).await, 401);
        assert_eq!(user_status(&after, old.address).await, 200);
        assert_eq!(public_status(old, &keys[0]).await, 401);
        assert_eq!(public_status(old, &keys[1]).await, 200);
    }
}

/// Both processes receive payments while the secret is revoked. Each call is answered with its transaction, or it is
/// refused and its transaction is in no list.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_during_revocation_succeed_or_are_refused() {
    let pair = Pair::start().await;
    let ada = pair.clients[0].verified("Ada Lovelace").await;
    let (from, to) = (ada.funded("100").await, ada.node("DEPOSIT-US").await);
    let is_revoked = AtomicBool::new(false);
    let pay = async |number: usize| {
        let session = crate::restart::at(&ada, pair.clients[number % 2].address);
        let (mut made, mut late) = (0, 0);
        loop {
            let began_late = is_revoked.load(Ordering::SeqCst);
            let answer = session.transfer(&from, &bodies::transfer(&to, "0.01")).send().await;
            match answer.status {
                200 => made += 1,
                401 => return (made, late),
                other => panic!("{other}: {}", answer.text()),
            }
            late += usize::from(began_late);
        }
    };
    let revoke = async {
        tokio::time::sleep(Duration::from_millis(500)).await;
        assert_eq!(pair.revoke(None).await, [1]);
        tokio::time::sleep(PLATFORM_CACHE_LIFETIME).await;
        is_revoked.store(true, Ordering::SeqCst);
    };
    let (paid, ()) = futures::join!(join_all((0..6).map(pay)), revoke);
    let made: usize = paid.iter().map(|(made, _)| made).sum();
    assert!(made > 0, "nothing was under way");
    assert!(paid.iter().all(|(_, late)| *late == 0), "a call that began afterwards was let in: {paid:?}");
    let [again, _] = pair.rotate(Duration::ZERO).await;
    let listed = async || {
        let list = again.session(&ada.user_id).await.call("GET", "/trans?per_page=1").send().await.ok();
        let count = list["trans_count"].as_u64().expect("a number");
        // The list also contains the initial credit.
        (usize::try_from(count) == Ok(made + 1)).then_some(())
    };
    until("all that were answered are listed, and no other", listed).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn command_line_lists_rotates_and_revokes_secrets() {
    let (database, folder) = (Database::create().await, folder_with_key());
    let processes: [Daybook; 2] = [(); 2].map(|()| dev_on(&database, folder.path()));
    let (url, key) = (database.url(), folder.path().join("master.key").display().to_string());
    let client = |args: &[&str], needs_key: bool| {
        let place: &[&str] = if needs_key { &["--master-key", &key] } else { &[] };
        run(["client"].iter().chain(args).chain(&["--database-url", &url]).chain(place))
    };
    let id = "client_id_dev";
    let rotated = credentials(&client(&["rotate", id, "--overlap", "10m", "--json"], true));
    assert_eq!((&rotated["client_id"], &rotated["secret"]), (&json!(id), &json!(2)));
    let clients = processes.each_ref().map(|process| {
        let old = dev_client(process.address());
        let client_secret = rotated["client_secret"].as_str().expect("a secret").to_owned();
        [Client { client_secret, ..old.clone() }, old]
    });
    for one in clients.iter().flatten() {
        assert_eq!(status(one).await, 200);
    }
    let listed = credentials(&client(&["list", "--json"], false));
    let secrets = &listed[0]["secrets"];
    assert_eq!((&listed[0]["client_id"], &listed[0]["sandbox"]), (&json!(id), &json!(true)));
    assert_eq!(secrets[0]["good_until"], rotated["others_good_until"]);
    assert_eq!((&secrets[1]["good_until"], &secrets[1]["revoked_at"]), (&Value::Null, &Value::Null));

    let revoked = credentials(&client(&["revoke", id, "--secret", "1", "--json"], false));
    assert_eq!(revoked, json!({"client_id": id, "revoked": [1]}));
    // The revocation is effective as soon as the command has returned.
    for [new, old] in &clients {
        assert_eq!((status(old).await, status(new).await), (401, 200));
    }
    assert!(client(&["revoke", id], false).status.success());
    for [new, _] in &clients {
        assert_eq!(status(new).await, 401);
    }
    let told = String::from_utf8(client(&["list"], false).stdout).expect("text");
    assert_eq!(told.matches("  revoked ").count(), 2, "{told}");
    assert!(told.starts_with("client_id_dev  Sandbox   (sandbox)\n    secret 1  made "), "{told}");
    assert!(!told.contains("client_secret"), "{told}");
    for wrong in [
        &["rotate", "client_id_nobody"][..],
        &["rotate", id, "--overlap", "1d"],
        &["rotate", id, "--until", "2026-03-01"],
        &["rotate", id, "--until", "2026-03-01T12:00:00Z", "--overlap", "1h"],
        &["revoke", "client_id_nobody"],
        &["revoke", id, "--secret", "9"],
        &["revoke"],
    ] {
        assert_eq!(client(wrong, true).status.code(), Some(2), "{wrong:?}");
    }
    for process in processes {
        assert!(process.terminate().success());
    }
}

/// During an upgrade, a process of the previous release writes a new platform only to `platform`, not to
/// `client_secret`.
#[tokio::test]
async fn platform_of_previous_release_has_its_secret() {
    let database = Database::create().await;
    let client = database.pg().acting_as(daybook_pg::Role::App).client().await.expect("connects");
    let made = "insert into platform values (gen_random_uuid(), 1, 'short', 'Acme', 'client_id_acme', '\\x01', true, \
         gen_random_uuid(), gen_random_uuid(), now(), '\\x02')";
    client.batch_execute(made).await.expect("it is made");
    let sql = "select count(*) from client_secret s join platform p using (platform)
               where s.secret_no = 1 and s.secret_hash = p.secret_hash and s.sealed_secret = p.sealed_secret
                 and s.created_at = p.created_at and s.good_until is null and s.revoked_at is null";
    let count: i64 = client.query_one(sql, &[]).await.expect("an answer").get(0);
    assert_eq!(count, 1);
}
