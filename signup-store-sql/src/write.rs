//! One change set on the writing connection: its requirements in order, then its writes.
//!
//! It runs inside a transaction that took the write lock at its beginning, so what a requirement found still holds when
//! the writes come.

use serde::Serialize;
use serde_json::json;
use signup_core::{
    ChangeSet, CommitError, Event, Notice, Organization, OrganizationId, Question, Receipt, Refusal,
    Requirement, Shift, Signup, SignupId, SignupStatus, StoreError, Token, Write,
};
use sqlx::sqlite::SqliteConnection;
use sqlx::types::Uuid;

use crate::error::store_error;
use crate::read;

type Result<T, E = StoreError> = std::result::Result<T, E>;
type Connection = SqliteConnection;

pub(crate) async fn apply(connection: &mut Connection, change: &ChangeSet) -> Result<(), CommitError> {
    for requirement in &change.requires {
        if let Some(refusal) = refusal(connection, requirement).await? {
            return Err(CommitError::Refused(refusal));
        }
    }
    for write in &change.writes {
        self::write(connection, write).await?;
    }
    Ok(())
}

/// Whether a statement of one `0` or `1` says so.
macro_rules! holds {
    ($connection:expr, $sql:literal $(, $value:expr)*) => {
        sqlx::query_scalar::<_, bool>($sql)$(.bind($value))*.fetch_one(&mut *$connection).await
            .map_err(|error| store_error("checking a requirement", error))?
    };
}

async fn refusal(connection: &mut Connection, requirement: &Requirement) -> Result<Option<Refusal>> {
    let (holds, refusal) = match requirement {
        Requirement::NoOrganization => (
            holds!(connection, "SELECT NOT EXISTS (SELECT 1 FROM organizations)"),
            Refusal::OrganizationExists,
        ),
        Requirement::OrganizationSlugFree(slug) => (
            holds!(connection, "SELECT NOT EXISTS (SELECT 1 FROM organizations WHERE slug = $1)", slug),
            Refusal::SlugTaken,
        ),
        Requirement::EventSlugFree(slug) => (
            holds!(connection, "SELECT NOT EXISTS (SELECT 1 FROM events WHERE slug = $1)", slug),
            Refusal::SlugTaken,
        ),
        Requirement::NoReceipt { key, now } => {
            let receipt = read::receipt(&mut *connection, key, *now).await?;
            return Ok(receipt.map(|receipt| Refusal::Receipt(Box::new(receipt))));
        }
        Requirement::ShiftAtVersion { organization, shift, version } => (
            holds!(
                connection,
                "SELECT EXISTS (SELECT 1 FROM shifts WHERE organization_id = $1 AND id = $2 AND version = $3)",
                organization.uuid(),
                shift.uuid(),
                version
            ),
            Refusal::ShiftChanged,
        ),
        Requirement::QuestionCount { organization, event, count } => (
            holds!(
                connection,
                "SELECT EXISTS (SELECT 1 FROM events WHERE organization_id = $1 AND id = $2) \
                 AND (SELECT COUNT(*) FROM questions WHERE organization_id = $1 AND event_id = $2) = $3",
                organization.uuid(),
                event.uuid(),
                count
            ),
            Refusal::QuestionsChanged,
        ),
        Requirement::ActiveEventsBelow { organization, limit, now } => {
            let count = sqlx::query_scalar::<_, u32>(
                "SELECT COUNT(*) FROM events WHERE organization_id = $1 AND is_published = 1 AND ends_at > $2",
            );
            let count =
                count.bind(organization.uuid()).bind(now.as_second()).fetch_one(&mut *connection).await;
            let count = count.map_err(|error| store_error("counting active events", error))?;
            (count < *limit, Refusal::ActiveEvents { count })
        }
        Requirement::ShiftHasRoom { organization, shift } => (
            holds!(
                connection,
                "SELECT EXISTS (SELECT 1 FROM shifts WHERE organization_id = $1 AND id = $2 AND filled < capacity)",
                organization.uuid(),
                shift.uuid()
            ),
            Refusal::ShiftFull,
        ),
        Requirement::AddressNotOnShift { organization, shift, email } => {
            let found = read::confirmed_signup(connection, *organization, *shift, email.key()).await?;
            return Ok(found.map(|signup| Refusal::AddressOnShift(Box::new(signup))));
        }
        Requirement::SignupConfirmed { organization, signup } => (
            holds!(
                connection,
                "SELECT EXISTS (SELECT 1 FROM signups WHERE organization_id = $1 AND id = $2 AND status = 'confirmed')",
                organization.uuid(),
                signup.uuid()
            ),
            Refusal::SignupNotConfirmed,
        ),
    };
    Ok((!holds).then_some(refusal))
}

