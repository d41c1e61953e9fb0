//! The members of an organization, and the people who are signed in.

use signup_core::{Digest, Membership, Organization, OrganizationId, Person, PersonId, SignIn, SignInInFull};

use super::reader::{Reader, StoreResult, all};
use crate::records::{membership, organization, person, sign_in};
use crate::sql::column::SelectedColumn;
use crate::sql::row::Row;
use crate::sql::values;
#[cfg(test)]
use crate::sql::{Dialect, Statement};

const MEMBERS: &str = "memberships m JOIN people h ON h.id = m.person_id WHERE m.organization_id = $1";

const MEMBERSHIPS: &str =
    "memberships m JOIN organizations o ON o.id = m.organization_id WHERE m.person_id = $1";

/// A row for each membership, or one row without a membership.
const SIGNED_IN: &str = "sign_ins g JOIN people h ON h.id = g.person_id \
     LEFT JOIN memberships m ON m.person_id = g.person_id \
     LEFT JOIN organizations o ON o.id = m.organization_id WHERE g.digest = $1";

/// Returns the statements of this file.
#[cfg(test)]
pub(crate) fn people_queries(dialect: Dialect) -> [Statement; 3] {
    let query = |from, value| {
        Statement::of(dialect, &dialect.select(&membership::TABLE.columns(), from), vec![value])
    };
    let id = || uuid::Uuid::nil().into();
    [query(MEMBERS, id()), query(MEMBERSHIPS, id()), query(SIGNED_IN, [0; 32].as_slice().into())]
}

pub(super) async fn members(
    reader: &impl Reader,
    organization: OrganizationId,
) -> StoreResult<Vec<(Membership, Person)>> {
    let columns = [membership::TABLE.columns(), person::TABLE.columns()].concat();
    let read = |row: Row<'_>| Ok((membership::read(row)?, person::read(row)?));
    let values = values![organization.uuid()];
    let mut found = all(reader, "listing members", columns, MEMBERS, values, read).await?;
    Membership::sort_members(&mut found);
    Ok(found)
}

pub(super) async fn memberships(
    reader: &impl Reader,
    person: PersonId,
) -> StoreResult<Vec<(Membership, Organization)>> {
    let (what, columns) = ("listing memberships", joined_columns());
    let mut found = all(reader, what, columns, MEMBERSHIPS, values![person.uuid()], joined).await?;
    Membership::sort_organizations(&mut found);
    Ok(found)
}

pub(crate) async fn signed_in(reader: &impl Reader, digest: &Digest) -> StoreResult<Option<SignInInFull>> {
    let columns = [sign_in::TABLE.columns(), person::TABLE.columns(), joined_columns()].concat();
    let read = |row: Row<'_>| -> StoreResult<(SignIn, Person, _)> {
        Ok((sign_in::read(row)?, person::read(row)?, row.outer(&membership::TABLE, joined)?))
    };
    let values = values![digest.as_bytes().as_slice()];
    let found = all(reader, "reading a sign-in", columns, SIGNED_IN, values, read).await?;
    let mut of_sign_in: Option<(SignIn, Person)> = None;
    let mut memberships = vec![];
    for (sign_in, person, membership) in found {
        of_sign_in = Some((sign_in, person));
        memberships.extend(membership);
    }
    Ok(of_sign_in.map(|(sign_in, person)| SignInInFull::new(sign_in, person, memberships)))
}

/// Returns the columns of [`joined`].
fn joined_columns() -> Vec<SelectedColumn> {
    [membership::TABLE.columns(), organization::TABLE.columns()].concat()
}

/// Reads a membership with its organization.
fn joined(row: Row<'_>) -> StoreResult<(Membership, Organization)> {
    Ok((membership::read(row)?, organization::read(row)?))
}
