//! Shifts: the parts of an event for which volunteers sign up.
//!
//! A [`Shift`] is the stored record. A [`ScheduledShift`] is the record with the first day of its event, from which its
//! instants follow.
//!
//! **Invariant:** no other module decides at which instants a shift is, whether it is over, or whether it takes sign-ups.

use std::ops::Deref;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::caller_key::ExternalId;
use crate::event::Event;
use crate::hours::{Day, EventDate, Hours, Interval, LocalDateTime, WallTime};
use crate::id::{EventId, OrganizationId, ShiftId};
use crate::occupancy::{Capacity, Minimum, Occupancy};
use crate::text::{CancellationReason, ShiftDescription, ShiftLocation, Title};
use crate::text_form::names;

/// The closing of a shift. It cancels all sign-ups for the shift at once: the status of each follows from its shift, and no
/// sign-up is written. So a shift with ten thousand sign-ups is closed as fast as an empty one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Closing {
    /// When the shift was closed.
    pub at: Timestamp,
    /// What cancelled the sign-ups.
    pub by: CancelledBy,
    /// Why the organizer deleted the shift, if a reason was given. The reason for the cancellation of an event is kept with
    /// the [event](Event::cancellation_reason).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<CancellationReason>,
    /// Whether nobody is mailed about the closing.
    #[serde(default)]
    pub is_silent: bool,
}

/// A shift, as it is stored. [`ScheduledShift`] adds what follows from the event of the shift.
#[doc(alias = "slot")]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Shift {
    /// The id.
    pub id: ShiftId,
    /// The organization that owns the shift.
    pub organization: OrganizationId,
    /// The event that the shift belongs to.
    pub event: EventId,
    /// The title.
    pub title: Title,
    /// What volunteers do on the shift, bring and must be able to do. A change of the description mails nobody.
    pub description: Option<ShiftDescription>,
    /// The shift's own location, if it has one. The event's location is not inherited.
    pub location: Option<ShiftLocation>,
    /// The day of the event and the wall-clock times.
    pub hours: Hours,
    /// The first instant after the shift. It follows from the hours and the first day of the event: [`ScheduledShift`] sets it. The
    /// record has it so that a store can select shifts that are not over.
    #[serde(skip)]
    pub ends_at: Timestamp,
    /// The capacity, and the numbers of sign-ups that are confirmed and that wait.
    pub occupancy: Occupancy,
    /// How many volunteers the shift needs to run at all. A minimum above the capacity counts as the capacity.
    pub minimum: Option<Minimum>,
    /// The id in the organizer's own system: unique among the event's shifts that are not deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub external_id: Option<ExternalId>,
    /// The index among the event's shifts in the order of the input, from 0.
    pub position: u32,
    /// The version, from 1. Each edit of the shift, and each change of the event that changes the shift's instants, its
    /// place or `is_virtual`, adds 1.
    pub version: u32,
    /// The gate, from 1: a second version. Each change of the hours or the capacity, the closing and the deletion add 1.
    pub gate: u32,
    /// The closing of the shift; `None` while the shift is open. A closed shift stays closed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closing: Option<Closing>,
    /// When the shift was deleted; `None` while it is not deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deleted_at: Option<Timestamp>,
    /// How often the time or the place of the shift changed in a way that volunteers are mailed about, from 0. A change without
    /// mails leaves the number as it is, so it is no news.
    #[serde(default)]
    pub announced: u32,
    /// When the shift was created.
    pub created_at: Timestamp,
    /// When the shift, its instants or `is_virtual` last changed. Sign-ups do not count.
    pub updated_at: Timestamp,
}

impl Shift {
    /// How long before a shift begins its waiting list stops: 12 hours. From then on nobody joins it, and a place that comes free
    /// is open to everybody, because those who wait may have made other plans.
    pub const WAITLIST_CUTOFF: SignedDuration = SignedDuration::from_hours(12);
    /// How long before a shift begins attendance can be marked: 12 hours.
    pub const ATTENDANCE_BEFORE: SignedDuration = SignedDuration::from_hours(12);
    /// How long after a shift attendance can be marked: 90 days.
    pub const ATTENDANCE_AFTER: SignedDuration = SignedDuration::from_hours(90 * 24);
    /// The maximum number of sign-ups that wait for a place on one shift.
    pub const MAX_WAITLISTED: u32 = 200;

    /// Creates the record of a shift that lasts all of the first day and has no sign-ups. The other fields are public and can be
    /// set afterwards. [`ScheduledShift::of`] sets `ends_at`.
    pub const fn new(
        id: ShiftId,
        organization: OrganizationId,
        event: EventId,
        title: Title,
        capacity: Capacity,
        created_at: Timestamp,
    ) -> Self {
        Self {
            id,
            organization,
            event,
            title,
            description: None,
            location: None,
            hours: Hours::ALL_DAY,
            ends_at: Timestamp::UNIX_EPOCH,
            occupancy: Occupancy::empty(capacity),
            minimum: None,
            external_id: None,
            position: 0,
            version: 1,
            gate: 1,
            closing: None,
            deleted_at: None,
            announced: 0,
            created_at,
            updated_at: created_at,
        }
    }
}

