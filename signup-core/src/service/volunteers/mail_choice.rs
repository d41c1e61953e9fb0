//! Turning reminders, messages and summaries off, by the link of a mail.

use super::Volunteers;
use crate::activity::Actor;
use crate::error::{Error, Result};
use crate::event::Event;
use crate::id::PersonId;
use crate::link::Link;
use crate::notice::Notice;
use crate::opt_out::Subscription;
use crate::organization::Organization;
use crate::rules::{self, Decision};
use crate::secret::Secret;
use crate::store::{Deleted, RecordKey};

/// Whether an address gets certain mails of an organization. From [`Volunteers::mail_choice`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct MailChoice {
    /// The organization.
    pub organization: Organization,
    /// The event that the mail with the link is about, deleted or not. `None` once it is removed for good.
    pub event: Option<Event>,
    /// The mails.
    pub subscription: Subscription,
    /// Whether the address gets them.
    pub is_on: bool,
}

impl Volunteers {
    /// Reads whether the address of a mail gets more mails of its kind: those that the link with this secret [turns
    /// off](Link::unsubscribes_from).
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] for an unknown secret, for one that has [expired](Link::expiry), and for the link of a mail that
    /// cannot be turned off.
    ///
    /// See [`choose_mails`](Self::choose_mails) for an example.
    pub async fn mail_choice(&self, secret: &Secret) -> Result<MailChoice> {
        let (link, subscription) = self.subscription(secret).await?;
        let is_on = if subscription == Subscription::Summaries {
            self.summary_of(&link).await?.is_some_and(|(_, wish)| wish.is_some())
        } else {
            let key = RecordKey::opt_out(link.organization, &link.mailbox, subscription);
            self.shared.store.record(&key, Deleted::Excluded).await?.is_none()
        };
        let event = RecordKey::Event(link.organization, link.event);
        let event = self.shared.store.record(&event, Deleted::Included).await?;
        let event = event.and_then(|record| Event::try_from(record).ok());
        let organization = self.shared.get(RecordKey::Organization(link.organization)).await?;
        Ok(MailChoice { organization, event, subscription, is_on })
    }

    /// Turns the mails of a [`mail_choice`](Self::mail_choice) on or off. Each kind of mails is turned off for itself, for one
    /// address and one organization. Choosing the same again changes nothing.
    ///
    /// # Errors
    /// Returns the errors of [`mail_choice`](Self::mail_choice).
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { service, created, ada, .. }| {
    /// use signup_core::Error;
    ///
    /// let volunteers = service.volunteers();
    /// volunteers.form(&created.event.slug, [created.shifts[0].id]).await?.sign_up(ada).await?;
    /// # let outbox = service.outbox();
    /// # let due = outbox.due(1).await?.pop().ok_or("no notice is due")?;
    /// # let secret = outbox.claim(&due).await?.and_then(|mail| mail.secret).ok_or("there is no mail")?;
    /// // Of the mails that confirm places, none can be turned off.
    /// assert_eq!(volunteers.choose_mails(&secret, false).await, Err(Error::NotFound));
    /// # Ok(()) }) }
    /// ```
    pub async fn choose_mails(&self, secret: &Secret, is_on: bool) -> Result<()> {
        self.shared
            .commit_unrefused(&Actor::Volunteer, move |now| async move {
                let (link, subscription) = self.subscription(secret).await?;
                if subscription == Subscription::Summaries {
                    let Some((person, wish)) = self.summary_of(&link).await? else {
                        return Ok(Decision::unchanged(()));
                    };
                    return Ok(rules::choose_summary((link.organization, person), wish, is_on, now));
                }
                let key = RecordKey::opt_out(link.organization, &link.mailbox, subscription);
                let present = self.shared.store.get(key).await?;
                Ok(rules::subscribe(&link, subscription, present, is_on, now))
            })
            .await
    }

    /// Returns the member with the address of a link, and the notice of their summaries.
    async fn summary_of(&self, link: &Link) -> Result<Option<(PersonId, Option<Notice>)>> {
        let (owner, mailbox) = (link.organization, &link.mailbox);
        let members = self.shared.store.members(owner).await?;
        let member = members.into_iter().find(|(_, person)| person.email == *mailbox);
        let Some((_, person)) = member else { return Ok(None) };
        Ok(Some((person.id, self.shared.summary_notice(owner, person.id).await?)))
    }

    async fn subscription(&self, secret: &Secret) -> Result<(Link, Subscription)> {
        let link = self.link(secret).await?;
        let subscription = link.unsubscribes_from.ok_or(Error::NotFound)?;
        Ok((link, subscription))
    }
}
