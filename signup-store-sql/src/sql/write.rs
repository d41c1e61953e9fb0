//! The writes of change sets, as statements.
//!
//! A statement applies all writes of a kind, of any number of change sets. The statements are ordered so that a parent is
//! inserted before its children.
//!
//! **Invariant:** `filled` is written only together with the sign-ups that it counts. `CloseShift` changes neither.
//! Reads of a closed shift return every sign-up as cancelled, and 0 for `filled`.

use std::collections::BTreeMap;

use jiff::Timestamp;
use signup_core::{StoreError, Write};
use uuid::Uuid;

use super::given_rows::{CHANGE, GIVEN, GivenRows, Template};
use super::table::NamedValue;
use super::{Dialect, Value};
use crate::records::{event, notice, organization, question, receipt, shift, signup, token};

type Result<T> = std::result::Result<T, StoreError>;

/// The rows of some writes. The writes of each kind run as one statement, in the order of [`Effect`]. So no write may
/// depend on another write here, except a child on its parent.
pub(crate) type Writes = BTreeMap<Effect, GivenRows>;

/// The kinds of writes, in the order in which their statements run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Effect {
    InsertOrganization,
    SetPlan,
    InsertToken,
    RevokeToken,
    InsertEvent,
    UpdateEvent,
    RestoreEvent,
    SetLocationData,
    DeleteEvent,
    InsertShifts,
    InsertQuestions,
    UpdateQuestion,
    DeleteQuestion,
    UpdateShift,
    DeleteShift,
    CloseShift,
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
    /// Returns the templates of the statements that apply all writes of this kind, in their order. `columns` are the columns of
    /// their rows.
    pub(crate) fn templates(self, dialect: Dialect, columns: &[&'static str]) -> Vec<Template> {
        let insert = |table| vec![Template::insert(table, "")];
        let run = |text: String| vec![Template::run(text)];
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
            Self::UpdateEvent | Self::SetLocationData => vec![update_undeleted("events", columns)],
            Self::RestoreEvent => vec![update("events", columns)],
            Self::DeleteEvent => vec![delete("events")],
            Self::InsertShifts => insert("shifts"),
            Self::InsertQuestions => insert("questions"),
            Self::UpdateQuestion => {
                let columns: Vec<_> =
                    columns.iter().copied().filter(|column| *column != "event_id").collect();
                vec![update_where("questions", &columns, " AND questions.event_id = given.event_id")]
            }
            Self::DeleteQuestion => run(format!(
                "DELETE FROM questions WHERE (organization_id, event_id, id) IN \
                 (SELECT organization_id, event_id, id FROM {GIVEN})"
            )),
            Self::UpdateShift => vec![update_undeleted("shifts", columns)],
            Self::DeleteShift => vec![delete("shifts")],
            Self::CloseShift => run(format!(
                "UPDATE shifts SET closed_at = COALESCE(shifts.closed_at, given.closed_at), \
                 closed_by = COALESCE(shifts.closed_by, given.closed_by) FROM {GIVEN} \
                 WHERE shifts.organization_id = given.organization_id AND shifts.id = given.id"
            )),
            Self::InsertSignup => {
                let fill = format!(
                    "UPDATE shifts SET filled = filled + added.number FROM (\
                     SELECT organization_id, shift_id, COUNT(*) AS number FROM {GIVEN} \
                     GROUP BY organization_id, shift_id) AS added \
                     WHERE shifts.organization_id = added.organization_id AND shifts.id = added.shift_id"
                );
                vec![
                    Template::run(fill).reading(&["organization_id", "shift_id"]),
                    Template::insert("signups", ""),
                ]
            }
            Self::CancelSignup => {
                let (is_counted, was_counted) = (dialect.is_confirmed("u"), "TRUE");
                remove_signups(dialect, "cancelled", cancel(dialect), &is_counted, was_counted)
            }
            Self::RenewSecret => vec![update("signups", columns)],
            Self::EraseSignup => {
                let erase = format!("DELETE FROM signups {}", in_given("(organization_id, id)"));
                let (is_counted, was_counted) = ("u.status = 'confirmed'", "signups.status = 'confirmed'");
                let mut templates = remove_signups(dialect, "erased", erase, is_counted, was_counted);
                let notices = format!("DELETE FROM notices {}", in_given("(organization_id, signup_id)"));
                templates.push(Template::run(notices));
                templates
            }
            Self::InsertReceipt => vec![Template::insert(
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

/// Returns a statement that cancels confirmed sign-ups.
fn cancel(dialect: Dialect) -> String {
    let is_confirmed = dialect.is_confirmed("signups");
    format!(
        "UPDATE signups SET status = 'cancelled', cancelled_at = given.cancelled_at, \
         cancelled_by = given.cancelled_by FROM {GIVEN} \
         WHERE signups.organization_id = given.organization_id AND signups.id = given.id AND {is_confirmed}"
    )
}

/// Marks the rows of a table with the same organization and id as deleted. A deleted row keeps its first time of deletion.
fn delete(table: &str) -> Template {
    Template::run(format!(
        "UPDATE {table} SET deleted_at = COALESCE({table}.deleted_at, given.deleted_at) FROM {GIVEN} \
         WHERE {table}.organization_id = given.organization_id AND {table}.id = given.id"
    ))
}

/// Updates the rows of a table with the same organization and id. Sets every other column.
fn update(table: &str, columns: &[&'static str]) -> Template {
    update_where(table, columns, "")
}

/// Updates like [`update`], except rows that are deleted.
fn update_undeleted(table: &str, columns: &[&'static str]) -> Template {
    update_where(table, columns, &format!(" AND {table}.deleted_at IS NULL"))
}

/// Updates like [`update`], where `condition` holds, too.
fn update_where(table: &str, columns: &[&'static str], condition: &str) -> Template {
    let keys = [CHANGE, "organization_id", "id"];
    let set = columns.iter().filter(|column| !keys.contains(column));
    let set: Vec<_> = set.map(|column| format!("{column} = given.{column}")).collect();
    let text = format!(
        "UPDATE {table} SET {} FROM {GIVEN} \
         WHERE {table}.organization_id = given.organization_id AND {table}.id = given.id{condition}",
        set.join(", ")
    );
    Template::run(text)
}

/// Runs `remove`, which cancels or erases sign-ups, and subtracts the counted ones from `filled` of their shifts.
///
/// `is_counted` is a condition on a sign-up `u` before `remove`, and `was_counted` on a sign-up that `remove` changed.
fn remove_signups(
    dialect: Dialect,
    name: &'static str,
    remove: String,
    is_counted: &str,
    was_counted: &str,
) -> Vec<Template> {
    let free = |held: &str| {
        format!(
            "UPDATE shifts SET filled = filled - held.number FROM (\
             SELECT organization_id, shift_id, COUNT(*) AS number FROM {held} \
             GROUP BY organization_id, shift_id) AS held \
             WHERE shifts.organization_id = held.organization_id AND shifts.id = held.shift_id"
        )
    };
    match dialect {
        // Each statement of a script sees the result of the statements before. The first one still finds the counted
        // sign-ups.
        Dialect::Sqlite => {
            let held = format!(
                "(SELECT u.organization_id, u.shift_id FROM {GIVEN} JOIN signups u \
                 ON u.organization_id = given.organization_id AND u.id = given.id AND {is_counted})"
            );
            vec![Template::run(free(&held)).reading(&["organization_id", "id"]), Template::run(remove)]
        }
        // The parts of one statement share a snapshot, which may be older than the locks. So the second part reads the
        // rows that the first part returns.
        Dialect::Postgres => {
            let remove = format!(
                "{remove} RETURNING signups.organization_id, signups.shift_id, {was_counted} AS was_counted"
            );
            let held = format!("{name} WHERE was_counted");
            vec![Template::run(remove).named(name), Template::run(free(&held))]
        }
    }
}

/// Appends the rows of a write to the rows of its kind, under the number 0 of a change set.
pub(crate) fn push_rows(writes: &mut Writes, write: &Write) -> Result<()> {
    match write {
        Write::InsertOrganization(new) => {
            push(writes, Effect::InsertOrganization, organization::TABLE.row(new)?);
        }
        Write::SetPlan { organization, plan } => {
            let row = [("id", organization.uuid().into()), ("plan", plan.name().into())];
            push(writes, Effect::SetPlan, row);
        }
        Write::InsertToken(new) => push(writes, Effect::InsertToken, token::TABLE.row(new)?),
        Write::RevokeToken { token, at } => {
            let row = [("id", token.uuid().into()), ("revoked_at", (*at).into())];
            push(writes, Effect::RevokeToken, row);
        }
        Write::InsertEvent { event: new, location_data } => {
            let location_data = event::location_data(location_data.as_ref());
            push(writes, Effect::InsertEvent, event::TABLE.row(new)?.into_iter().chain([location_data]));
        }
        Write::UpdateEvent { event: new, may_change_activity: _ } => {
            push(writes, Effect::UpdateEvent, event::TABLE.changed_row(new)?);
        }
        Write::RestoreEvent(new) => {
            let not_deleted = (event::DELETED_AT, Value::Integer(None));
            push(
                writes,
                Effect::RestoreEvent,
                event::TABLE.changed_row(new)?.into_iter().chain([not_deleted]),
            );
        }
        Write::SetLocationData { organization, event, location_data } => {
            let [organization, id] = ids(organization.uuid(), event.uuid());
            let row = [organization, id, event::location_data(location_data.as_ref())];
            push(writes, Effect::SetLocationData, row);
        }
        Write::DeleteEvent { organization, event, at } => {
            push(writes, Effect::DeleteEvent, deletion(organization.uuid(), event.uuid(), *at));
        }
        Write::InsertShifts(new) => {
            for new in new {
                push(writes, Effect::InsertShifts, shift::TABLE.row(new)?);
            }
        }
        Write::InsertQuestions(new) => {
            for new in new {
                push(writes, Effect::InsertQuestions, question::TABLE.row(new)?);
            }
        }
        Write::UpdateQuestion(new) => push(writes, Effect::UpdateQuestion, question::TABLE.row(new)?),
        Write::DeleteQuestion { organization, event, question } => {
            let [organization, id] = ids(organization.uuid(), question.uuid());
            push(writes, Effect::DeleteQuestion, [organization, ("event_id", event.uuid().into()), id]);
        }
        Write::DeleteShift { organization, shift, at } => {
            push(writes, Effect::DeleteShift, deletion(organization.uuid(), shift.uuid(), *at));
        }
        Write::UpdateShift(new) => push(writes, Effect::UpdateShift, shift::TABLE.changed_row(new)?),
        Write::InsertSignup(new) => push(writes, Effect::InsertSignup, signup::TABLE.row(new)?),
        Write::CancelSignup { organization, signup, at, by, .. } => {
            let [organization, id] = ids(organization.uuid(), signup.uuid());
            let row = [organization, id, ("cancelled_at", (*at).into()), ("cancelled_by", by.name().into())];
            push(writes, Effect::CancelSignup, row);
        }
        Write::CloseShift { organization, shift, at, by } => {
            let [organization, id] = ids(organization.uuid(), shift.uuid());
            let row = [organization, id, ("closed_at", (*at).into()), ("closed_by", by.name().into())];
            push(writes, Effect::CloseShift, row);
        }
        Write::RenewSecret { organization, signup, secret, at, .. } => {
            let [organization, id] = ids(organization.uuid(), signup.uuid());
            let secret = ("secret", secret.as_bytes().as_slice().into());
            let row = [organization, id, secret, ("mailed_at", (*at).into())];
            push(writes, Effect::RenewSecret, row);
        }
        Write::EraseSignup { organization, signup, .. } => {
            push(writes, Effect::EraseSignup, ids(organization.uuid(), signup.uuid()));
        }
        Write::InsertReceipt(new) => push(writes, Effect::InsertReceipt, receipt::TABLE.row(new)?),
        Write::InsertNotices(new) => {
            for new in new {
                push(writes, Effect::InsertNotices, notice::TABLE.row(new)?);
            }
        }
        Write::UpdateNotice(new) => push(writes, Effect::UpdateNotice, notice::TABLE.changed_row(new)?),
        Write::DeleteNotice { organization, notice } => {
            push(writes, Effect::DeleteNotice, ids(organization.uuid(), notice.uuid()));
        }
    }
    Ok(())
}

fn push(writes: &mut Writes, effect: Effect, row: impl IntoIterator<Item = NamedValue>) {
    writes.entry(effect).or_default().push(0, row);
}

fn ids(organization: Uuid, id: Uuid) -> [NamedValue; 2] {
    [("organization_id", organization.into()), ("id", id.into())]
}

fn deletion(organization: Uuid, id: Uuid, at: Timestamp) -> [NamedValue; 3] {
    let [organization, id] = ids(organization, id);
    [organization, id, ("deleted_at", at.into())]
}