/// Runs a statement that gives nothing back.
macro_rules! run {
    ($connection:expr, $sql:literal $(, $value:expr)* $(,)?) => {
        sqlx::query($sql)$(.bind($value))*.execute(&mut *$connection).await
            .map(|_| ())
            .map_err(|error| store_error("writing", error))
    };
}

async fn write(connection: &mut Connection, write: &Write) -> Result<()> {
    match write {
        Write::InsertOrganization(organization) => insert_organization(connection, organization).await,
        Write::SetPlan { organization, plan } => {
            run!(
                connection,
                "UPDATE organizations SET plan = $2 WHERE id = $1",
                organization.uuid(),
                plan.name()
            )
        }
        Write::InsertToken(token) => insert_token(connection, token).await,
        Write::RevokeToken { token, at } => run!(
            connection,
            "UPDATE tokens SET revoked_at = COALESCE(revoked_at, $2) WHERE id = $1",
            token.uuid(),
            at.as_second()
        ),
        Write::InsertEvent(event) => insert_event(connection, event).await,
        Write::InsertShifts(shifts) => insert_shifts(connection, shifts).await,
        Write::InsertQuestions(questions) => insert_questions(connection, questions).await,
        Write::UpdateShift(shift) => update_shift(connection, shift).await,
        Write::InsertSignup(signup) => insert_signup(connection, signup).await,
        Write::CancelSignup { organization, signup, at } => {
            cancel_signup(connection, *organization, *signup, at.as_second()).await
        }
        Write::InsertReceipt(receipt) => insert_receipt(connection, receipt).await,
        Write::InsertNotice(notice) => insert_notice(connection, notice).await,
    }
}

fn text(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|error| StoreError::failed("writing a value as JSON", error))
}

/// A UUID inside of JSON, to be read by `unhex`.
fn hex(id: Uuid) -> String {
    id.simple().to_string()
}

async fn insert_organization(connection: &mut Connection, new: &Organization) -> Result<()> {
    run!(
        connection,
        "INSERT INTO organizations (id, name, slug, sport, public_url, plan, created_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
        new.id.uuid(),
        new.name.as_str(),
        &new.slug,
        new.sport.as_ref().map(signup_core::Name::as_str),
        new.public_url.as_ref().map(signup_core::WebAddress::as_str),
        new.plan.name(),
        new.created_at.as_second(),
    )
}

async fn insert_token(connection: &mut Connection, new: &Token) -> Result<()> {
    run!(
        connection,
        "INSERT INTO tokens (organization_id, id, name, digest, scopes, created_at, expires_at, revoked_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        new.organization.uuid(),
        new.id.uuid(),
        new.name.as_str(),
        new.digest.as_bytes().as_slice(),
        new.scopes.to_string(),
        new.created_at.as_second(),
        new.expires_at.as_second(),
        new.revoked_at.map(jiff::Timestamp::as_second),
    )
}

async fn insert_event(connection: &mut Connection, new: &Event) -> Result<()> {
    run!(
        connection,
        "INSERT INTO events (organization_id, id, title, slug, description, location, is_virtual, latitude, longitude, \
         location_data, start_date, end_date, timezone, is_published, theme, badge_label, created_at, updated_at, \
         starts_at, ends_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)",
        new.organization.uuid(),
        new.id.uuid(),
        new.title.as_str(),
        &new.slug,
        new.description.as_ref().map(signup_core::Description::as_str),
        new.location.as_ref().map(signup_core::EventLocation::as_str),
        new.is_virtual,
        new.latitude.map(signup_core::Latitude::degrees),
        new.longitude.map(signup_core::Longitude::degrees),
        new.location_data.as_ref().map(signup_core::LocationData::to_json),
        new.dates.first.date.to_string(),
        new.dates.last.map(|date| date.to_string()),
        new.dates.first.zone.name(),
        new.is_published,
        new.theme.map(signup_core::Theme::name),
        new.badge_label.as_ref().map(signup_core::BadgeLabel::as_str),
        new.created_at.as_second(),
        new.updated_at.as_second(),
        new.dates.starts_at().as_second(),
        new.dates.ends_at().as_second(),
    )
}

