//! A request that creates a transaction, from the first byte of its head to the last byte of the answer: the HTTP
//! server on a local socket, and the writer on a log in memory.
//!
//! Session and keys are cached, as after a user's first call. There is no database: a request that needs one fails.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use daybook_api::body::Budget;
use daybook_api::{App, ListenerOptions, Observability, ResourceLimits};
use daybook_domain::testing::fixture::{self, ANN, ANNS, BOB, BOBS, OWNER, PLATFORM, RESERVE, fund};
use daybook_domain::{Command, Kind, Sealed, UserId};
use daybook_engine::access::{Access, ClientSecret, PlatformRecord, Scopes, Session};
use daybook_engine::feed::Feed;
use daybook_engine::rails::address_check::NoAddressCheck;
use daybook_engine::rails::bank::NoBank;
use daybook_engine::rails::bank_link::NoBankLink;
use daybook_engine::rails::identity::NoIdentityCheck;
use daybook_engine::rails::routing_directory::NoRoutingDirectory;
use daybook_engine::webhook::Attempts;
use daybook_engine::{Audit, Call, Engine, NodeDetails, Ports, Profile, SHARD, Sealer, Settings};
use daybook_log::memory::MemoryLog;
use daybook_log::postgres::PostgresLog;
use daybook_log::{Log, Signers};
use daybook_outbound::guarded::{Client, SystemResolver};
use daybook_pg::{Config, Pg};
use daybook_projector::Reads;
use daybook_proof::Signer;
use daybook_vault::{Class, MasterKey, Vault};
use tokio::runtime::Builder;
use uuid::Uuid;

use super::Work;

/// OAuth key of the caller: short id of the platform, then the secret.
const KEY: &str = "oauth_0000000001_0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
/// Balance of the caller: ten million dollars.
const FUNDS_MINOR: i64 = 1_000_000_000;
const BASE_URL: &str = "http://127.0.0.1:8080";

pub(super) fn request() -> Work {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("a bound port");
    std::thread::spawn(move || serve(listener));
    let stream = TcpStream::connect(address).expect("it listens");
    stream.set_nodelay(true).expect("a socket");
    let mut connection = BufReader::new(stream);
    let mut numbers = 1..;
    Box::new(move || {
        connection.get_mut().write_all(asked(numbers.next().unwrap_or(0)).as_bytes()).expect("it reads");
        answered(&mut connection);
    })
}

/// Returns the request: a payment with a note, under an idempotency key of its own.
fn asked(number: u64) -> String {
    let body = format!(
        r#"{{"to":{{"type":"DEPOSIT-US","id":"{BOBS}"}},"amount":{{"amount":10.50,"currency":"USD"}},"extra":{{"ip":"127.0.0.1","note":"Rent","supp_id":"rent-{number:08}"}}}}"#
    );
    format!(
        "POST /v3.1/users/{ANN}/nodes/{ANNS}/trans HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nX-SP-USER: {KEY}|fingerprint\r\n\
         X-SP-IDEMPOTENCY-KEY: gate-{number:08}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// Reads one answer, which must have status 200.
fn answered(connection: &mut impl BufRead) {
    let (mut line, mut length) = (String::new(), 0);
    connection.read_line(&mut line).expect("it answers");
    let is_done = line.starts_with("HTTP/1.1 200 ");
    while !line.trim_end().is_empty() {
        line.clear();
        connection.read_line(&mut line).expect("it answers");
        let header = line.to_ascii_lowercase();
        if let Some(value) = header.strip_prefix("content-length: ") {
            length = value.trim_end().parse().expect("a length");
        }
    }
    let mut body = vec![0; length];
    connection.read_exact(&mut body).expect("it answers");
    assert!(is_done, "{}", String::from_utf8_lossy(&body));
}

/// Serves until the program ends.
fn serve(listener: TcpListener) {
    let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let server =
            daybook_api::server(app().await, listener, &ListenerOptions::default(), 0).expect("it listens");
        server.await.expect("it serves");
    });
}

