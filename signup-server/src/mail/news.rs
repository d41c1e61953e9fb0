//! The content of the mail to one address about its places at one event: what changed, and what the address has.
//!
//! Places that changed in the same way are one section. The first section is the most important one: its heading is that of the
//! mail, and the subject tells the same.

mod part;

use std::collections::BTreeSet;

use jiff::Timestamp;
use signup_core::{Answer, EmailAddress, News, PlaceChange, PlaceNews, Secret};

use self::part::{Kind, Part, when};
use super::location::place_in_words;
use super::name::{safe_answer, sender_name};
use super::unsubscribe_url;
use crate::plain::{answer_in_words, lines, one_line};
use crate::texts::Texts;

/// The content of a mail about places, as its text and its HTML show it.
#[derive(Debug, Clone)]
pub(super) struct NewsMail {
    pub(super) texts: Texts,
    pub(super) subject: String,
    /// The names in the greeting.
    pub(super) name: Option<String>,
    /// Whether several people share the address. If not, the mail calls the person `you`.
    pub(super) has_several_people: bool,
    /// What changed, the most important first; at least one.
    pub(super) sections: Vec<Section>,
    /// Each shift on which the address has places. Empty if a section shows the same.
    pub(super) altogether: Vec<Fact>,
    /// Whether the address has lost its last place at an event that takes place.
    pub(super) has_no_places: bool,
    /// The answers given, each list under its heading.
    pub(super) answers: Vec<(String, Vec<Fact>)>,
    /// The lines of the instructions and of the descriptions, each under its heading.
    pub(super) descriptions: Vec<(String, Vec<String>)>,
    /// The URL that turns reminders off, in a mail that only reminds.
    pub(super) unsubscribe: Option<String>,
    /// What the volunteer can do with the link, and its URL.
    pub(super) link: (String, String),
    /// The URL of the event's page, if the page is public.
    pub(super) url: Option<String>,
    /// The organization's address for questions.
    pub(super) contact: Option<String>,
    pub(super) organization: String,
}

/// Places that changed in the same way.
#[derive(Debug, Clone)]
pub(super) struct Section {
    pub(super) heading: String,
    /// The sentence under the heading.
    pub(super) intro: String,
    /// The lines of the organizer's reason for the cancellation of all places.
    pub(super) reason: Option<Vec<String>>,
    pub(super) shifts: Vec<ShiftNews>,
}

/// A shift of a section.
#[derive(Debug, Clone)]
pub(super) struct ShiftNews {
    pub(super) facts: Vec<Fact>,
    /// The lines of the organizer's reason for the cancellation of these places.
    pub(super) reason: Option<Vec<String>>,
}

/// A labelled line of a mail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fact {
    pub(super) label: String,
    pub(super) value: String,
}

impl Fact {
    pub(super) fn new(label: impl Into<String>, value: String) -> Self {
        Self { label: label.into(), value }
    }
}