/// A shift with the first day of its event.
///
/// The fields of the record are reached directly: `scheduled.title` is `scheduled.shift.title`.
///
/// ```
/// use signup_core::{
///     Capacity, Day, Event, EventDates, EventId, OrganizationId, ScheduledShift, Shift, ShiftId, Timestamp,
/// };
///
/// let first = Day::new("2027-06-05".parse()?, "America/New_York".parse()?);
/// let (owner, now) = (OrganizationId::NONE, Timestamp::UNIX_EPOCH);
/// let (dates, slug) = (EventDates { first, last: None }, "food-drive".to_owned());
/// let event = Event::new(EventId::NONE, owner, "Food drive".parse()?, slug, dates, now);
/// let shift = Shift::new(ShiftId::NONE, owner, event.id, "Packing".parse()?, Capacity::new(8)?, now);
///
/// let scheduled = ScheduledShift::of(shift, &event);
/// assert_eq!(scheduled.interval().start.to_string(), "2027-06-05T04:00:00Z");
/// assert_eq!(scheduled.title.as_str(), "Packing");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "slot")]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "StoredScheduledShift")]
#[non_exhaustive]
pub struct ScheduledShift {
    /// The record.
    pub shift: Shift,
    /// The event's first day, from which the days of its shifts are numbered.
    pub first_day: Day,
    /// Whether the event takes place online.
    pub is_virtual: bool,
}

/// The fields of a [`ScheduledShift`] in JSON, from which the end of the shift follows.
#[derive(Deserialize)]
struct StoredScheduledShift {
    shift: Shift,
    first_day: Day,
    is_virtual: bool,
}

impl From<StoredScheduledShift> for ScheduledShift {
    fn from(StoredScheduledShift { shift, first_day, is_virtual }: StoredScheduledShift) -> Self {
        Self::new(shift, first_day, is_virtual)
    }
}

impl ScheduledShift {
    /// Creates the shift of an event whose first day is `first_day`. A caller that has the event uses [`of`](Self::of).
    pub fn new(shift: Shift, first_day: Day, is_virtual: bool) -> Self {
        let ends_at = first_day.interval(shift.hours).end;
        Self { shift: Shift { ends_at, ..shift }, first_day, is_virtual }
    }

    /// Returns a shift of `event`, with the first day of the event.
    pub fn of(shift: Shift, event: &Event) -> Self {
        Self::new(shift, event.dates.first.clone(), event.is_virtual)
    }

    /// Returns shifts of `event` in [running order](Self::order_key).
    pub fn in_running_order(shifts: impl IntoIterator<Item = Shift>, event: &Event) -> Vec<Self> {
        let mut shifts: Vec<_> = shifts.into_iter().map(|shift| Self::of(shift, event)).collect();
        sort_by_running_order(&mut shifts);
        shifts
    }

