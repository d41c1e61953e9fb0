//! Messages from organizers: one mail for each address.

use jiff::Timestamp;

use super::{Outbox, PORTION};
use crate::error::Result;
use crate::id::{EventId, MessageId, NoticeId};
use crate::link::Link;
use crate::mail::{MailContent, MessageMail, MessagePlace};
use crate::message::Message;
use crate::notice::Notice;
use crate::opt_out::Subscription;
use crate::rules;
use crate::secret::{self, Digest, Secret};
use crate::shift::ScheduledShift;
use crate::store::{RecordKey, SignupInFull};
use crate::text::EmailAddress;

impl Outbox {
    /// Queues the mails of one portion of a message: to the addresses after those that it has covered.
    ///
    /// The addresses come in the order of their digests. So each address is in one portion, and gets no two mails, even if its
    /// sign-ups are moved to other shifts between two portions.
    pub(super) async fn queue_messages(
        &self,
        job: Notice,
        message: MessageId,
        covered_to: Option<Digest>,
    ) -> Result<()> {
        let (now, store, owner) = (self.now(), &self.shared.store, job.organization);
        let message = store.get::<Message>(RecordKey::Message(owner, message)).await?;
        let full = store.event_in_full(&RecordKey::Event(owner, job.event.unwrap_or(EventId::NONE))).await?;
        let Some((message, full)) = message.zip(full) else {
            self.shared.commit_queued(rules::delete_notice(&job)).await?;
            return Ok(());
        };
        let mut portion = self.shared.audience(&message, &full.shifts, now).await?;
        portion.retain(|address, _| covered_to.is_none_or(|covered| *address > covered));
        let next = portion.keys().nth(PORTION as usize).copied();
        if let Some(next) = next {
            portion.split_off(&next);
        }
        let last = portion.last_key_value().map(|(address, _)| *address).filter(|_| next.is_some());
        let mails = portion.into_values().map(|signup| (signup, NoticeId::new(secret::new_uuid(now))));
        let change = rules::queue_messages(job, message.id, mails.collect(), last, now);
        self.shared.commit_queued(change).await?;
        Ok(())
    }

    /// Reads what the mail of a message shows, and makes its link. Returns `None` if no sign-up is left that the message is for, or
    /// if the address has turned messages off.
    pub(super) async fn message_mail(
        &self,
        notice: &Notice,
        id: MessageId,
        email: &EmailAddress,
        now: Timestamp,
    ) -> Result<Option<(MailContent, Option<(Secret, Link)>)>> {
        let key = RecordKey::Message(notice.organization, id);
        let Some(message) = self.shared.store.get::<Message>(key).await? else { return Ok(None) };
        let messages = Subscription::Messages;
        if self.shared.has_turned_off(notice.organization, email, messages).await? {
            return Ok(None);
        }
        let (mut records, mut places) = (None, vec![]);
        for SignupInFull { organization, event, shift, signup, .. } in self.places(notice, email).await? {
            if message.is_for(&signup, &shift, now)
                && event.deleted_at.is_none()
                && shift.deleted_at.is_none()
            {
                records.get_or_insert((organization, event));
                places.push(MessagePlace { shift, signup });
            }
        }
        let Some((organization, event)) = records else { return Ok(None) };
        places.sort_by_key(|place| ScheduledShift::order_key(&place.shift));
        let secret = Secret::generate();
        let last_end = places.iter().map(|place| place.shift.interval().end).max().unwrap_or(now);
        let path = (notice.organization, event.id);
        let link = Link::new(secret.digest(), path, email.clone(), Link::expiry(now, last_end));
        let link = Link { unsubscribes_from: Some(messages), ..link };
        let mail = MessageMail { organization, event, message, email: email.clone(), places };
        Ok(Some((MailContent::Message(Box::new(mail)), Some((secret, link)))))
    }
}
