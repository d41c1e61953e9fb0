//! Sign-ups: who waits, who gets a place and in which order, and whose attendance is marked.

use std::time::Duration;

use signup_core::{
    ActivityType, Actor, Attendance, ChangeSet, Event, EventId, Interval, NoticeCause, Record, Shift,
    ShiftId, SignedDuration, Signup, SignupStatus, Timestamp, Write,
};

use super::ledger::{FRESH, Ledger, ShiftHistory, SignupHistory, State};
use super::world::Cause;

/// The longest time by which a request may be late when it commits, with the clock of its process.
pub(super) const LATE: SignedDuration = SignedDuration::from_secs(60);

impl Ledger {
    /// Checks what a commit does to sign-ups, to their attendance, and to the waiting lists of their shifts.
    ///
    /// # Errors
    /// Returns the promise that the commit breaks.
    pub(super) fn check_lists(
        &self,
        change: &ChangeSet,
        cause: Option<Cause>,
        now: Timestamp,
        since: Duration,
    ) -> Result<(), String> {
        use SignupStatus::{Cancelled, Confirmed, Waitlisted};
        for write in &change.writes {
            match write {
                Write::Put { before, after: Record::Signup(after) } => {
                    let before = match before {
                        Some(Record::Signup(before)) => Some(before),
                        _ => None,
                    };
                    let marked = before.and_then(|before| before.attendance);
                    let (found, expected) = (recorded(change, after), &mut vec![]);
                    match (before.map(|before| before.status()), after.status()) {
                        (Some(Confirmed), Confirmed)
                            if before.is_some_and(|before| before.shift != after.shift) =>
                        {
                            self.check_turn(after, now, since)?;
                            expected.push(ActivityType::SIGNUP_MOVED);
                        }
                        (Some(Confirmed), Confirmed) if after.attendance != marked => {
                            self.check_marked(after, now)?;
                            expected.push(match after.attendance {
                                Some(Attendance::Attended) => ActivityType::SIGNUP_ATTENDED,
                                Some(Attendance::Absent) => ActivityType::SIGNUP_ABSENT,
                                None => ActivityType::SIGNUP_ATTENDANCE_CLEARED,
                            });
                        }
                        (_, Cancelled | Waitlisted) if after.attendance.is_some() => {
                            return Err(format!("{} has no place, and {:?}", after.name, after.attendance));
                        }
                        (None, Confirmed) => {
                            self.check_turn(after, now, since)?;
                            expected.push(ActivityType::SIGNUP_CREATED);
                        }
                        (None, Waitlisted) => {
                            self.check_joined(after, cause, now)?;
                            expected.push(ActivityType::SIGNUP_WAITLISTED);
                        }
                        (Some(Waitlisted), Confirmed) => {
                            self.check_promoted(after, cause, now, since)?;
                            self.check_not_erased(after, change, since)?;
                            expected.push(ActivityType::SIGNUP_PROMOTED);
                        }
                        (Some(Confirmed | Waitlisted), Cancelled) => {
                            expected.push(ActivityType::SIGNUP_CANCELLED);
                        }
                        (Some(before), after) if before == after => {}
                        (before, now) => {
                            return Err(format!("{} was {before:?} and is {now:?}", after.name));
                        }
                    }
                    if found != *expected {
                        return Err(format!("the activity of {} is {found:?}, not {expected:?}", after.name));
                    }
                    self.check_given(after.event, now)?;
                }
                Write::Remove(Record::Signup(removed)) => self.check_given(removed.event, now)?,
                Write::Put { after: Record::Event(event), .. } => self.check_given(event.id, now)?,
                Write::Put { after: Record::Shift(shift), .. } => self.check_given(shift.event, now)?,
                Write::Remove(Record::Notice(notice)) => {
                    notice.event.map_or(Ok(()), |event| self.check_given(event, now))?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Checks that attendance is marked of a place, from 12 hours before the start until 90 days after the end.
    fn check_marked(&self, signup: &Signup, now: Timestamp) -> Result<(), String> {
        let Interval { start, end } = self.shifts[&signup.shift].at().interval;
        let (first, last) =
            (start - SignedDuration::from_hours(12), end + SignedDuration::from_hours(90 * 24));
        let is_in_time = now + LATE >= first && now - LATE <= last;
        match is_in_time && self.signups[&signup.id].is_confirmed() {
            true => Ok(()),
            false => Err(format!("{} was marked at {now} for {start}: {:?}", signup.name, signup.state)),
        }
    }

    /// Checks that nobody who waits is passed by a sign-up before the cutoff.
    fn check_turn(&self, signup: &Signup, now: Timestamp, since: Duration) -> Result<(), String> {
        let is_before_cutoff = until_cutoff(&self.shifts[&signup.shift], now) >= LATE;
        let waited = |other: &&SignupHistory| is_before_cutoff && other.last().since < since;
        match self.on_shift(signup.shift, SignupStatus::Waitlisted).find(waited) {
            Some(passed) => Err(format!("{} took a place, and {} waits", signup.name, passed.signup.name)),
            None => Ok(()),
        }
    }

    /// Checks that somebody may wait: their form asked for it, and the shift is full and has a list.
    fn check_joined(&self, signup: &Signup, cause: Option<Cause>, now: Timestamp) -> Result<(), String> {
        let (event, of_shift) = (&self.events[&signup.event], &self.shifts[&signup.shift]);
        let waiting = self.on_shift(signup.shift, SignupStatus::Waitlisted).count();
        let capacity = of_shift.shift.occupancy.capacity.volunteers();
        let refused = [
            ("did not ask for it", !cause.is_some_and(|cause| cause.joins_waitlist)),
            ("the event has no waiting lists", !event.waitlist_enabled),
            ("the event takes nobody", !is_live(event)),
            ("the shift has no places", capacity == 0),
            ("the list is full", waiting > Shift::MAX_WAITLISTED as usize),
            ("the shift begins soon", until_cutoff(of_shift, now) < -LATE),
        ];
        match refused.into_iter().find(|(_, is_refused)| *is_refused) {
            Some((reason, _)) => Err(format!("{} waits although {reason}", signup.name)),
            None => Ok(()),
        }
    }

    /// Checks that somebody who waited may have a place: before the cutoff as the first in the line, and after it by signing up.
    fn check_promoted(
        &self,
        signup: &Signup,
        cause: Option<Cause>,
        now: Timestamp,
        since: Duration,
    ) -> Result<(), String> {
        let name = &signup.name;
        let until_cutoff = until_cutoff(&self.shifts[&signup.shift], now);
        if cause.is_some_and(|cause| cause.is_sign_up) {
            let is_late = until_cutoff < LATE;
            return if is_late { Ok(()) } else { Err(format!("{name} took a place before the cutoff")) };
        }
        if until_cutoff < -LATE {
            return Err(format!("{name} was promoted after the cutoff"));
        }
        if !is_live(&self.events[&signup.event]) {
            return Err(format!("{name} was promoted at an event that is over for them"));
        }
        // A commit of another process may have come between the reads and this one.
        let was_read = |other: &&SignupHistory| other.last().since + FRESH < since;
        let mut passed = self.on_shift(signup.shift, SignupStatus::Waitlisted).filter(was_read);
        match passed.find(|other| joined(&other.signup) < joined(signup)) {
            Some(passed) => Err(format!("{name} was promoted before {}", passed.signup.name)),
            None => Ok(()),
        }
    }

    /// Checks that nobody gets the place that comes free because another sign-up of their address is erased.
    fn check_not_erased(&self, signup: &Signup, change: &ChangeSet, since: Duration) -> Result<(), String> {
        let is_own = |write: &Write| matches!(write, Write::Remove(Record::Signup(erased)) if erased.email == signup.email);
        let waited_since = self.signups[&signup.id].states.iter().rev().nth(1).map(|state| state.since);
        let was_read = waited_since.is_some_and(|waited_since| waited_since + FRESH < since);
        if was_read && change.writes.iter().any(is_own) {
            return Err(format!("{} was promoted by the erasure of their address", signup.name));
        }
        Ok(())
    }

    /// Checks that nobody waits for a free place of an event, unless a job is about to promote them.
    ///
    /// # Errors
    /// Returns who waits.
    pub(super) fn check_given(&self, event: EventId, now: Timestamp) -> Result<(), String> {
        let is_job = |notice: &signup_core::Notice| notice.cause == NoticeCause::Promotion;
        let of_event = |notice: &signup_core::Notice| notice.event == Some(event) && is_job(notice);
        let is_owed = self.notices.values().any(|history| of_event(&history.notice));
        let Some(found) = self.events.get(&event).filter(|event| is_live(event) && !is_owed) else {
            return Ok(());
        };
        for of_shift in self.shifts.values().filter(|history| history.shift.event == found.id) {
            let Shift { id, deleted_at, closing, occupancy, title, .. } = &of_shift.shift;
            let is_open = deleted_at.is_none() && closing.is_none();
            if !is_open || until_cutoff(of_shift, now) < LATE {
                continue;
            }
            let Some(first) = self.on_shift(*id, SignupStatus::Waitlisted).next() else { continue };
            let filled = self.on_shift(*id, SignupStatus::Confirmed).count();
            let capacity = occupancy.capacity.volunteers() as usize;
            if filled < capacity {
                let name = &first.signup.name;
                return Err(format!("{name} waits for {title}, and {filled} of {capacity} have a place"));
            }
        }
        Ok(())
    }

    /// Returns the first and the last place that a sign-up may have had in its line during the last minute.
    pub(super) fn places_in_line(&self, signup: &Signup, now: Duration) -> (usize, usize) {
        let is_fresh = |since: Duration| since + FRESH >= now;
        let (mut always, mut ever) = (0, 0);
        let is_before = |other: &&SignupHistory| {
            other.signup.shift == signup.shift && joined(&other.signup) < joined(signup)
        };
        for other in self.signups.values().filter(is_before) {
            let waits = |state: &State| state.status == SignupStatus::Waitlisted;
            let Some(index) = other.states.iter().position(waits) else { continue };
            match other.states.get(index + 1) {
                Some(next) => ever += usize::from(is_fresh(next.since)),
                None => {
                    (always, ever) = (always + usize::from(!is_fresh(other.states[index].since)), ever + 1);
                }
            }
        }
        let erased = self.erased.values().filter(|(shift, at)| *shift == signup.shift && is_fresh(*at));
        (1 + always, 1 + ever + erased.count())
    }

    /// Returns the sign-ups with this status on a shift.
    pub(super) fn on_shift(
        &self,
        shift: ShiftId,
        status: SignupStatus,
    ) -> impl Iterator<Item = &SignupHistory> {
        self.signups
            .values()
            .filter(move |history| history.signup.shift == shift && history.last().status == status)
    }
}

/// Returns the key of the order in which people joined a list.
fn joined(signup: &Signup) -> (Timestamp, signup_core::SignupId) {
    (signup.created_at, signup.id)
}

fn is_live(event: &Event) -> bool {
    event.is_published && !event.is_cancelled() && event.deleted_at.is_none()
}

fn until_cutoff(history: &ShiftHistory, now: Timestamp) -> SignedDuration {
    history.at().interval.start.duration_since(now) - Shift::WAITLIST_CUTOFF
}

/// Returns the activity of a change set about a sign-up. The service promotes, unless a volunteer signs up.
fn recorded(change: &ChangeSet, signup: &Signup) -> Vec<ActivityType> {
    let recorded = |write: &Write| match write {
        Write::Put { after: Record::Activity(activity), .. }
            if activity.subject.signup == Some(signup.id) =>
        {
            let is_automatic = activity.kind == ActivityType::SIGNUP_PROMOTED;
            let is_right = !is_automatic || matches!(activity.actor, Actor::System | Actor::Volunteer);
            is_right.then(|| activity.kind.clone())
        }
        _ => None,
    };
    change.writes.iter().filter_map(recorded).collect()
}
