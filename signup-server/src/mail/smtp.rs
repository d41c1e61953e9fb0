//! The settings of the connection to the mail server: its URL, and the name of this client in `EHLO`.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

use percent_encoding::percent_decode_str;
use signup_core::is_host_name;
use tokio_rustls::rustls::pki_types::ServerName;
use url::Url;

/// The error for a URL that cannot be parsed.
const HINT: &str = "use smtp://HOST:PORT or smtps://HOST:PORT, with USER:PASSWORD@ before the host for a login and \
     ?tls=required after the port to send nothing without STARTTLS";
/// The error for a password that could be read on its way.
const CLEAR_PASSWORD: &str = "a password may only go over TLS: use ?tls=required";

/// The URL of a mail server: `smtp://` or `smtps://`, with `USER:PASSWORD@` if the server requires a login.
///
/// `smtps://` uses TLS from the start. `smtp://` uses STARTTLS if the server offers it; with `?tls=required` always, and with
/// `?tls=none` never. A password requires TLS, unless the server is on this machine.
#[derive(Clone)]
pub(crate) struct SmtpUrl {
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) security: Security,
    /// The host as the server's certificate has to name it.
    pub(super) certified: ServerName<'static>,
    pub(super) login: Option<Login>,
}

/// When a connection uses TLS.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Security {
    /// Never.
    None,
    /// By STARTTLS, if the server offers it.
    IfOffered,
    /// By STARTTLS. A server that does not offer it gets no mail.
    Required,
    /// From the start.
    FromTheStart,
}

/// The user and the password of a login.
#[derive(Clone)]
pub(super) struct Login {
    pub(super) user: String,
    pub(super) password: String,
}

impl FromStr for SmtpUrl {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let url: Url = text.parse().map_err(|_| HINT)?;
        let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']).to_owned();
        let certified = ServerName::try_from(host.clone()).map_err(|_| HINT)?;
        let is_local = ["localhost", "127.0.0.1", "::1"].iter().any(|local| host.eq_ignore_ascii_case(local));
        let login = match (url.username(), url.password()) {
            ("", None) => None,
            ("", Some(_)) | (_, None) => return Err(HINT),
            (user, Some(password)) => Some(Login { user: decoded(user)?, password: decoded(password)? }),
        };
        let needs_tls = login.is_some() && !is_local;
        let (security, port) = match (url.scheme(), url.query()) {
            ("smtps", None | Some("tls=required")) => (Security::FromTheStart, 465),
            ("smtp", Some("tls=required")) => (Security::Required, 587),
            ("smtp", None) if needs_tls => (Security::Required, 587),
            ("smtp", None) => (Security::IfOffered, 25),
            ("smtp", Some("tls=none")) if needs_tls => return Err(CLEAR_PASSWORD),
            ("smtp", Some("tls=none")) => (Security::None, 25),
            _ => return Err(HINT),
        };
        if !matches!(url.path(), "" | "/") || url.fragment().is_some() {
            return Err(HINT);
        }
        Ok(Self { host, port: url.port().unwrap_or(port), security, certified, login })
    }
}

fn decoded(text: &str) -> Result<String, &'static str> {
    percent_decode_str(text).decode_utf8().map(String::from).map_err(|_| HINT)
}

/// Omits the login.
impl fmt::Debug for SmtpUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SmtpUrl").field(&self.host).field(&self.port).field(&self.security).finish()
    }
}

/// The name of this client in `EHLO`: a host name of at least two labels, or an address literal such as `[192.0.2.1]`.
///
/// Mail servers commonly refuse any other name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HelloName(String);

impl HelloName {
    /// Returns the host of the server's base URL, if it is a name that other hosts may know.
    pub(crate) fn of_base_url(base_url: &str) -> Option<Self> {
        let url: Url = base_url.parse().ok()?;
        let host = url.host_str()?.trim_end_matches('.');
        host.parse().ok().filter(|_| !host.ends_with(".localhost"))
    }

