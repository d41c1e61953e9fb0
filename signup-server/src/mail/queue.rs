//! The queue of mails: claims a due notice, sends its mail, and reports the result to the outbox.
//!
//! A process sends at most 8 mails at a time. If a process is killed, a mail of these may have been sent without a report. Such a
//! mail is sent again, under the same Message-ID, when the lease of its notice has expired.
//!
//! Codes to sign in and invitations never wait for mails to volunteers: they are the first of each read, and mails to volunteers
//! leave one place free, however slow the mail server is.

use std::time::Duration;

use signup_core::uuid::Uuid;
use signup_core::{Error, Mail, MailFailure, Notice, Outbox};
use tokio::sync::watch;

use super::{SendErrorKind, SendMail};
use crate::metrics::{self, MailFate};
use crate::reply::WithSources;
use crate::worker::{Next, POLL_INTERVAL, WorkQueue};

/// The interval at which a lease is extended while its mail is being sent: a third of [`Notice::LEASE`].
const EXTEND_INTERVAL: Duration = Duration::from_secs(10);

/// The queued mails of the outbox.
#[derive(Debug)]
pub(crate) struct MailQueue<S> {
    outbox: Outbox,
    sender: S,
    stop: watch::Receiver<bool>,
}

impl<S> MailQueue<S> {
    /// Creates the queue. When `stop` is true, a report that cannot be stored is not retried.
    pub(crate) const fn new(outbox: Outbox, sender: S, stop: watch::Receiver<bool>) -> Self {
        Self { outbox, sender, stop }
    }
}

impl<S: SendMail> WorkQueue for MailQueue<S> {
    type Item = Notice;
    /// Whether the mail [can wait](signup_core::NoticeCause::can_wait).
    type Target = bool;

    const ITEMS: &'static str = "notices";
    const AT_ONCE: usize = 8;
    /// So many that notices in flight, which are due until they are claimed, do not fill a read.
    const BATCH: u32 = 2 * Self::AT_ONCE as u32;

    fn id(notice: &Notice) -> Uuid {
        notice.id.uuid()
    }

    fn target(notice: &Notice) -> bool {
        notice.cause.can_wait()
    }

    /// Mails that can wait take every place but one.
    fn has_place<'a>(can_wait: &bool, in_flight: impl Iterator<Item = &'a bool>) -> bool {
        !can_wait || in_flight.filter(|can_wait| **can_wait).count() + 1 < Self::AT_ONCE
    }

    async fn due(&self) -> Result<Vec<Notice>, Error> {
        self.outbox.due(Self::BATCH).await
    }

    async fn deliver(&self, notice: Notice) -> Next {
        let Self { outbox, sender, stop } = self;
        match outbox.claim(&notice).await {
            Ok(Some(mail)) => match send(outbox, sender, mail, stop).await {
                Some(SendErrorKind::Server) => Next::Pause,
                _ => Next::Continue,
            },
            Ok(None) => Next::Continue,
            Err(error) => {
                let reason = WithSources(&error).to_string();
                tracing::error!(notice = %notice.id, reason, "a notice could not be claimed");
                let is_store_down = matches!(&error, Error::Store(error) if error.is_unavailable());
                if is_store_down || outbox.report_claim_failed(&notice, &reason).await.is_err() {
                    return Next::Pause;
                }
                Next::Continue
            }
        }
    }

    fn idle(&self) {
        self.sender.idle();
    }
}

/// Sends the mail of a claimed notice and reports the result. Returns the kind of error if the mail was not sent.
async fn send(
    outbox: &Outbox,
    sender: &impl SendMail,
    mut mail: Mail,
    stop: &watch::Receiver<bool>,
) -> Option<SendErrorKind> {
    let mut notice = mail.notice.clone();
    let sent = {
        let mut sending = std::pin::pin!(sender.send(&mail, outbox.now()));
        loop {
            tokio::select! {
                // A mail that was sent needs no longer lease.
                biased;
                sent = &mut sending => break sent,
                () = tokio::time::sleep(EXTEND_INTERVAL) => notice = extend_lease(outbox, notice).await,
            }
        }
    };
    mail.notice = notice;
    match sent {
        Ok(()) => {
            metrics::count_mail(MailFate::Sent);
            report_sent(outbox, &mail, stop).await;
            None
        }
        Err(error) => {
            let failure = match error.kind {
                SendErrorKind::PermanentRefusal => MailFailure::Permanent,
                SendErrorKind::Unanswered => MailFailure::Unanswered,
                SendErrorKind::TransientRefusal | SendErrorKind::Server => MailFailure::Transient,
            };
            let reason = error.reason_for_log();
            let notice = &mail.notice;
            match outbox.report_failed(&mail, failure, &error.reason).await {
                Ok(Some(Notice { failure: Some(_), id, .. })) => {
                    metrics::count_mail(MailFate::Failed);
                    tracing::error!(notice = %id, %reason, "an email has failed for good");
                }
                Ok(Some(Notice { id, due_at, .. })) => {
                    metrics::count_mail(MailFate::Deferred);
                    tracing::warn!(notice = %id, %reason, again_at = due_at.map(tracing::field::display), "an email was not sent");
                }
                Ok(None) => {
                    tracing::warn!(notice = %notice.id, %reason, "an email was not sent, and another process has claimed its notice");
                }
                Err(failed) => {
                    tracing::warn!(notice = %notice.id, error = %WithSources(&failed), "a failed attempt to send an email could not be stored");
                }
            }
            Some(error.kind)
        }
    }
}

/// Extends the lease of a notice while its mail is being sent. Logs a failure and returns the notice unchanged.
async fn extend_lease(outbox: &Outbox, notice: Notice) -> Notice {
    match outbox.extend_lease(&notice).await {
        Ok(Some(extended)) => extended,
        Ok(None) => {
            tracing::warn!(notice = %notice.id, "another process has claimed the notice of an email in flight");
            notice
        }
        Err(error) => {
            tracing::warn!(notice = %notice.id, error = %WithSources(&error), "the lease of an email in flight could not be extended");
            notice
        }
    }
}

/// Reports that a mail was sent. Retries until the server stops.
///
/// Without the report, the mail would be sent again when the lease expires.
async fn report_sent(outbox: &Outbox, mail: &Mail, stop: &watch::Receiver<bool>) {
    let notice = &mail.notice;
    loop {
        match outbox.report_sent(mail).await {
            Ok(true) => return,
            Ok(false) => {
                tracing::warn!(notice = %notice.id, "another process has claimed the notice of an email that was sent");
                return;
            }
            Err(error) => {
                tracing::warn!(notice = %notice.id, error = %WithSources(&error), "the delivery of an email could not be stored");
            }
        }
        if *stop.borrow() {
            return;
        }
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}
