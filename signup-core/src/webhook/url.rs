//! The address of a webhook.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;
use url::{Host, Url};

use crate::network::{Networks, is_public};
use crate::text::TextError;

/// The address of a webhook: `https` or `http`, with a host, and without a user, a password or a fragment; at most
/// [`MAX`](Self::MAX) characters.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct WebhookUrl(Url);

/// Why the address of a webhook is refused. The message is the predicate of a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum WebhookUrlError {
    /// Blank, too long, or with a control character.
    #[error(transparent)]
    Text(#[from] TextError),
    /// Not a URL with a host.
    #[error("must be a web address such as https://example.org/hooks, without spaces or backslashes")]
    Malformed,
    /// The scheme is not `https`, and the operator does not allow `http` for this host.
    #[error("must begin with https://")]
    NotHttps,
    /// Contains a user or a password.
    #[error("must not contain a user or a password")]
    Credentials,
    /// Contains a fragment.
    #[error("must not contain a fragment (#)")]
    Fragment,
    /// The host is an address that is not public, and that the operator does not allow.
    #[error(
        "must have a host name or a public address: private, local and reserved addresses are not allowed"
    )]
    NotPublic,
}

impl WebhookUrl {
    /// The maximum length in characters, in normal form.
    pub const MAX: usize = 2048;

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// Returns whether the scheme is `https`.
    pub fn is_https(&self) -> bool {
        self.0.scheme() == "https"
    }

    /// Returns the host if it is an IP address.
    fn address(&self) -> Option<IpAddr> {
        match self.0.host()? {
            Host::Ipv4(address) => Some(address.into()),
            Host::Ipv6(address) => Some(address.into()),
            Host::Domain(_) => None,
        }
    }

    /// Checks that deliveries may go to this address, as far as the address itself tells. A host name is resolved with each
    /// delivery, and the addresses are checked then.
    ///
    /// # Errors
    /// Fails for `http` and for an address that is not public, unless `allowed` contains the address. `http` with a host name
    /// needs at least one allowed network.
    pub fn check(&self, allowed: &Networks) -> Result<(), WebhookUrlError> {
        match self.address() {
            Some(address) if allowed.contains(address) => Ok(()),
            Some(address) if !is_public(address) => Err(WebhookUrlError::NotPublic),
            None if !allowed.is_empty() => Ok(()),
            _ if self.is_https() => Ok(()),
            _ => Err(WebhookUrlError::NotHttps),
        }
    }

    /// Returns whether a delivery may connect to `address`. With `http`, only addresses that the operator allows may be reached.
    pub fn may_reach(&self, address: IpAddr, allowed: &Networks) -> bool {
        allowed.contains(address) || self.is_https() && is_public(address)
    }
}

impl FromStr for WebhookUrl {
    type Err = WebhookUrlError;

    fn from_str(text: &str) -> Result<Self, WebhookUrlError> {
        let text = text.trim();
        crate::text::check_line(text, Self::MAX)?;
        let (scheme, rest) = text.split_once("://").ok_or(WebhookUrlError::Malformed)?;
        if !["https", "http"].iter().any(|known| scheme.eq_ignore_ascii_case(known)) {
            return Err(WebhookUrlError::NotHttps);
        }
        // A parser would repair these.
        if rest.starts_with('/') || rest.contains(|c: char| c.is_whitespace() || c == '\\') {
            return Err(WebhookUrlError::Malformed);
        }
        let url = Url::parse(text).ok().filter(Url::has_host).ok_or(WebhookUrlError::Malformed)?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err(WebhookUrlError::Credentials);
        }
        if url.fragment().is_some() {
            return Err(WebhookUrlError::Fragment);
        }
        if url.as_str().len() > Self::MAX {
            return Err(TextError::TooLong { max: Self::MAX }.into());
        }
        Ok(Self(url))
    }
}

crate::text_form::from_text!(WebhookUrl);

impl From<WebhookUrl> for String {
    fn from(url: WebhookUrl) -> Self {
        url.0.into()
    }
}