impl NewsMail {
    /// Returns the content of the mail. `url` is the URL of the event's page, and `secret` that of the link.
    pub(super) fn of(
        news: &News,
        secret: &Secret,
        base_url: &str,
        url: Option<&str>,
        now: Timestamp,
    ) -> Self {
        let News { organization, event, places, .. } = news;
        let texts = Texts::of(event.language);
        let all: Vec<_> = places.iter().collect();
        let names = part::people(&all);
        let is_you = names.count() == 1;
        let select = |kind: Kind, is_selected: fn(Kind, Kind) -> bool| {
            let selected: Vec<_> = places.iter().filter(|place| is_selected(Kind::of(place), kind)).collect();
            Part::of(kind, is_you, &selected, texts, now)
        };
        let kinds: BTreeSet<_> = places.iter().map(Kind::of).collect();
        let is_told = |kind: &Kind| !kind.is_unchanged() || kinds.iter().all(|kind| kind.is_unchanged());
        let parts: Vec<_> = kinds
            .iter()
            .filter(|kind| is_told(kind))
            .map(|kind| select(*kind, |one, other| one == other))
            .collect();
        let held = select(Kind::Unchanged, |kind, _| !kind.is_cancelled());
        let shows_all = |part: &Part<'_>| !part.kind.is_cancelled() && part.count() == held.count();
        let altogether = if parts.iter().any(shows_all) { vec![] } else { held.lines() };
        let has_places = places.iter().any(|place| place.signup.is_confirmed());
        let offer = if !has_places && held.count() > 0 {
            texts.see_your_place_in_line()
        } else if held.shifts.iter().flatten().any(|place| !place.at.interval.is_over(now)) {
            texts.see_your_places()
        } else {
            texts.see_the_details()
        };
        let is_event_cancelled = kinds.contains(&Kind::EventCancelled);
        let about = |heading: String, text: &str| (heading, lines(text));
        let instructions = event.instructions.iter().filter(|_| has_places);
        let instructions = instructions.map(|text| about(texts.label_good_to_know(), text.as_str()));
        let mut sections: Vec<_> = parts.iter().map(|part| section(part, news, texts)).collect();
        if let Some(first) = sections.first_mut().and_then(|section| section.shifts.first_mut()) {
            first.facts.insert(0, Fact::new(texts.label_event(), one_line(event.title.as_str())));
        }
        let about_event = event.description.iter().map(|text| about(texts.about_event(), text.as_str()));
        Self {
            texts,
            subject: parts.first().map(|part| part.subject(event.title.as_str())).unwrap_or_default(),
            name: names.greeting(texts),
            has_several_people: !is_you,
            sections,
            altogether,
            has_no_places: held.count() == 0 && !is_event_cancelled,
            answers: answers(is_you, places.iter().filter(|place| is_told(&Kind::of(place))), texts),
            descriptions: instructions.chain(held.descriptions()).chain(about_event).collect(),
            unsubscribe: news.is_only_reminder().then(|| unsubscribe_url(base_url, secret)),
            link: (offer, format!("{base_url}/signups/{}", secret.reveal())),
            // The page of a cancelled event offers nothing more, and the organizer may soon delete the event.
            url: url.filter(|_| !is_event_cancelled).map(str::to_owned),
            contact: organization.contact.as_ref().map(EmailAddress::to_string),
            organization: sender_name(&organization.name).unwrap_or_else(|| texts.the_organizer()),
        }
    }
}

/// Returns the section of a part. A reason that all places share is shown once.
fn section(part: &Part<'_>, news: &News, texts: Texts) -> Section {
    let reason = |place: &PlaceNews| {
        let reason = place.signup.cancellation_reason(&news.event, &place.shift);
        reason.map(|reason| lines(reason.as_str()))
    };
    let shift = |places: &Vec<&PlaceNews>| {
        let first = places[0];
        let mut facts = titles(first, texts);
        facts.extend(when_and_where(first, news.event.is_virtual, texts));
        facts.extend(places.iter().filter_map(|place| place_in_line(place, part.is_you, texts)));
        if !part.is_you {
            facts.push(Fact::new(texts.label_who(), part::people(places).all(texts)));
        }
        facts.extend(places.iter().flat_map(|place| overlaps(place, news, part.is_you, texts)));
        ShiftNews { facts, reason: reason(first) }
    };
    let mut shifts: Vec<_> = part.shifts.iter().map(shift).collect();
    let common = shifts[0].reason.clone();
    let common = common.filter(|common| shifts.iter().all(|shift| shift.reason.as_ref() == Some(common)));
    if common.is_some() {
        shifts.iter_mut().for_each(|shift| shift.reason = None);
    }
    Section { heading: part.heading(), intro: part.intro(news.is_asked), reason: common, shifts }
}

/// Returns the title of a shift. If the organizer has moved the person, returns the title of the former shift, too.
fn titles(place: &PlaceNews, texts: Texts) -> Vec<Fact> {
    let title = one_line(place.shift.title.as_str());
    if !place.signup.is_moved() {
        return vec![Fact::new(texts.label_shift(), title)];
    }
    let before = one_line(place.signup.told.title.as_str());
    vec![Fact::new(texts.label_shift_was(), before), Fact::new(texts.label_shift_now(), title)]
}

