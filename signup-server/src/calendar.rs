//! Shifts for calendars: iCalendar objects (RFC 5545), published (RFC 5546).
//!
//! Times are in UTC, so they are right whatever a calendar knows of zones.

use icalendar::{Calendar, Component as _, Event as Entry, EventLike as _, EventStatus, Property};
use jiff::Timestamp;
use jiff::tz::Offset;
use signup_core::{Event, Organization, Shift, Signup, TimeAndPlace};

use crate::page::place::whereabouts;

/// Whether an entry is to be there or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Method {
    Publish,
    Cancel,
}

impl Method {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Publish => "PUBLISH",
            Self::Cancel => "CANCEL",
        }
    }
}

/// The place of a volunteer, as a calendar follows it: always the same UID, and a SEQUENCE that grows with the shift's
/// version, and once more when it is cancelled.
#[derive(Debug)]
pub(crate) struct PlaceEntry<'a> {
    pub(crate) method: Method,
    pub(crate) organization: &'a Organization,
    pub(crate) event: &'a Event,
    pub(crate) shift: &'a Shift,
    pub(crate) signup: &'a Signup,
    /// When and where the shift is.
    pub(crate) at: &'a TimeAndPlace,
    /// The mail address of whoever sends it.
    pub(crate) sender: &'a str,
    /// The address of the event's page.
    pub(crate) url: &'a str,
    pub(crate) now: Timestamp,
}

impl PlaceEntry<'_> {
    pub(crate) fn to_text(&self) -> String {
        let is_cancelled = self.method == Method::Cancel;
        let sequence = u64::from(self.shift.version) * 2 + u64::from(is_cancelled);
        let mut entry = entry(self.event, self.shift, self.at, self.url, self.now);
        entry
            .uid(&self.signup.id.to_string())
            .add_property("SEQUENCE", sequence.to_string())
            .status(if is_cancelled { EventStatus::Cancelled } else { EventStatus::Confirmed });
        calendar(self.method, entry, self.organization, &format!("mailto:{}", self.sender))
    }
}

/// A shift that somebody puts into a calendar without signing up.
pub(crate) fn of_shift(
    organization: &Organization,
    event: &Event,
    shift: &Shift,
    url: &str,
    now: Timestamp,
) -> String {
    let mut entry = entry(event, shift, &TimeAndPlace::of(shift), url, now);
    entry.uid(&shift.id.to_string()).add_property("SEQUENCE", shift.version.to_string());
    calendar(Method::Publish, entry, organization, url)
}

fn entry(event: &Event, shift: &Shift, at: &TimeAndPlace, url: &str, now: Timestamp) -> Entry {
    let mut entry = Entry::new();
    entry
        .summary(&one_line(&format!("{}: {}", event.title, shift.title)))
        .description(url)
        .add_property("DTSTAMP", utc(now))
        .add_property("DTSTART", utc(at.interval.start))
        .add_property("DTEND", utc(at.interval.end))
        .add_property("URL", url);
    if let Some(location) = whereabouts(at.location.as_ref(), event) {
        entry.location(&one_line(location));
    }
    entry
}

/// A calendar with this entry. Who publishes has to be named (RFC 5546, 3.2.1): by an address of whatever kind.
fn calendar(method: Method, mut entry: Entry, organization: &Organization, organizer: &str) -> String {
    let mut organizer = Property::new("ORGANIZER", organizer);
    organizer.add_parameter("CN", &quoted(organization.name.as_str()));
    entry.append_property(organizer);
    let mut calendar = Calendar::empty();
    for property in [("VERSION", "2.0"), ("PRODID", "-//Signup//Signup//EN"), ("METHOD", method.name())] {
        calendar.append_property(property);
    }
    calendar.push(entry.done());
    calendar.to_string()
}

/// An instant as `20270306T140000Z`.
fn utc(instant: Timestamp) -> String {
    Offset::UTC.to_datetime(instant).strftime("%Y%m%dT%H%M%SZ").to_string()
}

/// A text on one line: calendars take no control characters.
fn one_line(text: &str) -> String {
    let plain = |character: char| if character.is_control() { ' ' } else { character };
    text.chars().map(plain).collect::<String>().trim().to_owned()
}

/// The value of a parameter; a quotation mark cannot stand in one (RFC 5545, 3.1).
fn quoted(text: &str) -> String {
    format!("\"{}\"", one_line(text).replace('"', "'"))
}
