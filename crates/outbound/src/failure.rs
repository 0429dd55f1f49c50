//! Reasons for which a call got no response.

use std::error::Error;
use std::io;
use std::iter::successors;
use std::net::IpAddr;

use hyper_util::client::legacy;

use crate::guarded::BadTarget;
use crate::meter::SizeExceeded;

/// Reason for which a call got no response. The text is shown to the platform: it reveals nothing about our network.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// The text is not an address that can be called.
    #[error("the address cannot be called: {0}")]
    Target(#[from] BadTarget),
    /// The address is not encrypted. Only sandboxes permit this.
    #[error("the address is not allowed: it begins with http")]
    Unencrypted,
    /// The host resolves to an address that is not public.
    #[error("the address is not allowed: its host is not public")]
    NotPublic(IpAddr),
    /// The port is not one of the permitted ports.
    #[error("the address is not allowed: port {0}")]
    Port(u16),
    /// The host's name has no address, or the name service is unavailable.
    #[error("the host has no address")]
    Lookup,
    /// The connection was refused, or the host is unreachable.
    #[error("no connection: {0}")]
    Connect(io::ErrorKind),
    /// The TLS handshake failed, for example because the certificate is not valid for the host.
    #[error("no secure connection: {0}")]
    Tls(String),
    /// The head of the response did not arrive in time.
    #[error("no answer in time")]
    Timeout,
    /// The head of the response, or the data before it, is too large.
    #[error("the head of the answer is too large")]
    HeadTooLarge,
    /// The connection ended without a response, or the data received is not an HTTP response.
    #[error("no answer")]
    Broken,
}

impl Failure {
    /// Stable name for tables and logs.
    #[must_use]
    pub const fn slug(&self) -> &'static str {
        match self {
            Self::Target(_) => "bad_address",
            Self::Unencrypted => "not_encrypted",
            Self::NotPublic(_) => "not_public",
            Self::Port(_) => "port_not_called",
            Self::Lookup => "no_address",
            Self::Connect(_) => "no_connection",
            Self::Tls(_) => "no_secure_connection",
            Self::Timeout => "timeout",
            Self::HeadTooLarge => "head_too_large",
            Self::Broken => "no_answer",
        }
    }

    /// Returns true if no packet was sent to the receiver, because the address is not allowed.
    #[must_use]
    pub const fn is_refusal(&self) -> bool {
        matches!(self, Self::Target(_) | Self::Unencrypted | Self::NotPublic(_) | Self::Port(_))
    }

    /// Returns true if the receiver sent nothing before the timeout.
    #[must_use]
    pub const fn is_silence(&self) -> bool {
        matches!(self, Self::Timeout | Self::Connect(io::ErrorKind::TimedOut))
    }
}

impl From<&legacy::Error> for Failure {
    fn from(error: &legacy::Error) -> Self {
        if let Some(failure) = causes(error).find_map(<dyn Error>::downcast_ref::<Self>) {
            return failure.clone();
        }
        let mut of_http = causes(error).filter_map(<dyn Error>::downcast_ref::<hyper::Error>);
        let is_too_large = of_http.any(hyper::Error::is_parse_too_large) || SizeExceeded::is_cause_of(error);
        if is_too_large { Self::HeadTooLarge } else { Self::Broken }
    }
}

/// Iterates over an error and its sources.
pub(crate) fn causes<'a>(
    error: &'a (dyn Error + 'static),
) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    successors(Some(error), |error| (*error).source())
}
