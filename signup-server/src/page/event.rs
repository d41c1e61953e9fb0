//! The page of an event: the remaining places of each shift, and a box and a link for each shift that has room.
//!
//! **Invariant:** the page of a cancelled event has no forms, and no links to forms.

mod notice;
mod parts;
mod shifts;

use askama::Template;
use jiff::Timestamp;
use signup_core::{BadgeLabel, EmailAddress, Event, PublicEvent, ScheduledShift, ShiftId, SignupPhase};
use warp::http::header::CACHE_CONTROL;
use warp::http::{HeaderValue, StatusCode};
use warp::reply::Response;

use super::times;
use super::typed::{CHANGE, OPEN, SHIFT, TO_SHIFTS, WAITLIST};
use super::{Head, LinkPreview, html};
use crate::linked_text::LinkedText;
use crate::plain::shorten;
use crate::texts::{Html, Texts, capitalized};

pub(super) use notice::{Focus, Notice, place_or_list};
use parts::{DayOfShifts, Filter, in_parts};
use shifts::{Offer, has_open_list, view};
pub(super) use shifts::{has_open_signups, is_open, places, takes};

/// The maximum length of the description in a page's metadata, in characters.
const MAX_SUMMARY: usize = 160;
/// The id of the element that says why a form was refused.
pub(super) const RESULT: &str = "result";

#[derive(Debug, Template)]
#[template(path = "event.html")]
struct EventTemplate<'a> {
    head: Head,
    /// The organization, and that it looks for volunteers if a shift takes sign-ups, or will.
    by: Html,
    badge: Option<&'a str>,
    title: &'a str,
    days: String,
    location: Option<Vec<LinkedText<'a>>>,
    is_virtual: bool,
    contact: Option<LinkedText<'a>>,
    notice: Option<&'a Notice>,
    /// The path of a form to wait for the shifts that the notice calls full, if they have waiting lists.
    waiting_path: Option<String>,
    /// Whether a shift takes sign-ups.
    has_open_shift: bool,
    /// The path of the form.
    form_path: String,
    /// What was typed about the people, which the buttons to the form send. Without it, links and ticks lead to an empty form.
    kept: &'a [(String, String)],
    cancellation: Option<CancelledText<'a>>,
    status: Option<Status>,
    description: Option<Vec<LinkedText<'a>>>,
    heading_of_shifts: String,
    zone_note: String,
    /// The shifts, grouped by the day on which they begin, and if they are many by parts of it.
    days_of_shifts: Vec<DayOfShifts<'a>>,
    /// Whether links lead to the days and their parts.
    has_jumps: bool,
    /// The path of the page, to which the button above the shifts leads that shows fewer or all of them.
    path: &'a str,
    filter: Filter,
}

/// The text that says that the event is cancelled, and why.
#[derive(Debug)]
struct CancelledText<'a> {
    reason: Option<Vec<LinkedText<'a>>>,
}

/// The text that says that no shift takes sign-ups, and why.
#[derive(Debug)]
struct Status {
    heading: String,
    text: String,
}

/// Where the page of an event is, and what the server can do.
#[derive(Debug, Clone, Copy)]
pub(super) struct Site<'a> {
    /// The path of the page.
    pub(super) path: &'a str,
    /// The canonical URL of the page.
    pub(super) url: &'a str,
    pub(super) sends_mail: bool,
}

