//! The requirements of change sets, as checks.
//!
//! A check is one query for all requirements of a kind. The query returns a row for each requirement that does *not* hold:
//! the number of the change set, the number of the requirement, the fact that was found, and whether the refusal is final.
//!
//! A total (the sign-ups for a shift, the active events of an organization) is checked for several change sets at once.
//! `ahead` is the number of additions by earlier change sets. The count plus `ahead` must stay below the bound. A refusal
//! that only these additions cause is not final, because an earlier change set may be refused itself.
//!
//! The facts must hold until the commit. SQLite has one writer at a time. On PostgreSQL the locks of all facts are acquired
//! before the first check runs, and every change of a fact acquires the same lock. There is one exception:
//! [`Requirement::AllZero`] locks the gate of the parent, and a subtraction locks only its total. A subtraction that commits
//! after the check does not change the result, because the check counts as the earlier of the two.
//!
//! A check must see every change that committed before its lock was granted. So most checks on PostgreSQL call a function of
//! the schema, whose query has a snapshot of its own, and others lock the row that they read. The checks of slugs, digests
//! and secrets do neither: an absent value has no row to lock. If another transaction inserts the same value, the unique
//! index refuses this one. The next attempt finds the value.

use signup_core::{Kind, Refusal, Requirement, StoreError, Timestamp, Total};

use super::given_rows::{CHANGE, GIVEN, Template};
use super::row;
use super::table::NamedValue;
use super::{Dialect, Value};
use crate::records::unique::{Lookup, PLACE, lookup};
use crate::records::{key_values, table};

/// The kinds of requirements. Each has one query for any number of requirements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Check {
    /// The column of the record has the value that was read: its version or its gate.
    Unchanged(Kind, &'static str),
    /// No record of the kind has these values in these columns.
    Absent(Kind, &'static [&'static str]),
    // Each of the following counts a total.
    Organizations,
    ActiveEvents,
    Filled,
    Answers,
    Webhooks,
    InFlight,
    Messages,
}

/// A requirement's number is `index * TOTALS`, plus the place of the total for `AllZero`. The lowest number that fails is
/// the refusal.
const TOTALS: i64 = 1 << 16;

/// Returns the kind of a requirement, and its rows. The requirement is at `index` of its change set. `ahead` returns how many
/// additions to a total precede the change set.
pub(crate) fn rows(
    requirement: &Requirement,
    index: i64,
    ahead: impl Fn(&Total) -> i64,
) -> Vec<(Check, Vec<NamedValue>)> {
    let number = |total: i64| ("number", Value::from(index * TOTALS + total));
    let of_key = |key: &_, name, version: u32| {
        let kind = signup_core::RecordKey::kind(key);
        let names = table(kind).key().iter().copied();
        let row = names.zip(key_values(key)).chain([(name, version.into()), number(0)]);
        (Check::Unchanged(kind, name), row.collect())
    };
    match requirement {
        Requirement::Unchanged { key, version } => vec![of_key(key, "version", *version)],
        Requirement::GateUnchanged { key, gate } => vec![of_key(key, "gate", *gate)],
        Requirement::Absent { unique, now } => {
            let Lookup { kind, columns, values } = lookup(unique);
            let row = columns.iter().copied().zip(values).chain([("now", now.as_second().into()), number(0)]);
            vec![(Check::Absent(kind, columns), row.collect())]
        }
        Requirement::Below { total, bound, now } => {
            vec![total_row(total, *bound, *now, number(0), ahead(total))]
        }
        Requirement::AllZero { parent: _, totals } => {
            let row = |(place, total)| total_row(total, 1, Timestamp::UNIX_EPOCH, number(place), 0);
            (0..).zip(totals).map(row).collect()
        }
    }
}

fn total_row(
    total: &Total,
    bound: u32,
    now: Timestamp,
    number: NamedValue,
    ahead: i64,
) -> (Check, Vec<NamedValue>) {
    let latest = ("latest", total.latest_until(now).as_second().into());
    let bound = [("bound", bound.into()), ("now", now.as_second().into()), number];
    let (check, names): (_, Vec<NamedValue>) = match total {
        Total::Organizations => (Check::Organizations, vec![]),
        Total::ActiveEvents(organization) => {
            (Check::ActiveEvents, vec![("organization_id", organization.uuid().into())])
        }
        Total::Filled(organization, shift) => (
            Check::Filled,
            vec![("organization_id", organization.uuid().into()), ("shift_id", shift.uuid().into())],
        ),
        Total::Webhooks(organization) => {
            (Check::Webhooks, vec![("organization_id", organization.uuid().into())])
        }
        Total::Messages(organization, event) => (
            Check::Messages,
            vec![("organization_id", organization.uuid().into()), ("event_id", event.uuid().into()), latest],
        ),
        Total::InFlight(organization, webhook) => (
            Check::InFlight,
            vec![
                ("organization_id", organization.uuid().into()),
                ("webhook_id", webhook.uuid().into()),
                latest,
            ],
        ),
        Total::Answers(organization, event, question) => (
            Check::Answers,
            vec![
                ("organization_id", organization.uuid().into()),
                ("event_id", event.uuid().into()),
                ("question", question.to_string().into()),
            ],
        ),
    };
    (check, names.into_iter().chain(bound).chain([("ahead", ahead.into())]).collect())
}

