//! Reads of sign-ups.

use signup_core::{Digest, EmailAddress, EventId, OrganizationId, ShiftId, Signup, SignupId};

use super::{Reader, Result, all, one, sorted};
use crate::sql::row::{self, SIGNUP};
use crate::sql::values;

pub(crate) async fn signups(
    reader: &impl Reader,
    organization: OrganizationId,
    event: EventId,
    after: Option<SignupId>,
    limit: u32,
) -> Result<Vec<Signup>> {
    let from = format!(
        "(SELECT * FROM signups \
         WHERE organization_id = $1 AND event_id = $2 AND id > $3 ORDER BY id LIMIT {limit}) u"
    );
    let after = after.unwrap_or(SignupId::NONE).uuid();
    let values = values![organization.uuid(), event.uuid(), after];
    let found = all(reader, "listing sign-ups", SIGNUP, &from, values, row::signup).await?;
    Ok(sorted(found, |signup| signup.id))
}

pub(crate) async fn signup(
    reader: &impl Reader,
    organization: OrganizationId,
    id: SignupId,
) -> Result<Option<Signup>> {
    let from = "signups u WHERE u.organization_id = $1 AND u.id = $2";
    one(reader, "reading a sign-up", SIGNUP, from, values![organization.uuid(), id.uuid()], row::signup).await
}

pub(crate) async fn confirmed_signups(
    reader: &impl Reader,
    organization: OrganizationId,
    shift: ShiftId,
    after: Option<SignupId>,
    limit: u32,
) -> Result<Vec<Signup>> {
    // Either condition says it. The first is that of SQLite's index, the second that of PostgreSQL's.
    let from = format!(
        "(SELECT * FROM signups WHERE organization_id = $1 AND shift_id = $2 \
         AND status = 'confirmed' AND cancelled_at IS NULL AND id > $3 ORDER BY id LIMIT {limit}) u"
    );
    let after = after.unwrap_or(SignupId::NONE).uuid();
    let values = values![organization.uuid(), shift.uuid(), after];
    let found = all(reader, "listing confirmed sign-ups", SIGNUP, &from, values, row::signup).await?;
    Ok(sorted(found, |signup| signup.id))
}

pub(crate) async fn signups_of_address(
    reader: &impl Reader,
    organization: OrganizationId,
    email: &EmailAddress,
    limit: u32,
) -> Result<Vec<Signup>> {
    let from = format!(
        "(SELECT * FROM signups WHERE organization_id = $1 AND email_key = $2 \
         ORDER BY id LIMIT {limit}) u"
    );
    let values = values![organization.uuid(), email.key()];
    let found = all(reader, "listing sign-ups of an address", SIGNUP, &from, values, row::signup).await?;
    Ok(sorted(found, |signup| signup.id))
}

pub(crate) async fn signup_by_secret(reader: &impl Reader, secret: &Digest) -> Result<Option<Signup>> {
    let from = "signups u WHERE u.secret = $1";
    one(reader, "reading a sign-up", SIGNUP, from, values![secret.as_bytes().as_slice()], row::signup).await
}
