// The set-up of the examples in the documentation. Each example includes this file with a hidden line.

use std::sync::Arc;

#[allow(unused_imports, reason = "each example uses some of the names")]
use signup_core::*;
use signup_store_memory::MemoryStore;

/// A service with an organization, and a published event with one shift on 2027-06-05. It is 2027-05-01.
#[allow(dead_code, reason = "each example uses some of the fields")]
struct Example {
    clock: Arc<FixedClock>,
    service: Service,
    organization: Organization,
    session: Session,
    created: EventWithShifts,
    /// A volunteer without a sign-up.
    ada: NewSignup,
}

type ExampleResult = std::result::Result<(), Box<dyn std::error::Error>>;

fn example(run: impl AsyncFnOnce(Example) -> ExampleResult) -> ExampleResult {
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
        let clock = Arc::new(FixedClock::at("2027-05-01T12:00:00Z".parse()?));
        let service = Service::new(MemoryStore::new()).with_clock(clock.clone());
        let organization = NewOrganization::new("Riverside Food Bank".parse()?);
        let organization = service.admin().create_organization(organization).await?;
        let session = service.session_for(organization.id, Scopes::all()).await?;
        let packing = NewShift::new("Packing".parse()?, Capacity::new(8)?);
        let drive = NewEvent::new("Food drive".parse()?, date(2027, 6, 5), "America/New_York".parse()?);
        let created = session.create_event(drive.shift(packing).published()).await?;
        let ada = NewSignup::new("Ada Lovelace".parse()?, "ada@example.org".parse()?);
        run(Example { clock, service, organization, session, created, ada }).await
    })
}
