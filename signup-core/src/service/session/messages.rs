//! Messages to the volunteers of an event.

use std::collections::BTreeSet;

use super::{PendingWrite, Session};
use crate::activity::Actor;
use crate::error::{Error, Result};
use crate::id::{EventId, MessageId, NoticeId, ShiftId};
use crate::input::NewMessage;
use crate::message::Message;
use crate::permission::Permission;
use crate::receipt::OperationKind;
use crate::rules;
use crate::secret;
use crate::signup::SignupStatus;
use crate::store::SignupQuery;

impl Session {
    /// Returns how many mails a message would cause: the number of different addresses with a confirmed sign-up for a shift that is
    /// not over. With `shift`, only the sign-ups for that shift count.
    ///
    /// Reads all confirmed sign-ups, in portions. Requires [`Permission::SendMessages`], which no token has.
    ///
    /// # Errors
    /// Returns the errors of [`send_message`](Self::send_message), apart from [`Error::TooManyMessages`]. An event without shifts has no
    /// recipients.
    ///
    /// See [`send_message`](Self::send_message) for an example.
    #[doc(alias = "slot")]
    pub async fn message_recipients(&self, event: EventId, shift: Option<ShiftId>) -> Result<u32> {
        const BATCH: u32 = 500;
        self.require(Permission::SendMessages)?;
        let (full, now) = (self.event_in_full(event).await?, self.shared.now());
        match rules::check_addressed(&full, shift, now) {
            Err(Error::EventOver) if full.shifts.is_empty() => return Ok(0),
            addressed => drop(addressed?),
        }
        let all = SignupQuery::new().status(SignupStatus::Confirmed);
        let all = shift.map_or_else(|| all.clone().of_event(event), |shift| all.clone().of_shift(shift));
        let open = full.shifts.iter().filter(|shift| !shift.is_over(now)).map(|shift| shift.id);
        let open: BTreeSet<ShiftId> = open.collect();
        let (mut addresses, mut last) = (BTreeSet::new(), None);
        loop {
            let query = all.clone().above(last, BATCH);
            let page = self.shared.store.signups(self.organization_id(), &query).await?.ascending();
            let Some(signup) = page.last() else { break };
            last = Some(signup.id);
            let told = page.iter().filter(|signup| open.contains(&signup.shift));
            addresses.extend(told.map(|signup| signup.email.key().to_owned()));
        }
        Ok(u32::try_from(addresses.len()).unwrap_or(u32::MAX))
    }

    /// Sends a message to the volunteers with a confirmed sign-up for a shift that is not over: to all of them, or to those of one
    /// shift. Each address gets one mail. The mails are queued in portions, so the call takes the same time for any number of them.
    ///
    /// Volunteers who sign up later get no mail. Neither do volunteers who cancel before their mail is made. Without an
    /// [idempotency key](PendingWrite::with_key), a retry may send the message a second time. Requires [`Permission::SendMessages`], which
    /// no token has.
    ///
    /// # Errors
    /// - [`Error::NotFound`] if the organization has no such event, or the event no such shift.
    /// - [`Error::EventCancelled`].
    /// - [`Error::ShiftOver`] if the shift is over, [`Error::EventOver`] if every shift is.
    /// - [`Error::TooManyMessages`] if the event has [`Message::MAX_PER_PERIOD`] messages within 24 hours, also if requests race.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { service, organization, created, ada, .. }| {
    /// use signup_core::NewMessage;
    ///
    /// # use signup_core::{Acceptance, NewInvitation, Role};
    /// # service.volunteers().form_of(organization.id, [created.shifts[0].id]).await?.sign_up(ada).await?;
    /// # let grace = NewInvitation::new("grace@example.org".parse()?, "Grace".parse()?, Role::Organizer);
    /// # let (_, link) = service.admin().invite_person(organization.id, grace).await?.ok_or("a member")?;
    /// # let (grace, _) = service.people().accept(&link, None, Acceptance::Member { name: None }).await?.ok_or("a person already")?;
    /// let session = grace.session(&organization.slug)?;
    /// assert_eq!(session.message_recipients(created.event.id, None).await?, 1);
    /// let message = NewMessage::new("Bring gloves".parse()?, "It will be cold.".parse()?);
    /// session.send_message(created.event.id, message).await?;
    /// # Ok(()) }) }
    /// ```
    pub fn send_message(&self, event: EventId, message: NewMessage) -> PendingWrite<'_, Message> {
        self.write(OperationKind::SendMessage.on(event), message, move |new, now| async move {
            // Only a person has the permission.
            let Actor::Person { id, name } = &*self.actor else {
                return Err(Error::MissingRole(Permission::SendMessages.role()));
            };
            let full = self.event_in_full(event).await?;
            let ids = (MessageId::new(secret::new_uuid(now)), NoticeId::new(secret::new_uuid(now)));
            rules::send_message(&full, new, ids, (*id, name.clone()), now)
        })
    }
}
