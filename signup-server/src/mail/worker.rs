//! The worker: takes what is due, one mail after the other, and says what came of it.
//!
//! One mail is under way at a time, so a process that is killed leaves at most one of which nobody knows whether it was
//! sent: it is sent again, under the same Message-ID, when its hold has ended. Several processes share the work, because
//! each takes a notice before it sends.

use std::time::Duration;

use signup_core::{Delivery, Error, Notice, Outbox};
use tokio::sync::watch;

use super::{Blame, Mailer, NotSent};
use crate::metrics::{self, MailFate};
use crate::reply::WithSources;

/// How many notices are looked at together. Each is taken by itself.
const AT_ONCE: u32 = 50;
/// How long to wait when nothing is due.
const IDLE: Duration = Duration::from_secs(1);
/// How long to wait when the mail server, or the store, is out of reach.
const OUT_OF_REACH: Duration = Duration::from_secs(5);
/// How often a notice is held anew while its mail is under way: several times within a hold.
const HOLD_EVERY: Duration = Duration::from_secs(10);

/// Sends mails until `end` says so; the one that is under way then is sent and accounted for first.
pub(crate) async fn deliver(outbox: Outbox, mailer: Mailer, mut end: watch::Receiver<bool>) {
    while !*end.borrow() {
        // In a task of its own: a bug that a mail brings to light must not end all mails. That mail is held for a while,
        // and given up after as many tries as any.
        let pass = tokio::spawn(deliver_due(outbox.clone(), mailer.clone(), end.clone()));
        let pause = pass.await.unwrap_or_else(|error| {
            tracing::error!(%error, "delivering mails ended in a panic");
            Some(OUT_OF_REACH)
        });
        if let Some(pause) = pause {
            // An error means that nobody is left who could end this: then it ends, too.
            tokio::select! {
                () = tokio::time::sleep(pause) => {}
                changed = end.changed() => if changed.is_err() { return },
            }
        }
    }
}

/// Delivers some of what is due. Gives how long to wait before the next.
async fn deliver_due(outbox: Outbox, mailer: Mailer, end: watch::Receiver<bool>) -> Option<Duration> {
    let due = match outbox.due_notices(AT_ONCE).await {
        Ok(due) => due,
        Err(error) => {
            tracing::warn!(error = %WithSources(&error), "mails that are due were not found");
            return Some(OUT_OF_REACH);
        }
    };
    if due.is_empty() {
        mailer.rest();
        return Some(IDLE);
    }
    for notice in due {
        if *end.borrow() {
            return None;
        }
        match outbox.begin_delivery(notice.clone()).await {
            Ok(Some(delivery)) => {
                if send(&outbox, &mailer, delivery, &end).await == Some(Blame::Server) {
                    return Some(OUT_OF_REACH);
                }
            }
            Ok(None) => {}
            Err(error) => {
                let reason = WithSources(&error).to_string();
                tracing::error!(notice = %notice.id, reason, "a mail was not begun");
                let is_store_away = matches!(&error, Error::Store(error) if error.is_unavailable());
                if is_store_away || outbox.delivery_not_begun(&notice, &reason).await.is_err() {
                    return Some(OUT_OF_REACH);
                }
            }
        }
    }
    None
}

/// Sends a mail and says what came of it. Returns what is at fault if it was not sent.
async fn send(
    outbox: &Outbox,
    mailer: &Mailer,
    delivery: Delivery,
    end: &watch::Receiver<bool>,
) -> Option<Blame> {
    let mut notice = delivery.notice.clone();
    let sent = {
        let mut sending = std::pin::pin!(mailer.send(&delivery, outbox));
        loop {
            tokio::select! {
                sent = &mut sending => break sent,
                () = tokio::time::sleep(HOLD_EVERY) => notice = hold(outbox, notice).await,
            }
        }
    };
    match sent {
        Ok(()) => {
            metrics::count_mail(MailFate::Sent);
            finish(outbox, &notice, end).await;
            None
        }
        Err(NotSent { reason, blame }) => {
            let is_final = blame == Blame::MailForGood;
            match outbox.mail_was_not_sent(&notice, &reason, is_final).await {
                Ok(Some(Notice { failure: Some(_), id, .. })) => {
                    metrics::count_mail(MailFate::Failed);
                    tracing::error!(notice = %id, reason, "a mail was given up");
                }
                Ok(Some(Notice { id, due_at, .. })) => {
                    metrics::count_mail(MailFate::PutBack);
                    tracing::warn!(notice = %id, reason, again_at = %due_at, "a mail was not sent");
                }
                Ok(None) => {
                    tracing::warn!(notice = %notice.id, reason, "a mail that is with another process by now was not sent");
                }
                Err(error) => {
                    tracing::warn!(notice = %notice.id, error = %WithSources(&error), "what became of a mail was not kept");
                }
            }
            Some(blame)
        }
    }
}

/// Keeps the notice from others while its mail is under way.
async fn hold(outbox: &Outbox, notice: Notice) -> Notice {
    match outbox.hold_notice(&notice).await {
        Ok(Some(held)) => held,
        Ok(None) => {
            tracing::warn!(notice = %notice.id, "another process has taken a mail that was under way");
            notice
        }
        Err(error) => {
            tracing::warn!(notice = %notice.id, error = %WithSources(&error), "a mail under way was not held");
            notice
        }
    }
}

/// Does away with the notice of a mail that was sent. As long as that is not kept the mail would be sent again, so it is
/// tried until the server ends: while the store is away nobody else can take the mail, either.
async fn finish(outbox: &Outbox, notice: &Notice, end: &watch::Receiver<bool>) {
    loop {
        match outbox.mail_was_sent(notice).await {
            Ok(true) => return,
            Ok(false) => {
                tracing::warn!(notice = %notice.id, "another process has taken a mail that was sent");
                return;
            }
            Err(error) => {
                tracing::warn!(notice = %notice.id, error = %WithSources(&error), "that a mail was sent was not kept");
            }
        }
        if *end.borrow() {
            return;
        }
        tokio::time::sleep(IDLE).await;
    }
}
