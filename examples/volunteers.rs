//! Signs volunteers up through the library, without HTTP: a full shift, a cancellation, a change of the hours, and the
//! loop that delivers the queued mails.
//!
//! ```sh
//! cargo run -p signup-examples --example volunteers
//! ```

#![expect(clippy::print_stdout, reason = "an example prints its results")]

use std::sync::Arc;

use signup_core::{
    Capacity, FixedClock, Hours, NewEvent, NewOrganization, NewShift, NewSignup, NoticeCause, Outbox, Scopes,
    Service, ShiftId, ShiftPatch, date, time,
};
use signup_store_memory::MemoryStore;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

#[tokio::main]
async fn main() -> Result<()> {
    let clock = Arc::new(FixedClock::at("2027-06-01T08:00:00Z".parse()?));
    let service = Service::new(MemoryStore::new()).with_clock(Arc::clone(&clock));
    let organization = NewOrganization::new("Riverside Food Bank".parse()?);
    let organization = service.admin().create_organization(organization).await?;
    let session = service.session_for(organization.id, Scopes::all()).await?;

    let packing = NewShift::new("Packing".parse()?, Capacity::new(2)?)
        .hours(Hours::between(time(9, 0, 0, 0), time(12, 0, 0, 0))?);
    let drive = NewEvent::new("Food drive".parse()?, date(2027, 6, 5), "America/New_York".parse()?);
    let keyed = session.with_key("food-drive-2027-06-05".parse()?);
    let created = keyed.create_event(drive.shift(packing).published()).await?.outcome;
    let (slug, shift) = (created.event.slug, created.shifts[0].id);

    sign_up(&service, &slug, shift, "Ada").await?;
    let secret = sign_up(&service, &slug, shift, "Bob").await?.ok_or("Bob had a place already")?;
    sign_up(&service, &slug, shift, "Eve").await?;
    service.public().cancel(&secret).await?;
    println!("Bob cancelled.");
    sign_up(&service, &slug, shift, "Eve").await?;

    let earlier = ShiftPatch::new().start_time("08:30".parse()?);
    session.patch_shift(shift, earlier).await?;
    deliver(&service.outbox()).await?;

    // A program that runs for long calls `purge` about once a minute. Receipts expire after 24 hours.
    clock.advance(25 * 3600);
    println!("Expired receipts that were removed: {}.", service.admin().purge(100).await?);
    Ok(())
}

/// Signs a volunteer up. Returns the secret that cancels the sign-up, or `None` if no new sign-up was stored.
async fn sign_up(
    service: &Service,
    slug: &str,
    shift: ShiftId,
    name: &str,
) -> Result<Option<signup_core::Secret>> {
    let email = format!("{}@example.org", name.to_lowercase());
    let volunteer = NewSignup::new(name.parse()?, email.parse()?);
    match service.public().sign_up_by_slug(slug, shift, volunteer).await {
        Ok(signed_up) => {
            println!("{name} has a place.");
            Ok(signed_up.secret)
        }
        Err(signup_core::Error::ShiftFull) => {
            println!("{name} has no place: the shift is full.");
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}

/// Delivers every due notice. A server repeats this loop, with a pause while no notice is due.
async fn deliver(outbox: &Outbox) -> Result<()> {
    loop {
        let due = outbox.due(10).await?;
        if due.is_empty() {
            return Ok(());
        }
        for notice in due {
            // `None` means that the notice is obsolete, or was replaced by one notice for each volunteer.
            let Some(delivery) = outbox.claim(&notice).await? else { continue };
            let about = match &delivery.notice.cause {
                NoticeCause::SignedUp { .. } => "confirms a place",
                NoticeCause::Cancelled { .. } => "confirms a cancellation",
                _ => "tells of other hours",
            };
            println!("A mail to {} {about}.", delivery.signup.email);
            outbox.report_sent(&delivery.notice).await?;
        }
    }
}
