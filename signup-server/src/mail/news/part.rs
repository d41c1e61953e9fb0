//! The sentences of a mail about places: one part of the mail for each way in which places changed.

use std::collections::BTreeSet;

use jiff::Timestamp;
use signup_core::{CancelledBy, PlaceChange, PlaceNews, TimeAndPlace};

use super::Fact;
use crate::mail::people::People;
use crate::page::times::{self, Times};
use crate::plain::{lines, one_line, shorten};
use crate::texts::Texts;

/// The maximum length of the titles of event and shift together in a subject, in characters.
const MAX_SUBJECT_TITLE: usize = 80;

/// How a place changed. The most important one is the least.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    EventCancelled,
    ShiftCancelled,
    CancelledByOrganizer,
    Moved,
    New,
    CancelledByVolunteer,
    Reminder,
    Unchanged,
}

impl Kind {
    pub(super) fn of(place: &PlaceNews) -> Self {
        match &place.change {
            PlaceChange::New => Self::New,
            PlaceChange::Moved { .. } => Self::Moved,
            PlaceChange::Reminder => Self::Reminder,
            PlaceChange::Cancelled => match place.signup.cancelled_by() {
                Some(CancelledBy::EventCancellation) => Self::EventCancelled,
                Some(CancelledBy::ShiftDeletion) => Self::ShiftCancelled,
                None | Some(CancelledBy::Volunteer) => Self::CancelledByVolunteer,
                // The organizer or the operator, or a canceller that is newer than this mapping.
                Some(_) => Self::CancelledByOrganizer,
            },
            // Nothing, or a change that is newer than this mapping.
            _ => Self::Unchanged,
        }
    }

    pub(super) const fn is_cancelled(self) -> bool {
        matches!(
            self,
            Self::EventCancelled
                | Self::ShiftCancelled
                | Self::CancelledByOrganizer
                | Self::CancelledByVolunteer
        )
    }
}

/// A day that people name without its date.
enum NearDay {
    Today,
    Tomorrow,
}

/// Places that changed in the same way, by shift, in running order.
pub(super) struct Part<'a> {
    pub(super) kind: Kind,
    pub(super) shifts: Vec<Vec<&'a PlaceNews>>,
    people: People,
    /// Whether the mail is about one person, whom it calls `you`.
    pub(super) is_you: bool,
    now: Timestamp,
}

impl<'a> Part<'a> {
    /// Returns the part of these places. Places on one shift are together, unless the mail tells different things about them.
    pub(super) fn of(kind: Kind, is_you: bool, places: &[&'a PlaceNews], now: Timestamp) -> Self {
        let mut shifts: Vec<Vec<&PlaceNews>> = vec![];
        for place in places {
            let told = |place: &PlaceNews| (place.change.clone(), place.signup.reason.clone());
            let is_same = |other: &PlaceNews| {
                other.shift.id == place.shift.id && (kind == Kind::Unchanged || told(other) == told(place))
            };
            match shifts.iter_mut().find(|shift| is_same(shift[0])) {
                Some(shift) => shift.push(place),
                None => shifts.push(vec![place]),
            }
        }
        Self { kind, shifts, people: people(places), is_you, now }
    }

    /// Returns the number of places.
    pub(super) fn count(&self) -> usize {
        self.shifts.iter().map(Vec::len).sum()
    }

    fn first(&self) -> &'a PlaceNews {
        self.shifts[0][0]
    }

    /// Returns the title of the only shift, or `2 shifts`.
    fn shifts_in_words(&self, max: usize) -> String {
        let ids: BTreeSet<_> = self.shifts.iter().map(|shift| shift[0].shift.id).collect();
        match ids.len() {
            1 => shorten(self.first().shift.title.as_str(), max),
            count => format!("{count} shifts"),
        }
    }

    const fn has_one_shift(&self) -> bool {
        self.shifts.len() == 1
    }

    /// Returns the beginning of a sentence, such as `You’re` or `Ada and Ben are`.
    fn who_are(&self) -> String {
        match (self.is_you, self.people.count()) {
            (true, _) => "You’re".to_owned(),
            (false, 1) => format!("{} is", self.people.in_words()),
            (false, _) => format!("{} are", self.people.in_words()),
        }
    }

