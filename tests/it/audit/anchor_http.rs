//! Anchors over HTTP (external witnesses of checkpoints): servers that store, refuse, hang, or hold another history.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use daybook_cli::anchor::{Anchor, AnchorError, AnchorMetrics};
use daybook_cli::config::{AnchorLocation, Anchors};
use daybook_domain::testing::fixture;
use daybook_engine::heartbeat::Heartbeats;
use daybook_log::postgres::MadeCheckpoint;
use daybook_proof::Signer;
use daybook_tests::app::{PUBLIC_KEY, signer};
use daybook_tests::client::until;
use daybook_tests::database::Database;
use daybook_tests::process::{Daybook, run};
use daybook_tests::secret_file;
use daybook_tests::shard;
use tokio::sync::Semaphore;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::PrivatePkcs8KeyDer;

use super::anchor_server::{HANGS, KEEPS, LEADS_AWAY, NEVER_ENDS, OVERWRITES, REFUSES, Server};
use super::anchored::{Anchored, verify};
use super::checkpoints::{note, write};
use crate::restart::{dev_args, dev_client, folder_with_key};

const AUTHORITY: &[u8] = include_bytes!("../../tls/authority.der");
const RECEIVER: (&[u8], &[u8]) =
    (include_bytes!("../../tls/receiver.der"), include_bytes!("../../tls/receiver.key.der"));

fn options(address: &str) -> Anchors {
    Anchors { anchor: vec![address.parse().expect("a place")], ..Anchors::default() }
}

fn anchor(options: &Anchors) -> Anchor {
    Anchor::to_keep(options).expect("is one").pop().expect("one")
}

