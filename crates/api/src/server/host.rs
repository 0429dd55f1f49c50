//! Host names that a listener accepts, against DNS rebinding: a web page in a browser can call this machine by a name
//! that the page's owner points here. A listener on a loopback address therefore accepts only names of this machine.

use std::net::IpAddr;
use std::str::FromStr;
use std::sync::Arc;

use actix_web::http::Uri;
use actix_web::http::header::{self, HeaderMap};

/// The only name of this machine that is not an address.
const LOCALHOST: &str = "localhost";

/// A name or an address, without a port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostName(String);

impl FromStr for HostName {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_of_name = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
        let name = normal(text);
        let is_name = !name.is_empty() && name.bytes().all(is_of_name);
        if is_name || name.parse::<IpAddr>().is_ok() {
            Ok(Self(name))
        } else {
            Err("a name or an address without a port is expected: ledger.test, 10.0.0.5")
        }
    }
}

/// Names that a listener accepts in `Host`; any by default.
#[derive(Clone, Debug, Default)]
pub struct Hosts(Option<Arc<[HostName]>>);

impl Hosts {
    /// Returns the names for a listener on `address`: any if other machines can reach it, otherwise those of this
    /// machine and `more`.
    #[must_use]
    pub fn of(address: IpAddr, more: &[HostName]) -> Self {
        Self(is_own(address).then(|| more.into()))
    }

    /// Returns true if the names in the request's URI and in its `Host` headers are accepted. Browsers always send a
    /// name; a request without one is accepted.
    #[must_use]
    pub fn admit(&self, uri: &Uri, headers: &HeaderMap) -> bool {
        let Some(more) = &self.0 else { return true };
        let mut named = headers.get_all(header::HOST);
        uri.host().is_none_or(|host| knows(more, host))
            && named.all(|host| host.to_str().is_ok_and(|host| knows(more, host)))
    }
}

fn knows(more: &[HostName], host: &str) -> bool {
    let Some(name) = without_port(host.trim()).map(normal) else { return false };
    name == LOCALHOST || name.parse().is_ok_and(is_own) || more.iter().any(|known| known.0 == name)
}

/// Removes the port from `host`; returns `None` if the part after the colon is not a port.
fn without_port(host: &str) -> Option<&str> {
    match host.rsplit_once(':') {
        Some((name, port)) if !host.ends_with(']') => {
            port.bytes().all(|byte| byte.is_ascii_digit()).then_some(name)
        }
        _ => Some(host),
    }
}

/// Returns the canonical spelling of a name: lower case, without a final dot, and without brackets around an address.
fn normal(name: &str) -> String {
    let inner = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
    match inner.unwrap_or(name).parse::<IpAddr>() {
        Ok(address) => address.to_string(),
        Err(_) => name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase(),
    }
}

fn is_own(address: IpAddr) -> bool {
    address.to_canonical().is_loopback()
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    fn admits(hosts: &Hosts, host: &str) -> bool {
        let request = TestRequest::default().insert_header((header::HOST, host)).to_http_request();
        hosts.admit(request.uri(), request.headers())
    }

    fn of(address: &str) -> Hosts {
        Hosts::of(address.parse().unwrap(), &["Ledger.test".parse().unwrap(), "10.0.0.5".parse().unwrap()])
    }

    #[test]
    fn loopback_listener_accepts_only_loopback_names() {
        for address in ["127.0.0.1", "127.8.8.8", "::1"] {
            let hosts = of(address);
            for name in
                ["localhost", "LOCALHOST.", "127.0.0.1", "127.255.0.9", "[::1]", "ledger.test", "10.0.0.5"]
            {
                assert!(admits(&hosts, name), "{name}");
                assert!(admits(&hosts, &format!("{name}:8080")), "{name}");
            }
            for name in [
                "",
                "evil.example",
                "localhost.evil.example",
                "evil.localhost",
                "127.0.0.1.evil.example",
                "128.0.0.1",
                "10.0.0.6",
                "0.0.0.0",
                "[::2]",
                "[::]",
                "127.1",
                "localhost:80@evil.example",
                "localhost, evil.example",
                "localhost/evil",
                "ledger.test.evil",
                "é",
            ] {
                assert!(!admits(&hosts, name), "{name}");
            }
        }
    }

    #[test]
    fn public_listener_accepts_any_name() {
        for address in ["0.0.0.0", "192.0.2.1", "::", "2001:db8::1"] {
            assert!(admits(&of(address), "evil.example"), "{address}");
        }
        assert!(admits(&Hosts::default(), "evil.example"));
    }

    #[test]
    fn every_host_of_a_request_is_checked() {
        let hosts = of("127.0.0.1");
        let whole =
            TestRequest::with_uri("http://evil.example/metrics").insert_header((header::HOST, "localhost"));
        let whole = whole.to_http_request();
        assert!(!hosts.admit(whole.uri(), whole.headers()));
        let own = TestRequest::with_uri("http://[::1]:9464/metrics").to_http_request();
        assert!(hosts.admit(own.uri(), own.headers()));
        let twice = TestRequest::default().append_header((header::HOST, "localhost"));
        let twice = twice.append_header((header::HOST, "evil.example")).to_http_request();
        assert!(!hosts.admit(twice.uri(), twice.headers()));
        let none = TestRequest::default().to_http_request();
        assert!(hosts.admit(none.uri(), none.headers()));
    }

    #[test]
    fn host_name_has_no_port() {
        for text in ["", ".", "a:80", "http://a", "a b", "a/b", "[::1]:80"] {
            assert!(text.parse::<HostName>().is_err(), "{text}");
        }
        assert_eq!("[::1]".parse(), Ok(HostName("::1".into())));
    }
}