    /// Returns the instants of the shift.
    ///
    /// A page or a mail shows the local time of these instants, and not [`Hours`], because a clock change can move the
    /// shift:
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { created, .. }| {
    /// let shift = &created.shifts[0];
    /// let start = shift.interval().start.to_zoned_datetime(shift.first_day.zone().rules().clone());
    /// assert_eq!(start.strftime("%A, %-d %B %Y, %H:%M %Z").to_string(), "Saturday, 5 June 2027, 00:00 EDT");
    /// # Ok(()) }) }
    /// ```
    pub fn interval(&self) -> Interval {
        self.first_day.interval(self.hours)
    }

    /// Returns the date on which the shift begins, by the wall clock of the organizer.
    pub fn date(&self) -> EventDate {
        self.hours.date(self.first_day.date())
    }

    /// Returns when the volunteers are reminded of the shift: at 10:00 by the clocks of the event on the day before, by the
    /// [rules](Day) around a clock change. `None` if the shift is on the first date of the calendar.
    pub fn reminded_at(&self) -> Option<Timestamp> {
        let day_before = self.date().plus_days(-1)?;
        Some(LocalDateTime::new(day_before, WallTime::TEN).instant(self.first_day.zone()))
    }

    /// Returns whether the shift has ended at `now`. A night can end after the last day of its event.
    pub fn is_over(&self, now: Timestamp) -> bool {
        self.interval().is_over(now)
    }

    /// Returns whether the shift is neither closed nor deleted.
    pub(crate) const fn is_open(&self) -> bool {
        self.shift.closing.is_none() && self.shift.deleted_at.is_none()
    }

    /// Returns whether the shift takes sign-ups at `now`, if its event is published and its [sign-ups are
    /// open](Event::signup_phase).
    pub fn takes_signups(&self, now: Timestamp) -> bool {
        self.is_open() && self.room(now) > 0 && !self.is_over(now)
    }

    /// Returns whether the shift takes people on its waiting list at `now`, if its event is published and its
    /// [sign-ups are open](Event::signup_phase): whether it is full, its event has waiting lists, and the list has room before the
    /// [cutoff](Shift::WAITLIST_CUTOFF). A shift of capacity 0 has no waiting list.
    pub fn takes_waiters(&self, event: &Event, now: Timestamp) -> bool {
        self.is_open() && self.room(now) == 0 && self.waiting_room(event, now) > 0
    }

    /// Returns how many places sign-ups can take at `now`. The places that come free before the [cutoff](Shift::WAITLIST_CUTOFF)
    /// belong to those who wait.
    pub fn room(&self, now: Timestamp) -> u32 {
        let is_owed = self.occupancy.waitlisted > 0 && self.is_before_cutoff(now);
        if is_owed { 0 } else { self.occupancy.remaining() }
    }

    /// Returns how many people can join the waiting list at `now`, once the shift is full.
    pub(crate) fn waiting_room(&self, event: &Event, now: Timestamp) -> u32 {
        let Occupancy { capacity, waitlisted, .. } = self.occupancy;
        // A move of the event has put the shift before the cutoff again, and places are still to be given to those who wait.
        let is_owed = waitlisted > 0 && self.occupancy.has_room();
        let has_list = event.waitlist_enabled && capacity.volunteers() > 0 && self.is_before_cutoff(now);
        if has_list && !is_owed { Shift::MAX_WAITLISTED.saturating_sub(waitlisted) } else { 0 }
    }

    /// Returns whether places that come free on the shift go to those who wait.
    pub(crate) fn promotes(&self, event: &Event, now: Timestamp) -> bool {
        let is_live = event.is_published && !event.is_cancelled() && event.deleted_at.is_none();
        is_live && self.is_open() && self.is_before_cutoff(now)
    }

    /// Returns whether a place of the shift that comes free goes to the first person who waits. An over-full shift stays full.
    pub fn has_successor(&self, event: &Event, now: Timestamp) -> bool {
        let Occupancy { capacity, filled, waitlisted } = self.occupancy;
        self.promotes(event, now) && waitlisted > 0 && filled <= capacity.volunteers()
    }

    /// Returns whether `now` is before the [cutoff](Shift::WAITLIST_CUTOFF) of the waiting list.
    pub fn is_before_cutoff(&self, now: Timestamp) -> bool {
        self.interval().start.duration_since(now) > Shift::WAITLIST_CUTOFF
    }

    /// Returns whether attendance can be marked at `now`: from [`Shift::ATTENDANCE_BEFORE`] its start until
    /// [`Shift::ATTENDANCE_AFTER`] its end, both included.
    pub fn takes_attendance(&self, now: Timestamp) -> bool {
        let Interval { start, end } = self.interval();
        start.duration_since(now) <= Shift::ATTENDANCE_BEFORE
            && now.duration_since(end) <= Shift::ATTENDANCE_AFTER
    }

    /// Returns how many volunteers the shift still needs to run at all. 0 without a minimum.
    pub fn missing(&self) -> u32 {
        let minimum = self.minimum.map_or(0, Minimum::volunteers);
        minimum.min(self.occupancy.capacity.volunteers()).saturating_sub(self.occupancy.filled)
    }

    /// Returns the sort key for the running order of an event's shifts: start, end, position.
    pub fn order_key(&self) -> (Timestamp, Timestamp, u32) {
        let Interval { start, end } = self.interval();
        (start, end, self.position)
    }
}

impl Deref for ScheduledShift {
    type Target = Shift;

    fn deref(&self) -> &Shift {
        &self.shift
    }
}

impl Event {
    /// Returns whether the last day of the event and all its `shifts` have ended at `now`. Until then, the event can be
    /// cancelled.
    pub fn is_over_with<'s>(
        &self,
        shifts: impl IntoIterator<Item = &'s ScheduledShift>,
        now: Timestamp,
    ) -> bool {
        self.is_over(now) && shifts.into_iter().all(|shift| shift.is_over(now))
    }
}

/// Sorts shifts of one event into [running order](ScheduledShift::order_key).
pub fn sort_by_running_order(shifts: &mut [ScheduledShift]) {
    shifts.sort_by_cached_key(ScheduledShift::order_key);
}

/// What cancelled a sign-up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CancelledBy {
    /// The volunteer.
    Volunteer,
    /// The organizer or the operator, for this one sign-up.
    Organizer,
    /// The organizer, who deleted the shift.
    ShiftDeletion,
    /// The organizer, who cancelled the event.
    EventCancellation,
}

impl CancelledBy {
    /// Returns whether the organization cancelled the sign-up, and not the volunteer.
    pub const fn is_organizer(self) -> bool {
        !matches!(self, Self::Volunteer)
    }
}

names! {
    /// Every cause.
    CancelledBy {
        Volunteer => "volunteer",
        Organizer => "organizer",
        ShiftDeletion => "shift_deletion",
        EventCancellation => "event_cancellation",
    }
}
