//! The changes of a queued notice: fanned out to volunteers, replaced by its next version, or deleted.
//!
//! Each change requires the version of the notice that was read. So only one of several simultaneous changes succeeds.

use jiff::{SignedDuration, Timestamp};

use super::mail::{MailIds, queue_mail};
use crate::id::SignupId;
use crate::notice::{Notice, NoticeCause, TimeAndPlace};
use crate::secret::Secret;
use crate::signup::Signup;
use crate::store::{ChangeSet, SignupInFull};

/// The time between two batches of a fan-out.
const FAN_OUT_INTERVAL: SignedDuration = SignedDuration::from_secs(1);

/// Fans out a notice to one batch of volunteers. Queues one mail for each of `signups`, with the ids and secrets of `mails`.
///
/// `signups` follow the last sign-up of the previous batch. If `is_last`, deletes the fanned-out notice. Otherwise replaces
/// the notice with its next version, which is due for the next batch. For a changed shift, skips sign-ups made after the
/// change: their confirmation already has the new time and place.
pub(crate) fn fan_out(
    notice: Notice,
    signups: &[Signup],
    mails: Vec<MailIds>,
    is_last: bool,
    now: Timestamp,
) -> ChangeSet {
    let mut change = ChangeSet::default();
    for (signup, mail) in signups.iter().zip(mails) {
        if reaches(&notice.cause, signup) {
            // The sign-up may be erased meanwhile.
            change.require_unchanged(signup);
            queue_mail(
                &mut change,
                signup,
                mail,
                |signup, secret| mail_cause(&notice.cause, signup, secret),
                now,
            );
        }
    }
    match signups.last() {
        Some(last) if !is_last => {
            // The next batch is due after this one, and after notices queued meanwhile: a large shift does not delay
            // other mails.
            let (version, due_at) = (notice.version + 1, now + FAN_OUT_INTERVAL);
            let cause = notice.cause.clone().with_fan_out_to(last.id);
            let next = Notice { cause, version, due_at, ..notice.clone() };
            change.replace(notice, next);
        }
        _ => change.remove(notice),
    }
    change
}

/// Returns whether a fan-out for `cause` reaches the volunteer of a sign-up.
fn reaches(cause: &NoticeCause, signup: &Signup) -> bool {
    match cause {
        NoticeCause::ShiftChanged { change, .. } => signup.shift_version < change.shift_version,
        _ => true,
    }
}

/// Returns the cause of the mail to one volunteer.
fn mail_cause(cause: &NoticeCause, signup: SignupId, secret: Secret) -> NoticeCause {
    match cause {
        NoticeCause::ShiftChanged { change, .. } => {
            NoticeCause::ShiftMoved { signup, secret, change: change.clone() }
        }
        _ => NoticeCause::Cancelled { signup, secret },
    }
}

/// Returns whether a notice is obsolete, so that no mail is sent for it.
///
/// - A confirmation: if the sign-up is cancelled, or if the shift has ended since the notice was
///   queued. A confirmation that was requested after the end is not obsolete.
/// - A cancellation: if the sign-up is confirmed.
/// - A change: if the sign-up is cancelled, if the shift is as it was before the change, or if the shift is over by
///   both its old and its new hours.
/// - A notice that is not fanned out yet: never.
pub(crate) fn is_obsolete(notice: &Notice, present: &SignupInFull, now: Timestamp) -> bool {
    let SignupInFull { event, shift, signup, .. } = present;
    match &notice.cause {
        NoticeCause::SignedUp { .. } => {
            let interval = shift.interval();
            let has_ended_since = notice.created_at < interval.end && interval.is_over(now);
            !signup.is_confirmed() || has_ended_since
        }
        NoticeCause::Cancelled { .. } => signup.is_confirmed(),
        NoticeCause::ShiftChanged { .. }
        | NoticeCause::EventCancelled { .. }
        | NoticeCause::ShiftDeleted { .. } => false,
        NoticeCause::ShiftMoved { change, .. } => {
            let (before, present) = (&change.before, TimeAndPlace::of(shift, event));
            let is_over = before.interval.is_over(now) && present.interval.is_over(now);
            !signup.is_confirmed() || *before == present || is_over
        }
    }
}

/// Replaces a notice by its next version.
pub(crate) fn replace_notice(before: &Notice, after: Notice) -> ChangeSet {
    let mut change = ChangeSet::default();
    change.replace(before.clone(), after);
    change
}

/// Deletes a notice.
pub(crate) fn delete_notice(notice: &Notice) -> ChangeSet {
    let mut change = ChangeSet::default();
    change.remove(notice.clone());
    change
}

#[cfg(test)]
mod tests {
    use super::super::facts::*;
    use super::*;
    use crate::conformance::records;
    use crate::event::Event;
    use crate::hours::Interval;
    use crate::notice::ShiftChange;
    use crate::organization::Organization;
    use crate::secret::Secret;
    use crate::shift::ScheduledShift;
    use crate::signup::CancelledBy;
    use crate::store::{Record, Write};

    fn facts() -> (Organization, Event, ScheduledShift, Signup) {
        let mut full = full();
        let shift = full.shifts.remove(0);
        let signup = records::signup(&shift, 3);
        (records::organization(1), full.event, shift, signup)
    }

