//! The list of volunteers, page by page.

use signup_core::{OrganizationId, Page, SearchText, Side, Volunteer, VolunteerQuery};

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

/// Returns the statement for a page: the keys are a range of an index, and the sign-ups of each address are few.
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
    // The list by name has the sign-up of each address with the first name, and another one of the address may be wanted.
    let alias = if wanted.is_by_name { 'f' } else { 'u' };
    let mut conditions = vec![Dialect::is_of_live_event(alias)];
    if let Some(email) = &wanted.email {
        conditions.push(format!("{alias}.email_key = {}", parameter(email.key().into())));
    }
    for word in wanted.search.iter().flat_map(SearchText::line_beginnings) {
        conditions.push(dialect.contains(&format!("{alias}.search_key"), &parameter(word.into())));
    }
    let mut filter = conditions.join(" AND ");
    if wanted.is_by_name {
        let of_address = "FROM signups f WHERE f.organization_id = $1 AND f.email_key = u.email_key";
        let first = format!("f.name_order {of_address} AND {} ORDER BY f.name_order LIMIT 1", conditions[0]);
        filter = format!(
            "u.name_order = (SELECT {first}) AND (SELECT 1 {of_address} AND {filter} LIMIT 1) IS NOT NULL"
        );
    }
    let mut keys =
        vec![("u.email_key", wanted.position.as_ref().map_or("", |position| position.key.email.key()))];
    if wanted.is_by_name {
        let name = wanted.position.as_ref().and_then(|position| position.key.name.as_deref());
        keys.insert(0, ("u.name_order", name.unwrap_or_default()));
    }
    let sorted_by = keys.iter().map(|(column, _)| *column).collect::<Vec<_>>().join(", ");
    let at = keys.into_iter().map(|(_, key)| parameter(key.into())).collect::<Vec<_>>().join(", ");
    let range = |what: &str, comparison: &str, direction: &str, limit: u32| {
        let order = sorted_by.replace(',', &format!(" {direction},"));
        format!(
            "SELECT {what} FROM signups u WHERE u.organization_id = $1 AND ({sorted_by}) {comparison} ({at}) AND {filter} \
             ORDER BY {order} {direction} LIMIT {limit}"
        )
    };
    let (distinct, limit) = (format!("DISTINCT {sorted_by}"), row_limit(wanted.limit));
    let (page, other_side) = match wanted.position.as_ref().map(|position| position.side) {
        None => (range(&distinct, ">", "ASC", limit), None),
        Some(Side::Below) => (range(&distinct, ">", "ASC", limit), Some(range("1", "<=", "DESC", 1))),
        Some(Side::Above) => (range(&distinct, "<", "DESC", limit), Some(range("1", ">=", "ASC", 1))),
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
    found.sort_by_cached_key(|volunteer| volunteer.key(wanted.is_by_name));
    let (goes_on_above, goes_on_below) = cut(&mut found, wanted.limit, side, has_other_side);
    let key = |volunteer: &Volunteer| volunteer.key(wanted.is_by_name);
    let first = found.first().filter(|_| goes_on_above).map(key);
    let last = found.last().filter(|_| goes_on_below).map(key);
    Ok(Page::new(found, first, last))
}
