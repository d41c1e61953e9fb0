//! People: persons who can sign in, and their roles in organizations.

use std::cmp::Reverse;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::id::{OrganizationId, PersonId};
use crate::organization::Organization;
use crate::text::{EmailAddress, PersonName, name_order};
use crate::text_form::names;

/// A person who may sign in: an email address and a name. A person belongs to no organization, but has a [`Membership`] in at
/// least one. The end of the last membership removes the person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Person {
    /// The id.
    pub id: PersonId,
    /// The address to which codes are mailed. No two people have one address.
    pub email: EmailAddress,
    /// The name.
    pub name: PersonName,
    /// The generation of the person's sign-ins. A [`SignIn`](crate::SignIn) of another generation is void, so one write ends all of
    /// them.
    pub generation: u32,
    /// The version, from 1. Each change of the person raises it, and so does each membership that begins or ends. The end of a
    /// membership raises it above the version of the membership.
    pub version: u32,
    /// When the person accepted the first invitation.
    pub created_at: Timestamp,
}

impl Person {
    /// Creates the record of a person without sign-ins.
    pub const fn new(id: PersonId, email: EmailAddress, name: PersonName, created_at: Timestamp) -> Self {
        Self { id, email, name, generation: 1, version: 1, created_at }
    }
}

/// What a person may do in an organization. Each role may do everything that the roles before it may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Role {
    /// Runs events: events, shifts, questions, coverage, sign-ups and messages to volunteers.
    Organizer,
    /// Also reads the activity, and manages API tokens, webhooks, members who are not owners, and the data of volunteers.
    Admin,
    /// Also changes the organization, and makes and removes owners.
    Owner,
}

names! {
    /// Every role, the one that may do least first.
    Role {
        Organizer => "organizer",
        Admin => "admin",
        Owner => "owner",
    }
}

/// The role of a person in an organization.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Membership {
    /// The organization.
    pub organization: OrganizationId,
    /// The person.
    pub person: PersonId,
    /// The role.
    pub role: Role,
    /// The version. It begins at the version of the person, so that it is higher than that of every earlier membership of the
    /// person. Each change of the role adds 1, and each invitation that the member makes.
    pub version: u32,
    /// When the person joined.
    pub created_at: Timestamp,
}

impl Membership {
    /// Creates the record of the membership of a person at the version 1.
    pub const fn new(
        organization: OrganizationId,
        person: PersonId,
        role: Role,
        created_at: Timestamp,
    ) -> Self {
        Self { organization, person, role, version: 1, created_at }
    }

    /// Sorts the members of an organization: owners first, then admins, then organizers. Equal roles are sorted by
    /// name in the root collation of Unicode, and equal names by id.
    pub fn sort_members(members: &mut [(Self, Person)]) {
        members.sort_by_cached_key(|(membership, person)| {
            (Reverse(membership.role), name_order(person.name.as_str()), person.id)
        });
    }

    /// Sorts the organizations of a person: by name in the root collation of Unicode, and equal names by id.
    pub fn sort_organizations(memberships: &mut [(Self, Organization)]) {
        memberships.sort_by_cached_key(|(_, organization)| {
            (name_order(organization.name.as_str()), organization.id)
        });
    }
}
