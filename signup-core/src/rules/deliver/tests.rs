//! Which mails a fan-out queues, what a claim tells, and which notices are obsolete.

use super::super::facts::*;
use super::*;
use crate::conformance::records;
use crate::event::Event;
use crate::hours::Interval;
use crate::id::InvitationId;
use crate::organization::Organization;
use crate::shift::CancelledBy;
use crate::shift::{Gathering, ScheduledShift};
use crate::store::{Record, Write};

/// A sign-up whose volunteer was told the present time and place.
fn facts() -> (Organization, Event, ScheduledShift, Signup) {
    let mut full = full();
    let shift = full.shifts.remove(0);
    let told = TimeAndPlace::of(&shift, &full.event);
    let signup = Signup { told, ..records::signup(&shift, 3) };
    (records::organization(1), full.event, shift, signup)
}

fn in_full() -> SignupInFull {
    let (organization, event, shift, signup) = facts();
    SignupInFull { organization, event, shift, signup }
}

fn elsewhere(at: &TimeAndPlace) -> TimeAndPlace {
    TimeAndPlace { location: "Hall B".parse().ok(), ..at.clone() }
}

#[test]
fn a_fan_out_of_a_change_skips_volunteers_who_were_told_the_present_time_and_place() {
    let (_, event, shift, told) = facts();
    let fanned_out = records::notice(&shift, 5);
    let present = TimeAndPlace::of(&shift, &event);
    let in_another_zone = TimeAndPlace { zone: "UTC".parse().unwrap(), ..present.clone() };
    let signups = [
        Signup { told: elsewhere(&present), ..told.clone() },
        Signup { told: in_another_zone, ..records::signup(&shift, 4) },
        Signup { told: present.clone(), ..records::signup(&shift, 6) },
    ];
    let mails = || vec![mail(8), mail(9), mail(10)];
    let fan_out = |signups: &[Signup], is_last| {
        fan_out(fanned_out.clone(), Some(&present), signups, mails(), is_last, before())
    };
    let mailed = ["Signup 3 at 1", "Notice 5 at 1", "insert Link 0", "insert Notice 8"];
    assert_eq!(change_lines(&fan_out(&signups, true)), [&mailed[..], &["remove Notice 5"]].concat());
    let more = fan_out(&signups, false);
    assert_eq!(change_lines(&more), [&mailed[..], &["put Notice 5 to 2"]].concat());
    let Some(Write::Put { after, .. }) = more.writes.last() else { panic!("{more:?}") };
    let next = <&Notice>::try_from(after).unwrap();
    assert_eq!(next.cause, NoticeCause::ShiftChanged { fanned_out_to: Some(signups[2].id) });
    assert_eq!(next.due_at, before() + FAN_OUT_INTERVAL);
    assert_eq!(change_lines(&fan_out(&[], false)), ["Notice 5 at 1", "remove Notice 5"]);
}

#[test]
fn a_fan_out_of_a_cancellation_or_a_deletion_reaches_every_sign_up() {
    let (.., shift, signup) = facts();
    let changed = records::notice(&shift, 5);
    for cause in [
        NoticeCause::EventCancelled { fanned_out_to: None },
        NoticeCause::ShiftDeleted { fanned_out_to: None },
    ] {
        let fanned_out = Notice { cause, ..changed.clone() };
        let signups = [signup.clone(), records::signup(&shift, 99)];
        let change = fan_out(fanned_out, None, &signups, vec![mail(8), mail(9)], true, before());
        let told = change.writes.iter().filter_map(|write| match write {
            Write::Put { before: None, after: Record::Notice(notice) } => Some(notice),
            _ => None,
        });
        let told: Vec<_> = told.map(|notice| (notice.cause.name(), notice.cause.signup())).collect();
        assert_eq!(told, signups.map(|signup| ("cancelled", Some(signup.id))));
    }
}

#[test]
fn a_notice_is_left_to_the_latest_one_of_its_gathering() {
    let (_, _, shift, _) = facts();
    let gathering = Gathering { first_at: records::at(10), due_at: records::at(60), latest: notice(5) };
    for (what, number, created_at, gathering, expected) in [
        ("the first one", 4, 10, Some(gathering), true),
        ("another one, due in the same second", 4, 59, Some(gathering), true),
        ("the latest one", 5, 59, Some(gathering), false),
        ("the latest one, by a clock that is ahead", 5, 7_200, Some(gathering), false),
        ("one of the gathering before", 4, 9, Some(gathering), false),
        ("one without a gathering", 4, 10, None, false),
    ] {
        let shift = Shift { gathering, ..shift.shift.clone() };
        let queued = Notice { created_at: records::at(created_at), ..records::notice(&shift, number) };
        assert_eq!(is_left_to_a_later_notice(&queued, &shift), expected, "{what}");
    }
}

