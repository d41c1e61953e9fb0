//! A change set as one statement.

use jiff::Timestamp;
use signup_core::{ChangeSet, Requirement, StoreError, Write};

use crate::sql::require;
use crate::sql::write::{RECEIPT_KEPT, Statement, Writer};
use crate::sql::{Dialect, Sql};

/// Statements that check and write. Each gives a row only if a requirement does not hold, and has then
/// written nothing; the requirements are part of the first one.
///
/// There is more than one only if a write depends on an earlier one of the same change set, which the parts of one
/// statement cannot see; none of the service's own change sets is of that kind. Then all have to run in one transaction.
///
/// **Order of locks**, in every statement and whatever the order of the requirements: the idempotency key, the first
/// organization, the organization (active events), the event (questions), the shift (an address, room, a version, a
/// sign-up's state), the sign-up (its secret), the notice, then the rows that are written. Locks are released by the commit
/// that follows at once, and no lock waits for a client.
pub(super) fn statements(change: &ChangeSet) -> Result<Vec<Sql>, StoreError> {
    let mut layers: Vec<&[Write]> = vec![];
    let mut rest = change.writes.as_slice();
    loop {
        let (layer, later) = rest.split_at(independent(rest));
        layers.push(layer);
        rest = later;
        if rest.is_empty() {
            break;
        }
    }
    layers.iter().enumerate().map(|(number, layer)| whole(change, layer, number == 0)).collect()
}

/// How many of the writes, from the first, can be parts of one statement: new rows, and at most one change of a row that
/// was there before.
fn independent(writes: &[Write]) -> usize {
    let (mut has_change, mut has_receipt, mut has_new) = (false, false, false);
    for (number, write) in writes.iter().enumerate() {
        match write {
            Write::InsertNotices(_) => {}
            Write::InsertReceipt(_) if has_receipt => return number,
            Write::InsertReceipt(_) => has_receipt = true,
            Write::InsertOrganization(_)
            | Write::InsertToken(_)
            | Write::InsertEvent { .. }
            | Write::InsertShifts(_)
            | Write::InsertQuestions(_) => has_new = true,
            Write::SetPlan { .. }
            | Write::RevokeToken { .. }
            | Write::UpdateShift(_)
            | Write::InsertSignup(_)
            | Write::CancelSignup { .. }
            | Write::RenewSecret { .. }
            | Write::EraseSignup { .. }
            | Write::UpdateNotice(_)
            | Write::DeleteNotice { .. } => {
                // It may be about the row that was changed, or made, before.
                if has_change || has_new {
                    return number;
                }
                has_change = true;
            }
        }
    }
    writes.len()
}

fn whole(change: &ChangeSet, writes: &[Write], with_checks: bool) -> Result<Sql, StoreError> {
    let mut sql = Sql::new(Dialect::Postgres);
    let is_checked = with_checks && !change.requires.is_empty();
    let mut separator = "WITH";
    if is_checked {
        sql.push("WITH broken AS MATERIALIZED (SELECT number, fact FROM (");
        let mut checks: Vec<_> = change.requires.iter().enumerate().collect();
        checks.sort_by_key(|(_, requirement)| lock_rank(requirement));
        for (place, (number, requirement)) in checks.into_iter().enumerate() {
            if place > 0 {
                sql.push("\nUNION ALL ");
            }
            require::check(&mut sql, number, requirement);
        }
        sql.push(") c (number, fact) ORDER BY length(number), number LIMIT 1)");
        separator = ",";
    }
    let when = if is_checked { "NOT EXISTS (SELECT 1 FROM broken)" } else { "TRUE" };
    let writer = Writer { dialect: Dialect::Postgres, when };
    let mut is_receipt_guarded = false;
    let mut number = 0;
    for write in writes {
        let live_at = live_at(change, write);
        is_receipt_guarded |= live_at.is_some();
        for Statement { name, text, values, .. } in writer.statements(write, live_at)? {
            number += 1;
            let name = name.map_or_else(|| format!("w{number}"), str::to_owned);
            sql.push(&format!("{separator} {name} AS (\n"));
            sql.add(&text, values);
            sql.push(")");
            separator = ",";
        }
    }
    sql.push("\nSELECT number, fact FROM ");
    sql.push(if is_checked { "broken" } else { "(SELECT '' AS number, '' AS fact) nothing WHERE FALSE" });
    if is_receipt_guarded {
        // The lock of the key keeps others away from it. If the key is another's all the same, the statement ends with an
        // error that asks for another try, which will find that receipt.
        sql.push(&format!(
            "\nUNION ALL SELECT '', try_again() WHERE {when} AND NOT EXISTS (SELECT 1 FROM {RECEIPT_KEPT})"
        ));
    }
    Ok(sql)
}

/// The time by which the change set requires the key of this receipt to be free, if it does.
fn live_at(change: &ChangeSet, write: &Write) -> Option<Timestamp> {
    let Write::InsertReceipt(receipt) = write else { return None };
    change.requires.iter().find_map(|requirement| match requirement {
        Requirement::NoReceipt { key, now } if *key == receipt.key => Some(*now),
        _ => None,
    })
}

/// Where the lock of a requirement stands in the order in which every statement takes its locks.
const fn lock_rank(requirement: &Requirement) -> u8 {
    match requirement {
        Requirement::NoReceipt { .. } => 0,
        Requirement::NoOrganization => 1,
        Requirement::ActiveEventsBelow { .. } => 2,
        Requirement::QuestionCount { .. } => 3,
        Requirement::ShiftAtVersion { .. }
        | Requirement::ShiftHasRoom { .. }
        | Requirement::AddressNotOnShift { .. }
        | Requirement::SignupConfirmed { .. } => 4,
        Requirement::SignupHasSecret { .. } => 5,
        Requirement::NoticeAtVersion { .. } => 6,
        // They take no lock.
        Requirement::OrganizationSlugFree(_) | Requirement::EventSlugFree(_) => 7,
    }
}
