//! Each cause of a notice has a mail.

use signup_core::{Secret, ShiftChange};

use super::name_tests::delivery;
use super::*;

/// `NoticeCause` is non-exhaustive, so the compiler does not report a cause that this test lacks. The error for an
/// unknown cause lists all causes, and the test compares their number with its own list.
#[tokio::test]
async fn every_cause_of_a_notice_has_a_mail() {
    let delivery = delivery().await;
    let signup = delivery.signup.id;
    let before = TimeAndPlace::of(&delivery.shift);
    let change = ShiftChange { after: before.clone(), before, shift_version: 2 };
    let causes = [
        (NoticeCause::SignedUp { signup, secret: Secret::generate() }, "You are signed up: "),
        (NoticeCause::Cancelled { signup }, "Cancelled: "),
        (NoticeCause::ShiftChanged { change: change.clone(), fanned_out_to: None }, "Changed: "),
        (NoticeCause::ShiftMoved { signup, change }, "Changed: "),
    ];
    let unknown = serde_json::from_str::<NoticeCause>(r#"{"kind": "unknown"}"#).unwrap_err().to_string();
    let (_, names) = unknown.split_once("expected one of ").unwrap();
    assert_eq!(causes.len(), names.matches(", ").count() + 1, "every cause is tested: {names}");
    let from = "Riverside <help@example.org>".parse().unwrap();
    for (cause, prefix) in causes {
        let mut delivery = delivery.clone();
        delivery.notice.cause = cause;
        let mail = write(&delivery, &from, "https://example.org", delivery.signup.created_at).unwrap();
        assert!(mail.subject.starts_with(prefix), "{}", mail.subject);
    }
}
