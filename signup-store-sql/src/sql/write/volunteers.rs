//! The writes of volunteers' sign-ups, and of the notices that they get.

use jiff::Timestamp;
use serde_json::json;
use signup_core::{Digest, Notice, NoticeId, OrganizationId, Signup, SignupId};

use super::{Result, Statement, Writer, hex, json_value, rows_value, statement};
use crate::sql::{Dialect, values};

impl Writer {
    pub(super) fn insert_signup(self, new: &Signup) -> Result<Vec<Statement>> {
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
            ("status", new.status.name().into()),
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

    pub(super) fn cancel_signup(
        self,
        organization: OrganizationId,
        signup: SignupId,
        at: Timestamp,
    ) -> Vec<Statement> {
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
                    Statement { name: Some("cancelled"), text, values: cancel_values, rows: None },
                    statement(
                        format!("{free} (SELECT shift_id FROM cancelled)"),
                        values![organization.uuid()],
                    ),
                ]
            }
        }
    }

    pub(super) fn renew_secret(
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

    pub(super) fn erase_signup(self, organization: OrganizationId, signup: SignupId) -> Vec<Statement> {
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
                    Statement { name: Some("erased"), text, values: ids(), rows: None },
                    statement(format!("{free} ({held})"), values![organization.uuid()]),
                    notices,
                ]
            }
        }
    }

    /// All notices in one statement, however many.
    pub(crate) fn insert_notices<'n>(self, new: impl IntoIterator<Item = &'n Notice>) -> Result<Statement> {
        let rows: Vec<_> = new
            .into_iter()
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
        Ok(statement(text, vec![rows_value(&rows)?]))
    }

    pub(super) fn update_notice(self, notice: &Notice) -> Result<Statement> {
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

    pub(super) fn delete_notice(self, organization: OrganizationId, notice: NoticeId) -> Statement {
        let when = self.when;
        let text = format!("DELETE FROM notices WHERE organization_id = $1 AND id = $2 AND {when}");
        statement(text, values![organization.uuid(), notice.uuid()])
    }
}
