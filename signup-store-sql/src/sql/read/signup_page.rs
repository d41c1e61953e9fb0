//! The lists of sign-ups, page by page, alone or with the records that they refer to.

use std::cmp::Reverse;

use signup_core::{
    Deleted, EmailAddress, OrganizationId, Page, SearchText, Signup, SignupId, SignupInFull, SignupQuery,
    SignupStatus,
};

use super::page::{IdPage, cut};
use super::reader::{Reader, StoreResult, sorted};
use crate::records::{event, organization, shift, signup};
use crate::sql::column::SelectedColumn;
use crate::sql::row::{self, Row};
use crate::sql::{Dialect, Statement};

/// Each scope has an index. A search looks at each sign-up of its scope. The sign-ups of one address are few: they are read by the
/// address, and then sorted.
///
/// A job reads upwards, from the last sign-up that it has covered. That sign-up is mostly the one on the other side.
fn page(dialect: Dialect, organization: OrganizationId, wanted: &SignupQuery) -> IdPage<Signup> {
    let SignupQuery { limit, position, .. } = *wanted;
    let mut page = IdPage::new(&signup::TABLE, organization, limit, position, SignupId::uuid);
    if let Some(key) = wanted.email.as_ref().map(EmailAddress::key) {
        let key = page.parameter(key);
        page.with = format!(
            "WITH addressed AS MATERIALIZED \
             (SELECT * FROM current_signups WHERE organization_id = $1 AND email_key = {key}) "
        );
        page.source = "addressed";
    }
    if let Some(id) = wanted.id {
        let id = page.parameter(id.uuid());
        page.filter += &format!(" AND u.id = {id}");
    }
    let shift = wanted.shift.map(|shift| ("shift_id", shift.uuid()));
    let event = wanted.event.map(|event| ("event_id", event.uuid()));
    page.scope = shift.or(event);
    page.filter_by("status", wanted.status.map(SignupStatus::name));
    if wanted.status == Some(SignupStatus::Waitlisted) {
        // Few sign-ups wait, and they have an index.
        page.filter += " AND u.stored_status = 'waitlisted'";
    }
    if let (Some(_), Some((column, event))) = (shift, event) {
        // The sign-ups for a shift are those of its event, so this condition skips all of them or none. Without IS TRUE the planner
        // may look them up in the index of the event.
        let event = page.parameter(event);
        page.filter += &format!(" AND (u.{column} = {event}) IS TRUE");
    }
    if let Some(text) = wanted.search.as_ref().map(SearchText::key) {
        let text = page.parameter(text);
        page.filter += &format!(" AND {}", dialect.contains("u.search_key", &text));
    }
    if wanted.deleted == Deleted::Excluded {
        page.filter += &format!(" AND {}", Dialect::is_of_live_event('u'));
    }
    page
}

/// Returns the statement for a page of sign-ups.
#[cfg(test)]
pub(crate) fn signup_page_query(
    dialect: Dialect,
    organization: OrganizationId,
    wanted: &SignupQuery,
) -> Statement {
    page(dialect, organization, wanted).statement(dialect)
}

pub(crate) async fn signup_page(
    reader: &impl Reader,
    organization: OrganizationId,
    wanted: &SignupQuery,
) -> StoreResult<Page<Signup>> {
    let page = page(reader.dialect(), organization, wanted);
    page.read(reader, "listing sign-ups", |signup| signup.id).await
}

/// Returns the columns of a sign-up in full.
fn columns_in_full() -> Vec<SelectedColumn> {
    let (organization, event) = (organization::TABLE.columns(), event::TABLE.columns());
    [signup::TABLE.columns(), shift::TABLE.columns(), event, organization].concat()
}

/// Returns the statement for a page of sign-ups in full.
pub(crate) fn signups_in_full_query(
    dialect: Dialect,
    organization: OrganizationId,
    wanted: &SignupQuery,
) -> Statement {
    let joins = "JOIN shifts s ON s.organization_id = u.organization_id AND s.id = u.shift_id \
         JOIN events e ON e.organization_id = s.organization_id AND e.id = s.event_id \
         JOIN organizations o ON o.id = u.organization_id";
    page(dialect, organization, wanted).joined(dialect, &columns_in_full(), joins)
}

/// Reads a page of sign-ups, each with its organization, event and shift.
pub(crate) async fn signups_in_full(
    reader: &impl Reader,
    organization: OrganizationId,
    wanted: &SignupQuery,
) -> StoreResult<Vec<SignupInFull>> {
    let statement = signups_in_full_query(reader.dialect(), organization, wanted);
    let [json] = reader.only_row("reading sign-ups in full", statement).await?;
    let read = |row: Row<'_>| {
        let event = event::read(row)?;
        let shift = shift::read_of((event.organization, event.id), row)?;
        Ok(SignupInFull::new(organization::read(row)?, event, shift, signup::read(row)?))
    };
    let found = row::all(&json, &columns_in_full(), read)?;
    let mut found = sorted(found, |found| Reverse(found.signup.id));
    cut(&mut found, wanted.limit, wanted.position.map(|position| position.side), false);
    Ok(found)
}
