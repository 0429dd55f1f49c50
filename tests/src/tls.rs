//! The certificates of tests, as files that servers read, and clients that believe in their authority.
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

/// Signed the certificates of tests.
pub const AUTHORITY: &[u8] = include_bytes!("../tls/authority.der");

/// For `receiver.example` and 127.0.0.1.
pub const RECEIVER: (&[u8], &[u8]) =
    (include_bytes!("../tls/receiver.der"), include_bytes!("../tls/receiver.key.der"));

/// For `other.example`.
pub const OTHER: (&[u8], &[u8]) =
    (include_bytes!("../tls/other.der"), include_bytes!("../tls/other.key.der"));

/// Writes a certificate and its key into a folder, as `server.crt` and `server.key`.
///
/// # Panics
///
/// If they cannot be written.
#[must_use]
pub fn write(folder: &Path, (certificate, key): (&[u8], &[u8])) -> (PathBuf, PathBuf) {
    let (chain, secret) = (folder.join("server.crt"), folder.join("server.key"));
    std::fs::write(&chain, pem("CERTIFICATE", certificate)).expect("written");
    secret_file::write(&secret, pem("PRIVATE KEY", key));
    (chain, secret)
}

/// Writes the authority's certificate into a folder, as `authority.crt`.
///
/// # Panics
///
/// If it cannot be written.
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

/// A client that believes the authority, speaks these versions of TLS, and wants these protocols inside.
///
/// # Panics
///
/// Never: the certificate is one.
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
