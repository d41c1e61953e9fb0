//! The requirements of a change set, as a query.
//!
//! The query has a part for all requirements of one kind. It returns a row for each requirement that does *not* hold: the number of
//! the requirement and the fact that was found. The lowest number is the refusal.
//!
//! The facts must hold until the commit. SQLite has one writer at a time. On PostgreSQL the transaction holds a lock for each fact,
//! acquired by an earlier statement: see `postgres/locks.rs`.

use std::collections::BTreeMap;

use signup_core::{Kind, OrganizationId, RecordKey, Refusal, Requirement, StoreError, Timestamp, Total};

use super::row;
use super::{Dialect, NamedValue, Statement, same_as_given, unnamed};
use crate::records::unique::{Lookup, PLACE, lookup};
use crate::records::{key_values, table};

/// A requirement's number is `index * TOTALS`, plus the index of the total for `AllZero`.
const TOTALS: i64 = 1 << 16;
/// The most requirements of one query. None has more than 7 values, so this bounds the values.
const MAX_CHECKS: usize = 2000;

/// One requirement as a part of the query: `SELECT number, fact FROM given rest`.
struct Check {
    fact: String,
    /// The joins and the condition of a requirement that does not hold.
    rest: String,
    /// The values of `given`. The first one is the number.
    given: Vec<NamedValue>,
}

/// Returns the queries for the requirements that do not hold: one, unless there are very many requirements. Each row has two texts:
/// the number of the requirement, and the fact.
pub(crate) fn queries(dialect: Dialect, requires: &[Requirement]) -> Vec<Statement> {
    let checks = (0..).zip(requires).flat_map(|(index, requirement)| checks(dialect, requirement, index));
    let checks: Vec<_> = checks.collect();
    checks.chunks(MAX_CHECKS).map(|checks| query(dialect, checks)).collect()
}

fn query(dialect: Dialect, checks: &[Check]) -> Statement {
    let mut parts: BTreeMap<(&str, &str), Vec<&Check>> = BTreeMap::new();
    for check in checks {
        parts.entry((&check.fact, &check.rest)).or_default().push(check);
    }
    let mut sql = Statement::new(dialect);
    for ((fact, rest), checks) in parts {
        let union = if sql.text.is_empty() { "" } else { "\nUNION ALL " };
        sql.push(&format!("{union}SELECT * FROM ("));
        let (columns, rows) = unnamed(checks.into_iter().map(|check| check.given.clone()));
        sql.push_given(&columns, rows);
        sql.push(&format!("SELECT CAST(given.number AS TEXT), {fact} FROM given {rest}) AS broken"));
    }
    sql
}

fn checks(dialect: Dialect, requirement: &Requirement, index: i64) -> Vec<Check> {
    let number = index * TOTALS;
    match requirement {
        Requirement::Unchanged { key, version } => vec![changed(key, "version", *version, number)],
        Requirement::GateUnchanged { key, gate } => vec![changed(key, "gate", *gate, number)],
        Requirement::Absent { unique, now } => vec![present(dialect, lookup(unique), *now, number)],
        Requirement::Below { total, bound, now } => {
            vec![unless(dialect, (total, *now), "<", *bound, number)]
        }
        Requirement::AtLeast { total, bound, now } => {
            vec![unless(dialect, (total, *now), ">=", *bound, number)]
        }
        Requirement::AllZero { parent: _, totals } => {
            let totals = (number..).zip(totals);
            totals
                .map(|(number, total)| unless(dialect, (total, Timestamp::UNIX_EPOCH), "<", 1, number))
                .collect()
        }
    }
}

/// Finds a record that is missing, or has another number in this column.
fn changed(key: &RecordKey, column: &'static str, expected: u32, number: i64) -> Check {
    let table = table(key.kind());
    let columns = [table.key(), &[column]].concat();
    let same = same_as_given('t', &columns);
    let values = key_values(key).into_iter().chain([expected.into()]);
    Check {
        fact: "''".to_owned(),
        rest: format!("WHERE NOT EXISTS (SELECT 1 FROM {} t WHERE {same})", table.name()),
        given: [("number", number.into())].into_iter().chain(columns.into_iter().zip(values)).collect(),
    }
}

/// Finds the record that has a unique value, unless it is replaceable.
fn present(dialect: Dialect, unique: Lookup, now: Timestamp, number: i64) -> Check {
    let Lookup { kind, columns, values } = unique;
    let table = table(kind);
    let mut given = vec![("number", number.into())];
    given.extend(columns.iter().copied().zip(values));
    let rest = if columns == PLACE {
        // The index of the places finds the sign-up, and the view knows whether its shift is closed.
        format!(
            "JOIN signups p ON {} AND p.status <> 'cancelled' \
             JOIN current_signups u ON u.organization_id = p.organization_id AND u.id = p.id WHERE u.status <> 'cancelled'",
            same_as_given('p', columns)
        )
    } else if kind == Kind::Receipt {
        given.push(("now", now.into()));
        format!("JOIN receipts r ON {} WHERE r.expires_at > given.now", same_as_given('r', columns))
    } else {
        format!("CROSS JOIN {} WHERE {}", table.source(), same_as_given(table.alias(), columns))
    };
    Check { fact: dialect.record(&table.selected()), rest, given }
}

