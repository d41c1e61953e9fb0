//! Recipients and jobs: whom a change concerns, and when the next mail is due.
//!
//! What each mail says is decided when it is sent: see [`news`](super::news::news). So a change set only marks whom it concerns.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

use crate::id::{EventId, NoticeId, OrganizationId, ShiftId};
use crate::notice::{EventChange, Notice, NoticeCause, Recipient};
use crate::secret::Digest;
use crate::signup::Signup;
use crate::store::{ChangeSet, Requirement, Unique};
use crate::text::EmailAddress;

/// The cause of a mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WantedBy {
    /// The organizer, or a promotion.
    Organizer,
    /// A sign-up or a cancellation by the volunteer.
    Volunteer,
    /// A repeated sign-up by the volunteer. It gets a mail even without news.
    VolunteerAgain,
}

/// Returns the id of the recipient with this address at an event.
pub(crate) fn recipient_id(event: EventId, email: &EmailAddress) -> NoticeId {
    id_of(&format!("{event}\n{}", email.key()))
}

/// Returns the id of the job that mails the changes of an event.
pub(crate) fn event_change_id(event: EventId) -> NoticeId {
    id_of(&event.to_string())
}

/// Returns the id of the job that promotes those who wait for shifts of an event that this version has moved.
pub(super) fn promotion_id(event: EventId, version: u32) -> NoticeId {
    id_of(&format!("{event}\npromotion {version}"))
}

/// Returns the id that follows from `text`: there is only one such notice.
pub(super) fn id_of(text: &str) -> NoticeId {
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&Digest::of(text).as_bytes()[..16]);
    NoticeId::new(uuid::Builder::from_custom_bytes(bytes).into_uuid())
}

/// Makes the next mail to the address of a sign-up due. `present` is the recipient, as it was read.
///
/// The mail is due at once, unless volunteers [caused many](crate::Requests) lately. A mail that is due already stays due. An
/// attempt that is under way may not show the change, so another mail follows it.
pub(crate) fn want(
    change: &mut ChangeSet,
    signup: &Signup,
    present: Option<Notice>,
    by: WantedBy,
    now: Timestamp,
) {
    let notice = present.clone().unwrap_or_else(|| resting(signup, now));
    let NoticeCause::News(mut recipient) = notice.cause.clone() else { return };
    recipient.is_asked |= by == WantedBy::VolunteerAgain;
    let is_under_way = notice.attempts > 0 && notice.failure.is_none();
    let next = if is_under_way { recipient.again_at } else { notice.due_at };
    let next = match (by, next) {
        (WantedBy::Organizer, next) => next.map_or(now, |next| next.min(now)),
        (WantedBy::Volunteer | WantedBy::VolunteerAgain, Some(next)) => next,
        (WantedBy::Volunteer | WantedBy::VolunteerAgain, None) => recipient.request(now),
    };
    let after = if is_under_way {
        recipient.again_at = Some(next);
        notice
    } else {
        Notice { due_at: Some(next), attempts: 0, failure: None, ..notice }
    };
    put_next(change, present, Notice { cause: NoticeCause::News(recipient), ..after }, now);
}

/// Returns the recipient with the address of a sign-up, at rest.
///
/// An erasure removes a recipient, and a later sign-up makes one with the same id. Its versions begin elsewhere, at a number that
/// follows from the random end of the id of the sign-up. So a commit that was decided on the former recipient is refused.
fn resting(signup: &Signup, now: Timestamp) -> Notice {
    let cause = NoticeCause::News(Recipient::new(signup.email.clone(), now));
    let id = recipient_id(signup.event, &signup.email);
    let notice = Notice::new(id, signup.organization, Some(signup.event), cause, now);
    let (_, random) = signup.id.uuid().as_u64_pair();
    // Leaves most numbers for the versions that follow.
    let version = 1 + (random as u32 >> 2);
    Notice { version, due_at: None, ..notice }
}

/// Lets the address of a sign-up be reminded at `at`. `present` is the recipient, as it was read. It stays as it is if it is to be
/// reminded then, or before. No other mail is due earlier.
pub(super) fn remind(
    change: &mut ChangeSet,
    signup: &Signup,
    present: Option<Notice>,
    at: Timestamp,
    now: Timestamp,
) {
    let notice = present.clone().unwrap_or_else(|| resting(signup, now));
    let NoticeCause::News(recipient) = notice.cause.clone() else { return };
    if recipient.remind_at.is_none_or(|present| at < present) {
        let cause = NoticeCause::News(Recipient { remind_at: Some(at), ..recipient });
        put_next(change, present, Notice { cause, ..notice }, now);
    }
}

