//! Certificates of tests: as files for servers, and in clients that trust their authority.
#![allow(clippy::expect_used, reason = "a test that cannot have its certificates has failed")]

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::{ClientConfig, RootCertStore, SupportedProtocolVersion};

use crate::secret_file;

/// Certificate of the authority that signed the certificates of tests.
pub const AUTHORITY: &[u8] = include_bytes!("../tls/authority.der");

/// Certificate and key for `receiver.example` and 127.0.0.1.
pub const RECEIVER: (&[u8], &[u8]) =
    (include_bytes!("../tls/receiver.der"), include_bytes!("../tls/receiver.key.der"));

/// Certificate and key for `other.example`.
pub const OTHER: (&[u8], &[u8]) =
    (include_bytes!("../tls/other.der"), include_bytes!("../tls/other.key.der"));

/// Writes a certificate and its key into a folder, as `server.crt` and `server.key`. Returns both paths.
///
/// # Panics
///
/// Panics if the files cannot be written.
#[must_use]
pub fn write(folder: &Path, (certificate, key): (&[u8], &[u8])) -> (PathBuf, PathBuf) {
    let (chain, secret) = (folder.join("server.crt"), folder.join("server.key"));
    std::fs::write(&chain, pem("CERTIFICATE", certificate)).expect("written");
    secret_file::write(&secret, pem("PRIVATE KEY", key));
    (chain, secret)
}

/// Writes the authority's certificate into a folder, as `authority.crt`. Returns its path.
///
/// # Panics
///
/// Panics if the file cannot be written.
#[must_use]
pub fn write_authority(folder: &Path) -> PathBuf {
    let path = folder.join("authority.crt");
    std::fs::write(&path, pem("CERTIFICATE", AUTHORITY)).expect("written");
    path
}

fn pem(label: &str, der: &[u8]) -> String {
    let text = BASE64_STANDARD.encode(der);
    let lines = text.as_bytes().chunks(64).map(|line| String::from_utf8_lossy(line));
    let mut pem = format!("-----BEGIN {label}-----\n");
    for line in lines {
        let _ = writeln!(pem, "{line}");
    }
    let _ = writeln!(pem, "-----END {label}-----");
    pem
}

/// Returns a client that trusts the authority, with these TLS versions and application protocols.
///
/// # Panics
///
/// Never: the certificate is valid.
#[must_use]
pub fn client(versions: &[&'static SupportedProtocolVersion], protocols: &[&str]) -> TlsConnector {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from(AUTHORITY)).expect("a certificate");
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let config = config.with_protocol_versions(versions).expect("versions");
    let mut config = config.with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
    TlsConnector::from(Arc::new(config))
}
