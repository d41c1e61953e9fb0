//! The writes of a change set, as statements.
//!
//! Every statement has a condition, `when`: on PostgreSQL, where checks and writes are one statement, that no check
//! failed.
//!
//! **Invariant:** `filled` is written with the sign-ups that it counts, and by nothing else.

use jiff::Timestamp;
use serde::Serialize;
use serde_json::json;
use signup_core::{
    BadgeLabel, Description, Digest, Event, EventLocation, Latitude, LocationData, Longitude, Name, Notice,
    NoticeId, Organization, OrganizationId, Plan, Question, Receipt, Shift, ShiftLocation, Signup, SignupId,
    SignupStatus, StoreError, Theme, Token, TokenId, WebAddress, Write,
};
use uuid::Uuid;

use crate::sql::{Dialect, Value, values};

type Result<T> = std::result::Result<T, StoreError>;

/// A statement, to be put into a script or into a larger statement.
#[derive(Debug)]
pub(crate) struct Statement {
    /// By which others that are part of the same statement may refer to it.
    pub(crate) name: Option<&'static str>,
    pub(crate) text: String,
    pub(crate) values: Vec<Value>,
}

/// A statement that no other refers to.
const fn statement(text: String, values: Vec<Value>) -> Statement {
    Statement { name: None, text, values }
}

/// The name of the statement that inserts a receipt.
pub(crate) const RECEIPT_KEPT: &str = "receipt_kept";

