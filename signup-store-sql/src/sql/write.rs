//! The writes of a change set, as statements.
//!
//! Every statement has a condition, `when`: on PostgreSQL, where checks and writes are one statement, that no check
//! failed.
//!
//! **Invariant:** `filled` is written with the sign-ups that it counts, and by nothing else.

mod volunteers;

use std::ops::Range;

use jiff::Timestamp;
use serde::Serialize;
use serde_json::json;
use signup_core::{
    BadgeLabel, Description, Event, EventLocation, Latitude, LocationData, Longitude, Name, Organization,
    OrganizationId, Plan, Question, Receipt, Shift, ShiftLocation, StoreError, Theme, Token, TokenId,
    WebAddress, Write,
};
use uuid::Uuid;

use crate::sql::{Dialect, Value, values};

type Result<T> = std::result::Result<T, StoreError>;

/// A statement, to be put into a script or into a larger statement.
#[derive(Debug)]
pub(crate) struct Statement {
    /// For PostgreSQL: by which others that are part of the same statement may refer to it.
    pub(crate) name: Option<&'static str>,
    pub(crate) text: String,
    pub(crate) values: Vec<Value>,
    /// For SQLite: which part of the text is the query for the new rows, if the statement does no more than insert them, or puts
    /// them in the place of those with the same key. Several of these, with `UNION ALL` between them, give the rows of several
    /// change sets.
    #[cfg_attr(
        not(feature = "sqlite"),
        expect(dead_code, reason = "only SQLite writes change sets together")
    )]
    pub(crate) rows: Option<Range<usize>>,
}

/// A statement that no other refers to.
const fn statement(text: String, values: Vec<Value>) -> Statement {
    Statement { name: None, text, values, rows: None }
}

/// For SQLite: a statement that inserts what the query gives.
fn insert_rows(mut into: String, query: &str, values: Vec<Value>) -> Statement {
    let rows = into.len()..into.len() + query.len();
    into.push_str(query);
    Statement { name: None, text: into, values, rows: Some(rows) }
}

/// The name of the statement that inserts a receipt.
pub(crate) const RECEIPT_KEPT: &str = "receipt_kept";

/// The most rows that one statement inserts by parameters.
const ROWS_AT_ONCE: usize = 50;

/// Turns writes into statements.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Writer {
    pub(crate) dialect: Dialect,
    /// The condition of every statement.
    pub(crate) when: &'static str,
}

impl Writer {
    /// The statements of one write, in their order. `live_at` is the time by which the key of a receipt has to be free still,
    /// if others may have written since that was looked at.
    pub(crate) fn statements(self, write: &Write, live_at: Option<Timestamp>) -> Result<Vec<Statement>> {
        Ok(match write {
            Write::InsertOrganization(organization) => vec![self.insert_organization(organization)],
            Write::SetPlan { organization, plan } => vec![self.set_plan(*organization, *plan)],
            Write::InsertToken(token) => vec![self.insert_token(token)],
            Write::RevokeToken { token, at } => vec![self.revoke_token(*token, *at)],
            Write::InsertEvent { event, location_data } => {
                vec![self.insert_event(event, location_data.as_ref())]
            }
            Write::InsertShifts(shifts) => self.insert_shifts(shifts)?,
            Write::InsertQuestions(questions) => vec![self.insert_questions(questions)?],
            Write::UpdateShift(shift) => vec![self.update_shift(shift)],
            Write::InsertSignup(signup) => self.insert_signup(signup)?,
            Write::CancelSignup { organization, signup, at, .. } => {
                self.cancel_signup(*organization, *signup, *at)
            }
            Write::InsertReceipt(receipt) => vec![self.insert_receipt(receipt, live_at)?],
            Write::RenewSecret { organization, signup, secret, at, .. } => {
                vec![self.renew_secret(*organization, *signup, secret, *at)]
            }
            Write::EraseSignup { organization, signup, .. } => self.erase_signup(*organization, *signup),
            Write::InsertNotices(notices) => vec![self.insert_notices(notices)?],
            Write::UpdateNotice(notice) => vec![self.update_notice(notice)?],
            Write::DeleteNotice { organization, notice } => {
                vec![self.delete_notice(*organization, *notice)]
            }
        })
    }

