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
    /// The organizer has taken the person off the waiting list.
    TakenOffList,
    Promoted,
    /// The organizer has moved the person to another shift.
    OnOtherShift,
    Moved,
    /// The shift moved, and the person still waits for a place on it.
    MovedWaiting,
    New,
    Waiting,
    CancelledByVolunteer,
    LeftList,
    Reminder,
    Unchanged,
    StillWaiting,
}

impl Kind {
    pub(super) fn of(place: &PlaceNews) -> Self {
        let is_waiting = place.signup.is_waitlisted();
        let has_waited = place.signup.has_only_waited();
        match &place.change {
            PlaceChange::New => Self::New,
            PlaceChange::Waiting => Self::Waiting,
            PlaceChange::Promoted => Self::Promoted,
            PlaceChange::Moved { .. } if is_waiting => Self::MovedWaiting,
            PlaceChange::Moved { .. } if place.signup.is_moved() => Self::OnOtherShift,
            PlaceChange::Moved { .. } => Self::Moved,
            PlaceChange::Reminder => Self::Reminder,
            PlaceChange::Cancelled => match place.signup.cancelled_by() {
                Some(CancelledBy::EventCancellation) => Self::EventCancelled,
                Some(CancelledBy::ShiftDeletion) => Self::ShiftCancelled,
                None | Some(CancelledBy::Volunteer) if has_waited => Self::LeftList,
                None | Some(CancelledBy::Volunteer) => Self::CancelledByVolunteer,
                Some(_) if has_waited => Self::TakenOffList,
                // The organizer or the operator, or a canceller that is newer than this mapping.
                Some(_) => Self::CancelledByOrganizer,
            },
            // Nothing, or a change that is newer than this mapping.
            _ if is_waiting => Self::StillWaiting,
            _ => Self::Unchanged,
        }
    }

    /// Returns whether nothing is new.
    pub(super) const fn is_unchanged(self) -> bool {
        matches!(self, Self::Unchanged | Self::StillWaiting)
    }

