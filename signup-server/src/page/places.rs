//! The page behind the link of a mail: what an address has with an organization, and the questions before a place is cancelled.

use std::borrow::Cow;

use askama::Template;
use jiff::Timestamp;
use signup_core::{
    Attendance, CancelledBy, Event, Language, Places, ShiftId, SignupId, SignupInFull, SignupState,
    TimeAndPlace,
};
use warp::http::StatusCode;
use warp::reply::Response;

use super::times::{OfDay, Times, by_day};
use super::{DEFAULT_THEME, Head, html};
use crate::linked_text::LinkedText;
use crate::plain::answer_in_words;
use crate::texts::{Html, Texts};

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
    /// The texts in the language of the pages.
    pub(super) texts: Texts,
}

/// Returns the event whose mail has the link. `None` if the address has no sign-ups for it any more.
fn event_of_mail(found: &Places) -> Option<&Event> {
    found.signups.iter().map(|found| &found.event).find(|event| event.id == found.event)
}

/// Returns the texts in the language of the event whose mail has the link.
pub(super) fn texts_of(found: &Places) -> Texts {
    Texts::of(event_of_mail(found).map_or_else(Language::default, |event| event.language))
}

/// Why a place cannot be cancelled any more.
#[derive(Debug, Clone, Copy)]
pub(super) enum Refusal {
    Over,
    Removed,
}

impl Refusal {
    fn text(self, texts: Texts) -> String {
        match self {
            Self::Over => texts.cannot_cancel_over(),
            Self::Removed => texts.cannot_cancel_removed(),
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
    refusal: Option<String>,
    days: Vec<OfDay<PlaceView<'a>>>,
    others: Vec<PlaceView<'a>>,
    /// The address of the calendar.
    calendar: String,
    path: &'a str,
    /// The link to write to the organization.
    contact: Option<Html>,
}

/// Asks whether to cancel a place.
#[derive(Debug, Template)]
#[template(path = "cancel_place.html")]
struct AskTemplate<'a> {
    head: Head,
    organization: &'a str,
    place: PlaceView<'a>,
    person: PersonView<'a>,
    /// Whether the person only waits for a place.
    is_waiting: bool,
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

/// A place on the page, or the places of several people on one shift about whom the page says the same.
#[derive(Debug)]
struct PlaceView<'a> {
    shift_id: ShiftId,
    people: Vec<PersonView<'a>>,
    event: &'a str,
    /// The path of the event's page, if that is public.
    event_path: Option<String>,
    shift: &'a str,
    /// What has become of the place, if it is not one to come.
    state: Option<String>,
    /// The organizer's reason, if the organizer cancelled the place.
    reason: Option<Vec<LinkedText<'a>>>,
    times: Times,
    is_virtual: bool,
    locations: Vec<Vec<LinkedText<'a>>>,
    /// The sentence that tells what the organizer has changed since the last mail, and what it was before.
    moved: Option<Html>,
    description: Option<Vec<LinkedText<'a>>>,
    /// What only volunteers with a place get to know.
    instructions: Option<Vec<LinkedText<'a>>>,
}

/// A person with a sign-up.
#[derive(Debug)]
struct PersonView<'a> {
    id: SignupId,
    name: &'a str,
    /// The place in the line of a person who waits; `None` for a person with a place.
    place_in_line: Option<u32>,
    /// Whether the organizer has marked the person as here. To cancel the place clears the mark.
    is_here: bool,
    /// The answers, each after its question.
    answers: Vec<(&'a str, Cow<'a, str>)>,
}

/// A sign-up with the time and the place to show.
type Shown<'a> = (&'a SignupInFull, TimeAndPlace);

fn shown(found: Vec<&SignupInFull>) -> Vec<Shown<'_>> {
    found.into_iter().map(|found| (found, found.time_and_place())).collect()
}

/// Returns the places by shift, in the order of the first person of each.
fn views<'a>(shown: &'a [Shown<'a>], site: Site<'_>) -> Vec<PlaceView<'a>> {
    let mut views: Vec<(&'a Shown<'a>, PlaceView<'a>)> = vec![];
    for one @ (found, at) in shown {
        let view = PlaceView::of(found, at, 1, site);
        let at = views.iter().position(|(_, other)| other.says_the_same(&view)).unwrap_or(views.len());
        if at == views.len() {
            views.push((one, view));
        } else {
            let instructions = &mut views[at].1.instructions;
            *instructions = instructions.take().or(view.instructions);
        }
        // A person may have cancelled several times.
        let (people, person) = (&mut views[at].1.people, PersonView::of(found, site));
        if !people.iter().any(|other| other.name == person.name) {
            people.push(person);
        }
    }
    let of_all = views.into_iter().map(|((found, at), PlaceView { people, instructions, .. })| {
        let of_all = PlaceView::of(found, at, people.len(), site);
        PlaceView { people, instructions, ..of_all }
    });
    of_all.collect()
}

impl<'a> PersonView<'a> {
    fn of(found: &'a SignupInFull, site: Site<'_>) -> Self {
        let SignupInFull { signup, place_in_line, .. } = found;
        let (is_to_come, texts) = (found.is_to_come(site.now), site.texts);
        let answers = signup.answers.iter();
        Self {
            id: signup.id,
            name: signup.name.as_str(),
            place_in_line: place_in_line.filter(|_| is_to_come && signup.is_waitlisted()),
            is_here: is_to_come && signup.attendance == Some(Attendance::Attended),
            answers: answers
                .map(|answer| (answer.label.as_str(), answer_in_words(answer.value.as_str(), texts)))
                .collect(),
        }
    }
}

