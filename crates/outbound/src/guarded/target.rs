//! Target: the parsed form of an address that a platform gave. Hosts are parsed by the URL standard of browsers
//! (WHATWG), so every spelling of an IP address is recognized and checked as that address.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use hyper::Uri;
use url::{Host as UrlHost, Url};

/// Maximum length of a host name, and below of one label, in characters.
const MAX_NAME_CHARS: usize = 253;
const MAX_LABEL_CHARS: usize = 63;
/// The only permitted name without a dot. All other such names are names of local networks.
const LOCALHOST: &str = "localhost";

/// Reason for which a text is not a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadTarget {
    /// The text is not a valid address, or two programs could parse it differently.
    #[error("it is not a valid address")]
    Unreadable,
    /// The scheme is neither `http` nor `https`.
    #[error("it begins with neither http nor https")]
    Scheme,
    /// The address contains a user name or a password.
    #[error("it contains a user name or a password")]
    User,
    /// The host is not a public name.
    #[error("its host is not a public name")]
    Name,
}

/// The host of a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Host {
    /// Name that is resolved, without a trailing dot.
    Name(String),
    /// IP address.
    Address(IpAddr),
}

/// Destination of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// True for `https`.
    pub is_encrypted: bool,
    /// The host.
    pub host: Host,
    /// Port; the default port of the scheme if the address names none.
    pub port: u16,
    /// Path and query.
    pub path: Uri,
    /// Host and port as the `Host` header contains them.
    pub authority: String,
}

impl Target {
    /// Parses an address. Without a scheme, `https` is assumed.
    ///
    /// # Errors
    ///
    /// [`BadTarget`].
    pub fn parse(text: &str) -> Result<Self, BadTarget> {
        // The URL parser removes or replaces these characters. No honest address contains them.
        if text.chars().any(|letter| letter.is_control() || letter.is_whitespace() || letter == '\\') {
            return Err(BadTarget::Unreadable);
        }
        let with_scheme;
        let text = if text.contains("://") {
            text
        } else {
            with_scheme = format!("https://{text}");
            &with_scheme
        };
        let url = Url::parse(text).map_err(|_| BadTarget::Unreadable)?;
        let is_encrypted = match url.scheme() {
            "https" => true,
            "http" => false,
            _ => return Err(BadTarget::Scheme),
        };
        if has_user(text) || !url.username().is_empty() || url.password().is_some() {
            return Err(BadTarget::User);
        }
        let host = host(&url)?;
        let port = url.port_or_known_default().filter(|port| *port > 0).ok_or(BadTarget::Unreadable)?;
        let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
        let path = format!("{}{query}", url.path()).parse().map_err(|_| BadTarget::Unreadable)?;
        let authority = match url.port() {
            None => host.to_string(),
            Some(port) => format!("{host}:{port}"),
        };
        Ok(Self { is_encrypted, host, port, path, authority })
    }

    /// The address in the form that the HTTP client takes: scheme, authority, path and query.
    pub(super) fn address(&self) -> Result<Uri, BadTarget> {
        let scheme = if self.is_encrypted { "https" } else { "http" };
        format!("{scheme}://{}{}", self.authority, self.path).parse().map_err(|_| BadTarget::Unreadable)
    }
}

/// Returns true if an `@` precedes the path.
fn has_user(text: &str) -> bool {
    let rest = text.split_once("://").map_or(text, |(_, rest)| rest);
    rest.split(['/', '?', '#']).next().is_some_and(|authority| authority.contains('@'))
}

fn host(url: &Url) -> Result<Host, BadTarget> {
    match url.host() {
        None => Err(BadTarget::Unreadable),
        Some(UrlHost::Ipv4(address)) => Ok(Host::Address(IpAddr::V4(address))),
        Some(UrlHost::Ipv6(address)) => Ok(Host::Address(IpAddr::V6(address))),
        Some(UrlHost::Domain(name)) => {
            let name = name.strip_suffix('.').unwrap_or(name);
            if is_name(name) { Ok(Host::Name(name.to_owned())) } else { Err(BadTarget::Name) }
        }
    }
}

