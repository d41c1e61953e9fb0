//! Each cause of a notice has a mail, or is fanned out into notices that have one.

use signup_core::{Secret, TimeAndPlace};

use super::delivered::Sample;
use super::*;

/// `NoticeCause` is non-exhaustive, so the compiler does not report a cause that this test lacks. The error for an
/// unknown cause lists all causes, and the test compares their number with its own list.
#[tokio::test]
async fn every_cause_of_a_notice_has_a_mail_or_is_fanned_out() {
    let mail = Sample::create().await.delivery().await;
    let SignupInFull { event, shift, signup, .. } = mail.signup().unwrap();
    let (signup, before) = (signup.id, TimeAndPlace::of(shift, event));
    let secret = Secret::generate;
    let mailed = [
        (NoticeCause::SignedUp { signup, secret: secret() }, "You’re signed up: "),
        (NoticeCause::SignedUpAgain { signup, secret: secret() }, "You already have a place: "),
        (NoticeCause::Cancelled { signup, secret: secret() }, "Cancelled: "),
        (NoticeCause::ShiftMoved { signup, secret: secret(), before: Some(before) }, "Changed: "),
    ];
    let fanned_out = [
        NoticeCause::ShiftChanged { fanned_out_to: None },
        NoticeCause::EventCancelled { fanned_out_to: None },
        NoticeCause::ShiftDeleted { fanned_out_to: None },
        NoticeCause::MessageSent { message: signup_core::MessageId::NONE, fanned_out_to: None },
    ];
    // The tests of these mails are in `person_tests.rs` and `organizer_tests.rs`.
    let others = ["sign_in_code", "invited", "message"];
    let unknown = serde_json::from_str::<NoticeCause>(r#"{"kind": "unknown"}"#).unwrap_err().to_string();
    let (_, names) = unknown.split_once("expected one of ").unwrap();
    let tested = mailed.len() + fanned_out.len() + others.len();
    assert_eq!(tested, names.matches(", ").count() + 1, "every cause is tested: {names}");
    let from = "Riverside <help@example.org>".parse().unwrap();
    let written = |cause: &NoticeCause| {
        let mut mail = mail.clone();
        mail.notice.cause = cause.clone();
        write(&mail, &from, "https://example.org", mail.notice.created_at)
    };
    for (cause, prefix) in mailed {
        let mail = written(&cause).unwrap();
        assert!(mail.subject.starts_with(prefix), "{}", mail.subject);
    }
    for cause in fanned_out {
        assert_eq!(cause.signup(), None);
        let reason = written(&cause).unwrap_err();
        assert!(reason.contains(cause.name()), "{reason}");
    }
}
