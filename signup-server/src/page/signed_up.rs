//! The page after signing up. It is the same for everyone: it shows what the browser has in a cookie, and nothing that is stored.

mod kept;

use askama::Template;
use jiff::Timestamp;
use signup_core::{EmailAddress, PublicEvent, ScheduledShift, TimeAndPlace};
use warp::http::StatusCode;
use warp::reply::Response;

pub(super) use kept::{Kept, NAME as COOKIE};

use super::event::{Site, choice};
use super::times::Times;
use super::{Head, html, style};
use crate::calendar::{Calendar, Entry, Method};
use crate::linked_text::LinkedText;
use crate::texts::Texts;

#[derive(Debug, Template)]
#[template(path = "signed_up.html")]
struct SignedUpTemplate<'a> {
    head: Head,
    organization: &'a str,
    event: &'a str,
    path: &'a str,
    /// What the browser has kept; `None` if it has kept nothing, or only shifts that the event no longer has.
    kept: Option<KeptView<'a>>,
    sends_mail: bool,
    contact: Option<LinkedText<'a>>,
}

#[derive(Debug)]
struct KeptView<'a> {
    people: Vec<&'a str>,
    /// The number of people whose names are left out.
    others: usize,
    email: &'a EmailAddress,
    shifts: Vec<ShiftView<'a>>,
    /// The path of a form for the same shifts.
    again: String,
}

#[derive(Debug)]
struct ShiftView<'a> {
    title: &'a str,
    times: Times,
    is_virtual: bool,
    locations: Vec<Vec<LinkedText<'a>>>,
}

impl KeptView<'_> {
    fn count(&self) -> usize {
        self.people.len() + self.others
    }

    /// Returns the end of the sentence that begins with the names and names the shift, if there is only one.
    fn are_saved(&self) -> &'static str {
        if self.count() == 1 && self.shifts.len() == 1 { "is saved." } else { "are saved." }
    }

    fn places(&self) -> &'static str {
        if self.count() == 1 && self.shifts.len() == 1 { "your place on" } else { "your places on" }
    }
}

/// Renders the page. Shows the shifts that the event still has.
pub(super) fn page(found: &PublicEvent, site: Site<'_>, kept: Option<&Kept>) -> Response {
    let PublicEvent { organization, event, .. } = found;
    let kept = kept.filter(|kept| shifts(found, kept).next().is_some());
    let view = |shift: &'_ ScheduledShift| -> (Times, TimeAndPlace) {
        let at = TimeAndPlace::of(shift, event);
        (Times::of(at.interval, &at.zone, Texts::ENGLISH), at)
    };
    let chosen: Vec<_> = kept.iter().flat_map(|kept| shifts(found, kept)).collect();
    let at: Vec<_> = chosen.iter().map(|shift| view(shift)).collect();
    let shift_views = chosen.iter().zip(&at).map(|(shift, (times, at))| ShiftView {
        title: shift.title.as_str(),
        times: times.clone(),
        is_virtual: event.is_virtual,
        locations: at.locations().map(LinkedText::parts).collect(),
    });
    let kept = kept.map(|kept| KeptView {
        people: kept.people.iter().map(String::as_str).collect(),
        others: kept.others,
        email: &kept.email,
        shifts: shift_views.collect(),
        again: choice(&format!("{}/signups", site.path), chosen.iter().map(|shift| shift.id)),
    });
    let title = match (&kept, site.sends_mail) {
        (None, true) => "Check your email",
        (Some(kept), _) if kept.count() * kept.shifts.len() == 1 => "Your place is saved",
        (Some(_), _) => "Your places are saved",
        (None, false) => "Thank you",
    };
    let page = SignedUpTemplate {
        head: Head::private(title, style::theme_of(event)),
        organization: organization.name.as_str(),
        event: event.title.as_str(),
        path: site.path,
        kept,
        sends_mail: site.sends_mail,
        contact: organization.contact.as_ref().map(EmailAddress::as_str).map(LinkedText::mail_address),
    };
    html(StatusCode::OK, &page)
}

/// Returns the kept shifts that the event has, in running order.
fn shifts<'a>(found: &'a PublicEvent, kept: &Kept) -> impl Iterator<Item = &'a ScheduledShift> {
    found.shifts.iter().filter(|shift| kept.shifts.contains(&shift.id))
}

/// Returns a calendar file with an entry for each kept shift. `None` if the event has none of the shifts.
///
/// The UID of an entry is the id of its shift: the browser does not know the sign-ups.
pub(super) fn calendar(
    found: &PublicEvent,
    kept: &Kept,
    (sender, url): (&str, &str),
    now: Timestamp,
) -> Option<String> {
    let PublicEvent { organization, event, .. } = found;
    let places: Vec<_> = shifts(found, kept).map(|shift| (shift, TimeAndPlace::of(shift, event))).collect();
    let entries = places.iter().map(|(shift, at)| Entry {
        event,
        shift,
        uid: shift.id.uuid(),
        name: None,
        at,
        sequence: 0,
        url: Some(url),
    });
    let entries: Vec<_> = entries.collect();
    let file = Calendar { method: Method::Publish, organization, sender, entries, now };
    (!file.entries.is_empty()).then(|| file.to_string())
}
