//! Everything that an organization stores about a volunteer: to show, to hand out and to erase.

use super::Shared;
use crate::activity::Actor;
use crate::error::Result;
use crate::id::OrganizationId;
use crate::invitation::Invitation;
use crate::notice::Notice;
use crate::person::{Membership, Person};
use crate::rules;
use crate::store::{NoticeQuery, Purge, SignupInFull, SignupQuery, Unique};
use crate::text::EmailAddress;

/// Everything that an organization stores about the volunteer with an email address. From
/// [`Session::volunteer_data`](crate::Session::volunteer_data).
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct VolunteerData {
    /// The sign-ups, newest first, each with what is stored about its mails. The sign-ups for deleted events and shifts are listed
    /// until they are purged.
    pub signups: Vec<VolunteerSignup>,
    /// The membership, if a member has the address. It ends only when the member is removed.
    pub member: Option<(Membership, Person)>,
    /// The invitation of the address that is stored, expired or not.
    pub invitation: Option<Invitation>,
}

impl VolunteerData {
    /// Returns whether nothing is stored.
    pub fn is_empty(&self) -> bool {
        self.signups.is_empty() && self.member.is_none() && self.invitation.is_none()
    }
}

/// A sign-up of a volunteer, and the mails about it. A part of [`VolunteerData`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct VolunteerSignup {
    /// The sign-up with its event and its shift.
    pub in_full: SignupInFull,
    /// The mails that wait and those that failed, oldest first. A mail that was sent is not stored.
    pub notices: Vec<Notice>,
}

impl Shared {
    /// Reads everything that an organization stores about an address. Each sign-up has a snapshot of its own.
    pub(super) async fn volunteer_data(
        &self,
        organization: OrganizationId,
        email: &EmailAddress,
    ) -> Result<VolunteerData> {
        let members = self.store.members(organization).await?;
        let mut data = VolunteerData {
            signups: vec![],
            member: members.into_iter().find(|(_, person)| person.email == *email),
            invitation: self.store.find(Unique::InvitedEmail(organization, email.key().to_owned())).await?,
        };
        let query = SignupQuery::new().email(email.clone()).with_deleted().limit(SignupQuery::MAX_LIMIT);
        let mut next = Some(query);
        while let Some(query) = next {
            let page = self.store.signups(organization, &query).await?;
            for signup in page.items {
                let query = NoticeQuery::About(organization, signup.id);
                let notices = self.store.notices(query, u32::MAX).await?;
                // A sign-up that was erased meanwhile is left out.
                let found = self.store.signup_in_full(organization, signup.id).await?;
                data.signups.extend(found.map(|in_full| VolunteerSignup { in_full, notices }));
            }
            next = page.next.map(|next| query.at(next));
        }
        Ok(data)
    }

    /// Removes every sign-up of an address in the organization, with its answers, links and notices, and frees the places.
    /// Returns how many sign-ups this call removed. In a [preview](super::Session::preview), only counts them: nothing is removed, so the
    /// list would never be empty.
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
            let query = SignupQuery::new().email(email.clone()).with_deleted().limit(BATCH);
            let signups = self.store.signups(organization, &query).await?.items;
            if signups.is_empty() {
                let links = self.store.links(organization, email).await?;
                self.commit_queued(rules::erase_links(links)).await?;
                // After a failure, the next purge of the server removes the copies.
                drop(self.store.purge(Purge::Traces, BATCH).await);
                return Ok(erased);
            }
            for signup in signups {
                let erase = |_| async { Ok(rules::erase_signup(signup.clone())) };
                // A sign-up that has changed since is listed again.
                if self.commit(actor, erase).await?.is_ok() {
                    erased += 1;
                }
            }
        }
    }
}
