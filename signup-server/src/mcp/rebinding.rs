//! Protection against DNS rebinding: which values of `Host` and `Origin` are allowed.
//!
//! A page on the internet can make a browser send requests to a server in a private network, by a name that the page's owner
//! resolves to the server (DNS rebinding). Such a request has the page's `Origin`, and that name as `Host`.

use warp::http::header::{AsHeaderName, HOST, ORIGIN};
use warp::http::uri::Authority;
use warp::http::{HeaderMap, HeaderValue};

use crate::console::guard::origin_of;

/// The hosts by which a program on the same machine reaches the server.
const LOCAL: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// Allows requests to the base URL and to this machine. Holds the origin and the host of the base URL.
#[derive(Debug)]
pub(crate) struct RebindingGuard {
    origin: String,
    host: String,
}

impl RebindingGuard {
    /// Creates the guard of the server at `base_url`.
    pub(crate) fn of(base_url: &str) -> Self {
        let origin = origin_of(base_url);
        let authority = origin.split_once("://").map_or("", |(_, authority)| authority);
        let host = authority.parse::<Authority>().map_or_else(|_| String::new(), |found| found.host().into());
        Self { origin, host }
    }

    /// Returns whether `Origin`, if it is given, is the one of the base URL, and `Host` is the host of the base URL or a name of
    /// this machine, with any port.
    pub(crate) fn allows(&self, headers: &HeaderMap) -> bool {
        let Ok(origin) = at_most_one(headers, ORIGIN) else { return false };
        let Ok(Some(host)) = at_most_one(headers, HOST) else { return false };
        let Ok(authority) = Authority::try_from(host.as_bytes()) else { return false };
        let host = authority.host();
        origin.is_none_or(|origin| origin == self.origin.as_str())
            && !authority.as_str().contains('@')
            && LOCAL.into_iter().chain([&*self.host]).any(|allowed| host.eq_ignore_ascii_case(allowed))
    }
}

/// Returns the value of a header. A repeated header is an error.
fn at_most_one(headers: &HeaderMap, name: impl AsHeaderName) -> Result<Option<&HeaderValue>, ()> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (_, Some(_)) => Err(()),
        (found, None) => Ok(found),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allows(base_url: &str, hosts: &[&str], origins: &[&str]) -> bool {
        let mut headers = HeaderMap::new();
        for (name, values) in [(HOST, hosts), (ORIGIN, origins)] {
            for value in values {
                headers.append(&name, value.parse().unwrap());
            }
        }
        RebindingGuard::of(base_url).allows(&headers)
    }

    #[test]
    fn only_the_base_url_and_this_machine_are_allowed() {
        const BASE: &str = "https://signup.example.org";
        for (hosts, origins, is_allowed) in [
            (&["signup.example.org"][..], &[][..], true),
            (&["SIGNUP.example.org:8443"], &[], true),
            (&["localhost:8080"], &[], true),
            (&["127.0.0.1:1"], &[], true),
            (&["[::1]:8080"], &[], true),
            (&["signup.example.org"], &["https://signup.example.org"], true),
            (&["localhost:8080"], &["https://signup.example.org"], true),
            (&["signup.example.org"], &["http://signup.example.org"], false),
            (&["signup.example.org"], &["https://signup.example.org:8443"], false),
            (&["signup.example.org"], &["https://evil.example"], false),
            (&["signup.example.org"], &["null"], false),
            (&["signup.example.org"], &[""], false),
            (&["signup.example.org"], &["https://signup.example.org", "https://signup.example.org"], false),
            (&["localhost:8080"], &["http://localhost:8080"], false),
            (&["evil.example"], &[], false),
            (&["signup.example.org.evil.example"], &[], false),
            (&["signup.example.org@evil.example"], &[], false),
            (&["evil.example@signup.example.org"], &[], false),
            (&["127.0.0.2"], &[], false),
            (&["0.0.0.0"], &[], false),
            (&["::1"], &[], false),
            (&["local host"], &[], false),
            (&[""], &[], false),
            (&[], &[], false),
            (&["localhost", "localhost"], &[], false),
        ] {
            assert_eq!(allows(BASE, hosts, origins), is_allowed, "{hosts:?} {origins:?}");
        }
        assert!(allows("http://[2001:db8::1]:8080/app", &["[2001:db8::1]"], &["http://[2001:db8::1]:8080"]));
    }
}
