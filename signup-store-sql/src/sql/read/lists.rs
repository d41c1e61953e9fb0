//! The lists without pages.

use std::cmp::Reverse;

use signup_core::{EventId, Kind, ListQuery, Membership, OrganizationId, Record};
use uuid::Uuid;

use super::people::{members, memberships};
use super::reader::{Reader, StoreResult, all, record, sorted};
use crate::records::{event, invitation, link, message, organization, table, token, webhook};
use crate::sql::table::Table;
#[cfg(test)]
use crate::sql::{Dialect, Statement};
use crate::sql::{Value, values};

/// The messages of an event.
const MESSAGES: &str = "messages j WHERE j.organization_id = $1 AND j.event_id = $2";

/// Returns the query of the messages of an event.
#[cfg(test)]
pub(crate) fn messages_query(dialect: Dialect) -> Statement {
    let select = dialect.select(&message::TABLE.columns(), MESSAGES);
    Statement::of(dialect, &select, values![Uuid::nil(), Uuid::nil()])
}

/// Lists records like [`Store::list`](signup_core::Store::list).
pub(crate) async fn list(reader: &impl Reader, query: &ListQuery) -> StoreResult<Vec<Record>> {
    match *query {
        ListQuery::Organizations { after, limit } => {
            let from = format!("(SELECT * FROM organizations WHERE id > $1 ORDER BY id LIMIT {limit}) o");
            let values = values![after.unwrap_or(OrganizationId::NONE).uuid()];
            records(reader, &organization::TABLE, &from, values, |organization| organization.id).await
        }
        ListQuery::Tokens(owner) => {
            let from = "tokens t WHERE t.organization_id = $1";
            records(reader, &token::TABLE, from, values![owner.uuid()], |token| token.id).await
        }
        ListQuery::Webhooks(owner) => {
            let from = "webhooks w WHERE w.organization_id = $1";
            let key = |webhook: &signup_core::Webhook| Reverse(webhook.id);
            records(reader, &webhook::TABLE, from, values![owner.uuid()], key).await
        }
        ListQuery::DeletedEvents { organization, after, limit } => {
            let from = format!(
                "(SELECT * FROM events WHERE organization_id = $1 AND id > $2 AND deleted_at IS NOT NULL \
                 ORDER BY id LIMIT {limit}) e"
            );
            let values = values![organization.uuid(), after.unwrap_or(EventId::NONE).uuid()];
            records(reader, &event::TABLE, &from, values, |event| event.id).await
        }
        ListQuery::Invitations(owner) => {
            let from = "invitations i WHERE i.organization_id = $1";
            let key = |found: &signup_core::Invitation| Reverse((found.created_at, found.id));
            records(reader, &invitation::TABLE, from, values![owner.uuid()], key).await
        }
        ListQuery::Messages(owner, event) => {
            let key = |message: &signup_core::Message| Reverse(message.id);
            records(reader, &message::TABLE, MESSAGES, values![owner.uuid(), event.uuid()], key).await
        }
        ListQuery::Links(owner, ref mailbox) => {
            let from = "links k WHERE k.organization_id = $1 AND k.email_key = $2";
            let values = values![owner.uuid(), mailbox.as_str()];
            records(reader, &link::TABLE, from, values, |link: &signup_core::Link| link.digest).await
        }
        ListQuery::Members(owner) => Ok(flattened(members(reader, owner).await?)),
        ListQuery::Memberships(person) => Ok(flattened(memberships(reader, person).await?)),
        ListQuery::Id(kind, id) => by_id(reader, kind, id).await,
    }
}

/// Reads the records of `from`, sorted by `key`.
async fn records<R: Into<Record>, K: Ord>(
    reader: &impl Reader,
    table: &Table<R>,
    from: &str,
    values: Vec<Value>,
    key: impl Fn(&R) -> K,
) -> StoreResult<Vec<Record>> {
    let found = all(reader, "listing records", table.columns(), from, values, table.read).await?;
    Ok(sorted(found, key).into_iter().map(Into::into).collect())
}

fn flattened<R: Into<Record>>(pairs: Vec<(Membership, R)>) -> Vec<Record> {
    pairs.into_iter().flat_map(|(membership, other)| [membership.into(), other.into()]).collect()
}

async fn by_id(reader: &impl Reader, kind: Kind, id: Uuid) -> StoreResult<Vec<Record>> {
    // The keys of these kinds do not end in an id of their own, or have no organization.
    if matches!(
        kind,
        Kind::Link
            | Kind::OptOut
            | Kind::Receipt
            | Kind::Person
            | Kind::Membership
            | Kind::SignInCode
            | Kind::SignIn
    ) {
        return Ok(vec![]);
    }
    let [.., column] = table(kind).key() else { return Ok(vec![]) };
    Ok(record(reader, kind, &[column], values![id], &[]).await?.into_iter().collect())
}
