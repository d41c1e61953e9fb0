//! The requirements of a change set, as statements.
//!
//! Each is a query that gives a row only if the requirement does *not* hold: its number, and as JSON the fact that was
//! found in its place. So the first row by number is the first requirement that fails, and no row means that all hold.
//!
//! What is found has to hold until the commit. SQLite's writer is alone. On PostgreSQL a query locks first what every change
//! of the fact goes through, and then looks: most by a function of the schema, whose look has a snapshot of its own. Only
//! slugs are looked at without a lock; a slug that another takes at the same moment is refused by its unique index, and the
//! next try finds it.

use signup_core::{Refusal, Requirement, StoreError};

use crate::sql::read::live_receipt;
use crate::sql::row::{self, RECEIPT, SIGNUP};
use crate::sql::{Dialect, Sql, values};

/// Appends the query that looks for what breaks the requirement.
pub(crate) fn check(sql: &mut Sql, number: usize, requirement: &Requirement) {
    let dialect = sql.dialect;
    let lock = dialect.lock();
    match requirement {
        Requirement::NoOrganization => {
            let exists = match dialect {
                Dialect::Sqlite => "EXISTS (SELECT 1 FROM organizations)",
                Dialect::Postgres => "locked_organizations_exist()",
            };
            sql.push(&format!("SELECT '{number}', '' WHERE {exists}"));
        }
        Requirement::OrganizationSlugFree(slug) => {
            let text = format!("SELECT '{number}', '' FROM organizations WHERE slug = $1");
            sql.add(&text, values![slug.as_str()]);
        }
        Requirement::EventSlugFree(slug) => {
            let text = format!("SELECT '{number}', '' FROM events WHERE slug = $1");
            sql.add(&text, values![slug.as_str()]);
        }
        Requirement::NoReceipt { key, now } => {
            let record = dialect.record(RECEIPT);
            let receipts = match dialect {
                Dialect::Sqlite => {
                    "receipts r WHERE r.organization_id = $1 AND r.token_id = $2 AND r.operation = $3 \
                     AND r.idempotency_key = $4 AND"
                }
                Dialect::Postgres => "locked_receipts($1, $2, $3, $4) r WHERE",
            };
            let text = format!("SELECT '{number}', {record} FROM {receipts} r.expires_at > $5");
            sql.add(&text, live_receipt(key, *now));
        }
        Requirement::ShiftAtVersion { organization, shift, version } => {
            let text = format!(
                "SELECT '{number}', '' WHERE NOT EXISTS (SELECT 1 FROM shifts \
                 WHERE organization_id = $1 AND id = $2 AND version = $3 {lock})"
            );
            sql.add(&text, values![organization.uuid(), shift.uuid(), *version]);
        }
        Requirement::QuestionCount { organization, event, count } => {
            let differs = match dialect {
                Dialect::Sqlite => {
                    "NOT EXISTS (SELECT 1 FROM events WHERE organization_id = $1 AND id = $2) \
                     OR $3 <> (SELECT COUNT(*) FROM questions WHERE organization_id = $1 AND event_id = $2)"
                }
                Dialect::Postgres => "locked_question_count($1, $2) IS DISTINCT FROM $3",
            };
            let text = format!("SELECT '{number}', '' WHERE {differs}");
            sql.add(&text, values![organization.uuid(), event.uuid(), *count]);
        }
        Requirement::ActiveEventsBelow { organization, limit, now } => {
            let too_many = match dialect {
                Dialect::Sqlite => ACTIVE_EVENTS,
                Dialect::Postgres => "CAST(n AS TEXT) FROM locked_active_events($1, $2) n WHERE n >= $3",
            };
            let text = format!("SELECT '{number}', {too_many}");
            sql.add(&text, values![organization.uuid(), now.as_second(), *limit]);
        }
        Requirement::ShiftHasRoom { organization, shift } => {
            let text = format!(
                "SELECT '{number}', '' WHERE NOT EXISTS (SELECT 1 FROM shifts \
                 WHERE organization_id = $1 AND id = $2 AND filled < capacity {lock})"
            );
            sql.add(&text, values![organization.uuid(), shift.uuid()]);
        }
        Requirement::AddressNotOnShift { organization, shift, email } => {
            let record = dialect.record(SIGNUP);
            let signups = match dialect {
                Dialect::Sqlite => {
                    "signups u WHERE u.organization_id = $1 AND u.shift_id = $2 AND u.email_key = $3 \
                     AND u.status = 'confirmed'"
                }
                Dialect::Postgres => "locked_signups_of_address($1, $2, $3) u",
            };
            let text = format!("SELECT '{number}', {record} FROM {signups}");
            sql.add(&text, values![organization.uuid(), shift.uuid(), email.key()]);
        }
        Requirement::SignupConfirmed { organization, signup } => {
            let is_confirmed = match dialect {
                Dialect::Sqlite => {
                    "EXISTS (SELECT 1 FROM signups WHERE organization_id = $1 AND id = $2 AND status = 'confirmed')"
                }
                Dialect::Postgres => "locked_signup_is_confirmed($1, $2)",
            };
            let text = format!("SELECT '{number}', '' WHERE NOT {is_confirmed}");
            sql.add(&text, values![organization.uuid(), signup.uuid()]);
        }
        Requirement::SignupHasSecret { organization, signup, secret } => {
            let text = format!(
                "SELECT '{number}', '' WHERE NOT EXISTS (SELECT 1 FROM signups WHERE organization_id = $1 \
                 AND id = $2 AND status = 'confirmed' AND secret = $3 {lock})"
            );
            sql.add(&text, values![organization.uuid(), signup.uuid(), secret.as_bytes().as_slice()]);
        }
        Requirement::NoticeAtVersion { organization, notice, version } => {
            let text = format!(
                "SELECT '{number}', '' WHERE NOT EXISTS (SELECT 1 FROM notices \
                 WHERE organization_id = $1 AND id = $2 AND version = $3 {lock})"
            );
            sql.add(&text, values![organization.uuid(), notice.uuid(), *version]);
        }
    }
}

/// On SQLite: the number of the active events of `$1` at `$2`, if it is as high as `$3`.
pub(crate) const ACTIVE_EVENTS: &str = "CAST(COUNT(*) AS TEXT) FROM events \
     WHERE organization_id = $1 AND is_published = 1 AND ends_at > $2 HAVING COUNT(*) >= $3";

/// What a row of the queries says: which requirement does not hold, and why.
pub(crate) fn refusal(requires: &[Requirement], [number, fact]: &[String; 2]) -> Result<Refusal, StoreError> {
    let broken = number.parse::<usize>().ok().and_then(|number| requires.get(number));
    let broken = broken.ok_or_else(|| StoreError::failed("checking requirements", "no such requirement"))?;
    refused(broken, fact)
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
        Requirement::SignupHasSecret { .. } => Refusal::SignupChanged,
        Requirement::NoticeAtVersion { .. } => Refusal::NoticeChanged,
    })
}
