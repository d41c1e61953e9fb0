//! The writes of change sets, as statements.
//!
//! A statement applies all writes of a kind, of any number of change sets. The statements are ordered so that a parent is
//! inserted before its children.
//!
//! **Invariant:** `filled` is written only together with the sign-ups that it counts.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Serialize;
use signup_core::{
    BadgeLabel, Description, Event, EventLocation, Latitude, LocationData, Longitude, Name, Notice,
    Organization, Question, Receipt, Shift, ShiftLocation, Signup, SignupId, StoreError, Theme, Token,
    WebAddress, Write,
};
use uuid::Uuid;

use super::rows::{CHANGE, GIVEN, Rows, Statement};
use super::{Dialect, Value};

type Result<T> = std::result::Result<T, StoreError>;

/// The rows of some writes. The writes of each kind run as one statement, in the order of [`Effect`]. So no write may
/// depend on another write here, except a child on its parent.
pub(crate) type Writes = BTreeMap<Effect, Rows>;

/// The kinds of writes, in the order in which their statements run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Effect {
    InsertOrganization,
    SetPlan,
    InsertToken,
    RevokeToken,
    InsertEvent,
    InsertShifts,
    InsertQuestions,
    UpdateShift,
    InsertSignup,
    CancelSignup,
    RenewSecret,
    EraseSignup,
    InsertReceipt,
    InsertNotices,
    UpdateNotice,
    DeleteNotice,
}

