//! TLS to PostgreSQL: the interface of the driver, implemented with rustls.

use std::future::Future;
use std::io;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use daybook_intake::file::Pipes;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::Socket;
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};
use tokio_rustls::TlsConnector;

use crate::config::Security;
use crate::{Error, certificates};

/// Connector for TLS or plain connections. Clones are cheap.
#[derive(Clone)]
pub(crate) struct Connector(Option<TlsConnector>);

impl std::fmt::Debug for Connector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.0.is_some() { "Connector(TLS)" } else { "Connector(plain)" })
    }
}

impl Connector {
    /// Connector for plain connections.
    pub(crate) const PLAIN: Self = Self(None);

    /// Creates the connector for `security`.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] if the file with the authorities cannot be read.
    pub(crate) fn new(security: &Security) -> Result<Self, Error> {
        let provider = Arc::new(ring::default_provider());
        let chain = match security {
            Security::Plain => return Ok(Self::PLAIN),
            Security::Encrypted => None,
            Security::Verified { root, .. } => Some(verifier(root.as_deref(), &provider)?),
        };
        let name = matches!(security, Security::Verified { name: true, .. });
        let asked = CertificateVerifier { chain, name, provider: Arc::clone(&provider) };
        let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
        let config = config.map_err(|error| Error::Config(error.to_string()))?;
        let mut config =
            config.dangerous().with_custom_certificate_verifier(Arc::new(asked)).with_no_client_auth();
        config.alpn_protocols = vec![b"postgresql".to_vec()];
        Ok(Self(Some(TlsConnector::from(Arc::new(config)))))
    }

    /// Returns true if connections use TLS.
    pub(crate) const fn is_secure(&self) -> bool {
        self.0.is_some()
    }
}

/// Creates a verifier that trusts the authorities in the file `root`, or the public authorities without a file.
fn verifier(root: Option<&Path>, provider: &Arc<CryptoProvider>) -> Result<Arc<WebPkiServerVerifier>, Error> {
    let mut roots = RootCertStore::empty();
    match root {
        None => roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned()),
        Some(path) => {
            let wrong = |what: &dyn std::fmt::Display| Error::Config(format!("sslrootcert {what}"));
            for certificate in certificates(path, Pipes::Read).map_err(|error| wrong(&error))? {
                let added = roots.add(certificate);
                added.map_err(|error| wrong(&format_args!("{}: {error}", path.display())))?;
            }
        }
    }
    WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(provider))
        .build()
        .map_err(|error| Error::Config(format!("sslrootcert: {error}")))
}

/// Verifier of server certificates, to the extent that is configured. It always verifies that the server holds the
/// certificate's key.
#[derive(Debug)]
struct CertificateVerifier {
    chain: Option<Arc<WebPkiServerVerifier>>,
    name: bool,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for CertificateVerifier {
    fn verify_server_cert(
        &self,
        own: &CertificateDer<'_>,
        others: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let Some(chain) = &self.chain else { return Ok(ServerCertVerified::assertion()) };
        match chain.verify_server_cert(own, others, name, ocsp, now) {
            // The name is verified last.
            Err(rustls::Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) if !self.name => Ok(ServerCertVerified::assertion()),
            judged => judged,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        rustls::crypto::verify_tls12_signature(message, certificate, signed, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        rustls::crypto::verify_tls13_signature(message, certificate, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

impl MakeTlsConnect<Socket> for Connector {
    type Stream = Secured;
    type TlsConnect = Handshake;
    type Error = io::Error;

    fn make_tls_connect(&mut self, domain: &str) -> io::Result<Handshake> {
        Ok(Handshake { connector: self.0.clone(), name: domain.to_owned() })
    }
}

/// A handshake with the server of this name.
pub(crate) struct Handshake {
    connector: Option<TlsConnector>,
    name: String,
}

impl TlsConnect<Socket> for Handshake {
    type Stream = Secured;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Secured>> + Send>>;

    fn connect(self, socket: Socket) -> Self::Future {
        Box::pin(async move {
            let connector = self.connector.ok_or_else(|| io::Error::other("no TLS was asked for"))?;
            let name = ServerName::try_from(self.name).map_err(io::Error::other)?;
            Ok(Secured(Box::new(connector.connect(name, socket).await?)))
        })
    }
}

/// A TLS connection.
pub(crate) struct Secured(Box<tokio_rustls::client::TlsStream<Socket>>);

impl TlsStream for Secured {
    /// Offers no channel binding. SCRAM would bind to a hash that depends on the certificate's algorithm, which this
    /// module does not read. A client that verifies the certificate does not need it.
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl AsyncRead for Secured {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(cx, buffer)
    }
}

impl AsyncWrite for Secured {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(cx)
    }
}
