//! Signing up for a shift.

use jiff::Timestamp;

use super::edit::check_not_cancelled;
use super::mail::{MailIds, queue_mail};
use super::{Decision, NewActivity};
use crate::activity::ActivityType;
use crate::error::Error;
use crate::event::{Event, SignupPhase};
use crate::id::SignupId;
use crate::input::NewSignup;
use crate::notice::NoticeCause;
use crate::question::Question;
use crate::secret::Secret;
use crate::shift::ScheduledShift;
use crate::signup::{Signup, SignupState};
use crate::store::{ChangeSet, Requirement, Total, Unique};
use crate::time_and_place::TimeAndPlace;

/// The records on which signing up depends.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SignUpFacts {
    /// The event.
    pub(crate) event: Event,
    /// The shift.
    pub(crate) shift: ScheduledShift,
    /// The event's questions.
    pub(crate) questions: Vec<Question>,
}

/// A new sign-up and the secret to cancel it with, or why the shift takes no sign-up.
pub(crate) type TakenPlace = Result<(Signup, Secret), Error>;

/// Checks that the event shows a form for the shift.
///
/// # Errors
/// Returns [`Error::NotFound`] if the event is a draft or the shift belongs to another event, and
/// [`Error::EventCancelled`].
pub(crate) fn check_form(SignUpFacts { event, shift, .. }: &SignUpFacts) -> Result<(), Error> {
    if !event.is_published || shift.event != event.id {
        return Err(Error::NotFound);
    }
    check_not_cancelled(event)
}

/// Takes a place on a shift.
///
/// The outcome is an error if the shift takes no sign-up: [`Error::ShiftOver`] or [`Error::SignupsClosed`].
///
/// The store checks under its lock that the person has no place yet and that a place is left, in this order. A
/// person with a place is refused with the sign-up, even if the shift is full or over, or sign-ups are closed. The service then
/// [mails what the place is](sign_up_again).
///
/// # Errors
/// Returns the errors of [`check_form`], and [`Error::Invalid`] with every fault of the answers.
pub(crate) fn sign_up(
    facts: &SignUpFacts,
    new: &NewSignup,
    id: SignupId,
    mail: MailIds,
    now: Timestamp,
) -> Result<Decision<TakenPlace>, Error> {
    check_form(facts)?;
    let SignUpFacts { event, shift, questions } = facts;
    let answers = new.answers_to(questions)?;
    let organization = shift.organization;
    let mut change = ChangeSet::default();
    change.require_gate(event);
    change.require_gate(&shift.shift);
    let place = Unique::place(organization, shift.id, &new.email, &new.name);
    change.requires.push(Requirement::Absent { unique: place, now });
    if let Err(closed) = check_open(facts, now) {
        return Ok(Decision::unrecorded(Err(closed), change));
    }
    let signup = Signup {
        id,
        organization,
        event: event.id,
        shift: shift.id,
        name: new.name.clone(),
        email: new.email.clone(),
        told: TimeAndPlace::of(shift, event),
        answers,
        state: SignupState::Confirmed,
        version: 1,
        created_at: now,
        reason: None,
        repeated_at: None,
    };
    let (total, bound) = (Total::Filled(organization, shift.id), shift.occupancy.capacity.volunteers());
    change.requires.push(Requirement::Below { total, bound, now });
    let total = Total::PlacesOf(organization, shift.id, new.email.key().to_owned());
    change.requires.push(Requirement::Below { total, bound: Signup::MAX_PER_ADDRESS, now });
    change.insert(signup.clone());
    let secret = mail.secret.clone();
    queue_mail(&mut change, &signup, mail, |signup, secret| NoticeCause::SignedUp { signup, secret }, now);
    let created = NewActivity::of(ActivityType::SIGNUP_CREATED, &signup);
    Ok(Decision::new(Ok((signup, secret)), change, [created]))
}

