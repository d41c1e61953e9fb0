//! The sign-ups of an event: a list with filters, in pages, and all of them as a table for spreadsheets.

use std::collections::BTreeSet;

use askama::Template;
use bytes::Bytes;
use signup_core::{
    Attendance, Error, Event, EventId, EventWithShifts, Input, Label, Page, Question, ScheduledShift, Scope,
    Signup, SignupPhase, SignupQuery, SignupState, Timestamp,
};
use warp::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use warp::http::{HeaderValue, StatusCode};
use warp::reply::Response;

use super::{Form, Frame, MemberCall, PageResult, show};
use crate::page::Head;
use crate::page::times::{Times, moment, short_moment, zone_in_words};
use crate::signup_table::{LINE_END, MARK, Separator, answer_cells, hours, labels_gone, signup_table};
use crate::texts::Texts;

/// The names of the filters and of the position in the list, in the query string.
const FILTERS: [&str; 3] = ["status", "slot_id", "q"];
const CURSOR: &str = "cursor";

#[derive(Debug, Template)]
#[template(path = "console/signups.html")]
struct SignupsTemplate<'a> {
    head: Head,
    frame: &'a Frame,
    event: &'a Event,
    /// The filters.
    form: &'a Form,
    is_filtered: bool,
    /// Whether the list has some statuses or some shifts only.
    is_narrowed: bool,
    statuses: &'a [(&'a str, &'a str)],
    shifts: Vec<(String, String)>,
    /// How many places are taken, as a sentence.
    taken: String,
    /// The zone of the times, such as `New York time`.
    zone: String,
    /// The path of the public page, where a volunteer can be added.
    public_page: Option<String>,
    labels: Vec<&'a str>,
    rows: Vec<Row<'a>>,
    /// The query string of the pages of a sign-up, which lead back to this list.
    way_back: String,
    /// The links to the neighbouring pages.
    newer: Option<String>,
    older: Option<String>,
}

/// A sign-up in the list.
#[derive(Debug)]
struct Row<'a> {
    signup: &'a Signup,
    shift: String,
    state: String,
    signed_up: String,
    answers: Vec<String>,
    can_be_cancelled: bool,
}

/// `GET …/events/{event_id}/signups`: lists one page of the sign-ups of an event.
pub(crate) async fn list_signups(call: MemberCall) -> PageResult {
    let MemberCall { session, frame, .. } = &call;
    session.require(Scope::SignupsRead)?;
    let event = call.path.event();
    let form = call.query();
    let found = session.event(event).await?;
    let questions = session.questions(event).await?;
    let (status, form, page) = match query(event, &form) {
        Ok(query) => (StatusCode::OK, form, session.signups(query).await?),
        Err(faults) => {
            (StatusCode::UNPROCESSABLE_ENTITY, form.refused(&faults), Page::new(vec![], None, None))
        }
    };
    Ok(show(status, &list_page(frame, &form, &found, &questions, &page, call.now())))
}

/// Returns the query of the filters.
fn query(event: EventId, form: &Form) -> Result<SignupQuery, signup_core::Faults> {
    // A malformed id gets the page for an unknown one.
    let typed = ["slot_id", "status", "q", CURSOR].map(|name| (name, form.value(name)));
    let query = SignupQuery::from_input(Input::from_texts(typed))?;
    Ok(query.of_event(event))
}

fn list_page<'a>(
    frame: &'a Frame,
    form: &'a Form,
    EventWithShifts { event, shifts, .. }: &'a EventWithShifts,
    questions: &'a [Question],
    page: &'a Page<Signup>,
    now: Timestamp,
) -> SignupsTemplate<'a> {
    let texts = Texts::of(event.language);
    let gone = labels_gone(questions, page.items.iter());
    let labels = questions.iter().map(|question| question.label.as_str());
    let labels = labels.chain(page_labels(page, &gone)).collect();
    let rows = page.items.iter().map(|signup| {
        let shift = shifts.iter().find(|shift| shift.id == signup.shift);
        Row {
            signup,
            shift: shift.map_or_else(|| shift_in_words(None, signup, texts), |shift| briefly(shift, texts)),
            state: state_in_words(signup, shift, event, now),
            signed_up: short_moment(signup.created_at, event.dates.first.zone(), texts),
            answers: answer_cells(questions, &gone, signup).collect(),
            can_be_cancelled: signup.is_active() && shift.is_some_and(|shift| !shift.is_over(now)),
        }
    });
    let path = frame.path(&format!("/events/{}/signups", event.id));
    let link = |position: &Option<_>| position.as_ref().map(|position| neighbour(&path, form, position));
    let all_shifts = [(String::new(), "All shifts".to_owned())];
    let each_shift = shifts.iter().map(|shift| (shift.id.to_string(), briefly(shift, texts)));
    SignupsTemplate {
        head: frame.head_of(&format!("Sign-ups for {}", event.title), form),
        frame,
        event,
        form,
        is_filtered: FILTERS.iter().any(|name| !form.value(name).is_empty()),
        is_narrowed: FILTERS.iter().any(|name| *name != "q" && !form.value(name).is_empty()),
        statuses: &[
            ("", "All"),
            ("confirmed", "Confirmed"),
            ("waitlisted", "On the waiting list"),
            ("cancelled", "Cancelled"),
        ],
        shifts: all_shifts.into_iter().chain(each_shift).collect(),
        taken: taken_in_words(shifts),
        zone: zone_in_words(event.dates.first.zone(), Texts::ENGLISH),
        public_page: public_page(frame, event, shifts, now),
        labels,
        rows: rows.collect(),
        way_back: way_back(form),
        newer: link(&page.previous),
        older: link(&page.next),
    }
}

