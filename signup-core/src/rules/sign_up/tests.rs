use super::super::facts::*;
use super::*;
use crate::conformance::records;
use crate::question::QuestionKind;
use crate::store::EventInFull;

mod waiting_list;

fn ada() -> NewSignup {
    NewSignup::new("Ada".parse().unwrap(), "ADA@example.org".parse().unwrap())
}

/// The form of the first shift.
fn facts(full: EventInFull) -> SignUpFacts {
    let EventInFull { event, mut shifts, questions, .. } = full;
    SignUpFacts { event, shifts: vec![shifts.remove(0)], deleted: vec![], questions }
}

/// The form of both shifts, on two days.
fn both(change: impl FnOnce(&mut [crate::shift::Shift])) -> SignUpFacts {
    let full = full_with(|_, shifts| {
        shifts[1].hours = (2, 540, 720, false).try_into().unwrap();
        change(shifts);
    });
    SignUpFacts { event: full.event, shifts: full.shifts, deleted: vec![], questions: vec![] }
}

fn family(names: &[&str]) -> NewSignup {
    names.iter().fold(ada(), |new, name| new.and(name.parse().unwrap()))
}

fn ids() -> Vec<SignupId> {
    (7..=1000).step_by(10).map(|number| SignupId::new(records::uuid(number))).collect()
}

type Decided = Result<Decision<Vec<ShiftOutcome>>, Error>;

fn sign(facts: &SignUpFacts, new: &NewSignup, now: Timestamp) -> Decided {
    sign_up(facts, new, &KnownPlaces::default(), ids(), now)
}

/// Returns how many places each shift gives, or why it gives none.
fn places(decision: &Decision<Vec<ShiftOutcome>>) -> Vec<Result<usize, Error>> {
    let places = decision.outcome.iter().map(|shift| shift.places.as_ref());
    places.map(|places| places.map(Vec::len).map_err(Clone::clone)).collect()
}

fn has_place(decision: &Decision<Vec<ShiftOutcome>>) -> bool {
    places(decision) == [Ok(1)]
}

#[test]
fn a_sign_up_requires_gates_then_a_free_place_then_room() {
    let facts_required =
        ["Event 1 at gate 1", "Shift 1 at gate 1", "no place of ada ada@example.org on Shift 1"];
    let taken = [
        "sign-ups of Shift 1 below 5",
        "waiting for Shift 1 below 1",
        "places of ada@example.org on Shift 1 below 20",
        "no Notice",
        "insert Signup 7",
        "insert Notice",
    ];
    // On a full shift, a place may be given back until the commit.
    for (filled, now, writes) in
        [(0, before(), &taken[..]), (5, before(), &taken), (6, before(), &taken), (0, after_shifts(), &[])]
    {
        let full = full_with(|_, shifts| shifts[0].occupancy.filled = filled);
        let decision = sign(&facts(full), &ada(), now).unwrap();
        assert_eq!(lines(&decision), [&facts_required[..], writes].concat());
        assert_eq!(has_place(&decision), !writes.is_empty());
    }
}

#[test]
fn a_night_takes_sign_ups_after_the_last_day_of_the_event() {
    let EventInFull { event, mut shifts, questions, .. } = with_night();
    let night = SignUpFacts { event, shifts: vec![shifts.remove(1)], deleted: vec![], questions };
    let has_place = |now| has_place(&sign(&night, &ada(), now).unwrap());
    assert!(night.event.is_over(after_event()) && has_place(after_event()));
    assert!(!has_place(night.shifts[0].interval().end));
}

/// The wall clock of New York shows 18:00 at 23:00 UTC, and at 22:00 UTC after the clock change on 2027-03-14.
#[test]
fn a_sign_up_succeeds_from_the_opening_to_the_closing_of_sign_ups() {
    for (opens, closes, now, expected) in [
        ("2027-03-01T18:00", "", "2027-03-01T22:59:59Z", false),
        ("2027-03-01T18:00", "", "2027-03-01T23:00:00Z", true),
        ("", "2027-03-15T18:00", "2027-03-15T21:59:59Z", true),
        ("", "2027-03-15T18:00", "2027-03-15T22:00:00Z", false),
        // In the gap of the clock change: 03:30.
        ("2027-03-14T02:30", "", "2027-03-14T07:29:59Z", false),
        ("2027-03-14T02:30", "2027-03-14T02:31", "2027-03-14T07:30:00Z", true),
        // They close a minute after they open.
        ("2027-03-14T02:59", "2027-03-14T03:00", "2027-03-14T07:59:59Z", true),
        ("2027-03-14T02:59", "2027-03-14T03:00", "2027-03-14T08:00:00Z", false),
    ] {
        let facts = facts(full_with(|event, _| {
            (event.signups_open_at, event.signups_close_at) = (opens.parse().ok(), closes.parse().ok());
        }));
        let decision = sign(&facts, &ada(), now.parse().unwrap()).unwrap();
        let expected = if expected { Ok(1) } else { Err(Error::SignupsClosed) };
        assert_eq!(places(&decision), [expected], "{opens} {closes} {now}");
        // A person with a place is refused with the sign-up, as on a full shift.
        assert!(lines(&decision).contains(&"no place of ada ada@example.org on Shift 1".to_owned()));
    }
}

