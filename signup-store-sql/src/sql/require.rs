//! The requirements of a change set, as one query.
//!
//! The query has a part for each run of requirements of one kind. It returns a row for each requirement that does *not* hold: the
//! number of the requirement and the fact that was found. The lowest number is the refusal.
//!
//! The facts must hold until the commit. SQLite has one writer at a time. On PostgreSQL the transaction holds a lock for each fact,
//! acquired by an earlier statement: see `postgres/locks.rs`.

use signup_core::{Kind, RecordKey, Refusal, Requirement, StoreError, Timestamp, Total};

use super::row;
use super::{Dialect, Statement, Value};
use crate::records::unique::{Lookup, PLACE, lookup};
use crate::records::{key_values, table};

/// A requirement's number is `index * TOTALS`, plus the place of the total for `AllZero`.
const TOTALS: i64 = 1 << 16;

/// One requirement as a part of the query: `SELECT number, fact FROM given rest`.
struct Check {
    fact: String,
    /// The joins and the condition of a requirement that does not hold. The values are the columns `column2`, `column3`, … of
    /// `given`.
    rest: String,
    number: i64,
    values: Vec<Value>,
}

/// Returns the query for the requirements that do not hold, `None` if nothing is required. Each row has two texts: the number of
/// the requirement, and the fact.
pub(crate) fn query(dialect: Dialect, requires: &[Requirement]) -> Option<Statement> {
    let checks = (0..).zip(requires).flat_map(|(index, requirement)| checks(dialect, requirement, index));
    let checks: Vec<_> = checks.collect();
    let mut sql = Statement::new(dialect);
    for run in checks.chunk_by(|one, other| (&one.fact, &one.rest) == (&other.fact, &other.rest)) {
        let Check { fact, rest, .. } = &run[0];
        let union = if sql.text.is_empty() { "" } else { "\nUNION ALL " };
        sql.push(&format!("{union}SELECT CAST(given.column1 AS TEXT), {fact} FROM ("));
        sql.push_values(run.iter().map(|check| [vec![check.number.into()], check.values.clone()].concat()));
        sql.push(&format!(") AS given {rest}"));
    }
    (!checks.is_empty()).then_some(sql)
}

fn checks(dialect: Dialect, requirement: &Requirement, index: i64) -> Vec<Check> {
    let number = index * TOTALS;
    match requirement {
        Requirement::Unchanged { key, version } => vec![changed(key, "version", *version, number)],
        Requirement::GateUnchanged { key, gate } => vec![changed(key, "gate", *gate, number)],
        Requirement::Absent { unique, now } => vec![present(dialect, &lookup(unique), *now, number)],
        Requirement::Below { total, bound, now } => vec![not_below(dialect, total, *bound, *now, number)],
        Requirement::AllZero { parent: _, totals } => {
            let totals = (number..).zip(totals);
            totals
                .map(|(number, total)| not_below(dialect, total, 1, Timestamp::UNIX_EPOCH, number))
                .collect()
        }
    }
}

/// Finds a record that is missing, or has another number in this column.
fn changed(key: &RecordKey, column: &str, expected: u32, number: i64) -> Check {
    let table = table(key.kind());
    let columns = table.key().iter().copied().chain([column]);
    let same = columns.zip(2..).map(|(name, place)| format!("t.{name} = given.column{place}"));
    let same = same.collect::<Vec<_>>().join(" AND ");
    Check {
        fact: "''".to_owned(),
        rest: format!("WHERE NOT EXISTS (SELECT 1 FROM {} t WHERE {same})", table.name()),
        number,
        values: key_values(key).into_iter().chain([expected.into()]).collect(),
    }
}

/// Finds the record that has a unique value, unless it is replaceable.
fn present(dialect: Dialect, unique: &Lookup, now: Timestamp, number: i64) -> Check {
    let (table, mut values) = (table(unique.kind), unique.values.clone());
    let same = |alias: char| {
        let same = unique
            .columns
            .iter()
            .zip(2..)
            .map(|(name, place)| format!("{alias}.{name} = given.column{place}"));
        same.collect::<Vec<_>>().join(" AND ")
    };
    let rest = if unique.columns == PLACE {
        // The index of the places finds the sign-up, and the view knows whether its shift is closed.
        format!(
            "JOIN signups p ON {} AND p.status = 'confirmed' \
             JOIN current_signups u ON u.organization_id = p.organization_id AND u.id = p.id WHERE u.status = 'confirmed'",
            same('p')
        )
    } else if unique.kind == Kind::Receipt {
        values.push(now.into());
        let now = values.len() + 1;
        format!("JOIN receipts r ON {} WHERE r.expires_at > given.column{now}", same('r'))
    } else {
        format!("CROSS JOIN {} WHERE {}", table.source(), same(table.alias()))
    };
    Check { fact: dialect.record(&table.selected()), rest, number, values }
}

