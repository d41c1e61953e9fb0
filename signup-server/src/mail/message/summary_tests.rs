//! The mail with a summary.

use insta::assert_snapshot;
use signup_core::{CancelledBy, EventId, EventSummary, Person, PersonId, SignupInFull, SummaryMail};

use super::sample::{EARLY, LATE, SUNDAY, Sample, html, mail_of, shown, written};
use super::*;

#[tokio::test]
async fn a_summary() {
    let mut sample = Sample::create().await;
    sample.event.id = EventId::NONE;
    let signup = sample.cancelled(EARLY, "Bob", CancelledBy::Volunteer).signup.clone();
    let linked = sample.cancelled(SUNDAY, "https://evil.example", CancelledBy::Volunteer).signup.clone();
    let Sample { organization, event, shifts, .. } = sample;
    let person = Person::new(
        PersonId::NONE,
        "ada@example.org".parse().unwrap(),
        "Ada".parse().unwrap(),
        Timestamp::UNIX_EPOCH,
    );
    let until = "2099-06-05T06:00:00Z".parse().unwrap();
    let mut summary = SummaryMail::new(organization.clone(), person, until);
    summary.late = [(EARLY, signup), (SUNDAY, linked)]
        .map(|(shift, signup)| {
            SignupInFull::new(organization.clone(), event.clone(), shifts[shift].shift.clone(), signup)
        })
        .to_vec();
    let mut of_event = EventSummary::new(event);
    (of_event.joined, of_event.cancelled) = (3, 2);
    of_event.undelivered =
        (0..22).map(|number| format!("v{number:02}@example.org").parse().unwrap()).collect();
    of_event.short = vec![shifts[LATE].clone()];
    summary.events = vec![of_event];
    let mail = written(&mail_of(MailContent::Summary(Box::new(summary))));
    assert_snapshot!(shown(&mail));
    let html = html(&mail);
    for part in
        ["/console/riverside-food-bank/events/", "<li dir=\"auto\">3 new sign-ups</li>", "/unsubscribe\">"]
    {
        assert!(html.contains(part), "{part} in {html}");
    }
}