/// Returns the notice of one mail.
fn queued(signup: &Signup, cause: impl FnOnce(SignupId, Secret) -> NoticeCause) -> Notice {
    let path = (signup.organization, signup.event, signup.shift);
    Notice::new(notice(8), path, cause(signup.id, Secret::generate()), before())
}

fn moved(before: Option<TimeAndPlace>) -> impl FnOnce(SignupId, Secret) -> NoticeCause {
    |signup, secret| NoticeCause::ShiftMoved { signup, secret, before }
}

#[test]
fn a_claimed_mail_becomes_what_the_volunteer_was_told() {
    let found = in_full();
    let present = found.signup.told.clone();
    let is_told = ["Notice 8 at 1", "put Notice 8 to 2"];
    let tells = ["Notice 8 at 1", "Signup 3 at 1", "put Notice 8 to 2", "put Signup 3 to 2"];
    let zone = TimeAndPlace { zone: "UTC".parse().unwrap(), ..present.clone() };
    for (what, told, expected) in [
        ("the same", present.clone(), &is_told[..]),
        ("another place", elsewhere(&present), &tells),
        ("another zone", zone, &tells),
    ] {
        let signup = Signup { told, ..found.signup.clone() };
        let confirmation = queued(&signup, |signup, secret| NoticeCause::SignedUp { signup, secret });
        let claimed = claim(&confirmation, SignupInFull { signup, ..found.clone() }, before());
        assert_eq!(lines(&claimed), expected, "{what}");
        assert_eq!(claimed.outcome.unwrap().signup().unwrap().signup.told, present, "{what}");
    }
}

#[test]
fn a_change_keeps_what_was_told_before_its_first_attempt() {
    let found = in_full();
    let present = found.signup.told.clone();
    let signup = Signup { told: elsewhere(&present), ..found.signup.clone() };
    let first = queued(&signup, moved(None));
    let before_of = |mail: &Mail| match &mail.notice.cause {
        NoticeCause::ShiftMoved { before, .. } => before.clone(),
        other => panic!("{other:?}"),
    };
    let claimed = claim(&first, SignupInFull { signup, ..found.clone() }, before()).outcome.unwrap();
    assert_eq!(before_of(&claimed), Some(elsewhere(&present)));
    let later = before() + Notice::LEASE;
    let again = claim(&claimed.notice, claimed.signup().unwrap().clone(), later).outcome.unwrap();
    assert_eq!(before_of(&again), Some(elsewhere(&present)), "also if the volunteer counts as told since");
}

#[test]
fn a_reported_failure_takes_back_what_the_claim_told() {
    let found = in_full();
    let present = found.signup.told.clone();
    let alone = ["Notice 8 at 2", "put Notice 8 to 3"];
    let both = ["Notice 8 at 2", "Signup 3 at 2", "put Notice 8 to 3", "put Signup 3 to 3"];
    let other = elsewhere(&present);
    let confirmation = || queued(&found.signup, |signup, secret| NoticeCause::SignedUp { signup, secret });
    let change = |before| queued(&found.signup, moved(before));
    for (what, notice, told, expected) in [
        ("a change", change(None), &other, &both[..]),
        ("a change whose first mail may have arrived", change(Some(other.clone())), &present, &alone),
        ("a confirmation after a change", confirmation(), &other, &both),
        ("a confirmation", confirmation(), &present, &alone),
    ] {
        let signup = Signup { told: told.clone(), ..found.signup.clone() };
        let mail = claim(&notice, SignupInFull { signup, ..found.clone() }, before()).outcome.unwrap();
        for failure in [MailFailure::Transient, MailFailure::Permanent] {
            let failed = fail(&mail, failure, "450 later", before());
            assert_eq!(lines(&failed), expected, "{what}");
            assert_eq!(failed.outcome.cause, notice.cause, "{what}");
            let told_after = failed.change.writes.iter().find_map(|write| match write {
                Write::Put { after: Record::Signup(signup), .. } => Some(&signup.told),
                _ => None,
            });
            assert_eq!(told_after.unwrap_or(&mail.signup().unwrap().signup.told), told, "{what}");
        }
    }
}

#[test]
fn a_mail_about_a_deleted_shift_shows_what_was_told_before() {
    let found = in_full();
    let told = elsewhere(&found.signup.told);
    let shift = Shift { deleted_at: Some(before()), ..found.shift.shift.clone() };
    let shift = ScheduledShift { shift, ..found.shift.clone() };
    let signup =
        Signup { told: told.clone(), ..found.signup.clone().cancelled(before(), CancelledBy::ShiftDeletion) };
    let cancellation = queued(&signup, |signup, secret| NoticeCause::Cancelled { signup, secret });
    let claimed = claim(&cancellation, SignupInFull { shift, signup, ..found }, before());
    assert_eq!(lines(&claimed), ["Notice 8 at 1", "put Notice 8 to 2"]);
    assert_eq!(claimed.outcome.unwrap().signup().unwrap().signup.told, told);
}

