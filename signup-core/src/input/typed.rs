//! Typed input: events, shifts and patches made of checked values.

use jiff::civil::Date;

use crate::caller_key::ExternalId;
use crate::event::{Latitude, Longitude, Theme};
use crate::fault::FaultKind;
use crate::hours::{Hours, WallTime};
use crate::occupancy::{Capacity, Minimum};
use crate::text::{
    BadgeLabel, Description, EventLocation, LocationData, ShiftDescription, ShiftLocation, Title,
};
use crate::zone::Zone;

/// An event to create. Its shifts are on the first day unless their hours name another.
///
/// ```
/// use signup_core::{Capacity, Hours, NewEvent, NewShift, date, time};
///
/// let drive = NewEvent::new("Food drive".parse()?, date(2027, 6, 5), "America/New_York".parse()?)
///     .location("1 Main St".parse()?)
///     .shift(
///         NewShift::new("Packing".parse()?, Capacity::new(8)?)
///             .hours(Hours::between(time(9, 0, 0, 0), time(12, 0, 0, 0))?),
///     )
///     .shift(NewShift::new("On call".parse()?, Capacity::new(2)?))
///     .published();
/// assert_eq!(drive.shifts[1].hours, Hours::ALL_DAY);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct NewEvent {
    /// The title.
    pub title: Title,
    /// The first day: 1970-01-01 to 9998-12-31.
    pub start_date: Date,
    /// The last day, not before the first; `None` for an event of one day. The plan limits the number of days.
    pub end_date: Option<Date>,
    /// The time zone of the dates and of the shifts' hours.
    pub zone: Zone,
    /// The description.
    pub description: Option<Description>,
    /// A street address, or a URL for an event that takes place online.
    pub location: Option<EventLocation>,
    /// Whether the event takes place online.
    pub is_virtual: bool,
    /// Degrees north of the equator.
    pub latitude: Option<Latitude>,
    /// Degrees east of Greenwich.
    pub longitude: Option<Longitude>,
    /// Data about the place. The service stores and copies the data, and never shows it.
    pub location_data: Option<LocationData>,
    /// Whether the event is published when it is created.
    pub is_published: bool,
    /// The colours of the public page.
    pub theme: Option<Theme>,
    /// The text of a badge on the public page.
    pub badge_label: Option<BadgeLabel>,
    /// The id in the organizer's own system. No other event of the organization has it.
    pub external_id: Option<ExternalId>,
    /// The shifts: at most [`Event::MAX_NEW_SHIFTS`](crate::Event::MAX_NEW_SHIFTS). Shifts with equal hours are listed
    /// in this order.
    #[doc(alias = "slots")]
    pub shifts: Vec<NewShift>,
}

