//! Tests of what is news to an address.

use super::super::facts::*;
use super::*;
use crate::conformance::records;
use crate::shift::{Closing, ScheduledShift, Shift};
use crate::signup::SignupState;
use crate::store::EventInFull;
use crate::time_and_place::TimeAndPlace;

/// What the address of a sign-up on shift 1 was told, and the records as they are now.
struct Case {
    told: Told,
    shift: Shift,
    signup: Signup,
}

/// A confirmed sign-up that was told as it is.
fn told() -> Case {
    let EventInFull { event, mut shifts, .. } = full();
    let shift = shifts.remove(0);
    let told = Told { status: Some(SignupStatus::Confirmed), ..Told::by_form(&shift, &event) };
    Case { told, signup: records::signup(&shift, 3), shift: shift.shift }
}

impl Case {
    fn untold(mut self) -> Self {
        self.told.status = None;
        self
    }

    fn moved(mut self, announced: u32) -> Self {
        self.shift.location = "Dock 2".parse().ok();
        self.shift.announced = announced;
        self
    }

    fn announced(mut self, announced: u32) -> Self {
        self.shift.announced = announced;
        self
    }

    /// The address was told of another shift.
    fn on_other_shift(mut self) -> Self {
        let other = full().shifts.remove(1);
        self.told = Told { status: self.told.status, ..Told::by_form(&other, &full().event) };
        self
    }

    fn cancelled(mut self, by: CancelledBy, is_silent: bool) -> Self {
        self.signup.state = SignupState::Cancelled { at: before(), by };
        self.signup.is_silent = is_silent;
        self
    }

    fn closed(mut self, by: CancelledBy, is_silent: bool) -> Self {
        self.shift.closing = Some(Closing { at: before(), by, reason: None, is_silent });
        self.signup = self.signup.of(&self.shift);
        self
    }

    /// It waits, and the address was told so.
    fn waiting(mut self) -> Self {
        self.signup.state = SignupState::Waitlisted;
        self.told.status = Some(SignupStatus::Waitlisted);
        self
    }

    /// It waits no longer, and has a place.
    fn promoted(mut self) -> Self {
        self.signup = self.signup.promoted(before());
        self
    }

    fn told_cancelled(mut self) -> Self {
        self.told.status = Some(SignupStatus::Cancelled);
        self.cancelled(CancelledBy::Volunteer, false)
    }

    fn found(self) -> SignupInFull {
        let Self { told, shift, signup } = self;
        SignupInFull::new(records::organization(1), full().event, shift, Signup { told, ..signup })
    }

    fn change(self, now: Timestamp) -> &'static str {
        match change(&self.found(), now) {
            PlaceChange::New => "new",
            PlaceChange::Waiting => "waiting",
            PlaceChange::Promoted => "promoted",
            PlaceChange::Moved { .. } => "moved",
            PlaceChange::Cancelled => "cancelled",
            PlaceChange::Reminder | PlaceChange::Unchanged => "",
        }
    }
}

