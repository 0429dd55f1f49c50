//! Addresses that are never called. A service at such an address may trust every client that can reach it.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// IPv4 networks that are not public: first address, prefix length, name. Source: the IANA registry of special-purpose
/// addresses, and the address at which one cloud serves its own machines.
const V4: [([u8; 4], u32, &str); 18] = [
    ([0, 0, 0, 0], 8, "this network"),
    ([10, 0, 0, 0], 8, "private"),
    ([100, 64, 0, 0], 10, "carrier-grade translation"),
    ([127, 0, 0, 0], 8, LOOPBACK),
    ([168, 63, 129, 16], 32, "a cloud's own"),
    ([169, 254, 0, 0], 16, "link-local"),
    ([172, 16, 0, 0], 12, "private"),
    ([192, 0, 0, 0], 24, "protocol assignments"),
    ([192, 0, 2, 0], 24, "documentation"),
    ([192, 31, 196, 0], 24, "name service sink"),
    ([192, 52, 193, 0], 24, "multicast tunnels"),
    ([192, 88, 99, 0], 24, "6to4"),
    ([192, 168, 0, 0], 16, "private"),
    ([198, 18, 0, 0], 15, "benchmarking"),
    ([198, 51, 100, 0], 24, "documentation"),
    ([203, 0, 113, 0], 24, "documentation"),
    ([224, 0, 0, 0], 4, "multicast"),
    ([240, 0, 0, 0], 4, "reserved or broadcast"),
];

/// IPv6 networks that are not public. Those of translators embed an IPv4 address; they are refused for any such
/// address.
const V6: [([u16; 8], u32, &str); 14] = [
    ([0, 0, 0, 0, 0, 0, 0, 1], 128, LOOPBACK),
    ([0, 0, 0, 0, 0, 0xffff, 0, 0], 96, "v4-mapped"),
    ([0, 0, 0, 0, 0, 0, 0, 0], 96, "v4-compatible or unspecified"),
    ([0x64, 0xff9b, 0, 0, 0, 0, 0, 0], 96, "NAT64"),
    ([0x64, 0xff9b, 1, 0, 0, 0, 0, 0], 48, "NAT64"),
    ([0x100, 0, 0, 0, 0, 0, 0, 0], 64, "discarded"),
    ([0x2001, 0, 0, 0, 0, 0, 0, 0], 32, "Teredo"),
    ([0x2001, 0, 0, 0, 0, 0, 0, 0], 23, "protocol assignments"),
    ([0x2001, 0xdb8, 0, 0, 0, 0, 0, 0], 32, "documentation"),
    ([0x2002, 0, 0, 0, 0, 0, 0, 0], 16, "6to4"),
    ([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20, "documentation"),
    ([0xfc00, 0, 0, 0, 0, 0, 0, 0], 7, "unique local"),
    ([0xfe80, 0, 0, 0, 0, 0, 0, 0], 9, "link-local or site-local"),
    ([0xff00, 0, 0, 0, 0, 0, 0, 0], 8, "multicast"),
];

/// The IPv6 network from which all public addresses are allocated.
const PUBLIC_V6: ([u16; 8], u32) = ([0x2000, 0, 0, 0, 0, 0, 0, 0], 3);

/// Name of the loopback networks.
const LOOPBACK: &str = "loopback";

/// Returns the name of the network for which an address is refused, or nothing if the address is public.
#[must_use]
pub fn not_public(address: IpAddr) -> Option<&'static str> {
    match address {
        IpAddr::V4(address) => V4.iter().find(|(first, length, _)| holds_v4(*first, *length, address)),
        IpAddr::V6(address) => return not_public_v6(address),
    }
    .map(|(_, _, name)| *name)
}

/// Returns true for a loopback address in its plain form; false if the address of a translator embeds it.
#[must_use]
pub fn is_loopback(address: IpAddr) -> bool {
    not_public(address) == Some(LOOPBACK)
}

fn not_public_v6(address: Ipv6Addr) -> Option<&'static str> {
    let named = V6.iter().find(|(first, length, _)| holds_v6(*first, *length, address));
    let other = || (!holds_v6(PUBLIC_V6.0, PUBLIC_V6.1, address)).then_some("not allocated");
    named.map(|(_, _, name)| *name).or_else(other)
}

fn holds_v4(first: [u8; 4], length: u32, address: Ipv4Addr) -> bool {
    (u32::from_be_bytes(first) ^ address.to_bits()) >> (32 - length) == 0
}

fn holds_v6(first: [u16; 8], length: u32, address: Ipv6Addr) -> bool {
    (Ipv6Addr::from(first).to_bits() ^ address.to_bits()) >> (128 - length) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(address: &str) -> Option<&'static str> {
        not_public(address.parse().expect("an address"))
    }

    #[test]
    fn network_boundaries_are_refused() {
        for (first, length, name) in V4 {
            let first = u32::from_be_bytes(first);
            let last = first | u32::try_from((1_u64 << (32 - length)) - 1).unwrap();
            for bits in [first, last] {
                let address = IpAddr::V4(Ipv4Addr::from_bits(bits));
                assert_eq!(not_public(address), Some(name), "{address}");
            }
        }
        for (first, length, _) in V6 {
            let first = Ipv6Addr::from(first).to_bits();
            let last = first | 1_u128.checked_shl(128 - length).map_or(u128::MAX, |size| size - 1);
            for bits in [first, last] {
                let address = IpAddr::V6(Ipv6Addr::from_bits(bits));
                assert!(not_public(address).is_some(), "{address}");
            }
        }
    }

    #[test]
    fn neighbours_of_refused_networks_are_public() {
        let public = [
            "1.0.0.0",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "126.255.255.255",
            "128.0.0.0",
            "168.63.129.15",
            "169.253.255.255",
            "169.255.0.0",
            "172.15.255.255",
            "172.32.0.0",
            "192.0.1.0",
            "192.167.255.255",
            "192.169.0.0",
            "198.17.255.255",
            "198.20.0.0",
            "223.255.255.255",
            "2000::",
            "2001:200::1",
            "2003::",
            "2606:4700::1111",
            "3ffe:ffff::",
        ];
        for address in public {
            assert_eq!(name(address), None, "{address}");
        }
    }

    #[test]
    fn embedded_ipv4_address_is_always_refused() {
        for address in ["::ffff:8.8.8.8", "::8.8.8.8", "64:ff9b::8.8.8.8", "64:ff9b:1::1", "2002:808:808::1"]
        {
            assert!(name(address).is_some(), "{address}");
        }
    }

    #[test]
    fn only_plain_loopback_is_loopback() {
        for (address, is_it) in [
            ("127.0.0.1", true),
            ("127.255.255.254", true),
            ("::1", true),
            ("::ffff:127.0.0.1", false),
            ("::127.0.0.1", false),
            ("0.0.0.0", false),
            ("::", false),
            ("64:ff9b::7f00:1", false),
        ] {
            assert_eq!(is_loopback(address.parse().expect("an address")), is_it, "{address}");
        }
    }
}
