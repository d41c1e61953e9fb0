//! Messages from organizers: one mail for each address.

use std::collections::BTreeSet;

use jiff::Timestamp;

use super::{Outbox, PORTION};
use crate::error::Result;
use crate::id::{EventId, MessageId, NoticeId, ShiftId, SignupId};
use crate::link::Link;
use crate::mail::{MailContent, MessageMail, MessagePlace};
use crate::message::Message;
use crate::notice::Notice;
use crate::opt_out::Subscription;
use crate::rules;
use crate::secret::{self, Secret};
use crate::shift::ScheduledShift;
use crate::signup::Signup;
use crate::store::{EventInFull, RecordKey, SignupInFull, SignupQuery};
use crate::text::EmailAddress;

impl Outbox {
    /// Queues the mails of one portion of a message: to the sign-ups after those that it has covered.
    ///
    /// The mail to an address is queued with the first of its sign-ups that the message is for. The other sign-ups of the address are
    /// skipped. The first one stays the same in all portions, so each address gets one mail.
    pub(super) async fn queue_messages(
        &self,
        notice: Notice,
        message: MessageId,
        after: Option<SignupId>,
    ) -> Result<()> {
        let (now, store, owner) = (self.now(), &self.shared.store, notice.organization);
        let message = store.get::<Message>(RecordKey::Message(owner, message)).await?;
        let full =
            store.event_in_full(&RecordKey::Event(owner, notice.event.unwrap_or(EventId::NONE))).await?;
        let Some((message, EventInFull { event, shifts, .. })) = message.zip(full) else {
            self.shared.commit_queued(rules::delete_notice(&notice)).await?;
            return Ok(());
        };
        let open = shifts.iter().filter(|shift| !shift.is_over(now)).map(|shift| shift.id);
        let open: BTreeSet<ShiftId> = open.collect();
        let all = SignupQuery::new();
        let query = match message.shift {
            Some(shift) => all.of_shift(shift),
            None => all.of_event(event.id),
        };
        let signups = store.signups(owner, &query.above(after, PORTION)).await?.ascending();
        let is_last = signups.len() < PORTION as usize;
        let last = signups.last().map(|last| last.id).filter(|_| !is_last);
        let mut mails = vec![];
        for signup in signups.into_iter().filter(|signup| message.is_for(signup)) {
            let of_address = self.addressed(&message, &signup.email).await?;
            let is_first = of_address.first().is_some_and(|first| first.id == signup.id);
            let has_place = |signup: &Signup| signup.is_confirmed() && open.contains(&signup.shift);
            if is_first && of_address.iter().any(has_place) {
                mails.push((signup, NoticeId::new(secret::new_uuid(now))));
            }
        }
        self.shared.commit_queued(rules::queue_messages(notice, message.id, mails, last, now)).await?;
        Ok(())
    }

    /// Lists the sign-ups of an address that a message is for, by ascending id.
    async fn addressed(&self, message: &Message, email: &EmailAddress) -> Result<Vec<Signup>> {
        let of_address = SignupQuery::new().of_event(message.event).email(email.clone());
        let (mut found, mut last) = (vec![], None);
        loop {
            let query = of_address.clone().above(last, PORTION);
            let page = self.shared.store.signups(message.organization, &query).await?.ascending();
            last = page.last().map(|signup| signup.id);
            let is_last = page.len() < PORTION as usize;
            found.extend(page.into_iter().filter(|signup| message.is_for(signup)));
            if is_last {
                return Ok(found);
            }
        }
    }

    /// Reads what the mail of a message shows, and makes its link. Returns `None` if no sign-up is left that is confirmed, for a shift that
    /// is not over, or if the address has turned messages off.
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
        if self.has_turned_off(notice.organization, email, messages).await? {
            return Ok(None);
        }
        let (mut records, mut places) = (None, vec![]);
        for SignupInFull { organization, event, shift, signup, .. } in self.places(notice, email).await? {
            if message.is_for(&signup)
                && signup.is_confirmed()
                && !shift.is_over(now)
                && event.deleted_at.is_none()
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
