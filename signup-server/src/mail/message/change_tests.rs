//! The mails about another time or place of a shift.

use jiff::civil::date;
use signup_core::{EventPatch, ShiftPatch};

use super::delivered::{Parts, Sample};

/// Signs a volunteer up for a shift of an event in the old hall, and changes the event. Returns the confirmation and the
/// mail about the change.
async fn changed(patch: EventPatch) -> (Parts, Parts) {
    let sample = Sample::create().await;
    let hall = EventPatch::new().location("Old hall".parse().unwrap()).without_mail();
    sample.session.patch_event(sample.event, hall).await.unwrap();
    let confirmation = sample.mail().await;
    sample.session.patch_event(sample.event, patch).await.unwrap();
    (confirmation, sample.mail().await)
}

fn assert_entry_follows(first: &Parts, last: &Parts) {
    assert_eq!((last.property("METHOD"), last.property("STATUS")), ("PUBLISH", "CONFIRMED"));
    assert_eq!(first.property("UID"), last.property("UID"));
    assert!(first.sequence() < last.sequence());
}

/// Checks the facts of a mail in text and HTML, in this order.
fn assert_facts(mail: &Parts, facts: &[(&str, &str)]) {
    let text: String = facts.iter().map(|(label, value)| format!("{label}: {value}\n")).collect();
    assert!(mail.text.contains(&format!("Shift: Early\n{text}\n")), "{text} in {}", mail.text);
    for (label, value) in facts {
        let row = format!("<strong>{label}</strong></td><td dir=\"auto\">{value}</td>");
        assert!(mail.html.contains(&row), "{row} in {}", mail.html);
    }
}

const BEFORE: &str = "Saturday 6 June 2099, all day (UTC)";
const NOW: &str = "Sunday 7 June 2099, all day (UTC)";

#[tokio::test]
async fn an_event_that_moved_is_mailed_with_both_times() {
    let (first, mail) = changed(EventPatch::new().start_date(date(2099, 6, 7))).await;
    assert_eq!(mail.subject, "Changed: Food drive – Early, Sunday 7 June");
    mail.assert_says("Your shift has moved to Sunday 7 June");
    mail.assert_says("Your shift is now at a different time.");
    mail.assert_says("You’re still signed up.");
    mail.assert_says("https://example.org/signups/");
    assert_facts(&mail, &[("Time was", BEFORE), ("Time now", NOW), ("Where", "Old hall")]);
    assert_entry_follows(&first, &mail);
    assert_eq!(mail.property("DTSTART"), "20990607T000000Z");
}

#[tokio::test]
async fn another_place_of_the_event_is_mailed_with_both_places() {
    let (first, mail) = changed(EventPatch::new().location("New <hall>".parse().unwrap())).await;
    assert_eq!(mail.subject, "Changed: Food drive – Early, Saturday 6 June");
    mail.assert_says("Your shift is now in a different place.");
    assert!(
        mail.text.contains("When: Saturday 6 June 2099, all day (UTC)\nPlace was: Old hall\n"),
        "{}",
        mail.text
    );
    assert!(mail.text.contains("Place now: New <hall>\n"), "{}", mail.text);
    assert!(mail.html.contains("<td dir=\"auto\">New &#60;hall&#62;</td>"), "{}", mail.html);
    assert_entry_follows(&first, &mail);
    assert_eq!((first.property("LOCATION"), mail.property("LOCATION")), ("Old hall", "New <hall>"));
}

#[tokio::test]
async fn a_place_that_the_event_lost_is_mailed() {
    let (first, mail) = changed(EventPatch::new().clear_location()).await;
    assert_eq!(mail.subject, "Changed: Food drive – Early, Saturday 6 June");
    assert_facts(
        &mail,
        &[
            ("When", BEFORE),
            ("Place was", "Old hall"),
            ("Place now", "The organizer hasn’t given a new place."),
        ],
    );
    assert_entry_follows(&first, &mail);
    assert!(!mail.calendar.contains("LOCATION"), "{}", mail.calendar);
}

#[tokio::test]
async fn another_time_and_another_place_of_the_event_are_one_mail() {
    let patch = EventPatch::new().start_date(date(2099, 6, 7)).location("New hall".parse().unwrap());
    let (first, mail) = changed(patch).await;
    assert_eq!(mail.subject, "Changed: Food drive – Early, Sunday 7 June");
    mail.assert_says("Your shift is now at a different time and in a different place.");
    assert_facts(
        &mail,
        &[("Time was", BEFORE), ("Time now", NOW), ("Place was", "Old hall"), ("Place now", "New hall")],
    );
    assert_entry_follows(&first, &mail);
}

#[tokio::test]
async fn a_change_of_the_shift_alone_is_mailed_like_one_of_its_event() {
    let sample = Sample::create().await;
    let first = sample.mail().await;
    let patch = ShiftPatch::new().location("Dock 4".parse().unwrap());
    sample.session.patch_shift(sample.shift, patch).await.unwrap();
    let mail = sample.mail().await;
    assert_eq!(mail.subject, "Changed: Food drive – Early, Saturday 6 June");
    mail.assert_says("Your shift is now in a different place.");
    assert_facts(&mail, &[("When", BEFORE), ("Place was", "No place given."), ("Place now", "Dock 4")]);
    assert_entry_follows(&first, &mail);
}

#[tokio::test]
async fn the_time_before_a_change_is_shown_in_the_zone_in_which_it_was_told() {
    let (_, mail) = changed(EventPatch::new().zone("Asia/Tokyo".parse().unwrap())).await;
    assert_facts(
        &mail,
        &[
            ("Time was", BEFORE),
            ("Time now", "Saturday 6 June 2099, all day (Tokyo time)"),
            ("Where", "Old hall"),
        ],
    );
}