    /// Returns what was cancelled, such as `your place` or `the places of Ada and Ben`.
    fn whose_places(&self) -> String {
        let places = if self.has_one_shift() && self.people.count() == 1 { "place" } else { "places" };
        if self.is_you {
            format!("your {places}")
        } else {
            format!("the {places} of {}", self.people.in_words())
        }
    }

    /// Returns the sentence that tells what happened.
    pub(super) fn heading(&self) -> String {
        match self.kind {
            Kind::EventCancelled => "This event has been cancelled".to_owned(),
            Kind::ShiftCancelled if self.has_one_shift() => "This shift has been cancelled".to_owned(),
            Kind::ShiftCancelled => "These shifts have been cancelled".to_owned(),
            Kind::CancelledByOrganizer => format!("The organizer has cancelled {}", self.whose_places()),
            Kind::CancelledByVolunteer => format!("You’ve cancelled {}", self.whose_places()),
            Kind::New => format!("{} signed up for {}", self.who_are(), self.shifts_in_words(usize::MAX)),
            Kind::Unchanged => self.has_already(),
            Kind::Reminder => format!("{} {}", self.your_shifts_are(), self.when_is_it()),
            Kind::Moved => match (&self.first().change, self.has_one_shift()) {
                (PlaceChange::Moved { before }, true) if day(before) != day(&self.first().at) => {
                    format!(
                        "Your shift has moved to {}",
                        times::day_of_year(day(&self.first().at), Texts::ENGLISH)
                    )
                }
                (_, true) => "Your shift has changed".to_owned(),
                (_, false) => "Your shifts have changed".to_owned(),
            },
        }
    }

