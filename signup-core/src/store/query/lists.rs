//! The short lists of an organization's records, and their readings on a store.

use uuid::Uuid;

use crate::event::Event;
use crate::id::{EventId, OrganizationId, PersonId};
use crate::invitation::Invitation;
use crate::link::Link;
use crate::message::Message;
use crate::organization::Organization;
use crate::person::{Membership, Person};
use crate::store::{Kind, Record, Store, StoreError};
use crate::text::EmailAddress;
use crate::token::Token;
use crate::webhook::Webhook;

/// Selects a list of records that has no pages.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ListQuery {
    /// At most `limit` organizations with an id above `after`, by ascending id.
    Organizations {
        /// The organization before the first one.
        after: Option<OrganizationId>,
        /// The most organizations.
        limit: u32,
    },
    /// All tokens of the organization by ascending id, expired and revoked ones included.
    Tokens(OrganizationId),
    /// All webhooks of the organization by descending id, disabled ones included.
    Webhooks(OrganizationId),
    /// At most `limit` deleted events of the organization with an id above `after`, by ascending id.
    DeletedEvents {
        /// The organization.
        organization: OrganizationId,
        /// The event before the first one.
        after: Option<EventId>,
        /// The most events.
        limit: u32,
    },
    /// All memberships of the organization, each followed by its person,
    /// [in the order of members](Membership::sort_members).
    Members(OrganizationId),
    /// All invitations of the organization, expired ones included: the newest first, equal times by descending id.
    Invitations(OrganizationId),
    /// All messages to the volunteers of the event by descending id.
    Messages(OrganizationId, EventId),
    /// All links of the address with this [key](crate::EmailAddress::key) with the organization, expired ones included, by
    /// ascending digest.
    Links(OrganizationId, String),
    /// All memberships of the person, each followed by its organization,
    /// [in the order of organizations](Membership::sort_organizations).
    Memberships(PersonId),
    /// The record of this kind with this id, of any organization, deleted or not. Meant for operators. None for a kind whose key
    /// does not end in an id of its own, and for a person.
    Id(Kind, Uuid),
}

/// Returns the records of one kind.
fn all<R: TryFrom<Record>>(records: Vec<Record>) -> Vec<R> {
    records.into_iter().filter_map(|record| record.try_into().ok()).collect()
}

/// Returns the memberships, each with the record that follows it.
fn pairs<R: TryFrom<Record>>(records: Vec<Record>) -> Vec<(Membership, R)> {
    let (mut pairs, mut membership) = (vec![], None);
    for record in records {
        match (membership.take(), record) {
            (None, Record::Membership(found)) => membership = Some(*found),
            (Some(found), record) => pairs.extend(R::try_from(record).ok().map(|other| (found, other))),
            (None, _) => {}
        }
    }
    pairs
}

/// Short lists. Each fails only if the backend fails.
impl dyn Store + '_ {
    /// Lists [organizations](ListQuery::Organizations).
    pub async fn organizations(
        &self,
        after: Option<OrganizationId>,
        limit: u32,
    ) -> Result<Vec<Organization>, StoreError> {
        Ok(all(self.list(&ListQuery::Organizations { after, limit }).await?))
    }

    /// Lists the [tokens](ListQuery::Tokens) of the organization.
    pub async fn tokens(&self, organization: OrganizationId) -> Result<Vec<Token>, StoreError> {
        Ok(all(self.list(&ListQuery::Tokens(organization)).await?))
    }

    /// Lists the [webhooks](ListQuery::Webhooks) of the organization.
    pub async fn webhooks(&self, organization: OrganizationId) -> Result<Vec<Webhook>, StoreError> {
        Ok(all(self.list(&ListQuery::Webhooks(organization)).await?))
    }

    /// Lists [deleted events](ListQuery::DeletedEvents) of the organization.
    pub async fn deleted_events(
        &self,
        organization: OrganizationId,
        after: Option<EventId>,
        limit: u32,
    ) -> Result<Vec<Event>, StoreError> {
        Ok(all(self.list(&ListQuery::DeletedEvents { organization, after, limit }).await?))
    }

    /// Lists the [members](ListQuery::Members) of the organization.
    pub async fn members(
        &self,
        organization: OrganizationId,
    ) -> Result<Vec<(Membership, Person)>, StoreError> {
        Ok(pairs(self.list(&ListQuery::Members(organization)).await?))
    }

    /// Lists the [invitations](ListQuery::Invitations) of the organization.
    pub async fn invitations(&self, organization: OrganizationId) -> Result<Vec<Invitation>, StoreError> {
        Ok(all(self.list(&ListQuery::Invitations(organization)).await?))
    }

    /// Lists the [messages](ListQuery::Messages) to the volunteers of the event.
    pub async fn messages(
        &self,
        organization: OrganizationId,
        event: EventId,
    ) -> Result<Vec<Message>, StoreError> {
        Ok(all(self.list(&ListQuery::Messages(organization, event)).await?))
    }

    /// Lists the [links](ListQuery::Links) of the address.
    pub async fn links(
        &self,
        organization: OrganizationId,
        email: &EmailAddress,
    ) -> Result<Vec<Link>, StoreError> {
        Ok(all(self.list(&ListQuery::Links(organization, email.key().to_owned())).await?))
    }

    /// Lists the [memberships](ListQuery::Memberships) of the person.
    pub async fn memberships(&self, person: PersonId) -> Result<Vec<(Membership, Organization)>, StoreError> {
        Ok(pairs(self.list(&ListQuery::Memberships(person)).await?))
    }

    /// Reads the organization that owns [the record with this id](ListQuery::Id).
    pub async fn owner(&self, kind: Kind, id: Uuid) -> Result<Option<OrganizationId>, StoreError> {
        let found = self.list(&ListQuery::Id(kind, id)).await?;
        Ok(found.first().map(|record| record.entity().key().organization()))
    }
}
