//! Permissions: what a caller may do. The scopes of a token and the role of a person both map to them.
//!
//! **Invariant:** [`Permission::role`] is the only table of roles and permissions, and [`Permission::requires_recent_sign_in`]
//! the only one of permissions that require a recent sign-in.

use crate::person::Role;
use crate::token::{Scope, Scopes};

/// Something that a caller may be allowed to do. Each operation requires one permission.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Permission {
    /// What a token with this scope may do.
    Scope(Scope),
    /// Change one sign-up: cancel it, correct it, move it to another shift, and mark whether its volunteer came.
    ManageSignups,
    /// Write to the volunteers of an event.
    SendMessages,
    /// Read tokens.
    ReadTokens,
    /// Create and revoke tokens.
    ManageTokens,
    /// Read members and invitations.
    ReadMembers,
    /// Invite members, change their roles and remove them, except owners.
    ManageMembers,
    /// Find what is stored about a volunteer.
    FindVolunteers,
    /// Export and erase the data of a volunteer.
    ManageVolunteers,
    /// Make owners, and lower and remove them.
    ManageOwners,
    /// Change the organization.
    UpdateOrganization,
}

impl Permission {
    /// Returns the least role that has the permission.
    pub const fn role(self) -> Role {
        match self {
            Self::Scope(
                Scope::EventsRead
                | Scope::EventsWrite
                | Scope::ShiftsRead
                | Scope::ShiftsWrite
                | Scope::OrganizationRead
                | Scope::SignupsRead,
            )
            | Self::ManageSignups
            | Self::SendMessages => Role::Organizer,
            Self::Scope(Scope::ActivityRead | Scope::WebhooksRead | Scope::WebhooksWrite)
            | Self::ReadTokens
            | Self::ManageTokens
            | Self::ReadMembers
            | Self::ManageMembers
            | Self::FindVolunteers
            | Self::ManageVolunteers => Role::Admin,
            Self::ManageOwners | Self::UpdateOrganization => Role::Owner,
        }
    }

    /// Returns the permission to invite, change and remove members with this role.
    pub const fn to_manage(role: Role) -> Self {
        match role {
            Role::Owner => Self::ManageOwners,
            Role::Admin | Role::Organizer => Self::ManageMembers,
        }
    }

    /// Returns whether a person has the permission only if they entered a code, or accepted an invitation as somebody new,
    /// [recently](crate::SignIn::RECENT). A token enters no code, so it has the permission of a scope throughout its life.
    pub const fn requires_recent_sign_in(self) -> bool {
        matches!(
            self,
            Self::Scope(Scope::WebhooksWrite)
                | Self::ManageTokens
                | Self::ManageMembers
                | Self::ManageVolunteers
                | Self::ManageOwners
        )
    }
}

impl From<Scope> for Permission {
    fn from(scope: Scope) -> Self {
        Self::Scope(scope)
    }
}

/// The set of permissions of a caller.
///
/// ```
/// use signup_core::{Permission, Permissions, Role, Scope, Scopes};
///
/// let organizer = Permissions::Role(Role::Organizer);
/// assert!(organizer.contains(Scope::EventsWrite) && organizer.contains(Permission::SendMessages));
/// assert!(!organizer.contains(Permission::ManageTokens));
///
/// // No scope allows what only roles allow.
/// let token = Permissions::Scopes(Scopes::all());
/// assert!(token.contains(Scope::WebhooksWrite) && !token.contains(Permission::SendMessages));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Permissions {
    /// Those of a token with these scopes.
    Scopes(Scopes),
    /// Those of a person with this role: each permission whose [least role](Permission::role) is not above it.
    Role(Role),
}

impl Permissions {
    /// Returns whether the set contains `permission`.
    pub fn contains(self, permission: impl Into<Permission>) -> bool {
        match (self, permission.into()) {
            (Self::Scopes(scopes), Permission::Scope(scope)) => scopes.contains(scope),
            (Self::Scopes(_), _) => false,
            (Self::Role(role), permission) => permission.role() <= role,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use crate::rules::check_permission;

    /// The permissions of each role that the role before it lacks.
    const ROLES: [(Role, &[Permission]); 3] = [
        (
            Role::Organizer,
            &[
                Permission::Scope(Scope::EventsRead),
                Permission::Scope(Scope::EventsWrite),
                Permission::Scope(Scope::ShiftsRead),
                Permission::Scope(Scope::ShiftsWrite),
                Permission::Scope(Scope::OrganizationRead),
                Permission::Scope(Scope::SignupsRead),
                Permission::ManageSignups,
                Permission::SendMessages,
            ],
        ),
        (
            Role::Admin,
            &[
                Permission::Scope(Scope::ActivityRead),
                Permission::Scope(Scope::WebhooksRead),
                Permission::Scope(Scope::WebhooksWrite),
                Permission::ReadTokens,
                Permission::ManageTokens,
                Permission::ReadMembers,
                Permission::ManageMembers,
                Permission::FindVolunteers,
                Permission::ManageVolunteers,
            ],
        ),
        (Role::Owner, &[Permission::ManageOwners, Permission::UpdateOrganization]),
    ];

    #[test]
    fn each_role_may_do_what_the_roles_before_it_may_do() {
        assert_eq!(ROLES.map(|(role, _)| role), Role::ALL);
        for (least, permissions) in ROLES {
            for &permission in permissions {
                for &role in Role::ALL {
                    let expected = if role >= least { Ok(()) } else { Err(Error::MissingRole(least)) };
                    assert_eq!(
                        check_permission(Permissions::Role(role), permission),
                        expected,
                        "{role} {permission:?}"
                    );
                }
            }
        }
        let scopes = Scope::ALL.iter().map(|&scope| Permission::Scope(scope));
        let listed = || ROLES.iter().flat_map(|(_, permissions)| *permissions);
        assert!(scopes.clone().all(|scope| listed().any(|permission| *permission == scope)));
    }

    #[test]
    fn the_scopes_of_a_token_allow_nothing_that_only_roles_allow() {
        let (none, all) = (Permissions::Scopes(Scopes::default()), Permissions::Scopes(Scopes::all()));
        for permission in ROLES.iter().flat_map(|(_, permissions)| *permissions).copied() {
            let (missing, allowed) = match permission {
                Permission::Scope(scope) => (Error::MissingScope(scope), Ok(())),
                _ => (Error::MissingRole(permission.role()), Err(Error::MissingRole(permission.role()))),
            };
            assert_eq!(check_permission(none, permission), Err(missing));
            assert_eq!(check_permission(all, permission), allowed);
        }
    }
}