    const fn your_shifts_are(&self) -> &'static str {
        if self.has_one_shift() { "Your shift is" } else { "Your shifts are" }
    }

    /// Returns the day of all shifts, if it is near.
    fn near_day(&self) -> Option<NearDay> {
        let at = &self.first().at;
        let is_of_day = |places: &Vec<&PlaceNews>| day(&places[0].at) == day(at);
        let today = at.zone.rules().to_datetime(self.now).date();
        match day(at) {
            _ if !self.shifts.iter().all(is_of_day) => None,
            day if day == today => Some(NearDay::Today),
            day if today.tomorrow().is_ok_and(|tomorrow| day == tomorrow) => Some(NearDay::Tomorrow),
            _ => None,
        }
    }

    fn when_is_it(&self) -> String {
        match self.near_day() {
            Some(NearDay::Today) => "today".to_owned(),
            Some(NearDay::Tomorrow) => "tomorrow".to_owned(),
            None => format!("on {}", times::day_of_year(day(&self.first().at))),
        }
    }

    fn has_already(&self) -> String {
        let places = if self.has_one_shift() && self.people.count() == 1 { "a place" } else { "places" };
        match (self.is_you, self.people.count()) {
            (true, _) => format!("You already have {places}"),
            (false, 1) => format!("{} already has {places}", self.people.in_words()),
            (false, _) => format!("{} already have {places}", self.people.in_words()),
        }
    }

    /// Returns the subject: what happened, to which shift, and on which day.
    pub(super) fn subject(&self, event: &str) -> String {
        let beginning = match self.kind {
            Kind::Moved => "Changed".to_owned(),
            Kind::New => format!("{} signed up", self.who_are()),
            Kind::Unchanged => self.has_already(),
            Kind::Reminder => return self.subject_of_reminder(event),
            _ => "Cancelled".to_owned(),
        };
        // A long title of the event leaves room for that of the shift.
        let shift = match self.kind {
            Kind::EventCancelled => String::new(),
            _ => format!(" – {}", self.shifts_in_words(MAX_SUBJECT_TITLE / 2)),
        };
        let event = shorten(event, MAX_SUBJECT_TITLE - shift.chars().count().min(MAX_SUBJECT_TITLE / 2));
        let days: BTreeSet<_> = self.shifts.iter().map(|shift| day(&shift[0].at)).collect();
        let from = if days.len() > 1 { " from" } else { "," };
        let first = days.first().map(|day| times::day_of_year(*day, Texts::ENGLISH)).unwrap_or_default();
        format!("{beginning}: {event}{shift}{from} {first}")
    }

    /// Returns the subject of a reminder, such as `Tomorrow: Food drive – Packing, 09:00`.
    fn subject_of_reminder(&self, event: &str) -> String {
        let (near, at) = (self.near_day(), &self.first().at);
        let beginning = match near {
            Some(NearDay::Today) => "Today",
            Some(NearDay::Tomorrow) => "Tomorrow",
            None => "Reminder",
        };
        let shift = self.shifts_in_words(MAX_SUBJECT_TITLE / 2);
        let event = shorten(event, MAX_SUBJECT_TITLE - shift.chars().count().min(MAX_SUBJECT_TITLE / 2));
        let from = if self.has_one_shift() { "," } else { " from" };
        let start = Times::of(at.interval, &at.zone).start_in_words(near.is_none());
        format!("{beginning}: {event} – {shift}{from} {start}")
    }

    /// Returns the sentence under the heading.
    pub(super) fn intro(&self, is_asked: bool) -> &'static str {
        match self.kind {
            Kind::EventCancelled => {
                "The organizer has cancelled this event, so it does not take place. Thank you for offering to help."
            }
            Kind::ShiftCancelled if self.has_one_shift() => {
                "The organizer has cancelled this shift, so nobody needs to come to it. Thank you for offering to help."
            }
            Kind::ShiftCancelled => {
                "The organizer has cancelled these shifts, so nobody needs to come to them. Thank you for offering to help."
            }
            Kind::CancelledByOrganizer => "Thank you for offering to help.",
            Kind::CancelledByVolunteer => "Thanks for letting us know.",
            Kind::New => "Thank you. We look forward to seeing you.",
            Kind::Reminder if self.has_one_shift() => {
                "Thank you for helping. If you can’t come, please cancel your place so that someone else can take it."
            }
            Kind::Reminder => {
                "Thank you for helping. If you can’t come, please cancel your places so that others can take them."
            }
            Kind::Moved => self.what_moved(),
            Kind::Unchanged if is_asked => {
                "You signed up again with this email address, so here is what you have. If it wasn’t you, you can ignore this email. You can sign up other people with the same email address: each person gets a place of their own."
            }
            Kind::Unchanged => {
                "An earlier email may have told you another time or place. This is how it is now."
            }
        }
    }

    fn what_moved(&self) -> &'static str {
        let moved = |is_other: fn(&TimeAndPlace, &TimeAndPlace) -> bool| {
            self.shifts.iter().any(|shift| match &shift[0].change {
                PlaceChange::Moved { before } => is_other(before, &shift[0].at),
                _ => false,
            })
        };
        match (moved(|a, b| a.interval != b.interval), moved(|a, b| a.place() != b.place())) {
            (true, true) => "The time and the place are different now. You’re still signed up.",
            (true, false) => "The time is different now. You’re still signed up.",
            (false, _) => "The place is different now. You’re still signed up.",
        }
    }

    /// Returns a line for each shift.
    pub(super) fn lines(&self) -> Vec<Fact> {
        let line = |places: &Vec<&PlaceNews>| {
            let names = people(places);
            let who = if self.is_you { String::new() } else { format!(" ({})", names.all()) };
            Fact::new(&one_line(places[0].shift.title.as_str()), format!("{}{who}", when(&places[0].at)))
        };
        self.shifts.iter().map(line).collect()
    }

    /// Returns the description of each shift that has one.
    pub(super) fn descriptions(&self) -> impl Iterator<Item = (String, Vec<String>)> {
        self.shifts.iter().filter_map(|places| {
            let shift = &places[0].shift;
            let title =
                if self.has_one_shift() { "the shift".to_owned() } else { one_line(shift.title.as_str()) };
            shift.description.as_ref().map(|text| (format!("About {title}"), lines(text.as_str())))
        })
    }
}

/// Returns the people of these places.
pub(super) fn people(places: &[&PlaceNews]) -> People {
    People::of(places.iter().map(|place| &place.signup.name))
}

fn day(at: &TimeAndPlace) -> jiff::civil::Date {
    times::date(at.interval, &at.zone)
}

pub(super) fn when(at: &TimeAndPlace) -> String {
    Times::of(at.interval, &at.zone, Texts::ENGLISH).to_string()
}
