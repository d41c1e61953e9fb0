//! What the page of an event says and keeps besides the event: why a form was refused, and what was typed.

use std::collections::BTreeSet;

use jiff::Timestamp;
use signup_core::{Error, NewSignup, ScheduledShift, ShiftId, SignedUp};

use super::super::times::Times;
use super::super::typed::Typed;
use crate::texts::{Html, Texts};

/// What the page says first: why a form was refused, or what is missing.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::page) struct Notice {
    pub(super) heading: String,
    /// The names of the people who have places on the `taken` shifts.
    pub(super) people: Vec<String>,
    pub(super) taken: Vec<Named>,
    /// The shifts that were not taken, each with the reason.
    pub(super) refused: Vec<(Named, String)>,
    /// Those that were full.
    pub(super) full: Vec<ShiftId>,
    /// Whether a form was sent.
    pub(super) is_answer: bool,
    /// Whether to choose another shift would help.
    pub(super) asks_for_another: bool,
    pub(super) sentences: Vec<String>,
    pub(super) texts: Texts,
}

/// A shift in words.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Named {
    pub(super) title: String,
    pub(super) times: String,
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
    pub(in crate::page) fn choose(texts: Texts) -> Self {
        Self::of(texts.choose_a_shift(), vec![texts.choose_a_shift_text()], texts)
    }

    /// Says that the form has too many shifts.
    pub(in crate::page) fn choose_fewer(texts: Texts) -> Self {
        Self::of(texts.choose_fewer(NewSignup::MAX_SHIFTS), vec![texts.choose_fewer_text()], texts)
    }

    /// Says that sign-ups are closed.
    pub(in crate::page) fn closed(texts: Texts) -> Self {
        Self { asks_for_another: true, ..Self::of(texts.sorry_closed(), vec![], texts) }
    }

    /// Says that the event was cancelled.
    pub(in crate::page) fn cancelled(texts: Texts) -> Self {
        Self::of(texts.cannot_sign_up(), vec![texts.cancelled_meanwhile()], texts)
    }

    /// Says that a shift is not one of the event.
    pub(in crate::page) fn gone(texts: Texts) -> Self {
        let heading = reason_alone(&Error::ShiftDeleted, 1, texts);
        Self { asks_for_another: true, ..Self::of(heading, vec![texts.shift_removed_text()], texts) }
    }

    /// Says that none of these shifts takes sign-ups.
    pub(in crate::page) fn not_open(shifts: &[&ScheduledShift], now: Timestamp, texts: Texts) -> Self {
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
    pub(in crate::page) fn after(
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
    pub(in crate::page) fn keeping(self, typed: &Typed) -> Focus {
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
    pub(super) fn people(&self) -> Html {
        self.texts.joined_names(&self.people, None)
    }
}

/// Returns what a form with which people join a waiting list gave, in words. Everybody reads the same.
pub(in crate::page) fn place_or_list(sends_mail: bool, texts: Texts) -> String {
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
pub(in crate::page) struct Focus {
    /// The shifts whose boxes are ticked.
    pub(in crate::page) chosen: BTreeSet<ShiftId>,
    /// Whether to show only the shifts with places, if there are any.
    pub(in crate::page) only_open: bool,
    pub(in crate::page) notice: Option<Notice>,
    /// What was typed about the people, for a form for other shifts: the names of the fields and their values.
    pub(in crate::page) kept: Vec<(String, String)>,
}

impl Focus {
    /// Keeps what was typed about the people.
    pub(in crate::page) fn keeping(typed: &Typed) -> Self {
        Self { kept: typed.of_people(), ..Self::default() }
    }
}

impl From<Notice> for Focus {
    fn from(notice: Notice) -> Self {
        Self { notice: Some(notice), ..Self::default() }
    }
}
