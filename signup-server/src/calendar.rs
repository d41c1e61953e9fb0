//! Sign-ups as iCalendar objects (RFC 5545) that publish or cancel entries (RFC 5546), in mails and behind the link of a mail.
//!
//! Times are in UTC, so they do not depend on the time zone data of the calendar program.

use std::fmt;

use jiff::Timestamp;
use jiff::tz::Offset;
use signup_core::{Event, Organization, Shift, TimeAndPlace};
use uuid::Uuid;

use crate::mail::name::sender_name;
use crate::plain::one_line;

/// The iCalendar method: whether a calendar program adds the entries or removes them.
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

/// A calendar file of one organization: entries to add, or entries to remove.
#[derive(Debug)]
pub(crate) struct Calendar<'a> {
    pub(crate) method: Method,
    pub(crate) organization: &'a Organization,
    /// The mail address of the sender.
    pub(crate) sender: &'a str,
    pub(crate) entries: Vec<Entry<'a>>,
    pub(crate) now: Timestamp,
}

/// The calendar entry of a sign-up.
///
/// The UID of an entry in a mail is the id of the sign-up, so it never changes.
#[derive(Debug)]
pub(crate) struct Entry<'a> {
    pub(crate) event: &'a Event,
    pub(crate) shift: &'a Shift,
    pub(crate) uid: Uuid,
    /// The name of the volunteer, if the file has entries of several people and may show the name.
    pub(crate) name: Option<String>,
    /// The time and the location of the shift.
    pub(crate) at: &'a TimeAndPlace,
    /// Grows with each version of the entry, so a calendar program recognizes the latest one.
    pub(crate) sequence: u32,
    /// The URL of the event's page, if the page is public.
    pub(crate) url: Option<&'a str>,
}

impl fmt::Display for Calendar<'_> {
    /// Writes the file. An ORGANIZER is required (RFC 5546, 3.2.1); any kind of URI is allowed.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { method, organization, sender, entries, now } = self;
        let status = match method {
            Method::Publish => "CONFIRMED",
            Method::Cancel => "CANCELLED",
        };
        let name = sender_name(&organization.name).map(|name| format!(";CN={}", quoted(&name)));
        let organizer = format!("ORGANIZER{}:mailto:{sender}", name.unwrap_or_default());
        let mut write = |line: &str| f.write_str(&folded(line));
        write("BEGIN:VCALENDAR")?;
        write("VERSION:2.0")?;
        write("PRODID:-//Signup//Signup//EN")?;
        write(&format!("METHOD:{}", method.name()))?;
        for Entry { event, shift, uid, name, at, sequence, url } in entries {
            let name = name.as_ref().map(|name| format!(" ({name})")).unwrap_or_default();
            write("BEGIN:VEVENT")?;
            write(&format!("UID:{uid}"))?;
            write(&format!("SEQUENCE:{sequence}"))?;
            write(&format!("STATUS:{status}"))?;
            write(&format!("DTSTAMP:{}", utc(*now)))?;
            write(&format!("DTSTART:{}", utc(at.interval.start)))?;
            write(&format!("DTEND:{}", utc(at.interval.end)))?;
            write(&format!("SUMMARY:{}", escaped(&format!("{}: {}{name}", event.title, shift.title))))?;
            write(&organizer)?;
            if let Some(place) = at.place() {
                write(&format!("LOCATION:{}", escaped(&place)))?;
            }
            if let Some(url) = url {
                write(&format!("DESCRIPTION:{}", escaped(url)))?;
                write(&format!("URL:{url}"))?;
            }
            write("END:VEVENT")?;
        }
        write("END:VCALENDAR")
    }
}

/// Formats an instant as `20270306T140000Z`.
fn utc(instant: Timestamp) -> String {
    Offset::UTC.to_datetime(instant).strftime("%Y%m%dT%H%M%SZ").to_string()
}

/// Escapes the value of a property of type TEXT (RFC 5545, 3.3.11). A text has no control characters, and [`one_line`] leaves none.
fn escaped(text: &str) -> String {
    one_line(text).replace('\\', "\\\\").replace(';', "\\;").replace(',', "\\,")
}

/// Quotes the value of a parameter, which is on one line. In such a value a caret escapes a quotation mark and itself (RFC 6868).
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('^', "^^").replace('"', "^'"))
}

/// The maximum length of a line, in octets, without its line break (RFC 5545, 3.1).
const MAX_LINE: usize = 75;

/// Folds a line: each further line begins with a space. No character is cut.
fn folded(line: &str) -> String {
    let mut folded = String::with_capacity(line.len() + line.len() / MAX_LINE * 3 + 2);
    let mut rest = line;
    while rest.len() > MAX_LINE - usize::from(!folded.is_empty()) {
        let (start, end) =
            rest.split_at(rest.floor_char_boundary(MAX_LINE - usize::from(!folded.is_empty())));
        folded.extend([if folded.is_empty() { "" } else { " " }, start, "\r\n"]);
        rest = end;
    }
    folded.extend([if folded.is_empty() { "" } else { " " }, rest, "\r\n"]);
    folded
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Generates lines whose characters take one to four octets, with spaces that look like those of a fold.
    fn lines() -> impl Strategy<Value = String> {
        let pieces = prop::sample::select(vec!["a", "é", "李", "🦀", " ", "\u{301}", "\\,"]);
        prop::collection::vec(pieces, 0..400).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn a_folded_line_has_at_most_75_octets_and_unfolds_to_the_same_text(line in lines()) {
            let folded = folded(&line);
            prop_assert!(folded.ends_with("\r\n"));
            for part in folded.split("\r\n") {
                prop_assert!(part.len() <= 75, "{} octets", part.len());
            }
            prop_assert_eq!(folded.strip_suffix("\r\n").unwrap().replace("\r\n ", ""), line);
        }
    }

    #[test]
    fn a_line_of_75_octets_is_not_folded() {
        for (octets, lines) in [(0, 1), (74, 1), (75, 1), (76, 2), (149, 2), (150, 3)] {
            assert_eq!(folded(&"x".repeat(octets)).matches("\r\n").count(), lines, "{octets}");
        }
    }

    #[test]
    fn a_quotation_mark_and_a_caret_are_escaped_in_a_parameter() {
        assert_eq!(quoted("The \"Old^Hall\"; Dock, 4"), "\"The ^'Old^^Hall^'; Dock, 4\"");
    }

    #[test]
    fn a_text_keeps_its_backslashes_commas_and_semicolons() {
        assert_eq!(escaped("a\\b, c;\r\nd: e"), "a\\\\b\\, c\\; d: e");
    }
}