/// Another process, whose clock is 2 seconds ahead, has closed sign-ups at 18:00.
#[test]
fn no_sign_up_succeeds_after_another_process_has_closed_sign_ups() {
    let closed = facts(full_with(|event, _| {
        event.signups_close_at = "2027-03-01T18:00".parse().ok();
        event.updated_at = "2027-03-01T23:00:01Z".parse().unwrap();
    }));
    let decision = sign(&closed, &ada(), "2027-03-01T22:59:59Z".parse().unwrap()).unwrap();
    assert_eq!(places(&decision), [Err(Error::SignupsClosed)]);
}

#[test]
fn a_form_is_there_only_for_a_published_event_that_is_not_cancelled() {
    let draft = facts(full_with(|event, _| event.is_published = false));
    let cancelled = facts(full_with(|event, _| event.cancelled_at = Some(before())));
    let cancelled_draft = facts(full_with(|event, _| {
        event.is_published = false;
        event.cancelled_at = Some(before());
    }));
    for (facts, expected) in [
        (facts(full()), Ok(())),
        (draft, Err(Error::NotFound)),
        (cancelled, Err(Error::EventCancelled)),
        (cancelled_draft, Err(Error::NotFound)),
    ] {
        assert_eq!(check_form(&facts.event), expected);
        assert_eq!(sign(&facts, &ada(), before()).map(|_| ()), expected);
    }
}

#[test]
fn answers_are_stored_in_the_order_of_the_questions_with_their_labels() {
    let event = full().event;
    let question = |number, kind, options: Vec<crate::text::Label>| Question {
        kind,
        options,
        ..records::question(&event, number, number)
    };
    let questions = vec![
        question(1, QuestionKind::Checkbox, vec![]),
        question(2, QuestionKind::Text, vec![]),
        question(3, QuestionKind::Select, vec!["S".parse().unwrap()]),
    ];
    let [tick, text, select] = [1, 2, 3].map(|number| crate::id::QuestionId::new(records::uuid(number)));
    let with = || SignUpFacts { questions: questions.clone(), ..facts(full()) };
    let new = ada().choose(select, "S".parse().unwrap()).answer(text, "none".parse().unwrap()).tick(tick);
    let signup = first_place(sign(&with(), &new, before())).signup;
    let values: Vec<_> = signup.answers.iter().map(|answer| answer.value.as_str()).collect();
    assert_eq!(values, ["yes", "none", "S"]);
    let SignUpFacts { event, shifts, .. } = facts(full());
    assert_eq!(signup.told, Told::by_form(&shifts[0], &event));
    let Err(Error::Invalid(faults)) = sign(&with(), &ada(), before()) else { panic!("answers are required") };
    assert_eq!(faults.len(), 3);
}

fn first_place(decided: Decided) -> Place {
    decided.unwrap().outcome.remove(0).places.unwrap().remove(0)
}

#[test]
fn each_person_gets_a_place_on_each_shift_in_one_change_set() {
    let decision = sign(&both(|_| {}), &family(&["Bo"]), before()).unwrap();
    let of = |shift: u32| {
        [
            format!("Shift {shift} at gate 1"),
            format!("no place of ada ada@example.org on Shift {shift}"),
            format!("no place of bo ada@example.org on Shift {shift}"),
        ]
    };
    // Two places: at most 3 of 5 places are filled, and the address has at most 18.
    let room = |shift: u32| {
        [
            format!("sign-ups of Shift {shift} below 4"),
            format!("waiting for Shift {shift} below 1"),
            format!("places of ada@example.org on Shift {shift} below 19"),
        ]
    };
    let required = [
        &["Event 1 at gate 1".to_owned()][..],
        &of(1),
        &of(2),
        &room(1),
        &room(2),
        &["no Notice".to_owned()],
    ]
    .concat();
    let mut writes: Vec<_> = [7, 17, 27, 37].map(|id| format!("insert Signup {id}")).into();
    writes.push("insert Notice".to_owned());
    assert_eq!(lines(&decision), [required, writes].concat());
    assert_eq!(named(&decision), ["signup.created"; 4]);
    assert_eq!(places(&decision), [Ok(2), Ok(2)]);
    let names = decision.outcome[1].places.as_ref().unwrap().iter().map(|place| place.signup.name.as_str());
    assert_eq!(names.collect::<Vec<_>>(), ["Ada", "Bo"]);
}