#[test]
fn news_is_the_difference_between_what_was_told_and_what_holds() {
    use CancelledBy::{EventCancellation, Organizer, ShiftDeletion, Volunteer};
    let (now, over) = (before(), after_shifts());
    for (what, case, now, expected) in [
        ("a sign-up before its first mail", told().untold(), now, "new"),
        ("whose shift is over", told().untold(), over, ""),
        ("whose shift was moved since", told().untold().moved(1), now, "new"),
        ("that its volunteer cancelled", told().untold().cancelled(Volunteer, false), now, ""),
        ("that the organizer cancelled", told().untold().cancelled(Organizer, false), now, "cancelled"),
        ("that the organizer cancelled silently", told().untold().cancelled(Organizer, true), now, ""),
        ("whose event was cancelled", told().untold().closed(EventCancellation, false), now, "cancelled"),
        ("whose event was cancelled silently", told().untold().closed(EventCancellation, true), now, ""),
        ("a place as it was told", told(), now, ""),
        ("with an announced move", told().moved(1), now, "moved"),
        ("with a silent move", told().moved(0), now, ""),
        ("on another shift than was told", told().on_other_shift(), now, "moved"),
        ("on another shift than the form had", told().on_other_shift().untold(), now, "moved"),
        ("on another shift, after both", told().on_other_shift(), over, ""),
        (
            "on another shift, and cancelled",
            told().on_other_shift().cancelled(Organizer, false),
            now,
            "cancelled",
        ),
        (
            "on another shift, and cancelled silently",
            told().on_other_shift().cancelled(Organizer, true),
            now,
            "cancelled",
        ),
        ("with an announced move that was undone", told().announced(2), now, ""),
        ("with a move after its end", told().moved(1), over, ""),
        ("that its volunteer cancelled", told().cancelled(Volunteer, false), now, "cancelled"),
        ("that the organizer cancelled", told().cancelled(Organizer, false), now, "cancelled"),
        ("that the organizer cancelled silently", told().cancelled(Organizer, true), now, ""),
        ("whose shift was deleted", told().closed(ShiftDeletion, false), now, "cancelled"),
        ("whose shift was deleted silently", told().closed(ShiftDeletion, true), now, ""),
        (
            "whose event was cancelled after a move",
            told().moved(1).closed(EventCancellation, false),
            now,
            "cancelled",
        ),
        (
            "whose event was cancelled after its end",
            told().closed(EventCancellation, false),
            over,
            "cancelled",
        ),
        ("a cancellation that was told", told().told_cancelled(), now, ""),
        ("a sign-up that waits, before its first mail", told().waiting().untold(), now, "waiting"),
        ("that waits for a shift that is over", told().waiting().untold(), over, ""),
        (
            "that waited, and its volunteer cancelled",
            told().waiting().untold().cancelled(Volunteer, false),
            now,
            "",
        ),
        ("that got a place before its first mail", told().waiting().promoted().untold(), now, "promoted"),
        ("that waits, as it was told", told().waiting(), now, ""),
        ("that waits for a shift that moved", told().waiting().moved(1), now, "moved"),
        ("that waited, and got a place", told().waiting().promoted(), now, "promoted"),
        ("on a shift that moved meanwhile", told().waiting().promoted().moved(1), now, "promoted"),
        ("on a shift that is over", told().waiting().promoted(), over, ""),
        (
            "that got a place and was cancelled",
            told().waiting().promoted().cancelled(Volunteer, false),
            now,
            "cancelled",
        ),
        (
            "that waited, and its volunteer cancelled it",
            told().waiting().cancelled(Volunteer, false),
            now,
            "cancelled",
        ),
        (
            "that waited, and the organizer cancelled it",
            told().waiting().cancelled(Organizer, false),
            now,
            "cancelled",
        ),
        (
            "that waited for a shift that was deleted",
            told().waiting().closed(ShiftDeletion, false),
            now,
            "cancelled",
        ),
        (
            "that waited when its event was cancelled silently",
            told().waiting().closed(EventCancellation, true),
            now,
            "",
        ),
    ] {
        assert_eq!(case.change(now), expected, "{what}");
    }
}

#[test]
fn a_move_out_of_the_past_or_into_it_is_news() {
    let (earlier, later) = ((0, 60), (780, 1020));
    for (mut case, hours) in
        [(told(), earlier), (told(), later), (told().waiting(), later), (told().waiting().promoted(), later)]
    {
        case = case.moved(1);
        let shift = Shift { hours: hours.try_into().unwrap(), ..case.shift.clone() };
        let EventInFull { event, .. } = full();
        case.told.at = TimeAndPlace::of(&ScheduledShift::of(shift, &event), &event);
        let between = case.told.at.interval.end.min(case.shift.ends_at);
        assert_eq!(case.change(between), "moved", "told {hours:?}");
    }
}

