//! What a change of an event requires and writes, and which changes are refused.

use super::super::facts::*;
use super::*;
use jiff::civil::date;

use crate::conformance::records;
use crate::notice::NoticeCause;
use crate::shift::Shift;
use crate::store::{Refusal, Total};

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

/// Returns an event on 2027-06-05 in New York whose sign-ups open and close at these times.
fn with_signups(opens: &str, closes: &str) -> EventInFull {
    full_with(|event, _| {
        (event.signups_open_at, event.signups_close_at) = (opens.parse().ok(), closes.parse().ok());
    })
}

fn signups_of(event: &Event) -> String {
    let text = |at: Option<LocalDateTime>| at.map_or_else(|| "-".to_owned(), |at| at.to_string());
    format!("{} {}", text(event.signups_open_at), text(event.signups_close_at))
}

#[test]
fn the_opening_and_the_closing_of_sign_ups_move_with_the_first_day_unless_the_patch_sets_them() {
    let moved = || EventPatch::new().start_date(date(2027, 6, 12));
    let closes = |at: &str| at.parse::<LocalDateTime>().unwrap();
    for (opens, patched, expected) in [
        ("2027-03-01T18:00", moved(), "2027-03-08T18:00 2027-06-11T12:00"),
        ("", moved(), "- 2027-06-11T12:00"),
        ("", moved().clear_signups_close_at(), "- -"),
        ("", moved().signups_close_at(closes("2027-06-05T00:00")), "- 2027-06-05T00:00"),
        ("", EventPatch::new().zone("UTC".parse().unwrap()), "- 2027-06-04T12:00"),
    ] {
        let decision = patch(with_signups(opens, "2027-06-04T12:00"), patched, before()).unwrap();
        assert_eq!(signups_of(&decision.outcome.event), expected);
    }
    let far = || EventPatch::new().start_date(date(9998, 12, 31));
    let out_of_range = patch(with_signups("", "2027-06-06T12:00"), far(), before()).unwrap_err();
    assert_eq!(out_of_range, Error::Invalid(Faults::one("start_date", TimeError::SignupDay)));
    for set in [far().signups_close_at(closes("9998-12-31T00:00")), far().clear_signups_close_at()] {
        assert_eq!(patch(with_signups("", "2027-06-06T12:00"), set, before()).map(drop), Ok(()));
    }
}

#[test]
fn sign_ups_close_after_they_open_by_the_wall_clock() {
    let at = |text: &str| text.parse::<LocalDateTime>().unwrap();
    let new = EventPatch::new;
    let fault = || Err(Error::Invalid(Faults::one("signups_close_at", TimeError::ClosesFirst)));
    for (patched, expected) in [
        (new().signups_close_at(at("2027-03-01T18:01")), Ok(())),
        (new().signups_close_at(at("2027-03-01T18:00")), fault()),
        (new().signups_open_at(at("2027-06-04T11:59")), Ok(())),
        (new().signups_open_at(at("2027-06-04T12:00")), fault()),
        (new().signups_open_at(at("2027-06-04T12:00")).clear_signups_close_at(), Ok(())),
    ] {
        let full = with_signups("2027-03-01T18:00", "2027-06-04T12:00");
        assert_eq!(patch(full, patched.clone(), before()).map(drop), expected, "{patched:?}");
    }
}

