//! The writes of a change set, made in one hand-off.
//!
//! **Invariant:** `filled` is written with the sign-ups that it counts, and by nothing else.

use jiff::Timestamp;
use serde::Serialize;
use serde_json::json;
use signup_core::{
    BadgeLabel, Description, Event, EventLocation, Latitude, LocationData, Longitude, Name, Notice,
    Organization, OrganizationId, Question, Receipt, Shift, ShiftLocation, Signup, SignupId, SignupStatus,
    StoreError, Theme, Token, WebAddress, Write,
};
use uuid::Uuid;

use crate::script::Script;

type Result<T> = std::result::Result<T, StoreError>;

/// Adds the statements of one write.
pub(crate) fn add(script: &mut Script, write: &Write) -> Result<()> {
    match write {
        Write::InsertOrganization(organization) => insert_organization(script, organization),
        Write::SetPlan { organization, plan } => {
            let sql = "UPDATE organizations SET plan = $2 WHERE id = $1";
            script.statement(sql).bind(organization.uuid()).bind(plan.name());
        }
        Write::InsertToken(token) => insert_token(script, token),
        Write::RevokeToken { token, at } => {
            let sql = "UPDATE tokens SET revoked_at = COALESCE(revoked_at, $2) WHERE id = $1";
            script.statement(sql).bind(token.uuid()).bind(at.as_second());
        }
        Write::InsertEvent(event) => insert_event(script, event),
        Write::InsertShifts(shifts) => insert_shifts(script, shifts)?,
        Write::InsertQuestions(questions) => insert_questions(script, questions)?,
        Write::UpdateShift(shift) => update_shift(script, shift),
        Write::InsertSignup(signup) => insert_signup(script, signup)?,
        Write::CancelSignup { organization, signup, at } => {
            cancel_signup(script, *organization, *signup, *at);
        }
        Write::InsertReceipt(receipt) => insert_receipt(script, receipt)?,
        Write::InsertNotice(notice) => insert_notice(script, notice)?,
    }
    Ok(())
}

fn text(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|error| StoreError::failed("writing a value as JSON", error))
}

/// A UUID inside of JSON, to be read by `unhex`.
fn hex(id: Uuid) -> String {
    id.simple().to_string()
}

fn insert_organization(script: &mut Script, new: &Organization) {
    let sql = "INSERT INTO organizations (id, name, slug, sport, public_url, plan, created_at) VALUES ($1, $2, \
         $3, $4, $5, $6, $7)";
    script
        .statement(sql)
        .bind(new.id.uuid())
        .bind(new.name.as_str())
        .bind(&new.slug)
        .bind(new.sport.as_ref().map(Name::as_str))
        .bind(new.public_url.as_ref().map(WebAddress::as_str))
        .bind(new.plan.name())
        .bind(new.created_at.as_second());
}

fn insert_token(script: &mut Script, new: &Token) {
    let sql = "INSERT INTO tokens (organization_id, id, name, digest, scopes, created_at, expires_at, \
         revoked_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    script
        .statement(sql)
        .bind(new.organization.uuid())
        .bind(new.id.uuid())
        .bind(new.name.as_str())
        .bind(new.digest.as_bytes().as_slice())
        .bind(new.scopes.to_string())
        .bind(new.created_at.as_second())
        .bind(new.expires_at.as_second())
        .bind(new.revoked_at.map(Timestamp::as_second));
}

fn insert_event(script: &mut Script, new: &Event) {
    let sql = "INSERT INTO events (organization_id, id, title, slug, description, location, is_virtual, \
         latitude, longitude, location_data, start_date, end_date, timezone, is_published, theme, \
         badge_label, created_at, updated_at, starts_at, ends_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, \
         $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)";
    script
        .statement(sql)
        .bind(new.organization.uuid())
        .bind(new.id.uuid())
        .bind(new.title.as_str())
        .bind(&new.slug)
        .bind(new.description.as_ref().map(Description::as_str))
        .bind(new.location.as_ref().map(EventLocation::as_str))
        .bind(new.is_virtual)
        .bind(new.latitude.map(Latitude::degrees))
        .bind(new.longitude.map(Longitude::degrees))
        .bind(new.location_data.as_ref().map(LocationData::to_json))
        .bind(new.dates.first.date.to_string())
        .bind(new.dates.last.map(|date| date.to_string()))
        .bind(new.dates.first.zone.name())
        .bind(new.is_published)
        .bind(new.theme.map(Theme::name))
        .bind(new.badge_label.as_ref().map(BadgeLabel::as_str))
        .bind(new.created_at.as_second())
        .bind(new.updated_at.as_second())
        .bind(new.dates.starts_at().as_second())
        .bind(new.dates.ends_at().as_second());
}