/// Returns the changes of the sign-ups in the mail, in order; `None` if there is no mail.
fn mail(cases: Vec<Case>, is_asked: bool, now: Timestamp) -> Option<Vec<PlaceChange>> {
    let found: Vec<_> = cases.into_iter().map(Case::found).collect();
    let recipient =
        Recipient { was_asked: is_asked, ..Recipient::new("ada@example.org".parse().unwrap(), now) };
    Some(news(&found, &recipient, true, now)?.places.into_iter().map(|place| place.change).collect())
}

#[test]
fn a_mail_has_the_news_and_every_other_place_that_is_not_over() {
    use PlaceChange::{Cancelled, New, Unchanged};
    let (now, over) = (before(), after_shifts());
    let gone = || told().cancelled(CancelledBy::Organizer, true);
    assert_eq!(mail(vec![told().untold(), told(), gone()], false, now), Some(vec![New, Unchanged]));
    let closed = || told().closed(CancelledBy::EventCancellation, false);
    assert_eq!(mail(vec![closed(), told()], false, over), Some(vec![Cancelled]));
    assert_eq!(mail(vec![told(), gone()], false, now), None);
    assert_eq!(mail(vec![], true, now), None);
}

#[test]
fn a_mail_reminds_of_the_places_whose_moment_has_come_and_other_news_is_told_with_them() {
    use PlaceChange::{New, Reminder, Unchanged};
    let moment = full().shifts[0].reminded_at().unwrap();
    let told_at = |sent_at| {
        let mut case = told();
        case.told.sent_at = Some(sent_at);
        case
    };
    let [earlier, since] = [before(), moment].map(|sent_at| move || told_at(sent_at));
    let new = || told().untold();
    let recipient = Recipient::new("ada@example.org".parse().unwrap(), moment);
    let asks = Recipient { was_asked: true, ..recipient.clone() };
    for (what, cases, recipient, wants_reminders, expected) in [
        ("one place", vec![earlier()], &recipient, true, Some((vec![Reminder], true))),
        ("turned off", vec![earlier()], &recipient, false, None),
        ("told since", vec![since()], &recipient, true, None),
        ("one of two", vec![earlier(), since()], &recipient, true, Some((vec![Reminder, Unchanged], true))),
        ("a new place", vec![earlier(), new()], &recipient, true, Some((vec![Reminder, New], false))),
        ("both", vec![earlier(), new()], &recipient, false, Some((vec![Unchanged, New], false))),
        ("asked for", vec![earlier()], &asks, true, Some((vec![Unchanged], false))),
    ] {
        let found: Vec<_> = cases.into_iter().map(Case::found).collect();
        let mail = news(&found, recipient, wants_reminders, moment);
        let told = mail.map(|mail| {
            let changes = mail.places.iter().map(|place| place.change.clone());
            (changes.collect::<Vec<_>>(), mail.is_only_reminder())
        });
        assert_eq!(told, expected, "{what}");
    }
}

#[test]
fn a_change_concerns_an_address_by_its_news_or_else_by_its_next_reminder() {
    let moment = full().shifts[0].reminded_at().unwrap();
    let reminder = Some(Concern::Reminder(moment));
    for (what, case, expected) in [
        ("an announced move", told().moved(1), Some(Concern::News)),
        ("an announced move that was undone", told().announced(2), Some(Concern::News)),
        ("a silent move", told().moved(0), reminder),
        ("a sign-up before its first mail", told().untold(), reminder),
        (
            "a cancellation by the organizer",
            told().cancelled(CancelledBy::Organizer, false),
            Some(Concern::News),
        ),
        ("a silent cancellation", told().cancelled(CancelledBy::Organizer, true), None),
        ("a cancellation by the volunteer", told().cancelled(CancelledBy::Volunteer, false), None),
    ] {
        assert_eq!(concern(&case.found(), before()), expected, "{what}");
    }
    assert_eq!(concern(&told().found(), after_shifts()), None);
}

