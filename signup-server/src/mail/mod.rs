//! Mails to volunteers and people: writing them, sending them, and reporting the result to the outbox.
//!
//! **Invariant:** the library decides when a mail is due, who receives it, and whether it is retried. This module only
//! writes and sends the mail.

mod client;
mod connection;
mod header;
mod location;
mod mail_from;
mod message;
pub(crate) mod name;
mod news;
mod organizer;
mod people;
mod person;
mod queue;
mod smtp;
mod summary;

pub(crate) use mail_from::MailFrom;
pub(crate) use queue::MailQueue;
pub(crate) use smtp::{HelloName, SmtpUrl};

use signup_core::{Mail, Secret, Timestamp};

use client::Client;
use connection::Envelope;
use message::WrittenMail;

/// Sends mails, and says which of them have failed. The queue of mails takes any sender, so that tests can have one of their own.
pub(crate) trait SendMail: Send + Sync + 'static {
    /// Sends the mail of a delivery, as written at `now`.
    fn send(&self, mail: &Mail, now: Timestamp) -> impl Future<Output = Result<(), SendError>> + Send;

    /// Does what is left to do when no mail is due and none is being sent.
    fn idle(&self);
}

/// Returns the URL that turns reminders or messages off, by the secret of the link in one of them.
fn unsubscribe_url(base_url: &str, secret: &Secret) -> String {
    format!("{base_url}/signups/{}/unsubscribe", secret.reveal())
}

/// Writes mails and sends them.
#[derive(Debug, Clone)]
pub(crate) struct Mailer {
    transport: Transport,
    from: MailFrom,
    base_url: String,
}

/// The transport of mails.
#[derive(Debug, Clone)]
enum Transport {
    /// Writes mails to the log instead of sending them.
    Log,
    Smtp(Client),
}

/// Why a mail was not sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SendError {
    /// The cause, for operators. May contain the answer of the mail server, and so the address of the recipient.
    pub(crate) reason: String,
    pub(crate) kind: SendErrorKind,
    /// What the log says instead, if the reason quotes the mail server.
    pub(crate) unquoted: Option<String>,
}

impl SendError {
    /// Returns the cause without the text of the mail server's answer. No address may appear in a log.
    fn reason_for_log(&self) -> &str {
        self.unquoted.as_deref().unwrap_or(&self.reason)
    }
}

/// What a failure to send concerns: one mail, or the mail server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SendErrorKind {
    /// The mail cannot be written, or the mail or its recipient was refused permanently. A retry cannot succeed.
    PermanentRefusal,
    /// The mail or its recipient was refused for now. A retry may succeed.
    TransientRefusal,
    /// The server gave no answer to the mail, which may have arrived.
    Unanswered,
    /// The server is unreachable or does not accept mail from this client. Any other mail would fail, too.
    Server,
}

impl Mailer {
    /// Creates a mailer. `hello` is the name in `EHLO`; by default that of the base URL's host.
    pub(crate) fn new(
        smtp: Option<SmtpUrl>,
        hello: Option<HelloName>,
        from: MailFrom,
        base_url: &str,
    ) -> Self {
        let hello = hello.or_else(|| HelloName::of_base_url(base_url));
        let transport = smtp.map_or(Transport::Log, |url| Transport::Smtp(Client::new(url, hello)));
        Self { transport, from, base_url: base_url.to_owned() }
    }

    /// Writes the mail of a delivery.
    pub(crate) fn write(&self, mail: &Mail, now: Timestamp) -> Result<WrittenMail, SendError> {
        message::write(mail, &self.from, &self.base_url, now).map_err(|reason| SendError {
            reason,
            kind: SendErrorKind::PermanentRefusal,
            unquoted: None,
        })
    }
}

impl SendMail for Mailer {
    /// Each answer of the mail server may take up to 10 seconds, and the one to the content up to 5 minutes.
    async fn send(&self, mail: &Mail, now: Timestamp) -> Result<(), SendError> {
        let written = self.write(mail, now)?;
        match &self.transport {
            Transport::Log => {
                tracing::info!(
                    "an email to {}, only written here because --smtp is not set\nSubject: {}\n\n{}\n",
                    mail.recipient(),
                    written.subject,
                    written.text
                );
                Ok(())
            }
            Transport::Smtp(client) => {
                let envelope = Envelope { from: self.from.address(), to: &written.to };
                client.send(envelope, &written.content).await
            }
        }
    }

    /// Closes the connections to the mail server that have been idle for long.
    fn idle(&self) {
        if let Transport::Smtp(client) = &self.transport {
            client.close_idle();
        }
    }
}
