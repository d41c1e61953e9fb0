//! The page after signing up. It is the same for everyone: it shows what the browser has in a cookie, and nothing that is stored.

mod kept;

use askama::Template;
use jiff::Timestamp;
use signup_core::{EmailAddress, PublicEvent, ScheduledShift, TimeAndPlace};
use warp::http::StatusCode;
use warp::reply::Response;

pub(super) use kept::{Kept, NAME as COOKIE};

use super::event::{Site, choice, place_or_list};
use super::times::Times;
use super::{Head, html};
use crate::calendar::{Calendar, Entry, Method};
use crate::linked_text::LinkedText;
use crate::texts::{Html, Texts};

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
    /// The link to write to the organization.
    contact: Option<Html>,
}

#[derive(Debug)]
struct KeptView<'a> {
    /// Who has places, on which shifts.
    sentence: Html,
    email: &'a EmailAddress,
    /// That people who found no place wait for one, if the form asked for that. The page does not say who has a place.
    place_or_list: Option<String>,
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

/// Returns the sentence that says who has places on which shifts.
fn sentence(kept: &Kept, shifts: &[&ScheduledShift], texts: Texts) -> Html {
    let people = match (kept.people.is_empty(), kept.others) {
        (false, 0) => texts.joined_names(&kept.people, None),
        (false, others) => texts.joined_names(&kept.people, Some(texts.other_people(others))),
        (true, others) => texts.joined_names(&kept.people, Some(texts.number_of_people(others))),
    };
    match shifts {
        [shift] if kept.joins_waitlist => texts.sign_up_saved_html(people, Html::typed(shift.title.as_str())),
        shifts if kept.joins_waitlist => texts.sign_ups_saved_html(people, shifts.len()),
        [shift] if kept.count() == 1 => texts.place_saved_html(people, Html::typed(shift.title.as_str())),
        [shift] => texts.places_saved_html(people, Html::typed(shift.title.as_str())),
        shifts => texts.places_on_shifts_saved_html(people, shifts.len()),
    }
}

/// Renders the page. Shows the shifts that the event still has.
pub(super) fn page(found: &PublicEvent, site: Site<'_>, kept: Option<&Kept>) -> Response {
    let PublicEvent { organization, event, .. } = found;
    let texts = Texts::of(event.language);
    let kept = kept.filter(|kept| shifts(found, kept).next().is_some());
    let view = |shift: &'_ ScheduledShift| -> (Times, TimeAndPlace) {
        let at = TimeAndPlace::of(shift, event);
        (Times::of(at.interval, &at.zone, texts), at)
    };
    let chosen: Vec<_> = kept.iter().flat_map(|kept| shifts(found, kept)).collect();
    let at: Vec<_> = chosen.iter().map(|shift| view(shift)).collect();
    let shift_views = chosen.iter().zip(&at).map(|(shift, (times, at))| ShiftView {
        title: shift.title.as_str(),
        times: times.clone(),
        is_virtual: event.is_virtual,
        locations: at.locations().map(LinkedText::parts).collect(),
    });
    let places = kept.map_or(0, Kept::count) * chosen.len();
    let view = kept.map(|kept| KeptView {
        sentence: sentence(kept, &chosen, texts),
        email: &kept.email,
        place_or_list: kept.joins_waitlist.then(|| place_or_list(site.sends_mail, texts)),
        shifts: shift_views.collect(),
        again: choice(&format!("{}/signups", site.path), chosen.iter().map(|shift| shift.id)),
    });
    let title = match (&view, site.sends_mail) {
        (None, true) => texts.check_your_email(),
        (Some(view), _) if view.place_or_list.is_some() => texts.sign_up_saved(),
        (Some(_), _) if places == 1 => texts.place_saved(),
        (Some(_), _) => texts.places_saved(),
        (None, false) => texts.thank_you(),
    };
    let page = SignedUpTemplate {
        head: Head::of_event(title, event),
        organization: organization.name.as_str(),
        event: event.title.as_str(),
        path: site.path,
        kept: view,
        sends_mail: site.sends_mail,
        contact: organization.contact.as_ref().map(Html::mail_address),
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
