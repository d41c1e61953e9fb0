//! Events to create and to change.

use jiff::civil::Date;

use super::change::{FieldChange, changes, fields_of, merge, set_value, setters, without_mail};
use super::check::{check_closing, check_last_day, check_order_of_days};
use super::fields::Fields;
use super::shift::new_shifts;
use super::{Change, Input, NewShift, check_shift_count};
use crate::caller_key::ExternalId;
use crate::event::{Event, Latitude, Longitude, Theme};
use crate::fault::{FaultKind, Faults};
use crate::hours::{EventDate, LocalDateTime};
use crate::language::Language;
use crate::plan::PlanLimits;
use crate::text::{BadgeLabel, Description, EventLocation, Instructions, LocationData, Title};
use crate::zone::Zone;

/// Takes the fields that a new event and a patch share, in the order of their faults. `limits` are those of a new event. Also
/// returns the number of days, if the dates have no fault.
fn take_fields(fields: &mut Fields<'_>, limits: Option<PlanLimits>) -> (EventPatch, Option<u32>) {
    let mut event = EventPatch::new();
    event.title = fields.text("title").required();
    event.description = fields.text("description").change();
    event.instructions = fields.text("instructions").change();
    event.location = fields.text("location").change();
    event.is_virtual = fields.flag("is_virtual").optional();
    event.latitude = fields.number("location_lat").check(Latitude::new).change();
    event.longitude = fields.number("location_lng").check(Longitude::new).change();
    event.location_data = fields.object("location_data").check(str::parse::<LocationData>).change();
    let before = fields.fault_count();
    let first = fields.text::<EventDate>("start_date").required();
    let last = fields.text("end_date").check(|last| match limits {
        Some(limits) => check_last_day(first, last, limits),
        None => check_order_of_days(first, last).map_err(FaultKind::from),
    });
    let last = last.change();
    let are_valid = fields.fault_count() == before;
    let days = first.filter(|_| are_valid).map(|first| first.days_through(set_value(last).unwrap_or(first)));
    event.start_date = first.map(EventDate::date);
    event.end_date = last.map(|last| last.map(EventDate::date));
    event.zone = fields.text("timezone").required();
    event.language = fields.text("language").mistyped_is(Language::NOT_ONE).optional();
    event.is_published = fields.flag("is_published").optional();
    event.reminders_enabled = fields.flag("reminders_enabled").optional();
    event.theme = fields.text("theme").change();
    event.badge_label = fields.text("badge_label").change();
    event.external_id = fields.text("external_id").change();
    event.signups_open_at = fields.text("signups_open_at").change();
    let opens = set_value(event.signups_open_at);
    event.signups_close_at =
        fields.text("signups_close_at").check(|closes| check_closing(opens, closes)).change();
    event.waitlist_enabled = fields.flag("waitlist_enabled").optional();
    (event, days)
}

fields_of! {
    EventPatch of event: Event {
        "title": title;
        "description": description;
        "instructions": instructions;
        "location": location;
        "is_virtual": is_virtual;
        "location_lat": latitude;
        "location_lng": longitude;
        // Stored beside the event.
        "location_data": location_data = None;
        "start_date": start_date = Some(event.dates.first.date().date());
        "end_date": end_date = Some(event.dates.last.map(EventDate::date).into());
        "timezone": zone = Some(event.dates.first.zone().clone());
        "language": language;
        "is_published": is_published = Some(event.is_published);
        "reminders_enabled": reminders_enabled;
        "theme": theme;
        "badge_label": badge_label;
        "external_id": external_id;
        "signups_open_at": signups_open_at;
        "signups_close_at": signups_close_at;
        "waitlist_enabled": waitlist_enabled;
    }
}

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
    /// What volunteers get to know once they have a place.
    pub instructions: Option<Instructions>,
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
    /// The language of the pages and mails for volunteers.
    pub language: Language,
    /// Whether the event is published when it is created.
    pub is_published: bool,
    /// Whether volunteers are reminded of their shifts on the day before. True by default.
    pub reminders_enabled: bool,
    /// The colours of the public page.
    pub theme: Option<Theme>,
    /// The text of a badge on the public page.
    pub badge_label: Option<BadgeLabel>,
    /// The id in the organizer's own system. No other event of the organization has it.
    pub external_id: Option<ExternalId>,
    /// When sign-ups open, by the wall clock of the zone. `None`: at once.
    pub signups_open_at: Option<LocalDateTime>,
    /// When sign-ups close, after they open. `None`: never.
    pub signups_close_at: Option<LocalDateTime>,
    /// Whether people can join the waiting list of a full shift.
    pub waitlist_enabled: bool,
    /// The shifts: at most [`Event::MAX_NEW_SHIFTS`](crate::Event::MAX_NEW_SHIFTS). Shifts with equal hours are listed
    /// in this order.
    #[doc(alias = "slots")]
    pub shifts: Vec<NewShift>,
}

