//! What becomes of a notice: it is spread over those whom it concerns, taken for delivery, done with, or put back.
//!
//! Each step requires the notice to be at the version that was read, so of several processes one makes it.

use jiff::{SignedDuration, Timestamp};

use crate::event::Event;
use crate::id::NoticeId;
use crate::notice::{Notice, NoticeCause, ShiftChange, TimeAndPlace};
use crate::organization::Organization;
use crate::shift::Shift;
use crate::signup::{Signup, SignupStatus};
use crate::store::{ChangeSet, Requirement, Write};

/// A mail that is to be sent: what happened, and all that there is to say about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Delivery {
    /// The notice, taken for delivery. Its id stays the same, however often the mail is tried.
    pub notice: Notice,
    /// Who organizes the event.
    pub organization: Organization,
    /// The event.
    pub event: Event,
    /// The shift as it is now.
    pub shift: Shift,
    /// Who is told.
    pub signup: Signup,
}

/// How much later the next few are told.
const NEXT: SignedDuration = SignedDuration::from_secs(1);

/// Tells a few more volunteers of a changed shift: each of `signups`, which are the next after `told_until`, gets a notice
/// with an id of `ids`. With `is_last` there are no more, and the notice is done with.
///
/// Who has seen the shift as it is since the change knows no other hours, and is not told.
pub fn tell(
    notice: Notice,
    change: &ShiftChange,
    signups: &[Signup],
    ids: Vec<NoticeId>,
    is_last: bool,
    now: Timestamp,
) -> ChangeSet {
    let place = (notice.organization, notice.event, notice.shift);
    // A change that an older release has queued does not say which version it made.
    let is_news = |signup: &&Signup| change.shift_version == 0 || signup.shift_version < change.shift_version;
    let told = signups.iter().filter(is_news);
    let notices = told
        .zip(ids)
        .map(|(signup, id)| {
            let cause = NoticeCause::ShiftMoved { signup: signup.id, change: change.clone() };
            Notice::new(id, place, cause, now)
        })
        .collect();
    let requires = vec![at_version(&notice)];
    let rest = match signups.last() {
        Some(last) if !is_last => {
            let cause = NoticeCause::ShiftChanged { change: change.clone(), told_until: Some(last.id) };
            // Behind those who are told now, and whoever was queued meanwhile: a large shift keeps nobody waiting.
            Write::UpdateNotice(Box::new(notice.with_cause(cause, now + NEXT)))
        }
        _ => delete(&notice),
    };
    ChangeSet { requires, writes: vec![rest, Write::InsertNotices(notices)] }
}

/// Whether a mail still has something to say.
///
/// A confirmation does to whoever holds the place, unless a later one has renewed its secret or the shift has ended since. (One
/// that was asked for after the end is sent.) A cancellation does as long as the place is given back. A change does to whoever
/// holds the place, unless it was taken back or the shift is over by its old and its new hours.
pub fn is_of_use(notice: &Notice, shift: &Shift, signup: &Signup, now: Timestamp) -> bool {
    match &notice.cause {
        NoticeCause::SignedUp { secret, .. } => {
            let end = shift.interval().end;
            let has_ended_since = notice.created_at < end && end <= now;
            signup.status == SignupStatus::Confirmed && signup.secret == secret.digest() && !has_ended_since
        }
        NoticeCause::Cancelled { .. } => signup.status == SignupStatus::Cancelled,
        NoticeCause::ShiftChanged { .. } => true,
        NoticeCause::ShiftMoved { change, .. } => {
            let (before, present) = (&change.before, TimeAndPlace::of(shift));
            let is_over = before.interval.end.max(present.interval.end) <= now;
            signup.status == SignupStatus::Confirmed && *before != present && !is_over
        }
    }
}

/// Puts `after` in the place of `before`, which is the same notice.
pub fn replace_notice(before: &Notice, after: Notice) -> ChangeSet {
    ChangeSet { requires: vec![at_version(before)], writes: vec![Write::UpdateNotice(Box::new(after))] }
}

/// Does away with a notice.
pub fn finish_notice(notice: &Notice) -> ChangeSet {
    ChangeSet { requires: vec![at_version(notice)], writes: vec![delete(notice)] }
}

const fn at_version(notice: &Notice) -> Requirement {
    let Notice { organization, id, version, .. } = *notice;
    Requirement::NoticeAtVersion { organization, notice: id, version }
}

const fn delete(notice: &Notice) -> Write {
    Write::DeleteNotice { organization: notice.organization, notice: notice.id }
}