/// Renders the page of an event as a response with the HTTP status `status`.
pub(super) fn page(
    status: StatusCode,
    found: &PublicEvent,
    site: Site<'_>,
    focus: &Focus,
    now: Timestamp,
) -> Response {
    let PublicEvent { organization, event, shifts, .. } = found;
    let texts = Texts::of(event.language);
    let open = shifts.iter().filter(|shift| is_open(event, shift, now)).count();
    let form_path = format!("{}/signups", site.path);
    let filter = Filter::of(open, shifts.len(), focus.only_open);
    let shown = shifts.iter().filter(|shift| filter != Filter::On || is_open(event, shift, now));
    let views: Vec<_> = shown
        .map(|shift| {
            let link = choice(&form_path, [shift.id]);
            let offer = if is_open(event, shift, now) {
                Some(Offer::SignUp { link, is_chosen: focus.chosen.contains(&shift.id) })
            } else {
                has_open_list(event, shift, now).then(|| Offer::Wait { link: waiting(&link) })
            };
            view(event, shift, offer, now)
        })
        .collect();
    let has_offer = views.iter().any(|view| view.offer.is_some());
    let are_many = views.len() > parts::FEW_SHIFTS;
    let days_of_shifts = in_parts(views, texts);
    let has_jumps = are_many && days_of_shifts.iter().any(|day| day.heading.is_some() || day.parts.len() > 1);
    let full: Vec<_> = focus.notice.iter().flat_map(|notice| &notice.full).collect();
    // A shift that has too few places for all people of a form gives those that it has.
    let gives_some = |shift: &ScheduledShift| {
        event.waitlist_enabled && shift.is_before_cutoff(now) && is_open(event, shift, now)
    };
    let with_list = shifts.iter().filter(|shift| has_open_list(event, shift, now) || gives_some(shift));
    let with_list = with_list.map(|shift| shift.id);
    let with_list: Vec<_> = with_list.filter(|shift| full.contains(&shift)).collect();
    let waiting_path = (!with_list.is_empty()).then(|| waiting(&choice(&form_path, with_list)));
    let title = event.title.as_str();
    let head_title = match focus.notice {
        _ if event.is_cancelled() => texts.title_cancelled(title),
        None => title.to_owned(),
        Some(_) => texts.title_with_problem(title),
    };
    let name = organization.name.as_str();
    let by = match &organization.public_url {
        Some(url) => Html::typed_link(name, url.as_str()),
        None => Html::typed(name),
    };
    let is_ahead = event.signup_phase(now) == SignupPhase::Ahead && !event.is_cancelled();
    let is_asking = open > 0 || is_ahead && shifts.iter().any(|shift| shift.takes_signups(now));
    let page = EventTemplate {
        head: Head {
            preview: Some(LinkPreview {
                url: site.url.to_owned(),
                description: summary(event, name, is_asking),
                site_name: organization.name.to_string(),
            }),
            ..Head::of_event(head_title, event)
        },
        by: if is_asking { texts.looking_for_volunteers_html(by) } else { by },
        badge: event.badge_label.as_ref().map(BadgeLabel::as_str),
        title,
        days: times::days(event),
        location: event.location.as_ref().map(|location| LinkedText::parts(location.as_str())),
        is_virtual: event.is_virtual,
        contact: organization.contact.as_ref().map(EmailAddress::as_str).map(LinkedText::mail_address),
        notice: focus.notice.as_ref(),
        waiting_path,
        has_open_shift: open > 0,
        form_path,
        kept: if has_offer { &focus.kept } else { &[] },
        cancellation: event.is_cancelled().then(|| CancelledText {
            reason: event.cancellation_reason.as_ref().map(|reason| LinkedText::parts(reason.as_str())),
        }),
        status: status_of(event, shifts, open, now),
        description: event.description.as_ref().map(|text| LinkedText::parts(text.as_str())),
        heading_of_shifts: heading_of(&days_of_shifts, event),
        zone_note: texts.zone_note(times::zone_in_words(event.dates.first.zone(), texts)),
        days_of_shifts,
        has_jumps,
        path: site.path,
        filter,
    };
    let mut response = html(status, &page);
    // A browser that goes back restores ticks only for a page that it may store. A page that names people is stored by no cache.
    if focus.kept.is_empty() && focus.notice.as_ref().is_none_or(|notice| notice.people.is_empty()) {
        response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    }
    response
}

fn status_of(event: &Event, shifts: &[ScheduledShift], open: usize, now: Timestamp) -> Option<Status> {
    let (phase, texts) = (event.signup_phase(now), Texts::of(event.language));
    let (heading, text) = if event.is_cancelled() {
        return None;
    } else if event.is_over_with(shifts, now) {
        (texts.event_over(), texts.event_over_text())
    } else if let Some(opens) = event.signups_open().filter(|_| phase == SignupPhase::Ahead) {
        (texts.signups_ahead(times::opening(opens, event)), texts.signups_ahead_text())
    } else if phase == SignupPhase::Closed {
        (texts.signups_closed(), texts.signups_closed_text())
    } else if shifts.is_empty() {
        (texts.no_shifts(), texts.no_shifts_text())
    } else if open > 0 {
        return None;
    } else if shifts.iter().all(|shift| shift.is_over(now)) {
        (texts.shifts_over(), texts.shifts_over_text())
    } else if shifts.iter().all(|shift| shift.is_over(now) || shift.occupancy.capacity.volunteers() == 0) {
        (texts.no_sign_up(), texts.no_sign_up_text())
    } else if shifts.iter().any(|shift| shift.takes_waiters(event, now)) {
        (texts.no_places(), texts.no_places_but_list_text())
    } else {
        (texts.no_places(), texts.no_places_text())
    };
    Some(Status { heading, text })
}

/// Returns the path of a form in which people join waiting lists.
fn waiting(form: &str) -> String {
    format!("{form}&{WAITLIST}=1")
}

/// Returns the path of a page with chosen shifts.
pub(super) fn choice(path: &str, shifts: impl IntoIterator<Item = ShiftId>) -> String {
    let query: Vec<_> = shifts.into_iter().map(|shift| format!("{SHIFT}={shift}")).collect();
    format!("{path}?{}", query.join("&"))
}

/// Returns the action of the form of the event whose page has this path.
///
/// The fragment is the id of the element that says why the form was refused. So a browser scrolls to that element and
/// focuses it, without a script.
pub(super) fn form_action(path: &str) -> String {
    format!("{path}/signups#{RESULT}")
}

/// Returns the heading of the shifts. It names their day, unless they have several or that is the only day of the event.
fn heading_of(days: &[DayOfShifts<'_>], event: &Event) -> String {
    let texts = Texts::of(event.language);
    let only_day = (event.dates.days() == 1).then(|| event.dates.first.date().date());
    match days {
        [of_day] if Some(of_day.date) != only_day => texts.shifts_on(times::day(of_day.date, texts)),
        _ => texts.shifts(),
    }
}

/// Returns the description for search engines and messengers: the date, and the start of the event's description.
fn summary(event: &Event, organization: &str, is_asking: bool) -> String {
    let texts = Texts::of(event.language);
    let date = capitalized(&times::day(event.dates.first.date().date(), texts));
    let text = match &event.description {
        Some(description) => description.to_string(),
        None if is_asking => texts.summary_looking_for_volunteers(organization),
        None => organization.to_owned(),
    };
    let summary =
        if event.is_cancelled() { texts.summary_cancelled(date, text) } else { texts.summary(date, text) };
    shorten(&summary, MAX_SUMMARY)
}

#[cfg(test)]
mod tests;