impl NewEvent {
    /// Makes an event of an untyped input, such as the body of a request. The fields have the names of the members in JSON, such as
    /// `timezone` and `location_lat`, and `shifts` is a list of objects.
    ///
    /// Omitted, null and blank mean the same in every field but the flags. `limits` are those of the organization's plan.
    ///
    /// ```
    /// use signup_core::{Input, NewEvent, PlanTable};
    ///
    /// let json = br#"{"title": "Saturday packing", "start_date": "2026-13-05", "timezone": "America/New_York",
    ///     "shifts": [{"title": "Morning"}]}"#;
    /// let faults = NewEvent::from_input(Input::from_json(json)?, PlanTable::default().free).unwrap_err();
    /// let paths: Vec<_> = faults.iter().map(|fault| &fault.path).collect();
    /// assert_eq!(paths, ["start_date", "shifts[0].capacity"]);
    /// # Ok::<(), signup_core::Faults>(())
    /// ```
    ///
    /// # Errors
    /// Returns every fault, in the order of the fields.
    pub fn from_input(input: Input<'_>, limits: PlanLimits) -> Result<Self, Faults> {
        let mut fields = Fields::new(input);
        let (event, days) = take_fields(&mut fields, Some(limits));
        let shifts =
            fields.shifts().check(|shifts| check_shift_count(shifts.len()).map(|()| shifts)).optional();
        let shifts = new_shifts(&mut fields, shifts, days);
        let event = event.title.zip(event.start_date).zip(event.zone).map(|((title, first), zone)| Self {
            end_date: set_value(event.end_date),
            description: set_value(event.description),
            instructions: set_value(event.instructions),
            location: set_value(event.location),
            is_virtual: event.is_virtual.unwrap_or(false),
            latitude: set_value(event.latitude),
            longitude: set_value(event.longitude),
            location_data: set_value(event.location_data),
            language: event.language.unwrap_or_default(),
            is_published: event.is_published.unwrap_or(false),
            reminders_enabled: event.reminders_enabled.unwrap_or(true),
            theme: set_value(event.theme),
            badge_label: set_value(event.badge_label),
            external_id: set_value(event.external_id),
            signups_open_at: set_value(event.signups_open_at),
            signups_close_at: set_value(event.signups_close_at),
            waitlist_enabled: event.waitlist_enabled.unwrap_or(false),
            shifts,
            ..Self::new(title, first, zone)
        });
        fields.finish(event)
    }

    /// Returns the record with the fields of the event, of which it has the title and the days already.
    pub(crate) fn fill(self, event: Event) -> Event {
        Event {
            description: self.description,
            instructions: self.instructions,
            location: self.location,
            is_virtual: self.is_virtual,
            latitude: self.latitude,
            longitude: self.longitude,
            language: self.language,
            is_published: self.is_published,
            reminders_enabled: self.reminders_enabled,
            theme: self.theme,
            badge_label: self.badge_label,
            external_id: self.external_id,
            signups_open_at: self.signups_open_at,
            signups_close_at: self.signups_close_at,
            waitlist_enabled: self.waitlist_enabled,
            ..event
        }
    }

    /// Creates the input for a draft of one day without shifts.
    pub const fn new(title: Title, start_date: Date, zone: Zone) -> Self {
        Self {
            title,
            start_date,
            end_date: None,
            zone,
            description: None,
            instructions: None,
            location: None,
            is_virtual: false,
            latitude: None,
            longitude: None,
            location_data: None,
            language: Language::En,
            is_published: false,
            reminders_enabled: true,
            theme: None,
            badge_label: None,
            external_id: None,
            signups_open_at: None,
            signups_close_at: None,
            waitlist_enabled: false,
            shifts: Vec::new(),
        }
    }

    setters! {
        /// Sets the last day. No shift may be on a later one.
        end_date: Date;
        /// Sets the description.
        description: Description;
        /// Sets what volunteers get to know once they have a place.
        instructions: Instructions;
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
        /// Sets when sign-ups open, by the wall clock of the zone.
        signups_open_at: LocalDateTime;
        /// Sets when sign-ups close, by the wall clock of the zone.
        signups_close_at: LocalDateTime;
    }

    /// Marks the event as one that takes place online.
    #[must_use]
    pub fn online(self) -> Self {
        Self { is_virtual: true, ..self }
    }

    /// Lets people join the waiting list of a full shift.
    #[must_use]
    pub fn with_waiting_list(self) -> Self {
        Self { waitlist_enabled: true, ..self }
    }

    /// Sets the language of the pages and mails for volunteers.
    #[must_use]
    pub fn language(self, language: Language) -> Self {
        Self { language, ..self }
    }

    /// Publishes the event when it is created. The event counts against the plan's limit of active events until its
    /// last day has ended.
    #[must_use]
    pub fn published(self) -> Self {
        Self { is_published: true, ..self }
    }

    /// Sends the volunteers no reminders.
    #[must_use]
    pub fn without_reminders(self) -> Self {
        Self { reminders_enabled: false, ..self }
    }

    /// Adds a shift.
    #[doc(alias = "slot")]
    #[must_use]
    pub fn shift(mut self, shift: NewShift) -> Self {
        self.shifts.push(shift);
        self
    }
}

