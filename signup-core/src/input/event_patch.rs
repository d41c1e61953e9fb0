//! Changes of an event, typed and untyped, and its cancellation.

use std::borrow::Cow;

use jiff::civil::Date;

use super::check::{Fields, NUMBER, TEXT, check_order_of_days, date};
use super::typed::changes;
use super::{Change, Given, Object};
use crate::caller_key::ExternalId;
use crate::event::{Latitude, Longitude, Theme};
use crate::fault::{Faults, UnknownName, ValueType};
use crate::hours::EventDate;
use crate::text::{BadgeLabel, CancellationReason, Description, EventLocation, LocationData, Title};
use crate::zone::Zone;

/// Changes to an event. A field that is not set stays as it is.
///
/// ```
/// use signup_core::{EventPatch, date};
///
/// let patch = EventPatch::new().start_date(date(2027, 6, 12)).clear_badge_label().without_mail();
/// assert!(!patch.notify_volunteers);
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct EventPatch {
    /// The new title. The slug stays.
    pub title: Option<Title>,
    /// The new description, or its removal.
    pub description: Option<Change<Description>>,
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
    /// The new first day. Moves the last day by as many days, unless the patch sets the last day, too.
    pub start_date: Option<Date>,
    /// The new last day, or its removal.
    pub end_date: Option<Change<Date>>,
    /// The new zone. Dates and wall times stay, so the instants move.
    pub zone: Option<Zone>,
    /// Publishes or unpublishes the event.
    pub is_published: Option<bool>,
    /// The new colours, or their removal.
    pub theme: Option<Change<Theme>>,
    /// The new text of the badge, or its removal.
    pub badge_label: Option<Change<BadgeLabel>>,
    /// The new id in the organizer's own system, or its removal.
    pub external_id: Option<Change<ExternalId>>,
    /// Whether volunteers get a mail if the time or the place of their shift changes; true by default.
    pub notify_volunteers: bool,
    /// The values that the caller read before. Then only the fields with another value than the one that was read are
    /// changed, and a field that has been changed to a third value since is [`Error::Conflict`](crate::Error::Conflict).
    pub read: Option<Box<Self>>,
}

impl Default for EventPatch {
    fn default() -> Self {
        Self {
            title: None,
            description: None,
            location: None,
            is_virtual: None,
            latitude: None,
            longitude: None,
            location_data: None,
            start_date: None,
            end_date: None,
            zone: None,
            is_published: None,
            theme: None,
            badge_label: None,
            external_id: None,
            notify_volunteers: true,
            read: None,
        }
    }
}

impl EventPatch {
    /// Creates a patch that changes nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the title.
    #[must_use]
    pub fn title(self, title: Title) -> Self {
        Self { title: Some(title), ..self }
    }

    /// Sets the first day.
    #[must_use]
    pub fn start_date(self, date: Date) -> Self {
        Self { start_date: Some(date), ..self }
    }