/// All shifts in one statement, however many.
async fn insert_shifts(connection: &mut Connection, new: &[Shift]) -> Result<()> {
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
    run!(
        connection,
        "INSERT INTO shifts (organization_id, id, event_id, title, location, start_minute, end_minute, capacity, filled, \
         position, version, created_at, updated_at) \
         SELECT unhex(value->>0), unhex(value->>1), unhex(value->>2), value->>3, value->>4, value->>5, value->>6, \
         value->>7, value->>8, value->>9, value->>10, value->>11, value->>12 FROM json_each($1)",
        text(&rows)?,
    )
}

async fn insert_questions(connection: &mut Connection, new: &[Question]) -> Result<()> {
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
    run!(
        connection,
        "INSERT INTO questions (organization_id, event_id, position, id, label, kind, options, required) \
         SELECT unhex(value->>0), unhex(value->>1), value->>2, unhex(value->>3), value->>4, value->>5, value->>6, \
         value->>7 FROM json_each($1)",
        text(&rows)?,
    )
}

async fn update_shift(connection: &mut Connection, shift: &Shift) -> Result<()> {
    let (start, end) = shift.hours.into();
    run!(
        connection,
        "UPDATE shifts SET title = $3, location = $4, start_minute = $5, end_minute = $6, capacity = $7, version = $8, \
         updated_at = $9 WHERE organization_id = $1 AND id = $2",
        shift.organization.uuid(),
        shift.id.uuid(),
        shift.title.as_str(),
        shift.location.as_ref().map(signup_core::ShiftLocation::as_str),
        start,
        end,
        shift.occupancy.capacity.volunteers(),
        shift.version,
        shift.updated_at.as_second(),
    )
}

async fn insert_signup(connection: &mut Connection, new: &Signup) -> Result<()> {
    let status = match new.status {
        SignupStatus::Confirmed => "confirmed",
        SignupStatus::Cancelled => "cancelled",
    };
    run!(
        connection,
        "INSERT INTO signups (organization_id, id, event_id, shift_id, name, email, email_key, answers, status, secret, \
         created_at, cancelled_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
        new.organization.uuid(),
        new.id.uuid(),
        new.event.uuid(),
        new.shift.uuid(),
        new.name.as_str(),
        new.email.as_str(),
        new.email.key(),
        text(&new.answers)?,
        status,
        new.secret.as_bytes().as_slice(),
        new.created_at.as_second(),
        new.cancelled_at.map(jiff::Timestamp::as_second),
    )?;
    run!(
        connection,
        "UPDATE shifts SET filled = filled + 1 WHERE organization_id = $1 AND id = $2",
        new.organization.uuid(),
        new.shift.uuid(),
    )
}

async fn cancel_signup(
    connection: &mut Connection,
    organization: OrganizationId,
    signup: SignupId,
    at: i64,
) -> Result<()> {
    let shift = sqlx::query_scalar::<_, Uuid>(
        "UPDATE signups SET status = 'cancelled', cancelled_at = $3 \
         WHERE organization_id = $1 AND id = $2 AND status = 'confirmed' RETURNING shift_id",
    );
    let shift =
        shift.bind(organization.uuid()).bind(signup.uuid()).bind(at).fetch_optional(&mut *connection).await;
    let Some(shift) = shift.map_err(|error| store_error("cancelling a sign-up", error))? else {
        return Ok(());
    };
    run!(
        connection,
        "UPDATE shifts SET filled = filled - 1 WHERE organization_id = $1 AND id = $2",
        organization.uuid(),
        shift,
    )
}

async fn insert_receipt(connection: &mut Connection, new: &Receipt) -> Result<()> {
    run!(
        connection,
        "INSERT INTO receipts (organization_id, token_id, operation, idempotency_key, outcome, expires_at) \
         VALUES ($1, $2, $3, $4, $5, $6) \
         ON CONFLICT (organization_id, token_id, operation, idempotency_key) \
         DO UPDATE SET outcome = excluded.outcome, expires_at = excluded.expires_at",
        new.key.organization.uuid(),
        new.key.token.uuid(),
        new.key.operation.to_string(),
        new.key.key.as_str(),
        text(&new.outcome)?,
        new.expires_at.as_second(),
    )
}

async fn insert_notice(connection: &mut Connection, new: &Notice) -> Result<()> {
    run!(
        connection,
        "INSERT INTO notices (id, organization_id, event_id, shift_id, cause, created_at) VALUES ($1, $2, $3, $4, $5, $6)",
        new.id.uuid(),
        new.organization.uuid(),
        new.event.uuid(),
        new.shift.uuid(),
        text(&new.cause)?,
        new.created_at.as_second(),
    )
}