/// Makes the next mails to the addresses of sign-ups due, like [`want`]. An address that comes twice has one recipient, and one
/// mail: at once, if the organizer or the service is a cause of it.
pub(super) fn want_each(
    change: &mut ChangeSet,
    wanted: impl IntoIterator<Item = (Signup, Option<Notice>, WantedBy)>,
    now: Timestamp,
) {
    let mut of_address = BTreeMap::new();
    for (signup, recipient, by) in wanted {
        let key = signup.email.key().to_owned();
        let (.., causes) = of_address.entry(key).or_insert_with(|| (signup, recipient, vec![]));
        causes.push(by);
    }
    for (signup, recipient, causes) in of_address.into_values() {
        let organizer = causes.iter().find(|by| **by == WantedBy::Organizer);
        if let Some(by) = organizer.or(causes.first()) {
            want(change, &signup, recipient, *by, now);
        }
    }
}

/// Marks that a change of these shifts of an event concerns their volunteers. The change joins the job that is `present`, and the
/// job starts over. The mails wait for `delay`. Without a delay, nobody is mailed about the change, and the job is due when it was.
pub(super) fn want_all(
    change: &mut ChangeSet,
    (owner, event): (OrganizationId, EventId),
    shifts: &[ShiftId],
    present: Option<Notice>,
    delay: Option<SignedDuration>,
    now: Timestamp,
) {
    let Some(first) = shifts.first() else { return };
    let mut next =
        EventChange { shift: Some(*first).filter(|_| shifts.len() == 1), first_at: now, covered_to: None };
    if let Some(Notice { cause: NoticeCause::EventChanged(earlier), due_at, failure, .. }) = &present
        && (due_at.is_some() || failure.is_some())
    {
        next.shift = next.shift.filter(|shift| earlier.shift == Some(*shift));
        next.first_at = earlier.first_at;
    }
    let due_at = match delay {
        Some(delay) => (now + delay).min(next.first_at + EventChange::MAX_DELAY),
        None => present.as_ref().and_then(|job| job.due_at).unwrap_or(now),
    };
    let cause = NoticeCause::EventChanged(next);
    let notice = present.clone();
    let notice =
        notice.unwrap_or_else(|| Notice::new(event_change_id(event), owner, Some(event), cause.clone(), now));
    put_next(
        change,
        present,
        Notice { cause, due_at: Some(due_at), attempts: 0, failure: None, ..notice },
        now,
    );
}

