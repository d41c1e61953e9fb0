//! The page of an event: its state, what can be done with it, each day as a picture of its shifts with who is on them, and its
//! questions.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use askama::Template;
use jiff::Timestamp;
use signup_core::{
    Coverage, CoverageState, Event, EventId, EventWithShifts, Question, QuestionKind, Result, Session,
    ShiftCoverage, Signup, SignupPhase, SignupQuery, SignupStatus,
};
use warp::http::StatusCode;

use super::super::share::{Share, url_of};
use super::super::{Frame, MemberCall, PageResult, show};
use super::day::{DayView, days};
use super::path_of;
use crate::linked_text::LinkedText;
use crate::page::{Bar, Head, times};
use crate::texts::Texts;

#[derive(Debug, Template)]
#[template(path = "console/event.html")]
struct EventTemplate<'a> {
    head: Head,
    frame: &'a Frame,
    path: String,
    event: &'a Event,
    state: &'static str,
    first_action: FirstAction,
    /// What the state means for volunteers.
    state_text: &'static str,
    /// When sign-ups open and close. `None` if neither is set.
    signups: Option<String>,
    /// Whether sign-ups can be opened.
    can_open: bool,
    /// Whether sign-ups can be closed.
    can_close: bool,
    days: String,
    zone: String,
    location: Option<Vec<LinkedText<'a>>>,
    description: Option<Vec<LinkedText<'a>>>,
    instructions: Option<Vec<LinkedText<'a>>>,
    reason: Option<Vec<LinkedText<'a>>>,
    url: String,
    /// What is shared of a published event.
    share: Option<Share>,
    is_public: bool,
    can_change: bool,
    is_over: bool,
    need: Option<(String, Bar)>,
    /// The sentence about the volunteers above the capacity of full shifts.
    over_filled: Option<String>,
    by_time: bool,
    has_no_shifts: bool,
    days_of_shifts: Vec<DayView<'a>>,
    questions: Vec<QuestionRow<'a>>,
    /// The volunteers whose emails failed for good: each with the name, the address, and the query that searches the sign-ups for
    /// it.
    undelivered: Vec<(String, String, String)>,
}

/// The action that an organizer needs most often, which the page offers first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FirstAction {
    Publish,
    CheckIn,
    Signups,
    Edit,
}

impl FirstAction {
    fn of(event: &Event, is_over: bool, now: Timestamp) -> Self {
        match (event.is_published, event.is_cancelled()) {
            (_, true) => Self::Signups,
            (false, false) if is_over => Self::Edit,
            (false, false) => Self::Publish,
            (true, false) if event.dates.starts_at() <= now && !is_over => Self::CheckIn,
            (true, false) => Self::Signups,
        }
    }
}

/// Returns what the shifts that are not over still need, as a sentence and a bar. `None` if there are no such shifts.
pub(super) fn need(coverage: &Coverage) -> Option<(String, Bar)> {
    let (capacity, needed) = (coverage.capacity, coverage.remaining);
    let words = match (needed, capacity) {
        (0, 1) => "The only place is filled".to_owned(),
        (0, capacity) => format!("All {capacity} places are filled"),
        (needed, capacity) => format!("{needed} of {capacity} still needed"),
    };
    (capacity > 0).then(|| (words, Bar { filled: capacity.saturating_sub(needed), capacity }))
}

/// The largest number of people whose names the page reads. A multiple of [`SignupQuery::MAX_LIMIT`], because whole pages are read.
const MAX_PEOPLE: usize = 500;

/// The largest number of failed emails whose addresses the page looks at.
const MAX_UNDELIVERED: u32 = 50;

#[derive(Debug)]
struct QuestionRow<'a> {
    id: String,
    label: &'a str,
    kind: &'static str,
    options: String,
    required: bool,
}

fn question_row(question: &Question) -> QuestionRow<'_> {
    let options: Vec<_> = question.options.iter().map(ToString::to_string).collect();
    QuestionRow {
        id: question.id.to_string(),
        label: question.label.as_str(),
        kind: match question.kind {
            QuestionKind::Select => "Choose from a list",
            QuestionKind::Checkbox => "Checkbox",
            _ => "Text",
        },
        options: options.join(" · "),
        required: question.required,
    }
}

/// Reads at most `limit` confirmed sign-ups of an event, the newest ones, and sorts them by name.
async fn people(session: &Session, event: EventId, limit: usize) -> Result<Vec<Signup>> {
    let confirmed = SignupQuery::new().of_event(event).status(SignupStatus::Confirmed);
    let mut pages = session.pages(confirmed.limit(SignupQuery::MAX_LIMIT));
    let mut people = vec![];
    while people.len() < limit
        && let Some(page) = pages.next().await?
    {
        people.extend(page.items);
    }
    people.sort_by_cached_key(Signup::order_key);
    Ok(people)
}

