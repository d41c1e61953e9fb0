//! What a change of an event requires and writes, and which changes are refused.

use super::super::facts::*;
use super::*;
use jiff::civil::date;

use crate::conformance::records;
use crate::shift::Shift;
use crate::store::{Refusal, Total};

mod days;
mod opening;

fn patch(full: EventInFull, patch: EventPatch, now: Timestamp) -> Result<Decision<EventWithShifts>, Error> {
    patch_event(full, patch, None, limits(), None, DELAY, now)
}

fn filled(full: EventInFull) -> EventInFull {
    let mut full = full;
    full.shifts[0].shift.occupancy.filled = 1;
    full
}

#[test]
fn a_patch_requires_and_writes_exactly_what_it_changes() {
    let (event, gate) = ("put Event 1 to 2", "put Event 1 to 2, gate 2");
    let shifts = ["put Shift 1 to 2", "put Shift 2 to 2"];
    let told = [&shifts[..], &["insert Notice"]].concat();
    let at_1 = ["Event 1 at 1"];
    let moved = ["Event 1 at 1", "Shift 1 at 1", "Shift 2 at 1"];
    let draft = || full_with(|event, _| event.is_published = false);
    let new = EventPatch::new;
    let data = || r#"{"floor": 3}"#.parse::<LocationData>().unwrap();
    let with_data = || EventInFull { location_data: Some(data()), ..full() };
    for (what, full, patched, now, expected) in [
        ("nothing", full(), new().title(full().event.title), before(), vec![]),
        ("a title", full(), new().title("Other".parse().unwrap()), before(), [&at_1[..], &[event]].concat()),
        (
            "an unpublish",
            full(),
            new().published(false),
            before(),
            vec![
                at_1[0],
                "sign-ups of Shift 1, waiting for Shift 1, sign-ups of Shift 2, waiting for Shift 2 of Event 1 zero",
                gate,
            ],
        ),
        ("a publish", draft(), new().published(true), before(), vec![at_1[0], "active events below 3", gate]),
        (
            "a publish of an event that is over",
            draft(),
            new().published(true),
            after_event(),
            vec![at_1[0], gate],
        ),
        (
            "a day",
            full(),
            new().start_date(date(2027, 6, 12)),
            before(),
            [&moved[..], &["no Notice", gate], &told].concat(),
        ),
        (
            "a later day after the shifts",
            full(),
            new().start_date(date(2027, 6, 12)),
            after_shifts(),
            [&moved[..], &["no Notice", gate], &told].concat(),
        ),
        (
            "a day in the past",
            full(),
            new().start_date(date(2020, 6, 6)),
            before(),
            [&moved[..], &["no Notice", gate], &told].concat(),
        ),
        (
            "a zone",
            full(),
            new().zone("UTC".parse().unwrap()),
            before(),
            [&moved[..], &["no Notice", gate], &told].concat(),
        ),
        (
            "a place",
            full(),
            new().location("Pier 3".parse().unwrap()),
            before(),
            [&moved[..], &["no Notice", event], &told].concat(),
        ),
        (
            "a place without mail",
            full(),
            new().location("Pier 3".parse().unwrap()).without_mail(),
            before(),
            [&moved[..], &[event], &shifts].concat(),
        ),
        (
            "a place after the shifts",
            full(),
            new().location("Pier 3".parse().unwrap()),
            after_shifts(),
            [&moved[..], &[event], &shifts].concat(),
        ),
        ("online", full(), new().online(true), before(), [&moved[..], &[event], &shifts].concat()),
        (
            "an opening",
            full(),
            new().signups_open_at("2027-03-01T18:00".parse().unwrap()),
            before(),
            vec![at_1[0], gate],
        ),
        (
            "a closing",
            full(),
            new().signups_close_at("2027-03-01T18:00".parse().unwrap()),
            before(),
            vec![at_1[0], gate],
        ),
        ("waiting lists", full(), new().waiting_list(true), before(), vec![at_1[0], gate]),
        ("no closing before and after", full(), new().clear_signups_close_at(), before(), vec![]),
        ("the same data", with_data(), new().location_data(data()), before(), vec![]),
        (
            "new data",
            full(),
            new().location_data(data()),
            before(),
            vec![at_1[0], event, "insert LocationData 1"],
        ),
        (
            "no data",
            with_data(),
            new().clear_location_data(),
            before(),
            vec![at_1[0], event, "remove LocationData 1"],
        ),
    ] {
        assert_eq!(lines(&patch(full, patched, now).unwrap()), expected, "{what}");
    }
}