/// The columns of a new shift.
const SHIFT_COLUMNS: &str = "organization_id, id, event_id, title, location, start_minute, end_minute, capacity, filled, \
     position, version, created_at, updated_at";
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
    /// The statements of one write, in their order. `live_at` is the time by which the key of a receipt is known to be
    /// free, if it is.
    pub(crate) fn statements(self, write: &Write, live_at: Option<Timestamp>) -> Result<Vec<Statement>> {
        Ok(match write {
            Write::InsertOrganization(organization) => vec![self.insert_organization(organization)],
            Write::SetPlan { organization, plan } => vec![self.set_plan(*organization, *plan)],
            Write::InsertToken(token) => vec![self.insert_token(token)],
            Write::RevokeToken { token, at } => vec![self.revoke_token(*token, *at)],
            Write::InsertEvent(event) => vec![self.insert_event(event)],
            Write::InsertShifts(shifts) => self.insert_shifts(shifts)?,
            Write::InsertQuestions(questions) => vec![self.insert_questions(questions)?],
            Write::UpdateShift(shift) => vec![self.update_shift(shift)],
            Write::InsertSignup(signup) => self.insert_signup(signup)?,
            Write::CancelSignup { organization, signup, at } => {
                self.cancel_signup(*organization, *signup, *at)
            }
            Write::InsertReceipt(receipt) => vec![self.insert_receipt(receipt, live_at)?],
            Write::RenewSecret { organization, signup, secret, at } => {
                vec![self.renew_secret(*organization, *signup, secret, *at)]
            }
            Write::EraseSignup { organization, signup } => self.erase_signup(*organization, *signup),
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
        let parameters: Vec<_> = (1..=values.len()).map(|number| format!("${number}")).collect();
        let (columns, parameters, when) = (columns.join(", "), parameters.join(", "), self.when);
        statement(format!("INSERT INTO {table} ({columns}) SELECT {parameters} WHERE {when}"), values)
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

    fn insert_event(self, new: &Event) -> Statement {
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
            ("location_data", Value::Json(new.location_data.as_ref().map(LocationData::to_json))),
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

    /// On PostgreSQL all shifts in one statement, however many; on SQLite [`ROWS_AT_ONCE`] of them, as parameters: taking a
    /// column out of JSON costs SQLite more than all else that it does for it.
    fn insert_shifts(self, new: &[Shift]) -> Result<Vec<Statement>> {
        match self.dialect {
            Dialect::Sqlite => {
                Ok(new.chunks(ROWS_AT_ONCE).map(|shifts| self.insert_shift_rows(shifts)).collect())
            }
            Dialect::Postgres => Ok(vec![self.insert_shift_list(new)?]),
        }
    }

    fn insert_shift_rows(self, new: &[Shift]) -> Statement {
        let rows = vec!["(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"; new.len()].join(", ");
        let values = new.iter().flat_map(|shift| {
            let (start, end): (u16, u16) = shift.hours.into();
            values![
                shift.organization.uuid(),
                shift.id.uuid(),
                shift.event.uuid(),
                shift.title.as_str(),
                shift.location.as_ref().map(ShiftLocation::as_str),
                start,
                end,
                shift.occupancy.capacity.volunteers(),
                shift.occupancy.filled,
                shift.position,
                shift.version,
                shift.created_at.as_second(),
                shift.updated_at.as_second(),
            ]
        });
        let text = format!("INSERT INTO shifts ({SHIFT_COLUMNS}) VALUES {rows}");
        statement(text, values.collect())
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
            "INSERT INTO shifts ({SHIFT_COLUMNS}) SELECT {}, value->>3, value->>4, {} FROM {} WHERE {when}",
            ids.join(", "),
            numbers.join(", "),
            dialect.each("$1"),
        );
        Ok(statement(text, vec![json_value(&rows)?]))
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
        Ok(statement(text, vec![json_value(&rows)?]))
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

    fn insert_signup(self, new: &Signup) -> Result<Vec<Statement>> {
        let status = match new.status {
            SignupStatus::Confirmed => "confirmed",
            SignupStatus::Cancelled => "cancelled",
        };
        let row = vec![
            ("organization_id", new.organization.uuid().into()),
            ("id", new.id.uuid().into()),
            ("event_id", new.event.uuid().into()),
            ("shift_id", new.shift.uuid().into()),
            ("shift_version", new.shift_version.into()),
            ("name", new.name.as_str().into()),
            ("email", new.email.as_str().into()),
            ("email_key", new.email.key().into()),
            ("answers", json_value(&new.answers)?),
            ("status", status.into()),
            ("secret", new.secret.as_bytes().as_slice().into()),
            ("created_at", new.created_at.as_second().into()),
            ("mailed_at", new.mailed_at.as_second().into()),
            ("cancelled_at", new.cancelled_at.map(Timestamp::as_second).into()),
        ];
        let when = self.when;
        let taken = format!(
            "UPDATE shifts SET filled = filled + 1 WHERE organization_id = $1 AND id = $2 AND {when}"
        );
        Ok(vec![
            self.insert("signups", row),
            statement(taken, values![new.organization.uuid(), new.shift.uuid()]),
        ])
    }

    fn cancel_signup(self, organization: OrganizationId, signup: SignupId, at: Timestamp) -> Vec<Statement> {
        let when = self.when;
        let cancel = format!(
            "UPDATE signups SET status = 'cancelled', cancelled_at = $3 \
             WHERE organization_id = $1 AND id = $2 AND status = 'confirmed' AND {when}"
        );
        let cancel_values = values![organization.uuid(), signup.uuid(), at.as_second()];
        let free = "UPDATE shifts SET filled = filled - 1 WHERE organization_id = $1 AND id =";
        match self.dialect {
            // In a script each statement sees what the one before has done. So the place is given back first: after that
            // the sign-up no longer tells that it holds one.
            Dialect::Sqlite => {
                let held = "SELECT shift_id FROM signups \
                     WHERE organization_id = $1 AND id = $2 AND status = 'confirmed'";
                let free_values = values![organization.uuid(), signup.uuid()];
                vec![
                    statement(format!("{free} ({held}) AND {when}"), free_values),
                    statement(cancel, cancel_values),
                ]
            }
            // Parts of one statement see what was there before it, and of each other what they return.
            Dialect::Postgres => {
                let text = format!("{cancel} RETURNING shift_id");
                vec![
                    Statement { name: Some("cancelled"), text, values: cancel_values },
                    statement(
                        format!("{free} (SELECT shift_id FROM cancelled)"),
                        values![organization.uuid()],
                    ),
                ]
            }
        }
    }

    /// If the key is known to be free, a live receipt that is there all the same is left alone.
    fn insert_receipt(self, new: &Receipt, live_at: Option<Timestamp>) -> Result<Statement> {
        let row = vec![
            ("organization_id", new.key.organization.uuid().into()),
            ("token_id", new.key.token.uuid().into()),
            ("operation", new.key.operation.to_string().into()),
            ("idempotency_key", new.key.key.as_str().into()),
            ("outcome", json_value(&new.outcome)?),
            ("expires_at", new.expires_at.as_second().into()),
        ];
        let Statement { mut text, mut values, .. } = self.insert("receipts AS r", row);
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
        Ok(Statement { name: Some(RECEIPT_KEPT), text, values })
    }

    fn renew_secret(
        self,
        organization: OrganizationId,
        signup: SignupId,
        secret: &Digest,
        at: Timestamp,
    ) -> Statement {
        let when = self.when;
        let text = format!(
            "UPDATE signups SET secret = $3, mailed_at = $4 WHERE organization_id = $1 AND id = $2 AND {when}"
        );
        let secret = secret.as_bytes().as_slice();
        statement(text, values![organization.uuid(), signup.uuid(), secret, at.as_second()])
    }

    fn erase_signup(self, organization: OrganizationId, signup: SignupId) -> Vec<Statement> {
        let when = self.when;
        let ids = || values![organization.uuid(), signup.uuid()];
        let free = "UPDATE shifts SET filled = filled - 1 WHERE organization_id = $1 AND id =";
        let notices = statement(
            format!("DELETE FROM notices WHERE organization_id = $1 AND signup_id = $2 AND {when}"),
            ids(),
        );
        let erase = format!("DELETE FROM signups WHERE organization_id = $1 AND id = $2 AND {when}");
        match self.dialect {
            // As for a cancel: first the place, as long as the sign-up tells that it holds one.
            Dialect::Sqlite => {
                let held = "SELECT shift_id FROM signups \
                     WHERE organization_id = $1 AND id = $2 AND status = 'confirmed'";
                vec![
                    statement(format!("{free} ({held}) AND {when}"), ids()),
                    statement(erase, ids()),
                    notices,
                ]
            }
            // The shift is locked before the sign-up, as by everybody else.
            Dialect::Postgres => {
                let shift = "SELECT id FROM shifts WHERE organization_id = $1 AND id = (SELECT shift_id \
                     FROM signups WHERE organization_id = $1 AND id = $2) FOR NO KEY UPDATE";
                let text = format!("{erase} AND shift_id IN ({shift}) RETURNING shift_id, status");
                let held = "SELECT shift_id FROM erased WHERE status = 'confirmed'";
                vec![
                    Statement { name: Some("erased"), text, values: ids() },
                    statement(format!("{free} ({held})"), values![organization.uuid()]),
                    notices,
                ]
            }
        }
    }

    /// All notices in one statement, however many.
    fn insert_notices(self, new: &[Notice]) -> Result<Statement> {
        let rows: Vec<_> = new
            .iter()
            .map(|notice| {
                json!([
                    hex(notice.id.uuid()),
                    hex(notice.organization.uuid()),
                    hex(notice.event.uuid()),
                    hex(notice.shift.uuid()),
                    notice.cause.signup().map(|signup| hex(signup.uuid())),
                    notice.cause,
                    notice.created_at.as_second(),
                    notice.version,
                    notice.attempts,
                    notice.due_at.as_second(),
                    notice.failure.as_ref().map(|failure| failure.at.as_second()),
                    notice.failure.as_ref().map(|failure| &failure.reason),
                ])
            })
            .collect();
        let (dialect, when) = (self.dialect, self.when);
        let ids: Vec<_> = (0..5).map(|index| dialect.id_at(index)).collect();
        let numbers: Vec<_> = (6..11).map(|index| dialect.integer_at(index)).collect();
        let text = format!(
            "INSERT INTO notices (id, organization_id, event_id, shift_id, signup_id, cause, created_at, version, \
             attempts, due_at, failed_at, reason) SELECT {}, value->5, {}, value->>11 FROM {} WHERE {when}",
            ids.join(", "),
            numbers.join(", "),
            dialect.each("$1"),
        );
        Ok(statement(text, vec![json_value(&rows)?]))
    }

    fn update_notice(self, notice: &Notice) -> Result<Statement> {
        let when = self.when;
        let text = format!(
            "UPDATE notices SET cause = $3, version = $4, attempts = $5, due_at = $6, failed_at = $7, reason = $8 \
             WHERE organization_id = $1 AND id = $2 AND {when}"
        );
        let values = values![
            notice.organization.uuid(),
            notice.id.uuid(),
            json_value(&notice.cause)?,
            notice.version,
            notice.attempts,
            notice.due_at.as_second(),
            notice.failure.as_ref().map(|failure| failure.at.as_second()),
            notice.failure.as_ref().map(|failure| failure.reason.as_str()),
        ];
        Ok(statement(text, values))
    }

    fn delete_notice(self, organization: OrganizationId, notice: NoticeId) -> Statement {
        let when = self.when;
        let text = format!("DELETE FROM notices WHERE organization_id = $1 AND id = $2 AND {when}");
        statement(text, values![organization.uuid(), notice.uuid()])
    }
}

fn json_value(value: &impl Serialize) -> Result<Value> {
    let text = sonic_rs::to_string(value);
    let text = text.map_err(|error| StoreError::failed("writing a value as JSON", error))?;
    Ok(Value::Json(Some(text)))
}

/// A UUID inside of JSON.
fn hex(id: Uuid) -> String {
    id.simple().to_string()
}
