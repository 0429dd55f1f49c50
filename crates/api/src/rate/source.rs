//! Source address of a call: the peer of its connection or, if that is a trusted proxy, the address that the proxy
//! forwards.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

use actix_web::HttpRequest;
use actix_web::http::header::HeaderName;
use daybook_engine::share::LimitHolder;

/// Header to which each proxy appends the address of its peer.
const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// Source that is counted as one: an IPv4 address, or a /64 network of IPv6, within which one host can use any address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct IpPrefix(u128);

impl Default for IpPrefix {
    /// Returns an unknown source.
    fn default() -> Self {
        Self::of(IpAddr::V4(Ipv4Addr::UNSPECIFIED))
    }
}

impl IpPrefix {
    pub(crate) fn of(address: IpAddr) -> Self {
        Self(match address.to_canonical() {
            IpAddr::V4(address) => address.to_ipv6_mapped().to_bits(),
            IpAddr::V6(address) => address.to_bits() >> 64 << 64,
        })
    }

    /// Returns this source as a holder of shared resources.
    pub(crate) const fn holder(self) -> LimitHolder {
        LimitHolder::Address(self.0)
    }
}

/// IP network: an address and its prefix length, `10.0.0.0/8`; without a length a single address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    first: u128,
    mask: u128,
}

impl Network {
    fn contains(self, address: IpAddr) -> bool {
        bits(address) & self.mask == self.first
    }
}

impl FromStr for Network {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || "an address or a network is expected: 10.0.0.7, 10.0.0.0/8, fd00::/8".to_owned();
        let (address, length) =
            text.split_once('/').map_or((text, None), |(text, length)| (text, Some(length)));
        let address: IpAddr = address.parse().map_err(|_| wrong())?;
        // IPv4 addresses are compared in their IPv6-mapped form, whose first 96 bits are fixed.
        let (before, most) = if address.is_ipv4() { (96, 32) } else { (0, 128) };
        let length: u32 = length.map_or(Ok(most), str::parse).map_err(|_| wrong())?;
        if length > most {
            return Err(wrong());
        }
        let mask = u128::MAX.checked_shl(128 - before - length).unwrap_or(0);
        Ok(Self { first: bits(address) & mask, mask })
    }
}

fn bits(address: IpAddr) -> u128 {
    match address.to_canonical() {
        IpAddr::V4(address) => address.to_ipv6_mapped(),
        IpAddr::V6(address) => address,
    }
    .to_bits()
}

/// Networks of the proxies whose `X-Forwarded-For` is trusted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Proxies(pub Vec<Network>);

impl Proxies {
    pub(super) fn contain(&self, address: IpAddr) -> bool {
        self.0.iter().any(|network| network.contains(address))
    }

    /// Returns the source address of a request. The header is read entry by entry from its end, as each proxy appends
    /// one. Entries of the client stand before those of the trusted proxies and are not reached, whatever bytes they
    /// contain. An entry that is not an address ends the search at the last trusted proxy.
    pub(super) fn source(&self, request: &HttpRequest) -> IpAddr {
        let mut source = request.peer_addr().map_or(Ipv6Addr::UNSPECIFIED.into(), |peer| peer.ip());
        if !self.contain(source) {
            return source;
        }
        let lines: Vec<_> = request.headers().get_all(FORWARDED_FOR).collect();
        let told = lines.iter().rev().flat_map(|line| line.as_bytes().rsplit(|byte| *byte == b','));
        for name in told {
            let Some(address) = std::str::from_utf8(name).ok().and_then(|name| address(name.trim())) else {
                break;
            };
            source = address;
            if !self.contain(source) {
                break;
            }
        }
        source
    }
}

