//! Invitations: how a person becomes a member of an organization.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::id::{InvitationId, OrganizationId, PersonId};
use crate::person::Role;
use crate::secret::Digest;
use crate::text::{EmailAddress, PersonName};

/// An open invitation to an organization. Its link has a secret, of which the record has only the digest. The acceptance or the
/// withdrawal of the invitation removes the record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Invitation {
    /// The id. A new invitation for the same address replaces the record, and keeps the id.
    pub id: InvitationId,
    /// The organization.
    pub organization: OrganizationId,
    /// The invited person. `None` for the first owner of an organization, who gives an address and a name at the acceptance.
    pub invitee: Option<Invitee>,
    /// The role in the organization.
    pub role: Role,
    /// The member who invites. `None` for the operator.
    pub inviter: Option<PersonId>,
    /// The digest of the secret in the link.
    pub digest: Digest,
    /// The version, from 1. Each change adds 1.
    pub version: u32,
    /// When the invitation was made, or made again.
    pub created_at: Timestamp,
    /// When the link stops working.
    pub expires_at: Timestamp,
}

/// The address and the name of an invited person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Invitee {
    /// The address to which the link is mailed.
    pub email: EmailAddress,
    /// The name. A person who exists keeps their own.
    pub name: PersonName,
}

impl Invitation {
    /// How long the link of an invitation works: 7 days.
    pub const LIFETIME: SignedDuration = SignedDuration::from_hours(7 * 24);

    /// Creates the record of an invitation that is made at `now`. The tuple has the role and the member who invites.
    pub fn new(
        id: InvitationId,
        organization: OrganizationId,
        invitee: Option<Invitee>,
        (role, inviter): (Role, Option<PersonId>),
        digest: Digest,
        now: Timestamp,
    ) -> Self {
        let expires_at = now.checked_add(Self::LIFETIME).unwrap_or(Timestamp::MAX);
        Self { id, organization, invitee, role, inviter, digest, version: 1, created_at: now, expires_at }
    }
}