    /// A new row.
    fn insert(self, table: &str, row: Vec<(&str, Value)>) -> Statement {
        let (columns, values): (Vec<_>, Vec<_>) = row.into_iter().unzip();
        let (columns, when) = (columns.join(", "), self.when);
        let into = format!("INSERT INTO {table} ({columns}) ");
        match self.dialect {
            Dialect::Sqlite => {
                let parameters = vec!["?"; values.len()].join(", ");
                insert_rows(into, &format!("SELECT {parameters} WHERE {when}"), values)
            }
            Dialect::Postgres => {
                let parameters: Vec<_> = (1..=values.len()).map(|number| format!("${number}")).collect();
                let parameters = parameters.join(", ");
                statement(format!("{into}SELECT {parameters} WHERE {when}"), values)
            }
        }
    }

    fn insert_organization(self, new: &Organization) -> Statement {
        let row = vec![
            ("id", new.id.uuid().into()),
            ("name", new.name.as_str().into()),
            ("slug", new.slug.as_str().into()),
            ("sport", new.sport.as_ref().map(Name::as_str).into()),
            ("public_url", new.public_url.as_ref().map(WebAddress::as_str).into()),
            ("plan", new.plan.name().into()),
            ("created_at", new.created_at.as_second().into()),
        ];
        self.insert("organizations", row)
    }

    fn set_plan(self, organization: OrganizationId, plan: Plan) -> Statement {
        let when = self.when;
        let text = format!("UPDATE organizations SET plan = $2 WHERE id = $1 AND {when}");
        statement(text, values![organization.uuid(), plan.name()])
    }

    fn insert_token(self, new: &Token) -> Statement {
        let row = vec![
            ("organization_id", new.organization.uuid().into()),
            ("id", new.id.uuid().into()),
            ("name", new.name.as_str().into()),
            ("digest", new.digest.as_bytes().as_slice().into()),
            ("scopes", new.scopes.to_string().into()),
            ("created_at", new.created_at.as_second().into()),
            ("expires_at", new.expires_at.as_second().into()),
            ("revoked_at", new.revoked_at.map(Timestamp::as_second).into()),
        ];
        self.insert("tokens", row)
    }

    fn revoke_token(self, token: TokenId, at: Timestamp) -> Statement {
        let when = self.when;
        let text =
            format!("UPDATE tokens SET revoked_at = COALESCE(revoked_at, $2) WHERE id = $1 AND {when}");
        statement(text, values![token.uuid(), at.as_second()])
    }

    fn insert_event(self, new: &Event, location_data: Option<&LocationData>) -> Statement {
        let row = vec![
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
        ];
        self.insert("events", row)
    }

    /// On PostgreSQL all shifts in one statement, however many. On SQLite [`ROWS_AT_ONCE`] of them, as parameters: taking a
    /// column out of JSON costs SQLite more than all else that it does for it.
    fn insert_shifts(self, new: &[Shift]) -> Result<Vec<Statement>> {
        match self.dialect {
            Dialect::Sqlite => {
                let alike = new.chunk_by(|a, b| shared_by_shifts(a) == shared_by_shifts(b));
                let chunks = alike.flat_map(|shifts| shifts.chunks(ROWS_AT_ONCE));
                Ok(chunks.map(insert_shift_rows).collect())
            }
            Dialect::Postgres => Ok(vec![self.insert_shift_list(new)?]),
        }
    }

    fn insert_shift_list(self, new: &[Shift]) -> Result<Statement> {
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
        let (dialect, when) = (self.dialect, self.when);
        let ids: Vec<_> = (0..3).map(|index| dialect.id_at(index)).collect();
        let numbers: Vec<_> = (5..13).map(|index| dialect.integer_at(index)).collect();
        let text = format!(
            "INSERT INTO shifts (organization_id, id, event_id, title, location, start_minute, end_minute, \
             capacity, filled, position, version, created_at, updated_at) SELECT {}, value->>3, value->>4, {} \
             FROM {} WHERE {when}",
            ids.join(", "),
            numbers.join(", "),
            dialect.each("$1"),
        );
        Ok(statement(text, vec![rows_value(&rows)?]))
    }

    /// All questions in one statement, however many.
    fn insert_questions(self, new: &[Question]) -> Result<Statement> {
        let rows: Vec<_> = new
            .iter()
            .map(|question| {
                json!([
                    hex(question.organization.uuid()),
                    hex(question.event.uuid()),
                    hex(question.id.uuid()),
                    question.position,
                    question.label,
                    question.kind,
                    question.options,
                    question.required,
                ])
            })
            .collect();
        let (dialect, when) = (self.dialect, self.when);
        let ids: Vec<_> = (0..3).map(|index| dialect.id_at(index)).collect();
        let text = format!(
            "INSERT INTO questions (organization_id, event_id, id, position, label, kind, options, required) \
             SELECT {}, {}, value->>4, value->>5, value->6, {} FROM {} WHERE {when}",
            ids.join(", "),
            dialect.integer_at(3),
            dialect.flag_at(7),
            dialect.each("$1"),
        );
        Ok(statement(text, vec![rows_value(&rows)?]))
    }

