//! The list of activity, page by page.

use signup_core::{Activity, ActivityId, ActivityQuery, EventId, OrganizationId, Page, TypeFilter};

use super::page::IdPage;
use super::reader::{Reader, StoreResult};
use crate::records::activity;
#[cfg(test)]
use crate::sql::{Dialect, Statement};

fn page(organization: OrganizationId, wanted: &ActivityQuery) -> IdPage<Activity> {
    let ActivityQuery { limit, position, .. } = *wanted;
    let mut page = IdPage::new(&activity::TABLE, organization, limit, position, ActivityId::uuid);
    page.scope = wanted.event.map(EventId::uuid).map(|event| ("event_id", event));
    let kind = wanted.kind.as_ref();
    page.filter_by("type", kind.filter(|kind| kind.prefix().is_none()).map(TypeFilter::as_str));
    let group = page.parameter(kind.and_then(TypeFilter::prefix));
    page.filter += &format!(" AND ({group} IS NULL OR substr(a.type, 1, length({group})) = {group})");
    page
}

/// Returns the statement for a page of activity.
#[cfg(test)]
pub(crate) fn activity_page_query(
    dialect: Dialect,
    organization: OrganizationId,
    wanted: &ActivityQuery,
) -> Statement {
    page(organization, wanted).statement(dialect)
}

pub(crate) async fn activity_page(
    reader: &impl Reader,
    organization: OrganizationId,
    wanted: &ActivityQuery,
) -> StoreResult<Page<Activity>> {
    page(organization, wanted).read(reader, "listing activity", |activity| activity.id).await
}
