//! Sending over SMTP, and classifying errors.
//!
//! A mail is sent in three steps: connecting (with greeting and login), the sender, and the recipient with the content.
//! A failure of the first two steps concerns every mail, so it counts as a server failure, even with a permanent code
//! (5xx). Only the third step can refuse a mail permanently.
//!
//! **Invariant:** a connection is not reused after an error, because later answers might belong to earlier commands.

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

/// How long an idle connection is kept for the next mail.
const IDLE_TIMEOUT: Duration = Duration::from_secs(30);
/// The codes with which a server refuses every mail of this client: it closes the connection, requires a login, or has
/// refused the login (RFC 5321, 4.2.3; RFC 4954, 6).
const SERVER_REFUSALS: [u16; 5] = [421, 530, 534, 535, 538];

/// A client of one mail server. Mails that follow each other soon share a connection.
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

    /// Sends a message on a blocking thread. The thread finishes even if the caller drops the future.
    pub(super) async fn send(&self, message: Message) -> Result<(), NotSent> {
        let smtp = self.clone();
        let sent = tokio::task::spawn_blocking(move || smtp.send_and_wait(&message)).await;
        sent.unwrap_or_else(|error| {
            Err(NotSent { reason: error.to_string(), blame: Blame::TemporaryRefusal })
        })
    }

    /// Closes the connection if no mail has used it for [`IDLE_TIMEOUT`]. Does not wait for the server's answer.
    pub(super) fn close_idle(&self) {
        if let Some(Idle { mut connection, .. }) = self.take_if(|idle| idle.since.elapsed() >= IDLE_TIMEOUT) {
            drop(tokio::task::spawn_blocking(move || connection.quit()));
        }
    }

    fn take_if(&self, predicate: impl FnOnce(&Idle) -> bool) -> Option<Idle> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.take_if(|idle| predicate(idle))
    }

    fn send_and_wait(&self, message: &Message) -> Result<(), NotSent> {
        let idle = self.take_if(|_| true).map(|idle| idle.connection);
        let mut connection = match idle.and_then(if_alive) {
            Some(connection) => connection,
            None => self.url.connect().map_err(|error| of_server("no connection", &error))?,
        };
        if let Err((not_sent, has_answered)) = transact(&mut connection, message) {
            if has_answered {
                // The connection still works, so it is closed with QUIT. The answer to QUIT does not matter.
                drop(connection.quit());
            }
            return Err(not_sent);
        }
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        *idle = Some(Idle { connection, since: Instant::now() });
        Ok(())
    }
}

/// Returns the connection, unless the server has closed it meanwhile.
fn if_alive(mut connection: SmtpConnection) -> Option<SmtpConnection> {
    connection.test_connected().then_some(connection)
}

/// Sends a message over a connection.
///
/// # Errors
/// Returns the failure, and whether the server was still answering.
fn transact(connection: &mut SmtpConnection, message: &Message) -> Result<(), (NotSent, bool)> {
    let (envelope, content) = (message.envelope(), message.formatted());
    let parameters = parameters(connection, envelope, &content).map_err(|not_sent| (not_sent, true))?;
    let sender = Mail::new(envelope.from().cloned(), parameters);
    let has_answered = |error: &Error| error.status().is_some();
    connection
        .command(sender)
        .map_err(|error| (of_server("the sender was not taken", &error), has_answered(&error)))?;
    let of_mail = |error: Error| (of_mail(&error), has_answered(&error));
    for recipient in envelope.to() {
        connection.command(Rcpt::new(recipient.clone(), vec![])).map_err(of_mail)?;
    }
    connection.command(Data).map_err(of_mail)?;
    connection.message(&content).map_err(of_mail)?;
    Ok(())
}

/// Returns the parameters that the sender command needs for addresses or content beyond ASCII.
///
/// # Errors
/// Fails if the server does not support the extension behind a parameter.
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
            return Err(NotSent { reason, blame: Blame::TemporaryRefusal });
        }
        parameters.extend(is_needed.then_some(parameter));
    }
    Ok(parameters)
}

/// Describes an error that concerns every mail.
fn of_server(what: &str, error: &Error) -> NotSent {
    NotSent { reason: format!("{what}: {}", WithSources(error)), blame: Blame::Server }
}

/// Classifies an error that occurred after the sender was accepted.
fn of_mail(error: &Error) -> NotSent {
    let blame = match error.status().map(u16::from) {
        None => Blame::Server,
        Some(status) if SERVER_REFUSALS.contains(&status) => Blame::Server,
        Some(_) if error.is_permanent() => Blame::PermanentRefusal,
        Some(_) => Blame::TemporaryRefusal,
    };
    NotSent { reason: WithSources(error).to_string(), blame }
}