/// All shifts in one statement, however many.
fn insert_shifts(script: &mut Script, new: &[Shift]) -> Result<()> {
    let rows: Vec<_> = new
        .iter()
        .map(|shift| {
            let (start, end) = shift.hours.into();
            json!([
                hex(shift.organization.uuid()),
                hex(shift.id.uuid()),
                hex(shift.event.uuid()),
                shift.title,
                shift.location,
                start,
                end,
                shift.occupancy.capacity,
                shift.occupancy.filled,
                shift.position,
                shift.version,
                shift.created_at.as_second(),
                shift.updated_at.as_second(),
            ])
        })
        .collect();
    let sql = "INSERT INTO shifts (organization_id, id, event_id, title, location, start_minute, end_minute, \
         capacity, filled, position, version, created_at, updated_at) SELECT unhex(value->>0), \
         unhex(value->>1), unhex(value->>2), value->>3, value->>4, value->>5, value->>6, value->>7, \
         value->>8, value->>9, value->>10, value->>11, value->>12 FROM json_each($1)";
    script.statement(sql).bind(text(&rows)?);
    Ok(())
}

fn insert_questions(script: &mut Script, new: &[Question]) -> Result<()> {
    let rows: Vec<_> = new
        .iter()
        .map(|question| {
            json!([
                hex(question.organization.uuid()),
                hex(question.event.uuid()),
                question.position,
                hex(question.id.uuid()),
                question.label,
                question.kind,
                question.options,
                question.required,
            ])
        })
        .collect();
    let sql = "INSERT INTO questions (organization_id, event_id, position, id, label, kind, options, required) \
         SELECT unhex(value->>0), unhex(value->>1), value->>2, unhex(value->>3), value->>4, value->>5, \
         value->>6, value->>7 FROM json_each($1)";
    script.statement(sql).bind(text(&rows)?);
    Ok(())
}

fn update_shift(script: &mut Script, shift: &Shift) {
    let (start, end) = shift.hours.into();
    let sql = "UPDATE shifts SET title = $3, location = $4, start_minute = $5, end_minute = $6, capacity = $7, \
         version = $8, updated_at = $9 WHERE organization_id = $1 AND id = $2";
    script
        .statement(sql)
        .bind(shift.organization.uuid())
        .bind(shift.id.uuid())
        .bind(shift.title.as_str())
        .bind(shift.location.as_ref().map(ShiftLocation::as_str))
        .bind(start)
        .bind(end)
        .bind(shift.occupancy.capacity.volunteers())
        .bind(shift.version)
        .bind(shift.updated_at.as_second());
}

fn insert_signup(script: &mut Script, new: &Signup) -> Result<()> {
    let status = match new.status {
        SignupStatus::Confirmed => "confirmed",
        SignupStatus::Cancelled => "cancelled",
    };
    let sql = "INSERT INTO signups (organization_id, id, event_id, shift_id, name, email, email_key, answers, \
         status, secret, created_at, cancelled_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, \
         $12)";
    script
        .statement(sql)
        .bind(new.organization.uuid())
        .bind(new.id.uuid())
        .bind(new.event.uuid())
        .bind(new.shift.uuid())
        .bind(new.name.as_str())
        .bind(new.email.as_str())
        .bind(new.email.key())
        .bind(text(&new.answers)?)
        .bind(status)
        .bind(new.secret.as_bytes().as_slice())
        .bind(new.created_at.as_second())
        .bind(new.cancelled_at.map(Timestamp::as_second));
    let sql = "UPDATE shifts SET filled = filled + 1 WHERE organization_id = $1 AND id = $2";
    script.statement(sql).bind(new.organization.uuid()).bind(new.shift.uuid());
    Ok(())
}

fn cancel_signup(script: &mut Script, organization: OrganizationId, signup: SignupId, at: Timestamp) {
    // The place is given back first: after that the sign-up no longer tells that it holds one.
    let sql = "UPDATE shifts SET filled = filled - 1 WHERE organization_id = $1 AND id = \
         (SELECT shift_id FROM signups WHERE organization_id = $1 AND id = $2 AND status = 'confirmed')";
    script.statement(sql).bind(organization.uuid()).bind(signup.uuid());
    let sql = "UPDATE signups SET status = 'cancelled', cancelled_at = $3 \
         WHERE organization_id = $1 AND id = $2 AND status = 'confirmed'";
    script.statement(sql).bind(organization.uuid()).bind(signup.uuid()).bind(at.as_second());
}

fn insert_receipt(script: &mut Script, new: &Receipt) -> Result<()> {
    let sql = "INSERT INTO receipts (organization_id, token_id, operation, idempotency_key, outcome, \
         expires_at) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (organization_id, token_id, operation, \
         idempotency_key) DO UPDATE SET outcome = excluded.outcome, expires_at = excluded.expires_at";
    script
        .statement(sql)
        .bind(new.key.organization.uuid())
        .bind(new.key.token.uuid())
        .bind(new.key.operation.to_string())
        .bind(new.key.key.as_str())
        .bind(text(&new.outcome)?)
        .bind(new.expires_at.as_second());
    Ok(())
}

fn insert_notice(script: &mut Script, new: &Notice) -> Result<()> {
    let sql = "INSERT INTO notices (id, organization_id, event_id, shift_id, cause, created_at) VALUES ($1, $2, \
         $3, $4, $5, $6)";
    script
        .statement(sql)
        .bind(new.id.uuid())
        .bind(new.organization.uuid())
        .bind(new.event.uuid())
        .bind(new.shift.uuid())
        .bind(text(&new.cause)?)
        .bind(new.created_at.as_second());
    Ok(())
}
