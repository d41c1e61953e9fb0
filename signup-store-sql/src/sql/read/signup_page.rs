//! The lists of sign-ups, page by page, and a sign-up with the records that it refers to.

use signup_core::{
    CancelledBy, Deleted, EmailAddress, OrganizationId, Page, Position, SearchText, Signup, SignupId,
    SignupInFull, SignupQuery, SignupStatus,
};
use uuid::Uuid;

use super::page::{IdPage, IdRange, id_page, page_columns, read_id_page, row_limit};
use super::reader::{Reader, Result, one};
use crate::records::{event, organization, shift, signup};
use crate::sql::row::Row;
use crate::sql::{Dialect, Statement, Value, values};

/// Returns the statement for a page of sign-ups. The result has at least one sign-up more than the page, if there is one, and
/// says whether a sign-up lies on the other side of the position.
///
/// Each scope has an index that ends in the id, and each side of a position is a range of the index. So the cost depends on
/// the length of the page, and on the sign-ups between that the query does not select. A search looks at each of them. The
/// sign-ups of one address are few: they are read by the address, and then sorted.
///
/// A fan-out reads upwards, from the last sign-up that it has covered. That sign-up is mostly the one on the other side.
pub(crate) fn signup_page_query(
    dialect: Dialect,
    organization: OrganizationId,
    wanted: &SignupQuery,
) -> Statement {
    let status = wanted.status.map(SignupStatus::name);
    let cancelled_by = wanted.cancelled_by.map(CancelledBy::name);
    let mut values = values![organization.uuid(), status, Uuid::nil(), Uuid::max(), cancelled_by];
    let mut parameter = |value: Value| {
        values.push(value);
        format!("${}", values.len())
    };
    let (addressed, table) = match wanted.email.as_ref().map(EmailAddress::key) {
        Some(key) => {
            let addressed = format!(
                "WITH addressed AS MATERIALIZED \
                 (SELECT * FROM current_signups WHERE organization_id = $1 AND email_key = {}) ",
                parameter(key.into())
            );
            (addressed, "addressed")
        }
        None => (String::new(), "current_signups"),
    };
    let searched = wanted.search.as_ref().map(SearchText::key).map(|text| {
        let text = parameter(text.into());
        format!("AND {} ", dialect.contains("u.search_key", &text))
    });
    let searched = searched.unwrap_or_default();
    let shift = wanted.shift.map(|shift| ("shift_id", parameter(shift.uuid().into())));
    let event = wanted.event.map(|event| ("event_id", parameter(event.uuid().into())));
    // The sign-ups for a shift are those of its event, so this condition skips all of them or none. Without IS TRUE the
    // planner may look them up in the index of the event.
    let of_event = match (&shift, &event) {
        (Some(_), Some((column, event))) => format!("AND (u.{column} = {event}) IS TRUE "),
        _ => String::new(),
    };
    let scope = shift.or(event);
    let position = wanted.position.map(|Position { key, side }| (parameter(key.uuid().into()), side));
    let scope = scope.as_ref().map(|(column, parameter)| (*column, parameter.as_str()));
    let position = position.as_ref().map(|(id, side)| (id.as_str(), *side));
    let IdPage { page, other_side } = id_page(dialect, 'u', scope, position, ["$3", "$4"]);
    let select = |what: &str, IdRange { condition, order }: IdRange, limit: u32| {
        let is_live = match wanted.deleted {
            Deleted::Excluded => format!("AND {} ", Dialect::is_of_live_event('u')),
            Deleted::Included => String::new(),
        };
        // A parameter also for a column that is not filtered: a connection keeps only a few statements prepared.
        format!(
            "SELECT {what} FROM {table} u WHERE u.organization_id = $1 AND {condition} AND ($2 IS NULL OR u.status = $2) \
             AND ($5 IS NULL OR u.cancelled_by = $5) {of_event}{searched}{is_live}{order} LIMIT {limit}"
        )
    };
    // The nearest sign-ups come first, because the neighbouring page has one that the query selects.
    let other_side = other_side.map(|range| select("1", range, 1));
    let other_side = other_side.map_or_else(|| "1 = 0".to_owned(), |one| format!("({one}) IS NOT NULL"));
    let page = select("*", page, row_limit(wanted.limit));
    let from = format!("(SELECT {other_side} AS has_other_side) p LEFT JOIN ({page}) u ON TRUE");
    Statement::of(
        dialect,
        &format!("{addressed}{}", dialect.select(&page_columns(&signup::TABLE), &from)),
        values,
    )
}

pub(crate) async fn signup_page(
    reader: &impl Reader,
    organization: OrganizationId,
    wanted: &SignupQuery,
) -> Result<Page<Signup>> {
    let page = signup_page_query(reader.dialect(), organization, wanted);
    let wanted = (wanted.limit, wanted.position);
    read_id_page(reader, "listing sign-ups", page, &signup::TABLE, wanted, |signup| signup.id).await
}

/// Reads a sign-up with its organization, event and shift, deleted or not.
pub(crate) async fn signup_in_full(
    reader: &impl Reader,
    organization: OrganizationId,
    id: SignupId,
) -> Result<Option<SignupInFull>> {
    let columns = [
        signup::TABLE.columns(),
        shift::TABLE.columns(),
        event::TABLE.columns(),
        organization::TABLE.columns(),
    ];
    let from = "current_signups u JOIN shifts s ON s.organization_id = u.organization_id AND s.id = u.shift_id \
         JOIN events e ON e.organization_id = s.organization_id AND e.id = s.event_id \
         JOIN organizations o ON o.id = u.organization_id \
         WHERE u.organization_id = $1 AND u.id = $2";
    let read = |row: Row<'_>| {
        let event = event::read(row)?;
        let shift = shift::read_of((event.organization, event.id), row)?;
        Ok(SignupInFull::new(organization::read(row)?, event, shift, signup::read(row)?))
    };
    let values = values![organization.uuid(), id.uuid()];
    one(reader, "reading a sign-up in full", columns.concat(), from, values, read).await
}
