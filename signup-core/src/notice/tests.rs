//! Tests of notices: their backoff, and their stored form.

use super::*;

#[test]
fn backoffs_double_from_30_seconds_to_an_hour_and_end_within_a_day() {
    let backoffs: Vec<_> = (1..).map_while(backoff).map(|backoff| backoff.as_secs()).collect();
    assert_eq!(backoffs[..9], [30, 60, 120, 240, 480, 960, 1920, 3600, 3600]);
    let waited: i64 = backoffs.iter().sum();
    assert!((23 * 3600..=24 * 3600).contains(&waited), "{waited}");
    assert!(backoffs.is_sorted());
}

#[test]
fn the_progress_of_a_fan_out_is_stored_under_the_name_of_earlier_releases() {
    let signup: SignupId = "01890a5d-ac96-774b-bcce-b302099a8057".parse().unwrap();
    let stored = format!(
        r#"{{"kind":"shift_changed",
        "before":{{"interval":{{"start":"2027-06-05T13:00:00Z","end":"2027-06-05T16:00:00Z"}},"location":null}},
        "after":{{"interval":{{"start":"2027-06-05T14:00:00Z","end":"2027-06-05T16:00:00Z"}},"location":null}},
        "shift_version":2,"told_until":"{signup}"}}"#
    );
    let cause: NoticeCause = serde_json::from_str(&stored).unwrap();
    assert!(matches!(cause, NoticeCause::ShiftChanged { fanned_out_to: Some(id), .. } if id == signup));
    let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
    assert_eq!(value(&serde_json::to_string(&cause).unwrap()), value(&stored));
}

/// An older release would drop a changed place of the event as reverted, and would tell the volunteer of a cancelled
/// event that the volunteer cancelled.
#[test]
fn an_older_release_cannot_read_the_notices_that_it_would_word_wrongly() {
    let signup: SignupId = "01890a5d-ac96-774b-bcce-b302099a8057".parse().unwrap();
    let time = "2027-06-05T13:00:00Z".parse().unwrap();
    let interval = Interval { start: time, end: time + SignedDuration::from_hours(1) };
    let place = TimeAndPlace { interval, location: None, event_location: None };
    let change = ShiftChange { before: place.clone(), after: place, shift_version: 2 };
    let known_to_older_releases = ["signed_up", "cancelled", "shift_changed", "shift_moved"];
    for cause in [
        NoticeCause::CancelledWithShift { signup },
        NoticeCause::EventChanged { change: change.clone(), fanned_out_to: None },
        NoticeCause::EventMoved { signup, change },
    ] {
        let stored = serde_json::to_value(&cause).unwrap();
        assert_eq!(stored["kind"], cause.name());
        assert!(!known_to_older_releases.contains(&cause.name()), "{stored}");
    }
}

#[test]
fn a_notice_queued_by_an_older_release_can_be_read() {
    let old = r#"{"kind": "shift_changed",
        "before": {"interval": {"start": "2027-06-05T13:00:00Z", "end": "2027-06-05T16:00:00Z"}, "location": null},
        "after": {"interval": {"start": "2027-06-05T14:00:00Z", "end": "2027-06-05T16:00:00Z"}, "location": "Hall B"}}"#;
    let cause: NoticeCause = serde_json::from_str(old).unwrap();
    assert!(matches!(cause, NoticeCause::ShiftChanged { fanned_out_to: None, .. }));
    let again: NoticeCause = serde_json::from_str(&serde_json::to_string(&cause).unwrap()).unwrap();
    assert_eq!(again, cause);
}
