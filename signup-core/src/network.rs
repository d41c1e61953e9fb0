//! Which IP addresses a webhook may reach.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
use std::str::FromStr;

use ipnet::{IpNet, Ipv4Net, Ipv6Net};

use crate::value_error::ValueError;

/// Networks that webhooks may reach besides public addresses.
///
/// ```
/// use signup_core::Networks;
///
/// let office: Networks = "10.1.0.0/16, 127.0.0.1".parse()?;
/// assert!(office.contains("10.1.2.3".parse().unwrap()) && !office.contains("10.2.0.1".parse().unwrap()));
/// # Ok::<(), signup_core::ValueError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Networks(Vec<IpNet>);

impl Networks {
    /// Returns whether one of the networks contains `address`.
    pub fn contains(&self, address: IpAddr) -> bool {
        self.0.iter().any(|network| network.contains(&address))
    }

    /// Returns whether there is no network.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl FromStr for Networks {
    type Err = ValueError;

    /// Parses networks (CIDR) and addresses that are separated by commas. An empty text is no network.
    fn from_str(text: &str) -> Result<Self, ValueError> {
        let network = |text: &str| {
            text.parse()
                .ok()
                .or_else(|| text.parse::<IpAddr>().ok().map(|address| address.to_canonical().into()))
        };
        let texts = text.split(',').map(str::trim).filter(|text| !text.is_empty());
        let networks: Option<Vec<_>> = texts.map(network).collect();
        networks.map(Self).ok_or(ValueError::Malformed {
            expected: "addresses or networks such as 10.0.0.0/8, separated by commas",
        })
    }
}

impl fmt::Display for Networks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let texts: Vec<_> = self.0.iter().map(IpNet::to_string).collect();
        f.write_str(&texts.join(","))
    }
}

/// The IPv4 networks that are not public, by the registry of special-purpose addresses (RFC 6890), with multicast (RFC 5771)
/// and the former relays of 6to4 (RFC 7526).
const SPECIAL_V4: [([u8; 4], u8); 16] = [
    ([0, 0, 0, 0], 8),
    ([10, 0, 0, 0], 8),
    ([100, 64, 0, 0], 10),
    ([127, 0, 0, 0], 8),
    ([169, 254, 0, 0], 16),
    ([172, 16, 0, 0], 12),
    ([192, 0, 0, 0], 24),
    ([192, 0, 2, 0], 24),
    ([192, 31, 196, 0], 24),
    ([192, 52, 193, 0], 24),
    ([192, 88, 99, 0], 24),
    ([192, 168, 0, 0], 16),
    ([198, 18, 0, 0], 15),
    ([198, 51, 100, 0], 24),
    ([203, 0, 113, 0], 24),
    // Multicast and reserved addresses, to the end.
    ([224, 0, 0, 0], 3),
];

/// The only IPv6 addresses that are assigned to hosts on the Internet (RFC 4291, 2.4). Private, local and multicast addresses,
/// and those that hold an IPv4 address (mapped, or of NAT64) are outside.
const GLOBAL_V6: ([u16; 8], u8) = ([0x2000, 0, 0, 0, 0, 0, 0, 0], 3);

/// The networks within [`GLOBAL_V6`] that are not public: protocol assignments with Teredo and benchmarking (RFC 2928),
/// documentation (RFC 3849, RFC 9637), and 6to4 (RFC 3056).
const SPECIAL_V6: [([u16; 8], u8); 4] = [
    ([0x2001, 0, 0, 0, 0, 0, 0, 0], 23),
    ([0x2001, 0xdb8, 0, 0, 0, 0, 0, 0], 32),
    ([0x2002, 0, 0, 0, 0, 0, 0, 0], 16),
    ([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20),
];

/// Returns whether an address belongs to a host on the Internet: it is none of the special addresses, such as private,
/// loopback, link-local or multicast ones.
///
/// ```
/// use signup_core::is_public;
///
/// assert!(is_public("93.184.215.14".parse().unwrap()));
/// assert!(!is_public("169.254.169.254".parse().unwrap()));
/// ```
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => !SPECIAL_V4
            .iter()
            .any(|(network, bits)| Ipv4Net::new_assert((*network).into(), *bits).contains(&address)),
        IpAddr::V6(address) => {
            let is_in = |(network, bits): &([u16; 8], u8)| {
                Ipv6Net::new_assert(Ipv6Addr::from(*network), *bits).contains(&address)
            };
            is_in(&GLOBAL_V6) && !SPECIAL_V6.iter().any(is_in)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_addresses_are_not_public_up_to_their_last_one() {
        for (network, outside) in [
            ("0.0.0.0/8", "1.0.0.0"),
            ("10.0.0.0/8", "11.0.0.0"),
            ("100.64.0.0/10", "100.128.0.0"),
            ("127.0.0.0/8", "128.0.0.0"),
            ("169.254.0.0/16", "169.255.0.0"),
            ("172.16.0.0/12", "172.32.0.0"),
            ("192.0.0.0/24", "192.0.1.0"),
            ("192.0.2.0/24", "192.0.3.0"),
            ("192.88.99.0/24", "192.88.100.0"),
            ("192.168.0.0/16", "192.169.0.0"),
            ("198.18.0.0/15", "198.20.0.0"),
            ("198.51.100.0/24", "198.51.101.0"),
            ("203.0.113.0/24", "203.0.114.0"),
            ("224.0.0.0/4", "223.255.255.255"),
            ("240.0.0.0/4", "223.255.255.255"),
            ("2001::/32", "2001:200::"),
            ("2001:2::/48", "2001:200::"),
            ("2001:db8::/32", "2001:db9::"),
            ("2002::/16", "2003::"),
            ("3fff::/20", "3fff:1000::"),
        ] {
            let network: IpNet = network.parse().unwrap();
            let (first, last) = (network.network(), network.broadcast());
            assert!(!is_public(first) && !is_public(last), "{network}");
            assert!(is_public(outside.parse().unwrap()), "{outside}");
        }
        for special in [
            "::",
            "::1",
            "::ffff:8.8.8.8",
            "::8.8.8.8",
            "64:ff9b::808:808",
            "64:ff9b:1::1",
            "100::1",
            "fc00::1",
            "fd00::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
            "4000::1",
            "e000::1",
        ] {
            assert!(!is_public(special.parse().unwrap()), "{special}");
        }
        for public in ["8.8.8.8", "1.1.1.1", "2606:4700::1111", "2a00:1450::1"] {
            assert!(is_public(public.parse().unwrap()), "{public}");
        }
    }

    #[test]
    fn networks_are_read_from_a_list() {
        let networks: Networks = " 10.0.0.0/8,::1 ,".parse().unwrap();
        assert!(
            networks.contains("10.255.0.1".parse().unwrap()) && networks.contains("::1".parse().unwrap())
        );
        assert!(
            !networks.contains("::2".parse().unwrap()) && !networks.contains("11.0.0.1".parse().unwrap())
        );
        assert_eq!(networks.to_string(), "10.0.0.0/8,::1/128");
        assert!("".parse::<Networks>().unwrap().is_empty());
        for bad in ["10.0.0.0/33", "localhost", "10.0.0.0/8;::1"] {
            assert!(bad.parse::<Networks>().is_err(), "{bad}");
        }
    }
}