    /// Sets the zone.
    #[must_use]
    pub fn zone(self, zone: Zone) -> Self {
        Self { zone: Some(zone), ..self }
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

    changes! {
        description, clear_description: Description, "the description";
        location, clear_location: EventLocation, "the location";
        latitude, clear_latitude: Latitude, "the degrees north of the equator";
        longitude, clear_longitude: Longitude, "the degrees east of Greenwich";
        location_data, clear_location_data: LocationData, "the data about the place";
        end_date, clear_end_date: Date, "the last day";
        theme, clear_theme: Theme, "the colours of the public page";
        badge_label, clear_badge_label: BadgeLabel, "the text of the badge";
        external_id, clear_external_id: ExternalId, "the id in the organizer's own system";
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

/// Untyped changes to an event. An omitted field stays as it is. A field that may be cleared is cleared by null and by a
/// blank text; every other field takes neither.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct EventPatchInput<'a> {
    /// 1 to 255 characters after trimming. Cannot be cleared.
    pub title: Given<Cow<'a, str>>,
    /// At most 65,535 characters. Can be cleared.
    pub description: Given<Cow<'a, str>>,
    /// A street address, or a URL for a virtual event: at most 2,048 characters. Can be cleared.
    pub location: Given<Cow<'a, str>>,
    /// Whether the event takes place online. Cannot be cleared.
    pub is_virtual: Given<bool>,
    /// Degrees north of the equator: -90 to 90. Can be cleared.
    pub location_lat: Given<f64>,
    /// Degrees east of Greenwich: -180 to 180. Can be cleared.
    pub location_lng: Given<f64>,
    /// Data about the place: at most 16 KiB as compact JSON, and at most 100 levels deep. Can be cleared.
    pub location_data: Given<Object<'a>>,
    /// The first day, `YYYY-MM-DD`. Cannot be cleared.
    pub start_date: Given<Cow<'a, str>>,
    /// The last day, `YYYY-MM-DD`. If it is cleared, the event has one day.
    pub end_date: Given<Cow<'a, str>>,
    /// The name of an IANA time zone. Cannot be cleared.
    pub timezone: Given<Cow<'a, str>>,
    /// Whether the event is published. Cannot be cleared.
    pub is_published: Given<bool>,
    /// The name of a [`Theme`]. Can be cleared.
    pub theme: Given<Cow<'a, str>>,
    /// At most 255 characters. Can be cleared.
    pub badge_label: Given<Cow<'a, str>>,
    /// The id in the organizer's own system: 1 to 255 visible ASCII characters. Can be cleared.
    pub external_id: Given<Cow<'a, str>>,
    /// Whether volunteers get a mail if their time or place changes; true if omitted.
    pub notify_volunteers: Given<bool>,
    /// The members that the input does not take, in the order of the JSON text. Each is a fault.
    pub unknown: Vec<UnknownName<'a>>,
}

impl EventPatchInput<'_> {
    /// Checks every field. The days are compared only where the patch has both.
    ///
    /// # Errors
    /// Returns every fault, in the order of the fields.
    pub fn check(&self) -> Result<EventPatch, Faults> {
        let mut faults = Faults::new();
        let mut fields = Fields::new(&mut faults);
        let title = fields.kept("title", &self.title, TEXT, |text| Title::new(text));
        let description =
            fields.change("description", &self.description, TEXT, |text| Description::new(text));
        let location = fields.change("location", &self.location, TEXT, |text| EventLocation::new(text));
        let is_virtual = fields.optional_flag("is_virtual", &self.is_virtual);
        let latitude =
            fields.change("location_lat", &self.location_lat, NUMBER, |&degrees| Latitude::new(degrees));
        let longitude =
            fields.change("location_lng", &self.location_lng, NUMBER, |&degrees| Longitude::new(degrees));
        let location_data =
            fields.change("location_data", &self.location_data, ValueType::Object, |Object(json)| {
                json.parse::<LocationData>()
            });
        let first = fields.kept("start_date", &self.start_date, TEXT, |text| date(text));
        let last = fields.change("end_date", &self.end_date, TEXT, |text| {
            date(text).and_then(|last| check_order_of_days(first, last))
        });
        let zone = fields.kept("timezone", &self.timezone, TEXT, |text| text.parse());
        let is_published = fields.optional_flag("is_published", &self.is_published);
        let theme = fields.change("theme", &self.theme, TEXT, |text| text.parse::<Theme>());
        let badge_label = fields.change("badge_label", &self.badge_label, TEXT, |text| BadgeLabel::new(text));
        let external_id = fields.change("external_id", &self.external_id, TEXT, |text| text.parse());
        let notify_volunteers = fields.flag("notify_volunteers", &self.notify_volunteers, true);
        let patch = EventPatch {
            title,
            description,
            location,
            is_virtual,
            latitude,
            longitude,
            location_data,
            start_date: first.map(EventDate::date),
            end_date: last.map(|last| last.map(EventDate::date)),
            zone,
            is_published,
            theme,
            badge_label,
            external_id,
            notify_volunteers,
            read: None,
        };
        faults.add_unknown(&self.unknown);
        faults.into_result(Some(patch))
    }
}

/// The cancellation of an event, or of one sign-up.
///
/// ```
/// use signup_core::Cancellation;
///
/// let cancel = Cancellation::new().reason("The hall is flooded.".parse()?);
/// assert!(cancel.notify_volunteers);
/// # Ok::<(), signup_core::TextError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Cancellation {
    /// Why the event or the sign-up is cancelled. Volunteers read it in the mail, and on the public page or the page of their
    /// sign-up.
    pub reason: Option<CancellationReason>,
    /// Whether volunteers get a mail; true by default.
    pub notify_volunteers: bool,
}

impl Default for Cancellation {
    fn default() -> Self {
        Self { reason: None, notify_volunteers: true }
    }
}

impl Cancellation {
    /// Creates a cancellation without a reason.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the reason.
    #[must_use]
    pub fn reason(self, reason: CancellationReason) -> Self {
        Self { reason: Some(reason), ..self }
    }

    /// Sends no mail about the cancellation to the volunteers.
    #[must_use]
    pub fn without_mail(self) -> Self {
        Self { notify_volunteers: false, ..self }
    }
}

/// The fields of a cancellation, not checked yet.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CancellationInput<'a> {
    /// Why the event is cancelled: at most 1,000 characters.
    pub reason: Given<Cow<'a, str>>,
    /// Whether volunteers get a mail; true if omitted.
    pub notify_volunteers: Given<bool>,
    /// The members that the input does not take, in the order of the JSON text. Each is a fault.
    pub unknown: Vec<UnknownName<'a>>,
}

impl CancellationInput<'_> {
    /// Checks every field.
    ///
    /// # Errors
    /// Returns every fault, in the order of the fields.
    pub fn check(&self) -> Result<Cancellation, Faults> {
        let mut faults = Faults::new();
        let mut fields = Fields::new(&mut faults);
        let reason = fields.nullable("reason", &self.reason, TEXT, |text| CancellationReason::new(text));
        let notify_volunteers = fields.flag("notify_volunteers", &self.notify_volunteers, true);
        faults.add_unknown(&self.unknown);
        faults.into_result(Some(Cancellation { reason, notify_volunteers }))
    }
}
