//! Sign-ups as iCalendar objects (RFC 5545) that publish or cancel an entry (RFC 5546), in mails and on the page of a
//! sign-up.
//!
//! Times are in UTC, so they do not depend on the time zone data of the calendar program.

use jiff::Timestamp;
use jiff::tz::Offset;
use signup_core::{Event, Organization, Shift, Signup, TimeAndPlace};

use crate::mail::name::sender_name;
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
    ///
    /// The SEQUENCE grows with the version of the shift and with a cancellation, so a calendar program recognizes a later
    /// version of the entry. No mail about a sign-up follows its cancellation. An ORGANIZER is required (RFC 5546, 3.2.1); any
    /// kind of URI is allowed.
    pub(crate) fn to_text(&self) -> String {
        let Self { method, organization, event, shift, signup, at, sender, url, now } = *self;
        let is_cancelled = method == Method::Cancel;
        let name = sender_name(&organization.name).map(|name| format!(";CN={}", quoted(&name)));
        let sequence = u64::from(shift.version) * 2 + u64::from(is_cancelled);
        let mut lines = vec![
            "BEGIN:VCALENDAR".to_owned(),
            "VERSION:2.0".to_owned(),
            "PRODID:-//Signup//Signup//EN".to_owned(),
            format!("METHOD:{}", method.name()),
            "BEGIN:VEVENT".to_owned(),
            format!("UID:{}", signup.id),
            format!("SEQUENCE:{sequence}"),
            format!("STATUS:{}", if is_cancelled { "CANCELLED" } else { "CONFIRMED" }),
            format!("DTSTAMP:{}", utc(now)),
            format!("DTSTART:{}", utc(at.interval.start)),
            format!("DTEND:{}", utc(at.interval.end)),
            format!("SUMMARY:{}", escaped(&format!("{}: {}", event.title, shift.title))),
            format!("ORGANIZER{}:mailto:{sender}", name.unwrap_or_default()),
        ];
        lines.extend(at.place().map(|place| format!("LOCATION:{}", escaped(&place))));
        lines.extend(url.map(|url| format!("DESCRIPTION:{}", escaped(url))));
        lines.extend(url.map(|url| format!("URL:{url}")));
        lines.extend(["END:VEVENT", "END:VCALENDAR"].map(str::to_owned));
        lines.iter().map(|line| folded(line)).collect()
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
