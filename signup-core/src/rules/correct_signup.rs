//! Correcting the name or the address of a sign-up.

use jiff::Timestamp;

use super::recipient::{WantedBy, want};
use super::{Decision, NewActivity};
use crate::activity::ActivityType;
use crate::error::Error;
use crate::input::Correction;
use crate::notice::Notice;
use crate::signup::{Signup, Told};
use crate::store::{ChangeSet, Requirement, SignupInFull, Total, Unique};

/// Corrects the name and the address of an active sign-up. Another address is mailed what the sign-up is, unless the shift is over:
/// `recipient` is the one of that address. The old address is not mailed. A correction that changes no value writes nothing.
///
/// The store refuses with the sign-up that the person has already for the shift, or with the number of those of the address.
///
/// # Errors
/// Returns [`Error::SignupCancelled`] or [`Error::ShiftDeleted`], and [`Error::Conflict`] with the fields that another caller has
/// changed since the values of the correction were read.
pub(crate) fn correct_signup(
    found: SignupInFull,
    correction: Correction,
    recipient: Option<Notice>,
    now: Timestamp,
) -> Result<Decision<Signup>, Error> {
    let SignupInFull { event, shift, signup, .. } = found;
    if !signup.is_active() {
        return Err(Error::SignupCancelled);
    }
    if shift.deleted_at.is_some() {
        return Err(Error::ShiftDeleted);
    }
    let correction = correction.merged(&signup).map_err(Error::Conflict)?;
    let corrected = correction.apply(signup.clone());
    if Correction::present(&corrected).differences(&Correction::present(&signup)).is_empty() {
        return Ok(Decision::unchanged(signup));
    }
    let is_readdressed = signup.email != corrected.email;
    let corrected = if is_readdressed {
        // The new address was not told that it waits, so a place is new to it. The calendar entry goes on: an address that gets the
        // sign-up back has the former entry.
        let told = Told { sequence: signup.told.sequence, ..Told::by_form(&shift, &event) };
        Signup { told, has_waited: corrected.is_waitlisted(), promoted_at: None, ..corrected }
    } else {
        corrected
    };
    let corrected = Signup { changed_at: Some(now), version: signup.version + 1, ..corrected };
    let place_of =
        |signup: &Signup| Unique::place(signup.organization, signup.shift, &signup.email, &signup.name);
    let mut change = ChangeSet::default();
    // The closing of the shift cancels the sign-up. The new address is told the hours of the shift and the days of the event.
    change.require_gate(&event);
    change.require_gate(&shift.shift);
    if place_of(&corrected) != place_of(&signup) {
        change.requires.push(Requirement::Absent { unique: place_of(&corrected), now });
    }
    if is_readdressed {
        let total = Total::PlacesOf(signup.organization, signup.shift, corrected.email.key().to_owned());
        change.requires.push(Requirement::Below { total, bound: Signup::MAX_PER_ADDRESS, now });
    }
    change.replace(signup, corrected.clone());
    if is_readdressed && !shift.is_over(now) {
        want(&mut change, &corrected, recipient, WantedBy::Organizer, now);
    }
    let activity = NewActivity::of(ActivityType::SIGNUP_CORRECTED, &corrected);
    Ok(Decision::new(corrected, change, [activity]))
}

#[cfg(test)]
mod tests {
    use super::super::facts::*;
    use super::*;
    use crate::conformance::records;
    use crate::shift::{CancelledBy, Shift};
    use crate::store::EventInFull;

    fn found_with(change: impl FnOnce(&mut Shift)) -> SignupInFull {
        let EventInFull { event, mut shifts, .. } = full_with(|_, shifts| change(&mut shifts[0]));
        let shift = shifts.remove(0).shift;
        let signup = records::signup(&shift, 3);
        SignupInFull::new(records::organization(1), event, shift, signup)
    }

    fn correct(name: &str, email: &str, now: Timestamp) -> Decision<Signup> {
        correct_signup(found_with(|_| {}), to(name, email), None, now).unwrap()
    }

    fn to(name: &str, email: &str) -> Correction {
        Correction::new().name(name.parse().unwrap()).email(email.parse().unwrap())
    }

    const GATES: [&str; 2] = ["Event 1 at gate 1", "Shift 1 at gate 1"];
    const PUT: [&str; 2] = ["Signup 3 at 1", "put Signup 3 to 2"];