    /// Returns the address literal of a host (RFC 5321, 4.1.3).
    pub(super) fn literal(address: IpAddr) -> Self {
        match address.to_canonical() {
            IpAddr::V4(address) => Self(format!("[{address}]")),
            IpAddr::V6(address) => Self(format!("[IPv6:{address}]")),
        }
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for HelloName {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let literal = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
        let is_allowed = match literal {
            Some(literal) => match literal.strip_prefix("IPv6:") {
                Some(address) => address.parse::<Ipv6Addr>().is_ok(),
                None => literal.parse::<Ipv4Addr>().is_ok(),
            },
            None => is_host_name(text),
        };
        let hint = "use a host name such as signup.example.org, or an address such as [192.0.2.1]";
        is_allowed.then(|| Self(text.to_owned())).ok_or(hint)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starttls_is_used_where_offered_and_required_for_a_password_that_leaves_this_machine() {
        for (given, security, port) in [
            ("smtp://mail.example.org", Security::IfOffered, 25),
            ("smtp://mail.example.org/", Security::IfOffered, 25),
            ("smtp://mail.example.org?tls=none", Security::None, 25),
            ("smtp://mail.example.org?tls=required", Security::Required, 587),
            ("smtps://mail.example.org", Security::FromTheStart, 465),
            ("smtps://[2001:db8::1]:4465?tls=required", Security::FromTheStart, 4465),
            ("smtp://a:b@mail.example.org", Security::Required, 587),
            ("SMTP://a:b@mail.example.org:2525", Security::Required, 2525),
            ("smtp://a:b@127.0.0.2", Security::Required, 587),
            ("smtps://a:b@mail.example.org", Security::FromTheStart, 465),
            ("smtp://a:b@127.0.0.1:2525", Security::IfOffered, 2525),
            ("smtp://a:b@[::1]?tls=none", Security::None, 25),
            ("smtp://a:b@LOCALHOST", Security::IfOffered, 25),
        ] {
            let url: SmtpUrl = given.parse().unwrap();
            assert_eq!((url.security, url.port, url.login.is_some()), (security, port, given.contains('@')));
        }
        for address in ["mail.example.org", "127.0.0.2"] {
            let clear = format!("smtp://a:b@{address}?tls=none").parse::<SmtpUrl>();
            assert_eq!(clear.unwrap_err(), CLEAR_PASSWORD);
        }
    }

    #[test]
    fn an_invalid_url_is_refused_and_no_password_is_shown() {
        for bad in [
            "",
            "mail.example.org",
            "http://mail.example.org",
            "smtp://",
            "smtp://a?tls=maybe",
            "smtp://a?tls=opportunistic",
            "smtps://a?tls=none",
            "smtp://a?tsl=required",
            "smtp://a?tls=required&tls=none",
            "smtp://a/client.example.org",
            "smtp://a#b",
            "smtp://a:%ff@b",
            "smtp://a@b",
            "smtps://a@b",
            "smtp://a@127.0.0.1",
            "smtp://:b@127.0.0.1",
        ] {
            assert_eq!(bad.parse::<SmtpUrl>().unwrap_err(), HINT, "{bad}");
        }
        assert!(!format!("{:?}", "smtps://a:hidden@b".parse::<SmtpUrl>().unwrap()).contains("hidden"));
    }

    #[test]
    fn a_login_is_percent_decoded() {
        let url: SmtpUrl = "smtps://a%40b:c%3Ad%2f@mail.example.org".parse().unwrap();
        let Login { user, password } = url.login.unwrap();
        assert_eq!((user.as_str(), password.as_str()), ("a@b", "c:d/"));
    }

    #[test]
    fn the_hello_name_is_a_qualified_host_name_or_an_address_literal() {
        let long = format!("{}.example.org", "a".repeat(63));
        for good in
            ["signup.example.org", "a-b.xn--p1ai", "3com.example", "[192.0.2.1]", "[IPv6:2001:db8::1]", &long]
        {
            assert_eq!(good.parse::<HelloName>().unwrap().as_str(), good);
        }
        for bad in [
            "",
            "vm",
            "localhost",
            "192.0.2.1",
            "[192.0.2]",
            "[2001:db8::1]",
            "[IPv6:192.0.2.1]",
            "example.org.",
            "-a.example.org",
            "a..example.org",
            "my_host.example.org",
            "bücher.example",
            "a.example\r\nMAIL",
            &format!("a{long}"),
        ] {
            assert!(bad.parse::<HelloName>().is_err(), "{bad}");
        }
    }

    #[test]
    fn the_base_url_gives_the_hello_name_only_if_its_host_is_known_elsewhere() {
        for (base_url, name) in [
            ("https://signup.example.org/x", Some("signup.example.org")),
            ("http://Signup.Example.org:8080", Some("signup.example.org")),
            ("http://localhost:8080", None),
            ("http://signup.localhost", None),
            ("http://vm:8080", None),
            ("http://127.0.0.1:8080", None),
            ("http://[::1]:8080", None),
        ] {
            assert_eq!(HelloName::of_base_url(base_url).as_ref().map(HelloName::as_str), name, "{base_url}");
        }
    }

    #[test]
    fn an_address_literal_has_the_form_of_its_family() {
        for (address, literal) in [
            ("192.0.2.1", "[192.0.2.1]"),
            ("::ffff:192.0.2.1", "[192.0.2.1]"),
            ("2001:db8::1", "[IPv6:2001:db8::1]"),
        ] {
            let name = HelloName::literal(address.parse().unwrap());
            assert_eq!((name.as_str(), name.as_str().parse()), (literal, Ok(name.clone())));
        }
    }
}