/// Checks that the shift takes sign-ups at `now` if it has room.
///
/// # Errors
/// Returns [`Error::ShiftOver`], and [`Error::SignupsClosed`] before they open and after they close.
pub(crate) fn check_open(
    SignUpFacts { event, shift, .. }: &SignUpFacts,
    now: Timestamp,
) -> Result<(), Error> {
    if shift.is_over(now) {
        return Err(Error::ShiftOver);
    }
    // The request that closed sign-ups may have had a later clock.
    match event.signup_phase(now.max(event.updated_at)) {
        SignupPhase::Open => Ok(()),
        SignupPhase::Ahead | SignupPhase::Closed => Err(Error::SignupsClosed),
    }
}

/// Queues a mail about a repeated sign-up, which shows the place that the address has. Earlier links keep working.
///
/// Changes nothing within [`Signup::MAIL_AGAIN_AFTER`] of the last such mail, so repeated forms cannot flood a mailbox. A
/// `repeated_at` in the future was set by a clock that was ahead, and counts as old. A cancelled sign-up has no place to show.
pub(crate) fn sign_up_again(signup: Signup, mail: MailIds, now: Timestamp) -> Decision<()> {
    let was_mailed_lately =
        signup.repeated_at.is_some_and(|at| at <= now && now < at + Signup::MAIL_AGAIN_AFTER);
    if was_mailed_lately || !signup.is_confirmed() {
        return Decision::unchanged(());
    }
    let repeated = Signup { repeated_at: Some(now), version: signup.version + 1, ..signup.clone() };
    let mut change = ChangeSet::default();
    change.replace(signup, repeated.clone());
    let cause = |signup, secret| NoticeCause::SignedUpAgain { signup, secret };
    queue_mail(&mut change, &repeated, mail, cause, now);
    Decision::unrecorded((), change)
}

#[cfg(test)]
mod tests {
    use super::super::facts::*;
    use super::*;
    use crate::conformance::records;
    use crate::link::Link;
    use crate::question::QuestionKind;
    use crate::store::{EventInFull, Record, Write};

    fn ada() -> NewSignup {
        NewSignup::new("Ada".parse().unwrap(), "ADA@example.org".parse().unwrap())
    }

    fn facts(full: EventInFull) -> SignUpFacts {
        let EventInFull { event, mut shifts, questions, .. } = full;
        SignUpFacts { event, shift: shifts.remove(0), questions }
    }

    fn sign(facts: &SignUpFacts, new: &NewSignup, now: Timestamp) -> Result<Decision<TakenPlace>, Error> {
        sign_up(facts, new, SignupId::new(records::uuid(7)), mail(8), now)
    }

    #[test]
    fn a_sign_up_requires_gates_then_a_free_place_then_room() {
        let facts_required =
            ["Event 1 at gate 1", "Shift 1 at gate 1", "no place of ada ada@example.org on Shift 1"];
        let taken = [
            "sign-ups of Shift 1 below 5",
            "places of ada@example.org on Shift 1 below 20",
            "insert Signup 7",
            "insert Link 0",
            "insert Notice 8",
        ];
        // On a full shift, a place may be given back until the commit.
        for (filled, now, writes) in [
            (0, before(), &taken[..]),
            (5, before(), &taken),
            (6, before(), &taken),
            (0, after_shifts(), &[]),
        ] {
            let full = full_with(|_, shifts| shifts[0].occupancy.filled = filled);
            let decision = sign(&facts(full), &ada(), now).unwrap();
            assert_eq!(lines(&decision), [&facts_required[..], writes].concat());
            assert_eq!(decision.outcome.is_ok(), !writes.is_empty());
        }
    }

