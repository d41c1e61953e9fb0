//! The list of activity, page by page.

use signup_core::{Activity, ActivityQuery, OrganizationId, Page, Position, TypeFilter};
use uuid::Uuid;

use super::page::{IdPage, IdRange, id_page, page_columns, read_id_page, row_limit};
use super::reader::{Reader, Result};
use crate::records::activity;
use crate::sql::{Dialect, Statement, values};

/// Returns the statement for a page of activity. The result has at least one activity more than the page, if there is one, and
/// says whether an activity lies on the other side of the position.
///
/// The organization and the event each have an index that ends in the id, and each side of a position is a range of the index.
/// So the cost depends on the length of the page, and on the activity between that is of another type.
pub(crate) fn activity_page_query(
    dialect: Dialect,
    organization: OrganizationId,
    wanted: &ActivityQuery,
) -> Statement {
    let kind = wanted.kind.as_ref();
    let exact = kind.filter(|kind| kind.prefix().is_none()).map(TypeFilter::as_str);
    let group = kind.and_then(TypeFilter::prefix);
    let mut values = values![organization.uuid(), Uuid::nil(), Uuid::max(), exact, group];
    let mut parameter = |id: Uuid| {
        values.push(id.into());
        format!("${}", values.len())
    };
    let event = wanted.event.map(|event| parameter(event.uuid()));
    let position = wanted.position.map(|Position { key, side }| (parameter(key.uuid()), side));
    let scope = event.as_deref().map(|event| ("event_id", event));
    let position = position.as_ref().map(|(id, side)| (id.as_str(), *side));
    let IdPage { page, other_side } = id_page(dialect, 'a', scope, position, ["$2", "$3"]);
    // A parameter also for a type that is not filtered: a connection keeps only a few statements prepared.
    let select = |what: &str, IdRange { condition, order }: IdRange, limit: u32| {
        format!(
            "SELECT {what} FROM activity a WHERE a.organization_id = $1 AND {condition} \
             AND ($4 IS NULL OR a.type = $4) AND ($5 IS NULL OR substr(a.type, 1, length($5)) = $5) \
             {order} LIMIT {limit}"
        )
    };
    let page = select("*", page, row_limit(wanted.limit));
    let other_side = other_side.map(|range| select("1", range, 1));
    let other_side = other_side.map_or_else(|| "1 = 0".to_owned(), |one| format!("({one}) IS NOT NULL"));
    let from = format!("(SELECT {other_side} AS has_other_side) p LEFT JOIN ({page}) a ON TRUE");
    Statement::of(dialect, &dialect.select(&page_columns(&activity::TABLE), &from), values)
}

pub(crate) async fn activity_page(
    reader: &impl Reader,
    organization: OrganizationId,
    wanted: &ActivityQuery,
) -> Result<Page<Activity>> {
    let page = activity_page_query(reader.dialect(), organization, wanted);
    let wanted = (wanted.limit, wanted.position);
    read_id_page(reader, "listing activity", page, &activity::TABLE, wanted, |activity| activity.id).await
}
