//! Members of an organization: another role, removal and leaving.
//!
//! **Invariant:** an organization that has an owner keeps one. A change that takes away the role of an owner requires that the
//! membership of another owner is unchanged. So if two owners remove each other at once, only one commit succeeds.
//!
//! **Invariant:** the inviter of a stored invitation may invite to its role. A change that lowers or ends a membership removes the
//! member's invitations to roles that the member may no longer make. The invitations are read after the membership. Making one
//! raises the version of the membership, so a commit that has not seen it is refused.

use super::{Decision, NewActivity};
use crate::activity::ActivityType;
use crate::error::{Error, Result};
use crate::id::PersonId;
use crate::invitation::Invitation;
use crate::permission::{Permission, Permissions};
use crate::person::{Membership, Person, Role};
use crate::store::ChangeSet;

/// Finds the membership of a person.
///
/// # Errors
/// Returns [`Error::NotFound`] if the person is no member.
pub(super) fn find(members: &[(Membership, Person)], person: PersonId) -> Result<&(Membership, Person)> {
    members.iter().find(|(membership, _)| membership.person == person).ok_or(Error::NotFound)
}

/// Checks that the caller may make, change and remove members with each of these roles. Returns the membership of the caller, which
/// the commit requires to be unchanged. `None` is the operator, who may manage every member.
///
/// # Errors
/// Returns [`Error::MissingRole`] with the role that may, and [`Error::NotFound`] if the caller is no member any more.
pub(super) fn check_manager(
    members: &[(Membership, Person)],
    caller: Option<PersonId>,
    roles: &[Role],
) -> Result<Option<Membership>> {
    let Some(caller) = caller else { return Ok(None) };
    let (membership, _) = find(members, caller)?;
    let needed = roles.iter().map(|&role| Permission::to_manage(role)).max_by_key(|needed| needed.role());
    if let Some(needed) = needed {
        check_permission(Permissions::Role(membership.role), needed)?;
    }
    Ok(Some(*membership))
}

/// Requires that the organization has another owner than `membership`, and that the caller may still manage the members.
///
/// # Errors
/// Returns [`Error::LastOwner`].
fn require_others(
    change: &mut ChangeSet,
    members: &[(Membership, Person)],
    caller: Option<Membership>,
    membership: &Membership,
) -> Result<()> {
    let is_other = |other: &Membership| other.person != membership.person;
    let caller = caller.filter(is_other);
    if let Some(caller) = &caller {
        change.require_unchanged(caller);
    }
    // Only an owner may manage owners. So the caller is an owner, and stays one.
    if membership.role == Role::Owner && caller.is_none() {
        let mut others = members.iter().map(|(other, _)| other).filter(|other| is_other(other));
        let owner = others.find(|other| other.role == Role::Owner).ok_or(Error::LastOwner)?;
        change.require_unchanged(owner);
    }
    Ok(())
}

/// Removes the invitations of a member that a member with this role may not make. `None`: the person is no member any more.
fn remove_void(change: &mut ChangeSet, invitations: &[Invitation], inviter: PersonId, role: Option<Role>) {
    let may_make = |invitation: &Invitation| {
        role.is_some_and(|role| Permissions::Role(role).contains(Permission::to_manage(invitation.role)))
    };
    let of_member = invitations.iter().filter(|invitation| invitation.inviter == Some(inviter));
    of_member.filter(|invitation| !may_make(invitation)).for_each(|void| change.remove(void.clone()));
}

/// Gives a member another role. A member who has the role already stays unchanged. `invitations` are those of the organization,
/// read after `members`.
///
/// # Errors
/// - [`Error::NotFound`] if the person or the caller is no member.
/// - [`Error::MissingRole`] if the caller may not manage members with the present or the new role.
/// - [`Error::LastOwner`] if no owner would be left.
pub(crate) fn change_role(
    members: &[(Membership, Person)],
    invitations: &[Invitation],
    caller: Option<PersonId>,
    person: PersonId,
    role: Role,
) -> Result<Decision<Membership>> {
    let (membership, _) = *find(members, person)?;
    let caller = check_manager(members, caller, &[membership.role, role])?;
    if membership.role == role {
        return Ok(Decision::unchanged(membership));
    }
    let mut change = ChangeSet::default();
    require_others(&mut change, members, caller, &membership)?;
    let changed = Membership { role, version: membership.version + 1, ..membership };
    change.replace(membership, changed);
    remove_void(&mut change, invitations, person, Some(role));
    let activity = NewActivity::of(ActivityType::MEMBER_ROLE_CHANGED, &changed);
    Ok(Decision::new(changed, change, [activity]))
}

