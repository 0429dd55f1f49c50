//! URL that receives webhooks: `https://host/path`, `http` too in a sandbox, or a bare host, which is called over
//! https. The URL is stored as it was sent. It is parsed strictly: a URL that two programs could interpret differently
//! is refused.

use crate::ApiError;

/// Name of the field.
const NAME: &str = "url";
/// Maximum number of digits of a port.
const MAX_PORT_DIGITS: usize = 5;

/// Checks a URL; `in_sandbox` is true if it may be called without encryption.
///
/// # Errors
///
/// [`ApiError::Invalid`] with the requirement that the URL violates.
pub(super) fn checked(url: String, in_sandbox: bool) -> Result<String, ApiError> {
    let must = |text: &'static str| ApiError::invalid(NAME, text);
    if url.chars().any(|letter| letter.is_control() || letter.is_whitespace()) {
        return Err(must("must not hold blanks or control characters"));
    }
    let (scheme, rest) =
        url.split_once("://").map_or((None, url.as_str()), |(scheme, rest)| (Some(scheme), rest));
    match scheme.map(str::to_ascii_lowercase).as_deref() {
        None | Some("https") => {}
        Some("http") if in_sandbox => {}
        Some("http") => return Err(must("must begin with https")),
        Some(_) => return Err(must("must begin with http or https, or be a host")),
    }
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if authority.contains('@') {
        return Err(must("must not hold a user or a password"));
    }
    if is_authority(authority) { Ok(url) } else { Err(must("must name a host")) }
}

/// Returns true if the text is a host name or an address, with or without a port.
fn is_authority(text: &str) -> bool {
    let (host, port) = match text.rsplit_once(':') {
        // The last colon may be part of an IPv6 address.
        Some((host, port)) if !port.ends_with(']') => (host, Some(port)),
        _ => (text, None),
    };
    is_host(host) && port.is_none_or(is_port)
}

fn is_host(host: &str) -> bool {
    if let Some(address) = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        return address.parse::<std::net::Ipv6Addr>().is_ok();
    }
    let is_fine = |letter: u8| letter.is_ascii_alphanumeric() || b"-._".contains(&letter);
    host.bytes().all(is_fine) && host.bytes().any(|letter| letter.is_ascii_alphanumeric())
}

fn is_port(text: &str) -> bool {
    let is_short = text.len() <= MAX_PORT_DIGITS && text.bytes().all(|digit| digit.is_ascii_digit());
    is_short && text.parse::<u16>().is_ok_and(|port| port > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(url: &str, in_sandbox: bool) -> Result<String, String> {
        checked(url.to_owned(), in_sandbox).map_err(|error| error.to_string())
    }

    #[test]
    fn valid_url_is_kept_verbatim() {
        let good = [
            "https://example.com",
            "HTTPS://Example.com:8443/Hook?token=a|b#c",
            "https://[2001:db8::1]:443/hook",
            "https://10.0.0.1/",
            "test.com",
            "localhost:8080/hook",
            "my_host-1.example./x@y:z",
            "https://example.com?user@host",
            "https://example.com/päth",
        ];
        for url in good {
            assert_eq!(check(url, false), Ok(url.to_owned()));
            assert_eq!(check(url, true), Ok(url.to_owned()));
        }
    }

    #[test]
    fn http_is_allowed_in_sandbox_only() {
        assert_eq!(check("http://localhost:8080", true), Ok("http://localhost:8080".to_owned()));
        for url in ["http://localhost:8080", "Http://example.com"] {
            assert_eq!(check(url, false), Err("url must begin with https.".to_owned()), "{url}");
        }
    }

    #[test]
    fn invalid_url_is_refused() {
        let none = [
            "https://",
            "://example.com",
            "https:///path",
            "/path",
            "?a",
            "https://:443",
            ":8080",
            "example.com:",
            "example.com:0",
            "example.com:65536",
            "example.com:+80",
            "javascript:alert(1)",
            "mailto:a",
            "..",
            "-",
            "https://exa mple.com",
            "https://example.com/\n",
            "https://example.com\\@evil.com",
            "https://ex%41mple.com",
            "https://user:password@example.com",
            "user@example.com/hook",
            "ftp://example.com",
            "file:///etc/passwd",
            "https://https://example.com",
            "https://[::1",
            "https://[::1]x",
            "https://[::1%25eth0]/",
            "https://exämple.com",
            "https://a\u{a0}.com",
        ];
        for url in none {
            assert!(check(url, true).is_err(), "{url:?}");
        }
    }
}