#[test]
fn a_cancellation_is_told_if_an_attempt_without_a_result_may_have_told_of_the_place() {
    let found = [told().untold().cancelled(CancelledBy::Volunteer, false).found()];
    let created_at = found[0].signup.created_at;
    for (seconds, expected) in [(None, false), (Some(-61), false), (Some(-60), true), (Some(0), true)] {
        let unreported_at = seconds.map(|seconds| created_at + jiff::SignedDuration::from_secs(seconds));
        let recipient =
            Recipient { unreported_at, ..Recipient::new("ada@example.org".parse().unwrap(), before()) };
        assert_eq!(news(&found, &recipient, true, before()).is_some(), expected);
    }
}

#[test]
fn a_move_to_another_shift_and_back_is_corrected_if_an_attempt_without_a_report_may_have_told_it() {
    let recipient = Recipient::new("ada@example.org".parse().unwrap(), before());
    let unreported = Recipient { unreported_at: Some(before()), ..recipient.clone() };
    for (recipient, seconds, expected) in
        [(&recipient, 0, false), (&unreported, -61, false), (&unreported, -60, true), (&unreported, 9, true)]
    {
        let mut back = told();
        back.signup.changed_at = Some(before() + jiff::SignedDuration::from_secs(seconds));
        assert_eq!(news(&[back.found()], recipient, true, before()).is_some(), expected, "{seconds}");
    }
}

#[test]
fn a_change_that_an_attempt_without_a_report_may_have_told_is_corrected() {
    let recipient = Recipient::new("ada@example.org".parse().unwrap(), before());
    let unreported = Recipient { unreported_at: Some(before()), ..recipient.clone() };
    let found = || [told().announced(2).found()];
    assert_eq!(news(&found(), &recipient, true, before()), None);
    let mail = news(&found(), &unreported, true, before()).unwrap();
    assert_eq!((&mail.places[0].change, mail.places[0].sequence), (&PlaceChange::Unchanged, 1));
    let over = news(&found(), &unreported, true, after_shifts()).unwrap();
    assert_eq!(over.places[0].change, PlaceChange::Unchanged, "the attempt may have told of later hours");
    assert_eq!(news(&[told().found()], &unreported, true, before()), None);
}

#[test]
fn an_announced_change_concerns_a_place_whose_first_mail_may_be_under_way() {
    for (announced, expected) in [(0, false), (1, true)] {
        let concern = concern(&told().untold().moved(announced).found(), before());
        assert_eq!(concern == Some(Concern::News), expected);
    }
    for (announced, expected) in [(0, None), (1, Some(Concern::News))] {
        assert_eq!(concern(&moved_into_the_past(announced), after_shifts()), expected);
    }
}

/// Returns a sign-up that no report had, on a shift that has moved into the past since the form.
fn moved_into_the_past(announced: u32) -> SignupInFull {
    let mut case = told().untold().announced(announced);
    let year = jiff::SignedDuration::from_hours(365 * 24);
    case.told.at.interval.start += year;
    case.told.at.interval.end += year;
    case.found()
}

#[test]
fn a_mail_that_was_asked_for_has_every_place() {
    use PlaceChange::Unchanged;
    assert_eq!(mail(vec![told(), told().told_cancelled()], true, before()), Some(vec![Unchanged]));
    assert_eq!(
        mail(vec![told().untold()], true, after_shifts()),
        Some(vec![Unchanged]),
        "also after the end"
    );
    assert_eq!(mail(vec![told().told_cancelled()], true, before()), None, "there is no place to show");
}

#[test]
fn a_move_into_the_past_is_told_if_an_attempt_without_a_report_may_have_told_of_the_place() {
    let found = [moved_into_the_past(1)];
    let recipient = Recipient::new("ada@example.org".parse().unwrap(), before());
    assert_eq!(news(&found, &recipient, true, after_shifts()), None);
    let unreported = Recipient { unreported_at: Some(before()), ..recipient };
    let mail = news(&found, &unreported, true, after_shifts()).unwrap();
    assert_eq!(mail.places[0].change, PlaceChange::Moved { before: found[0].signup.told.at.clone() });
    let ended = [told().untold().found()];
    assert_eq!(news(&ended, &unreported, true, after_shifts()), None);
}