/// At 10:30 UTC of the day after, the event is over in New York and in Tokyo, but not in Pago Pago.
#[test]
fn every_edit_that_makes_an_event_active_is_checked_against_the_limit() {
    let now = "2027-06-06T10:30:00Z".parse().unwrap();
    let new = EventPatch::new;
    let zone = |name: &str| new().zone(name.parse().unwrap());
    for (patched, is_checked) in [
        (new().start_date(date(2027, 6, 6)), true),
        (new().end_date(date(2027, 6, 6)), true),
        (zone("Pacific/Pago_Pago"), true),
        (zone("Asia/Tokyo"), false),
        (new().title("Other".parse().unwrap()), false),
    ] {
        let found = lines(&patch(full(), patched.clone(), now).unwrap());
        assert_eq!(found.contains(&"active events below 3".to_owned()), is_checked, "{patched:?}");
    }
}

#[test]
fn a_patch_changes_only_the_fields_that_it_names() {
    let set = EventPatch::new()
        .description("Bring gloves.".parse().unwrap())
        .location("Pier 3".parse().unwrap())
        .latitude("40.5".parse().unwrap())
        .longitude("-74".parse().unwrap())
        .theme("ocean-blue".parse().unwrap())
        .badge_label("New".parse().unwrap());
    let expected = Event {
        description: "Bring gloves.".parse().ok(),
        location: "Pier 3".parse().ok(),
        latitude: "40.5".parse().ok(),
        longitude: "-74".parse().ok(),
        theme: "ocean-blue".parse().ok(),
        badge_label: "New".parse().ok(),
        version: 2,
        updated_at: before(),
        ..full().event
    };
    let changed = patch(full(), set, before()).unwrap().outcome.event;
    assert_eq!(changed, expected);
    let clear = EventPatch::new()
        .clear_description()
        .clear_location()
        .clear_latitude()
        .clear_longitude()
        .clear_theme()
        .clear_badge_label();
    let cleared = patch(full_with(|event, _| *event = changed), clear, before()).unwrap();
    assert_eq!(cleared.outcome.event, Event { version: 3, updated_at: before(), ..full().event });
}

#[test]
fn a_cancelled_event_takes_no_patch_and_an_event_with_active_sign_ups_stays_published() {
    let cancelled = full_with(|event, _| event.cancelled_at = Some(before()));
    assert_eq!(patch(cancelled, EventPatch::new(), before()).unwrap_err(), Error::EventCancelled);
    let unpublish = || EventPatch::new().published(false);
    assert_eq!(patch(filled(full()), unpublish(), before()).unwrap_err(), Error::EventHasSignups);
    let waits = full_with(|_, shifts| shifts[0].occupancy.waitlisted = 1);
    assert_eq!(patch(waits, unpublish(), before()).unwrap_err(), Error::EventHasSignups);
    let into_the_past = unpublish().start_date(date(2020, 6, 5));
    let refused = patch(filled(full()), into_the_past, before()).unwrap_err();
    assert_eq!(refused, Error::EventHasSignups, "the hours before the patch decide");
    let over = patch(filled(full()), unpublish(), after_shifts()).unwrap();
    let expected = ["Event 1 at 1", "Shift 1 at 1", "Shift 2 at 1", "put Event 1 to 2, gate 2"];
    assert_eq!(lines(&over), expected, "a sign-up of a past shift is not active");
    assert!(patch(filled(full()), unpublish().start_date(date(2099, 6, 5)), after_shifts()).is_ok());
    let full_shift = Total::Filled(records::organization_id(1), full().shifts[0].id);
    assert!((over.decides_again)(&Refusal::NotBelow { total: full_shift, count: 1 }));
}