impl Check {
    /// Returns the template of the query for all requirements of this kind. `columns` are those of its rows.
    pub(crate) fn template(self, columns: &[&'static str], dialect: Dialect) -> Template {
        Template::query(match self {
            Self::Unchanged(kind, column) => changed(kind, column, dialect),
            Self::Absent(kind, columns) => present(kind, columns, dialect),
            Self::Organizations
            | Self::ActiveEvents
            | Self::Filled
            | Self::Answers
            | Self::Webhooks
            | Self::Messages
            | Self::InFlight => {
                let count = self.count(dialect);
                let counted = match dialect {
                    // For SQLite a window costs more than the counts that it would save.
                    Dialect::Sqlite => format!("(SELECT given.*, ({count}) AS count FROM {GIVEN})"),
                    Dialect::Postgres => {
                        let is_of_total =
                            |column: &&str| ![CHANGE, "number", "bound", "ahead"].contains(column);
                        let total: Vec<_> = columns.iter().copied().filter(is_of_total).collect();
                        once(count, "count", &total.join(", "))
                    }
                };
                format!(
                    "SELECT change, number, CAST(count AS TEXT) AS fact, count >= bound AS is_final FROM {counted} \
                     WHERE count + ahead >= bound"
                )
            }
        })
    }

    /// Returns the query that counts a total for each `given`, or for PostgreSQL the call of a function that does.
    fn count(self, dialect: Dialect) -> &'static str {
        match (self, dialect) {
            (Self::Organizations, Dialect::Sqlite) => "SELECT COUNT(*) FROM organizations",
            (Self::Organizations, Dialect::Postgres) => "count_of_organizations()",
            (Self::ActiveEvents, Dialect::Sqlite) => {
                "SELECT COUNT(*) FROM events e WHERE e.organization_id = given.organization_id \
                 AND e.is_published = 1 AND e.cancelled_at IS NULL AND e.deleted_at IS NULL AND e.ends_at > given.now"
            }
            (Self::ActiveEvents, Dialect::Postgres) => {
                "count_of_active_events(given.organization_id, given.now)"
            }
            (Self::Filled, Dialect::Sqlite) => {
                "SELECT COALESCE(MAX(s.filled), 0) FROM shifts s WHERE s.organization_id = given.organization_id \
                 AND s.id = given.shift_id AND s.closed_at IS NULL"
            }
            (Self::Filled, Dialect::Postgres) => "filled_of_shift(given.organization_id, given.shift_id)",
            (Self::Answers, Dialect::Sqlite) => {
                "SELECT COUNT(*) FROM signups u, json_each(u.answers) answer \
                 WHERE u.organization_id = given.organization_id AND u.event_id = given.event_id \
                 AND answer.value->>'question_id' = given.question"
            }
            (Self::Answers, Dialect::Postgres) => {
                "count_of_answers(given.organization_id, given.event_id, given.question)"
            }
            (Self::Webhooks, Dialect::Sqlite) => {
                "SELECT COUNT(*) FROM webhooks w WHERE w.organization_id = given.organization_id"
            }
            (Self::Webhooks, Dialect::Postgres) => "count_of_webhooks(given.organization_id)",
            (Self::Messages, Dialect::Sqlite) => {
                "SELECT COUNT(*) FROM messages w WHERE w.organization_id = given.organization_id \
                 AND w.event_id = given.event_id AND w.counts_until > given.now AND w.counts_until <= given.latest"
            }
            (Self::Messages, Dialect::Postgres) => {
                "count_of_messages(given.organization_id, given.event_id, given.now, given.latest)"
            }
            (Self::InFlight, Dialect::Sqlite) => {
                "SELECT COUNT(*) FROM deliveries d WHERE d.organization_id = given.organization_id \
                 AND d.webhook_id = given.webhook_id AND d.leased_until > given.now AND d.leased_until <= given.latest"
            }
            (Self::InFlight, Dialect::Postgres) => {
                "count_in_flight(given.organization_id, given.webhook_id, given.now, given.latest)"
            }
            (Self::Unchanged(..) | Self::Absent(..), _) => "",
        }
    }
}