/// Parses an address as proxies write it: with or without a port.
fn address(text: &str) -> Option<IpAddr> {
    let bracketed = || text.strip_prefix('[')?.split_once(']')?.0.parse().ok();
    let address = text.parse().ok().or_else(bracketed);
    address.or_else(|| text.parse().ok().map(|with_port: std::net::SocketAddr| with_port.ip()))
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::HeaderValue;
    use actix_web::test::TestRequest;

    use super::*;

    fn proxies(networks: &[&str]) -> Proxies {
        Proxies(networks.iter().map(|text| text.parse().expect("a network")).collect())
    }

    fn source_of(proxies: &Proxies, peer: &str, told: &[&[u8]]) -> String {
        let request = TestRequest::default().peer_addr(format!("{peer}:1").parse().expect("an address"));
        let append = |request: TestRequest, line: &&[u8]| {
            request.append_header((FORWARDED_FOR, HeaderValue::from_bytes(line).expect("a header")))
        };
        proxies.source(&told.iter().fold(request, append).to_http_request()).to_string()
    }

    fn source(proxies: &Proxies, peer: &str, told: &[&str]) -> String {
        let told: Vec<&[u8]> = told.iter().map(|line| line.as_bytes()).collect();
        source_of(proxies, peer, &told)
    }

    #[test]
    fn unknown_proxy_is_not_trusted() {
        assert_eq!(source(&proxies(&[]), "192.0.2.1", &["198.51.100.7"]), "192.0.2.1");
        assert_eq!(source(&proxies(&["10.0.0.0/8"]), "192.0.2.1", &["10.0.0.1"]), "192.0.2.1");
    }

    #[test]
    fn last_untrusted_forwarded_address_counts() {
        let ours = proxies(&["10.0.0.0/8", "fd00::/8"]);
        let cases: [(&[&str], &str); 8] = [
            (&["198.51.100.7"], "198.51.100.7"),
            (&["1.2.3.4, 198.51.100.7"], "198.51.100.7"),
            (&["1.2.3.4, 198.51.100.7, 10.0.0.2"], "198.51.100.7"),
            (&["1.2.3.4", "198.51.100.7,10.0.0.2"], "198.51.100.7"),
            (&["198.51.100.7:4711"], "198.51.100.7"),
            (&["[2001:db8::1]:4711"], "2001:db8::1"),
            (&["198.51.100.7, nonsense"], "10.0.0.1"),
            (&[], "10.0.0.1"),
        ];
        for (told, expected) in cases {
            assert_eq!(source(&ours, "10.0.0.1", told), expected, "{told:?}");
        }
    }

    #[test]
    fn invalid_bytes_do_not_hide_later_addresses() {
        let ours = proxies(&["10.0.0.0/8", "fd00::/8"]);
        let cases: [(&[&[u8]], &str); 10] = [
            (&[b"\xe9, 198.51.100.7"], "198.51.100.7"),
            (&["é, 198.51.100.7".as_bytes()], "198.51.100.7"),
            (&[b"\xff\xfe,\t198.51.100.7 , 10.0.0.2"], "198.51.100.7"),
            (&[b"\xe9", b"198.51.100.7"], "198.51.100.7"),
            (&[b"\xe9, 198.51.100.7", b"10.0.0.2"], "198.51.100.7"),
            // An entry that is not an address names nobody, and the entry before it is not used instead.
            (&[b"1.2.3.4, \xe9"], "10.0.0.1"),
            (&[b"1.2.3.4, \xe9, 10.0.0.2"], "10.0.0.2"),
            (&[b"1.2.3.4, 198.51.100.7\xe9"], "10.0.0.1"),
            (&["1.2.3.4, １98.51.100.7".as_bytes()], "10.0.0.1"),
            (&[b"1.2.3.4,, 10.0.0.2"], "10.0.0.2"),
        ];
        for (told, expected) in cases {
            assert_eq!(source_of(&ours, "10.0.0.1", told), expected, "{told:?}");
        }
    }

    #[test]
    fn network_contains_ipv4_and_mapped_addresses() {
        for (network, inside, outside) in [
            ("10.0.0.0/8", "::ffff:10.1.2.3", "11.0.0.0"),
            ("10.0.0.7", "10.0.0.7", "10.0.0.8"),
            ("0.0.0.0/0", "255.1.2.3", "2001:db8::1"),
            ("fd00::/8", "fdff::1", "fe00::1"),
            ("::/0", "10.0.0.1", ""),
        ] {
            let network = Network::from_str(network).expect("a network");
            assert!(network.contains(inside.parse().expect("an address")), "{inside}");
            assert!(
                outside.is_empty() || !network.contains(outside.parse().expect("an address")),
                "{outside}"
            );
        }
        for text in ["", "10.0.0.0/33", "::/129", "10.0.0.0/", "x/8", "10.0.0.0/-1"] {
            assert!(Network::from_str(text).is_err(), "{text}");
        }
    }

    #[test]
    fn ipv6_network_counts_as_one_source() {
        let of = |text: &str| IpPrefix::of(text.parse().expect("an address"));
        assert_eq!(of("2001:db8::1"), of("2001:db8::ffff:1"));
        assert_ne!(of("2001:db8::1"), of("2001:db8:0:1::1"));
        assert_ne!(of("192.0.2.1"), of("192.0.2.2"));
        assert_eq!(of("192.0.2.1"), of("::ffff:192.0.2.1"));
    }
}
