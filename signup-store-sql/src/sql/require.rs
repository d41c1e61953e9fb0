//! The requirements of change sets, as checks.
//!
//! A check is one query for all requirements of a kind. The query returns a row for each requirement that does *not* hold:
//! the number of the change set, the number of the requirement, the fact that was found, and whether the refusal is final.
//!
//! A total (the sign-ups of a shift, the active events of an organization) is checked for several change sets at once: each
//! must fit behind the `ahead` additions of the change sets before it. A refusal that only these additions cause is not
//! final, because one of them may be refused itself.
//!
//! The facts must hold until the commit. SQLite has one writer at a time. On PostgreSQL the locks of all facts are acquired
//! before the first check runs, and every change of a fact acquires the same lock. There is one exception: the check of empty
//! shifts locks their event, and a cancellation locks only its shift. A cancellation that commits after the check does not
//! change the result, because the check counts as the earlier of the two.
//!
//! A check must see every change that committed before its lock was granted. So most checks call a function of the schema,
//! whose query has a snapshot of its own, and the others lock the row that they read. A slug has no row to lock. A slug that
//! another transaction inserts at the same moment is refused by the unique index, and the next attempt finds the slug.

use signup_core::{OrganizationId, Refusal, Requirement, ShiftId, StoreError};
use uuid::Uuid;

use super::given_rows::{GIVEN, Template};
use super::{Dialect, Value};
use crate::records::{receipt, signup};
use crate::sql::row::{self, Row};

/// The kinds of requirements. Each has one query for any number of requirements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Check {
    NoOrganization,
    OrganizationSlugFree,
    EventSlugFree,
    NoReceipt,
    ActiveEventsBelow,
    EventAtVersion,
    EventDeleted,
    QuestionUnanswered,
    ShiftAtVersion,
    ShiftsAreEmpty,
    AddressNotOnShift,
    ShiftHasRoom,
    SignupConfirmed,
    SignupHasSecret,
    NoticeAtVersion,
}

