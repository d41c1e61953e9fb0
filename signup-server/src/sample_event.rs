//! An event for unit tests.

use jiff::civil;
use signup_core::{Capacity, EventWithShifts, NewEvent, NewOrganization, NewShift, Scopes, Service};
use signup_store_memory::MemoryStore;

/// Creates a published event in a new store in memory. Its only shift has one place.
pub(crate) async fn sample_event() -> (Service, EventWithShifts) {
    let service = Service::new(MemoryStore::new());
    let new = NewOrganization::new("Riverside".parse().unwrap());
    let organization = service.admin().create_organization(new).await.unwrap();
    let session = service.session_for(organization.id, Scopes::all()).await.unwrap();
    let early = NewShift::new("Early".parse().unwrap(), Capacity::new(1).unwrap());
    let drive = NewEvent::new("Food drive".parse().unwrap(), civil::date(2099, 6, 6), "UTC".parse().unwrap());
    let created = session.create_event(drive.shift(early).published()).await.unwrap();
    (service, created)
}
