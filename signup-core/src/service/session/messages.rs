//! Messages to the volunteers of an event.

use super::{PendingWrite, Session};
use crate::activity::Actor;
use crate::error::{Error, Result};
use crate::event::Event;
use crate::id::{EventId, MessageId, NoticeId};
use crate::input::NewMessage;
use crate::message::Message;
use crate::opt_out::Subscription;
use crate::permission::Permission;
use crate::receipt::OperationKind;
use crate::rules;
use crate::secret;
use crate::store::{EventInFull, RecordKey};

impl Session {
    /// Lists the messages that were sent to the volunteers of an event, the newest first.
    ///
    /// Requires [`Permission::SendMessages`], which no token has.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if the organization has no such event.
    ///
    /// See [`send_message`](Self::send_message) for an example.
    pub async fn messages(&self, event: EventId) -> Result<Vec<Message>> {
        self.require(Permission::SendMessages)?;
        let event: Event = self.shared.get(RecordKey::Event(self.organization_id(), event)).await?;
        Ok(self.shared.store.messages(event.organization, event.id).await?)
    }

    /// Sends a message to the volunteers with a place on a shift that is not over, or to another
    /// [audience](NewMessage::to_audience): to all of them, or to those of one shift, which may be over. Once every shift is over,
    /// it goes to the volunteers of all shifts, until [`Message::AFTER_EVENT`] after the last one. Each address gets one mail. The
    /// mails are queued in portions, so the call takes the same time for any number of them, apart from counting them.
    ///
    /// A [preview](Self::preview) returns the message with its number of recipients, and sends nothing.
    ///
    /// Volunteers who sign up later get no mail. Neither do volunteers who cancel before their mail is made. Without an
    /// [idempotency key](PendingWrite::with_key), a retry may send the message a second time. Requires
    /// [`Permission::SendMessages`], which no token has.
    ///
    /// # Errors
    /// - [`Error::NotFound`] if the organization has no such event, or the event no such shift.
    /// - [`Error::EventCancelled`].
    /// - [`Error::EventOver`] if the last shift ended more than [`Message::AFTER_EVENT`] ago, or there is none.
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
    /// let message = NewMessage::new("Bring gloves".parse()?, "It will be cold.".parse()?);
    /// assert_eq!(session.preview().send_message(created.event.id, message.clone()).await?.recipients, 1);
    /// let sent = session.send_message(created.event.id, message).await?;
    /// assert_eq!((sent.recipients, session.messages(created.event.id).await?), (1, vec![sent]));
    /// # Ok(()) }) }
    /// ```
    pub fn send_message(&self, event: EventId, message: NewMessage) -> PendingWrite<'_, Message> {
        self.write(OperationKind::SendMessage.on(event), message, move |new, now| async move {
            // Only a person has the permission.
            let Actor::Person { id: sender, name } = &*self.actor else {
                return Err(Error::MissingRole(Permission::SendMessages.role()));
            };
            let sender = (*sender, name.clone());
            let full = self.event_in_full(event).await?;
            let (id, job) = (MessageId::new(secret::new_uuid(now)), NoticeId::new(secret::new_uuid(now)));
            let mut message = rules::write_message(&full, new, id, sender, now)?;
            message.recipients = self.count_recipients(&message, &full).await?;
            Ok(rules::send_message(&full.event, message, job))
        })
    }

    /// Returns how many addresses a message is for, without those that have turned messages off.
    async fn count_recipients(&self, message: &Message, full: &EventInFull) -> Result<u32> {
        let mut recipients = 0;
        for signup in self.shared.audience(message, &full.shifts, message.created_at).await?.values() {
            let messages = Subscription::Messages;
            if !self.shared.has_turned_off(message.organization, &signup.email, messages).await? {
                recipients += 1;
            }
        }
        Ok(recipients)
    }
}
