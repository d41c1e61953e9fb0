//! The page behind the link of a mail: what an address has with an organization, and the questions before a place is cancelled.

use askama::Template;
use jiff::Timestamp;
use signup_core::{CancelledBy, EmailAddress, Places, SignupId, SignupInFull, SignupState, TimeAndPlace};
use warp::http::StatusCode;
use warp::reply::Response;

use super::times::{OfDay, Times, by_day};
use super::{DEFAULT_THEME, Head, html, style};
use crate::linked_text::LinkedText;
use crate::plain::answer_in_words;
use crate::texts::Texts;

/// Where the page is, and when it is shown.
#[derive(Debug, Clone, Copy)]
pub(super) struct Site<'a> {
    /// The path of the page.
    pub(super) path: &'a str,
    /// The URL of the page.
    pub(super) url: &'a str,
    /// The path of the base URL, without a slash at the end.
    pub(super) base_path: &'a str,
    /// Whether the server sends mails.
    pub(super) sends_mail: bool,
    pub(super) now: Timestamp,
}

/// Why a place cannot be cancelled any more.
#[derive(Debug, Clone, Copy)]
pub(super) enum Refusal {
    Over,
    Removed,
}

impl Refusal {
    const fn text(self) -> &'static str {
        match self {
            Self::Over => "This shift is over, so you can no longer cancel your place.",
            Self::Removed => "The organizer has removed this shift, so there is nothing left to cancel.",
        }
    }
}

#[derive(Debug, Template)]
#[template(path = "places.html")]
struct PlacesTemplate<'a> {
    head: Head,
    organization: &'a str,
    /// The address, as it was typed for the newest sign-up.
    email: Option<&'a str>,
    refusal: Option<&'static str>,
    days: Vec<OfDay<PlaceView<'a>>>,
    others: Vec<PlaceView<'a>>,
    /// The address of the calendar.
    calendar: String,
    path: &'a str,
    contact: Option<LinkedText<'a>>,
}

/// Asks whether to cancel a place.
#[derive(Debug, Template)]
#[template(path = "cancel_place.html")]
struct AskTemplate<'a> {
    head: Head,
    organization: &'a str,
    place: PlaceView<'a>,
    sends_mail: bool,
    path: &'a str,
}

/// Asks which place to cancel.
#[derive(Debug, Template)]
#[template(path = "choose_place.html")]
struct ChooseTemplate<'a> {
    head: Head,
    organization: &'a str,
    /// Whether a form was sent without a choice.
    is_missing: bool,
    places: Vec<PlaceView<'a>>,
    path: &'a str,
}

/// A sign-up on the page.
#[derive(Debug)]
struct PlaceView<'a> {
    id: SignupId,
    name: &'a str,
    event: &'a str,
    /// The path of the event's page, if that is public.
    event_path: Option<String>,
    shift: &'a str,
    /// What has become of the place, if it is not one to come.
    state: Option<&'static str>,
    /// The organizer's reason, if the organizer cancelled the place.
    reason: Option<Vec<LinkedText<'a>>>,
    times: Times,
    is_virtual: bool,
    locations: Vec<Vec<LinkedText<'a>>>,
    /// The time and the place before, in words, if the organizer has moved the shift since the last mail.
    moved_from: Option<String>,
    description: Option<Vec<LinkedText<'a>>>,
    /// What only volunteers with a place get to know.
    instructions: Option<Vec<LinkedText<'a>>>,
    /// The answers, each after its question.
    answers: Vec<(&'a str, &'a str)>,
}

/// A sign-up with the time and the place to show.
type Shown<'a> = (&'a SignupInFull, TimeAndPlace);

fn shown(found: Vec<&SignupInFull>) -> Vec<Shown<'_>> {
    found.into_iter().map(|found| (found, found.time_and_place())).collect()
}

fn views<'a>(shown: &'a [Shown<'a>], site: Site<'_>) -> Vec<PlaceView<'a>> {
    shown.iter().map(|(found, at)| PlaceView::of(found, at, site)).collect()
}

