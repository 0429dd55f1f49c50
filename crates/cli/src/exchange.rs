//! One request to somebody whom the command line names, and the answer: a connection of its own, no redirection, and a bound for time and bytes.

use std::error::Error;
use std::time::Duration;

use bytes::Bytes;
use daybook_outbound::{MAX_HEAD, MAX_SENT, Metered};
use http_body_util::{BodyExt, Full, Limited};
use hyper::client::conn::http1;
use hyper::header::{CONNECTION, HOST, HeaderValue, USER_AGENT};
use hyper::{Request, StatusCode, Uri};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::ServerName;

/// How long a request may take, whoever answers.
const DEADLINE: Duration = Duration::from_secs(15);

/// The most bytes of an answer's body. All that comes before, between and around it has the bound of webhook calls.
const MAX_BODY: usize = 64 * 1024;

type Failed = Box<dyn Error + Send + Sync>;

/// Where requests go: a host and how to be sure that it is that host.
#[derive(Clone)]
pub(crate) struct Host {
    name: String,
    port: u16,
    authority: HeaderValue,
    tls: Option<TlsConnector>,
}

impl Host {
    /// That of an address, called by `tls` if it is one of https; none if it has no host.
    pub(crate) fn of(address: &Uri, tls: TlsConnector) -> Option<Self> {
        let is_encrypted = address.scheme_str() == Some("https");
        let name = address.host()?.trim_start_matches('[').trim_end_matches(']').to_owned();
        let port = address.port_u16().unwrap_or(if is_encrypted { 443 } else { 80 });
        let authority = HeaderValue::from_str(address.authority()?.as_str()).ok()?;
        Some(Self { name, port, authority, tls: is_encrypted.then_some(tls) })
    }

    /// Whether what is said to it, and what it answers, stays on this machine or is encrypted.
    pub(crate) fn is_private(&self) -> bool {
        let is_loopback = |name: &str| name.parse().is_ok_and(|it: std::net::IpAddr| it.is_loopback());
        self.tls.is_some() || self.name == "localhost" || is_loopback(&self.name)
    }

    /// Sends a request, whose address is a path, and answers status and body.
    pub(crate) async fn send(&self, request: Request<Full<Bytes>>) -> Result<(StatusCode, Bytes), Failed> {
        tokio::time::timeout(DEADLINE, self.exchange(request)).await?
    }

    async fn exchange(&self, mut request: Request<Full<Bytes>>) -> Result<(StatusCode, Bytes), Failed> {
        let headers = request.headers_mut();
        headers.insert(HOST, self.authority.clone());
        headers.insert(USER_AGENT, HeaderValue::from_static("Daybook"));
        headers.insert(CONNECTION, HeaderValue::from_static("close"));
        let stream = TcpStream::connect((self.name.as_str(), self.port)).await?;
        let stream = Metered::new(stream, MAX_SENT as u64);
        match &self.tls {
            None => answer(stream, request).await,
            Some(tls) => {
                answer(tls.connect(ServerName::try_from(self.name.clone())?, stream).await?, request).await
            }
        }
    }
}

async fn answer<S>(stream: S, request: Request<Full<Bytes>>) -> Result<(StatusCode, Bytes), Failed>
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let (mut sender, connection) =
        http1::Builder::new().max_buf_size(MAX_HEAD).handshake(TokioIo::new(stream)).await?;
    // Ends with this call, whatever becomes of it.
    let mut task = JoinSet::new();
    task.spawn(connection);
    let response = sender.send_request(request).await?;
    let status = response.status();
    Ok((status, Limited::new(response.into_body(), MAX_BODY).collect().await?.to_bytes()))
}

#[cfg(test)]
#[allow(clippy::expect_used, reason = "a test")]
mod tests {
    use daybook_outbound::{TooMuch, connector};
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    use super::*;

    /// The host of a peer that says `again` for ever.
    async fn endless(again: &'static str) -> Host {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = format!("http://{}/", listener.local_addr().expect("is bound"));
        tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.expect("a caller");
            let _ = stream.read(&mut [0; 1024]).await;
            while stream.write_all(again.repeat(100).as_bytes()).await.is_ok() {}
        });
        Host::of(&address.parse().expect("an address"), connector(&[]).expect("authorities")).expect("a host")
    }

    #[tokio::test]
    async fn an_endless_peer_is_left_at_the_bound() {
        for again in ["HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"] {
            let (host, began) = (endless(again).await, std::time::Instant::now());
            let request = Request::get("/checkpoint").body(Full::default()).expect("a request");
            let failed = host.send(request).await.expect_err("nothing was answered");
            assert_eq!(
                TooMuch::in_causes(failed.as_ref()),
                Some(TooMuch { most: MAX_SENT as u64 }),
                "{failed:?}"
            );
            assert!(began.elapsed() < DEADLINE / 3, "{:?}", began.elapsed());
        }
    }
}
