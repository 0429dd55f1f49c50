//! TLS of the service: certificate, protocol versions, ALPN, and replacement of the certificate while the service runs.

use std::fs::Permissions;
use std::net::{Ipv4Addr, SocketAddr};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use daybook_tests::client::until;
use daybook_tests::database::Database;
use daybook_tests::http::{self, send_raw};
use daybook_tests::process::{Daybook, run};
use daybook_tests::secret_file;
use daybook_tests::tls::{self, OTHER, RECEIVER};
use nix::sys::signal::{Signal, kill};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::ProtocolVersion;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::version::{TLS12, TLS13};

use crate::restart::{dev_args, folder_with_key};

/// Client hello of a client that supports only TLS 1.1: record, version, 32 random bytes, no session, two ciphers, no
/// compression, the supported curve and the supported signature.
const TLS11: &[u8] = &[
    0x16, 3, 1, 0, 65, 1, 0, 0, 61, 3, 2, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7,
    7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 0, 0, 4, 0xc0, 0x13, 0, 0x2f, 1, 0, 0, 16, 0, 10, 0, 4, 0, 2, 0, 23, 0, 13,
    0, 4, 0, 2, 4, 3,
];

fn secured(database: &Database, folder: &Path) -> Daybook {
    secured_with(database, folder, &[])
}

fn secured_with(database: &Database, folder: &Path, more: &[&str]) -> Daybook {
    let (chain, key) = tls::write(folder, RECEIVER);
    let mut args = dev_args(database, folder);
    args.extend(["--tls-certificate".to_owned(), chain.display().to_string()]);
    args.extend(["--tls-key".to_owned(), key.display().to_string()]);
    args.extend(more.iter().map(|&option| option.to_owned()));
    Daybook::start(args)
}

async fn connect(
    address: SocketAddr,
    client: &TlsConnector,
    name: &str,
) -> std::io::Result<TlsStream<TcpStream>> {
    let name = ServerName::try_from(name.to_owned()).expect("a name");
    client.connect(name, TcpStream::connect(address).await?).await
}

/// Answer to a call of the readiness check over this connection.
async fn call(stream: TlsStream<TcpStream>) -> String {
    told(stream, "GET /health/ready HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").await
}