#[test]
fn a_notice_is_obsolete_if_it_would_tell_nothing_that_holds() {
    let found = in_full();
    let signup = found.signup.clone();
    let cancelled = signup.clone().cancelled(before(), CancelledBy::Volunteer);
    let place = signup.told.clone();
    let over =
        TimeAndPlace { interval: Interval { start: records::at(0), end: records::at(1) }, ..place.clone() };
    let told = |told: &TimeAndPlace| Signup { told: told.clone(), ..signup.clone() };
    let in_another_zone = TimeAndPlace { zone: "UTC".parse().unwrap(), ..place.clone() };
    let confirmation = || queued(&signup, |signup, secret| NoticeCause::SignedUp { signup, secret });
    let cancellation = || queued(&signup, |signup, secret| NoticeCause::Cancelled { signup, secret });
    let change = || queued(&signup, moved(None));
    let claimed_before = |before: &TimeAndPlace| queued(&signup, moved(Some(before.clone())));
    let again = queued(&signup, |signup, secret| NoticeCause::SignedUpAgain { signup, secret });
    let again = Notice { created_at: after_shifts(), ..again };
    for (what, notice, signup, now, expected) in [
        ("a confirmation", confirmation(), signup.clone(), before(), false),
        ("of a cancelled sign-up", confirmation(), cancelled.clone(), before(), true),
        ("of a shift that has ended since", confirmation(), signup.clone(), after_shifts(), true),
        ("of a repetition after the end", again, signup.clone(), after_shifts(), false),
        ("a cancellation", cancellation(), cancelled.clone(), before(), false),
        ("of a confirmed sign-up", cancellation(), signup.clone(), before(), true),
        ("a change", change(), told(&elsewhere(&place)), before(), false),
        ("that was told or reverted", change(), told(&place), before(), true),
        ("of the zone alone", change(), told(&in_another_zone), before(), true),
        ("of a shift that is over and moves to a later time", change(), told(&over), before(), false),
        ("of a shift that is over", change(), told(&elsewhere(&place)), after_shifts(), true),
        ("for a cancelled sign-up", change(), cancelled, before(), true),
        ("a later attempt", claimed_before(&elsewhere(&place)), signup.clone(), before(), false),
        ("that was reverted since", claimed_before(&place), told(&elsewhere(&place)), before(), true),
    ] {
        let claimed = claim(&notice, SignupInFull { signup, ..found.clone() }, now);
        assert_eq!(claimed.outcome.is_none(), expected, "{what}");
        if expected {
            assert_eq!(lines(&claimed), ["Notice 8 at 1", "remove Notice 8"], "{what}");
        }
    }
}

#[test]
fn a_notice_is_replaced_or_deleted_only_as_it_was_read() {
    let (.., shift, _) = facts();
    let queued = records::notice(&shift, 5);
    let next = Notice { version: 2, ..queued.clone() };
    assert_eq!(change_lines(&replace_notice(&queued, next)), ["Notice 5 at 1", "put Notice 5 to 2"]);
    assert_eq!(change_lines(&delete_notice(&queued)), ["Notice 5 at 1", "remove Notice 5"]);
}

#[test]
fn a_failed_mail_that_no_retry_could_use_is_deleted() {
    let (later, week) = (MailFailure::Transient, 7 * 86_400);
    let invited = || NoticeCause::Invited { invitation: InvitationId::NONE, secret: Secret::generate() };
    let code = || records::code_asked_for(1);
    let (kept, deleted) = ("put Notice 8 to 3", "remove Notice 8");
    for (cause, failure, seconds, expected) in [
        (code(), later, 0, kept),
        (code(), later, 599, deleted),
        (code(), MailFailure::Permanent, 0, deleted),
        (invited(), MailFailure::Permanent, week - 1, kept),
        (invited(), MailFailure::Permanent, week, deleted),
    ] {
        let (queued_at, now) = (records::at(0), records::at(seconds));
        let queued = Notice::to_person(notice(8), records::organization_id(1), cause, queued_at);
        let claimed = queued.claimed(now);
        let change = replace_notice(&claimed, claimed.clone().after_failure(failure, "450 later", now));
        assert_eq!(change_lines(&change), ["Notice 8 at 2", expected], "{:?} {seconds}", claimed.cause);
    }
}