/// Ends a membership. A caller that is the member leaves, whatever their role. The end of the last membership removes the person,
/// and so every sign-in.
///
/// `invitations` are those of the organization, and `memberships` is the number of the person's memberships in all organizations.
/// Both are read after `members`.
///
/// # Errors
/// - [`Error::NotFound`] if the person or the caller is no member.
/// - [`Error::MissingRole`] if the caller may not manage members with this role.
/// - [`Error::LastOwner`] if no owner would be left.
pub(crate) fn remove_member(
    members: &[(Membership, Person)],
    invitations: &[Invitation],
    caller: Option<PersonId>,
    person: PersonId,
    memberships: usize,
) -> Result<Decision<(Membership, Person)>> {
    let (membership, person) = find(members, person)?.clone();
    let roles: &[Role] = if caller == Some(person.id) { &[] } else { &[membership.role] };
    let caller = check_manager(members, caller, roles)?;
    let mut change = ChangeSet::default();
    require_others(&mut change, members, caller, &membership)?;
    let removed = NewActivity::of(ActivityType::MEMBER_REMOVED, &membership);
    change.remove(membership);
    remove_void(&mut change, invitations, person.id, None);
    // The version of the person shows that no other membership has begun or ended since. The next membership in this organization
    // begins at the version of the person, so that version rises above the version of this membership.
    if memberships > 1 {
        let version = person.version.max(membership.version) + 1;
        change.replace(person.clone(), Person { version, ..person.clone() });
    } else {
        change.remove(person.clone());
    }
    Ok(Decision::new((membership, person), change, [removed]))
}

/// Checks that a caller has a permission.
///
/// # Errors
/// Returns [`Error::MissingScope`] if the scopes of a token lack a scope, and otherwise [`Error::MissingRole`] with the
/// [least role](Permission::role) that has the permission.
pub(crate) fn check_permission(permissions: Permissions, permission: Permission) -> Result<()> {
    match (permissions, permission) {
        _ if permissions.contains(permission) => Ok(()),
        (Permissions::Scopes(_), Permission::Scope(scope)) => Err(Error::MissingScope(scope)),
        _ => Err(Error::MissingRole(permission.role())),
    }
}

#[cfg(test)]
mod tests {
    use Role::{Admin, Organizer, Owner};

    use super::super::facts::*;
    use super::*;
    use crate::conformance::records;

    /// Returns the persons 1, 2, … as members with these roles.
    fn members<const N: usize>(roles: [Role; N]) -> Vec<(Membership, Person)> {
        let persons = (1..).map(records::person);
        persons.zip(roles).map(|(person, role)| (records::membership(1, &person, role), person)).collect()
    }

    fn id(number: u32) -> PersonId {
        PersonId::new(records::uuid(number))
    }

    #[test]
    fn a_role_is_changed_by_a_member_who_may_manage_both_roles() {
        // The roles of the caller, and of the member before and after.
        let refused = |caller, before, after| {
            change_role(&members([caller, before, Owner]), &[], Some(id(1)), id(2), after).err()
        };
        for &caller in Role::ALL {
            for &before in Role::ALL {
                for &after in Role::ALL {
                    let needed = if before == Owner || after == Owner { Owner } else { Admin };
                    let expected = (caller < needed).then_some(Error::MissingRole(needed));
                    assert_eq!(refused(caller, before, after), expected, "{caller} {before} {after}");
                }
            }
        }
        let changed = change_role(&members([Admin, Organizer]), &[], Some(id(1)), id(2), Admin).unwrap();
        assert_eq!(lines(&changed), ["Membership 1 at 1", "Membership 2 at 1", "put Membership 2 to 2"]);
        assert_eq!(named(&changed), ["member.role_changed"]);
        assert_eq!(changed.outcome.role, Admin);
        let same = change_role(&members([Admin, Organizer]), &[], Some(id(1)), id(2), Organizer).unwrap();
        assert_eq!(lines(&same), [""; 0]);
    }

