//! Sends mails over SMTP and classifies errors.
//!
//! A mail is sent in three steps: connecting (with greeting and login), the sender, and the recipient with the content.
//! If one of the first two steps fails, any other mail would fail, too. So the failure counts as a server failure, even
//! with a permanent code (5xx). Only the third step can refuse a mail permanently. If the server lacks an extension
//! that a mail needs, the mail is not sent. That counts as a transient refusal of the mail.
//!
//! **Invariant:** a connection is not reused after an error, because later answers might belong to earlier commands.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use lettre::address::Envelope;
use lettre::transport::smtp::Error;
use lettre::transport::smtp::client::SmtpConnection;
use lettre::transport::smtp::commands::{Data, Mail, Rcpt};
use lettre::transport::smtp::extension::{Extension, MailBodyParameter, MailParameter};

use super::smtp::SmtpUrl;
use super::{SendError, SendErrorKind};
use crate::reply::WithSources;

/// How long an idle connection is kept open for the next mail.
const IDLE_TIMEOUT: Duration = Duration::from_secs(30);
/// The codes with which a server refuses every mail of this client (RFC 5321, 4.2.3; RFC 4954, 6).
///
/// With these codes the server closes the connection, requires a login or encryption, or refuses the login.
const SERVER_REFUSALS: [u16; 5] = [421, 530, 534, LOGIN_REFUSED, 538];
/// The code with which a server refuses the user or the password.
const LOGIN_REFUSED: u16 = 535;

/// A client of one mail server. Mails in quick succession share a connection.
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

    /// Sends a mail on a blocking thread. The thread finishes its work even if the caller drops the future.
    pub(super) async fn send(&self, from: &str, to: &str, content: String) -> Result<(), SendError> {
        let smtp = self.clone();
        let envelope = envelope(from, to).map_err(|error| SendError {
            reason: format!("the address cannot be used: {error}"),
            kind: SendErrorKind::PermanentRefusal,
            unquoted: None,
        })?;
        let sent =
            tokio::task::spawn_blocking(move || smtp.send_and_wait(&envelope, content.as_bytes())).await;
        sent.unwrap_or_else(|error| {
            Err(SendError {
                reason: error.to_string(),
                kind: SendErrorKind::TransientRefusal,
                unquoted: None,
            })
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

    fn connect(&self) -> Result<SmtpConnection, SendError> {
        let mut connection = self.url.connect().map_err(|error| server_error("connection", &error))?;
        self.url.log_in(&mut connection).map_err(|error| server_error("login", &error))?;
        Ok(connection)
    }

    fn send_and_wait(&self, envelope: &Envelope, content: &[u8]) -> Result<(), SendError> {
        let idle = self.take_if(|_| true).map(|idle| idle.connection);
        let mut connection = match idle.and_then(if_alive) {
            Some(connection) => connection,
            None => self.connect()?,
        };
        if let Err((error, has_answered)) = transact(&mut connection, envelope, content) {
            if has_answered {
                // The connection still works, so it is closed with QUIT. The answer to QUIT does not matter.
                drop(connection.quit());
            }
            return Err(error);
        }
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        *idle = Some(Idle { connection, since: Instant::now() });
        Ok(())
    }
}

fn envelope(from: &str, to: &str) -> Result<Envelope, Box<dyn std::error::Error>> {
    Ok(Envelope::new(Some(from.parse()?), vec![to.parse()?])?)
}

/// Returns the connection, or `None` if the server has closed the connection meanwhile.
fn if_alive(mut connection: SmtpConnection) -> Option<SmtpConnection> {
    connection.test_connected().then_some(connection)
}

/// Sends a message over a connection.
///
/// # Errors
/// Returns the error, and whether the server has answered. After an answer the connection still works.
fn transact(
    connection: &mut SmtpConnection,
    envelope: &Envelope,
    content: &[u8],
) -> Result<(), (SendError, bool)> {
    let parameters = parameters(connection, envelope, content).map_err(|error| (error, true))?;
    let sender = Mail::new(envelope.from().cloned(), parameters);
    let has_answered = |error: &Error| error.status().is_some();
    connection.command(sender).map_err(|error| (server_error("sender", &error), has_answered(&error)))?;
    let classified = |error: Error| (classify(&error), has_answered(&error));
    for recipient in envelope.to() {
        connection.command(Rcpt::new(recipient.clone(), vec![])).map_err(classified)?;
    }
    connection.command(Data).map_err(classified)?;
    connection.message(content).map_err(classified)?;
    Ok(())
}

/// Returns the parameters that the sender command needs for addresses or content beyond ASCII.
///
/// # Errors
/// Fails with a transient refusal if the server does not support the extension that a parameter belongs to.
fn parameters(
    connection: &SmtpConnection,
    envelope: &Envelope,
    content: &[u8],
) -> Result<Vec<MailParameter>, SendError> {
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
            let reason = format!("the mail server lacks {extension}, which this email needs");
            return Err(SendError { reason, kind: SendErrorKind::TransientRefusal, unquoted: None });
        }
        parameters.extend(is_needed.then_some(parameter));
    }
    Ok(parameters)
}

/// Describes an error that concerns every mail: the server has not accepted the connection, the login or the sender.
fn server_error(step: &str, error: &Error) -> SendError {
    let code = error.status().map(u16::from);
    let reason = match code {
        Some(LOGIN_REFUSED) => {
            format!(
                "the mail server refused the {step} ({LOGIN_REFUSED}): check the user and password in --smtp"
            )
        }
        Some(code) => format!("the mail server refused the {step} ({code}): {}", answer(error)),
        None => format!("the {step} was not accepted: {}", WithSources(error)),
    };
    SendError { reason, kind: SendErrorKind::Server, unquoted: unquoted(error) }
}

/// Describes an error that the mail server's answer caused, without the text of the answer.
fn unquoted(error: &Error) -> Option<String> {
    match error.status() {
        Some(code) => Some(format!("the mail server answered {code}")),
        None => error.is_response().then(|| "the mail server's answer could not be read".to_owned()),
    }
}

/// Returns the text of the mail server's answer.
fn answer(error: &Error) -> String {
    std::error::Error::source(error).map(ToString::to_string).unwrap_or_default()
}

/// Classifies an error that occurred after the sender was accepted.
fn classify(error: &Error) -> SendError {
    let code = error.status().map(u16::from);
    let kind = match code {
        None => SendErrorKind::Server,
        Some(status) if SERVER_REFUSALS.contains(&status) => SendErrorKind::Server,
        Some(_) if error.is_permanent() => SendErrorKind::PermanentRefusal,
        Some(_) => SendErrorKind::TransientRefusal,
    };
    // lettre calls every 5xx permanent, also those that concern every mail, which are retried.
    let reason = match code {
        Some(code) => format!("the mail server answered {code}: {}", answer(error)),
        None => WithSources(error).to_string(),
    };
    SendError { reason, kind, unquoted: unquoted(error) }
}
