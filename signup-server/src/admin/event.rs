//! `event`: list, show, cancel, delete and restore events.

use signup_core::{
    Admin, Cancellation, Error, Event, EventId, EventInFull, EventQuery, EventWithShifts, OrganizationId,
};

use super::{PAGE_LIMIT, describe, event_error, find_event, find_organization, live_event, print};
use crate::config::EventCommand;
use crate::output::{Failure, shown};
use crate::wire::OperatorEvent;

pub(super) async fn run(admin: &Admin, base_url: &str, command: EventCommand) -> Result<(), Failure> {
    match command {
        EventCommand::List { organization, deleted } => {
            let organization = find_organization(admin, &organization).await?.id;
            if deleted {
                list_deleted(admin, base_url, organization).await
            } else {
                list(admin, base_url, organization).await
            }
        }
        EventCommand::Show { event } => show(admin, base_url, &event).await,
        EventCommand::Cancel { event, reason, no_mail } => {
            let mut cancel = Cancellation::new();
            (cancel.reason, cancel.without_mail) = (reason, no_mail);
            let cancelled = admin.cancel_event(live_event(admin, &event).await?.id, cancel).await;
            let cancelled = cancelled.map_err(|error| event_error(&event, error))?;
            print(&OperatorEvent::with_slots(&cancelled, base_url))
        }
        EventCommand::Delete { event } => {
            let for_event = |error| event_error(&event, error);
            let id = live_event(admin, &event).await?.id;
            admin.delete_event(id).await.map_err(for_event)?;
            let deleted = admin.deleted_event(id).await.map_err(for_event)?;
            print(&OperatorEvent::listed(&deleted, base_url))
        }
        EventCommand::Restore { event } => {
            let shown = shown(&event);
            let failed = |error| match error {
                Error::NotFound => format!(
                    "there is no deleted event with the id or slug {shown}: a deleted event is kept for {} days",
                    Event::RETENTION.as_hours() / 24
                ),
                error => event_error(&event, error),
            };
            let found = admin.find_event(&event).await.map_err(failed)?;
            if found.deleted_at.is_none() {
                return Err(format!("the event {shown} is not deleted").into());
            }
            let restored = admin.restore_event(found.id).await.map_err(failed)?;
            print(&OperatorEvent::listed(&restored, base_url))
        }
    }
}

async fn list(admin: &Admin, base_url: &str, organization: OrganizationId) -> Result<(), Failure> {
    let mut query = EventQuery::new().limit(PAGE_LIMIT);
    loop {
        let page = admin.events(organization, query.clone()).await.map_err(describe)?;
        page.items.iter().try_for_each(|event| print(&OperatorEvent::listed(event, base_url)))?;
        let Some(next) = page.next else { return Ok(()) };
        query = query.at(next);
    }
}

async fn list_deleted(admin: &Admin, base_url: &str, organization: OrganizationId) -> Result<(), Failure> {
    let mut after: Option<EventId> = None;
    loop {
        let page = admin.deleted_events(organization, after, PAGE_LIMIT).await.map_err(describe)?;
        let Some(last) = page.last() else { return Ok(()) };
        after = Some(last.id);
        page.iter().try_for_each(|deleted| print(&OperatorEvent::listed(deleted, base_url)))?;
    }
}

async fn show(admin: &Admin, base_url: &str, event: &str) -> Result<(), Failure> {
    let found = find_event(admin, event).await?;
    if found.deleted_at.is_some() {
        return print(&OperatorEvent::listed(&found, base_url));
    }
    let full = admin.event(found.id).await.map_err(|error| event_error(event, error))?;
    let EventInFull { event, shifts, questions, .. } = full;
    print(
        &OperatorEvent::with_slots(&EventWithShifts::new(event, shifts), base_url).and_questions(&questions),
    )
}
