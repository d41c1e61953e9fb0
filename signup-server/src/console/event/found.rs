//! The events that a search finds, and those of a year or of a day.

use askama::Template;
use signup_core::{
    Error, Event, EventDate, EventKey, EventQuery, Faults, Position, SearchText, Session, TextError,
    TimeError,
};
use warp::http::StatusCode;

use super::super::{Form, Frame, MemberCall, PageResult, show};
use super::home::{CURSOR, Row, beside, position, row, state, still_on};
use crate::page::{Head, times};
use crate::texts::Texts;

/// The parameter with the words that are searched for.
pub(super) const SEARCH: &str = "q";
/// The parameter with a year or a day.
pub(super) const DATES: &str = "dates";
/// The number of pages of events that one search reads.
const SEARCHED_PAGES: u32 = 5;
/// The number of events that a search has to find before it reads no further pages.
const ENOUGH: usize = 25;

#[derive(Debug, Template)]
#[template(path = "console/events_found.html")]
struct FoundTemplate<'a> {
    head: Head,
    frame: &'a Frame,
    title: String,
    search: &'a str,
    rows: Vec<Row>,
    /// What the page says if it lists no event.
    none: &'static str,
    /// The path of the page that goes on with older events, and what the link says.
    more: Option<(String, &'static str)>,
}

/// Lists the events whose title or place has words that begin with each word of the search, the latest start first. A search
/// without a letter or a digit finds nothing.
pub(super) async fn search(call: &MemberCall, query: &Form) -> PageResult {
    let text = query.value(SEARCH);
    let begins: SearchText =
        text.parse().map_err(|error: TextError| Error::from(Faults::one(SEARCH, error)))?;
    let (found, next) = match begins.words().is_empty() {
        true => (vec![], None),
        false => matches(&call.session, &begins, position(CURSOR, query)?).await?,
    };
    let none = match (begins.words().is_empty(), next.is_some()) {
        (true, _) => "Type at least one letter or digit.",
        (false, false) => "No events match your search.",
        (false, true) => "No events match your search so far.",
    };
    let title = "Search for events".to_owned();
    page(call, query, SEARCH, title, (&found, next), [none, "Search older events"]).await
}

/// Reads pages of events until enough of them match, or the bound of a search is reached. Returns the position of the events that
/// were not looked at.
async fn matches(
    session: &Session,
    begins: &SearchText,
    mut next: Option<Position<EventKey>>,
) -> Result<(Vec<Event>, Option<Position<EventKey>>), Error> {
    let words = |event: &Event| {
        format!("{} {}", event.title, event.location.as_ref().map_or("", |place| place.as_str()))
    };
    let mut found = vec![];
    for _ in 0..SEARCHED_PAGES {
        let events = EventQuery::new().limit(EventQuery::MAX_LIMIT);
        let page = session.events(beside(events, next)).await?;
        found.extend(page.items.into_iter().filter(|event| begins.begins_words_of(&words(event))));
        next = page.next;
        if next.is_none() || found.len() >= ENOUGH {
            break;
        }
    }
    Ok((found, next))
}

/// Lists the events of a year such as `2027`, or of a day such as `2027-03-07`, the latest start first.
pub(super) async fn of_dates(call: &MemberCall, query: &Form) -> PageResult {
    let typed = query.value(DATES);
    let (title, [from, to]) =
        dates(typed).map_err(|error: TimeError| Error::from(Faults::one(DATES, error)))?;
    let events = EventQuery::new().from_date(from).to_date(to).limit(EventQuery::MAX_LIMIT);
    let found = call.session.events(beside(events, position(CURSOR, query)?)).await?;
    page(call, query, DATES, title, (&found.items, found.next), ["No events.", "Older events"]).await
}