/// Returns a subquery for PostgreSQL: the rows of [`GIVEN`], with the result of `function` in a column `name`.
///
/// The result depends only on the columns `key`. The function is called once for each key, because a call takes about 10
/// microseconds. A join with the distinct keys is no faster: the planner expects few rows, and chooses a nested loop.
fn once(function: &str, name: &str, key: &str) -> String {
    format!(
        "(SELECT *, MAX(first) OVER (PARTITION BY {key}) AS {name} FROM (SELECT *, \
         CASE ROW_NUMBER() OVER (PARTITION BY {key}) WHEN 1 THEN {function} END AS first FROM {GIVEN}) numbered) found"
    )
}

/// Finds the records whose version, or gate, is another one.
fn changed(kind: Kind, column: &str, dialect: Dialect) -> String {
    let table = table(kind);
    let function = match (kind, dialect) {
        // An event is read under a lock that is not a lock of its row. So the row has to be looked up after the wait for the
        // lock: by a function, whose query has a snapshot of its own.
        (Kind::Event, Dialect::Postgres) => {
            Some(format!("(current_event(given.organization_id, given.id)).{column}"))
        }
        // For the same reason, because readers share the lock of the gate.
        (Kind::Organization, Dialect::Postgres) if column == "gate" => {
            Some("gate_of_organization(given.id)".to_owned())
        }
        _ => None,
    };
    let changed = if let Some(function) = function {
        let current = once(&function, "current", &table.key().join(", "));
        format!("{current} WHERE current IS DISTINCT FROM {column}")
    } else {
        let key = table.key().iter().map(|name| format!("t.{name} = given.{name} AND "));
        // PostgreSQL looks up the row of each `given` by itself, because a subquery with a lock is not joined.
        format!(
            "{GIVEN} WHERE NOT EXISTS (SELECT 1 FROM {} t WHERE {}t.{column} = given.{column} {})",
            table.name(),
            key.collect::<String>(),
            dialect.lock()
        )
    };
    format!("SELECT change, number, '' AS fact, TRUE AS is_final FROM {changed}")
}

/// Finds the records that have the values.
fn present(kind: Kind, columns: &[&str], dialect: Dialect) -> String {
    let table = table(kind);
    let alias = table.alias();
    let same = columns.iter().map(|column| format!("{alias}.{column} = given.{column}"));
    let same = same.collect::<Vec<_>>().join(" AND ");
    let is_place = columns == PLACE;
    let found = match (kind, dialect) {
        (Kind::Signup, Dialect::Sqlite) if is_place => {
            format!(
                "signups u WHERE {same} AND u.status = 'confirmed' AND (SELECT s.closed_at FROM shifts s \
                 WHERE s.organization_id = u.organization_id AND s.id = u.shift_id) IS NULL"
            )
        }
        (Kind::Signup, Dialect::Postgres) if is_place => {
            "LATERAL confirmed_signup(given.organization_id, given.shift_id, given.email_key) u".to_owned()
        }
        (Kind::Receipt, Dialect::Sqlite) => format!("receipts r WHERE {same} AND r.expires_at > given.now"),
        (Kind::Receipt, Dialect::Postgres) => {
            "LATERAL current_receipt(given.organization_id, given.caller_id, \
             given.operation, given.idempotency_key) r WHERE r.expires_at > given.now"
                .to_owned()
        }
        _ => format!("{} WHERE {same}", table.source()),
    };
    let record = dialect.record(&table.selected());
    format!("SELECT change, number, {record} AS fact, TRUE AS is_final FROM {GIVEN} CROSS JOIN {found}")
}

/// Decodes the refusal for the requirement of this number, with the fact that a check found.
pub(crate) fn refusal(requires: &[Requirement], number: i64, fact: &str) -> Result<Refusal, StoreError> {
    const WHAT: &str = "reading why a change set was refused";
    let failed = || StoreError::failed(WHAT, "no such requirement");
    let index = |number: i64| usize::try_from(number).map_err(|_| failed());
    let broken = requires.get(index(number / TOTALS)?).ok_or_else(failed)?;
    let not_below = |total: &Total| {
        let count = fact.parse().map_err(|error| StoreError::failed(WHAT, error))?;
        Ok(Refusal::NotBelow { total: total.clone(), count })
    };
    match broken {
        Requirement::Unchanged { key, .. } | Requirement::GateUnchanged { key, .. } => {
            Ok(Refusal::Changed(key.clone()))
        }
        Requirement::Absent { unique, .. } => {
            let table = table(lookup(unique).kind);
            let record = row::one(fact, &table.selected(), |row| table.read(row))?;
            Ok(Refusal::Taken(Box::new(record)))
        }
        Requirement::Below { total, .. } => not_below(total),
        Requirement::AllZero { totals, .. } => {
            not_below(totals.get(index(number % TOTALS)?).ok_or_else(failed)?)
        }
    }
}