/// Puts `after` in place of the notice that was read, at the next version, or inserts it.
fn put_next(change: &mut ChangeSet, before: Option<Notice>, after: Notice, now: Timestamp) {
    match before {
        Some(before) => {
            let version = before.version + 1;
            change.replace(before, Notice { version, ..after });
        }
        None => {
            let unique = Unique::Notice(after.organization, after.id);
            change.requires.push(Requirement::Absent { unique, now });
            change.insert(after);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::facts::*;
    use super::*;
    use crate::conformance::records::{self, at};
    use crate::id::SignupId;
    use crate::notice::MailFailure;
    use crate::store::{Record, Write};

    fn signup() -> Signup {
        records::signup(&full().shifts[0], 3)
    }

    /// Returns the notice that a change set inserts or puts.
    fn written(change: &ChangeSet) -> Notice {
        match &change.writes[..] {
            [Write::Put { after: Record::Notice(notice), .. }] => (**notice).clone(),
            other => panic!("{other:?}"),
        }
    }

    fn wanted(present: Option<Notice>, by: WantedBy, now: Timestamp) -> Notice {
        let mut change = ChangeSet::default();
        want(&mut change, &signup(), present, by, now);
        written(&change)
    }

    fn recipient(notice: &Notice) -> &Recipient {
        notice.recipient().unwrap()
    }

    #[test]
    fn a_recipient_that_is_made_again_has_no_version_of_the_former() {
        let made = |id: u128| {
            let signup = Signup { id: SignupId::new(uuid::Uuid::from_u128(id)), ..signup() };
            let mut change = ChangeSet::default();
            want(&mut change, &signup, None, WantedBy::Volunteer, at(0));
            written(&change)
        };
        let [former, new] = [0x9f2c_71d0, 0x17aa_03b4].map(made);
        assert_eq!(former.id, new.id);
        assert!(former.version.abs_diff(new.version) > 1_000_000, "{} and {}", former.version, new.version);
    }

    #[test]
    fn an_address_has_one_recipient_for_each_event() {
        let mut change = ChangeSet::default();
        want(&mut change, &signup(), None, WantedBy::Volunteer, at(0));
        let id = recipient_id(signup().event, &signup().email);
        let absent = Unique::Notice(signup().organization, id);
        assert_eq!(change.requires, [Requirement::Absent { unique: absent, now: at(0) }]);
        let inserted = written(&change);
        assert_eq!((inserted.id, inserted.due_at), (id, Some(at(0))));
        let mut change = ChangeSet::default();
        want(&mut change, &signup(), Some(inserted.clone()), WantedBy::Volunteer, at(0));
        assert_eq!(change.requires, [Requirement::unchanged(&inserted).unwrap()]);
        assert_eq!((written(&change).id, written(&change).version), (id, 2), "a claim meanwhile is refused");
    }

    #[test]
    fn news_during_an_attempt_is_due_after_it() {
        let claimed = wanted(None, WantedBy::Volunteer, at(0)).claimed(at(0));
        let lease = claimed.due_at;
        let more = wanted(Some(claimed), WantedBy::Organizer, at(5));
        assert_eq!((more.due_at, recipient(&more).again_at), (lease, Some(at(5))));
        let failed = more.after_failure(MailFailure::Transient, "450 later", at(6));
        let backoff = failed.due_at;
        let more = wanted(Some(failed), WantedBy::Organizer, at(7));
        assert_eq!(more.due_at, backoff, "the next attempt has it");
    }

    #[test]
    fn a_recipient_whose_mail_failed_is_due_again_with_more_news() {
        let claimed = wanted(None, WantedBy::Volunteer, at(0)).claimed(at(0));
        let failed = claimed.after_failure(MailFailure::Permanent, "550 unknown", at(1));
        let more = wanted(Some(failed), WantedBy::Organizer, at(9));
        assert_eq!((more.due_at, more.attempts, more.failure), (Some(at(9)), 0, None));
    }

    /// Returns when the mails of these requests of volunteers are due. Each mail is sent before the next request, if it is due by
    /// then.
    fn due(requests: &[i64]) -> Vec<i64> {
        let (mut present, mut due) = (None::<Notice>, vec![]);
        for now in requests.iter().map(|second| at(*second)) {
            if let Some(notice) =
                present.as_mut().filter(|notice| notice.due_at.is_some_and(|due_at| due_at <= now))
            {
                notice.due_at = None;
            }
            let notice = wanted(present, WantedBy::Volunteer, now);
            due.push(notice.due_at.unwrap().duration_since(at(0)).as_secs());
            present = Some(notice);
        }
        due
    }

    #[test]
    fn volunteers_cause_at_most_six_mails_an_hour() {
        let six = [0, 10, 20, 30, 40, 50];
        for (more, expected) in [
            (&[60, 70][..], &[3600, 3600][..]),
            // The mail at the end of the hour counts in the next one.
            (
                &[60, 3601, 3602, 3603, 3604, 3605, 3606, 3607],
                &[3600, 3601, 3602, 3603, 3604, 3605, 7200, 7200],
            ),
            (&[3599], &[3600]),
            (&[3600], &[3600]),
        ] {
            assert_eq!(due(&[&six[..], more].concat()), [&six[..], expected].concat());
        }
    }

    #[test]
    fn news_of_the_organizer_does_not_wait_for_the_end_of_the_hour() {
        let mut full = wanted(None, WantedBy::Volunteer, at(0));
        while full.due_at == Some(at(0)) {
            full = wanted(Some(Notice { due_at: None, ..full }), WantedBy::Volunteer, at(0));
        }
        assert_eq!(full.due_at, Some(at(3600)));
        assert_eq!(wanted(Some(full), WantedBy::Organizer, at(60)).due_at, Some(at(60)));
    }

    #[test]
    fn only_a_volunteer_who_signs_up_again_asks_for_a_mail_without_news() {
        for (by, expected) in
            [(WantedBy::Organizer, false), (WantedBy::Volunteer, false), (WantedBy::VolunteerAgain, true)]
        {
            let asked = wanted(None, by, at(0));
            assert_eq!(recipient(&asked).is_asked, expected);
            let still = wanted(Some(asked), WantedBy::Organizer, at(1));
            assert_eq!(recipient(&still).is_asked, expected);
        }
    }

    /// Returns when a change of shift 1 at `now` is mailed, and when the first of the gathered changes was made. `present` has the
    /// same times of the job that is there.
    fn gathered(present: Option<(i64, i64)>, delay_s: Option<i64>, now: i64) -> (i64, i64) {
        let shift = full().shifts[0].id;
        let event = full().event;
        let path = (event.organization, event.id);
        let job = present.map(|(first_at, due_at)| {
            let change = EventChange { shift: Some(shift), first_at: at(first_at), covered_to: None };
            let id = event_change_id(event.id);
            let job = Notice::new(id, path.0, Some(path.1), NoticeCause::EventChanged(change), at(0));
            Notice { due_at: Some(at(due_at)), ..job }
        });
        let mut change = ChangeSet::default();
        want_all(&mut change, path, &[shift], job, delay_s.map(SignedDuration::from_secs), at(now));
        let Notice { cause: NoticeCause::EventChanged(change), due_at, .. } = written(&change) else {
            panic!()
        };
        assert_eq!((change.shift, change.covered_to), (Some(shift), None));
        let seconds = |time: Timestamp| time.duration_since(at(0)).as_secs();
        (seconds(change.first_at), seconds(due_at.unwrap()))
    }

    #[test]
    fn each_change_delays_the_mails_again_up_to_five_minutes_after_the_first() {
        for (present, delay_s, now, expected) in [
            (None, 60, 0, (0, 60)),
            (None, 0, 0, (0, 0)),
            (Some((0, 60)), 60, 59, (0, 119)),
            (Some((0, 60)), 60, 60, (0, 120)),
            (Some((0, 299)), 60, 239, (0, 299)),
            (Some((0, 299)), 60, 298, (0, 300)),
            (Some((0, 300)), 60, 299, (0, 300)),
            (Some((0, 300)), 60, 300, (0, 300)),
            (Some((0, 60)), 0, 30, (0, 30)),
            (None, 3600, 0, (0, 300)),
        ] {
            assert_eq!(gathered(present, Some(delay_s), now), expected, "{present:?} and a change at {now}");
        }
    }

    #[test]
    fn a_silent_change_neither_delays_nor_speeds_up_the_mails_that_wait() {
        for (present, now, expected) in
            [(None, 5, (5, 5)), (Some((0, 60)), 5, (0, 60)), (Some((0, 299)), 240, (0, 299))]
        {
            assert_eq!(gathered(present, None, now), expected, "{present:?} and a change at {now}");
        }
        assert_eq!(gathered(Some((5, 5)), Some(60), 6), (5, 66), "an announced one after a silent one");
    }

    #[test]
    fn a_moved_reminder_wakes_its_recipient_earlier_and_makes_no_mail_due() {
        let reminded = |present: Option<Notice>, second| {
            let mut change = ChangeSet::default();
            remind(&mut change, &signup(), present, at(second), at(9));
            (!change.is_empty()).then(|| written(&change))
        };
        let new = reminded(None, 50).unwrap();
        assert_eq!((new.due_at, new.reminder_due_at()), (None, Some(at(50))));
        assert_eq!(reminded(Some(new.clone()), 50), None);
        assert_eq!(reminded(Some(new.clone()), 60), None, "it wakes, and rests until then");
        let earlier = reminded(Some(new), 40).unwrap();
        assert_eq!((earlier.version, earlier.due_at, earlier.reminder_due_at()), (2, None, Some(at(40))));
        let queued = wanted(None, WantedBy::Volunteer, at(20));
        let queued = reminded(Some(queued), 40).unwrap();
        assert_eq!((queued.due_at, recipient(&queued).remind_at), (Some(at(20)), Some(at(40))));
        assert_eq!(queued.reminder_due_at(), None, "the mail that waits looks at the reminder, too");
    }

    #[test]
    fn a_change_after_a_job_is_done_begins_anew() {
        let event = full().event;
        let path = (event.organization, event.id);
        let done = EventChange { shift: None, first_at: at(0), covered_to: None };
        let job = Notice::new(notice(5), path.0, Some(path.1), NoticeCause::EventChanged(done), at(0));
        let shift = full().shifts[0].id;
        let mut change = ChangeSet::default();
        want_all(&mut change, path, &[shift], Some(Notice { due_at: None, ..job }), Some(DELAY), at(900));
        let begun = EventChange { shift: Some(shift), first_at: at(900), covered_to: None };
        assert_eq!(written(&change).cause, NoticeCause::EventChanged(begun));
        assert_eq!(written(&change).due_at, Some(at(900) + DELAY));
    }

    #[test]
    fn a_change_that_joins_a_job_starts_it_over_for_all_shifts_that_changed() {
        let [first, second] = [0, 1].map(|shift: usize| full().shifts[shift].id);
        let event = full().event;
        for (present, shifts, expected) in [
            (Some(first), &[first][..], Some(first)),
            (Some(first), &[second], None),
            (None, &[first], None),
            (Some(first), &[first, second], None),
        ] {
            let done = EventChange { shift: present, first_at: at(0), covered_to: Some(signup().id) };
            let path = (event.organization, event.id);
            let job = Notice::new(notice(5), path.0, Some(path.1), NoticeCause::EventChanged(done), at(0));
            let mut change = ChangeSet::default();
            want_all(&mut change, path, shifts, Some(job), Some(DELAY), at(1));
            let joined = EventChange { shift: expected, first_at: at(0), covered_to: None };
            assert_eq!(written(&change).cause, NoticeCause::EventChanged(joined));
        }
    }
}
