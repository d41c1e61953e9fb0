//! The places of an address, which the link of each of its mails shows.

use jiff::Timestamp;

use super::Volunteers;
use crate::activity::Actor;
use crate::error::{Error, Result};
use crate::id::{EventId, SignupId};
use crate::link::Link;
use crate::organization::Organization;
use crate::rules;
use crate::secret::Secret;
use crate::shift::CancelledBy;
use crate::signup::Signup;
use crate::store::{RecordKey, SignupInFull, SignupQuery, Unique};

/// Everything that an address has with an organization. From [`Volunteers::places`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Places {
    /// The organization.
    pub organization: Organization,
    /// The event that the mail with the link is about.
    pub event: EventId,
    /// The newest [`MAX`](Self::MAX) sign-ups of the address, newest first. Those of deleted shifts are included, those of deleted
    /// events are not. [`Signup::time_and_place`] has the time and the place to show.
    pub signups: Vec<SignupInFull>,
}

impl Places {
    /// The maximum number of sign-ups.
    pub const MAX: u32 = 500;

    /// Lists the sign-ups that have a place, or wait for one, [to come](SignupInFull::is_to_come), which can be cancelled: the
    /// soonest first.
    pub fn to_come(&self, now: Timestamp) -> Vec<&SignupInFull> {
        self.signups_by_start(|found| found.is_to_come(now))
    }

    /// Lists the other sign-ups, with a place on a shift that is over or without a place: the latest first.
    pub fn past_and_cancelled(&self, now: Timestamp) -> Vec<&SignupInFull> {
        let mut others = self.signups_by_start(|found| !found.is_to_come(now));
        others.reverse();
        others
    }

    /// Lists the sign-ups that a calendar has that subscribes to the places: those with a place, until [`Link::AFTER_SHIFT`] after
    /// the end of the shift.
    pub fn in_calendar(&self, now: Timestamp) -> Vec<&SignupInFull> {
        let is_recent = |found: &SignupInFull| {
            now.duration_since(found.time_and_place().interval.end) < Link::AFTER_SHIFT
        };
        self.signups_by_start(|found| found.signup.is_confirmed() && is_recent(found))
    }

    fn signups_by_start(&self, is_listed: impl Fn(&SignupInFull) -> bool) -> Vec<&SignupInFull> {
        let mut listed: Vec<_> = self.signups.iter().filter(|found| is_listed(found)).collect();
        listed.sort_by_key(|found| {
            let interval = found.time_and_place().interval;
            (interval.start, interval.end, found.signup.id)
        });
        listed
    }
}

impl Volunteers {
    /// Reads everything that an address has with an organization: that of the mail whose link has this secret.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] for an unknown secret, and for one that has [expired](Link::expiry).
    ///
    /// See [`cancel`](Self::cancel) for an example.
    pub async fn places(&self, secret: &Secret) -> Result<Places> {
        let link = self.link(secret).await?;
        let mut signups = self.shared.store.signups_in_full(link.organization, &of_address(&link)).await?;
        self.shared.add_places_in_line(&mut signups).await?;
        let organization = self.shared.get(RecordKey::Organization(link.organization)).await?;
        Ok(Places { organization, event: link.event, signups })
    }

    /// Cancels a sign-up of the address whose mail has the link with this secret, frees its place and queues a mail about the
    /// cancellation. Cancelling again changes nothing. A freed place goes to the person who waits longest.
    ///
    /// # Errors
    /// - [`Error::ShiftOver`] or [`Error::ShiftDeleted`] if the sign-up is active, and its shift is over or deleted.
    /// - [`Error::NotFound`] for an unknown secret, for one that has [expired](Link::expiry), and for a sign-up that is not one of
    ///   the [places](Self::places).
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { service, created, .. }| {
    /// use signup_core::{NewSignup, SignupStatus};
    ///
    /// let volunteers = service.volunteers();
    /// let form = volunteers.form(&created.event.slug, [created.shifts[0].id]).await?;
    /// let ada = NewSignup::new("Ada Lovelace".parse()?, "ada@example.org".parse()?);
    /// form.sign_up(ada).await?;
    /// // The mail has the secret.
    /// # let outbox = service.outbox();
    /// # let due = outbox.due(1).await?.pop().ok_or("no notice is due")?;
    /// # let secret = outbox.claim(&due).await?.and_then(|mail| mail.secret).ok_or("there is no mail")?;
    ///
    /// let places = volunteers.places(&secret).await?;
    /// let [found] = places.to_come(service.now())[..] else { return Err("there is one place".into()) };
    /// assert_eq!(found.event.id, created.event.id);
    /// let cancelled = volunteers.cancel(&secret, found.signup.id).await?;
    /// assert_eq!(cancelled.status(), SignupStatus::Cancelled);
    /// # Ok(()) }) }
    /// ```
    pub async fn cancel(&self, secret: &Secret, signup: SignupId) -> Result<Signup> {
        self.shared
            .commit_unrefused(&Actor::Volunteer, move |now| async move {
                let link = self.link(secret).await?;
                let query = of_address(&link).only(signup);
                let found = self.shared.store.signups_in_full(link.organization, &query).await?.pop();
                let found = found.ok_or(Error::NotFound)?;
                let recipient =
                    self.shared.recipient(link.organization, found.event.id, &link.mailbox).await?;
                let waiting = self.shared.waiting_behind(&found, now).await?;
                let by = (CancelledBy::Volunteer, None);
                rules::cancel_signup(found, by, false, recipient, &waiting, now)
            })
            .await
    }

    /// Reads the link with this secret, if it works at present.
    pub(super) async fn link(&self, secret: &Secret) -> Result<Link> {
        let found: Option<Link> = self.shared.store.find(Unique::Link(secret.digest())).await?;
        found.filter(|link| link.works_at(self.shared.now())).ok_or(Error::NotFound)
    }
}

/// Selects the sign-ups that a link shows.
fn of_address(link: &Link) -> SignupQuery {
    SignupQuery::new().email(link.mailbox.clone()).limit(Places::MAX)
}