/// Finds a total that does not compare with its bound as required.
fn unless(
    dialect: Dialect,
    (total, now): (&Total, Timestamp),
    comparison: &str,
    bound: u32,
    number: i64,
) -> Check {
    let (count, of_total) = count(dialect, total, now);
    Check {
        fact: format!("CAST(({count}) AS TEXT)"),
        rest: format!("WHERE NOT (({count}) {comparison} given.bound)"),
        given: [vec![("number", number.into()), ("bound", bound.into())], of_total].concat(),
    }
}

/// Returns the query that counts a total, and the values of `given` that it needs.
fn count(dialect: Dialect, total: &Total, now: Timestamp) -> (String, Vec<NamedValue>) {
    let owner = |organization: &OrganizationId| ("organization_id", organization.uuid().into());
    let latest = total.latest_until(now);
    match total {
        Total::Organizations => ("SELECT COUNT(*) FROM organizations".to_owned(), vec![]),
        Total::ActiveEvents(organization) => (
            format!(
                "SELECT COUNT(*) FROM events WHERE organization_id = given.organization_id AND {} AND cancelled_at IS NULL \
                 AND deleted_at IS NULL AND ends_at > given.now",
                dialect.is_flag("is_published", true)
            ),
            vec![owner(organization), ("now", now.into())],
        ),
        Total::Filled(organization, shift) => {
            (stored_count("filled"), vec![owner(organization), ("shift_id", shift.uuid().into())])
        }
        Total::Waiting(organization, shift) => {
            (stored_count("waitlisted"), vec![owner(organization), ("shift_id", shift.uuid().into())])
        }
        Total::PlacesOf(organization, shift, email_key) => (
            "SELECT COUNT(*) FROM signups p JOIN shifts s ON s.organization_id = p.organization_id AND s.id = p.shift_id \
             WHERE p.organization_id = given.organization_id AND p.shift_id = given.shift_id \
             AND p.email_key = given.email_key AND p.status <> 'cancelled' AND s.closed_at IS NULL"
                .to_owned(),
            vec![
                owner(organization),
                ("shift_id", shift.uuid().into()),
                ("email_key", email_key.as_str().into()),
            ],
        ),
        Total::Answers(organization, event, question) => (
            format!("SELECT COUNT(*) FROM {}", dialect.signups_with_answer()),
            vec![
                owner(organization),
                ("event_id", event.uuid().into()),
                ("question_id", question.to_string().into()),
            ],
        ),
        Total::Webhooks(organization) => (
            "SELECT COUNT(*) FROM webhooks WHERE organization_id = given.organization_id".to_owned(),
            vec![owner(organization)],
        ),
        Total::InFlight(organization, webhook) => (
            "SELECT COUNT(*) FROM deliveries WHERE organization_id = given.organization_id \
             AND webhook_id = given.webhook_id AND leased_until > given.now AND leased_until <= given.latest"
                .to_owned(),
            vec![
                owner(organization),
                ("webhook_id", webhook.uuid().into()),
                ("now", now.into()),
                ("latest", latest.into()),
            ],
        ),
        Total::Messages(organization, event) => (
            "SELECT COUNT(*) FROM messages WHERE organization_id = given.organization_id AND event_id = given.event_id \
             AND counts_until > given.now AND counts_until <= given.latest"
                .to_owned(),
            vec![
                owner(organization),
                ("event_id", event.uuid().into()),
                ("now", now.into()),
                ("latest", latest.into()),
            ],
        ),
    }
}

/// Returns the query for a total that is a column of a shift. A closed shift has no active sign-ups.
fn stored_count(column: &str) -> String {
    format!(
        "SELECT COALESCE(MAX({column}), 0) FROM shifts WHERE organization_id = given.organization_id \
         AND id = given.shift_id AND closed_at IS NULL"
    )
}

/// Returns the refusal from the rows of the [`queries`]. `None`: every requirement holds.
pub(crate) fn refusal(
    requires: &[Requirement],
    rows: Vec<[String; 2]>,
) -> Result<Option<Refusal>, StoreError> {
    const WHAT: &str = "reading why a change set was refused";
    let failed = || StoreError::failed(WHAT, "no such requirement");
    let mut broken: Option<(i64, String)> = None;
    for [number, fact] in rows {
        let number = number.parse().map_err(|error| StoreError::failed(WHAT, error))?;
        if broken.as_ref().is_none_or(|(first, _)| number < *first) {
            broken = Some((number, fact));
        }
    }
    let Some((number, fact)) = broken else { return Ok(None) };
    let index = |number: i64| usize::try_from(number).map_err(|_| failed());
    let count = || fact.parse().map_err(|error| StoreError::failed(WHAT, error));
    let not_below = |total: &Total| Ok(Refusal::NotBelow { total: total.clone(), count: count()? });
    match requires.get(index(number / TOTALS)?).ok_or_else(failed)? {
        Requirement::Unchanged { key, .. } | Requirement::GateUnchanged { key, .. } => {
            Ok(Refusal::Changed(key.clone()))
        }
        Requirement::Absent { unique, .. } => {
            let table = table(lookup(unique).kind);
            let record = row::one(&fact, &table.selected(), |row| table.read(row))?;
            Ok(Refusal::Taken(Box::new(record)))
        }
        Requirement::Below { total, .. } => not_below(total),
        Requirement::AtLeast { total, .. } => {
            Ok(Refusal::NotAtLeast { total: total.clone(), count: count()? })
        }
        Requirement::AllZero { totals, .. } => {
            not_below(totals.get(index(number % TOTALS)?).ok_or_else(failed)?)
        }
    }
    .map(Some)
}