/// Returns the labels of questions that are gone, borrowed from the answers of a page, in the order of `gone`.
fn page_labels<'a>(page: &'a Page<Signup>, gone: &BTreeSet<Label>) -> Vec<&'a str> {
    let answers = || page.items.iter().flat_map(|signup| &signup.answers);
    let label = |label: &Label| answers().find(|answer| answer.label == *label);
    gone.iter().filter_map(label).map(|answer| answer.label.as_str()).collect()
}

/// Returns the path of a neighbouring page, with the same filters.
fn neighbour(path: &str, form: &Form, position: &impl ToString) -> String {
    let mut query = form_urlencoded::Serializer::new(filters(form));
    format!("{path}?{}", query.append_pair(CURSOR, &position.to_string()).finish())
}

/// Returns the filters of a list as a query string, which is empty without filters.
pub(super) fn filters(form: &Form) -> String {
    let filters = FILTERS.iter().map(|name| (*name, form.value(name))).filter(|(_, value)| !value.is_empty());
    form_urlencoded::Serializer::new(String::new()).extend_pairs(filters).finish()
}

/// Returns the query string with which a page of a sign-up leads back to the list with these filters.
fn way_back(form: &Form) -> String {
    match filters(form) {
        none if none.is_empty() => none,
        some => format!("?{some}"),
    }
}

/// Returns the path of the public page of an event, if it takes sign-ups.
pub(super) fn public_page<'a>(
    frame: &Frame,
    event: &Event,
    shifts: impl IntoIterator<Item = &'a ScheduledShift>,
    now: Timestamp,
) -> Option<String> {
    let is_open = event.is_published
        && !event.is_cancelled()
        && event.signup_phase(now) == SignupPhase::Open
        && shifts.into_iter().any(|shift| shift.takes_signups(now));
    is_open.then(|| format!("{}/events/{}", frame.base_path, event.slug))
}

/// Returns the title and the time of a shift.
pub(super) fn titled(shift: &ScheduledShift, texts: Texts) -> String {
    format!("{}, {}", shift.title, Times::of(shift.interval(), shift.first_day.zone(), texts))
}

/// Returns the title, the day and the time of a shift for a list, on a page that names the zone or needs none.
pub(super) fn briefly(shift: &ScheduledShift, texts: Texts) -> String {
    let times = Times::of(shift.interval(), shift.first_day.zone(), texts);
    format!("{}, {}", shift.title, times.short())
}

/// Returns the title and the time of a sign-up's shift. A deleted shift has only the time that the volunteer was told, if any: one
/// who was moved to it may know only the former shift.
pub(super) fn shift_in_words(shift: Option<&ScheduledShift>, signup: &Signup, texts: Texts) -> String {
    let at = &signup.told.at;
    match shift {
        Some(shift) => titled(shift, texts),
        None if signup.is_moved() => "Deleted shift".to_owned(),
        None => format!("Deleted shift, {}", Times::of(at.interval, &at.zone, texts)),
    }
}

