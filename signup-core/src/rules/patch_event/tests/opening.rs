//! When sign-ups open and close.

use super::*;

/// Returns an event on 2027-06-05 in New York whose sign-ups open and close at these times.
fn with_signups(opens: &str, closes: &str) -> EventInFull {
    full_with(|event, _| {
        (event.signups_open_at, event.signups_close_at) = (opens.parse().ok(), closes.parse().ok());
    })
}

fn signups_of(event: &Event) -> String {
    let text = |at: Option<LocalDateTime>| at.map_or_else(|| "-".to_owned(), |at| at.to_string());
    format!("{} {}", text(event.signups_open_at), text(event.signups_close_at))
}

#[test]
fn the_opening_and_the_closing_of_sign_ups_move_with_the_first_day_unless_the_patch_sets_them() {
    let moved = || EventPatch::new().start_date(date(2027, 6, 12));
    let closes = |at: &str| at.parse::<LocalDateTime>().unwrap();
    for (opens, patched, expected) in [
        ("2027-03-01T18:00", moved(), "2027-03-08T18:00 2027-06-11T12:00"),
        ("", moved(), "- 2027-06-11T12:00"),
        ("", moved().clear_signups_close_at(), "- -"),
        ("", moved().signups_close_at(closes("2027-06-05T00:00")), "- 2027-06-05T00:00"),
        ("", EventPatch::new().zone("UTC".parse().unwrap()), "- 2027-06-04T12:00"),
    ] {
        let decision = patch(with_signups(opens, "2027-06-04T12:00"), patched, before()).unwrap();
        assert_eq!(signups_of(&decision.outcome.event), expected);
    }
    let far = || EventPatch::new().start_date(date(9998, 12, 31));
    let out_of_range = patch(with_signups("", "2027-06-06T12:00"), far(), before()).unwrap_err();
    assert_eq!(out_of_range, Error::Invalid(Faults::one("start_date", TimeError::SignupDay)));
    for set in [far().signups_close_at(closes("9998-12-31T00:00")), far().clear_signups_close_at()] {
        assert_eq!(patch(with_signups("", "2027-06-06T12:00"), set, before()).map(drop), Ok(()));
    }
}

#[test]
fn sign_ups_close_after_they_open_by_the_wall_clock() {
    let at = |text: &str| text.parse::<LocalDateTime>().unwrap();
    let new = EventPatch::new;
    let fault = || Err(Error::Invalid(Faults::one("signups_close_at", TimeError::ClosesFirst)));
    for (patched, expected) in [
        (new().signups_close_at(at("2027-03-01T18:01")), Ok(())),
        (new().signups_close_at(at("2027-03-01T18:00")), fault()),
        (new().signups_open_at(at("2027-06-04T11:59")), Ok(())),
        (new().signups_open_at(at("2027-06-04T12:00")), fault()),
        (new().signups_open_at(at("2027-06-04T12:00")).clear_signups_close_at(), Ok(())),
    ] {
        let full = with_signups("2027-03-01T18:00", "2027-06-04T12:00");
        assert_eq!(patch(full, patched.clone(), before()).map(drop), expected, "{patched:?}");
    }
}

/// At 12:00:30 UTC, clocks show 08:00 in New York.
#[test]
fn sign_ups_are_closed_and_opened_at_the_present_minute() {
    let now = "2027-06-04T12:00:30Z".parse().unwrap();
    for (opens, closes, closed, opened) in [
        ("", "", "- 2027-06-04T08:00", "- -"),
        ("2027-03-01T18:00", "", "2027-03-01T18:00 2027-06-04T08:00", "2027-03-01T18:00 -"),
        ("2027-06-04T08:00", "", "- 2027-06-04T08:00", "2027-06-04T08:00 -"),
        ("2027-06-04T08:01", "2027-06-05T00:00", "- 2027-06-04T08:00", "- -"),
        ("2027-03-01T18:00", "2027-03-02T00:00", "2027-03-01T18:00 2027-06-04T08:00", "2027-03-01T18:00 -"),
    ] {
        let full = with_signups(opens, closes);
        let after = |patched| patch(full.clone(), patched, now).unwrap().outcome.event;
        let (shut, open) = (after(close_signups(&full.event, now)), after(open_signups(&full.event, now)));
        assert_eq!((signups_of(&shut), signups_of(&open)), (closed.to_owned(), opened.to_owned()));
        assert_eq!(
            (shut.signup_phase(now), open.signup_phase(now)),
            (SignupPhase::Closed, SignupPhase::Open)
        );
    }
}
