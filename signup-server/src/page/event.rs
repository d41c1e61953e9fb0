//! The page of an event: the remaining places of each shift, and a box and a link for each shift that has room.
//!
//! **Invariant:** the page of a cancelled event has no forms, and no links to forms.

mod parts;
mod shifts;

use std::collections::BTreeSet;

use askama::Template;
use jiff::Timestamp;
use signup_core::{
    BadgeLabel, EmailAddress, Error, Event, NewSignup, PublicEvent, ScheduledShift, ShiftId, SignedUp,
    SignupPhase,
};
use warp::http::header::CACHE_CONTROL;
use warp::http::{HeaderValue, StatusCode};
use warp::reply::Response;

use super::times::{self, Times};
use super::typed::{CHANGE, OPEN, SHIFT, TO_SHIFTS, Typed, WAITLIST};
use super::{Head, LinkPreview, html};
use crate::linked_text::LinkedText;
use crate::plain::shorten;
use crate::texts::{Html, Texts, capitalized};

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

/// What the page says first: why a form was refused, or what is missing.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Notice {
    heading: String,
    /// The names of the people who have places on the `taken` shifts.
    people: Vec<String>,
    taken: Vec<Named>,
    /// The shifts that were not taken, each with the reason.
    refused: Vec<(Named, String)>,
    /// Those that were full.
    full: Vec<ShiftId>,
    /// Whether a form was sent.
    is_answer: bool,
    /// Whether to choose another shift would help.
    asks_for_another: bool,
    sentences: Vec<String>,
    texts: Texts,
}

/// A shift in words.
#[derive(Debug, PartialEq, Eq)]
struct Named {
    title: String,
    times: String,
}

impl Named {
    fn of(shift: &ScheduledShift, texts: Texts) -> Self {
        let times = Times::of(shift.interval(), shift.first_day.zone(), texts).to_string();
        Self { title: shift.title.to_string(), times }
    }
}

// The texts do not depend on whether someone has a place on a shift, so they do not reveal a place.
impl Notice {
    fn of(heading: String, sentences: Vec<String>, texts: Texts) -> Self {
        let (people, taken, refused, full) = (vec![], vec![], vec![], vec![]);
        let (is_answer, asks_for_another) = (false, false);
        Self { heading, people, taken, refused, full, is_answer, asks_for_another, sentences, texts }
    }

    /// Says that the form needs a shift.
    pub(super) fn choose(texts: Texts) -> Self {
        Self::of(texts.choose_a_shift(), vec![texts.choose_a_shift_text()], texts)
    }

    /// Says that the form has too many shifts.
    pub(super) fn choose_fewer(texts: Texts) -> Self {
        Self::of(texts.choose_fewer(NewSignup::MAX_SHIFTS), vec![texts.choose_fewer_text()], texts)
    }

    /// Says that sign-ups are closed.
    pub(super) fn closed(texts: Texts) -> Self {
        Self { asks_for_another: true, ..Self::of(texts.sorry_closed(), vec![], texts) }
    }

    /// Says that the event was cancelled.
    pub(super) fn cancelled(texts: Texts) -> Self {
        Self::of(texts.cannot_sign_up(), vec![texts.cancelled_meanwhile()], texts)
    }

    /// Says that a shift is not one of the event.
    pub(super) fn gone(texts: Texts) -> Self {
        let heading = reason_alone(&Error::ShiftDeleted, 1, texts);
        Self { asks_for_another: true, ..Self::of(heading, vec![texts.shift_removed_text()], texts) }
    }

    /// Says that none of these shifts takes sign-ups.
    pub(super) fn not_open(shifts: &[&ScheduledShift], now: Timestamp, texts: Texts) -> Self {
        let reason = |shift: &ScheduledShift| match shift.is_over(now) {
            true => Error::ShiftOver,
            false => Error::ShiftFull,
        };
        let refused = shifts.iter().map(|shift| ((*shift).clone(), reason(shift)));
        let notice = Self::refused(&refused.collect::<Vec<_>>(), 1, texts);
        match shifts {
            [_] => notice,
            _ => Self { heading: texts.cannot_sign_up_for_these(), ..notice },
        }
    }

