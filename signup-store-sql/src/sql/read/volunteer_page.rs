//! The list of volunteers, page by page.

use signup_core::{OrganizationId, Page, Position, SearchText, Side, Volunteer, VolunteerQuery};

use super::page::{HAS_OTHER_SIDE, PAGE, cut, page_with_side, row_limit};
use super::reader::{Reader, StoreResult};
use crate::records::{shift, signup};
use crate::sql::column::SelectedColumn;
use crate::sql::row;
use crate::sql::{Dialect, Statement, Value, values};

/// Returns the columns of a page: those of the sign-ups of its volunteers.
fn columns() -> Vec<SelectedColumn> {
    [PAGE.columns(), signup::TABLE.columns(), shift::scheduled_columns()].concat()
}

/// Returns the statement for a page: the addresses are a range of their index, and the sign-ups of each are few.
pub(crate) fn volunteer_page_query(
    dialect: Dialect,
    organization: OrganizationId,
    wanted: &VolunteerQuery,
) -> Statement {
    let mut values = values![organization.uuid()];
    let mut parameter = |value: Value| {
        values.push(value);
        format!("${}", values.len())
    };
    let mut filter = Dialect::is_of_live_event('u');
    if let Some(email) = &wanted.email {
        filter += &format!(" AND u.email_key = {}", parameter(email.key().into()));
    }
    for word in wanted.search.iter().flat_map(SearchText::line_beginnings) {
        filter += &format!(" AND {}", dialect.contains("u.search_key", &parameter(word.into())));
    }
    let range = |what: &str, comparison: &str, key: &str, direction: &str, limit: u32| {
        format!(
            "SELECT {what} FROM signups u WHERE u.organization_id = $1 AND u.email_key {comparison} {key} AND {filter} \
             ORDER BY u.email_key {direction} LIMIT {limit}"
        )
    };
    let (addresses, limit) = ("DISTINCT u.email_key", row_limit(wanted.limit));
    let key = parameter(wanted.position.as_ref().map_or("", |position| position.key.key()).into());
    let (page, other_side) = match &wanted.position {
        None => (range(addresses, ">", &key, "ASC", limit), None),
        Some(Position { side: Side::Below, .. }) => {
            (range(addresses, ">", &key, "ASC", limit), Some(range("1", "<=", &key, "DESC", 1)))
        }
        Some(Position { side: Side::Above, .. }) => {
            (range(addresses, "<", &key, "DESC", limit), Some(range("1", ">=", &key, "ASC", 1)))
        }
    };
    // A page without volunteers has no rows. It has no neighbours either.
    let from = format!(
        "{} JOIN current_signups u ON u.organization_id = $1 AND u.email_key = v.email_key \
         JOIN shifts s ON s.organization_id = u.organization_id AND s.id = u.shift_id \
         JOIN events e ON e.organization_id = s.organization_id AND e.id = s.event_id WHERE e.deleted_at IS NULL",
        page_with_side(&page, 'v', other_side)
    );
    Statement::of(dialect, &dialect.select(&columns(), &from), values)
}

pub(crate) async fn volunteer_page(
    reader: &impl Reader,
    organization: OrganizationId,
    wanted: &VolunteerQuery,
) -> StoreResult<Page<Volunteer>> {
    let statement = volunteer_page_query(reader.dialect(), organization, wanted);
    let [json] = reader.only_row("listing volunteers", statement).await?;
    let mut has_other_side = false;
    let signups = row::all(&json, &columns(), |row| {
        has_other_side = row.of(&PAGE).flag(HAS_OTHER_SIDE)?;
        let signup = signup::read(row)?;
        let shift = shift::read_scheduled((signup.organization, signup.event), row)?;
        Ok((signup, shift))
    })?;
    let mut found = Volunteer::of_signups(signups);
    let side = wanted.position.as_ref().map(|position| position.side);
    let (goes_on_above, goes_on_below) = cut(&mut found, wanted.limit, side, has_other_side);
    let key = |volunteer: &Volunteer| volunteer.email.clone();
    let first = found.first().filter(|_| goes_on_above).map(key);
    let last = found.last().filter(|_| goes_on_below).map(key);
    Ok(Page::new(found, first, last))
}
