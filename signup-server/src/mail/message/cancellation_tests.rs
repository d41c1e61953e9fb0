//! The mails about cancelled sign-ups.

use std::collections::BTreeSet;

use signup_core::{Cancellation, CancelledBy, DeleteShift};

use super::delivered::{Parts, Sample, parts};
use super::*;

const SUBJECT: &str = "Cancelled: Food drive – Early, Saturday 6 June";

/// Signs a volunteer up and cancels the sign-up. Returns the confirmation and the mail about the cancellation.
async fn cancelled(by: CancelledBy, reason: Option<&str>) -> (Parts, Parts) {
    let sample = Sample::create().await;
    let confirmation = sample.delivery().await;
    let NoticeCause::SignedUp { secret, .. } = &confirmation.notice.cause else { panic!("{confirmation:?}") };
    let Sample { service, session, event, shift } = &sample;
    match by {
        CancelledBy::Volunteer => {
            let signup = confirmation.signup().unwrap().signup.id;
            drop(service.volunteers().cancel(secret, signup).await.unwrap());
        }
        CancelledBy::Organizer => {
            let signup = &confirmation.signup().unwrap().signup;
            let (organization, signup) = (signup.organization, signup.id);
            drop(service.admin().cancel_signup(organization, signup).await.unwrap());
        }
        CancelledBy::ShiftDeletion => {
            let mut delete = DeleteShift::new().cancel_signups();
            delete.reason = reason.map(|text| text.parse().unwrap());
            session.delete_shift(*shift, delete).await.unwrap();
        }
        CancelledBy::EventCancellation => {
            let mut cancel = Cancellation::new();
            cancel.reason = reason.map(|text| text.parse().unwrap());
            drop(session.cancel_event(*event, cancel).await.unwrap());
        }
        other => panic!("{other:?} is not tested"),
    }
    let cancellation = sample.delivery().await;
    assert_eq!(cancellation.signup().unwrap().signup.cancelled_by(), Some(by));
    (parts(&confirmation), parts(&cancellation))
}

#[tokio::test]
async fn each_cause_of_a_cancellation_has_its_own_wording() {
    let mut headings = BTreeSet::new();
    for &by in CancelledBy::ALL {
        let (heading, intro) = match by {
            CancelledBy::Volunteer => {
                ("You’ve cancelled your place", "Someone else can take your place now.")
            }
            CancelledBy::Organizer => {
                ("The organizer has cancelled your place", "You no longer need to come.")
            }
            CancelledBy::ShiftDeletion => {
                ("This shift has been cancelled", "The organizer has cancelled this shift, so you no longer")
            }
            CancelledBy::EventCancellation => {
                ("This event has been cancelled", "The organizer has cancelled this event, so you no longer")
            }
            other => panic!("{other:?} is not tested"),
        };
        let (_, mail) = cancelled(by, None).await;
        assert_eq!(mail.subject, SUBJECT);
        for text in [heading, intro, "Food drive", "Early", "Saturday 6 June 2099, all day"] {
            mail.assert_says(text);
        }
        mail.assert_does_not_say("reason");
        mail.assert_says("https://example.org/signups/");
        mail.assert_says("See the details");
        mail.assert_does_not_say("or cancel");
        headings.insert(heading);
    }
    assert_eq!(headings.len(), CancelledBy::ALL.len());
}

#[tokio::test]
async fn each_cancellation_cancels_the_calendar_entry() {
    for &by in CancelledBy::ALL {
        let (first, last) = cancelled(by, None).await;
        for (mail, method, status) in [(&first, "PUBLISH", "CONFIRMED"), (&last, "CANCEL", "CANCELLED")] {
            assert_eq!((mail.property("METHOD"), mail.property("STATUS")), (method, status), "{by}");
        }
        for name in ["UID", "DTSTART", "DTEND", "SUMMARY"] {
            assert_eq!(first.property(name), last.property(name), "{by}");
        }
        assert!(first.sequence() < last.sequence(), "{by}");
    }
}

#[tokio::test]
async fn the_reason_is_escaped_and_keeps_its_line_breaks() {
    let reason =
        "The hall is flooded.\r\nBcc: all@example.org\r\n\r\n<script>alert(1)</script>\nSorry & thanks";
    for by in [CancelledBy::EventCancellation, CancelledBy::ShiftDeletion] {
        let (_, mail) = cancelled(by, Some(reason)).await;
        let text = "\nThe organizer’s reason:\nThe hall is flooded.\nBcc: all@example.org\n\n<script>alert(1)</script>\n\
                Sorry & thanks\n";
        assert!(mail.text.contains(text), "{}", mail.text);
        let html = "The hall is flooded.<br>\nBcc: <a href=\"mailto:all@example.org\" \
                rel=\"noopener noreferrer nofollow ugc\">all@example.org</a><br>\n<br>\n&#60;script&#62;alert(1)&#60;/script&#62;<br>\n\
                Sorry &#38; thanks</p>";
        assert!(mail.html.contains(html), "{}", mail.html);
        assert_eq!(mail.subject, SUBJECT);
        let (_, plain) = cancelled(by, None).await;
        assert_eq!(mail.headers, plain.headers, "the reason adds no header");
        assert!(!mail.calendar.contains("flooded"), "{}", mail.calendar);
    }
}

/// The page of a cancelled event is gone when the organizer deletes the event, but other shifts may suit the volunteer of
/// a deleted one.
#[tokio::test]
async fn only_the_mail_about_a_cancelled_event_has_no_link_to_its_page() {
    for &by in CancelledBy::ALL {
        let (first, last) = cancelled(by, None).await;
        first.assert_says("https://example.org/events/food-drive-");
        let has_link = last.text.contains("https://example.org/events/food-drive-");
        assert_eq!(has_link, by != CancelledBy::EventCancellation, "{}", last.text);
    }
}

/// The volunteer cancels, and the event is cancelled before the mail is written.
#[tokio::test]
async fn the_mail_names_what_cancelled_the_sign_up_and_not_a_later_cancellation() {
    let sample = Sample::create().await;
    let confirmation = sample.delivery().await;
    let NoticeCause::SignedUp { secret, .. } = &confirmation.notice.cause else { panic!("{confirmation:?}") };
    let volunteers = sample.service.volunteers();
    volunteers.cancel(secret, confirmation.signup().unwrap().signup.id).await.unwrap();
    let cancel = Cancellation::new().reason("The hall is flooded.".parse().unwrap());
    sample.session.cancel_event(sample.event, cancel).await.unwrap();
    assert!(volunteers.places(secret).await.unwrap().signups[0].event.is_cancelled());
    let mail = sample.mail().await;
    mail.assert_says("You’ve cancelled your place");
    mail.assert_does_not_say("flooded");
}

/// The pages of a deleted event are gone.
#[tokio::test]
async fn a_cancellation_is_mailed_without_links_although_its_event_was_deleted_since() {
    let sample = Sample::create().await;
    sample.delivery().await;
    let cancel = Cancellation::new().reason("The hall is flooded.".parse().unwrap());
    sample.session.cancel_event(sample.event, cancel).await.unwrap();
    sample.session.delete_event(sample.event).await.unwrap();
    let mail = sample.mail().await;
    mail.assert_says("This event has been cancelled");
    mail.assert_says("The hall is flooded.");
    mail.assert_does_not_say("https://example.org/");
}
