//! An HTTP server as an anchor. Any file server that supports PUT and GET can be one.

use std::io;
use std::net::IpAddr;

use bytes::Bytes;
use daybook_log::postgres::MadeCheckpoint;
use daybook_outbound::inside::{Client, is_callable};
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue, IF_NONE_MATCH};
use hyper::{Method, Request, StatusCode, Uri};

use super::caller::Caller;
use super::{AnchorError, NEWEST, Note, OLDER, same, size};

/// A folder on a server: `checkpoint` is the newest one, `checkpoints/<size>` is each one that was ever stored.
#[derive(Clone)]
pub struct Remote {
    client: Client,
    /// Address from the options, without a slash at its end.
    address: String,
    authorization: Option<HeaderValue>,
}

impl Remote {
    /// Address of the anchor.
    pub(super) fn address(&self) -> &str {
        &self.address
    }

    /// Returns the anchor at this address.
    pub(super) fn new(address: &Uri, caller: &Caller) -> io::Result<Self> {
        if !is_callable(address) {
            return Err(io::Error::other(format!("{address} cannot be called")));
        }
        if !is_private(address) {
            tracing::warn!(%address, "this anchor is called without encryption: an attacker on the way can impersonate it");
        }
        let address = address.to_string().trim_end_matches('/').to_owned();
        let authorization = caller.authorization(&address).cloned();
        Ok(Self { client: caller.client(), address, authorization })
    }

    /// Returns the folder `below` this one, which has the checkpoints of another shard.
    pub(super) fn below(&self, below: &str) -> Self {
        Self { address: self.place(below), ..self.clone() }
    }

    /// Stores a checkpoint. A stored checkpoint is never overwritten.
    pub(super) async fn keep(&self, made: &MadeCheckpoint) -> Result<(), AnchorError> {
        let own = format!("{OLDER}/{}", made.size);
        // GET comes first, for servers that ignore the header `If-None-Match`.
        let mut kept = self.get(&own).await?;
        if kept.is_none() {
            match self.put(&own, made, true).await? {
                status if status.is_success() => {}
                // Another process was faster, or this is a server of folders and the parent folder does not exist.
                StatusCode::PRECONDITION_FAILED | StatusCode::CONFLICT => {
                    kept = self.get(&own).await?;
                    kept.as_ref().ok_or_else(|| self.answered(&own, StatusCode::CONFLICT))?;
                }
                status => return Err(self.answered(&own, status)),
            }
        }
        if let Some(kept) = kept {
            same(&kept, &made.note, self.place(&own))?;
        }
        let newest = self.get(NEWEST).await?;
        // The slower of two processes must not replace a newer checkpoint by an older one.
        if newest.as_deref().and_then(size).is_none_or(|size| size < made.size) {
            let status = self.put(NEWEST, made, false).await?;
            if !status.is_success() {
                return Err(self.answered(NEWEST, status));
            }
        }
        Ok(())
    }

    /// The newest checkpoint: its address and its note. `None` if there is none yet.
    pub(super) async fn newest(&self) -> Result<Option<Note>, AnchorError> {
        Ok(self.get(NEWEST).await?.map(|text| Note { place: self.place(NEWEST), text }))
    }

    /// The newest checkpoint. Fails if there is none yet.
    pub(super) async fn kept(&self) -> Result<Note, AnchorError> {
        self.newest().await?.ok_or_else(|| self.answered(NEWEST, StatusCode::NOT_FOUND))
    }

    /// Returns the note with this name, or `None` if there is none.
    async fn get(&self, name: &str) -> Result<Option<String>, AnchorError> {
        match self.send(Method::GET, name, Bytes::new(), false).await? {
            (StatusCode::OK, body) => {
                let note = String::from_utf8(body.into());
                note.map(Some).map_err(|source| self.unanswered(name, source.into()))
            }
            (StatusCode::NOT_FOUND, _) => Ok(None),
            (status, _) => Err(self.answered(name, status)),
        }
    }

    async fn put(
        &self,
        name: &str,
        made: &MadeCheckpoint,
        only_new: bool,
    ) -> Result<StatusCode, AnchorError> {
        Ok(self.send(Method::PUT, name, made.note.clone().into(), only_new).await?.0)
    }

    async fn send(
        &self,
        method: Method,
        name: &str,
        body: Bytes,
        only_new: bool,
    ) -> Result<(StatusCode, Bytes), AnchorError> {
        let mut request = Request::builder().method(&method).uri(self.place(name));
        if method == Method::PUT {
            request = request.header(CONTENT_TYPE, "text/plain; charset=utf-8");
        }
        if only_new {
            request = request.header(IF_NONE_MATCH, "*");
        }
        if let Some(authorization) = &self.authorization {
            request = request.header(AUTHORIZATION, authorization);
        }
        let request = request.body(body).map_err(|source| self.unanswered(name, source.into()))?;
        self.client.send(request).await.map_err(|source| self.unanswered(name, source))
    }

    fn place(&self, name: &str) -> String {
        format!("{}/{name}", self.address)
    }

    fn answered(&self, name: &str, status: StatusCode) -> AnchorError {
        AnchorError::Answered { place: self.place(name), status: status.as_u16() }
    }

    fn unanswered(&self, name: &str, source: Box<dyn std::error::Error + Send + Sync>) -> AnchorError {
        AnchorError::Unanswered { place: self.place(name), source }
    }
}

/// Returns true if traffic with this address is encrypted or stays on this machine.
fn is_private(address: &Uri) -> bool {
    let host = address.host().unwrap_or_default().trim_matches(['[', ']']);
    let is_loopback = host.parse().is_ok_and(|host: IpAddr| host.is_loopback());
    address.scheme_str() == Some("https") || host == "localhost" || is_loopback
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_and_https_are_private() {
        for (address, is_it) in [
            ("https://anchor.example/log", true),
            ("http://localhost:9000", true),
            ("http://127.0.0.1/log", true),
            ("http://[::1]:9000/log", true),
            ("http://anchor.example/log", false),
            ("http://10.0.0.1/log", false),
        ] {
            assert_eq!(is_private(&address.parse().expect("an address")), is_it, "{address}");
        }
    }
}
