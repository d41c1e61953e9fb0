//! The URL of a mail server: host, port, encryption and login.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use lettre::transport::smtp::authentication::{Credentials, DEFAULT_MECHANISMS};
use lettre::transport::smtp::client::{SmtpConnection, Tls, TlsParameters};
use lettre::transport::smtp::extension::ClientId;
use lettre::transport::smtp::{Error, SMTP_PORT, SUBMISSION_PORT, SUBMISSIONS_PORT};
use percent_encoding::percent_decode_str;
use url::Url;

/// The timeout of each answer of the mail server.
const TIMEOUT: Duration = Duration::from_secs(10);
/// The error for a URL that cannot be parsed.
const HINT: &str = "use smtp://HOST:PORT or smtps://HOST:PORT, with USER:PASSWORD@ before the host for a login and \
     ?tls=required after the port for STARTTLS";

/// The URL of a mail server: `smtp://` or `smtps://`, with `USER:PASSWORD@` if the server requires a login.
///
/// `smtps://` uses TLS from the start. With `smtp://`, `?tls=required` requires STARTTLS, and `?tls=opportunistic` uses
/// STARTTLS if the server offers STARTTLS. A password requires TLS, unless the server is on this machine. The path, if
/// any, is the name of this client in `EHLO`.
#[derive(Clone)]
pub(crate) struct SmtpUrl {
    url: Url,
    server: Arc<Server>,
}

/// The parameters of a connection.
struct Server {
    host: String,
    port: u16,
    tls: Tls,
    /// The name of this client in `EHLO`.
    hello: ClientId,
    credentials: Option<Credentials>,
}

impl FromStr for SmtpUrl {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut url: Url = text.parse().map_err(|_| HINT)?;
        let host = url.host_str().ok_or(HINT)?;
        let is_local =
            ["localhost", "127.0.0.1", "[::1]"].iter().any(|local| host.eq_ignore_ascii_case(local));
        if url.scheme() == "smtp" && url.password().is_some() && !is_local {
            match tls_of(&url).as_deref() {
                None => drop(url.query_pairs_mut().append_pair("tls", "required")),
                Some("required") => {}
                Some(_) => return Err("a password may only go over TLS: use ?tls=required"),
            }
        }
        let server = Arc::new(Server::at(&url)?);
        Ok(Self { url, server })
    }
}

fn tls_of(url: &Url) -> Option<String> {
    url.query_pairs().find(|(name, _)| name == "tls").map(|(_, value)| value.into_owned())
}

impl Server {
    fn at(url: &Url) -> Result<Self, &'static str> {
        let host = url.host_str().ok_or(HINT)?.trim_matches(['[', ']']).to_owned();
        let parameters = || TlsParameters::new(host.clone()).map_err(|_| HINT);
        let (port, tls) = match (url.scheme(), tls_of(url).as_deref()) {
            ("smtps", _) => (SUBMISSIONS_PORT, Tls::Wrapper(parameters()?)),
            ("smtp", Some("required")) => (SUBMISSION_PORT, Tls::Required(parameters()?)),
            ("smtp", Some("opportunistic")) => (SUBMISSION_PORT, Tls::Opportunistic(parameters()?)),
            ("smtp", None) => (SMTP_PORT, Tls::None),
            _ => return Err(HINT),
        };
        let decoded = |text| percent_decode_str(text).decode_utf8().map(String::from).map_err(|_| HINT);
        let credentials = match url.password() {
            Some(password) => Some(Credentials::new(decoded(url.username())?, decoded(password)?)),
            None => None,
        };
        let hello = match url.path().trim_matches('/') {
            "" => ClientId::default(),
            name => ClientId::Domain(name.to_owned()),
        };
        Ok(Self { host, port: url.port().unwrap_or(port), tls, hello, credentials })
    }
}

impl SmtpUrl {
    /// Connects and negotiates TLS, as the URL requires. Blocks the thread until the server has answered.
    ///
    /// # Errors
    /// Fails if the server is unreachable, does not answer within [`TIMEOUT`], or refuses the client.
    pub(super) fn connect(&self) -> Result<SmtpConnection, Error> {
        let Server { host, port, tls, hello, .. } = &*self.server;
        let from_the_start = match tls {
            Tls::Wrapper(parameters) => Some(parameters),
            _ => None,
        };
        let mut connection =
            SmtpConnection::connect((host.as_str(), *port), Some(TIMEOUT), hello, from_the_start, None)?;
        match tls {
            Tls::Required(parameters) => connection.starttls(parameters, hello)?,
            Tls::Opportunistic(parameters) if connection.can_starttls() => {
                connection.starttls(parameters, hello)?;
            }
            _ => {}
        }
        Ok(connection)
    }

    /// Logs in, if the URL has a password. Blocks the thread until the server has answered.
    ///
    /// # Errors
    /// Fails if the server does not answer within [`TIMEOUT`], or refuses the login.
    pub(super) fn log_in(&self, connection: &mut SmtpConnection) -> Result<(), Error> {
        match &self.server.credentials {
            Some(credentials) => connection.auth(DEFAULT_MECHANISMS, credentials).map(drop),
            None => Ok(()),
        }
    }
}

/// Omits the password.
impl fmt::Debug for SmtpUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SmtpUrl").field(&self.url.host_str()).field(&self.url.port()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> String {
        text.parse::<SmtpUrl>().unwrap().url.to_string()
    }

    #[tokio::test]
    async fn a_password_is_sent_only_over_tls_or_to_this_machine() {
        for (given, used) in [
            ("smtp://a:b@mail.example.org", "smtp://a:b@mail.example.org?tls=required"),
            ("SMTP://a:b@mail.example.org:2525", "smtp://a:b@mail.example.org:2525?tls=required"),
            ("smtp://a:b@127.0.0.2?notls=1", "smtp://a:b@127.0.0.2?notls=1&tls=required"),
            ("smtp://a:b@mail.example.org?tls=required", "smtp://a:b@mail.example.org?tls=required"),
            ("smtps://a:b@mail.example.org", "smtps://a:b@mail.example.org"),
            ("smtp://mail.example.org", "smtp://mail.example.org"),
            ("smtp://a:b@127.0.0.1:2525", "smtp://a:b@127.0.0.1:2525"),
        ] {
            assert_eq!(url(given), used);
        }
        assert!("smtp://a:b@mail.example.org?tls=opportunistic".parse::<SmtpUrl>().is_err());
        assert!("smtp://mail.example.org?tls=opportunistic".parse::<SmtpUrl>().is_ok());
    }

    #[tokio::test]
    async fn an_invalid_url_is_refused_and_no_password_is_shown() {
        for bad in ["", "mail.example.org", "http://mail.example.org", "smtp://", "smtp://a?tls=maybe"] {
            assert!(bad.parse::<SmtpUrl>().is_err(), "{bad}");
        }
        assert!(!format!("{:?}", "smtps://a:hidden@b".parse::<SmtpUrl>().unwrap()).contains("hidden"));
    }
}
