//! Mails to volunteers: what is due is written, sent, and accounted for.
//!
//! **Invariant:** when a mail is due, who gets it and what becomes of it is decided by the library. Here it is only given
//! its words, and carried.

mod connection;
mod message;
mod name;
mod smtp;
mod worker;

pub(crate) use smtp::SmtpUrl;
pub(crate) use worker::deliver;

use lettre::message::Mailbox;
use signup_core::{Delivery, Outbox};

use connection::Smtp;

/// Writes mails and sends them.
#[derive(Debug, Clone)]
pub(crate) struct Mailer {
    transport: Transport,
    from: Mailbox,
    base_url: String,
}

/// Where mails go.
#[derive(Debug, Clone)]
enum Transport {
    /// Into the log.
    Log,
    Smtp(Smtp),
}

/// Why a mail was not sent.
#[derive(Debug, Clone, PartialEq, Eq)]
struct NotSent {
    /// For operators.
    reason: String,
    blame: Blame,
}

/// What is at fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Blame {
    /// The mail or its recipient, which is refused for good: trying again is of no use.
    MailForGood,
    /// The mail or its recipient, which is refused for now.
    MailForNow,
    /// The server, which is out of reach or takes no mail from us: any other mail would fare the same.
    Server,
}

impl Mailer {
    pub(crate) fn new(smtp: Option<&SmtpUrl>, from: Mailbox, base_url: &str) -> Self {
        let transport = smtp.map_or(Transport::Log, |url| Transport::Smtp(Smtp::new(url.clone())));
        Self { transport, from, base_url: base_url.to_owned() }
    }

    /// Sends a mail. It may take as long as the server's answers are waited for.
    async fn send(&self, delivery: &Delivery, outbox: &Outbox) -> Result<(), NotSent> {
        let written = message::write(delivery, &self.from, &self.base_url, outbox.now());
        let mail = written.map_err(|reason| NotSent { reason, blame: Blame::MailForGood })?;
        match &self.transport {
            Transport::Log => {
                tracing::info!(to = %delivery.signup.email, subject = %mail.subject, "a mail, as no --smtp is given:\n{}\n", mail.text);
                Ok(())
            }
            Transport::Smtp(smtp) => smtp.send(mail.message).await,
        }
    }

    /// To be called when no mail is due.
    fn rest(&self) {
        if let Transport::Smtp(smtp) = &self.transport {
            smtp.close_idle();
        }
    }
}