    #[test]
    fn a_night_takes_sign_ups_after_the_last_day_of_the_event() {
        let EventInFull { event, mut shifts, questions, .. } = with_night();
        let night = SignUpFacts { event, shift: shifts.remove(1), questions };
        let has_place = |now| sign(&night, &ada(), now).unwrap().outcome.is_ok();
        assert!(night.event.is_over(after_event()) && has_place(after_event()));
        assert!(!has_place(night.shift.interval().end));
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
            let is_closed = decision.outcome == Err(Error::SignupsClosed);
            assert_eq!(
                (decision.outcome.is_ok(), is_closed),
                (expected, !expected),
                "{opens} {closes} {now}"
            );
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
        assert_eq!(decision.outcome, Err(Error::SignupsClosed));
    }

    #[test]
    fn a_form_is_there_only_for_a_shift_of_a_published_event_that_is_not_cancelled() {
        let draft = facts(full_with(|event, _| event.is_published = false));
        let cancelled = facts(full_with(|event, _| event.cancelled_at = Some(before())));
        let mut elsewhere = facts(full());
        elsewhere.shift.shift.event = crate::id::EventId::new(records::uuid(5));
        let cancelled_draft = facts(full_with(|event, _| {
            event.is_published = false;
            event.cancelled_at = Some(before());
        }));
        for (facts, expected) in [
            (facts(full()), Ok(())),
            (draft, Err(Error::NotFound)),
            (elsewhere, Err(Error::NotFound)),
            (cancelled, Err(Error::EventCancelled)),
            (cancelled_draft, Err(Error::NotFound)),
        ] {
            assert_eq!(check_form(&facts), expected);
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
        let (signup, _) = sign(&with(), &new, before()).unwrap().outcome.unwrap();
        let values: Vec<_> = signup.answers.iter().map(|answer| answer.value.as_str()).collect();
        assert_eq!(values, ["yes", "none", "S"]);
        let SignUpFacts { event, shift, .. } = facts(full());
        assert_eq!(signup.told, TimeAndPlace::of(&shift, &event));
        let Err(Error::Invalid(faults)) = sign(&with(), &ada(), before()) else {
            panic!("answers are required")
        };
        assert_eq!(faults.len(), 3);
    }

    #[test]
    fn a_repeated_sign_up_is_mailed_at_once_and_then_at_most_once_an_hour() {
        let signup = records::signup(&facts(full()).shift, 3);
        let again = ["Signup 3 at 1", "put Signup 3 to 2", "insert Link 0", "insert Notice 8"];
        for (seconds, expected) in
            [(None, &again[..]), (Some(0), &[]), (Some(3599), &[]), (Some(3600), &again), (Some(-1), &again)]
        {
            let repeated_at = seconds.map(|seconds| before() - jiff::SignedDuration::from_secs(seconds));
            let signup = Signup { repeated_at, ..signup.clone() };
            let decision = sign_up_again(signup, mail(8), before());
            assert_eq!(lines(&decision), expected, "{seconds:?} seconds after the last mail");
        }
        let cancelled = signup.cancelled(before(), crate::shift::CancelledBy::Volunteer);
        assert_eq!(lines(&sign_up_again(cancelled, mail(8), before())), [""; 0]);
    }

    #[test]
    fn every_mail_carries_a_link_of_its_own() {
        let decision = sign(&facts(full()), &ada(), before()).unwrap();
        let again = sign_up_again(records::signup(&facts(full()).shift, 7), mail(9), after_event()).change;
        let mut digests = vec![];
        for change in [&decision.change, &again] {
            let [
                Write::Put { after: Record::Signup(signup), .. },
                Write::Put { before: None, after: Record::Link(link) },
                Write::Put { before: None, after: Record::Notice(notice) },
            ] = &change.writes[..]
            else {
                panic!("{change:?}")
            };
            let secret = notice.cause.secret().unwrap();
            assert_eq!((**link, notice.cause.signup()), (Link::new(signup, secret), Some(signup.id)));
            digests.push(link.digest);
        }
        assert_ne!(digests[0], digests[1]);
        let (_, secret) = decision.outcome.unwrap();
        assert_eq!(secret.digest(), digests[0], "the caller gets the link of the mail");
    }
}