    #[test]
    fn a_member_may_lower_but_not_raise_their_own_role() {
        let own = |role, new| change_role(&members([role, Owner]), &[], Some(id(1)), id(1), new);
        let lowered = own(Owner, Organizer).unwrap();
        assert_eq!(lines(&lowered), ["Membership 2 at 1", "Membership 1 at 1", "put Membership 1 to 2"]);
        assert_eq!(lines(&own(Admin, Organizer).unwrap()), ["Membership 1 at 1", "put Membership 1 to 2"]);
        assert_eq!(own(Admin, Owner).unwrap_err(), Error::MissingRole(Owner));
        assert_eq!(own(Organizer, Admin).unwrap_err(), Error::MissingRole(Admin));
    }

    #[test]
    fn the_last_owner_is_neither_lowered_nor_removed() {
        let members = members([Owner, Admin]);
        for caller in [None, Some(id(1))] {
            assert_eq!(change_role(&members, &[], caller, id(1), Admin).unwrap_err(), Error::LastOwner);
            assert_eq!(remove_member(&members, &[], caller, id(1), 1).unwrap_err(), Error::LastOwner);
        }
    }

    #[test]
    fn two_owners_who_remove_each_other_require_each_other() {
        let removed = remove_member(&members([Owner, Owner]), &[], Some(id(1)), id(2), 2).unwrap();
        let expected = [
            "Membership 1 at 1",
            "Membership 2 at 1",
            "Person 2 at 1",
            "remove Membership 2",
            "put Person 2 to 2",
        ];
        assert_eq!(
            (lines(&removed), named(&removed)),
            (expected.map(str::to_owned).to_vec(), vec!["member.removed".to_owned()])
        );
        let by_operator = remove_member(&members([Owner, Owner]), &[], None, id(1), 2).unwrap();
        assert_eq!(lines(&by_operator)[0], "Membership 2 at 1", "an owner who stays");
    }

    #[test]
    fn the_end_of_the_last_membership_removes_the_person() {
        let leave =
            |memberships| remove_member(&members([Organizer]), &[], Some(id(1)), id(1), memberships).unwrap();
        let expected = ["Membership 1 at 1", "Person 1 at 1", "remove Membership 1", "remove Person 1"];
        assert_eq!(lines(&leave(1)), expected);
        assert_eq!(lines(&leave(2))[3], "put Person 1 to 2");
    }

    #[test]
    fn a_member_who_may_no_longer_invite_to_a_role_loses_those_invitations() {
        let made = |number, inviter, role| Invitation { inviter, role, ..records::invitation(1, number) };
        let (own, other) = (Some(id(2)), Some(id(1)));
        let invitations = [
            made(1, own, Owner),
            made(2, own, Admin),
            made(3, own, Organizer),
            made(4, other, Owner),
            made(5, None, Owner),
        ];
        let removed = |decision: Vec<String>| {
            let is_removal = |line: &String| line.starts_with("remove Invitation");
            decision.into_iter().filter(is_removal).collect::<Vec<_>>()
        };
        let [owners, admins, organizers] = [1, 2, 3].map(|number| format!("remove Invitation {number}"));
        let (all, none) = (vec![owners.clone(), admins, organizers], vec![]);
        for (before, after, expected) in [
            (Owner, Admin, &vec![owners]),
            (Owner, Organizer, &all),
            (Admin, Owner, &none),
            (Admin, Organizer, &all),
        ] {
            let members = members([Owner, before]);
            let changed = change_role(&members, &invitations, other, id(2), after).unwrap();
            assert_eq!(removed(lines(&changed)), *expected, "{before} {after}");
        }
        for caller in [other, own, None] {
            let ended = remove_member(&members([Owner, Admin]), &invitations, caller, id(2), 1).unwrap();
            assert_eq!(removed(lines(&ended)), all);
        }
    }

    #[test]
    fn a_member_is_removed_by_a_member_who_may_manage_the_role() {
        for &caller in Role::ALL {
            for &role in Role::ALL {
                let refused =
                    remove_member(&members([caller, role, Owner]), &[], Some(id(1)), id(2), 1).err();
                let needed = if role == Owner { Owner } else { Admin };
                assert_eq!(
                    refused,
                    (caller < needed).then_some(Error::MissingRole(needed)),
                    "{caller} {role}"
                );
            }
        }
        let members = members([Owner]);
        assert_eq!(remove_member(&members, &[], Some(id(1)), id(2), 1).unwrap_err(), Error::NotFound);
        assert_eq!(
            remove_member(&members, &[], Some(id(2)), id(1), 1).unwrap_err(),
            Error::NotFound,
            "a former member"
        );
    }
}