    fn update_shift(self, shift: &Shift) -> Statement {
        let (start, end) = shift.hours.into();
        let when = self.when;
        let text = format!(
            "UPDATE shifts SET title = $3, location = $4, start_minute = $5, end_minute = $6, capacity = $7, \
             version = $8, updated_at = $9 WHERE organization_id = $1 AND id = $2 AND {when}"
        );
        let values = values![
            shift.organization.uuid(),
            shift.id.uuid(),
            shift.title.as_str(),
            shift.location.as_ref().map(ShiftLocation::as_str),
            start,
            end,
            shift.occupancy.capacity.volunteers(),
            shift.version,
            shift.updated_at.as_second(),
        ];
        statement(text, values)
    }

    /// With `live_at`, a receipt that is live by then is left alone.
    fn insert_receipt(self, new: &Receipt, live_at: Option<Timestamp>) -> Result<Statement> {
        let row = vec![
            ("organization_id", new.key.organization.uuid().into()),
            ("token_id", new.key.token.uuid().into()),
            ("operation", new.key.operation.to_string().into()),
            ("idempotency_key", new.key.key.as_str().into()),
            ("outcome", json_value(&new.outcome)?),
            ("expires_at", new.expires_at.as_second().into()),
        ];
        let mut statement = self.insert("receipts AS r", row);
        statement.name = Some(RECEIPT_KEPT);
        let Statement { text, values, .. } = &mut statement;
        text.push_str(
            " ON CONFLICT (organization_id, token_id, operation, idempotency_key) \
             DO UPDATE SET outcome = excluded.outcome, expires_at = excluded.expires_at",
        );
        if let Some(live_at) = live_at {
            text.push_str(" WHERE r.expires_at <= $7");
            values.push(live_at.as_second().into());
        }
        if self.dialect == Dialect::Postgres {
            text.push_str(" RETURNING 1");
        }
        Ok(statement)
    }
}

/// What the new shifts of an event have in common.
fn shared_by_shifts(shift: &Shift) -> [Value; 6] {
    [
        shift.organization.uuid().into(),
        shift.event.uuid().into(),
        shift.occupancy.filled.into(),
        shift.version.into(),
        shift.created_at.as_second().into(),
        shift.updated_at.as_second().into(),
    ]
}

/// For SQLite: shifts that share what they can. That is one parameter for all of them; each has the rest.
fn insert_shift_rows(new: &[Shift]) -> Statement {
    let mut values: Vec<_> = new.first().into_iter().flat_map(shared_by_shifts).collect();
    for shift in new {
        let (start, end): (u16, u16) = shift.hours.into();
        values.extend(values![
            shift.id.uuid(),
            shift.title.as_str(),
            shift.location.as_ref().map(ShiftLocation::as_str),
            start,
            end,
            shift.occupancy.capacity.volunteers(),
            shift.position,
        ]);
    }
    let rows = vec!["(?, ?, ?, ?, ?, ?, ?)"; new.len()].join(", ");
    let into = "INSERT INTO shifts (organization_id, event_id, filled, version, created_at, updated_at, \
         id, title, location, start_minute, end_minute, capacity, position) ";
    let rows = format!("SELECT ?, ?, ?, ?, ?, ?, * FROM (VALUES {rows})");
    insert_rows(into.to_owned(), &rows, values)
}

/// A value that is stored as JSON.
pub(crate) fn json_value(value: &impl Serialize) -> Result<Value> {
    Ok(Value::Json(Some(json_text(value)?)))
}

/// Rows for [`Dialect::each`].
pub(crate) fn rows_value(rows: &[serde_json::Value]) -> Result<Value> {
    Ok(Value::Rows(json_text(rows)?))
}

fn json_text(value: &(impl Serialize + ?Sized)) -> Result<String> {
    sonic_rs::to_string(value).map_err(|error| StoreError::failed("writing a value as JSON", error))
}

/// A UUID inside of JSON.
pub(crate) fn hex(id: Uuid) -> String {
    id.simple().to_string()
}