/// At 12:00:30 UTC, clocks show 08:00 in New York.
#[test]
fn sign_ups_are_closed_and_opened_at_the_present_minute() {
    let now = "2027-06-04T12:00:30Z".parse().unwrap();
    for (opens, closes, closed, opened) in [
        ("", "", "- 2027-06-04T08:00", "- -"),
        ("2027-03-01T18:00", "", "2027-03-01T18:00 2027-06-04T08:00", "2027-03-01T18:00 -"),
        ("2027-06-04T08:00", "", "- 2027-06-04T08:00", "2027-06-04T08:00 -"),
        ("2027-06-04T08:01", "2027-06-05T00:00", "- 2027-06-04T08:00", "- -"),
        ("2027-03-01T18:00", "2027-03-02T00:00", "2027-03-01T18:00 2027-06-04T08:00", "2027-03-01T18:00 -"),
    ] {
        let full = with_signups(opens, closes);
        let after = |patched| patch(full.clone(), patched, now).unwrap().outcome.event;
        let (shut, open) = (after(close_signups(&full.event, now)), after(open_signups(&full.event, now)));
        assert_eq!((signups_of(&shut), signups_of(&open)), (closed.to_owned(), opened.to_owned()));
        assert_eq!(
            (shut.signup_phase(now), open.signup_phase(now)),
            (SignupPhase::Closed, SignupPhase::Open)
        );
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
fn a_move_is_announced_for_each_shift_unless_the_patch_suppresses_the_mails() {
    let patched = || EventPatch::new().start_date(date(2027, 6, 12));
    let announced = |patch: Decision<EventWithShifts>| {
        patch.outcome.shifts.iter().map(|shift| shift.announced).collect::<Vec<_>>()
    };
    assert_eq!(announced(patch(full(), patched(), before()).unwrap()), [1, 1]);
    assert_eq!(announced(patch(full(), patched().without_mail(), before()).unwrap()), [0, 0]);
}

#[test]
fn a_first_day_moves_the_last_one_unless_the_patch_names_it() {
    let three_days = || full_with(|event, _| event.dates.last = "2027-06-07".parse().ok());
    let new = EventPatch::new;
    for (patched, first, last) in [
        (new().start_date(date(2027, 6, 12)), "2027-06-12", Some("2027-06-14")),
        (new().start_date(date(2027, 6, 12)).end_date(date(2027, 6, 12)), "2027-06-12", Some("2027-06-12")),
        (new().start_date(date(2027, 6, 12)).clear_end_date(), "2027-06-12", None),
        (new().end_date(date(2027, 6, 11)), "2027-06-05", Some("2027-06-11")),
    ] {
        let dates = patch(three_days(), patched, before()).unwrap().outcome.event.dates;
        let found = (dates.first.date().to_string(), dates.last.map(|last| last.to_string()));
        assert_eq!(found, (first.to_owned(), last.map(str::to_owned)));
    }
}

#[test]
fn dates_that_do_not_fit_are_faults_only_if_they_change() {
    let long = || full_with(|event, _| event.dates.last = "2027-06-20".parse().ok());
    let new = EventPatch::new;
    for (full, patched, field) in [
        (full(), new().end_date(date(2027, 6, 4)), "end_date"),
        (full(), new().end_date(date(2027, 6, 12)), "end_date"),
        (long(), new().start_date(date(2027, 6, 6)), "end_date"),
        (long(), new().start_date(date(9998, 12, 31)), "start_date"),
        (full(), new().start_date(date(1969, 12, 31)), "start_date"),
        (full(), new().end_date(date(9999, 1, 1)), "end_date"),
    ] {
        let Err(Error::Invalid(faults)) = patch(full, patched, before()) else { panic!("{field}") };
        assert_eq!(fault_paths(&faults), [field]);
    }
    assert!(patch(long(), new().title("Other".parse().unwrap()), before()).is_ok());
}

#[test]
fn an_event_keeps_the_days_that_have_shifts() {
    let on_second_day = |shifts: &mut [Shift]| shifts[0].hours = shifts[0].hours.on_day(2).unwrap();
    let three_days = || {
        full_with(|event, shifts| {
            event.dates.last = "2027-06-07".parse().ok();
            on_second_day(shifts);
        })
    };
    let new = EventPatch::new;
    let left_out = Error::Invalid(Faults::one("end_date", FaultKind::LeavesOutDay { day: 2 }));
    for (patched, is_taken) in [
        (new().end_date(date(2027, 6, 6)), true),
        (new().end_date(date(2027, 6, 5)), false),
        (new().clear_end_date(), false),
        (new().start_date(date(2027, 6, 7)).end_date(date(2027, 6, 7)), false),
        (new().start_date(date(2027, 6, 6)).end_date(date(2027, 6, 7)), true),
        (new().start_date(date(2027, 6, 12)), true),
    ] {
        let refused = patch(three_days(), patched.clone(), before()).err();
        assert_eq!(refused, (!is_taken).then(|| left_out.clone()), "{patched:?}");
    }
    let moved = patch(three_days(), new().start_date(date(2027, 6, 12)), before()).unwrap().outcome;
    let dates: Vec<_> = moved.shifts.iter().map(|shift| shift.date().to_string()).collect();
    assert_eq!(dates, ["2027-06-12", "2027-06-13"], "each shift moves with its day");
}

/// Another edit could move a shift to the day that the event loses.
#[test]
fn a_patch_that_removes_days_requires_every_shift_as_it_was_read() {
    let three_days = || full_with(|event, _| event.dates.last = "2027-06-07".parse().ok());
    let fewer = patch(three_days(), EventPatch::new().end_date(date(2027, 6, 6)), before()).unwrap();
    let expected = ["Event 1 at 1", "Shift 1 at 1", "Shift 2 at 1", "put Event 1 to 2, gate 2"];
    assert_eq!(lines(&fewer), expected);
    let more = patch(three_days(), EventPatch::new().end_date(date(2027, 6, 8)), before()).unwrap();
    assert_eq!(lines(&more), ["Event 1 at 1", "put Event 1 to 2, gate 2"]);
}

#[test]
fn a_cancelled_event_takes_no_patch_and_an_event_with_active_sign_ups_stays_published() {
    let cancelled = full_with(|event, _| event.cancelled_at = Some(before()));
    assert_eq!(patch(cancelled, EventPatch::new(), before()).unwrap_err(), Error::EventCancelled);
    let unpublish = || EventPatch::new().published(false);
    assert_eq!(patch(filled(full()), unpublish(), before()).unwrap_err(), Error::EventHasSignups);
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

/// The shift begins at 09:00 in New York. The second time is after the cutoff of its waiting list.
#[test]
fn a_move_past_the_cutoff_queues_the_promotion_of_those_who_wait() {
    let room = |waitlisted| {
        full_with(|_, shifts| (shifts[0].occupancy.filled, shifts[0].occupancy.waitlisted) = (1, waitlisted))
    };
    // Until the commit, a place may come free that goes to nobody.
    let full_shift = || {
        full_with(|_, shifts| {
            let occupancy = &mut shifts[0].occupancy;
            (occupancy.filled, occupancy.waitlisted) = (occupancy.capacity.volunteers(), 2);
        })
    };
    let after_cutoff: Timestamp = "2027-06-05T12:00:00Z".parse().unwrap();
    let new = EventPatch::new;
    let later = || new().start_date(jiff::civil::date(2027, 6, 12));
    for (full, patch, now, expected) in [
        (room(2), later(), after_cutoff, true),
        (full_shift(), later(), after_cutoff, true),
        (room(0), later(), after_cutoff, false),
        (room(2), later(), before(), false),
        (room(2), new().title("Packing".parse().unwrap()), after_cutoff, false),
        (room(2), new().start_date(jiff::civil::date(2027, 6, 4)), after_cutoff, false),
    ] {
        let decided = super::super::patch_event(full, patch.without_mail(), None, limits(), None, DELAY, now);
        let decided = decided.unwrap();
        let job: Option<Notice> = put(&decided);
        let job = job.filter(|job| job.cause == NoticeCause::Promotion && job.due_at == Some(now));
        assert_eq!(job.is_some(), expected, "{:?} at {now}", decided.outcome.event.dates);
    }
}