impl Effect {
    /// The statements that apply all writes of this kind, in their order.
    /// `columns` are the columns of their rows.
    pub(crate) fn statements(self, dialect: Dialect, columns: &[&'static str]) -> Vec<Statement> {
        let insert = |table| vec![Statement::insert(table, "")];
        let run = |text: String| vec![Statement::run(text)];
        let in_given =
            |columns: &str| format!("WHERE {columns} IN (SELECT organization_id, id FROM {GIVEN})");
        match self {
            Self::InsertOrganization => insert("organizations"),
            Self::SetPlan => run(format!(
                "UPDATE organizations SET plan = given.plan FROM {GIVEN} WHERE organizations.id = given.id"
            )),
            Self::InsertToken => insert("tokens"),
            Self::RevokeToken => run(format!(
                "UPDATE tokens SET revoked_at = COALESCE(tokens.revoked_at, given.revoked_at) FROM {GIVEN} \
                 WHERE tokens.id = given.id"
            )),
            Self::InsertEvent => insert("events"),
            Self::InsertShifts => insert("shifts"),
            Self::InsertQuestions => insert("questions"),
            Self::UpdateShift => vec![update("shifts", columns)],
            Self::InsertSignup => {
                let fill = format!(
                    "UPDATE shifts SET filled = filled + added.number FROM (\
                     SELECT organization_id, shift_id, COUNT(*) AS number FROM {GIVEN} \
                     GROUP BY organization_id, shift_id) AS added \
                     WHERE shifts.organization_id = added.organization_id AND shifts.id = added.shift_id"
                );
                vec![
                    Statement::run(fill).reading(&["organization_id", "shift_id"]),
                    Statement::insert("signups", ""),
                ]
            }
            Self::CancelSignup => {
                let cancel = format!(
                    "UPDATE signups SET status = 'cancelled', cancelled_at = given.cancelled_at FROM {GIVEN} \
                     WHERE signups.organization_id = given.organization_id AND signups.id = given.id \
                     AND signups.status = 'confirmed'"
                );
                remove_signups(dialect, "cancelled", cancel, "TRUE")
            }
            Self::RenewSecret => vec![update("signups", columns)],
            Self::EraseSignup => {
                let erase = format!("DELETE FROM signups {}", in_given("(organization_id, id)"));
                let was_confirmed = "signups.status = 'confirmed'";
                let mut statements = remove_signups(dialect, "erased", erase, was_confirmed);
                let notices = format!("DELETE FROM notices {}", in_given("(organization_id, signup_id)"));
                statements.push(Statement::run(notices));
                statements
            }
            Self::InsertReceipt => vec![Statement::insert(
                "receipts",
                " ON CONFLICT (organization_id, token_id, operation, idempotency_key) \
                 DO UPDATE SET outcome = excluded.outcome, expires_at = excluded.expires_at",
            )],
            Self::InsertNotices => insert("notices"),
            Self::UpdateNotice => vec![update("notices", columns)],
            Self::DeleteNotice => run(format!("DELETE FROM notices {}", in_given("(organization_id, id)"))),
        }
    }
}

/// Updates the rows of a table with the same organization and id. Sets every other column.
fn update(table: &str, columns: &[&'static str]) -> Statement {
    let keys = [CHANGE, "organization_id", "id"];
    let set = columns.iter().filter(|column| !keys.contains(column));
    let set: Vec<_> = set.map(|column| format!("{column} = given.{column}")).collect();
    let text = format!(
        "UPDATE {table} SET {} FROM {GIVEN} \
         WHERE {table}.organization_id = given.organization_id AND {table}.id = given.id",
        set.join(", ")
    );
    Statement::run(text)
}

/// Runs `remove`, which cancels or erases sign-ups, and subtracts the confirmed ones from `filled` of their shifts.
fn remove_signups(
    dialect: Dialect,
    name: &'static str,
    remove: String,
    was_confirmed: &str,
) -> Vec<Statement> {
    let free = |held: &str| {
        format!(
            "UPDATE shifts SET filled = filled - held.number FROM (\
             SELECT organization_id, shift_id, COUNT(*) AS number FROM {held} \
             GROUP BY organization_id, shift_id) AS held \
             WHERE shifts.organization_id = held.organization_id AND shifts.id = held.shift_id"
        )
    };
    match dialect {
        // Each statement of a script sees the result of the statements before. The first one still finds the confirmed
        // sign-ups.
        Dialect::Sqlite => {
            let held = format!(
                "(SELECT u.organization_id, u.shift_id FROM {GIVEN} JOIN signups u \
                 ON u.organization_id = given.organization_id AND u.id = given.id AND u.status = 'confirmed')"
            );
            vec![Statement::run(free(&held)).reading(&["organization_id", "id"]), Statement::run(remove)]
        }
        // The parts of one statement share a snapshot, which may be older than the locks. So the second part reads the
        // rows that the first part returns.
        Dialect::Postgres => {
            let remove = format!(
                "{remove} RETURNING signups.organization_id, signups.shift_id, {was_confirmed} AS was_confirmed"
            );
            let held = format!("{name} WHERE was_confirmed");
            vec![Statement::run(remove).named(name), Statement::run(free(&held))]
        }
    }
}

/// A value of a row, and the name of its column.
type Cell = (&'static str, Value);

/// Appends the rows of a write to the rows of its kind, under the number 0 of a change set.
pub(crate) fn push_rows(writes: &mut Writes, write: &Write) -> Result<()> {
    match write {
        Write::InsertOrganization(new) => push(writes, Effect::InsertOrganization, organization(new)),
        Write::SetPlan { organization, plan } => {
            let row = [("id", organization.uuid().into()), ("plan", plan.name().into())];
            push(writes, Effect::SetPlan, row);
        }
        Write::InsertToken(new) => push(writes, Effect::InsertToken, token(new)),
        Write::RevokeToken { token, at } => {
            let row = [("id", token.uuid().into()), ("revoked_at", at.as_second().into())];
            push(writes, Effect::RevokeToken, row);
        }
        Write::InsertEvent { event: new, location_data } => {
            push(writes, Effect::InsertEvent, event(new, location_data.as_ref()));
        }
        Write::InsertShifts(new) => {
            new.iter().for_each(|new| push(writes, Effect::InsertShifts, shift(new)));
        }
        Write::InsertQuestions(new) => {
            for new in new {
                push(writes, Effect::InsertQuestions, question(new)?);
            }
        }
        Write::UpdateShift(new) => {
            let fixed = ["event_id", "filled", "position", "created_at"];
            let row = shift(new).into_iter().filter(|(column, _)| !fixed.contains(column));
            push(writes, Effect::UpdateShift, row);
        }
        Write::InsertSignup(new) => push(writes, Effect::InsertSignup, signup(new)?),
        Write::CancelSignup { organization, signup, at, .. } => {
            let [organization, id] = ids(organization.uuid(), signup.uuid());
            let row = [organization, id, ("cancelled_at", at.as_second().into())];
            push(writes, Effect::CancelSignup, row);
        }
        Write::RenewSecret { organization, signup, secret, at, .. } => {
            let [organization, id] = ids(organization.uuid(), signup.uuid());
            let secret = ("secret", secret.as_bytes().as_slice().into());
            let row = [organization, id, secret, ("mailed_at", at.as_second().into())];
            push(writes, Effect::RenewSecret, row);
        }
        Write::EraseSignup { organization, signup, .. } => {
            push(writes, Effect::EraseSignup, ids(organization.uuid(), signup.uuid()));
        }
        Write::InsertReceipt(new) => push(writes, Effect::InsertReceipt, receipt(new)?),
        Write::InsertNotices(new) => {
            for new in new {
                push(writes, Effect::InsertNotices, notice(new)?);
            }
        }
        Write::UpdateNotice(new) => {
            let fixed = ["event_id", "shift_id", "signup_id", "created_at"];
            let row = notice(new)?.into_iter().filter(|(column, _)| !fixed.contains(column));
            push(writes, Effect::UpdateNotice, row);
        }
        Write::DeleteNotice { organization, notice } => {
            push(writes, Effect::DeleteNotice, ids(organization.uuid(), notice.uuid()));
        }
    }
    Ok(())
}

fn push(writes: &mut Writes, effect: Effect, row: impl IntoIterator<Item = Cell>) {
    writes.entry(effect).or_default().push(0, row);
}

fn ids(organization: Uuid, id: Uuid) -> [Cell; 2] {
    [("organization_id", organization.into()), ("id", id.into())]
}

fn organization(new: &Organization) -> [Cell; 7] {
    [
        ("id", new.id.uuid().into()),
        ("name", new.name.as_str().into()),
        ("slug", new.slug.as_str().into()),
        ("sport", new.sport.as_ref().map(Name::as_str).into()),
        ("public_url", new.public_url.as_ref().map(WebAddress::as_str).into()),
        ("plan", new.plan.name().into()),
        ("created_at", new.created_at.as_second().into()),
    ]
}

fn token(new: &Token) -> [Cell; 8] {
    [
        ("organization_id", new.organization.uuid().into()),
        ("id", new.id.uuid().into()),
        ("name", new.name.as_str().into()),
        ("digest", new.digest.as_bytes().as_slice().into()),
        ("scopes", new.scopes.to_string().into()),
        ("created_at", new.created_at.as_second().into()),
        ("expires_at", new.expires_at.as_second().into()),
        ("revoked_at", new.revoked_at.map(Timestamp::as_second).into()),
    ]
}

fn event(new: &Event, location_data: Option<&LocationData>) -> [Cell; 20] {
    [
        ("organization_id", new.organization.uuid().into()),
        ("id", new.id.uuid().into()),
        ("title", new.title.as_str().into()),
        ("slug", new.slug.as_str().into()),
        ("description", new.description.as_ref().map(Description::as_str).into()),
        ("location", new.location.as_ref().map(EventLocation::as_str).into()),
        ("is_virtual", new.is_virtual.into()),
        ("latitude", new.latitude.map(Latitude::degrees).into()),
        ("longitude", new.longitude.map(Longitude::degrees).into()),
        ("location_data", Value::Json(location_data.map(LocationData::to_json))),
        ("start_date", Value::Date(Some(new.dates.first.date().to_string()))),
        ("end_date", Value::Date(new.dates.last.map(|date| date.to_string()))),
        ("timezone", new.dates.first.zone().name().into()),
        ("is_published", new.is_published.into()),
        ("theme", new.theme.map(Theme::name).into()),
        ("badge_label", new.badge_label.as_ref().map(BadgeLabel::as_str).into()),
        ("created_at", new.created_at.as_second().into()),
        ("updated_at", new.updated_at.as_second().into()),
        ("starts_at", new.dates.starts_at().as_second().into()),
        ("ends_at", new.dates.ends_at().as_second().into()),
    ]
}

fn shift(new: &Shift) -> [Cell; 13] {
    let (start, end): (u16, u16) = new.hours.into();
    [
        ("organization_id", new.organization.uuid().into()),
        ("id", new.id.uuid().into()),
        ("event_id", new.event.uuid().into()),
        ("title", new.title.as_str().into()),
        ("location", new.location.as_ref().map(ShiftLocation::as_str).into()),
        ("start_minute", start.into()),
        ("end_minute", end.into()),
        ("capacity", new.occupancy.capacity.volunteers().into()),
        ("filled", new.occupancy.filled.into()),
        ("position", new.position.into()),
        ("version", new.version.into()),
        ("created_at", new.created_at.as_second().into()),
        ("updated_at", new.updated_at.as_second().into()),
    ]
}

fn question(new: &Question) -> Result<[Cell; 8]> {
    Ok([
        ("organization_id", new.organization.uuid().into()),
        ("event_id", new.event.uuid().into()),
        ("id", new.id.uuid().into()),
        ("position", new.position.into()),
        ("label", new.label.as_str().into()),
        ("kind", new.kind.name().into()),
        ("options", json(&new.options)?),
        ("required", new.required.into()),
    ])
}

fn signup(new: &Signup) -> Result<[Cell; 14]> {
    Ok([
        ("organization_id", new.organization.uuid().into()),
        ("id", new.id.uuid().into()),
        ("event_id", new.event.uuid().into()),
        ("shift_id", new.shift.uuid().into()),
        ("shift_version", new.shift_version.into()),
        ("name", new.name.as_str().into()),
        ("email", new.email.as_str().into()),
        ("email_key", new.email.key().into()),
        ("answers", json(&new.answers)?),
        ("status", new.status.name().into()),
        ("secret", new.secret.as_bytes().as_slice().into()),
        ("created_at", new.created_at.as_second().into()),
        ("mailed_at", new.mailed_at.as_second().into()),
        ("cancelled_at", new.cancelled_at.map(Timestamp::as_second).into()),
    ])
}

fn receipt(new: &Receipt) -> Result<[Cell; 6]> {
    Ok([
        ("organization_id", new.key.organization.uuid().into()),
        ("token_id", new.key.token.uuid().into()),
        ("operation", new.key.operation.to_string().into()),
        ("idempotency_key", new.key.key.as_str().into()),
        ("outcome", json(&new.outcome)?),
        ("expires_at", new.expires_at.as_second().into()),
    ])
}

fn notice(new: &Notice) -> Result<[Cell; 12]> {
    let failure = new.failure.as_ref();
    Ok([
        ("id", new.id.uuid().into()),
        ("organization_id", new.organization.uuid().into()),
        ("event_id", new.event.uuid().into()),
        ("shift_id", new.shift.uuid().into()),
        ("signup_id", Value::Uuid(new.cause.signup().map(SignupId::uuid))),
        ("cause", json(&new.cause)?),
        ("created_at", new.created_at.as_second().into()),
        ("version", new.version.into()),
        ("attempts", new.attempts.into()),
        ("due_at", new.due_at.as_second().into()),
        ("failed_at", failure.map(|failure| failure.at.as_second()).into()),
        ("reason", failure.map(|failure| failure.reason.as_str()).into()),
    ])
}

/// A value that is stored as JSON.
fn json(value: &impl Serialize) -> Result<Value> {
    let text = serde_json::to_string(value);
    Ok(Value::Json(Some(text.map_err(|error| StoreError::failed("writing a value as JSON", error))?)))
}
