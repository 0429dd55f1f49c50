//! Connections to PostgreSQL: TLS, and several hosts of which one accepts writes.

use std::io::Write;
use std::net::TcpListener;
use std::time::Duration;

use daybook_pg::{Config, Error, Pg};
use daybook_tests::bodies::transfer;
use daybook_tests::client::until;
use daybook_tests::http::Answer;
use daybook_tests::process::Daybook;
use daybook_tests::server::Server;
use daybook_tests::tls;
use tokio::time::Instant;

use crate::restart::{at, dev_client, folder_with_key};

/// TLS version of a connection to `url`, or `None` without TLS. Fails if no connection is possible.
async fn secured(url: &str) -> Result<Option<String>, Error> {
    let pg = Pg::new(Config::from_url(url)?)?;
    let sql = "select version from pg_stat_ssl where pid = pg_backend_pid()";
    let pooled: Option<String> = pg.client().await?.query_one(sql, &[]).await?.get(0);
    let dedicated: Option<String> = pg.dedicated().await?.query_one(sql, &[]).await?.get(0);
    assert_eq!(pooled, dedicated);
    Ok(pooled)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connection_is_as_secure_as_requested() {
    let (server, folder) = (Server::secured(), tempfile::tempdir().expect("a folder"));
    let authority = tls::write_authority(folder.path());
    let (stranger, _) = tls::write(folder.path(), tls::OTHER);
    let root = format!("sslrootcert={}", authority.display());
    let tls13 = || Some("TLSv1.3".to_owned());
    for more in [
        "sslmode=require".to_owned(),
        format!("sslmode=verify-full {root}"),
        format!("sslmode=verify-ca {root}"),
        root.clone(),
    ] {
        assert_eq!(secured(&server.url(&more)).await.expect(&more), tls13(), "{more}");
    }
    let named = |host: &str, more: &str| {
        server.url(more).replace("host=127.0.0.1", &format!("host={host} hostaddr=127.0.0.1"))
    };
    assert_eq!(secured(&named("receiver.example", &root)).await.expect("its name"), tls13());
    // A certificate for another host name is accepted by `verify-ca` and refused by `verify-full`.
    assert_eq!(
        secured(&named("db.example", &format!("sslmode=verify-ca {root}"))).await.expect("signed"),
        tls13()
    );
    for url in [
        named("db.example", &root),
        server.url(&format!("sslmode=verify-full sslrootcert={}", stranger.display())),
        server.url(&format!("sslmode=verify-ca sslrootcert={}", stranger.display())),
        // No public certificate authority has signed the server's certificate.
        server.url("sslmode=verify-full"),
        // Without TLS, which this server refuses.
        server.url("sslmode=disable"),
        server.url(""),
    ] {
        assert!(secured(&url).await.is_err(), "{url}");
    }
    let nowhere = Config::from_url(&server.url("sslrootcert=/nowhere"));
    assert!(matches!(nowhere, Err(Error::Config(why)) if why.contains("/nowhere")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn required_tls_never_falls_back_to_plaintext() {
    let server = Server::start();
    assert_eq!(secured(&server.url("")).await.expect("on this machine"), None);
    assert!(secured(&server.url("sslmode=require")).await.is_err());
}

pub(crate) fn dev(url: &str, folder: &std::path::Path) -> Daybook {
    let key = folder.join("master.key").display().to_string();
    let data = folder.display().to_string();
    let args = ["dev", "--database-url", url, "--data-dir", &data, "--master-key", &key];
    Daybook::start(args.iter().chain(&["--listen", "127.0.0.1:0", "--settle-after", "300ms"]))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn service_works_over_tls_connections() {
    let (server, folder) = (Server::secured(), folder_with_key());
    let authority = tls::write_authority(folder.path());
    let url = server.url(&format!("sslmode=verify-full sslrootcert={}", authority.display()));
    let process = dev(&url, folder.path());
    let ada = dev_client(process.address()).verified("Ada Lovelace").await;
    let (from, to) = (ada.funded("10").await, ada.node("DEPOSIT-US").await);
    let id = ada.sent(&from, &to, "1").await;
    let _ = ada.when(&from, &id, "SETTLED").await;
    assert_eq!(ada.balance(&to).await, "1.00");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn silent_host_does_not_hide_next_host() {
    let server = Server::start();
    // Accepts connections, as a paused server does, and never sends a byte.
    let silent = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = silent.local_addr().expect("bound").port();
    let hosts = format!("host=127.0.0.1,127.0.0.1 port={port},{}", server.port);
    let url = server.url("").replace(&format!("host=127.0.0.1 port={}", server.port), &hosts);
    let asked = Instant::now();
    assert_eq!(secured(&url).await.expect("the second host"), None);
    assert!(asked.elapsed() < Duration::from_secs(20));
    // A silent host without an alternative leads to a timeout.
    let alone = Pg::new(Config::from_url(&format!("host=127.0.0.1 port={port} user=x")).expect("a url"));
    let refused = tokio::time::timeout(Duration::from_secs(20), alone.expect("a pool").dedicated()).await;
    assert!(matches!(refused, Ok(Err(Error::Unavailable(_)))));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn service_continues_on_promoted_standby() {
    let (primary, folder) = (Server::start(), folder_with_key());
    if !primary.can_be_followed() {
        // The test harness shows the output of `eprintln` only for failed tests, so this writes to standard error
        // directly.
        let why = "SKIPPED: there is no pg_basebackup beside this PostgreSQL, so no server follows another";
        writeln!(std::io::stderr(), "{why}").expect("says so");
        return;
    }
    let standby = primary.followed();
    let hosts = format!("host=127.0.0.1,127.0.0.1 port={},{}", standby.port, primary.port);
    // The standby, which accepts no writes, comes first.
    let url = primary.url("").replace(&format!("host=127.0.0.1 port={}", primary.port), &hosts);
    let process = dev(&url, folder.path());
    let ada = dev_client(process.address()).verified("Ada Lovelace").await;
    let (from, to) = (ada.funded("100").await, ada.node("DEPOSIT-US").await);
    for _ in 0..10 {
        ada.sent(&from, &to, "1").await;
    }
    let there = async |server: &Server| -> i64 {
        let sql = "select coalesce(max(position), 0) from event";
        server.client().await.query_one(sql, &[]).await.expect("an answer").get(0)
    };
    let head = there(&primary).await;
    until("the standby has it all", async || (there(&standby).await >= head).then_some(())).await;

    primary.crash();
    let pay = |key: &str| ada.transfer(&from, &transfer(&to, "1")).key(key).send();
    let is_told = |answer: &Answer| assert_eq!(answer.status, 503, "{}", answer.text());
    is_told(&pay("k0").await);
    standby.promote();
    until("it goes on", async || (pay("k1").await.status != 503).then_some(())).await;
    // The first call may have been committed before its answer was lost. Its idempotency key shows that.
    for key in ["k0", "k1"] {
        let answer = pay(key).await;
        assert!([200, 409].contains(&answer.status), "{}", answer.text());
    }
    let ada = at(&ada, process.address());
    until("all of it is there", async || (ada.balance(&from).await == "88.00").then_some(())).await;
}