    #[test]
    fn another_address_is_mailed_as_if_it_had_signed_up() {
        let decided = correct("Ada", "ada@example.com", before());
        let expected = [
            GATES[0],
            GATES[1],
            "no place of ada ada@example.com on Shift 1",
            "places of ada@example.com on Shift 1 below 20",
            PUT[0],
            "no Notice",
            PUT[1],
            "insert Notice",
        ];
        assert_eq!(lines(&decided), expected);
        assert_eq!(named(&decided), ["signup.corrected"]);
        let Signup { told, changed_at, .. } = &decided.outcome;
        assert_eq!((told.status, told.sequence, *changed_at), (None, 2, Some(before())));
        let recipient = put::<Notice, _>(&decided).unwrap();
        assert_eq!(recipient.recipient().unwrap().email.as_str(), "ada@example.com");
        let late = correct("Ada", "ada@example.com", after_shifts());
        assert!(put::<Notice, _>(&late).is_none(), "the shift is over");
    }

    #[test]
    fn a_place_is_new_to_another_address_also_after_a_promotion() {
        let corrected = |signup: Signup, name, email| {
            let found = SignupInFull { signup, ..found_with(|_| {}) };
            let Signup { has_waited, promoted_at, .. } =
                correct_signup(found, to(name, email), None, before()).unwrap().outcome;
            (has_waited, promoted_at)
        };
        let waiting = Signup { has_waited: true, ..records::waiting(found_with(|_| {}).signup) };
        let promoted = waiting.clone().promoted(before());
        assert_eq!(corrected(promoted.clone(), "Ada", "ada@example.com"), (false, None));
        assert_eq!(corrected(promoted, "Bo", "ada3@example.org"), (true, Some(before())));
        assert_eq!(corrected(waiting, "Ada", "ada@example.com"), (true, None));
    }

    #[test]
    fn another_name_and_another_spelling_of_the_address_mail_nobody() {
        let renamed = correct("Ada Lovelace", "ada3@example.org", before());
        let place = "no place of ada lovelace ada3@example.org on Shift 1";
        assert_eq!(lines(&renamed), [GATES[0], GATES[1], place, PUT[0], PUT[1]]);
        assert!(renamed.outcome.told.status.is_some(), "what was told stays");
        for (name, email) in [("ADA", "ada3@example.org"), ("Ada", "Ada3@example.org")] {
            assert_eq!(lines(&correct(name, email, before())), [GATES, PUT].concat(), "the same person");
        }
        let same = correct("Ada", "ada3@example.org", before());
        assert_eq!((lines(&same), named(&same)), (vec![], vec![]));
    }

    #[test]
    fn a_correction_keeps_what_somebody_else_has_corrected_since_it_was_read() {
        let merged = |typed: Correction| {
            let read = to("Ada", "ada@exmaple.org");
            correct_signup(found_with(|_| {}), typed.read(read), None, before()).map(|merged| {
                let Signup { name, email, .. } = merged.outcome;
                (name.to_string(), email.to_string())
            })
        };
        let both = ("Bo".to_owned(), "ada3@example.org".to_owned());
        assert_eq!(merged(to("Bo", "ada@exmaple.org")), Ok(both));
        assert_eq!(merged(to("Ada", "bo@example.org")), Err(Error::Conflict(vec!["email"])));
    }

    #[test]
    fn only_an_active_sign_up_for_a_shift_that_is_not_deleted_is_corrected() {
        let refused = |found| {
            let bo = to("Bo", "bo@example.org");
            correct_signup(found, bo, None, before()).map(|corrected| corrected.outcome.state)
        };
        let with = |signup| SignupInFull { signup, ..found_with(|_| {}) };
        let signup = found_with(|_| {}).signup;
        let waiting = records::waiting(signup.clone());
        assert_eq!(refused(with(waiting.clone())), Ok(waiting.state));
        let cancelled = signup.cancelled(before(), CancelledBy::Volunteer);
        assert_eq!(refused(with(cancelled)), Err(Error::SignupCancelled));
        let deleted = found_with(|shift| shift.deleted_at = Some(before()));
        assert_eq!(refused(deleted), Err(Error::ShiftDeleted));
    }
}
