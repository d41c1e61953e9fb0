//! The sign-ups that a notice is fanned out to, by ascending id.

use signup_core::{CancelledBy, OrganizationId, Signup, SignupId, SignupScope};
use uuid::Uuid;

use super::reader::{Reader, Result, sorted};
use crate::records::signup;
use crate::sql::row::FetchedRows as _;
use crate::sql::{Dialect, Statement, values};

/// Which sign-ups of an event or a shift are read.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Selected {
    Confirmed,
    CancelledBy(CancelledBy),
}

/// Returns the statement for at most `limit` sign-ups after `after`.
///
/// The scope is a part of the range and of the order, so that only the index of the scope has both.
pub(crate) fn fan_out_query(
    dialect: Dialect,
    organization: OrganizationId,
    scope: SignupScope,
    selected: Selected,
    after: Option<SignupId>,
    limit: u32,
) -> Statement {
    let (column, scope) = match scope {
        SignupScope::Event(event) => ("u.event_id", event.uuid()),
        SignupScope::Shift(shift) => ("u.shift_id", shift.uuid()),
    };
    let after = after.unwrap_or(SignupId::NONE).uuid();
    let mut values = values![organization.uuid(), scope, after, Uuid::max()];
    let is_selected = match selected {
        Selected::Confirmed => "u.status = 'confirmed'",
        Selected::CancelledBy(by) => {
            values.push(by.name().into());
            "u.cancelled_by = $5"
        }
    };
    let from = format!(
        "(SELECT * FROM current_signups u WHERE u.organization_id = $1 AND ({column}, u.id) > ($2, $3) \
         AND ({column}, u.id) <= ($2, $4) AND {is_selected} ORDER BY {column}, u.id LIMIT {limit}) u"
    );
    Statement::of(dialect, &dialect.select(&signup::TABLE.columns(), &from), values)
}

pub(crate) async fn fan_out(
    reader: &impl Reader,
    organization: OrganizationId,
    scope: SignupScope,
    selected: Selected,
    after: Option<SignupId>,
    limit: u32,
) -> Result<Vec<Signup>> {
    let sql = fan_out_query(reader.dialect(), organization, scope, selected, after, limit);
    let found = reader.rows("listing sign-ups for a fan-out", sql).await?;
    let found = found.read(&signup::TABLE.columns(), signup::read)?;
    Ok(sorted(found, |signup| signup.id))
}
