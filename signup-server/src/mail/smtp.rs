//! SMTP: the address of a server, and sending over it.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use lettre::transport::smtp::{Error, PoolConfig};
use lettre::{Message, SmtpTransport, Transport as _};
use url::Url;

use super::{Blame, NotSent};

/// How long each answer of the server is waited for.
const TIMEOUT: Duration = Duration::from_secs(10);
/// How long a connection is kept for the next mail.
const IDLE: Duration = Duration::from_secs(30);
/// Answers that say that the server takes no mail from us, whichever it is: a login is needed, or was refused (RFC 4954, 6).
const NO_LOGIN: [u16; 4] = [530, 534, 535, 538];

/// The address of a mail server: `smtp://` or `smtps://`, with `USER:PASSWORD@` if it wants a login.
///
/// `smtps://` is TLS from the start. Over `smtp://`, `?tls=required` asks for STARTTLS and `?tls=opportunistic` takes it
/// where it is offered. A password never goes in the clear, except to this machine: with one, STARTTLS is required.
#[derive(Clone)]
pub(crate) struct SmtpUrl {
    url: Url,
    transport: SmtpTransport,
}

impl FromStr for SmtpUrl {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const HINT: &str = "use smtp://HOST:PORT or smtps://HOST:PORT, with USER:PASSWORD@ before the host for a login and \
             ?tls=required behind the port for STARTTLS";
        let mut url: Url = text.parse().map_err(|_| HINT)?;
        let host = url.host_str().ok_or(HINT)?;
        let is_here = ["localhost", "127.0.0.1", "[::1]"].iter().any(|here| host.eq_ignore_ascii_case(here));
        if url.scheme() == "smtp" && url.password().is_some() && !is_here {
            let tls = url.query_pairs().find(|(name, _)| name == "tls").map(|(_, value)| value.into_owned());
            match tls.as_deref() {
                None => drop(url.query_pairs_mut().append_pair("tls", "required")),
                Some("required") => {}
                Some(_) => return Err("a password may only go over TLS: use ?tls=required"),
            }
        }
        let pool = PoolConfig::new().max_size(1).idle_timeout(IDLE);
        let builder = SmtpTransport::from_url(url.as_str()).map_err(|_| HINT)?;
        let transport = builder.timeout(Some(TIMEOUT)).pool_config(pool).build();
        Ok(Self { url, transport })
    }
}

impl SmtpUrl {
    pub(super) fn transport(&self) -> SmtpTransport {
        self.transport.clone()
    }
}

/// Without the password.
impl fmt::Debug for SmtpUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SmtpUrl").field(&self.url.host_str()).field(&self.url.port()).finish()
    }
}

/// Sends a message, in a thread of its own: a send that is cut off in the middle would leave a connection behind that is out
/// of step with its answers.
pub(super) async fn send(transport: SmtpTransport, message: Message) -> Result<(), NotSent> {
    let sent = tokio::task::spawn_blocking(move || transport.send(&message)).await;
    match sent {
        Ok(Ok(_)) => Ok(()),
        Ok(Err(error)) => Err(not_sent(&error)),
        Err(error) => Err(NotSent { reason: error.to_string(), blame: Blame::MailForNow }),
    }
}

fn not_sent(error: &Error) -> NotSent {
    let status = error.status().map(u16::from);
    let blame = match status {
        Some(status) if NO_LOGIN.contains(&status) => Blame::Server,
        Some(421) => Blame::Server,
        Some(_) if error.is_permanent() => Blame::MailForGood,
        // Among others that the server lacks what this mail needs, as an address with letters beyond ASCII does.
        Some(_) => Blame::MailForNow,
        None if error.is_client() => Blame::MailForNow,
        None => Blame::Server,
    };
    NotSent { reason: crate::reply::WithSources(error).to_string(), blame }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> String {
        text.parse::<SmtpUrl>().unwrap().url.to_string()
    }

    #[tokio::test]
    async fn a_password_goes_over_tls_or_not_at_all() {
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
    async fn what_is_no_address_of_a_mail_server_is_refused_and_no_password_is_shown() {
        for bad in ["", "mail.example.org", "http://mail.example.org", "smtp://", "smtp://a?tls=maybe"] {
            assert!(bad.parse::<SmtpUrl>().is_err(), "{bad}");
        }
        assert!(!format!("{:?}", "smtps://a:hidden@b".parse::<SmtpUrl>().unwrap()).contains("hidden"));
    }
}
