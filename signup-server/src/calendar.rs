//! Sign-ups as iCalendar objects (RFC 5545) that publish or cancel an entry (RFC 5546), in mails and on the page of a
//! sign-up.
//!
//! Times are in UTC, so they do not depend on the time zone data of the calendar program.

use icalendar::{Calendar, Component as _, Event as Entry, EventLike as _, EventStatus, Property};
use jiff::Timestamp;
use jiff::tz::Offset;
use signup_core::{Event, Organization, Shift, Signup, TimeAndPlace};

use crate::plain::one_line;

/// The iCalendar method: whether a calendar program adds the entry or removes it.
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

/// The calendar entry of a sign-up.
///
/// The UID is the id of the sign-up, so it never changes.
#[derive(Debug)]
pub(crate) struct SignupEntry<'a> {
    pub(crate) method: Method,
    pub(crate) organization: &'a Organization,
    pub(crate) event: &'a Event,
    pub(crate) shift: &'a Shift,
    pub(crate) signup: &'a Signup,
    /// The time and the location of the shift.
    pub(crate) at: &'a TimeAndPlace,
    /// The mail address of the sender.
    pub(crate) sender: &'a str,
    /// The URL of the event's page, if the page is public.
    pub(crate) url: Option<&'a str>,
    pub(crate) now: Timestamp,
}

impl SignupEntry<'_> {
    /// Returns the calendar object as text.
    pub(crate) fn to_text(&self) -> String {
        let mut entry = entry(self.method, self.event, self.shift, self.at, self.url, self.now);
        entry.uid(&self.signup.id.to_string());
        calendar(self.method, entry, self.organization, &format!("mailto:{}", self.sender))
    }
}

/// Returns an entry without its UID. iCalendar allows no control characters in a text, and [`one_line`] leaves none.
///
/// The SEQUENCE grows with the version of the shift and with a cancellation, so a calendar program recognizes a later
/// version of the entry. No mail about a sign-up follows its cancellation.
fn entry(
    method: Method,
    event: &Event,
    shift: &Shift,
    at: &TimeAndPlace,
    url: Option<&str>,
    now: Timestamp,
) -> Entry {
    let is_cancelled = method == Method::Cancel;
    let sequence = u64::from(shift.version) * 2 + u64::from(is_cancelled);
    let mut entry = Entry::new();
    entry
        .summary(&one_line(&format!("{}: {}", event.title, shift.title)))
        .status(if is_cancelled { EventStatus::Cancelled } else { EventStatus::Confirmed })
        .add_property("SEQUENCE", sequence.to_string())
        .add_property("DTSTAMP", utc(now))
        .add_property("DTSTART", utc(at.interval.start))
        .add_property("DTEND", utc(at.interval.end));
    if let Some(url) = url {
        entry.description(url).add_property("URL", url);
    }
    if let Some(location) = at.place() {
        entry.location(&one_line(&location));
    }
    entry
}

/// Returns a calendar with one entry. An ORGANIZER is required (RFC 5546, 3.2.1); any kind of URI is allowed.
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

/// Formats an instant as `20270306T140000Z`.
fn utc(instant: Timestamp) -> String {
    Offset::UTC.to_datetime(instant).strftime("%Y%m%dT%H%M%SZ").to_string()
}

/// Quotes the value of a parameter. A value cannot contain a quotation mark (RFC 5545, 3.1), so an apostrophe replaces
/// each mark.
fn quoted(text: &str) -> String {
    format!("\"{}\"", one_line(text).replace('"', "'"))
}