/// Returns the volunteers whose emails failed for good and who still have a sign-up, each with the name, the address, and the query
/// that searches the sign-ups for it. An address that was corrected has no sign-up any more.
async fn undelivered(session: &Session, event: EventId) -> Result<Vec<(String, String, String)>> {
    let failed = session.failed_mails(event, MAX_UNDELIVERED).await?;
    let addresses = failed.iter().filter_map(|notice| notice.cause.volunteer());
    let addresses: BTreeMap<_, _> = addresses.map(|email| (email.key(), email)).collect();
    let mut undelivered = vec![];
    for email in addresses.into_values() {
        let signups = session.signups(SignupQuery::new().of_event(event).email(email.clone())).await?.items;
        if let Some(signup) = signups.into_iter().find(Signup::is_active) {
            let query =
                form_urlencoded::Serializer::new(String::new()).append_pair("q", email.as_str()).finish();
            undelivered.push((signup.name.to_string(), email.to_string(), query));
        }
    }
    Ok(undelivered)
}

/// `GET /console/{slug}/events/{event_id}`: shows an event. By default, the shifts are listed by time. With `order=gaps`, those of
/// each day that need more people to run come first, then the others with places left.
pub(crate) async fn event(call: MemberCall) -> PageResult {
    let (id, now) = (call.path.event(), call.now());
    let EventWithShifts { event, shifts, .. } = call.session.event(id).await?;
    let questions = call.session.questions(id).await?;
    let people = people(&call.session, id, MAX_PEOPLE).await?;
    let is_over = event.is_over_with(&shifts, now);
    let mut coverage = Coverage::of(&event, shifts, now);
    let by_time = call.query().value("order") != "gaps";
    if !by_time {
        // Equal shifts keep their running order.
        coverage.shifts.sort_by_key(|ShiftCoverage { shift, state, remaining, missing, .. }| {
            let day = times::date(shift.interval(), shift.first_day.zone());
            (day, Reverse((*missing > 0, *remaining > 0)), *state == CoverageState::Past)
        });
    }
    let texts = Texts::of(event.language);
    let (is_cancelled, phase) = (event.is_cancelled(), event.signup_phase(now));
    let (state, state_text) = match (is_cancelled, event.is_published, is_over) {
        (true, true, _) => {
            ("Cancelled", "The public page says that the event is cancelled. You can’t change it any more.")
        }
        (true, false, _) => ("Cancelled", "You can’t change this event any more."),
        (false, true, false) if phase == SignupPhase::Open => {
            ("Published", "Volunteers can see the public page and sign up.")
        }
        (false, true, false) => ("Published", "Volunteers can see the public page, but can’t sign up now."),
        (false, true, true) => {
            ("Over", "The public page still shows the event. No one can sign up any more.")
        }
        (false, false, false) => (
            "Draft",
            "Only members of your organization can see this event. Publish it so that volunteers can sign up.",
        ),
        (false, false, true) => {
            ("Draft", "The last day of this draft is over. Change its date, or copy it to another date.")
        }
    };
    let takes_signups = event.is_published && !is_cancelled && !is_over;
    let url = url_of(&call, &event);
    let undelivered = undelivered(&call.session, id).await?;
    let page = EventTemplate {
        head: call.frame.head(event.title.as_str()),
        frame: &call.frame,
        path: call.frame.path(&path_of(id)),
        state,
        first_action: FirstAction::of(&event, is_over, now),
        state_text,
        signups: signups_in_words(&event),
        can_open: takes_signups && (phase != SignupPhase::Open || event.signups_close_at.is_some()),
        can_close: takes_signups && phase != SignupPhase::Closed,
        days: times::days(&event),
        zone: times::zone_in_words(event.dates.first.zone(), texts),
        location: event.location.as_ref().map(|location| LinkedText::parts(location.as_str())),
        description: event.description.as_ref().map(|text| LinkedText::parts(text.as_str())),
        instructions: event.instructions.as_ref().map(|text| LinkedText::parts(text.as_str())),
        reason: event.cancellation_reason.as_ref().map(|reason| LinkedText::parts(reason.as_str())),
        share: (event.is_published && !is_cancelled && !is_over).then(|| Share::of(&event, &url)),
        url,
        is_public: event.is_published,
        can_change: !is_cancelled,
        is_over,
        need: need(&coverage).filter(|_| !is_cancelled),
        over_filled: over_filled_in_words(coverage.over_filled),
        by_time,
        has_no_shifts: coverage.shifts.is_empty(),
        days_of_shifts: days(&event, &coverage.shifts, &people, now),
        questions: questions.iter().map(question_row).collect(),
        undelivered,
        event: &event,
    };
    Ok(show(StatusCode::OK, &page))
}