impl fmt::Display for WebhookUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns why an address is refused.
    fn refused(text: &str, allowed: &str) -> Option<WebhookUrlError> {
        let allowed = allowed.parse().unwrap();
        text.parse::<WebhookUrl>().and_then(|url| url.check(&allowed)).err()
    }

    #[test]
    fn an_address_is_https_with_a_public_host_and_nothing_secret() {
        use WebhookUrlError::*;
        for (text, expected) in [
            ("https://example.org", None),
            ("HTTPS://example.org:8443/hooks?key=a", None),
            (" https://example.org/hooks\n", None),
            ("https://93.184.215.14/", None),
            ("https://[2606:4700::1111]/", None),
            ("https://bücher.example/", None),
            ("http://example.org/", Some(NotHttps)),
            ("http://93.184.215.14/", Some(NotHttps)),
            ("ftp://example.org/", Some(NotHttps)),
            ("file:///etc/passwd", Some(NotHttps)),
            ("example.org", Some(Malformed)),
            ("https:example.org", Some(Malformed)),
            ("https:///example.org", Some(Malformed)),
            ("https://", Some(Malformed)),
            ("https://exa mple.org", Some(Malformed)),
            ("https:\\\\example.org", Some(Malformed)),
            ("https://example.org\\@10.0.0.1/", Some(Malformed)),
            ("https://ada@example.org/", Some(Credentials)),
            ("https://ada:secret@example.org/", Some(Credentials)),
            ("https://example.org/#top", Some(Fragment)),
            ("https://example.org/#", Some(Fragment)),
            ("", Some(Text(TextError::Blank))),
        ] {
            assert_eq!(refused(text, ""), expected, "{text}");
        }
        let long = format!("https://example.org/{}", "a".repeat(WebhookUrl::MAX));
        assert_eq!(refused(&long, ""), Some(Text(TextError::TooLong { max: 2048 })));
    }

    #[test]
    fn a_special_address_is_refused_in_every_spelling() {
        for host in [
            "127.0.0.1",
            "127.1",
            "0177.0.0.1",
            "0x7f.0.0.1",
            "0x7f000001",
            "2130706433",
            "017700000001",
            "127.0.0.1.",
            "0",
            "0.0.0.0",
            "10.0.0.1",
            "169.254.169.254",
            "192.168.1.1",
            "172.16.0.1",
            "100.64.0.1",
            "198.18.0.1",
            "224.0.0.1",
            "255.255.255.255",
            "[::]",
            "[::1]",
            "[::ffff:127.0.0.1]",
            "[::ffff:8.8.8.8]",
            "[64:ff9b::a00:1]",
            "[2002:7f00:1::]",
            "[2001::1]",
            "[fe80::1]",
            "[fd00:ec2::254]",
            "[ff02::1]",
            "①②⑦.⓪.⓪.①",
            "１２７.0.0.1",
            "127。0。0。1",
        ] {
            let url = format!("https://{host}/");
            assert_eq!(refused(&url, ""), Some(WebhookUrlError::NotPublic), "{url}");
        }
    }

    #[test]
    fn an_allowed_network_may_be_reached_with_http_too() {
        assert_eq!(refused("http://127.0.0.1:9000/", "127.0.0.0/8"), None);
        assert_eq!(refused("http://hooks.internal/", "10.0.0.0/8"), None, "checked when it is resolved");
        assert_eq!(refused("http://8.8.8.8/", "10.0.0.0/8"), Some(WebhookUrlError::NotHttps));
        assert_eq!(refused("https://192.168.0.1/", "10.0.0.0/8"), Some(WebhookUrlError::NotPublic));
        let allowed: Networks = "10.0.0.0/8".parse().unwrap();
        let may_reach = |url: &str, address: &str| {
            url.parse::<WebhookUrl>().unwrap().may_reach(address.parse().unwrap(), &allowed)
        };
        assert!(may_reach("https://a.example/", "8.8.8.8") && may_reach("https://a.example/", "10.0.0.1"));
        assert!(may_reach("http://a.example/", "10.0.0.1") && !may_reach("http://a.example/", "8.8.8.8"));
        assert!(!may_reach("https://a.example/", "192.168.0.1"));
    }
}
