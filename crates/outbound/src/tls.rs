//! Who is believed to be a host: whom the authorities that browsers trust have signed.

use std::net::IpAddr;
use std::sync::Arc;

use rustls::crypto::ring;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, Error, RootCertStore};
use tokio_rustls::TlsConnector;

use crate::failure::Failure;
use crate::guarded::Host;

/// What makes secure connections, to whoever is signed by the public's authorities or one of `more`.
///
/// # Errors
///
/// If one of `more` is no certificate.
pub fn connector(more: &[CertificateDer<'_>]) -> Result<TlsConnector, Error> {
    let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    for root in more {
        roots.add(root.clone().into_owned())?;
    }
    let provider = Arc::new(ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsConnector::from(Arc::new(config)))
}

/// The name that the certificate has to be for.
pub(super) fn server_name(host: &Host) -> Result<ServerName<'static>, Failure> {
    match host {
        Host::Address(address) => Ok(ServerName::IpAddress(IpAddr::into(*address))),
        Host::Name(name) => {
            ServerName::try_from(name.clone()).map_err(|_| Failure::Tls("the name is none".to_owned()))
        }
    }
}