impl<'a> PlaceView<'a> {
    /// Returns the place of `count` people, without them.
    fn of(found: &'a SignupInFull, at: &'a TimeAndPlace, count: usize, site: Site<'_>) -> Self {
        let SignupInFull { event, shift, signup, .. } = found;
        let (is_to_come, texts) = (found.is_to_come(site.now), site.texts);
        let linked = |text: &'a str| LinkedText::parts(text);
        let instructions = event.instructions.as_ref().filter(|_| signup.is_confirmed());
        Self {
            shift_id: shift.id,
            people: vec![],
            event: event.title.as_str(),
            event_path: event.is_published.then(|| format!("{}/events/{}", site.base_path, event.slug)),
            shift: shift.title.as_str(),
            state: (!is_to_come).then(|| state(found, count, texts)),
            reason: signup.cancellation_reason(event, shift).map(|reason| linked(reason.as_str())),
            times: Times::of(at.interval, &at.zone, texts),
            is_virtual: event.is_virtual,
            locations: at.locations().map(linked).collect(),
            moved: signup.moved_from(shift, at).filter(|_| is_to_come).map(|told| {
                let before = in_words(&told.at, texts);
                match signup.is_moved() {
                    true => texts.on_other_shift_html(format!("{}, {before}", told.title), count),
                    false => texts.moved_html(before),
                }
            }),
            description: shift.description.as_ref().map(|text| linked(text.as_str())),
            instructions: instructions.map(|text| linked(text.as_str())),
        }
    }

    /// Returns whether the page says the same about the shift and about what has become of the places.
    fn says_the_same(&self, other: &Self) -> bool {
        self.shift_id == other.shift_id
            && self.times == other.times
            && self.locations == other.locations
            && self.state == other.state
            && self.reason == other.reason
            && self.moved == other.moved
    }
}

/// Returns what has become of the places of `count` people that are not to come.
fn state(found: &SignupInFull, count: usize, texts: Texts) -> String {
    let has_waited = found.signup.has_only_waited();
    match found.signup.state {
        SignupState::Confirmed | SignupState::Waitlisted if found.shift.shift.deleted_at.is_some() => {
            texts.place_on_removed_shift()
        }
        SignupState::Waitlisted => texts.place_waited_until_over(),
        SignupState::Confirmed => texts.place_over(),
        SignupState::Cancelled { by: CancelledBy::Volunteer, .. } if has_waited => texts.place_left_list(),
        SignupState::Cancelled { by: CancelledBy::Volunteer, .. } => texts.place_cancelled_by_you(count),
        SignupState::Cancelled { by: CancelledBy::EventCancellation, .. } => {
            texts.place_cancelled_with_event()
        }
        SignupState::Cancelled { by: CancelledBy::ShiftDeletion, .. } => texts.place_cancelled_with_shift(),
        SignupState::Cancelled { .. } if has_waited => texts.place_taken_off_list(),
        // The organizer or the operator, or a canceller that is newer than this page.
        SignupState::Cancelled { .. } => texts.place_cancelled_by_organizer(count),
    }
}

/// Returns a time and a place in words, such as `Saturday 6 March 2027, 09:00–12:30 EST (New York time), Pier 3`.
fn in_words(at: &TimeAndPlace, texts: Texts) -> String {
    let times = Times::of(at.interval, &at.zone, texts);
    at.place().map_or_else(|| times.to_string(), |place| format!("{times}, {place}"))
}

/// Returns the head of a page. Its theme and its language are those of the event whose mail has the link.
fn head(title: String, found: &Places) -> Head {
    match event_of_mail(found) {
        Some(event) => Head::of_event(title, event),
        None => Head::private(&title, DEFAULT_THEME),
    }
}

/// Renders the page of the places of an address. `refusal` says why a place was not cancelled.
pub(super) fn page(status: StatusCode, found: &Places, site: Site<'_>, refusal: Option<Refusal>) -> Response {
    let (to_come, others) = (shown(found.to_come(site.now)), shown(found.past_and_cancelled(site.now)));
    let Places { organization, signups, .. } = found;
    let page = PlacesTemplate {
        head: head(site.texts.your_places(), found),
        organization: organization.name.as_str(),
        email: signups.first().map(|newest| newest.signup.email.as_str()),
        refusal: refusal.map(|refusal| refusal.text(site.texts)),
        days: by_day(views(&to_come, site), |place| &place.times),
        others: views(&others, site),
        calendar: format!("{}/calendar.ics", site.url),
        path: site.path,
        contact: organization.contact.as_ref().map(Html::mail_address),
    };
    html(status, &page)
}

/// Renders the page that asks whether to cancel a place.
pub(super) fn ask(place: &SignupInFull, found: &Places, site: Site<'_>) -> Response {
    let at = place.time_and_place();
    let title = match place.signup.is_waitlisted() {
        true => site.texts.leave_waiting_list(),
        false => site.texts.cancel_a_place(),
    };
    let page = AskTemplate {
        head: head(title, found),
        organization: found.organization.name.as_str(),
        place: PlaceView::of(place, &at, 1, site),
        person: PersonView::of(place, site),
        is_waiting: place.signup.is_waitlisted(),
        sends_mail: site.sends_mail,
        path: site.path,
    };
    html(StatusCode::OK, &page)
}

/// Renders the page that asks which of several places to cancel.
pub(super) fn choose(status: StatusCode, found: &Places, site: Site<'_>) -> Response {
    let to_come = shown(found.to_come(site.now));
    let page = ChooseTemplate {
        head: head(site.texts.cancel_a_place(), found),
        organization: found.organization.name.as_str(),
        is_missing: status == StatusCode::UNPROCESSABLE_ENTITY,
        places: views(&to_come, site),
        path: site.path,
    };
    html(status, &page)
}