/// Each of two anchors gets every checkpoint; the authorization header goes only to the address it is configured for.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn http_anchor_covers_writes_with_own_authorization() {
    let (database, keys) = (Database::create().await, folder_with_key());
    let (server, other) = (Server::default(), Server::default());
    let base = format!("http://{}/log/", server.clone().start(None).await);
    let other_base = format!("http://{}/log", other.clone().start(None).await);
    let secrets = keys.path().join("secrets").display().to_string();
    secret_file::write(&secrets, format!("{base} Bearer of-the-first\n"));
    let more = ["--anchor", &format!("{base},{other_base}"), "--checkpoint-every", "200ms"];
    let more = more.into_iter().chain(["--anchor-authorization-file", &secrets]).map(str::to_owned);
    let process = Daybook::start(dev_args(&database, keys.path()).into_iter().chain(more));
    let mut written = 0;
    for round in 0..3 {
        written = write(&dev_client(process.address()), &format!("Ada {round}")).await;
        for server in [&server, &other] {
            until("it is covered", async || server.covers().filter(|size| *size >= written)).await;
        }
    }
    assert!(process.terminate().success());
    let size = server.covers().expect("is there");
    assert_eq!(server.get(&format!("/log/checkpoints/{size}")), server.get("/log/checkpoint"));
    for (server, has_secret) in [(&server, true), (&other, false)] {
        for head in server.heads.lock().expect("is whole").iter() {
            assert_eq!(head.contains("authorization: Bearer of-the-first"), has_secret, "{head}");
            let is_create = head.starts_with("PUT /log/checkpoints/");
            assert_eq!(head.contains("if-none-match: *"), is_create, "{head}");
            let is_put = head.starts_with("PUT ");
            assert_eq!(head.contains("content-type: text/plain; charset=utf-8"), is_put, "{head}");
        }
    }
    let url = database.url();
    let args = ["log", "verify", "--key", PUBLIC_KEY, "--database-url", &url, "--anchor", &base];
    let verified = run(args.into_iter().chain(["--anchor-authorization-file", &secrets]));
    assert_eq!(verified.status.code(), Some(0), "{verified:?}");
    server.does.store(REFUSES, Ordering::SeqCst);
    let refused = run(args);
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(
        refused.status.code() == Some(2) && said.contains("/log/checkpoint: the answer is 403"),
        "{said}"
    );
    assert!(written > 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn failing_anchor_delays_neither_writes_nor_others() {
    let (database, keys) = (Database::create().await, folder_with_key());
    let (refusing, hanging) = (Server::default(), Server::default());
    refusing.does.store(REFUSES, Ordering::SeqCst);
    hanging.does.store(HANGS, Ordering::SeqCst);
    let folder = keys.path().join("anchor");
    let places = [
        format!("http://{}/log", hanging.clone().start(None).await),
        "http://127.0.0.1:9/nobody".to_owned(),
        format!("http://{}/log", refusing.clone().start(None).await),
        folder.display().to_string(),
    ];
    let log = keys.path().join("log");
    let more = ["--anchor", &places.join(","), "--checkpoint-every", "200ms"].map(str::to_owned);
    let args = dev_args(&database, keys.path()).into_iter().chain(more);
    let process = Daybook::start_tracing(args, &log);
    let client = dev_client(process.address());
    for round in 0..3 {
        let begun = Instant::now();
        let written = write(&client, &format!("Ada {round}")).await;
        until("the folder has it", async || covers(&folder).filter(|size| *size >= written)).await;
        assert!(begun.elapsed() < Duration::from_secs(10), "no anchor waits for another");
    }
    assert_eq!((refusing.covers(), hanging.covers()), (None, None));
    until("both failures are logged", async || {
        let told = fs::read_to_string(&log).unwrap_or_default();
        let is_told = told.contains("the answer is 403") && told.contains("/nobody/checkpoint:");
        is_told.then_some(())
    })
    .await;
    drop(process);
}

fn covers(folder: &Path) -> Option<u64> {
    fs::read_to_string(folder.join("checkpoint")).ok()?.lines().nth(1)?.parse().ok()
}

#[tokio::test]
async fn recovered_anchor_receives_newest_checkpoint_without_writes() {
    let mut anchored = Anchored::new().await;
    let (refusing, hanging) = (Server::default(), Server::default());
    let mut anchors = vec![];
    for (server, does) in [(&refusing, REFUSES), (&hanging, HANGS)] {
        server.does.store(does, Ordering::SeqCst);
        anchors.push(anchor(&options(&format!("http://{}/log", server.clone().start(None).await))));
    }
    let (stop, stopped) = tokio::sync::watch::channel(false);
    let every = Duration::from_millis(50);
    let keeping = tokio::spawn(daybook_cli::anchor::keep(
        (anchored.audit.clone(), Heartbeats::default()),
        anchors,
        AnchorMetrics::default(),
        (every, Arc::new(Semaphore::new(1))),
        stopped,
    ));
    let asked = |server: &Server| server.heads.lock().expect("is whole").len();
    until("both are asked", async || (asked(&refusing) > 1 && asked(&hanging) > 0).then_some(())).await;
    anchored.story.tell_all((6_000..6_003).map(|number| fixture::pay(number, 5))).await;
    let head = anchored.story.head().await;
    for server in [&refusing, &hanging] {
        server.does.store(KEEPS, Ordering::SeqCst);
        // A call to a hanging server times out after 15 seconds.
        until("it has the newest", async || server.covers().filter(|size| *size == head)).await;
    }
    let sizes = anchored.log.checkpoints(shard(), 0, 100).await.expect("reads").len();
    let of_size = |size: &u64| hanging.get(&format!("/log/checkpoints/{size}")).is_some();
    assert!(sizes > 3 && (0..head).filter(of_size).count() <= 1, "what was missed is covered by the newest");
    stop.send_replace(true);
    keeping.await.expect("it ends");
}

/// A second root for a size that the anchor has is refused, also by a server that ignores conditional requests.
#[tokio::test]
async fn conflicting_checkpoint_at_http_anchor_is_refused() {
    let successor = Signer::new("daybook.example/1", &[9; 32]).expect("a key");
    let made = |signer: &Signer, size, root| MadeCheckpoint { size, note: note(signer, size, root) };
    for does in [KEEPS, OVERWRITES] {
        let server = Server::default();
        server.does.store(does, Ordering::SeqCst);
        let anchor = anchor(&options(&format!("http://{}/log", server.clone().start(None).await)));
        let first = made(&signer(), 5, 1);
        anchor.keep(&first).await.expect("keeps");
        anchor.keep(&made(&successor, 5, 1)).await.expect("says the same");
        anchor.keep(&made(&signer(), 9, 2)).await.expect("keeps");
        anchor.keep(&made(&signer(), 7, 3)).await.expect("keeps one that comes late");
        assert_eq!(server.covers(), Some(9), "the newest never gets older");
        let error = anchor.keep(&made(&signer(), 5, 4)).await.expect_err("another root");
        assert!(matches!(error, AnchorError::Another(_)), "{error}");
        assert!(
            error.to_string().ends_with("/log/checkpoints/5 holds another checkpoint of this size"),
            "{error}"
        );
        assert_eq!(server.get("/log/checkpoints/5"), Some(first.note), "it is not written over");
        for (does, says) in [(LEADS_AWAY, "the answer is 307"), (NEVER_ENDS, "length limit")] {
            server.does.store(does, Ordering::SeqCst);
            let error = anchor.keep(&made(&signer(), 11, 5)).await.expect_err("no answer that counts");
            assert!(error.to_string().contains(says), "{error}");
        }
        assert!(!server.heads.lock().expect("is whole").iter().any(|head| head.contains("elsewhere")));
    }
}

#[tokio::test]
async fn http_anchor_reveals_truncated_log() {
    let anchored = Anchored::new().await;
    let server = Server::default();
    let options = options(&format!("http://{}/log", server.clone().start(None).await));
    let made = anchored.audit.make_checkpoint().await.expect("is made");
    anchor(&options).keep(&made).await.expect("keeps");
    assert_eq!(verify(&anchored.log, options.clone()).await.findings, vec![]);
    let commits = anchored.log.raw_commits(shard(), 0).await.expect("reads");
    let end = commits[commits.len() - 3].last_position;
    let cut = format!(
        "set session_replication_role = replica; delete from event where position > {end};
         delete from commit where last_position > {end}; delete from checkpoint where size > {end};
         reset session_replication_role"
    );
    anchored
        .database
        .pg()
        .client()
        .await
        .expect("connects")
        .batch_execute(&cut)
        .await
        .expect("as a superuser");
    let alone = verify(&anchored.log, Anchors::default()).await;
    assert_eq!((alone.findings, alone.unchecked), (vec![], vec![]), "a log that was right once");
    let found = verify(&anchored.log, options).await.findings;
    let first = found.first().expect("is found");
    assert_eq!(first.position, Some(end + 1), "{found:?}");
    assert!(first.place.ends_with("/log/checkpoint") && first.what.contains("the log was cut"), "{found:?}");
}

#[tokio::test]
async fn https_anchor_certificate_is_verified() {
    let (certificate, key) = RECEIVER;
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(vec![certificate.into()], PrivatePkcs8KeyDer::from(key).into())
        .expect("a certificate");
    let server = Server::default();
    let address = server.clone().start(Some(TlsAcceptor::from(Arc::new(config)))).await;
    let made = MadeCheckpoint { size: 5, note: note(&signer(), 5, 1) };
    let mut options = options(&format!("https://{address}/log"));
    let error = anchor(&options).keep(&made).await.expect_err("its authority is unknown");
    assert!(error.to_string().contains("certificate"), "{error}");
    assert!(server.heads.lock().expect("is whole").is_empty(), "it was told nothing");
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("authority.pem");
    let pem =
        format!("-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----\n", STANDARD.encode(AUTHORITY));
    fs::write(&file, pem).expect("is written");
    options.anchor_authority_file = Some(file.clone());
    anchor(&options).keep(&made).await.expect("keeps");
    assert_eq!(server.covers(), Some(5));
    options.anchor = vec![AnchorLocation::Address(
        format!("https://localhost:{}/log", address.port()).parse().expect("one"),
    )];
    let error = anchor(&options).keep(&made).await.expect_err("it is for another name");
    assert!(error.to_string().contains("certificate"), "{error}");
    fs::write(&file, "no certificate").expect("is written");
    assert!(Anchor::to_keep(&options).is_err(), "what is no certificate is told at once");
}