/// Finds a total that has reached its bound.
fn not_below(dialect: Dialect, total: &Total, bound: u32, now: Timestamp, number: i64) -> Check {
    let (count, of_total) = count(dialect, total, now);
    Check {
        fact: format!("CAST(({count}) AS TEXT)"),
        rest: format!("WHERE ({count}) >= given.column2"),
        number,
        values: [vec![bound.into()], of_total].concat(),
    }
}

/// Returns the query that counts a total, and its values, which are the columns from `column3` on.
fn count(dialect: Dialect, total: &Total, now: Timestamp) -> (String, Vec<Value>) {
    let latest = total.latest_until(now);
    match total {
        Total::Organizations => ("SELECT COUNT(*) FROM organizations".to_owned(), vec![]),
        Total::ActiveEvents(organization) => (
            format!(
                "SELECT COUNT(*) FROM events WHERE organization_id = given.column3 AND {} AND cancelled_at IS NULL \
                 AND deleted_at IS NULL AND ends_at > given.column4",
                dialect.is_flag("is_published", true)
            ),
            vec![organization.uuid().into(), now.into()],
        ),
        // A closed shift has no confirmed sign-ups.
        Total::Filled(organization, shift) => (
            "SELECT COALESCE(MAX(filled), 0) FROM shifts WHERE organization_id = given.column3 AND id = given.column4 \
             AND closed_at IS NULL"
                .to_owned(),
            vec![organization.uuid().into(), shift.uuid().into()],
        ),
        Total::Answers(organization, event, question) => (
            format!("SELECT COUNT(*) FROM {}", dialect.signups_with_answer()),
            vec![organization.uuid().into(), event.uuid().into(), question.to_string().into()],
        ),
        Total::Webhooks(organization) => (
            "SELECT COUNT(*) FROM webhooks WHERE organization_id = given.column3".to_owned(),
            vec![organization.uuid().into()],
        ),
        Total::InFlight(organization, webhook) => (
            "SELECT COUNT(*) FROM deliveries WHERE organization_id = given.column3 AND webhook_id = given.column4 \
             AND leased_until > given.column5 AND leased_until <= given.column6"
                .to_owned(),
            vec![organization.uuid().into(), webhook.uuid().into(), now.into(), latest.into()],
        ),
        Total::Messages(organization, event) => (
            "SELECT COUNT(*) FROM messages WHERE organization_id = given.column3 AND event_id = given.column4 \
             AND counts_until > given.column5 AND counts_until <= given.column6"
                .to_owned(),
            vec![organization.uuid().into(), event.uuid().into(), now.into(), latest.into()],
        ),
    }
}

/// Returns the refusal from the rows of the [`query`]. `None`: every requirement holds.
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
    let place = |number: i64| usize::try_from(number).map_err(|_| failed());
    let not_below = |total: &Total| {
        let count = fact.parse().map_err(|error| StoreError::failed(WHAT, error))?;
        Ok(Refusal::NotBelow { total: total.clone(), count })
    };
    match requires.get(place(number / TOTALS)?).ok_or_else(failed)? {
        Requirement::Unchanged { key, .. } | Requirement::GateUnchanged { key, .. } => {
            Ok(Refusal::Changed(key.clone()))
        }
        Requirement::Absent { unique, .. } => {
            let table = table(lookup(unique).kind);
            let record = row::one(&fact, &table.selected(), |row| table.read(row))?;
            Ok(Refusal::Taken(Box::new(record)))
        }
        Requirement::Below { total, .. } => not_below(total),
        Requirement::AllZero { totals, .. } => {
            not_below(totals.get(place(number % TOTALS)?).ok_or_else(failed)?)
        }
    }
    .map(Some)
}
