//! Everything that an organization stores about a volunteer: to show, to hand out and to erase.

use super::Shared;
use crate::activity::Actor;
use crate::error::Result;
use crate::id::OrganizationId;
use crate::invitation::Invitation;
use crate::notice::Notice;
use crate::opt_out::{OptOut, Subscription};
use crate::person::{Membership, Person};
use crate::rules;
use crate::signup::SignupStatus;
use crate::store::{NoticeQuery, Position, Purge, RecordKey, Side, SignupInFull, SignupQuery, Unique};
use crate::text::EmailAddress;

/// Everything that an organization stores about the volunteer with an email address. From
/// [`Session::volunteer_data`](crate::Session::volunteer_data).
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct VolunteerData {
    /// The sign-ups, newest first. The sign-ups for deleted events and shifts are listed until they are purged.
    pub signups: Vec<SignupInFull>,
    /// The [recipient](crate::Recipient) of the address at each event, with a mail that waits or failed or without, and the
    /// messages that wait or failed, by id.
    pub notices: Vec<Notice>,
    /// The membership, if a member has the address. It ends only when the member is removed.
    pub member: Option<(Membership, Person)>,
    /// The invitation of the address that is stored, expired or not.
    pub invitation: Option<Invitation>,
    /// The mails that the address has turned off.
    pub opt_outs: Vec<OptOut>,
}

impl VolunteerData {
    /// Returns whether nothing is stored.
    pub fn is_empty(&self) -> bool {
        self.signups.is_empty()
            && self.notices.is_empty()
            && self.member.is_none()
            && self.invitation.is_none()
            && self.opt_outs.is_empty()
    }
}

impl Shared {
    /// Reads the sign-ups that a query selects with everything that they refer to, newest first. Each portion has a snapshot of its
    /// own.
    pub(super) async fn all_signups_in_full(
        &self,
        organization: OrganizationId,
        query: SignupQuery,
    ) -> Result<Vec<SignupInFull>> {
        let mut query = query.limit(SignupQuery::MAX_LIMIT);
        let mut found = vec![];
        loop {
            let portion = self.store.signups_in_full(organization, &query).await?;
            let Some(last) = portion.last() else { return Ok(found) };
            query = query.at(Position { key: last.signup.id, side: Side::Below });
            found.extend(portion);
        }
    }

    /// Reads everything that an organization stores about an address.
    pub(super) async fn volunteer_data(
        &self,
        organization: OrganizationId,
        email: &EmailAddress,
    ) -> Result<VolunteerData> {
        let members = self.store.members(organization).await?;
        let query = SignupQuery::new().email(email.clone()).with_deleted();
        Ok(VolunteerData {
            signups: self.all_signups_in_full(organization, query).await?,
            notices: self.notices_about(organization, email).await?,
            member: members.into_iter().find(|(_, person)| person.email == *email),
            invitation: self.store.find(Unique::InvitedEmail(organization, email.key().to_owned())).await?,
            opt_outs: self.opt_outs(organization, email).await?,
        })
    }

    async fn opt_outs(&self, organization: OrganizationId, email: &EmailAddress) -> Result<Vec<OptOut>> {
        let mut found = vec![];
        for subscription in Subscription::ALL {
            let key = RecordKey::opt_out(organization, email, *subscription);
            found.extend(self.store.get::<OptOut>(key).await?);
        }
        Ok(found)
    }

    async fn notices_about(&self, organization: OrganizationId, email: &EmailAddress) -> Result<Vec<Notice>> {
        let query = NoticeQuery::About(organization, email.key().to_owned());
        Ok(self.store.notices(query, u32::MAX).await?)
    }

    /// Removes every sign-up of an address in the organization, with its answers, links, opt-outs and notices, and frees the
    /// places, which go to those who wait. A mail that is under way is still sent, and its report is dropped. Returns how many
    /// sign-ups this call removed. In a [preview](super::Session::preview), only counts them: nothing is removed, so the list would
    /// never be empty.
    pub(super) async fn erase_volunteer(
        &self,
        organization: OrganizationId,
        email: &EmailAddress,
        actor: &Actor,
    ) -> Result<u64> {
        const BATCH: u32 = 100;
        if self.is_preview {
            return Ok(self.volunteer_data(organization, email).await?.signups.len() as u64);
        }
        let mut erased = 0;
        loop {
            // Both are read before the sign-ups: what a sign-up that comes meanwhile adds or changes then stays.
            let notices = self.notices_about(organization, email).await?;
            let mut links = self.store.links(organization, email).await?;
            // Those of the summaries of a member, who stays one.
            links.retain(|link| link.unsubscribes_from != Some(Subscription::Summaries));
            let query = SignupQuery::new().email(email.clone()).with_deleted().limit(BATCH);
            // Those that wait first, so that none of them gets a place that another one frees.
            let waiting = query.clone().status(SignupStatus::Waitlisted);
            let mut signups = self.store.signups_in_full(organization, &waiting).await?;
            if signups.is_empty() {
                signups = self.store.signups_in_full(organization, &query).await?;
            }
            if signups.is_empty() {
                if !self.commit_queued(rules::erase_mails(notices, links)).await? {
                    continue;
                }
                let opt_outs = self.opt_outs(organization, email).await?;
                self.commit_queued(rules::erase_opt_outs(opt_outs)).await?;
                // After a failure, the next purge of the server removes the copies.
                drop(self.store.purge(Purge::Traces, BATCH).await);
                return Ok(erased);
            }
            for found in signups {
                let erase = |now| {
                    let found = found.clone();
                    async move {
                        let waiting = self.waiting_behind(&found, now).await?;
                        Ok(rules::erase_signup(found, &waiting, now))
                    }
                };
                // A sign-up that has changed since is listed again.
                if self.commit(actor, erase).await?.is_ok() {
                    erased += 1;
                }
            }
        }
    }
}