/// Returns the time and the place of a shift: once if they have not changed, else as they were told before and as they are now.
fn when_and_where(place: &PlaceNews, is_virtual: bool, texts: Texts) -> Vec<Fact> {
    let at = &place.at;
    let before = match &place.change {
        PlaceChange::Moved { before } => before,
        _ if place.signup.is_moved() => &place.signup.told.at,
        _ => at,
    };
    let mut facts = if before.interval == at.interval {
        vec![Fact::new(texts.label_when(), when(at, texts))]
    } else {
        vec![
            Fact::new(texts.label_when_was(), when(before, texts)),
            Fact::new(texts.label_when_now(), when(at, texts)),
        ]
    };
    let shown = |at| place_in_words(at, is_virtual, texts).map(|place| one_line(&place));
    if before.place() == at.place() {
        facts.extend(shown(at).map(|place| Fact::new(texts.label_where(), place)));
    } else {
        let or = |at, missing: String| shown(at).unwrap_or(missing);
        facts.extend([
            Fact::new(texts.label_where_was(), or(before, texts.no_place_given())),
            Fact::new(texts.label_where_now(), or(at, texts.no_new_place())),
        ]);
    }
    facts
}

/// Returns the place in the line of a person who waits.
fn place_in_line(place: &PlaceNews, is_you: bool, texts: Texts) -> Option<Fact> {
    let number = place.place_in_line?;
    let who = if is_you { String::new() } else { format!(" ({})", part::people(&[place]).all(texts)) };
    Some(Fact::new(texts.label_place_in_line(), format!("{number}{who}")))
}

/// Returns the other places of the same person at the same event that overlap a new place.
fn overlaps(place: &PlaceNews, news: &News, is_you: bool, texts: Texts) -> Vec<Fact> {
    if !matches!(Kind::of(place), Kind::New | Kind::Promoted | Kind::Waiting | Kind::OnOtherShift) {
        return vec![];
    }
    let key = place.signup.name.key();
    let overlaps = |other: &&PlaceNews| {
        other.signup.id != place.signup.id
            && !Kind::of(other).is_cancelled()
            && other.at.interval.overlaps(place.at.interval)
            && other.signup.name.key() == key
    };
    let name = part::people(&[place]).all(texts);
    let fact = |other: &PlaceNews| {
        let who = if is_you { String::new() } else { format!(" ({name})") };
        Fact::new(
            texts.label_overlaps_with(),
            format!("{}, {}{who}", one_line(other.shift.title.as_str()), when(&other.at, texts)),
        )
    };
    news.places.iter().filter(overlaps).map(fact).collect()
}

/// Returns the answers given for these places: each list once, with the people or the shifts that it belongs to.
fn answers<'a>(
    is_you: bool,
    places: impl Iterator<Item = &'a PlaceNews>,
    texts: Texts,
) -> Vec<(String, Vec<Fact>)> {
    let mut lists: Vec<(&[Answer], Vec<&PlaceNews>)> = vec![];
    for place in places.filter(|place| !place.signup.answers.is_empty()) {
        match lists.iter_mut().find(|(answers, _)| *answers == place.signup.answers) {
            Some((_, places)) => places.push(place),
            None => lists.push((&place.signup.answers, vec![place])),
        }
    }
    let is_only = lists.len() == 1;
    let shown = |(answers, places): (&[Answer], Vec<&PlaceNews>)| {
        let shifts: BTreeSet<_> = places.iter().map(|place| one_line(place.shift.title.as_str())).collect();
        let of = part::people(&places).all(texts);
        let shifts = texts.joined(shifts.into_iter().collect());
        let heading = match (is_only, is_you) {
            (true, _) => texts.your_answers(),
            (false, true) => texts.your_answers_for(shifts),
            (false, false) => texts.answers_of(of, shifts),
        };
        let facts = answers.iter().map(|answer| {
            let value = safe_answer(&answer_in_words(answer.value.as_str(), texts));
            Fact::new(one_line(answer.label.as_str()), value.unwrap_or_else(|| texts.hidden_answer()))
        });
        (heading, facts.collect())
    };
    lists.into_iter().map(shown).collect()
}