    pub(super) const fn is_cancelled(self) -> bool {
        matches!(
            self,
            Self::EventCancelled
                | Self::ShiftCancelled
                | Self::CancelledByOrganizer
                | Self::TakenOffList
                | Self::CancelledByVolunteer
                | Self::LeftList
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
    texts: Texts,
    now: Timestamp,
}

impl<'a> Part<'a> {
    /// Returns the part of these places. Places on one shift are together, unless the mail tells different things about them.
    pub(super) fn of(
        kind: Kind,
        is_you: bool,
        places: &[&'a PlaceNews],
        texts: Texts,
        now: Timestamp,
    ) -> Self {
        let mut shifts: Vec<Vec<&PlaceNews>> = vec![];
        for place in places {
            let told = |place: &PlaceNews| {
                let other_shift = place.signup.is_moved().then(|| place.signup.told.title.clone());
                (place.change.clone(), place.signup.reason.clone(), other_shift)
            };
            let is_same = |other: &PlaceNews| {
                other.shift.id == place.shift.id
                    && other.signup.is_waitlisted() == place.signup.is_waitlisted()
                    && (kind.is_unchanged() || told(other) == told(place))
            };
            match shifts.iter_mut().find(|shift| is_same(shift[0])) {
                Some(shift) => shift.push(place),
                None => shifts.push(vec![place]),
            }
        }
        Self { kind, shifts, people: people(places), is_you, texts, now }
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
        match self.number_of_shifts() {
            1 => shorten(self.first().shift.title.as_str(), max),
            count => self.texts.number_of_shifts(count),
        }
    }

    fn number_of_shifts(&self) -> usize {
        self.shifts.iter().map(|shift| shift[0].shift.id).collect::<BTreeSet<_>>().len()
    }

    const fn has_one_shift(&self) -> bool {
        self.shifts.len() == 1
    }

    /// Returns 1 for one place, and 2 for several.
    fn places(&self) -> usize {
        if self.has_one_shift() && self.people.count() == 1 { 1 } else { 2 }
    }

    /// Returns the sentence that tells what happened.
    pub(super) fn heading(&self) -> String {
        let (texts, people) = (self.texts, || self.people.in_words(self.texts));
        match (self.kind, self.is_you) {
            (Kind::EventCancelled, _) => texts.event_cancelled(),
            (Kind::ShiftCancelled, _) if self.has_one_shift() => texts.this_shift_cancelled(),
            (Kind::ShiftCancelled, _) => texts.these_shifts_cancelled(),
            (Kind::CancelledByOrganizer, true) => texts.organizer_cancelled_yours(self.places()),
            (Kind::CancelledByOrganizer, false) => texts.organizer_cancelled(people(), self.places()),
            (Kind::CancelledByVolunteer, true) => texts.you_cancelled_yours(self.places()),
            (Kind::CancelledByVolunteer, false) => texts.you_cancelled(people(), self.places()),
            (Kind::TakenOffList, true) => texts.organizer_took_you_off_list(),
            (Kind::TakenOffList, false) => texts.organizer_took_people_off_list(people()),
            (Kind::LeftList, true) => texts.you_left_list(),
            (Kind::LeftList, false) => texts.you_took_people_off_list(people()),
            (Kind::Promoted, true) => {
                texts.you_have_place_on(self.shifts_in_words(usize::MAX), self.places())
            }
            (Kind::Promoted, false) => {
                let shifts = self.shifts_in_words(usize::MAX);
                texts.people_have_places_on(people(), shifts, self.people.count())
            }
            (Kind::OnOtherShift, true) => {
                texts.you_were_moved_to(self.shifts_in_words(usize::MAX), self.number_of_shifts())
            }
            (Kind::OnOtherShift, false) => {
                let shifts = self.shifts_in_words(usize::MAX);
                texts.people_were_moved_to(people(), shifts, self.number_of_shifts())
            }
            (Kind::Waiting | Kind::StillWaiting, true) => {
                texts.you_wait_for(self.shifts_in_words(usize::MAX))
            }
            (Kind::Waiting | Kind::StillWaiting, false) => {
                let shifts = self.shifts_in_words(usize::MAX);
                texts.people_wait_for(people(), shifts, self.people.count())
            }
            (Kind::New, true) => texts.you_signed_up_for(self.shifts_in_words(usize::MAX)),
            (Kind::New, false) => {
                let shifts = self.shifts_in_words(usize::MAX);
                texts.people_signed_up_for(people(), shifts, self.people.count())
            }
            (Kind::Unchanged, _) => self.has_already(),
            (Kind::Reminder, _) => self.when_to_come(),
            (Kind::Moved | Kind::MovedWaiting, _) => match (&self.first().change, self.has_one_shift()) {
                (PlaceChange::Moved { before }, true) if day(before) != day(&self.first().at) => {
                    texts.shift_moved_to(times::day_of_year(day(&self.first().at), texts))
                }
                (_, true) => texts.shift_changed(),
                (_, false) => texts.shifts_changed(),
            },
        }
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

    /// Returns the sentence that reminds.
    fn when_to_come(&self) -> String {
        let (texts, shifts) = (self.texts, self.shifts.len());
        match self.near_day() {
            Some(NearDay::Today) => texts.shifts_today(shifts),
            Some(NearDay::Tomorrow) => texts.shifts_tomorrow(shifts),
            None => texts.shifts_soon(times::day_of_year(day(&self.first().at), texts), shifts),
        }
    }

    fn has_already(&self) -> String {
        let (texts, people) = (self.texts, || self.people.in_words(self.texts));
        match (self.is_you, self.people.count()) {
            (true, _) => texts.you_already_have(self.places()),
            (false, 1) => texts.person_already_has(people(), self.places()),
            (false, _) => texts.people_already_have(people()),
        }
    }

    /// Returns the subject: what happened, to which shift, and on which day.
    pub(super) fn subject(&self, event: &str) -> String {
        let texts = self.texts;
        let what = match (self.kind, self.is_you) {
            (Kind::OnOtherShift | Kind::Moved | Kind::MovedWaiting, _) => texts.subject_changed(),
            (Kind::Promoted, true) => texts.you_have_place(),
            (Kind::Promoted, false) => {
                texts.people_have_places(self.people.in_words(texts), self.people.count())
            }
            (Kind::Waiting | Kind::StillWaiting, true) => texts.you_wait(),
            (Kind::Waiting | Kind::StillWaiting, false) => {
                texts.people_wait(self.people.in_words(texts), self.people.count())
            }
            (Kind::TakenOffList | Kind::LeftList, _) => texts.off_list(),
            (Kind::New, true) => texts.you_signed_up(),
            (Kind::New, false) => texts.people_signed_up(self.people.in_words(texts), self.people.count()),
            (Kind::Unchanged, _) => self.has_already(),
            (Kind::Reminder, _) => match self.near_day() {
                Some(NearDay::Today) => texts.today(),
                Some(NearDay::Tomorrow) => texts.tomorrow(),
                None => texts.reminder(),
            },
            _ => texts.subject_cancelled(),
        };
        // A long title of the event leaves room for that of the shift.
        let is_of_event = self.kind == Kind::EventCancelled;
        let shift = self.shifts_in_words(MAX_SUBJECT_TITLE / 2);
        let room = if is_of_event { 0 } else { (3 + shift.chars().count()).min(MAX_SUBJECT_TITLE / 2) };
        let event = shorten(event, MAX_SUBJECT_TITLE - room);
        if self.kind == Kind::Reminder {
            let at = &self.first().at;
            let has_date = self.near_day().is_none();
            let times = Times::of(at.interval, &at.zone, texts);
            let start = times.start_in_words(has_date);
            return match (self.has_one_shift(), has_date) {
                (false, false) if times.is_whole_day => texts.subject_without_clock(what, event, shift),
                (true, _) => texts.subject(what, event, shift, start),
                (false, true) => texts.subject_from(what, event, shift, start),
                (false, false) => texts.subject_from_clock(what, event, shift, start),
            };
        }
        let days: BTreeSet<_> = self.shifts.iter().map(|shift| day(&shift[0].at)).collect();
        let first = days.first().map(|day| times::day_of_year(*day, texts)).unwrap_or_default();
        match (is_of_event, days.len() > 1) {
            (false, false) => texts.subject(what, event, shift, first),
            (false, true) => texts.subject_from(what, event, shift, first),
            (true, false) => texts.subject_of_event(what, event, first),
            (true, true) => texts.subject_of_event_from(what, event, first),
        }
    }

    /// Returns the sentence under the heading.
    pub(super) fn intro(&self, is_asked: bool) -> String {
        let texts = self.texts;
        match self.kind {
            Kind::EventCancelled => texts.event_cancelled_intro(),
            Kind::ShiftCancelled if self.has_one_shift() => texts.shift_cancelled_intro(),
            Kind::ShiftCancelled => texts.shifts_cancelled_intro(),
            Kind::CancelledByOrganizer | Kind::TakenOffList => texts.organizer_cancelled_intro(),
            Kind::CancelledByVolunteer | Kind::LeftList => texts.you_cancelled_intro(),
            Kind::Promoted => texts.promoted_intro(self.places()),
            Kind::OnOtherShift => texts.on_other_shift_intro(),
            Kind::Waiting => texts.waiting_intro(),
            Kind::StillWaiting if is_asked => texts.waiting_asked_again(),
            Kind::New => texts.signed_up_intro(),
            Kind::Reminder => texts.reminder_intro(self.shifts.len()),
            Kind::Moved | Kind::MovedWaiting => self.what_moved(),
            Kind::Unchanged if is_asked => texts.asked_again(),
            Kind::Unchanged | Kind::StillWaiting => texts.corrected(),
        }
    }

    fn what_moved(&self) -> String {
        let moved = |is_other: fn(&TimeAndPlace, &TimeAndPlace) -> bool| {
            self.shifts.iter().any(|shift| match &shift[0].change {
                PlaceChange::Moved { before } => is_other(before, &shift[0].at),
                _ => false,
            })
        };
        let texts = self.texts;
        let what = match (moved(|a, b| a.interval != b.interval), moved(|a, b| a.place() != b.place())) {
            (true, true) => texts.time_and_place_changed(),
            (true, false) => texts.time_changed(),
            (false, _) => texts.place_changed(),
        };
        let still =
            if self.kind == Kind::MovedWaiting { texts.still_waiting() } else { texts.still_signed_up() };
        format!("{what} {still}")
    }

    /// Returns a line for each shift.
    pub(super) fn lines(&self) -> Vec<Fact> {
        let line = |places: &Vec<&PlaceNews>| {
            let names = people(places);
            let who = if self.is_you { String::new() } else { format!(" ({})", names.all(self.texts)) };
            let when = when(&places[0].at, self.texts);
            let when = if places[0].signup.is_waitlisted() { self.texts.when_waiting(when) } else { when };
            Fact::new(one_line(places[0].shift.title.as_str()), format!("{when}{who}"))
        };
        self.shifts.iter().map(line).collect()
    }

    /// Returns the description of each shift that has one.
    pub(super) fn descriptions(&self) -> impl Iterator<Item = (String, Vec<String>)> {
        self.shifts.iter().filter_map(|places| {
            let shift = &places[0].shift;
            let heading = match self.has_one_shift() {
                true => self.texts.about_shift(),
                false => self.texts.about(one_line(shift.title.as_str())),
            };
            shift.description.as_ref().map(|text| (heading, lines(text.as_str())))
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

pub(super) fn when(at: &TimeAndPlace, texts: Texts) -> String {
    Times::of(at.interval, &at.zone, texts).to_string()
}