#[test]
fn a_patch_that_names_every_field_with_its_value_writes_nothing() {
    let data = || r#"{"floor": 3}"#.parse::<LocationData>().unwrap();
    let of = |full: EventInFull| EventInFull { location_data: Some(data()), ..full };
    let everything = EventPatch::new()
        .title("Other".parse().unwrap())
        .description("Two\nlines".parse().unwrap())
        .location("Pier 3".parse().unwrap())
        .online(true)
        .latitude("40.5".parse().unwrap())
        .longitude("-180".parse().unwrap())
        .location_data(data())
        .start_date(date(2027, 6, 6))
        .end_date(date(2027, 6, 7))
        .zone("Europe/Paris".parse().unwrap())
        .published(false)
        .theme("midnight".parse().unwrap())
        .badge_label("New".parse().unwrap());
    let changed = patch(of(full()), everything.clone(), before()).unwrap();
    let EventWithShifts { event, shifts } = changed.outcome;
    let records = shifts.into_iter().map(|shift| shift.shift).collect();
    let again = patch(of(EventInFull::new(event, records, vec![])), everything, after_event()).unwrap();
    assert_eq!(lines(&again), [""; 0]);
}

#[test]
fn updated_at_of_a_shift_moves_with_its_answer_and_not_with_the_place_of_its_event() {
    let place = EventPatch::new().location("Pier 3".parse().unwrap());
    let day = EventPatch::new().start_date(date(2027, 6, 12));
    let online = EventPatch::new().online(true);
    let zone = EventPatch::new().zone("Europe/Paris".parse().unwrap());
    let same_clocks = EventPatch::new().zone("America/Detroit".parse().unwrap());
    let last_day = EventPatch::new().end_date(date(2027, 6, 6));
    for (patched, updated_at) in [
        (place, records::at(0)),
        (day, before()),
        (online, before()),
        (zone, before()),
        (same_clocks, records::at(0)),
        (last_day, records::at(0)),
    ] {
        let outcome = patch(full(), patched, before()).unwrap().outcome;
        assert_eq!((outcome.event.updated_at, outcome.shifts[0].updated_at), (before(), updated_at));
    }
}

#[test]
fn an_external_id_has_to_be_free() {
    let named = |id: &str| full_with(|event, _| event.external_id = id.parse().ok());
    let patch = |full, holder: Option<u32>, patch| {
        let holder = holder.map(|number| EventId::new(records::uuid(number)));
        patch_event(full, patch, holder, limits(), None, DELAY, before())
    };
    let with = |id: &str| EventPatch::new().external_id(id.parse().unwrap());
    let (read, put) = ("Event 1 at 1", "put Event 1 to 2");
    for (what, holder, patched, expected) in [
        ("a free id", None, with("B"), vec![read, "no event with id B", put]),
        ("its own id", Some(1), with("a"), vec![]),
        ("its own id, which it has got meanwhile", Some(1), with("b"), vec![read, "no event with id b", put]),
        ("no id", None, EventPatch::new().clear_external_id(), vec![read, put]),
    ] {
        assert_eq!(lines(&patch(named("a"), holder, patched).unwrap()), expected, "{what}");
    }
    let taken = Error::ExternalIdTaken { existing_id: records::uuid(2) };
    let short = || with("b").end_date(date(2020, 1, 1));
    assert_eq!(patch(named("a"), Some(2), short()).unwrap_err(), taken, "before the days");
    let cancelled = full_with(|event, _| event.cancelled_at = Some(before()));
    assert_eq!(patch(cancelled, Some(2), short()).unwrap_err(), Error::EventCancelled);
    let unpublish = short().published(false);
    assert_eq!(patch(filled(named("a")), Some(2), unpublish).unwrap_err(), Error::EventHasSignups);
    let refusal = Refusal::Taken(Box::new(records::event(1, 2).into()));
    assert!((patch(named("a"), None, with("b")).unwrap().decides_again)(&refusal), "taken at once");
}