/// Creates the state of the handlers.
async fn app() -> App {
    let pg = Pg::new(Config::from_socket(Path::new("/nowhere"), 1, "nobody", "nothing")).expect("a pool");
    let log: Arc<dyn Log> = Arc::new(MemoryLog::new().omit_boxes_of(&Kind::LARGE_PAYLOADS.map(Kind::code)));
    let vault = Vault::new(pg.clone(), MasterKey::from_bytes([7; 32]));
    let access = Access::new(pg.clone(), vault.clone());
    let reads = Reads::new(pg.clone(), Arc::clone(&log));
    let settings = Settings::settling_after(Duration::from_hours(1));
    let engine = Engine::new(Arc::clone(&log), reads, vault, access, ports(), settings);
    engine.serve(SHARD).expect("a thread");
    settle(&engine).await;
    let signers: Signers = Signer::new("daybook.example/1", &[8; 32]).expect("an origin").into();
    App {
        audit: Audit::new(PostgresLog::new(pg.clone()), signers),
        client: Client::new(Arc::new(SystemResolver), false, &[]).expect("no more roots"),
        attempts: Attempts::new(pg),
        feed: Feed::new(log),
        rates: Arc::default(),
        bodies: Budget::default(),
        resource_limits: ResourceLimits::default(),
        observability: Observability::default(),
        base_url: BASE_URL.into(),
        reads: engine.reads().clone(),
        engine,
    }
}

fn ports() -> Ports {
    Ports {
        identity: Arc::new(NoIdentityCheck),
        bank: Arc::new(NoBank),
        bank_link: Arc::new(NoBankLink),
        routing_directory: Arc::new(NoRoutingDirectory),
        address_check: Arc::new(NoAddressCheck),
    }
}

/// Creates the fixture's bank with boxes that can be opened, and gives Ann money and an OAuth key.
async fn settle(engine: &Engine) {
    let (ann, bob) = (sealer(engine, ANN), sealer(engine, BOB));
    let mut commands = fixture::bank();
    commands.push(fund(ANNS, FUNDS_MINOR));
    for mut command in commands {
        match &mut command {
            Command::CreateUser(create) if create.id == ANN => create.profile = profile(&ann, "Ada Lovelace"),
            Command::CreateUser(create) if create.id == BOB => create.profile = profile(&bob, "Grace Hopper"),
            Command::CreateNode(create) if create.id == ANNS => create.details = details(&ann),
            Command::CreateNode(create) if create.id == BOBS => create.details = details(&bob),
            _ => {}
        }
        engine.submit(Call::of(SHARD), command).await.expect("it is not refused");
    }
    let expires_at = engine.clock().now().plus_ms(7_200_000);
    let platform = platform(engine).into();
    let session =
        Session { platform, secret_no: 1, user: ANN, scopes: Scopes::ALL, expires_at, device: None };
    engine.access().remember(KEY, session);
}

/// Creates the keys of a user.
fn sealer(engine: &Engine, user: UserId) -> Sealer {
    let (entropy, subject) = (engine.entropy(), Uuid::from(user));
    let keys = engine.vault().passing(SHARD, subject, &move |bytes| entropy.fill(bytes)).expect("keys");
    engine.vault().remember(SHARD, keys.clone());
    Sealer::new(keys, engine.clock().now(), entropy)
}

fn profile(sealer: &Sealer, name: &str) -> Sealed {
    let profile = Profile { legal_names: vec![name.to_owned()], ..Profile::default() };
    sealer.seal(Class::Profile, &profile).expect("a box")
}

fn details(sealer: &Sealer) -> Sealed {
    let details = NodeDetails { nickname: "My DEPOSIT-US".to_owned(), ..NodeDetails::default() };
    sealer.seal(Class::Profile, &details).expect("a box")
}

fn platform(engine: &Engine) -> PlatformRecord {
    let secret = ClientSecret { number: 1, hash: [0; 32], sealed: None, good_until: None, revoked_at: None };
    PlatformRecord {
        id: PLATFORM,
        shard: SHARD,
        short_id: "0000000001".to_owned(),
        name: "Daybook".to_owned(),
        client_id: "client_id_gate".to_owned(),
        secrets: vec![secret],
        sandbox: true,
        user: OWNER,
        reserve: RESERVE,
        created_at: engine.clock().now(),
    }
}