/// Changes to an event. A field that is not set stays as it is.
///
/// ```
/// use signup_core::{EventPatch, date};
///
/// let patch = EventPatch::new().start_date(date(2027, 6, 12)).clear_badge_label().without_mail();
/// assert!(patch.without_mail);
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct EventPatch {
    /// The new title. The slug stays.
    pub title: Option<Title>,
    /// The new description, or its removal.
    pub description: Option<Change<Description>>,
    /// The new instructions for volunteers with a place, or their removal.
    pub instructions: Option<Change<Instructions>>,
    /// The new location, or its removal.
    pub location: Option<Change<EventLocation>>,
    /// Whether the event takes place online.
    pub is_virtual: Option<bool>,
    /// The new degrees north of the equator, or their removal.
    pub latitude: Option<Change<Latitude>>,
    /// The new degrees east of Greenwich, or their removal.
    pub longitude: Option<Change<Longitude>>,
    /// The new data about the place, or its removal.
    pub location_data: Option<Change<LocationData>>,
    /// The new first day. Moves the last day, and the opening and the closing of sign-ups, by as many days, unless the patch sets
    /// these, too.
    pub start_date: Option<Date>,
    /// The new last day, or its removal.
    pub end_date: Option<Change<Date>>,
    /// The new zone. Dates and wall times stay, so the instants move.
    pub zone: Option<Zone>,
    /// The new language of the pages and mails for volunteers.
    pub language: Option<Language>,
    /// Publishes or unpublishes the event.
    pub is_published: Option<bool>,
    /// Whether volunteers are reminded of their shifts on the day before.
    pub reminders_enabled: Option<bool>,
    /// The new colours, or their removal.
    pub theme: Option<Change<Theme>>,
    /// The new text of the badge, or its removal.
    pub badge_label: Option<Change<BadgeLabel>>,
    /// The new id in the organizer's own system, or its removal.
    pub external_id: Option<Change<ExternalId>>,
    /// The new opening of sign-ups, or its removal.
    pub signups_open_at: Option<Change<LocalDateTime>>,
    /// The new closing of sign-ups, or its removal.
    pub signups_close_at: Option<Change<LocalDateTime>>,
    /// Whether people can join the waiting list of a full shift.
    pub waitlist_enabled: Option<bool>,
    /// Whether the volunteers get no mail if the time or the place of their shift changes; false by default.
    pub without_mail: bool,
    /// The values that the caller read before. See [`read`](Self::read).
    pub read: Option<Box<Self>>,
}

impl EventPatch {
    /// Makes a patch of an untyped input: the fields of a [new event](NewEvent::from_input) without `shifts`, and
    /// `notify_volunteers`.
    ///
    /// An omitted field stays as it is. Null and blank clear a field that may be empty, and are faults of every other field. The
    /// days are compared only where the patch has both.
    ///
    /// # Errors
    /// Returns every fault, in the order of the fields.
    pub fn from_input(input: Input<'_>) -> Result<Self, Faults> {
        let mut fields = Fields::of_change(input);
        let (event, _) = take_fields(&mut fields, None);
        let without_mail = fields.without_mail();
        fields.finish(Some(Self { without_mail, ..event }))
    }

    /// Creates a patch that changes nothing.
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// Sets the title.
        title: Title;
    }

    /// Sets the first day.
    #[must_use]
    pub fn start_date(self, date: Date) -> Self {
        Self { start_date: Some(date), ..self }
    }

    setters! {
        /// Sets the zone.
        zone: Zone;
        /// Sets the language of the pages and mails for volunteers.
        language: Language;
    }

    /// Sets whether people can join the waiting list of a full shift. Those who wait keep waiting.
    #[must_use]
    pub fn waiting_list(self, is_enabled: bool) -> Self {
        Self { waitlist_enabled: Some(is_enabled), ..self }
    }

    /// Sets whether the event takes place online.
    #[must_use]
    pub fn online(self, is_virtual: bool) -> Self {
        Self { is_virtual: Some(is_virtual), ..self }
    }

    /// Publishes the event, or unpublishes it.
    #[must_use]
    pub fn published(self, is_published: bool) -> Self {
        Self { is_published: Some(is_published), ..self }
    }

    /// Turns reminders on or off.
    #[must_use]
    pub fn reminders(self, are_enabled: bool) -> Self {
        Self { reminders_enabled: Some(are_enabled), ..self }
    }

    changes! {
        description, clear_description: Description, "the description";
        instructions, clear_instructions: Instructions, "the instructions for volunteers with a place";
        location, clear_location: EventLocation, "the location";
        latitude, clear_latitude: Latitude, "the degrees north of the equator";
        longitude, clear_longitude: Longitude, "the degrees east of Greenwich";
        location_data, clear_location_data: LocationData, "the data about the place";
        end_date, clear_end_date: Date, "the last day";
        theme, clear_theme: Theme, "the colours of the public page";
        badge_label, clear_badge_label: BadgeLabel, "the text of the badge";
        external_id, clear_external_id: ExternalId, "the id in the organizer's own system";
        signups_open_at, clear_signups_open_at: LocalDateTime, "when sign-ups open";
        signups_close_at, clear_signups_close_at: LocalDateTime, "when sign-ups close";
    }

    without_mail!();
}
