//! Sending a message to the volunteers of an event.

use jiff::Timestamp;

use super::deliver::end_portion;
use super::{Decision, NewActivity};
use crate::activity::ActivityType;
use crate::error::Error;
use crate::id::{MessageId, NoticeId, PersonId, ShiftId, SignupId};
use crate::input::NewMessage;
use crate::message::Message;
use crate::notice::{Notice, NoticeCause};
use crate::shift::ScheduledShift;
use crate::signup::Signup;
use crate::store::{ChangeSet, EventInFull, Requirement, Total};
use crate::text::PersonName;

/// Stores a message, and queues the job that writes to the volunteers. The tuples have the ids of both, and the sender.
///
/// # Errors
/// - [`Error::EventCancelled`].
/// - [`Error::NotFound`] if the event has no such shift.
/// - [`Error::ShiftOver`] if the shift is over, [`Error::EventOver`] if every shift is.
pub(crate) fn send_message(
    full: &EventInFull,
    new: NewMessage,
    (id, notice): (MessageId, NoticeId),
    sender: (PersonId, PersonName),
    now: Timestamp,
) -> Result<Decision<Message>, Error> {
    check_addressed(full, new.shift, now)?;
    let event = &full.event;
    let mut change = ChangeSet::default();
    change.require_gate(event);
    let total = Total::Messages(event.organization, event.id);
    change.requires.push(Requirement::Below { total, bound: Message::MAX_PER_PERIOD, now });
    let place = (event.organization, event.id, new.shift);
    let message = Message::new(id, place, new.subject, new.text, sender, now);
    change.insert(message.clone());
    let cause = NoticeCause::MessageSent { message: id, covered_to: None };
    change.insert(Notice::new(notice, event.organization, Some(event.id), cause, now));
    let activity = NewActivity::of(ActivityType::MESSAGE_SENT, &message);
    Ok(Decision::new(message, change, [activity]))
}

/// Checks that a message to the event, or to one of its shifts, could be sent. Returns a shift that it is for.
///
/// # Errors
/// As of [`send_message`], apart from [`Error::TooManyMessages`].
pub(crate) fn check_addressed(
    full: &EventInFull,
    shift: Option<ShiftId>,
    now: Timestamp,
) -> Result<&ScheduledShift, Error> {
    if full.event.is_cancelled() {
        return Err(Error::EventCancelled);
    }
    let Some(id) = shift else {
        return full.shifts.iter().find(|shift| !shift.is_over(now)).ok_or(Error::EventOver);
    };
    let shift = full.shifts.iter().find(|shift| shift.id == id).ok_or(Error::NotFound)?;
    if shift.is_over(now) { Err(Error::ShiftOver) } else { Ok(shift) }
}

/// Queues the mails of a message for one portion of addresses: one for each of `mails`, to the address of its sign-up. `last` is the last
/// sign-up of the portion, if another one follows.
pub(crate) fn queue_messages(
    job: Notice,
    message: MessageId,
    mails: Vec<(Signup, NoticeId)>,
    last: Option<SignupId>,
    now: Timestamp,
) -> ChangeSet {
    let mut change = ChangeSet::default();
    for (signup, id) in mails {
        // The sign-up may be erased meanwhile.
        change.require_unchanged(&signup);
        let cause = NoticeCause::Message { message, email: signup.email };
        change.insert(Notice::new(id, signup.organization, Some(signup.event), cause, now));
    }
    end_portion(&mut change, job, last, now);
    change
}

#[cfg(test)]
mod tests {
    use super::super::facts::*;
    use super::*;
    use crate::conformance::records;

    fn ids() -> (MessageId, NoticeId) {
        (MessageId::new(records::uuid(1)), notice(2))
    }

    fn sender() -> (PersonId, PersonName) {
        (PersonId::new(records::uuid(1)), "Grace".parse().unwrap())
    }

    fn new() -> NewMessage {
        NewMessage::new("Bring gloves".parse().unwrap(), "It will be cold.".parse().unwrap())
    }

    #[test]
    fn a_message_is_stored_and_queued_once_for_all_its_volunteers() {
        let shift = full().shifts[1].id;
        for to in [None, Some(shift)] {
            let sent =
                send_message(&full(), NewMessage { shift: to, ..new() }, ids(), sender(), before()).unwrap();
            let expected = ["Event 1 at gate 1", "messages below 5", "insert Message 1", "insert Notice 2"];
            assert_eq!(lines(&sent), expected);
            assert_eq!(named(&sent), ["message.sent"]);
            assert_eq!((sent.outcome.shift, sent.outcome.sender), (to, sender().0));
        }
    }

    #[test]
    fn a_message_needs_a_shift_that_is_not_over() {
        let send = |full, new, now| send_message(&full, new, ids(), sender(), now).map(drop);
        let to_shift = |full: &EventInFull| new().to_shift(full.shifts[0].id);
        let cancelled = full_with(|event, _| event.cancelled_at = Some(before()));
        let unknown = new().to_shift(crate::id::ShiftId::NONE);
        assert_eq!(send(cancelled, new(), before()), Err(Error::EventCancelled));
        assert_eq!(send(full(), unknown, before()), Err(Error::NotFound));
        assert_eq!(send(full(), to_shift(&full()), after_shifts()), Err(Error::ShiftOver));
        assert_eq!(send(full(), new(), after_shifts()), Err(Error::EventOver));
    }

    #[test]
    fn a_portion_queues_one_mail_for_each_address() {
        let full = full();
        let mails =
            [(3, 8), (5, 9)].map(|(number, id)| (records::signup(&full.shifts[0], number), notice(id)));
        let sent = send_message(&full, new(), ids(), sender(), before()).unwrap();
        let job: Notice = put(&sent).unwrap();
        let portion = |last| {
            change_lines(&queue_messages(job.clone(), sent.outcome.id, mails.to_vec(), last, before()))
        };
        let queued =
            ["Signup 3 at 1", "Signup 5 at 1", "Notice 2 at 1", "insert Notice 8", "insert Notice 9"];
        assert_eq!(portion(None), [&queued[..], &["remove Notice 2"]].concat());
        assert_eq!(portion(Some(mails[0].0.id)), [&queued[..], &["put Notice 2 to 2"]].concat());
    }

    #[test]
    fn a_message_is_for_sign_ups_that_were_confirmed_when_it_was_sent() {
        let full = full();
        let (shift, other) = (full.shifts[0].clone(), full.shifts[1].clone());
        let sent_at = records::at(1000);
        let id = MessageId::new(records::uuid(5));
        let message = |shift| {
            let (place, text) = ((shift_owner(&full), full.event.id, shift), new());
            Message::new(id, place, text.subject, text.text, sender(), sent_at)
        };
        let cancelled = |at| records::cancelled(records::signup(&shift, 3), records::at(at));
        for (what, message, signup, expected) in [
            ("a place", message(None), records::signup(&shift, 3), true),
            ("one that was made later", message(None), records::signup(&shift, 6), false),
            ("cancelled long before", message(None), cancelled(900), false),
            ("cancelled before, by another clock", message(None), cancelled(950), true),
            ("cancelled since", message(None), cancelled(2000), true),
            ("on the chosen shift", message(Some(shift.id)), records::signup(&shift, 3), true),
            ("on another shift", message(Some(other.id)), records::signup(&shift, 3), false),
        ] {
            assert_eq!(message.is_for(&signup), expected, "{what}");
        }
    }

    fn shift_owner(full: &EventInFull) -> crate::id::OrganizationId {
        full.event.organization
    }
}