    /// Says which shifts were taken and which were not, if there are any that were not.
    pub(super) fn after(
        new: &NewSignup,
        signed_up: &SignedUp,
        sends_mail: bool,
        texts: Texts,
    ) -> Option<Self> {
        let refused = signed_up.shifts.iter().filter_map(|outcome| {
            let reason = outcome.places.as_ref().err()?;
            Some((outcome.shift.clone(), reason.clone()))
        });
        let refused: Vec<_> = refused.collect();
        if refused.is_empty() {
            return None;
        }
        let mut notice = Self { is_answer: true, ..Self::refused(&refused, new.people.len(), texts) };
        let taken = signed_up.shifts.iter().filter(|outcome| outcome.places.is_ok());
        notice.taken = taken.map(|outcome| Named::of(&outcome.shift, texts)).collect();
        if !notice.taken.is_empty() {
            notice.heading = texts.some_places_saved();
            notice.people = new.people.iter().map(|person| person.name.to_string()).collect();
            if new.joins_waitlist {
                notice.heading = texts.some_sign_ups_saved();
                notice.sentences.push(place_or_list(sends_mail, texts));
            }
            if sends_mail {
                notice.sentences.push(texts.mail_about_saved());
            }
        }
        if new.joins_waitlist {
            // The lists of these shifts are full, too.
            notice.full.clear();
        }
        // Nobody keeps a place on a shift that the organizer has removed.
        if refused.iter().any(|(_, reason)| *reason != Error::ShiftDeleted) {
            // What a refusal means for a person who has a place.
            notice.sentences.push(if sends_mail {
                texts.keep_your_place_and_mail()
            } else {
                texts.keep_your_place()
            });
        }
        Some(notice)
    }

    /// Keeps what was typed about the people beside the notice.
    pub(super) fn keeping(self, typed: &Typed) -> Focus {
        Focus { notice: Some(self), ..Focus::keeping(typed) }
    }

    fn refused(shifts: &[(ScheduledShift, Error)], people: usize, texts: Texts) -> Self {
        let heading = match shifts {
            [(_, reason)] => reason_alone(reason, people, texts),
            _ => texts.no_places_saved(),
        };
        let named = |(shift, reason): &(ScheduledShift, Error)| {
            (Named::of(shift, texts), reason_of(reason, people, texts))
        };
        let refused = shifts.iter().map(named).collect();
        let full = shifts.iter().filter(|(_, reason)| *reason == Error::ShiftFull);
        let full = full.map(|(shift, _)| shift.id).collect();
        Self { refused, full, asks_for_another: true, ..Self::of(heading, vec![], texts) }
    }

    /// Returns the names of the people with places.
    fn people(&self) -> Html {
        self.texts.joined_names(&self.people, None)
    }
}

/// Returns what a form with which people join a waiting list gave, in words. Everybody reads the same.
pub(super) fn place_or_list(sends_mail: bool, texts: Texts) -> String {
    if sends_mail { texts.place_or_list() } else { texts.place_or_list_without_mail() }
}

/// Returns why a form with one shift was refused, as a heading.
fn reason_alone(reason: &Error, people: usize, texts: Texts) -> String {
    match reason {
        Error::ShiftFull if people > 1 => texts.sorry_too_few_places(people),
        Error::ShiftFull => texts.sorry_full(),
        Error::ShiftOver => texts.sorry_over(),
        Error::SignupsClosed => texts.sorry_closed(),
        _ => texts.sorry_unavailable(),
    }
}

/// Returns why a shift of a form was not taken, after its name.
fn reason_of(reason: &Error, people: usize, texts: Texts) -> String {
    match reason {
        Error::ShiftFull if people > 1 => texts.reason_too_few_places(people),
        Error::ShiftFull => texts.reason_full(),
        Error::ShiftOver => texts.reason_over(),
        Error::SignupsClosed => texts.reason_closed(),
        _ => texts.reason_removed(),
    }
}

/// What the page shows besides the event.
#[derive(Debug, Default)]
pub(super) struct Focus {
    /// The shifts whose boxes are ticked.
    pub(super) chosen: BTreeSet<ShiftId>,
    /// Whether to show only the shifts with places, if there are any.
    pub(super) only_open: bool,
    pub(super) notice: Option<Notice>,
    /// What was typed about the people, for a form for other shifts: the names of the fields and their values.
    pub(super) kept: Vec<(String, String)>,
}

impl Focus {
    /// Keeps what was typed about the people.
    pub(super) fn keeping(typed: &Typed) -> Self {
        Self { kept: typed.of_people(), ..Self::default() }
    }
}

impl From<Notice> for Focus {
    fn from(notice: Notice) -> Self {
        Self { notice: Some(notice), ..Self::default() }
    }
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
