//! Webhook addresses of platforms. Input: the address.

use std::net::IpAddr;

use daybook_outbound::guarded::{Host, Target, not_public};

/// Checks that an address has one normal form with the same meaning, and that a host name is no hidden IP address.
///
/// # Panics
///
/// Panics if the property is violated.
pub fn holds(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(target) = Target::parse(text) else { return };
    let scheme = if target.is_encrypted { "https" } else { "http" };
    let said = format!("{scheme}://{}{}", target.authority, target.path);
    assert_eq!(Target::parse(&said).as_ref(), Ok(&target), "{text:?} is {said:?}");
    assert!(target.port > 0 && !target.authority.contains(['@', '\\', ' ', '\r', '\n']), "{said:?}");
    match &target.host {
        Host::Name(name) => {
            assert!(name.parse::<IpAddr>().is_err(), "{name:?} is an address");
            assert!(name.contains('.') || name == "localhost", "{name:?} is a private name");
        }
        Host::Address(address) => {
            let _ = not_public(*address);
        }
    }
    // The HTTP client must read the same host.
    let uri: actix_web::http::Uri = said.parse().expect("what is called is an address");
    let host = uri.host().map(|host| host.trim_matches(['[', ']']).to_owned());
    assert_eq!(host, Some(target.host.to_string().trim_matches(['[', ']']).to_owned()), "{said:?}");
}
