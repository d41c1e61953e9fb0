//! A shift on the page of an event: its time and place, how many places are left, and how to sign up.

use jiff::Timestamp;
use signup_core::{Event, Occupancy, ScheduledShift, ShiftId, SignupPhase};

use crate::linked_text::LinkedText;
use crate::page::Bar;
use crate::page::times::Times;
use crate::texts::Texts;

#[derive(Debug)]
pub(super) struct ShiftView<'a> {
    pub(super) id: ShiftId,
    pub(super) title: &'a str,
    pub(super) times: Times,
    pub(super) description: Option<Vec<LinkedText<'a>>>,
    pub(super) location: Option<Vec<LinkedText<'a>>>,
    /// How many places are left or taken, or why none can be taken, in words.
    pub(super) places: String,
    /// How many places are filled. `None` if no place can be taken.
    pub(super) bar: Option<Bar>,
    /// Whether the shift takes nobody: it is full without a waiting list, over or cancelled, or sign-ups for the event are not
    /// open.
    pub(super) is_closed: bool,
    /// How to sign up, or to join the waiting list. `None` if neither is possible.
    pub(super) offer: Option<Offer>,
}

/// What a visitor can do about a shift, with the path of its form.
#[derive(Debug)]
pub(super) enum Offer {
    SignUp {
        link: String,
        /// Whether the box of the shift is ticked.
        is_chosen: bool,
    },
    Wait {
        link: String,
    },
}

pub(super) fn view<'a>(
    event: &Event,
    shift: &'a ScheduledShift,
    offer: Option<Offer>,
    now: Timestamp,
) -> ShiftView<'a> {
    let (interval, texts) = (shift.interval(), Texts::of(event.language));
    let is_over = interval.is_over(now);
    let is_open = is_open(event, shift, now);
    let Occupancy { capacity, filled, .. } = shift.occupancy;
    ShiftView {
        id: shift.id,
        title: shift.title.as_str(),
        times: Times::of(interval, shift.first_day.zone(), texts),
        description: shift.description.as_ref().map(|text| LinkedText::parts(text.as_str())),
        location: shift.location.as_ref().map(|location| LinkedText::parts(location.as_str())),
        places: match (is_over, event.is_cancelled()) {
            (true, _) => texts.shift_over(),
            (false, true) => texts.shift_cancelled(),
            // Places that are left would read as an offer.
            (false, false) if event.signup_phase(now) == SignupPhase::Closed && shift.room(now) > 0 => {
                texts.places_taken(filled, capacity.volunteers())
            }
            (false, false) => places(shift, now, texts),
        },
        bar: is_open.then(|| Bar { filled: filled.into(), capacity: capacity.volunteers().into() }),
        is_closed: !is_open && offer.is_none(),
        offer,
    }
}

/// Returns whether volunteers can sign up for an event, if a shift has room.
pub(in crate::page) fn has_open_signups(event: &Event, now: Timestamp) -> bool {
    !event.is_cancelled() && event.signup_phase(now) == SignupPhase::Open
}

/// Returns whether the shift takes sign-ups.
pub(in crate::page) fn is_open(event: &Event, shift: &ScheduledShift, now: Timestamp) -> bool {
    has_open_signups(event, now) && shift.takes_signups(now)
}

/// Returns whether people can join the waiting list of the shift.
pub(super) fn has_open_list(event: &Event, shift: &ScheduledShift, now: Timestamp) -> bool {
    has_open_signups(event, now) && shift.takes_waiters(event, now)
}

/// Returns whether a form can be for the shift, with people who join the waiting list where they find no place, or without.
pub(in crate::page) fn takes(
    event: &Event,
    shift: &ScheduledShift,
    joins_waitlist: bool,
    now: Timestamp,
) -> bool {
    is_open(event, shift, now) || joins_waitlist && has_open_list(event, shift, now)
}

/// Returns how many places are left, in words.
pub(in crate::page) fn places(shift: &ScheduledShift, now: Timestamp, texts: Texts) -> String {
    match (shift.room(now), shift.occupancy.capacity.volunteers()) {
        (0, 0) => texts.shift_without_sign_up(),
        (0, _) => texts.shift_full(),
        (left, capacity) => texts.places_left(left, capacity),
    }
}

#[cfg(test)]
mod tests {
    use signup_core::Capacity;

    use super::*;
    use crate::sample_event::sample_event;

    #[tokio::test]
    async fn the_bar_of_a_shift_has_the_places_that_are_filled() {
        let (_, mut found) = sample_event().await;
        found.shifts[0].shift.occupancy =
            Occupancy { filled: 3, ..Occupancy::empty(Capacity::new(8).unwrap()) };
        let view = view(&found.event, &found.shifts[0], None, found.event.created_at);
        assert_eq!((view.bar, &*view.places), (Some(Bar { filled: 3, capacity: 8 }), "5 of 8 places left"));
    }

    #[tokio::test]
    async fn the_number_of_places_that_are_left_is_in_words() {
        let (_, found) = sample_event().await;
        let mut shift = found.shifts[0].clone();
        for (capacity, filled, words) in [
            (8, 0, "8 of 8 places left"),
            (8, 5, "3 of 8 places left"),
            (8, 7, "1 of 8 places left"),
            (1, 0, "1 of 1 place left"),
            (1, 1, "Full"),
            (8, 8, "Full"),
            (8, 10, "Full"),
            (0, 0, "No sign-up for this shift"),
            (0, 3, "No sign-up for this shift"),
        ] {
            shift.shift.occupancy =
                Occupancy { filled, ..Occupancy::empty(Capacity::new(capacity).unwrap()) };
            assert_eq!(places(&shift, found.event.created_at, Texts::ENGLISH), words);
        }
    }
}
