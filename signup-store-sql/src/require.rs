//! The requirements of a change set, checked in one hand-off.
//!
//! Each is a statement that gives a row only if the requirement does *not* hold: its number, and as JSON the fact that
//! was found in its place. So the first row is the first requirement that fails, and no row means that all hold.
//!
//! It runs inside a transaction that took the write lock at its beginning, so what is found still holds when the writes
//! come.

use signup_core::{Refusal, Requirement, StoreError};
use sqlx::sqlite::SqliteConnection;

use crate::error::store_error;
use crate::row::{self, RECEIPT, SIGNUP};
use crate::script::Script;

/// The number of an organization's active events, if it is as high as `$4`.
pub(crate) const ACTIVE_EVENTS: &str = "SELECT $1, CAST(COUNT(*) AS TEXT) FROM events \
     WHERE organization_id = $2 AND is_published = 1 AND ends_at > $3 HAVING COUNT(*) >= $4";

/// Why the change set is refused, if it is.
pub(crate) async fn refusal(
    connection: &mut SqliteConnection,
    requires: &[Requirement],
) -> Result<Option<Refusal>, StoreError> {
    if requires.is_empty() {
        return Ok(None);
    }
    let mut script = Script::default();
    for (number, requirement) in (0_i64..).zip(requires) {
        check(&mut script, number, requirement);
    }
    let found = script.first_row(connection).await;
    let Some((number, fact)) = found.map_err(|error| store_error("checking requirements", error))? else {
        return Ok(None);
    };
    let broken = usize::try_from(number).ok().and_then(|number| requires.get(number));
    broken.map(|requirement| refused(requirement, &fact)).transpose()
}

/// Adds the statement that looks for what breaks the requirement. Its `$1` is the requirement's number.
fn check(script: &mut Script, number: i64, requirement: &Requirement) {
    match requirement {
        Requirement::NoOrganization => {
            script.statement("SELECT $1, '' WHERE EXISTS (SELECT 1 FROM organizations)").bind(number);
        }
        Requirement::OrganizationSlugFree(slug) => {
            let sql = "SELECT $1, '' FROM organizations WHERE slug = $2";
            script.statement(sql).bind(number).bind(slug.as_str());
        }
        Requirement::EventSlugFree(slug) => {
            script.statement("SELECT $1, '' FROM events WHERE slug = $2").bind(number).bind(slug.as_str());
        }
        Requirement::NoReceipt { key, now } => {
            let sql = format!(
                "SELECT $1, json_array({RECEIPT}) FROM receipts r WHERE r.organization_id = $2 AND r.token_id = $3 \
                 AND r.operation = $4 AND r.idempotency_key = $5 AND r.expires_at > $6"
            );
            let values = script.statement(&sql).bind(number).bind(key.organization.uuid());
            let values = values.bind(key.token.uuid()).bind(key.operation.to_string());
            values.bind(key.key.as_str()).bind(now.as_second());
        }
        Requirement::ShiftAtVersion { organization, shift, version } => {
            let sql = "SELECT $1, '' WHERE NOT EXISTS \
                 (SELECT 1 FROM shifts WHERE organization_id = $2 AND id = $3 AND version = $4)";
            let values = script.statement(sql).bind(number);
            values.bind(organization.uuid()).bind(shift.uuid()).bind(*version);
        }
        Requirement::QuestionCount { organization, event, count } => {
            let sql = "SELECT $1, '' WHERE NOT EXISTS (SELECT 1 FROM events WHERE organization_id = $2 AND id = $3) \
                 OR $4 <> (SELECT COUNT(*) FROM questions WHERE organization_id = $2 AND event_id = $3)";
            let values = script.statement(sql).bind(number);
            values.bind(organization.uuid()).bind(event.uuid()).bind(*count);
        }
        Requirement::ActiveEventsBelow { organization, limit, now } => {
            let values = script.statement(ACTIVE_EVENTS).bind(number);
            values.bind(organization.uuid()).bind(now.as_second()).bind(*limit);
        }
        Requirement::ShiftHasRoom { organization, shift } => {
            let sql = "SELECT $1, '' WHERE NOT EXISTS \
                 (SELECT 1 FROM shifts WHERE organization_id = $2 AND id = $3 AND filled < capacity)";
            script.statement(sql).bind(number).bind(organization.uuid()).bind(shift.uuid());
        }
        Requirement::AddressNotOnShift { organization, shift, email } => {
            let sql = format!(
                "SELECT $1, json_array({SIGNUP}) FROM signups u WHERE u.organization_id = $2 AND u.shift_id = $3 \
                 AND u.email_key = $4 AND u.status = 'confirmed'"
            );
            let values = script.statement(&sql).bind(number);
            values.bind(organization.uuid()).bind(shift.uuid()).bind(email.key());
        }
        Requirement::SignupConfirmed { organization, signup } => {
            let sql = "SELECT $1, '' WHERE NOT EXISTS \
                 (SELECT 1 FROM signups WHERE organization_id = $2 AND id = $3 AND status = 'confirmed')";
            script.statement(sql).bind(number).bind(organization.uuid()).bind(signup.uuid());
        }
    }
}

/// The refusal for a requirement that does not hold, with the fact that was found.
fn refused(requirement: &Requirement, fact: &str) -> Result<Refusal, StoreError> {
    Ok(match requirement {
        Requirement::NoOrganization => Refusal::OrganizationExists,
        Requirement::OrganizationSlugFree(_) | Requirement::EventSlugFree(_) => Refusal::SlugTaken,
        Requirement::NoReceipt { key, .. } => {
            Refusal::Receipt(Box::new(row::one(fact, |row| row::receipt(row, key))?))
        }
        Requirement::ShiftAtVersion { .. } => Refusal::ShiftChanged,
        Requirement::QuestionCount { .. } => Refusal::QuestionsChanged,
        Requirement::ActiveEventsBelow { .. } => {
            let count = fact.parse().map_err(|error| StoreError::failed("counting active events", error))?;
            Refusal::ActiveEvents { count }
        }
        Requirement::ShiftHasRoom { .. } => Refusal::ShiftFull,
        Requirement::AddressNotOnShift { .. } => {
            Refusal::AddressOnShift(Box::new(row::one(fact, row::signup)?))
        }
        Requirement::SignupConfirmed { .. } => Refusal::SignupNotConfirmed,
    })
}
