//! Why a call got no answer.

use std::error::Error;
use std::io;
use std::iter::successors;
use std::net::IpAddr;

use hyper_util::client::legacy;

use crate::guarded::BadTarget;
use crate::meter::TooMuch;

/// Why there is no answer. The text is for the platform: it tells nothing about our network.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// The address means nothing that could be called.
    #[error("the address cannot be called: {0}")]
    Target(#[from] BadTarget),
    /// Outside of a sandbox nothing is called without encryption.
    #[error("the address is not called: it begins with http")]
    Unencrypted,
    /// The host leads to an address that is not the public's.
    #[error("the address is not called: its host is not public")]
    NotPublic(IpAddr),
    /// The port is not one of those that are called.
    #[error("the address is not called: port {0}")]
    Port(u16),
    /// The host's name has no address, or nobody could be asked for it.
    #[error("the host has no address")]
    Lookup,
    /// Nobody listens, or nobody can be reached.
    #[error("no connection: {0}")]
    Connect(io::ErrorKind),
    /// The receiver does not prove to be the host.
    #[error("no secure connection: {0}")]
    Tls(String),
    /// The head of an answer did not come in time.
    #[error("no answer in time")]
    Timeout,
    /// The head of the answer is too large, or what comes before it.
    #[error("the head of the answer is too large")]
    HeadTooLarge,
    /// The connection ended without an answer, or what came is none.
    #[error("no answer")]
    Broken,
}

impl Failure {
    /// A name for tables and logs; never changes.
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

    /// Answers whether no packet left for the receiver: the address is one that is not called.
    #[must_use]
    pub const fn is_refusal(&self) -> bool {
        matches!(self, Self::Target(_) | Self::Unencrypted | Self::NotPublic(_) | Self::Port(_))
    }

    /// Answers whether the time was over before anything was said.
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
        let is_too_large = of_http.any(hyper::Error::is_parse_too_large) || TooMuch::is_cause_of(error);
        if is_too_large { Self::HeadTooLarge } else { Self::Broken }
    }
}

/// An error, what it came from, and so on.
pub(crate) fn causes<'a>(
    error: &'a (dyn Error + 'static),
) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    successors(Some(error), |error| (*error).source())
}
