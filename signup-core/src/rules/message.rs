//! Sending a message to the volunteers of an event.

use jiff::Timestamp;

use super::deliver::end_portion;
use super::{Decision, NewActivity};
use crate::activity::ActivityType;
use crate::error::Error;
use crate::event::Event;
use crate::id::{MessageId, NoticeId, PersonId};
use crate::input::NewMessage;
use crate::message::Message;
use crate::notice::{Notice, NoticeCause};
use crate::secret::Digest;
use crate::signup::Signup;
use crate::store::{ChangeSet, EventInFull, Requirement, Total};
use crate::text::PersonName;

/// Returns the message that an organizer wants to send, still without its number of recipients.
///
/// # Errors
/// Returns the errors of [`Message::check_event`], and [`Error::NotFound`] if the event has no such shift.
pub(crate) fn write_message(
    EventInFull { event, shifts, .. }: &EventInFull,
    new: NewMessage,
    id: MessageId,
    sender: (PersonId, PersonName),
    now: Timestamp,
) -> Result<Message, Error> {
    Message::check_event(event, shifts, now)?;
    let NewMessage { subject, text, shift, audience } = new;
    if shift.is_some_and(|id| shifts.iter().all(|shift| shift.id != id)) {
        return Err(Error::NotFound);
    }
    let includes_past = shift.is_some() || shifts.iter().all(|shift| shift.is_over(now));
    let message = Message::new(id, (event.organization, event.id, shift), subject, text, sender, now);
    Ok(Message { audience, includes_past, ..message })
}

/// Stores a message, and queues the job that writes to its recipients.
pub(crate) fn send_message(event: &Event, message: Message, job: NoticeId) -> Decision<Message> {
    let now = message.created_at;
    let mut change = ChangeSet::default();
    change.require_gate(event);
    let total = Total::Messages(event.organization, event.id);
    change.requires.push(Requirement::Below { total, bound: Message::MAX_PER_PERIOD, now });
    change.insert(message.clone());
    let cause = NoticeCause::MessageSent { message: message.id, covered_to: None };
    change.insert(Notice::new(job, event.organization, Some(event.id), cause, now));
    let activity = NewActivity::of(ActivityType::MESSAGE_SENT, &message);
    Decision::new(message, change, [activity])
}

/// Queues the mails of a message for one portion of addresses: one to the address of each of the sign-ups. `last` is the
/// digest of the last address of the portion, if another portion follows.
pub(crate) fn queue_messages(
    job: Notice,
    message: MessageId,
    mails: Vec<(Signup, NoticeId)>,
    last: Option<Digest>,
    now: Timestamp,
) -> ChangeSet {
    let mut change = ChangeSet::default();
    for (signup, id) in mails {
        // The sign-up may be erased meanwhile.
        change.require_unchanged(&signup);
        let cause = NoticeCause::Message { message, email: signup.email };
        change.insert(Notice::new(id, signup.organization, Some(signup.event), cause, now));
    }
    let next = last.map(|last| NoticeCause::MessageSent { message, covered_to: Some(last) });
    end_portion(&mut change, job, next, now);
    change
}

#[cfg(test)]
mod tests {
    use super::super::facts::*;
    use super::*;
    use crate::conformance::records;
    use crate::id::ShiftId;
    use crate::message::Audience;
    use crate::signup::Attendance;

    fn sender() -> (PersonId, PersonName) {
        (PersonId::new(records::uuid(1)), "Grace".parse().unwrap())
    }

    fn new() -> NewMessage {
        NewMessage::new("Bring gloves".parse().unwrap(), "It will be cold.".parse().unwrap())
    }

    fn write(full: &EventInFull, new: NewMessage, now: Timestamp) -> Result<Message, Error> {
        write_message(full, new, MessageId::new(records::uuid(5)), sender(), now)
    }

    fn send(to: Option<ShiftId>) -> Decision<Message> {
        let message = write(&full(), NewMessage { shift: to, ..new() }, before()).unwrap();
        send_message(&full().event, message, notice(2))
    }

    #[test]
    fn a_message_is_stored_and_queued_once_for_all_its_volunteers() {
        let shift = full().shifts[1].id;
        for to in [None, Some(shift)] {
            let sent = send(to);
            let expected = ["Event 1 at gate 1", "messages below 5", "insert Message 5", "insert Notice 2"];
            assert_eq!(lines(&sent), expected);
            assert_eq!(named(&sent), ["message.sent"]);
            assert_eq!((sent.outcome.shift, sent.outcome.sender), (to, sender().0));
        }
    }