/// Returns the page of the events that were found, and of the position of further ones. `name` is the parameter that the link to
/// these keeps. `none` is what the page says if it lists no event.
async fn page(
    call: &MemberCall,
    query: &Form,
    name: &str,
    title: String,
    (found, next): (&[Event], Option<Position<EventKey>>),
    [none, link]: [&'static str; 2],
) -> PageResult {
    let (frame, now) = (&call.frame, call.now());
    let mut rows = vec![];
    for event in found {
        let is_over = event.is_over(now) && still_on(&call.session, event, now).await?.is_none();
        rows.push(row(frame, event, state(event, is_over)));
    }
    let more = next.map(|next| {
        let mut pairs = form_urlencoded::Serializer::new(String::new());
        pairs.append_pair(name, query.value(name)).append_pair(CURSOR, &next.to_string());
        (frame.path(&format!("/?{}", pairs.finish())), link)
    });
    let (head, search) = (frame.head(&title), query.value(SEARCH));
    Ok(show(StatusCode::OK, &FoundTemplate { head, frame, title, search, rows, none, more }))
}

/// Returns the heading of a year or of a day, with its first and its last day.
fn dates(typed: &str) -> Result<(String, [EventDate; 2]), TimeError> {
    if typed.len() == 4 {
        let [first, last] = ["01-01", "12-31"].map(|day| format!("{typed}-{day}").parse());
        return Ok((format!("Events in {typed}"), [first?, last?]));
    }
    let day: EventDate = typed.parse()?;
    Ok((format!("Events on {}", times::day(day.date(), Texts::ENGLISH)), [day; 2]))
}

#[cfg(test)]
mod tests {
    use jiff::ToSpan as _;
    use jiff::civil::date;
    use signup_core::{NewEvent, Scopes};

    use super::*;
    use crate::sample_event::sample_event;

    #[tokio::test]
    async fn a_search_lists_the_latest_start_first_and_looks_at_a_bounded_number_of_events() {
        let (service, sample) = sample_event().await;
        let session = service.session_for(sample.event.organization, Scopes::all()).await.unwrap();
        let create = async |title: &str, days: i64| {
            let date = date(2090, 1, 1).checked_add(days.days()).unwrap();
            let event = NewEvent::new(title.parse().unwrap(), date, "UTC".parse().unwrap());
            session.create_event(event).await.unwrap();
        };
        create("Gala", 0).await;
        for days in 1..=499 {
            create(if days % 25 == 0 { "Drill" } else { "Run" }, days).await;
        }
        let find = async |text: &str, next| {
            let (found, next) = matches(&session, &text.parse().unwrap(), next).await.unwrap();
            let days = found.iter().map(|found| found.dates.first.date().to_string());
            (days.collect::<Vec<_>>(), next)
        };
        // The sample event is the latest one, so that the first 500 events end before the gala.
        let (found, next) = find("gala", None).await;
        assert_eq!((found.len(), next.is_some()), (0, true));
        assert_eq!(find("gala", next).await, (vec!["2090-01-01".to_owned()], None));
        let (found, next) = find("dri", None).await;
        assert_eq!((found.len(), next.is_some()), (20, true), "with the food drive");
        assert!(found.is_sorted_by(|one, other| one > other), "{found:?}");
        let (found, next) = find("run", None).await;
        assert_eq!((found.len(), next.is_some()), (96, true), "one page has enough");
    }

    #[test]
    fn a_year_and_a_day_have_their_first_and_last_days() {
        let days = |typed| dates(typed).map(|(title, days)| (title, days.map(|day| day.to_string())));
        let year = ["2027-01-01", "2027-12-31"].map(str::to_owned);
        assert_eq!(days("2027"), Ok(("Events in 2027".to_owned(), year)));
        let day = ["2027-03-07", "2027-03-07"].map(str::to_owned);
        assert_eq!(days("2027-03-07"), Ok(("Events on Sunday 7 March 2027".to_owned(), day)));
        for typed in ["1969", "27", "+027", "2027-02-30", "2027-1-1"] {
            assert_eq!(days(typed), Err(TimeError::Date), "{typed}");
        }
    }
}
