//! Signs volunteers up through the library, without HTTP: a full shift, a cancellation, a change of the hours, and the
//! loop that delivers the queued mails.
//!
//! ```sh
//! cargo run -p signup-examples --example volunteers
//! ```

#![expect(clippy::print_stdout, reason = "an example prints its results")]

use std::sync::Arc;

use signup_core::{
    CancelledBy, Capacity, Error, FixedClock, Hours, Mail, MailFailure, NewEvent, NewOrganization, NewShift,
    NewSignup, NoticeCause, Outbox, Scopes, Secret, Service, ShiftId, ShiftPatch, date, time,
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
    let created = session.create_event(drive.shift(packing).published());
    let created = created.with_key("food-drive-2027-06-05".parse()?).await?;
    let (slug, shift) = (created.event.slug, created.shifts[0].id);

    sign_up(&service, &slug, shift, "Ada").await?;
    let secret = sign_up(&service, &slug, shift, "Bob").await?.ok_or("Bob has no new place")?;
    sign_up(&service, &slug, shift, "Eve").await?;
    let of_bob = service.volunteers().places(&secret).await?;
    service.volunteers().cancel(&secret, of_bob.signups[0].signup.id).await?;
    println!("Bob cancelled.");
    sign_up(&service, &slug, shift, "Eve").await?;
    deliver(&service.outbox()).await?;

    // A mail about a change waits a minute for further changes.
    let earlier = ShiftPatch::new().start_time("08:30".parse()?);
    session.patch_shift(shift, earlier).await?;
    clock.advance(Service::CHANGE_MAIL_DELAY.as_secs());
    deliver(&service.outbox()).await?;

    // A program that runs for long calls `purge` about once a minute. Receipts expire after 24 hours.
    clock.advance(25 * 3600);
    println!("Expired receipts that were removed: {}.", service.admin().purge(100).await?);
    Ok(())
}

/// Signs a volunteer up. Returns the secret of a new sign-up, with which the volunteer cancels.
async fn sign_up(service: &Service, slug: &str, shift: ShiftId, name: &str) -> Result<Option<Secret>> {
    let email = format!("{}@example.org", name.to_lowercase());
    let volunteer = NewSignup::new(name.parse()?, email.parse()?);
    let form = service.volunteers().form(slug, [shift]).await?;
    let place = form.sign_up(volunteer).await?.into_places().map(|mut places| places.remove(0));
    let (secret, result) = match place {
        Ok(place) if place.is_new() => (place.secret, "has a place"),
        Ok(_) => (None, "had a place already"),
        Err(Error::ShiftFull) => (None, "has no place: the shift is full"),
        Err(error) => return Err(error.into()),
    };
    println!("{name} {result}.");
    Ok(secret)
}

/// Delivers every due notice. A server repeats this call, with a pause while no notice is due or the store is down.
async fn deliver(outbox: &Outbox) -> signup_core::Result<()> {
    loop {
        let due = outbox.due(10).await?;
        if due.is_empty() {
            return Ok(());
        }
        for notice in due {
            let mail = match outbox.claim(&notice).await {
                Ok(Some(mail)) => mail,
                // The notice is obsolete, was claimed by another process, or was fanned out to each volunteer.
                Ok(None) => continue,
                // The store does not answer. Every notice stays due.
                Err(error) if error.is_retryable() => return Err(error),
                // A record cannot be decoded. Its notice must not delay others.
                Err(error) => {
                    outbox.report_claim_failed(&notice, &error.to_string()).await?;
                    continue;
                }
            };
            match send(&mail) {
                Ok(()) => drop(outbox.report_sent(&mail.notice).await?),
                Err((failure, reason)) => {
                    drop(outbox.report_failed(&mail, failure, reason).await?);
                }
            }
        }
    }
}

/// Prints the mail. A server sends the mail, and returns whether a failure is transient or permanent, with the reason.
fn send(mail: &Mail) -> std::result::Result<(), (MailFailure, &'static str)> {
    let about = match &mail.notice.cause {
        NoticeCause::SignedUp { .. } => "confirms a place",
        NoticeCause::SignedUpAgain { .. } => "says that the address already has a place",
        NoticeCause::Cancelled { .. } => match mail.signup().and_then(|about| about.signup.cancelled_by()) {
            Some(CancelledBy::Volunteer) => "confirms a cancellation",
            _ => "tells of a cancellation by the organizer",
        },
        NoticeCause::ShiftMoved { .. } => "tells of a changed time or place",
        _ => return Err((MailFailure::Permanent, "there is no mail for this cause")),
    };
    println!("A mail to {} {about}.", mail.recipient());
    Ok(())
}
