//! SMTP: the address of a server, and sending over it.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use lettre::transport::smtp::{Error, PoolConfig};
use lettre::{Message, SmtpTransport, Transport as _};

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
    url: String,
    transport: SmtpTransport,
}

impl FromStr for SmtpUrl {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const HINT: &str = "use smtp://HOST:PORT or smtps://HOST:PORT, with USER:PASSWORD@ before the host for a login and \
             ?tls=required behind the port for STARTTLS";
        let url: warp::http::Uri = text.parse().map_err(|_| HINT)?;
        let authority = url.authority().ok_or(HINT)?;
        let is_clear =
            url.scheme_str() == Some("smtp") && !url.query().is_some_and(|query| query.contains("tls="));
        let has_password = authority.as_str().rsplit_once('@').is_some_and(|(user, _)| user.contains(':'));
        let is_here = ["localhost", "127.0.0.1", "[::1]"].contains(&authority.host());
        let mut url = text.to_owned();
        if is_clear && has_password && !is_here {
            url.push_str(if url.contains('?') { "&tls=required" } else { "?tls=required" });
        }
        let pool = PoolConfig::new().max_size(1).idle_timeout(IDLE);
        let builder = SmtpTransport::from_url(&url).map_err(|_| HINT)?;
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
        let host = self.url.rsplit('@').next().unwrap_or_default();
        f.debug_tuple("SmtpUrl").field(&host).finish()
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
        text.parse::<SmtpUrl>().unwrap().url
    }

    #[tokio::test]
    async fn a_password_goes_over_tls_or_not_at_all() {
        assert_eq!(url("smtp://a:b@mail.example.org"), "smtp://a:b@mail.example.org?tls=required");
        assert_eq!(
            url("smtp://a:b@mail.example.org:2525?x=y"),
            "smtp://a:b@mail.example.org:2525?x=y&tls=required"
        );
        for as_it_is in [
            "smtp://mail.example.org",
            "smtp://a:b@127.0.0.1:2525",
            "smtp://a:b@mail.example.org?tls=opportunistic",
            "smtps://a:b@mail.example.org",
        ] {
            assert_eq!(url(as_it_is), as_it_is);
        }
    }

    #[test]
    fn what_is_no_address_of_a_mail_server_is_refused_and_no_password_is_shown() {
        for bad in ["", "mail.example.org", "http://mail.example.org", "smtp://", "smtp://a?tls=maybe"] {
            assert!(bad.parse::<SmtpUrl>().is_err(), "{bad}");
        }
        assert!(!format!("{:?}", "smtps://a:hidden@b".parse::<SmtpUrl>().unwrap()).contains("hidden"));
    }
}