/// The kind of a requirement, and its row: number `number` of its change set, behind `ahead` additions to its total.
pub(crate) fn row(requirement: &Requirement, number: i64, ahead: i64) -> (Check, Vec<(&'static str, Value)>) {
    let id = |organization: OrganizationId, name, id: Uuid| {
        vec![("organization_id", organization.uuid().into()), (name, id.into())]
    };
    let (check, mut row) = match requirement {
        Requirement::NoOrganization => (Check::NoOrganization, vec![]),
        Requirement::OrganizationSlugFree(slug) => {
            (Check::OrganizationSlugFree, vec![("slug", slug.as_str().into())])
        }
        Requirement::EventSlugFree(slug) => (Check::EventSlugFree, vec![("slug", slug.as_str().into())]),
        Requirement::NoReceipt { key, now } => {
            let row = vec![
                ("organization_id", key.organization.uuid().into()),
                ("token_id", key.token.uuid().into()),
                ("operation", key.operation.to_string().into()),
                ("idempotency_key", key.key.as_str().into()),
                ("now", now.as_second().into()),
            ];
            (Check::NoReceipt, row)
        }
        Requirement::ActiveEventsBelow { organization, limit, now } => {
            let row = vec![
                ("organization_id", organization.uuid().into()),
                ("most", (*limit).into()),
                ("now", now.as_second().into()),
                ("ahead", ahead.into()),
            ];
            (Check::ActiveEventsBelow, row)
        }
        Requirement::EventAtVersion { organization, event, version } => {
            let event = id(*organization, "id", event.uuid());
            (Check::EventAtVersion, [event, vec![("version", (*version).into())]].concat())
        }
        Requirement::EventDeleted { organization, event, version } => {
            let event = id(*organization, "id", event.uuid());
            (Check::EventDeleted, [event, vec![("version", (*version).into())]].concat())
        }
        Requirement::QuestionUnanswered { organization, event, question } => {
            let event = id(*organization, "event_id", event.uuid());
            (Check::QuestionUnanswered, [event, vec![("question", question.to_string().into())]].concat())
        }
        Requirement::ShiftAtVersion { organization, shift, version } => {
            let shift = id(*organization, "id", shift.uuid());
            (Check::ShiftAtVersion, [shift, vec![("version", (*version).into())]].concat())
        }
        Requirement::ShiftsAreEmpty { organization, event, shifts } => {
            let event = id(*organization, "event_id", event.uuid());
            (Check::ShiftsAreEmpty, [event, vec![("shifts", ids(shifts))]].concat())
        }
        Requirement::AddressNotOnShift { organization, shift, email } => {
            let shift = id(*organization, "shift_id", shift.uuid());
            (Check::AddressNotOnShift, [shift, vec![("email_key", email.key().into())]].concat())
        }
        Requirement::ShiftHasRoom { organization, shift } => {
            let shift = id(*organization, "shift_id", shift.uuid());
            (Check::ShiftHasRoom, [shift, vec![("ahead", ahead.into())]].concat())
        }
        Requirement::SignupConfirmed { organization, signup, .. } => {
            (Check::SignupConfirmed, id(*organization, "id", signup.uuid()))
        }
        Requirement::SignupHasSecret { organization, signup, secret, .. } => {
            let signup = id(*organization, "id", signup.uuid());
            let secret = secret.as_bytes().as_slice();
            (Check::SignupHasSecret, [signup, vec![("secret", secret.into())]].concat())
        }
        Requirement::NoticeAtVersion { organization, notice, version } => {
            let notice = id(*organization, "id", notice.uuid());
            (Check::NoticeAtVersion, [notice, vec![("version", (*version).into())]].concat())
        }
    };
    row.push(("number", number.into()));
    (check, row)
}

/// Returns the ids as a JSON array of texts of hexadecimal digits.
fn ids(shifts: &[ShiftId]) -> Value {
    let ids: serde_json::Value = shifts.iter().map(|shift| shift.uuid().simple().to_string()).collect();
    Value::Json(Some(ids.to_string()))
}

impl Check {
    /// Returns the template of the query for all requirements of this kind.
    pub(crate) fn template(self, dialect: Dialect) -> Template {
        let broken =
            |condition: &str| format!("SELECT change, number, '', TRUE FROM {GIVEN} WHERE {condition}");
        // PostgreSQL looks up the row of each `given` by itself, because a subquery with a lock is not joined.
        let missing = |table: &str, condition: &str| {
            let lock = dialect.lock();
            broken(&format!(
                "NOT EXISTS (SELECT 1 FROM {table} t WHERE t.organization_id = given.organization_id \
                 AND t.id = given.id AND {condition} {lock})"
            ))
        };
        // An event is read under a lock that is not a lock of its row. So the row has to be looked up after the wait for the
        // lock: by a function, whose query has a snapshot of its own.
        let no_event = |condition: &str| match dialect {
            Dialect::Sqlite => missing("events", condition),
            Dialect::Postgres => broken(&format!(
                "NOT EXISTS (SELECT 1 FROM current_event(given.organization_id, given.id) t WHERE {condition})"
            )),
        };
        // A scalar subquery looks up each slug in the index. EXISTS could become a join.
        let taken =
            |table: &str| broken(&format!("(SELECT 1 FROM {table} t WHERE t.slug = given.slug) IS NOT NULL"));
        // Rows that `from` finds for each `given`, or a total that `from` counts.
        let found = |fact: &str, from: &str| format!("SELECT change, number, {fact} FROM {from}");
        let text = match (self, dialect) {
            (Self::NoOrganization, Dialect::Sqlite) => broken("EXISTS (SELECT 1 FROM organizations)"),
            (Self::NoOrganization, Dialect::Postgres) => broken("organizations_exist()"),
            (Self::OrganizationSlugFree, _) => taken("organizations"),
            (Self::EventSlugFree, _) => taken("events"),
            (Self::NoReceipt, _) => {
                let receipts = match dialect {
                    Dialect::Sqlite => {
                        "receipts r WHERE r.organization_id = given.organization_id AND r.token_id = given.token_id \
                         AND r.operation = given.operation AND r.idempotency_key = given.idempotency_key AND"
                    }
                    Dialect::Postgres => {
                        "LATERAL current_receipt(given.organization_id, given.token_id, given.operation, \
                         given.idempotency_key) r WHERE"
                    }
                };
                let record = dialect.record(&receipt::TABLE.columns());
                found(
                    &format!("{record}, TRUE"),
                    &format!("{GIVEN} CROSS JOIN {receipts} r.expires_at > given.now"),
                )
            }
            (Self::ActiveEventsBelow, _) => {
                let active = match dialect {
                    Dialect::Sqlite => format!(
                        "(SELECT given.*, (SELECT COUNT(*) FROM events e \
                         WHERE e.organization_id = given.organization_id AND e.is_published = 1 \
                         AND e.cancelled_at IS NULL AND e.deleted_at IS NULL AND e.ends_at > given.now) AS active FROM {GIVEN})"
                    ),
                    Dialect::Postgres => format!(
                        "{GIVEN} CROSS JOIN LATERAL active_events(given.organization_id, given.now) active"
                    ),
                };
                found(
                    "CAST(active AS TEXT), active >= most",
                    &format!("{active} WHERE active + ahead >= most"),
                )
            }
            (Self::EventAtVersion, _) => no_event("t.deleted_at IS NULL AND t.version = given.version"),
            (Self::EventDeleted, _) => no_event("t.deleted_at IS NOT NULL AND t.version = given.version"),
            (Self::QuestionUnanswered, Dialect::Sqlite) => broken(
                "EXISTS (SELECT 1 FROM signups u, json_each(u.answers) answer \
                 WHERE u.organization_id = given.organization_id AND u.event_id = given.event_id \
                 AND answer.value->>'question_id' = given.question)",
            ),
            (Self::QuestionUnanswered, Dialect::Postgres) => {
                broken("question_is_answered(organization_id, event_id, question)")
            }
            (Self::ShiftAtVersion, _) => {
                missing("shifts", "t.deleted_at IS NULL AND t.version = given.version")
            }
            (Self::ShiftsAreEmpty, Dialect::Sqlite) => broken(
                "EXISTS (SELECT 1 FROM json_each(given.shifts) listed CROSS JOIN shifts s \
                 ON s.organization_id = given.organization_id AND s.id = unhex(listed.value) \
                 WHERE s.event_id = given.event_id AND s.filled > 0 AND s.closed_at IS NULL)",
            ),
            (Self::ShiftsAreEmpty, Dialect::Postgres) => {
                broken("shifts_have_signups(organization_id, event_id, shifts)")
            }
            (Self::AddressNotOnShift, _) => {
                let signups = match dialect {
                    Dialect::Sqlite => format!(
                        "signups u WHERE u.organization_id = given.organization_id AND u.shift_id = given.shift_id \
                         AND u.email_key = given.email_key AND {}",
                        dialect.is_confirmed("u")
                    ),
                    Dialect::Postgres => {
                        "LATERAL confirmed_signup(given.organization_id, given.shift_id, given.email_key) u"
                            .to_owned()
                    }
                };
                let record = dialect.record(&signup::TABLE.columns());
                found(&format!("{record}, TRUE"), &format!("{GIVEN} CROSS JOIN {signups}"))
            }
            (Self::ShiftHasRoom, _) => {
                let room = match dialect {
                    Dialect::Sqlite => format!(
                        "(SELECT given.*, COALESCE((SELECT s.capacity - s.filled FROM shifts s \
                         WHERE s.organization_id = given.organization_id AND s.id = given.shift_id \
                         AND s.deleted_at IS NULL AND s.closed_at IS NULL), 0) AS room \
                         FROM {GIVEN})"
                    ),
                    Dialect::Postgres => {
                        format!(
                            "{GIVEN} CROSS JOIN LATERAL room_on_shift(given.organization_id, given.shift_id) room"
                        )
                    }
                };
                found("'', room <= 0", &format!("{room} WHERE room <= ahead"))
            }
            (Self::SignupConfirmed, _) => missing("signups", &dialect.is_confirmed("t")),
            (Self::SignupHasSecret, _) => {
                missing("signups", &format!("{} AND t.secret = given.secret", dialect.is_confirmed("t")))
            }
            (Self::NoticeAtVersion, _) => missing("notices", "t.version = given.version"),
        };
        Template::query(text)
    }
}

/// Decodes the refusal for the requirement of this number, with the fact that a check found.
pub(crate) fn refusal(requires: &[Requirement], number: usize, fact: &str) -> Result<Refusal, StoreError> {
    let broken = requires.get(number);
    let broken = broken.ok_or_else(|| StoreError::failed("checking requirements", "no such requirement"))?;
    Ok(match broken {
        Requirement::NoOrganization => Refusal::OrganizationExists,
        Requirement::OrganizationSlugFree(_) | Requirement::EventSlugFree(_) => Refusal::SlugTaken,
        Requirement::NoReceipt { key, .. } => {
            let read = |row: Row<'_>| receipt::read(row, key);
            Refusal::Receipt(Box::new(row::one(fact, &receipt::TABLE.columns(), read)?))
        }
        Requirement::ShiftAtVersion { .. } => Refusal::ShiftChanged,
        Requirement::ShiftsAreEmpty { .. } => Refusal::ShiftHasSignups,
        Requirement::EventAtVersion { .. } | Requirement::EventDeleted { .. } => Refusal::EventChanged,
        Requirement::QuestionUnanswered { .. } => Refusal::QuestionAnswered,
        Requirement::ActiveEventsBelow { .. } => {
            let count = fact.parse().map_err(|error| StoreError::failed("counting active events", error))?;
            Refusal::ActiveEvents { count }
        }
        Requirement::ShiftHasRoom { .. } => Refusal::ShiftFull,
        Requirement::AddressNotOnShift { .. } => {
            Refusal::AddressOnShift(Box::new(row::one(fact, &signup::TABLE.columns(), signup::read)?))
        }
        Requirement::SignupConfirmed { .. } => Refusal::SignupNotConfirmed,
        Requirement::SignupHasSecret { .. } => Refusal::SignupChanged,
        Requirement::NoticeAtVersion { .. } => Refusal::NoticeChanged,
    })
}
