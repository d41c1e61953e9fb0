//! Signs volunteers up through the library, without HTTP: a full shift, a cancellation, a change of the hours, and the
//! loop that delivers the queued mails.
//!
//! ```sh
//! cargo run -p signup-examples --example volunteers
//! ```

#![expect(clippy::print_stdout, reason = "an example prints its results")]

use std::sync::Arc;

use signup_core::{
    CancelledBy, Capacity, Error, FixedClock, Hours, Mail, MailContent, MailFailure, NewEvent,
    NewOrganization, NewShift, NewSignup, Outbox, PlaceChange, Scopes, Service, ShiftId, ShiftPatch, date,
    time,
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

    for name in ["Ada", "Bob", "Eve"] {
        sign_up(&service, &slug, shift, name).await?;
    }
    let mails = deliver(&service.outbox()).await?;
    // Bob follows the link of his mail.
    let of_bob = mails.into_iter().find(|mail| mail.recipient().as_str() == "bob@example.org");
    let secret = of_bob.and_then(|mail| mail.secret).ok_or("Bob has no mail")?;
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

/// Signs a volunteer up.
async fn sign_up(service: &Service, slug: &str, shift: ShiftId, name: &str) -> Result<()> {
    let email = format!("{}@example.org", name.to_lowercase());
    let volunteer = NewSignup::new(name.parse()?, email.parse()?);
    let form = service.volunteers().form(slug, [shift]).await?;
    match form.sign_up(volunteer).await?.into_places() {
        Ok(_) => println!("{name} has a place."),
        Err(Error::ShiftFull) => println!("{name} has no place: the shift is full."),
        Err(error) => return Err(error.into()),
    }
    Ok(())
}

/// Delivers every due notice, and returns the mails. A server repeats this call, with a pause while no notice is due or the store
/// is down.
async fn deliver(outbox: &Outbox) -> signup_core::Result<Vec<Mail>> {
    let mut mails = vec![];
    loop {
        let due = outbox.due(10).await?;
        if due.is_empty() {
            return Ok(mails);
        }
        for notice in due {
            let mail = match outbox.claim(&notice).await {
                Ok(Some(mail)) => mail,
                // The address knows what holds, another process has claimed the notice, or it marked the volunteers of a change.
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
                Ok(()) => {
                    outbox.report_sent(&mail).await?;
                    mails.push(mail);
                }
                Err((failure, reason)) => drop(outbox.report_failed(&mail, failure, reason).await?),
            }
        }
    }
}

/// Prints the mail. A server sends the mail, and returns whether a failure is transient or permanent, with the reason.
fn send(mail: &Mail) -> std::result::Result<(), (MailFailure, &'static str)> {
    let MailContent::News(news) = &mail.content else {
        return Err((MailFailure::Permanent, "this program has no text for the mail"));
    };
    for place in &news.places {
        let about = match &place.change {
            PlaceChange::New => "confirms a place",
            PlaceChange::Waiting => "confirms a place on the waiting list",
            PlaceChange::Promoted => "gives a place to somebody who waited",
            PlaceChange::Moved { .. } => "tells of a changed time or place",
            PlaceChange::Cancelled if place.signup.cancelled_by() == Some(CancelledBy::Volunteer) => {
                "confirms a cancellation"
            }
            PlaceChange::Cancelled => "tells of a cancellation by the organizer",
            _ => "shows a place",
        };
        println!("A mail to {} {about}.", mail.recipient());
    }
    Ok(())
}