macro_rules! setters {
    ($($(#[$doc:meta])* $field:ident: $type:ty;)*) => {$(
        $(#[$doc])*
        #[must_use]
        pub fn $field(self, $field: $type) -> Self {
            Self { $field: Some($field), ..self }
        }
    )*};
}

impl NewEvent {
    /// Creates the input for a draft of one day without shifts.
    pub const fn new(title: Title, start_date: Date, zone: Zone) -> Self {
        Self {
            title,
            start_date,
            end_date: None,
            zone,
            description: None,
            location: None,
            is_virtual: false,
            latitude: None,
            longitude: None,
            location_data: None,
            is_published: false,
            theme: None,
            badge_label: None,
            external_id: None,
            shifts: Vec::new(),
        }
    }

    setters! {
        /// Sets the last day. No shift may be on a later one.
        end_date: Date;
        /// Sets the description.
        description: Description;
        /// Sets the street address or URL.
        location: EventLocation;
        /// Sets the degrees north of the equator.
        latitude: Latitude;
        /// Sets the degrees east of Greenwich.
        longitude: Longitude;
        /// Sets the data about the place. The service stores and copies the data, and never shows it.
        location_data: LocationData;
        /// Sets the colours of the public page.
        theme: Theme;
        /// Sets the text of the badge on the public page.
        badge_label: BadgeLabel;
        /// Sets the id in the organizer's own system.
        external_id: ExternalId;
    }

    /// Marks the event as one that takes place online.
    #[must_use]
    pub fn online(self) -> Self {
        Self { is_virtual: true, ..self }
    }

    /// Publishes the event when it is created. The event counts against the plan's limit of active events until its
    /// last day has ended.
    #[must_use]
    pub fn published(self) -> Self {
        Self { is_published: true, ..self }
    }

    /// Adds a shift.
    #[doc(alias = "slot")]
    #[must_use]
    pub fn shift(mut self, shift: NewShift) -> Self {
        self.shifts.push(shift);
        self
    }
}

/// How an event is copied. A [`Date`] alone converts into a copy with the title of its source.
///
/// ```
/// use signup_core::{DuplicateEvent, date};
///
/// let copy = DuplicateEvent::on(date(2027, 6, 12)).title("Summer drive".parse()?);
/// assert_eq!(copy.start_date, date(2027, 6, 12));
/// # Ok::<(), signup_core::TextError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DuplicateEvent {
    /// The first day of the copy.
    pub start_date: Date,
    /// The title of the copy, from which its slug follows. `None`: the title of the source.
    pub title: Option<Title>,
}

impl DuplicateEvent {
    /// Copies the event to another first day.
    pub const fn on(start_date: Date) -> Self {
        Self { start_date, title: None }
    }

    /// Sets the title of the copy.
    #[must_use]
    pub fn title(self, title: Title) -> Self {
        Self { title: Some(title), ..self }
    }
}

impl From<Date> for DuplicateEvent {
    fn from(start_date: Date) -> Self {
        Self::on(start_date)
    }
}

/// A shift of an event to create.
#[doc(alias = "slot")]
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NewShift {
    /// The title.
    pub title: Title,
    /// What volunteers do on the shift, bring and must be able to do.
    pub description: Option<ShiftDescription>,
    /// The shift's own location, if it has one. The event's location is not inherited.
    pub location: Option<ShiftLocation>,
    /// The day of the event and the wall-clock times. [`Day`](crate::Day) defines their instants if the clocks change on
    /// that day.
    pub hours: Hours,
    /// The number of volunteers that the shift needs.
    pub capacity: Capacity,
    /// How many volunteers the shift needs to run at all.
    pub minimum: Option<Minimum>,
    /// The id in the organizer's own system. No other shift of the event has it.
    pub external_id: Option<ExternalId>,
}

impl NewShift {
    /// Creates the input for a shift that lasts all of the first day.
    pub const fn new(title: Title, capacity: Capacity) -> Self {
        Self {
            title,
            description: None,
            location: None,
            hours: Hours::ALL_DAY,
            capacity,
            minimum: None,
            external_id: None,
        }
    }

    /// Sets the day of the event and the wall-clock times. [`Day`](crate::Day) defines their instants if the clocks change
    /// on that day.
    #[must_use]
    pub fn hours(self, hours: Hours) -> Self {
        Self { hours, ..self }
    }

    setters! {
        /// Sets the description.
        description: ShiftDescription;
        /// Sets the shift's own location.
        location: ShiftLocation;
        /// Sets how many volunteers the shift needs to run at all.
        minimum: Minimum;
        /// Sets the id in the organizer's own system.
        external_id: ExternalId;
    }
}

/// The methods of a patch that set a field, and those that remove its value.
macro_rules! changes {
    ($($field:ident, $clear:ident: $type:ty, $what:literal;)*) => {$(
        #[doc = concat!("Sets ", $what, ".")]
        #[must_use]
        pub fn $field(self, $field: $type) -> Self {
            Self { $field: Some(Change::Set($field)), ..self }
        }

        #[doc = concat!("Removes ", $what, ".")]
        #[must_use]
        pub fn $clear(self) -> Self {
            Self { $field: Some(Change::Clear), ..self }
        }
    )*};
}

pub(super) use changes;

/// Changes to a shift. A field that is not set stays as it is.
///
/// ```
/// use signup_core::{Capacity, ShiftPatch};
///
/// let patch = ShiftPatch::new().capacity(Capacity::new(5)?).clear_location().without_mail();
/// # Ok::<(), signup_core::ValueError>(())
/// ```
#[doc(alias = "slot")]
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ShiftPatch {
    /// The new title.
    pub title: Option<Title>,
    /// The new description, or its removal.
    pub description: Option<Change<ShiftDescription>>,
    /// The new location, or its removal.
    pub location: Option<Change<ShiftLocation>>,
    /// The new day, start and end.
    pub hours: HoursPatch,
    /// The new capacity. A capacity below the number of sign-ups removes none of them: the shift becomes over-full.
    pub capacity: Option<Capacity>,
    /// The new minimum, or its removal.
    pub minimum: Option<Change<Minimum>>,
    /// The new id in the organizer's own system, or its removal.
    pub external_id: Option<Change<ExternalId>>,
    /// Whether volunteers get a mail if the time or the location changes; true by default.
    pub notify_volunteers: bool,
    /// The values that the caller read before. Then only the fields with another value than the one that was read are
    /// changed, and a field that has been changed to a third value since is [`Error::Conflict`](crate::Error::Conflict).
    pub read: Option<Box<Self>>,
}

/// A change of a field that may be empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change<T> {
    /// The field gets this value.
    Set(T),
    /// The field becomes empty.
    Clear,
}