pub(super) fn state_in_words(
    signup: &Signup,
    shift: Option<&ScheduledShift>,
    event: &Event,
    now: Timestamp,
) -> String {
    match signup.state {
        SignupState::Confirmed => match signup.attendance {
            None => "Confirmed".to_owned(),
            Some(Attendance::Absent) => "Didn’t come".to_owned(),
            Some(Attendance::Attended) if shift.is_some_and(|shift| !shift.is_over(now)) => "Here".to_owned(),
            Some(Attendance::Attended) => {
                // The page does not read deleted shifts: their hours are in the table.
                let helped = shift.and_then(|shift| signup.time_helped(shift)).map(hours);
                helped.map_or("Came".to_owned(), |hours| {
                    format!("Came, {hours} {}", if hours == "1" { "hour" } else { "hours" })
                })
            }
        },
        SignupState::Waitlisted => "On the waiting list".to_owned(),
        SignupState::Cancelled { at, by } => {
            let by = if by.is_organizer() { "the organizer" } else { "the volunteer" };
            format!(
                "Cancelled by {by} on {}",
                moment(at, event.dates.first.zone(), Texts::of(event.language))
            )
        }
    }
}

fn taken_in_words(shifts: &[ScheduledShift]) -> String {
    let filled: u32 = shifts.iter().map(|shift| shift.occupancy.filled).sum();
    let capacity: u32 = shifts.iter().map(|shift| shift.occupancy.capacity.volunteers()).sum();
    if shifts.is_empty() {
        return "The event has no shifts.".to_owned();
    }
    let waiting = shifts.iter().map(|shift| shift.occupancy.waitlisted).sum();
    let taken = places_taken(filled.into(), capacity.into());
    waiting_in_words(waiting).map_or(taken.clone(), |waiting| format!("{taken} {waiting}."))
}

/// Returns how many people wait for a place, in words. `None` if nobody does.
pub(super) fn waiting_in_words(number: u32) -> Option<String> {
    match number {
        0 => None,
        1 => Some("1 person is on the waiting list".to_owned()),
        number => Some(format!("{number} people are on the waiting list")),
    }
}

/// Returns how many of `capacity` places are taken, as a sentence. Without a place, the sentence says who has signed up before.
pub(super) fn places_taken(filled: u64, capacity: u64) -> String {
    match (filled, capacity) {
        (0, 0) => "No one can sign up.".to_owned(),
        (1, 0) => "1 person has signed up.".to_owned(),
        (filled, 0) => format!("{filled} people have signed up."),
        (filled, 1) => format!("{filled} of 1 place is taken."),
        (1, capacity) => format!("1 of {capacity} places is taken."),
        (filled, capacity) => format!("{filled} of {capacity} places are taken."),
    }
}

/// `GET …/events/{event_id}/signups.csv`: returns all sign-ups of an event as a table. The query parameter `separator` is `comma`
/// or `semicolon`.
pub(crate) async fn download_signups(call: MemberCall) -> PageResult {
    let separator = Separator::named(call.query().value("separator")).map_err(Error::from)?;
    let all = call.session.event_signups(call.path.event()).await?;
    let name = format!("{}-signups.csv", all.event.slug);
    Ok(csv(signup_table(all, separator), &name))
}

/// Returns the file of a table. See [`file()`].
pub(super) fn csv(lines: impl Iterator<Item = String>, name: &str) -> Response {
    let mut text = MARK.to_string();
    for line in lines {
        text.push_str(&line);
        text.push_str(LINE_END);
    }
    file(text, "text/csv; charset=utf-8", name)
}

/// Returns a file that a browser saves under `name`, which consists of ASCII letters, digits, dots and hyphens.
pub(super) fn file(content: impl Into<Bytes>, content_type: &'static str, name: &str) -> Response {
    let mut response = Response::new(content.into().into());
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    let disposition = HeaderValue::try_from(format!("attachment; filename=\"{name}\""));
    headers.insert(CONTENT_DISPOSITION, disposition.unwrap_or(HeaderValue::from_static("attachment")));
    response
}

#[cfg(test)]
mod tests {
    use signup_core::{Interval, NewSignup, Scopes};

    use super::*;
    use crate::sample_event::sample_event;

    #[tokio::test]
    async fn the_hours_of_a_volunteer_are_shown_once_the_shift_is_over() {
        let (service, created) = sample_event().await;
        let shift = &created.shifts[0];
        let form = service.volunteers().form(&created.event.slug, [shift.id]).await.unwrap();
        let new = NewSignup::new("Eve".parse().unwrap(), "eve@example.org".parse().unwrap());
        drop(form.sign_up(new).await.unwrap().into_places().unwrap());
        let session = service.session_for(created.event.organization, Scopes::all()).await.unwrap();
        let mut signup = session.signups(SignupQuery::new()).await.unwrap().items.remove(0);
        signup.attendance = Some(Attendance::Attended);
        let Interval { start, end } = shift.interval();
        let shown = |now| state_in_words(&signup, Some(shift), &created.event, now);
        assert_eq!(shown(start), "Here");
        assert!(shown(end).starts_with("Came, "), "{}", shown(end));
    }
}
