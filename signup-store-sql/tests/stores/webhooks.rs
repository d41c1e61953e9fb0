//! Webhooks that another process on the same database changes.

use std::time::Duration;

use rstest::rstest;
use signup_core::{DeliveryQuery, NewEvent, NewOrganization, NewWebhook, Scopes, Service, TokioClock};

use crate::records::Engine::{Postgres, Sqlite};
use crate::records::{Database, Engine};

/// The cache of SQLite has the gate of the organization as it was for up to a second. Until then, the store refuses the commit.
#[rstest]
#[tokio::test]
async fn a_webhook_that_a_command_disables_gets_nothing_that_happens_afterwards(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let Some(database) = Database::new(engine).await else { return };
    let service = Service::shared(database.store.clone()).with_clock(TokioClock);
    let new = NewOrganization::new("Riverside".parse().unwrap());
    let owner = service.admin().create_organization(new).await.unwrap().id;
    let session = service.session_for(owner, Scopes::all()).await.unwrap();
    let new =
        NewWebhook::new("https://example.org/".parse().unwrap()).types(vec!["event.*".parse().unwrap()]);
    let webhook = session.create_webhook(new).await.unwrap().id;
    let write = async || {
        let day = "2027-06-05".parse().unwrap();
        let new = NewEvent::new("Food drive".parse().unwrap(), day, "UTC".parse().unwrap());
        session.create_event(new).await.unwrap();
    };
    write().await;
    let command = Service::shared(database.open_for_management().await.unwrap());
    for (is_enabled, delivered) in [(false, 1), (true, 2)] {
        // The cache is filled.
        session.organization().await.unwrap();
        command.admin().set_webhook_enabled(webhook, is_enabled).await.unwrap();
        tokio::time::timeout(Duration::from_secs(9), write()).await.unwrap();
        let found = session.deliveries(webhook, DeliveryQuery::new()).await.unwrap().items;
        assert_eq!(found.len(), delivered, "{found:?}");
    }
}