#[test]
fn a_shift_without_room_is_left_out_for_everybody_and_the_rest_is_taken() {
    let facts = both(|_| {});
    let full = [facts.shifts[0].id].into();
    let known = KnownPlaces { full, ..KnownPlaces::default() };
    let decision = sign_up(&facts, &family(&["Bo"]), &known, ids(), before()).unwrap();
    assert_eq!(places(&decision), [Err(Error::ShiftFull), Ok(2)]);
    let lines = lines(&decision);
    assert!(lines.contains(&"no place of bo ada@example.org on Shift 1".to_owned()), "{lines:?}");
    assert!(!lines.iter().any(|line| line.starts_with("sign-ups of Shift 1")), "{lines:?}");
    assert_eq!(lines.iter().filter(|line| line.starts_with("insert Signup")).count(), 2, "{lines:?}");
}

#[test]
fn a_shift_that_is_over_or_deleted_is_left_out() {
    let facts = both(|_| {});
    let end = facts.shifts[0].interval().end;
    assert_eq!(places(&sign(&facts, &ada(), end).unwrap()), [Err(Error::ShiftOver), Ok(1)]);
    let SignUpFacts { shifts, .. } = both(|_| {});
    let [first, second] = &shifts[..] else { panic!("two shifts") };
    let deleted = SignUpFacts { shifts: vec![second.clone()], deleted: vec![first.clone()], ..facts };
    let decision = sign(&deleted, &ada(), before()).unwrap();
    assert_eq!(places(&decision), [Ok(1), Err(Error::ShiftDeleted)]);
}

/// A refusal must not reveal who has a place: people with a place count like new people.
#[test]
fn a_form_asks_for_a_place_for_each_person_even_one_with_a_place() {
    let facts = facts(full());
    let new = family(&["Bo", "Cy"]);
    let held = records::signup(&facts.shifts[0], 3);
    let rooms = |held| {
        let decision =
            sign_up(&facts, &new, &KnownPlaces { held, ..KnownPlaces::default() }, ids(), before());
        let lines = lines(&decision.unwrap());
        lines.into_iter().filter(|line| line.contains(" below ")).collect::<Vec<_>>()
    };
    let expected = [
        "sign-ups of Shift 1 below 3",
        "waiting for Shift 1 below 1",
        "places of ada@example.org on Shift 1 below 18",
    ];
    assert_eq!(rooms(BTreeMap::new()), expected);
    let all = (0..3).map(|index| ((facts.shifts[0].id, index), held.clone())).collect();
    assert_eq!(rooms(all), expected);
    let small = |capacity| {
        let mut facts = facts.clone();
        facts.shifts[0].shift.occupancy.capacity = crate::occupancy::Capacity::new(capacity).unwrap();
        lines(&sign(&facts, &new, before()).unwrap())
    };
    for (capacity, bound) in [(0, 0), (2, 0), (3, 1)] {
        let expected = format!("sign-ups of Shift 1 below {bound}");
        assert!(small(capacity).contains(&expected), "{capacity}");
    }
}

#[test]
fn a_repeated_sign_up_is_mailed_at_once_and_then_at_most_once_an_hour() {
    let facts = facts(full());
    let shift = facts.shifts[0].id;
    let signup = records::signup(&facts.shifts[0], 3);
    let again = ["Signup 3 at 1", "no Notice", "put Signup 3 to 2", "insert Notice"];
    for full in [[].into(), [shift].into()] {
        for (seconds, expected) in [
            (None, &again[..]),
            (Some(0), &again[..1]),
            (Some(3599), &again[..1]),
            (Some(3600), &again),
            (Some(-1), &again),
        ] {
            let repeated_at = seconds.map(|seconds| before() - jiff::SignedDuration::from_secs(seconds));
            let signup = Signup { repeated_at, ..signup.clone() };
            let held = [((shift, 0), signup.clone())].into();
            let known = KnownPlaces { held, full: BTreeSet::clone(&full), recipient: None };
            let decision = sign_up(&facts, &ada(), &known, ids(), before()).unwrap();
            let mut lines = lines(&decision);
            lines.retain(|line| !line.contains("gate") && !line.contains("below"));
            assert_eq!(lines, expected, "{seconds:?} seconds after the last mail");
            assert_eq!(named(&decision), [""; 0]);
            match decision.outcome[0].places.clone() {
                Ok(places) => assert_eq!(places, [Place { signup, is_new: false }]),
                refused => assert_eq!((refused, full.len()), (Err(Error::ShiftFull), 1)),
            }
        }
    }
}