/// Returns true for a name that the public name service can resolve; false for texts that look like an IP address.
fn is_name(name: &str) -> bool {
    let is_fine = |letter: u8| letter.is_ascii_alphanumeric() || b"-_".contains(&letter);
    let is_label =
        |label: &str| !label.is_empty() && label.len() <= MAX_LABEL_CHARS && label.bytes().all(is_fine);
    let is_dotted = name.contains('.') || name == LOCALHOST;
    let looks_like_address = name.parse::<Ipv4Addr>().is_ok() || name.parse::<Ipv6Addr>().is_ok();
    name.len() <= MAX_NAME_CHARS && is_dotted && name.split('.').all(is_label) && !looks_like_address
}

impl std::fmt::Display for Host {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::Address(IpAddr::V4(address)) => address.fmt(f),
            Self::Address(IpAddr::V6(address)) => write!(f, "[{address}]"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_is_parsed_into_target() {
        let table = [
            ("https://example.com", true, "example.com", 443, "/", "example.com"),
            (
                "HTTPS://Example.COM:8443/Hook?a=1|2#c",
                true,
                "example.com",
                8443,
                "/Hook?a=1|2",
                "example.com:8443",
            ),
            ("http://example.com./x", false, "example.com", 80, "/x", "example.com"),
            ("test.com", true, "test.com", 443, "/", "test.com"),
            ("test.com:8443/hook", true, "test.com", 8443, "/hook", "test.com:8443"),
            ("localhost:3000", true, "localhost", 3000, "/", "localhost:3000"),
            ("https://example.com:443/", true, "example.com", 443, "/", "example.com"),
            ("https://example.com/p\u{e4}th", true, "example.com", 443, "/p%C3%A4th", "example.com"),
            ("https://example.com/x@y", true, "example.com", 443, "/x@y", "example.com"),
            ("https://ex\u{e4}mple.com", true, "xn--exmple-cua.com", 443, "/", "xn--exmple-cua.com"),
            ("https://my_host-1.example/", true, "my_host-1.example", 443, "/", "my_host-1.example"),
            (
                "https://[2606:4700::1111]:8443/",
                true,
                "[2606:4700::1111]",
                8443,
                "/",
                "[2606:4700::1111]:8443",
            ),
        ];
        for (text, is_encrypted, host, port, path, authority) in table {
            let target = Target::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            let found = (target.is_encrypted, target.host.to_string(), target.port);
            assert_eq!(found, (is_encrypted, host.to_owned(), port), "{text}");
            assert_eq!(
                (target.path.to_string().as_str(), target.authority.as_str()),
                (path, authority),
                "{text}"
            );
        }
    }

    #[test]
    fn ambiguous_address_is_refused() {
        let table = [
            ("", BadTarget::Unreadable),
            ("https://", BadTarget::Unreadable),
            ("https:///", BadTarget::Unreadable),
            ("ftp://example.com", BadTarget::Scheme),
            ("file:///etc/passwd", BadTarget::Scheme),
            ("gopher://example.com:70/", BadTarget::Scheme),
            ("https://user@example.com", BadTarget::User),
            ("https://user:password@example.com", BadTarget::User),
            ("https://@example.com", BadTarget::User),
            ("user@example.com", BadTarget::User),
            ("https://example.com\\@10.0.0.1", BadTarget::Unreadable),
            ("https://exam ple.com", BadTarget::Unreadable),
            ("https://example.com\t", BadTarget::Unreadable),
            ("https://example.com/\r\nHost: a", BadTarget::Unreadable),
            ("https://example.com:0", BadTarget::Unreadable),
            ("https://example.com:65536", BadTarget::Unreadable),
            ("https://intranet", BadTarget::Name),
            ("https:example.com", BadTarget::Unreadable),
            ("https:/example.com", BadTarget::Name),
            ("https://example..com", BadTarget::Name),
            ("https://example.com..", BadTarget::Name),
            ("https://.", BadTarget::Name),
            ("https://a!b.com", BadTarget::Name),
        ];
        for (text, expected) in table {
            assert_eq!(Target::parse(text).err(), Some(expected), "{text:?}");
        }
        let long = format!("https://{}.com", "a".repeat(64));
        assert_eq!(Target::parse(&long).err(), Some(BadTarget::Name));
    }
}