impl<'a> PlaceView<'a> {
    fn of(found: &'a SignupInFull, at: &'a TimeAndPlace, site: Site<'_>) -> Self {
        let SignupInFull { event, shift, signup, .. } = found;
        let is_to_come = found.is_to_come(site.now);
        let linked = |text: &'a str| LinkedText::parts(text);
        let instructions = event.instructions.as_ref().filter(|_| signup.is_confirmed());
        let answers = signup.answers.iter();
        Self {
            id: signup.id,
            name: signup.name.as_str(),
            event: event.title.as_str(),
            event_path: event.is_published.then(|| format!("{}/events/{}", site.base_path, event.slug)),
            shift: shift.title.as_str(),
            state: (!is_to_come).then(|| state(found)),
            reason: signup.cancellation_reason(event, shift).map(|reason| linked(reason.as_str())),
            times: Times::of(at.interval, &at.zone, Texts::ENGLISH),
            is_virtual: event.is_virtual,
            locations: at.locations().map(linked).collect(),
            moved_from: signup.moved_from(shift, at).filter(|_| is_to_come).map(in_words),
            description: shift.description.as_ref().map(|text| linked(text.as_str())),
            instructions: instructions.map(|text| linked(text.as_str())),
            answers: answers
                .map(|answer| (answer.label.as_str(), answer_in_words(answer.value.as_str())))
                .collect(),
        }
    }
}

/// Returns what has become of a place that is not one to come.
const fn state(found: &SignupInFull) -> &'static str {
    match found.signup.state {
        SignupState::Confirmed | SignupState::Waitlisted if found.shift.shift.deleted_at.is_some() => {
            "The organizer has removed this shift."
        }
        SignupState::Waitlisted => "This shift is over. You were on its waiting list.",
        SignupState::Confirmed => "This shift is over. Thank you for helping.",
        SignupState::Cancelled { by: CancelledBy::Volunteer, .. } => "You cancelled this place.",
        SignupState::Cancelled { by: CancelledBy::EventCancellation, .. } => {
            "The organizer has cancelled this event."
        }
        SignupState::Cancelled { by: CancelledBy::ShiftDeletion, .. } => {
            "The organizer has cancelled this shift."
        }
        // The organizer or the operator, or a canceller that is newer than this page.
        SignupState::Cancelled { .. } => "The organizer has cancelled this place.",
    }
}

/// Returns a time and a place in words, such as `Saturday 6 March 2027, 09:00–12:30 EST (New York time), Pier 3`.
fn in_words(at: &TimeAndPlace) -> String {
    let times = Times::of(at.interval, &at.zone, Texts::ENGLISH);
    at.place().map_or_else(|| times.to_string(), |place| format!("{times}, {place}"))
}

/// Returns the head of a page. Its theme is that of the event whose mail has the link.
fn head(title: &str, found: &Places) -> Head {
    let of_mail = found.signups.iter().find(|signup| signup.event.id == found.event);
    Head::private(title, of_mail.map_or(DEFAULT_THEME, |signup| style::theme_of(&signup.event)))
}

/// Renders the page of the places of an address. `refusal` says why a place was not cancelled.
pub(super) fn page(status: StatusCode, found: &Places, site: Site<'_>, refusal: Option<Refusal>) -> Response {
    let (to_come, others) = (shown(found.to_come(site.now)), shown(found.past_and_cancelled(site.now)));
    let Places { organization, signups, .. } = found;
    let page = PlacesTemplate {
        head: head("Your places", found),
        organization: organization.name.as_str(),
        email: signups.first().map(|newest| newest.signup.email.as_str()),
        refusal: refusal.map(Refusal::text),
        days: by_day(views(&to_come, site), |place| &place.times),
        others: views(&others, site),
        calendar: format!("{}/calendar.ics", site.url),
        path: site.path,
        contact: organization.contact.as_ref().map(EmailAddress::as_str).map(LinkedText::mail_address),
    };
    html(status, &page)
}

/// Renders the page that asks whether to cancel a place.
pub(super) fn ask(place: &SignupInFull, found: &Places, site: Site<'_>) -> Response {
    let at = place.time_and_place();
    let page = AskTemplate {
        head: head("Cancel a place", found),
        organization: found.organization.name.as_str(),
        place: PlaceView::of(place, &at, site),
        sends_mail: site.sends_mail,
        path: site.path,
    };
    html(StatusCode::OK, &page)
}

/// Renders the page that asks which of several places to cancel.
pub(super) fn choose(status: StatusCode, found: &Places, site: Site<'_>) -> Response {
    let to_come = shown(found.to_come(site.now));
    let page = ChooseTemplate {
        head: head("Cancel a place", found),
        organization: found.organization.name.as_str(),
        is_missing: status == StatusCode::UNPROCESSABLE_ENTITY,
        places: views(&to_come, site),
        path: site.path,
    };
    html(status, &page)
}
