//! The JSON of people, members and invitations, for management commands.

use serde::Serialize;
use signup_core::{Invitation, Membership, Role};
use uuid::Uuid;

use super::Instant;

/// A person.
#[derive(Debug, Serialize)]
pub(crate) struct Person<'a> {
    id: Uuid,
    email: &'a str,
    name: &'a str,
}

impl<'a> Person<'a> {
    pub(crate) fn new(person: &'a signup_core::Person) -> Self {
        Self { id: person.id.uuid(), email: person.email.as_str(), name: person.name.as_str() }
    }
}

/// A member of an organization.
#[derive(Debug, Serialize)]
pub(crate) struct Member<'a> {
    #[serde(flatten)]
    person: Person<'a>,
    organization_id: Uuid,
    role: Role,
    created_at: Instant,
}

impl<'a> Member<'a> {
    pub(crate) fn new(membership: &Membership, person: &'a signup_core::Person) -> Self {
        Self {
            person: Person::new(person),
            organization_id: membership.organization.uuid(),
            role: membership.role,
            created_at: Instant(membership.created_at),
        }
    }
}

/// An invitation with its link, or a member who needs none.
#[derive(Serialize)]
pub(crate) struct Invited<'a> {
    organization_id: Uuid,
    email: &'a str,
    name: &'a str,
    role: Role,
    expires_at: Option<Instant>,
    link: Option<String>,
}

impl<'a> Invited<'a> {
    /// Returns `None` for an invitation of a first owner, which has no address.
    pub(crate) fn new(invitation: &'a Invitation, link: String) -> Option<Self> {
        let invitee = invitation.invitee.as_ref()?;
        Some(Self {
            organization_id: invitation.organization.uuid(),
            email: invitee.email.as_str(),
            name: invitee.name.as_str(),
            role: invitation.role,
            expires_at: Some(Instant(invitation.expires_at)),
            link: Some(link),
        })
    }

    /// A member, who stays as they are.
    pub(crate) fn member(membership: &Membership, person: &'a signup_core::Person) -> Self {
        Self {
            organization_id: membership.organization.uuid(),
            email: person.email.as_str(),
            name: person.name.as_str(),
            role: membership.role,
            expires_at: None,
            link: None,
        }
    }
}
