//! TLS certificate of the service. Its files may be replaced while the service runs.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use daybook_vault::{Pipes, certificates, read_secret};
use rustls::ServerConfig;
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::PrivateKeyDer;
use rustls::pki_types::pem::PemObject;
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use tokio_rustls::TlsAcceptor;

/// A certificate with its private key, and the files that they are read from.
pub struct Certificate {
    chain: PathBuf,
    key: PathBuf,
    provider: Arc<CryptoProvider>,
    current: RwLock<Arc<CertifiedKey>>,
}

impl Certificate {
    /// Reads both files in PEM: the chain, beginning with the service's own certificate, and the private key.
    ///
    /// # Errors
    ///
    /// Fails if a file cannot be read or has other contents, if the key does not belong to the certificate, or if other
    /// users may read the key.
    pub fn load(chain: &Path, key: &Path) -> io::Result<Self> {
        let provider = Arc::new(ring::default_provider());
        let current = RwLock::new(Arc::new(read(chain, key, Pipes::Read, &provider)?));
        Ok(Self { chain: chain.to_owned(), key: key.to_owned(), provider, current })
    }

    /// Reads both files again, for new connections. After an error the old certificate stays in use. A pipe is not read
    /// again, because that could block the service.
    ///
    /// # Errors
    ///
    /// The same as [`Certificate::load`].
    pub fn reload(&self) -> io::Result<()> {
        let read = Arc::new(read(&self.chain, &self.key, Pipes::Refused, &self.provider)?);
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = read;
        Ok(())
    }

    /// Makes the TLS acceptor: TLS 1.2 and 1.3, with HTTP/1.1 inside.
    pub(super) fn acceptor(self: &Arc<Self>) -> io::Result<TlsAcceptor> {
        let config = ServerConfig::builder_with_provider(Arc::clone(&self.provider));
        let config = config.with_safe_default_protocol_versions().map_err(io::Error::other)?;
        let mut config = config.with_no_client_auth().with_cert_resolver(Arc::clone(self) as _);
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(TlsAcceptor::from(Arc::new(config)))
    }
}

impl ResolvesServerCert for Certificate {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner)))
    }
}

impl fmt::Debug for Certificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Certificate").field("chain", &self.chain).finish_non_exhaustive()
    }
}

fn read(chain: &Path, key: &Path, pipes: Pipes, provider: &CryptoProvider) -> io::Result<CertifiedKey> {
    let wrong = |what: &dyn fmt::Display| io::Error::other(format!("{}: {what}", key.display()));
    let certificates = certificates(chain, pipes)?;
    let text = read_secret(key, pipes).map_err(|error| wrong(&error))?;
    // The parser's error is left out, because it may contain parts of the key.
    let secret = PrivateKeyDer::from_pem_slice(&text).map_err(|_| wrong(&"it holds no private key"))?;
    CertifiedKey::from_der(certificates, secret, provider)
        .map_err(|error| wrong(&format_args!("it is not the key of {}: {error}", chain.display())))
}