/// Returns when sign-ups open and close, such as `From Monday 1 March at 18:00 until Friday 5 March at 12:00`.
fn signups_in_words(event: &Event) -> Option<String> {
    let words = |at: Option<Timestamp>| at.map(|at| times::opening(at, event));
    match (words(event.signups_open()), words(event.signups_close())) {
        (Some(opens), Some(closes)) => Some(format!("From {opens} until {closes}")),
        (Some(opens), None) => Some(format!("From {opens}")),
        (None, Some(closes)) => Some(format!("Until {closes}")),
        (None, None) => None,
    }
}

fn over_filled_in_words(number: u64) -> Option<String> {
    match number {
        0 => None,
        1 => Some("1 more volunteer than needed is signed up for a full shift".to_owned()),
        number => Some(format!("{number} more volunteers than needed are signed up for full shifts")),
    }
}

#[cfg(test)]
mod tests {
    use signup_core::{Capacity, MailFailure, NewShift, NewSignup, Scopes};

    use super::*;
    use crate::sample_event::sample_event;

    #[tokio::test]
    async fn an_email_that_failed_is_named_while_the_address_has_a_sign_up() {
        let (service, created) = sample_event().await;
        let (event, owner) = (created.event.id, created.event.organization);
        let session = service.session_for(owner, Scopes::all()).await.unwrap();
        let form = service.volunteers().form(&created.event.slug, [created.shifts[0].id]).await.unwrap();
        let new = NewSignup::new("Eve".parse().unwrap(), "eve+1@example.org".parse().unwrap());
        drop(form.sign_up(new).await.unwrap().into_places().unwrap());
        assert_eq!(undelivered(&session, event).await, Ok(vec![]));
        let outbox = service.outbox();
        let due = outbox.due(9).await.unwrap().remove(0);
        let mail = outbox.claim(&due).await.unwrap().unwrap();
        outbox.report_failed(&mail, MailFailure::Permanent, "550 no such user").await.unwrap();
        let [name, email, query] = ["Eve", "eve+1@example.org", "q=eve%2B1%40example.org"].map(str::to_owned);
        assert_eq!(undelivered(&session, event).await, Ok(vec![(name, email, query)]));

        let signup = session.signups(SignupQuery::new()).await.unwrap().items.remove(0);
        service.admin().cancel_signup(owner, signup.id).await.unwrap();
        assert_eq!(undelivered(&session, event).await, Ok(vec![]));
    }

    #[tokio::test]
    async fn people_of_more_than_one_page_are_read_and_sorted_by_name() {
        let (service, sample) = sample_event().await;
        let session = service.session_for(sample.event.organization, Scopes::all()).await.unwrap();
        let sorting = NewShift::new("Sorting".parse().unwrap(), Capacity::new(200).unwrap());
        let sorting = session.add_shifts(sample.event.id, vec![sorting]).await.unwrap().remove(0);
        let names: Vec<_> = (0..101).map(|number| format!("Volunteer {number:03}")).collect();
        for (number, name) in names.iter().enumerate().rev() {
            let form = service.volunteers().form(&sample.event.slug, [sorting.id]).await.unwrap();
            let email = format!("v{number}@example.org").parse().unwrap();
            drop(form.sign_up(NewSignup::new(name.parse().unwrap(), email)).await.unwrap());
        }
        let some = people(&session, sample.event.id, 100).await.unwrap();
        assert_eq!(some.len(), 100, "no further page is read");
        let people = people(&session, sample.event.id, MAX_PEOPLE).await.unwrap();
        assert_eq!(people.iter().map(|signup| signup.name.to_string()).collect::<Vec<_>>(), names);
    }

    #[tokio::test]
    async fn the_first_action_is_to_publish_to_see_who_signs_up_and_then_to_check_in() {
        let (_, created) = sample_event().await;
        let mut event = created.event;
        let (starts, before) = (event.dates.starts_at(), Timestamp::UNIX_EPOCH);
        event.is_published = false;
        assert_eq!(FirstAction::of(&event, false, before), FirstAction::Publish);
        assert_eq!(FirstAction::of(&event, true, starts), FirstAction::Edit);
        event.is_published = true;
        assert_eq!(FirstAction::of(&event, false, before), FirstAction::Signups);
        assert_eq!(FirstAction::of(&event, false, starts), FirstAction::CheckIn);
        assert_eq!(FirstAction::of(&event, true, starts), FirstAction::Signups);
    }
}
