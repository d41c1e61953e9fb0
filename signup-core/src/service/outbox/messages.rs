//! Messages from organizers: one mail for each address.

use std::collections::BTreeSet;

use jiff::Timestamp;

use super::{FAN_OUT_BATCH, Outbox};
use crate::error::Result;
use crate::id::{MessageId, NoticeId, OrganizationId, ShiftId, SignupId};
use crate::mail::{MailContent, MessageMail, MessagePlace};
use crate::message::Message;
use crate::notice::Notice;
use crate::rules::{self, Addressed};
use crate::secret::{self, Secret};
use crate::shift::ScheduledShift;
use crate::signup::Signup;
use crate::store::{EventInFull, RecordKey, SignupInFull, SignupQuery};
use crate::text::EmailAddress;

/// The number of links after which a portion ends. The bound is needed because an address can have a sign-up for each shift.
const MAX_LINKS: usize = 500;

impl Outbox {
    /// Fans out one portion of a message: to the sign-ups after those that it has covered.
    ///
    /// The mail to an address is queued with the first of its sign-ups that the message is for. The other sign-ups of the address are
    /// skipped. The first one stays the same during the whole fan-out, so each address gets one mail.
    pub(super) async fn fan_out_message(
        &self,
        notice: Notice,
        message: MessageId,
        after: Option<SignupId>,
    ) -> Result<()> {
        let (now, store, owner) = (self.now(), &self.shared.store, notice.organization);
        let message = store.get::<Message>(RecordKey::Message(owner, message)).await?;
        let full = store.event_in_full(&RecordKey::Event(owner, notice.event())).await?;
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
        let signups = store.signups(owner, &query.above(after, FAN_OUT_BATCH)).await?.ascending();
        let is_last = signups.len() < FAN_OUT_BATCH as usize;
        let (mut mails, mut links, mut covered, mut is_cut) = (vec![], 0, None, false);
        for signup in signups {
            covered = Some(signup.id);
            if !message.is_for(&signup) {
                continue;
            }
            let of_address = self.addressed(&message, &signup.email).await?;
            if of_address.first().is_none_or(|first| first.id != signup.id) {
                continue;
            }
            let has_place = |signup: &Signup| signup.is_confirmed() && open.contains(&signup.shift);
            let places = of_address.into_iter().filter(has_place);
            let mut places = places.map(|signup| (signup, Secret::generate()));
            if let Some(first) = places.next() {
                let others: Vec<_> = places.collect();
                links += 1 + others.len();
                mails.push(Addressed { notice: NoticeId::new(secret::new_uuid(now)), first, others });
            }
            if links >= MAX_LINKS {
                is_cut = true;
                break;
            }
        }
        let last = covered.filter(|_| is_cut || !is_last);
        self.shared.commit_queued(rules::fan_out_message(notice, message.id, mails, last, now)).await?;
        Ok(())
    }

    /// Lists the sign-ups of an address that a message is for, by ascending id.
    async fn addressed(&self, message: &Message, email: &EmailAddress) -> Result<Vec<Signup>> {
        let of_address = SignupQuery::new().of_event(message.event).email(email.clone());
        let (mut found, mut last) = (vec![], None);
        loop {
            let query = of_address.clone().above(last, FAN_OUT_BATCH);
            let page = self.shared.store.signups(message.organization, &query).await?.ascending();
            last = page.last().map(|signup| signup.id);
            let is_last = page.len() < FAN_OUT_BATCH as usize;
            found.extend(page.into_iter().filter(|signup| message.is_for(signup)));
            if is_last {
                return Ok(found);
            }
        }
    }

    /// Reads what the mail of a message shows. Returns `None` if no sign-up is left that is confirmed, for a shift that is not over.
    pub(super) async fn message_mail(
        &self,
        owner: OrganizationId,
        id: MessageId,
        links: impl Iterator<Item = (SignupId, Secret)> + Send,
        now: Timestamp,
    ) -> Result<Option<MailContent>> {
        let store = &self.shared.store;
        let Some(message) = store.get::<Message>(RecordKey::Message(owner, id)).await? else {
            return Ok(None);
        };
        let (mut records, mut places) = (None, vec![]);
        for (signup, secret) in links {
            let Some(found) = store.signup_in_full(owner, signup).await? else { continue };
            let SignupInFull { organization, event, shift, signup, .. } = found;
            if signup.is_confirmed() && shift.deleted_at.is_none() && !shift.is_over(now) {
                records = Some((organization, event));
                places.push(MessagePlace { shift, signup, secret });
            }
        }
        let Some((organization, event)) = records else { return Ok(None) };
        places.sort_by_key(|place| ScheduledShift::order_key(&place.shift));
        let email = places.first().map(|place| place.signup.email.clone());
        let mail = |email| MessageMail { organization, event, message, email, places };
        Ok(email.map(|email| MailContent::Message(Box::new(mail(email)))))
    }
}