    #[test]
    fn a_message_can_be_sent_until_30_days_after_the_last_shift() {
        let includes_past =
            |full: EventInFull, new, now| write(&full, new, now).map(|message| message.includes_past);
        let to_shift = || new().to_shift(full().shifts[0].id);
        let cancelled = full_with(|event, _| event.cancelled_at = Some(before()));
        let unknown = new().to_shift(crate::id::ShiftId::NONE);
        assert_eq!(includes_past(cancelled, new(), before()), Err(Error::EventCancelled));
        assert_eq!(includes_past(full(), unknown, before()), Err(Error::NotFound));
        let without_shifts = EventInFull { shifts: vec![], ..full() };
        assert_eq!(includes_past(without_shifts, new(), before()), Err(Error::EventOver));
        let ends = with_night().shifts.into_iter().map(|shift| shift.interval().end);
        let (first, last) = (ends.clone().min().unwrap(), ends.max().unwrap());
        let latest = last + Message::AFTER_EVENT;
        let late = latest + jiff::SignedDuration::from_secs(1);
        for (now, expected) in [
            (before(), Ok(false)),
            (first, Ok(false)),
            (last, Ok(true)),
            (latest, Ok(true)),
            (late, Err(Error::EventOver)),
        ] {
            assert_eq!(includes_past(with_night(), new(), now), expected, "{now}");
            let of_shift = expected.map(|_| true);
            assert_eq!(includes_past(with_night(), to_shift(), now), of_shift, "to one shift, {now}");
        }
    }

    #[test]
    fn a_message_is_for_those_of_its_audience_when_the_mail_is_made() {
        use Audience::{All, Attended, Waiting};
        let shift = full().shifts.remove(0);
        let place = records::signup(&shift, 3);
        let came = Signup { attendance: Some(Attendance::Attended), ..place.clone() };
        let absent = Signup { attendance: Some(Attendance::Absent), ..place.clone() };
        let waits = records::waiting(place.clone());
        let cancelled = records::cancelled(came.clone(), before());
        let end = shift.interval().end;
        for (what, signup, sent_at, mailed_at, expected) in [
            ("a place", &place, before(), before(), vec![All]),
            ("one that waits", &waits, before(), before(), vec![Waiting]),
            ("a volunteer who came", &came, before(), before(), vec![All, Attended]),
            ("one who did not", &absent, before(), before(), vec![All]),
            ("a cancelled place", &cancelled, before(), before(), vec![]),
            ("a shift that ends before the mail is made", &came, before(), end, vec![Attended]),
            ("one that was waited for", &waits, before(), end, vec![]),
            ("a shift that was over", &came, end, end, vec![All, Attended]),
            ("one that was waited for until it was over", &waits, end, end, vec![Waiting]),
        ] {
            for includes_past in [true, false] {
                let reached = [All, Attended, Waiting].into_iter().filter(|audience| {
                    let message = write(&full(), new(), before()).unwrap();
                    let to = Message { audience: *audience, includes_past, created_at: sent_at, ..message };
                    to.is_for(signup, &shift, mailed_at)
                });
                let is_late = sent_at == end && !includes_past;
                let expected = expected.iter().copied().filter(|audience| !is_late || *audience == Attended);
                assert!(reached.eq(expected), "{what}, {includes_past}");
            }
        }
    }

    #[test]
    fn a_portion_queues_one_mail_for_each_address() {
        let full = full();
        let mails =
            [(3, 8), (5, 9)].map(|(number, id)| (records::signup(&full.shifts[0], number), notice(id)));
        let sent = send(None);
        let job: Notice = put(&sent).unwrap();
        let portion = |last| {
            change_lines(&queue_messages(job.clone(), sent.outcome.id, mails.to_vec(), last, before()))
        };
        let queued =
            ["Signup 3 at 1", "Signup 5 at 1", "Notice 2 at 1", "insert Notice 8", "insert Notice 9"];
        assert_eq!(portion(None), [&queued[..], &["remove Notice 2"]].concat());
        assert_eq!(portion(Some(Digest::of("b"))), [&queued[..], &["put Notice 2 to 2"]].concat());
    }

    #[test]
    fn a_message_is_for_earlier_sign_ups_of_its_shift() {
        let [shift, other] = [0, 1].map(|index: usize| full().shifts[index].clone());
        for (to, place, number, expected) in [
            (None, &shift, 3, true),
            (None, &other, 3, true),
            // A sign-up that was made after the message.
            (None, &shift, 6, false),
            (Some(shift.id), &shift, 3, true),
            (Some(shift.id), &other, 3, false),
        ] {
            let signup = records::signup(place, number);
            assert_eq!(send(to).outcome.is_for(&signup, place, before()), expected, "{to:?}, {number}");
        }
    }
}