/// Answer to these bytes.
async fn told(mut stream: TlsStream<TcpStream>, head: &str) -> String {
    stream.write_all(head.as_bytes()).await.expect("sent");
    // The received bytes count, even if the connection ended with an error.
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes).await;
    String::from_utf8_lossy(&bytes).into_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn service_with_certificate_accepts_only_tls() {
    let (database, folder) = (Database::create().await, folder_with_key());
    let process = secured(&database, folder.path());
    let address = process.address();
    assert_eq!(process.base_url, format!("https://{address}"));
    for (version, expected) in [(&TLS12, ProtocolVersion::TLSv1_2), (&TLS13, ProtocolVersion::TLSv1_3)] {
        for name in ["127.0.0.1", "receiver.example"] {
            let client = tls::client(&[version], &["h2", "http/1.1"]);
            let stream = connect(address, &client, name).await.expect("secured");
            let session = stream.get_ref().1;
            assert_eq!(session.protocol_version(), Some(expected));
            assert_eq!(session.alpn_protocol(), Some(&b"http/1.1"[..]));
            assert!(call(stream).await.starts_with("HTTP/1.1 200 OK\r\n"));
        }
    }
    let both: &[_] = &[&TLS12, &TLS13];
    assert!(
        connect(address, &tls::client(both, &[]), "other.example").await.is_err(),
        "the name of another host"
    );
    assert!(connect(address, &tls::client(both, &["h2"]), "127.0.0.1").await.is_err(), "no HTTP/2");
    assert!(
        send_raw(address, b"GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n").await.is_none(),
        "in the clear"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tls_answers_carry_strict_transport_security() {
    let (database, folder) = (Database::create().await, folder_with_key());
    let process = secured(&database, folder.path());
    let client = tls::client(&[&TLS13], &[]);
    for (status, head) in [
        (200, "GET /health/ready HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"),
        (401, "GET /v3.1/users HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"),
        (404, "GET /nothing HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"),
        (421, "GET /docs HTTP/1.1\r\nHost: other.example\r\nConnection: close\r\n\r\n"),
        (400, "GARBAGE\r\n\r\n"),
    ] {
        let stream = connect(process.address(), &client, "receiver.example").await.expect("secured");
        let text = told(stream, head).await;
        assert!(text.starts_with(&format!("HTTP/1.1 {status} ")), "{text}");
        let (head, _) = text.split_once("\r\n\r\n").expect("a head");
        for header in ["strict-transport-security: max-age=63072000", "referrer-policy: no-referrer"] {
            assert_eq!(head.matches(header).count(), 1, "{head}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn old_tls_version_is_refused() {
    let (database, folder) = (Database::create().await, folder_with_key());
    let process = secured(&database, folder.path());
    let mut stream = TcpStream::connect(process.address()).await.expect("the service listens");
    stream.write_all(TLS11).await.expect("sent");
    let mut told = Vec::new();
    let _ = stream.read_to_end(&mut told).await;
    // A fatal alert: protocol version.
    assert!(matches!(told.as_slice(), [0x15, 3, _, 0, 2, 2, 70]), "{told:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sighup_reloads_certificate_without_restart() {
    let (database, folder) = (Database::create().await, folder_with_key());
    let process = secured(&database, folder.path());
    let client = tls::client(&[&TLS13], &[]);
    let is_shown = async |name: &str| connect(process.address(), &client, name).await.is_ok();
    let mut open = connect(process.address(), &client, "receiver.example").await.expect("secured");
    let _ = tls::write(folder.path(), OTHER);
    assert!(!is_shown("other.example").await, "the new certificate is not loaded yet");
    kill(process.pid(), Signal::SIGHUP).expect("it runs");
    until("the other is shown", async || is_shown("other.example").await.then_some(())).await;
    assert!(!is_shown("receiver.example").await);
    // An open connection continues.
    open.write_all(b"GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n").await.expect("sent");
    assert!(open.read(&mut [0; 512]).await.is_ok_and(|count| count > 0));
    // An invalid file keeps the loaded certificate.
    std::fs::write(folder.path().join("server.crt"), "nothing").expect("written");
    kill(process.pid(), Signal::SIGHUP).expect("it runs");
    for _ in 0..20 {
        assert!(is_shown("other.example").await);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn handshakes_are_limited_per_address() {
    let (database, folder) = (Database::create().await, folder_with_key());
    let process = secured_with(&database, folder.path(), &["--handshakes-per-address=3/h"]);
    let (address, client) = (process.address(), tls::client(&[&TLS13], &[]));
    let mut open = connect(address, &client, "127.0.0.1").await.expect("the first");
    for number in 2..10 {
        let is_let_in = connect(address, &client, "127.0.0.1").await.is_ok();
        assert_eq!(is_let_in, number <= 3, "handshake {number}");
    }
    // The open connection continues, and clients of other addresses are accepted.
    for _ in 0..20 {
        open.write_all(b"GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n").await.expect("sent");
        let count = open.read(&mut [0; 1024]).await.expect("an answer");
        assert!(count > 0);
    }
    let elsewhere =
        http::connect(address, Some(Ipv4Addr::new(127, 0, 9, 1).into())).await.expect("connected");
    let name = ServerName::try_from("127.0.0.1").expect("a name");
    assert!(call(client.connect(name, elsewhere).await.expect("secured")).await.starts_with("HTTP/1.1 200 "));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn certificate_without_its_key_prevents_start() {
    let (database, folder) = (Database::create().await, folder_with_key());
    let (chain, key) = tls::write(folder.path(), RECEIVER);
    let fails = |more: &[String]| {
        let output = run(dev_args(&database, folder.path()).iter().chain(more));
        assert_eq!(output.status.code(), Some(2), "{more:?}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let [chain, key] = [chain, key].map(|path| path.display().to_string());
    let option = |name: &str, value: &str| format!("--tls-{name}={value}");
    std::fs::set_permissions(&key, Permissions::from_mode(0o644)).expect("it is ours");
    let both = [option("certificate", &chain), option("key", &key)];
    assert!(fails(&both).contains("everybody on this machine may use it (mode 644)"));
    std::fs::set_permissions(&key, Permissions::from_mode(0o640)).expect("it is ours");
    fails(&[option("certificate", &chain)]);
    fails(&[option("key", &key)]);
    assert!(fails(&[option("certificate", "/nowhere"), option("key", &key)]).contains("/nowhere"));
    assert!(fails(&[option("certificate", &chain), option("key", "/nowhere")]).contains("/nowhere"));
    let no_key = folder.path().join("no.key").display().to_string();
    secret_file::write(&no_key, std::fs::read(&chain).expect("a certificate"));
    assert!(fails(&[option("certificate", &chain), option("key", &no_key)]).contains("no private key"));
    std::fs::write(&key, std::fs::read(tls::write(&elsewhere(folder.path()), OTHER).1).expect("a key"))
        .expect("written");
    assert!(fails(&[option("certificate", &chain), option("key", &key)]).contains("is not the key of"));
}

fn elsewhere(folder: &Path) -> std::path::PathBuf {
    let other = folder.join("other");
    std::fs::create_dir_all(&other).expect("a folder");
    other
}