impl<T> From<Option<T>> for Change<T> {
    /// Converts `None` to [`Clear`](Self::Clear).
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Clear, Self::Set)
    }
}

impl<T> Change<T> {
    /// Converts the value that the field gets.
    pub fn map<U>(self, convert: impl FnOnce(T) -> U) -> Change<U> {
        match self {
            Self::Set(value) => Change::Set(convert(value)),
            Self::Clear => Change::Clear,
        }
    }

    /// Returns the value after the change.
    pub fn into_value(self) -> Option<T> {
        match self {
            Self::Set(value) => Some(value),
            Self::Clear => None,
        }
    }
}

impl Default for ShiftPatch {
    fn default() -> Self {
        Self {
            title: None,
            description: None,
            location: None,
            hours: HoursPatch::default(),
            capacity: None,
            minimum: None,
            external_id: None,
            notify_volunteers: true,
            read: None,
        }
    }
}

impl ShiftPatch {
    /// Creates a patch that changes nothing.
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// Sets the title.
        title: Title;
        /// Sets the capacity.
        capacity: Capacity;
    }

    changes! {
        description, clear_description: ShiftDescription, "the description";
        location, clear_location: ShiftLocation, "the shift's own location";
        minimum, clear_minimum: Minimum, "how many volunteers the shift needs to run at all";
        external_id, clear_external_id: ExternalId, "the id in the organizer's own system";
    }

    /// Sets the day, the start and the end.
    #[must_use]
    pub fn hours(self, hours: Hours) -> Self {
        let hours = HoursPatch {
            day: Some(hours.day()),
            start: Some(hours.start()),
            end: Some(hours.end().into()),
            ends_next_day: Some(hours.ends_next_day()),
        };
        Self { hours, ..self }
    }

    /// Sets the day of the event, from 1. The start and the end stay as they are unless the patch sets them, too.
    #[must_use]
    pub fn day(self, day: u32) -> Self {
        Self { hours: HoursPatch { day: Some(day), ..self.hours }, ..self }
    }

    /// Sets the start. The end stays as it is unless the patch sets it, too.
    #[must_use]
    pub fn start_time(self, start: WallTime) -> Self {
        Self { hours: HoursPatch { start: Some(start), ..self.hours }, ..self }
    }

    /// Sets the end. The start stays as it is unless the patch sets it, too.
    #[must_use]
    pub fn end_time(self, end: WallTime) -> Self {
        Self { hours: HoursPatch { end: Some(Change::Set(end)), ..self.hours }, ..self }
    }

    /// Sets whether the end is a time of the next day.
    #[must_use]
    pub fn ends_next_day(self, ends_next_day: bool) -> Self {
        Self { hours: HoursPatch { ends_next_day: Some(ends_next_day), ..self.hours }, ..self }
    }

    /// Sends no mail about the change to the volunteers.
    #[must_use]
    pub fn without_mail(self) -> Self {
        Self { notify_volunteers: false, ..self }
    }

    /// Sets the values that the caller read before, such as those of a form when it was loaded. Then the patch changes only the
    /// fields with another value than the one that was read. So it does not undo what others changed in between. A field that
    /// another caller has changed to a third value since is [`Error::Conflict`](crate::Error::Conflict).
    #[must_use]
    pub fn read(self, values: Self) -> Self {
        Self { read: Some(Box::new(values)), ..self }
    }
}

/// A change of some parts of [`Hours`], or of none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct HoursPatch {
    /// The new day of the event, from 1.
    pub day: Option<u32>,
    /// The new start.
    pub start: Option<WallTime>,
    /// The new end. [`Change::Clear`] is 24:00.
    pub end: Option<Change<WallTime>>,
    /// Whether the new end is a time of the next day.
    pub ends_next_day: Option<bool>,
}

impl HoursPatch {
    /// Returns the hours after the change. The end that stays or is set must fit the start and the day that stay or are set.
    ///
    /// # Errors
    /// - [`FaultKind::Required`] if only the end on the next day is missing: the present end is 24:00, and stays.
    /// - [`FaultKind::Time`] with the errors of [`Hours`] otherwise.
    pub fn apply(self, present: Hours) -> Result<Hours, FaultKind> {
        let end = self.end.map_or(present.end(), Change::into_value);
        let ends_next_day = self.ends_next_day.unwrap_or(present.ends_next_day());
        if ends_next_day && end.is_none() && self.end.is_none() {
            return Err(FaultKind::Required);
        }
        let start = self.start.unwrap_or(present.start());
        let hours = Hours::on_first_day(Some(start), end, ends_next_day)?;
        Ok(hours.on_day(self.day.unwrap_or(present.day()))?)
    }
}
