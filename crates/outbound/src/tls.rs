//! TLS configuration: the certificate authorities that browsers trust.

use std::sync::Arc;

use rustls::crypto::ring;
use rustls::pki_types::CertificateDer;
use rustls::{ClientConfig, Error, RootCertStore};
use tokio_rustls::TlsConnector;

/// Creates a TLS connector that trusts the public certificate authorities and `more`.
pub(crate) fn connector(more: &[CertificateDer<'_>]) -> Result<TlsConnector, Error> {
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
