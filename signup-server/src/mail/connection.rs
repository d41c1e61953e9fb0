//! Sending over SMTP, and what a refusal is about.
//!
//! A mail goes through three steps: the connection (with the greeting and the login), the sender, and then the recipient with the
//! content. Whatever goes wrong in the first two would go wrong for every mail, so it is the server's fault, also with a code
//! (5xx) that calls it permanent. Only the third step can refuse a mail for good.
//!
//! **Invariant:** a connection on which anything went wrong is not used again: it may be out of step with its answers.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use lettre::Message;
use lettre::address::Envelope;
use lettre::transport::smtp::Error;
use lettre::transport::smtp::client::SmtpConnection;
use lettre::transport::smtp::commands::{Data, Mail, Rcpt};
use lettre::transport::smtp::extension::{Extension, MailBodyParameter, MailParameter};

use super::smtp::SmtpUrl;
use super::{Blame, NotSent};
use crate::reply::WithSources;

/// How long a connection is kept for the next mail.
const IDLE: Duration = Duration::from_secs(30);
/// Answers that say that the server takes no mail from us, whichever it is: it closes the connection, or a login is needed or
/// was refused (RFC 5321, 4.2.3; RFC 4954, 6).
const TAKES_NO_MAIL: [u16; 5] = [421, 530, 534, 535, 538];

/// Sends mails to one server, over one connection for mails that follow each other soon.
#[derive(Clone)]
pub(super) struct Smtp {
    url: SmtpUrl,
    idle: Arc<Mutex<Option<Idle>>>,
}

struct Idle {
    connection: SmtpConnection,
    since: Instant,
}

impl fmt::Debug for Smtp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Smtp").field(&self.url).finish()
    }
}

impl Smtp {
    pub(super) fn new(url: SmtpUrl) -> Self {
        Self { url, idle: Arc::default() }
    }

    /// Sends a message. Runs in a thread of its own, to the end even if the caller stops waiting.
    pub(super) async fn send(&self, message: Message) -> Result<(), NotSent> {
        let smtp = self.clone();
        let sent = tokio::task::spawn_blocking(move || smtp.send_and_wait(&message)).await;
        sent.unwrap_or_else(|error| Err(NotSent { reason: error.to_string(), blame: Blame::MailForNow }))
    }

    /// Closes the connection if no mail has used it for [`IDLE`]. Does not wait for the server's answer.
    pub(super) fn close_idle(&self) {
        if let Some(Idle { mut connection, .. }) = self.take(|idle| idle.since.elapsed() >= IDLE) {
            drop(tokio::task::spawn_blocking(move || connection.quit()));
        }
    }

    fn take(&self, is_wanted: impl FnOnce(&Idle) -> bool) -> Option<Idle> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.take_if(|idle| is_wanted(idle))
    }

    fn send_and_wait(&self, message: &Message) -> Result<(), NotSent> {
        let kept = self.take(|_| true).map(|idle| idle.connection);
        let mut connection = match kept.and_then(if_alive) {
            Some(connection) => connection,
            None => self.url.connect().map_err(|error| of_server("no connection", &error))?,
        };
        if let Err((not_sent, is_in_step)) = transact(&mut connection, message) {
            if is_in_step {
                // The server has answered, so it is told goodbye; what it says to that changes nothing.
                drop(connection.quit());
            }
            return Err(not_sent);
        }
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        *idle = Some(Idle { connection, since: Instant::now() });
        Ok(())
    }
}

/// The connection, if the server has not closed it meanwhile.
fn if_alive(mut connection: SmtpConnection) -> Option<SmtpConnection> {
    connection.test_connected().then_some(connection)
}

/// Hands a message over. An error comes with whether the server has answered.
fn transact(connection: &mut SmtpConnection, message: &Message) -> Result<(), (NotSent, bool)> {
    let (envelope, content) = (message.envelope(), message.formatted());
    let parameters = parameters(connection, envelope, &content).map_err(|not_sent| (not_sent, true))?;
    let sender = Mail::new(envelope.from().cloned(), parameters);
    let in_step = |error: &Error| error.status().is_some();
    connection
        .command(sender)
        .map_err(|error| (of_server("the sender was not taken", &error), in_step(&error)))?;
    let of_mail = |error: Error| (of_mail(&error), in_step(&error));
    for recipient in envelope.to() {
        connection.command(Rcpt::new(recipient.clone(), vec![])).map_err(of_mail)?;
    }
    connection.command(Data).map_err(of_mail)?;
    connection.message(&content).map_err(of_mail)?;
    Ok(())
}

/// What the server has to be told of a mail that is not ASCII alone.
fn parameters(
    connection: &SmtpConnection,
    envelope: &Envelope,
    content: &[u8],
) -> Result<Vec<MailParameter>, NotSent> {
    let mut parameters = vec![];
    let addresses = envelope.from().into_iter().chain(envelope.to());
    let needs = [
        (
            !addresses.map(AsRef::<str>::as_ref).all(str::is_ascii),
            Extension::SmtpUtfEight,
            MailParameter::SmtpUtfEight,
        ),
        (!content.is_ascii(), Extension::EightBitMime, MailParameter::Body(MailBodyParameter::EightBitMime)),
    ];
    for (is_needed, extension, parameter) in needs {
        if is_needed && !connection.server_info().supports_feature(extension) {
            let reason = format!("the mail server lacks {extension}, which this mail needs");
            return Err(NotSent { reason, blame: Blame::MailForNow });
        }
        parameters.extend(is_needed.then_some(parameter));
    }
    Ok(parameters)
}

fn of_server(what: &str, error: &Error) -> NotSent {
    NotSent { reason: format!("{what}: {}", WithSources(error)), blame: Blame::Server }
}

/// What an error after the sender was taken is about.
fn of_mail(error: &Error) -> NotSent {
    let blame = match error.status().map(u16::from) {
        None => Blame::Server,
        Some(status) if TAKES_NO_MAIL.contains(&status) => Blame::Server,
        Some(_) if error.is_permanent() => Blame::MailForGood,
        Some(_) => Blame::MailForNow,
    };
    NotSent { reason: WithSources(error).to_string(), blame }
}