    #[test]
    fn a_fan_out_skips_sign_ups_made_after_the_change() {
        let (.., shift, signup) = facts();
        let fanned_out = records::notice(&shift, 5);
        let later = Signup { shift_version: 2, ..records::signup(&shift, 4) };
        let ids = || vec![mail(8), mail(9)];
        let told = ["Signup 3 at 1", "Notice 5 at 1", "insert Link 0", "insert Notice 8"];
        let signups = [signup, later];
        let last = fan_out(fanned_out.clone(), &signups, ids(), true, before());
        assert_eq!(change_lines(&last), [&told[..], &["remove Notice 5"]].concat());
        let more = fan_out(fanned_out.clone(), &signups, ids(), false, before());
        assert_eq!(change_lines(&more), [&told[..], &["put Notice 5 to 2"]].concat());
        let Some(Write::Put { after, .. }) = more.writes.last() else { panic!("{more:?}") };
        let next = <&Notice>::try_from(after).unwrap();
        let NoticeCause::ShiftChanged { fanned_out_to, .. } = &next.cause else { panic!("{next:?}") };
        assert_eq!((*fanned_out_to, next.due_at), (Some(signups[1].id), before() + FAN_OUT_INTERVAL));
        assert_eq!(
            change_lines(&fan_out(fanned_out, &[], ids(), false, before())),
            ["Notice 5 at 1", "remove Notice 5"]
        );
    }

    #[test]
    fn a_fan_out_of_a_cancellation_or_a_deletion_reaches_every_sign_up() {
        let (.., shift, signup) = facts();
        let changed = records::notice(&shift, 5);
        let later = crate::id::SignupId::new(records::uuid(99));
        for cause in [
            NoticeCause::EventCancelled { fanned_out_to: None },
            NoticeCause::ShiftDeleted { fanned_out_to: None },
        ] {
            let fanned_out = Notice { cause, ..changed.clone() };
            let signups = [signup.clone(), Signup { id: later, shift_version: 9, ..signup.clone() }];
            let change = fan_out(fanned_out, &signups, vec![mail(8), mail(9)], true, before());
            let told = change.writes.iter().filter_map(|write| match write {
                Write::Put { before: None, after: Record::Notice(notice) } => Some(notice),
                _ => None,
            });
            let told: Vec<_> = told.map(|notice| (notice.cause.name(), notice.cause.signup())).collect();
            assert_eq!(told, signups.map(|signup| ("cancelled", Some(signup.id))));
        }
    }

    #[test]
    fn a_notice_is_obsolete_if_it_would_tell_nothing_that_holds() {
        let secret = Secret::generate();
        let (organization, event, shift, signup) = facts();
        let cancelled = signup.clone().cancelled(before(), CancelledBy::Volunteer);
        let path = (shift.organization, shift.event, shift.id);
        let queued = |cause, created_at| Notice::new(notice(8), path, cause, created_at);
        let confirmation = || NoticeCause::SignedUp { signup: signup.id, secret: secret.clone() };
        let place = TimeAndPlace::of(&shift, &event);
        let elsewhere = TimeAndPlace { location: "Hall B".parse().ok(), ..place.clone() };
        let over = TimeAndPlace {
            interval: Interval { start: records::at(0), end: records::at(1) },
            ..place.clone()
        };
        let moved = |before: &TimeAndPlace| NoticeCause::ShiftMoved {
            signup: signup.id,
            secret: secret.clone(),
            change: ShiftChange {
                before: before.clone(),
                after: place.clone(),
                shift_version: 2,
                with_event: false,
            },
        };
        let cancellation = || NoticeCause::Cancelled { signup: signup.id, secret: secret.clone() };
        for (what, cause, created_at, signup, now, expected) in [
            ("a confirmation", confirmation(), before(), &signup, before(), false),
            ("of a cancelled sign-up", confirmation(), before(), &cancelled, before(), true),
            ("of a shift that has ended since", confirmation(), before(), &signup, after_shifts(), true),
            (
                "that was requested after the end",
                confirmation(),
                after_shifts(),
                &signup,
                after_shifts(),
                false,
            ),
            ("a cancellation", cancellation(), before(), &cancelled, before(), false),
            ("of a confirmed sign-up", cancellation(), before(), &signup, before(), true),
            ("a change", moved(&elsewhere), before(), &signup, before(), false),
            ("that was reverted", moved(&place), before(), &signup, before(), true),
            (
                "of a shift that is over and moves to a later time",
                moved(&over),
                before(),
                &signup,
                before(),
                false,
            ),
            ("of a shift that is over", moved(&elsewhere), before(), &signup, after_shifts(), true),
            ("for a cancelled sign-up", moved(&elsewhere), before(), &cancelled, before(), true),
            (
                "a fan-out",
                NoticeCause::ShiftDeleted { fanned_out_to: None },
                before(),
                &cancelled,
                after_shifts(),
                false,
            ),
        ] {
            let present = SignupInFull {
                organization: organization.clone(),
                event: event.clone(),
                shift: shift.clone(),
                signup: signup.clone(),
            };
            assert_eq!(is_obsolete(&queued(cause, created_at), &present, now), expected, "{what}");
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
}
