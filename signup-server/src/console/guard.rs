//! Requests from other sites: which requests may change something, and the headers of every answer.
//!
//! A browser sends the cookie of a session with a request that another site has started. So a request that changes
//! something has to say that it comes from a page of this server.
//!
//! **Invariant:** no handler of the console runs for a state-changing request that this module refuses.

use url::Url;
use warp::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, ORIGIN, REFERRER_POLICY, X_FRAME_OPTIONS};
use warp::http::{HeaderMap, HeaderName, HeaderValue, Method};
use warp::reply::Response;

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// The prefixes of the paths on which the session of a person or the secret of an invitation is used.
const PREFIXES: [&str; 4] = ["/console", "/sign-in", "/sign-out", "/invitations"];

/// Returns whether a path belongs to the console, to signing in and out, or to invitations.
pub(crate) fn is_guarded(path: &str) -> bool {
    PREFIXES.iter().any(|prefix| is_at_or_below(path, prefix))
}

/// Returns whether a path is `prefix`, or continues it with a slash.
pub(super) fn is_at_or_below(path: &str, prefix: &str) -> bool {
    path.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Returns the origin of a base URL as browsers write it in `Origin`.
pub(crate) fn origin_of(base_url: &str) -> String {
    Url::parse(base_url).map_or_else(|_| String::new(), |url| url.origin().ascii_serialization())
}

/// Returns whether a request may change something: it comes from a page of this server, or from no page at all.
///
/// If the request has `Sec-Fetch-Site`, that header decides: a page cannot set it. Browsers send the header only to `https`
/// addresses and to the same machine. Without the header, `Origin` has to be `origin`.
pub(super) fn may_change(method: &Method, headers: &HeaderMap, origin: &str) -> bool {
    if method.is_safe() {
        return true;
    }
    let mut sites = headers.get_all(SEC_FETCH_SITE).iter();
    match (sites.next(), sites.next()) {
        (Some(site), None) => site == "same-origin" || site == "none",
        (Some(_), Some(_)) => false,
        (None, _) => {
            let mut origins = headers.get_all(ORIGIN).iter();
            origins.next().is_some_and(|found| found == origin) && origins.next().is_none()
        }
    }
}

/// Sets the headers of an answer of the console, whatever it is: a page, a file, or a redirect.
pub(crate) fn protect(response: &mut Response) {
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    // With `no-referrer`, a browser would send `Origin: null` with the forms of the console.
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    headers.insert(X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    // A page has a policy already, which says this and more.
    headers
        .entry(CONTENT_SECURITY_POLICY)
        .or_insert(HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_prefixes_end_with_a_whole_segment() {
        for path in ["/console", "/console/a/events", "/sign-in/code", "/sign-out", "/invitations/x"] {
            assert!(is_guarded(path), "{path}");
        }
        for path in ["/", "/consoles", "/sign-inn", "/v1/console", "/signups/x", "/events/console"] {
            assert!(!is_guarded(path), "{path}");
        }
    }

    #[test]
    fn an_origin_is_written_as_browsers_write_it() {
        for (base_url, origin) in [
            ("https://Signup.example.org/app", "https://signup.example.org"),
            ("https://signup.example.org:443", "https://signup.example.org"),
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
        ] {
            assert_eq!(origin_of(base_url), origin);
        }
    }

    #[test]
    fn only_a_page_of_this_server_may_change_something() {
        const OWN: &str = "https://signup.example.org";
        for (sites, origins, may) in [
            (&["same-origin"][..], &[][..], true),
            (&["none"], &[], true),
            (&["same-origin"], &["https://evil.example"], true),
            (&["same-site"], &[OWN], false),
            (&["cross-site"], &[OWN], false),
            (&[""], &[OWN], false),
            (&["same-origin", "cross-site"], &[OWN], false),
            (&[], &[OWN], true),
            (&[], &["null"], false),
            (&[], &["https://signup.example.org.evil.example"], false),
            (&[], &[OWN, OWN], false),
            (&[], &[], false),
        ] {
            let mut headers = HeaderMap::new();
            for site in sites {
                headers.append(SEC_FETCH_SITE, site.parse().unwrap());
            }
            for origin in origins {
                headers.append(ORIGIN, origin.parse().unwrap());
            }
            for method in [Method::POST, Method::PUT, Method::PATCH, Method::DELETE] {
                assert_eq!(may_change(&method, &headers, OWN), may, "{method} {sites:?} {origins:?}");
            }
            assert!(may_change(&Method::GET, &headers, OWN));
        }
    }
}
