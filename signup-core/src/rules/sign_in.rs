//! Signing in: a code is asked for and entered, and a sign-in is used and ended.

use jiff::Timestamp;

use super::Decision;
use crate::error::{Error, Result};
use crate::id::{NoticeId, OrganizationId};
use crate::notice::{Notice, NoticeCause};
use crate::person::Person;
use crate::secret::Secret;
use crate::sign_in::{Code, SignIn, SignInCode};
use crate::store::{ChangeSet, Requirement, Unique};
use crate::text::EmailAddress;

/// Records the code that a browser asks for, and queues the mail with it. The code that the browser asked for before no longer
/// works.
///
/// The rule does not depend on whether a person has the address, so no answer reveals that. The delivery drops the mail to an
/// unknown address.
pub(crate) fn request_code(
    before: Option<SignInCode>,
    browser: &Secret,
    email: EmailAddress,
    code: Code,
    notice: NoticeId,
    now: Timestamp,
) -> Decision<()> {
    let new = SignInCode::new(browser, email.clone(), &code, now);
    let cause = NoticeCause::SignInCode { email, code, browser: new.browser, digest: new.digest };
    let mut change = ChangeSet::default();
    match before {
        Some(before) => {
            let version = before.version + 1;
            change.replace(before, SignInCode { version, ..new });
        }
        None => {
            change.requires.push(Requirement::Absent { unique: Unique::SignInCode(new.browser), now });
            change.insert(new);
        }
    }
    change.insert(Notice::new(notice, OrganizationId::NONE, None, cause, now));
    Decision::unrecorded((), change).again_after(|_| true)
}

/// What the answer to an entered code depends on.
#[derive(Debug, Clone, Default)]
pub(crate) struct CodeFacts {
    /// The code that the browser asked for.
    pub(crate) code: Option<SignInCode>,
    /// The person who has the address to which the code was mailed.
    pub(crate) person: Option<Person>,
    /// The present sign-in of the browser.
    pub(crate) current: Option<SignIn>,
}

/// Checks a code that a person enters in a browser, and signs the person in with `secret`. The new sign-in replaces the present
/// one.
///
/// A used code is kept, without a try, until it is purged. So the next code of the browser has a later version, and the commit of a
/// call that has read the used code is refused.
///
/// The outcome of a wrong code is an error. The try is committed before the call returns. So all processes together accept at most
/// [`SignInCode::MAX_TRIES`] tries.
///
/// # Errors
/// Returns [`Error::CodeGone`] if the browser has no code that works. The outcome is [`Error::WrongCode`], or
/// [`Error::CodeGone`] after the last try.
pub(crate) fn enter_code(
    facts: CodeFacts,
    browser: &Secret,
    entered: &Code,
    secret: &Secret,
    now: Timestamp,
) -> Result<Decision<Result<SignIn>>> {
    let CodeFacts { code, person, current } = facts;
    let code = code.filter(|code| code.works(now)).ok_or(Error::CodeGone)?;
    let mut change = ChangeSet::default();
    let is_right = code.digest == SignInCode::digest_of(browser, entered);
    // If no person has the address, no code is right.
    let Some(person) = person.filter(|_| is_right) else {
        let tried = SignInCode { tries: code.tries + 1, version: code.version + 1, ..code.clone() };
        let is_last = tried.tries == SignInCode::MAX_TRIES;
        change.replace(code, tried);
        let error = if is_last { Error::CodeGone } else { Error::WrongCode };
        return Ok(Decision::unrecorded(Err(error), change));
    };
    let used = SignInCode { tries: SignInCode::MAX_TRIES, version: code.version + 1, ..code.clone() };
    change.replace(code, used);
    // The person has a membership: the end of the last one would have removed the person.
    change.require_unchanged(&person);
    if let Some(current) = current {
        change.remove(current);
    }
    let sign_in = SignIn::new(secret, &person, now);
    change.insert(sign_in);
    Ok(Decision::unrecorded(Ok(sign_in), change))
}

/// Records that a sign-in was used. Writes nothing if a use is recorded that is less than a minute older, for example by another
/// process.
pub(crate) fn use_sign_in(sign_in: SignIn, used_at: Timestamp) -> Decision<()> {
    let mut change = ChangeSet::default();
    if sign_in.is_use_to_record(used_at) {
        change.replace(sign_in, SignIn { used_at, version: sign_in.version + 1, ..sign_in });
    }
    Decision::unrecorded((), change)
}

/// Ends a sign-in.
pub(crate) fn sign_out(sign_in: SignIn) -> Decision<()> {
    let mut change = ChangeSet::default();
    change.remove(sign_in);
    Decision::unrecorded((), change)
}

/// Returns the person of the next generation, whose earlier sign-ins have all ended.
pub(super) fn next_generation(person: &Person) -> Person {
    Person { generation: person.generation + 1, version: person.version + 1, ..person.clone() }
}

/// Ends every sign-in of a person by one write.
pub(crate) fn sign_out_everywhere(person: Person) -> Decision<Person> {
    let signed_out = next_generation(&person);
    let mut change = ChangeSet::default();
    change.replace(person, signed_out.clone());
    Decision::unrecorded(signed_out, change)
}

#[cfg(test)]
mod tests {
    use super::super::facts::*;
    use super::*;
    use crate::conformance::records::{self, at};

    fn browser() -> Secret {
        records::secret(1)
    }

    fn code(text: &str) -> Code {
        text.parse().unwrap()
    }

    fn email() -> EmailAddress {
        "Ada@example.org".parse().unwrap()
    }

    /// Returns the code `abcdefgh` of the browser.
    fn asked() -> SignInCode {
        SignInCode::new(&browser(), email(), &code("abcdefgh"), at(0))
    }

    fn facts(code: SignInCode) -> CodeFacts {
        CodeFacts { code: Some(code), person: Some(records::person(1)), current: None }
    }

    fn enter(facts: CodeFacts, text: &str, now: Timestamp) -> Result<Decision<Result<SignIn>>> {
        enter_code(facts, &browser(), &code(text), &records::secret(2), now)
    }

    #[test]
    fn a_new_code_takes_the_place_of_the_one_before() {
        let request = |before| request_code(before, &browser(), email(), code("abcdefgh"), notice(8), at(0));
        let first = request(None);
        let absent = format!("no {:?}", Unique::SignInCode(browser().digest()));
        assert_eq!(lines(&first), [absent.as_str(), "insert SignInCode 0", "insert Notice 8"]);
        let tried = SignInCode { tries: 5, version: 6, ..asked() };
        let again = request(Some(tried));
        assert_eq!(lines(&again), ["SignInCode 0 at 6", "put SignInCode 0 to 7", "insert Notice 8"]);
        let tries = put::<SignInCode, _>(&again).map(|code| code.tries);
        assert_eq!(tries, Some(0), "the new code has all its tries");
    }

    #[test]
    fn the_right_code_signs_in_once_and_ends_the_present_sign_in() {
        let person = records::person(1);
        for text in ["abcdefgh", "abcd efgh", " ABCD EFGH\t"] {
            let entered = enter(facts(asked()), text, at(599)).unwrap();
            let expected = ["SignInCode 0 at 1", "Person 1 at 1", "put SignInCode 0 to 2", "insert SignIn 0"];
            assert_eq!(lines(&entered), expected);
            assert_eq!(entered.outcome, Ok(SignIn::new(&records::secret(2), &person, at(599))));
        }
        let current = Some(records::sign_in(&person, 3));
        let again = enter(CodeFacts { current, ..facts(asked()) }, "abcdefgh", at(0)).unwrap();
        let removed = ["put SignInCode 0 to 2", "remove SignIn 0", "insert SignIn 0"];
        assert_eq!(lines(&again)[3..], removed);
    }

    #[test]
    fn a_used_code_stays_without_a_try_and_the_next_one_has_a_later_version() {
        let used = put::<SignInCode, _>(&enter(facts(asked()), "abcdefgh", at(0)).unwrap()).unwrap();
        assert_eq!(enter(facts(used.clone()), "abcdefgh", at(1)).unwrap_err(), Error::CodeGone);
        let next = request_code(Some(used), &browser(), email(), code("abcdefgj"), notice(8), at(1));
        let next = put::<SignInCode, _>(&next).unwrap();
        assert!(next.version > asked().version, "what was decided on the used code is refused");
        assert!(enter(facts(next), "abcdefgj", at(2)).unwrap().outcome.is_ok());
    }

    #[test]
    fn a_wrong_code_is_counted_and_the_fifth_ends_the_tries() {
        for (tries, error) in [(0, Error::WrongCode), (3, Error::WrongCode), (4, Error::CodeGone)] {
            let asked = SignInCode { tries, version: tries + 1, ..asked() };
            let wrong = enter(facts(asked.clone()), "abcdefgj", at(0)).unwrap();
            let (before, after) = (asked.version, asked.version + 1);
            assert_eq!(
                lines(&wrong),
                [format!("SignInCode 0 at {before}"), format!("put SignInCode 0 to {after}")]
            );
            assert_eq!(wrong.outcome, Err(error));
        }
        let right = enter(facts(SignInCode { tries: 4, ..asked() }), "abcdefgh", at(0)).unwrap();
        assert!(right.outcome.is_ok(), "the fifth try may be right");
        let spent = enter(facts(SignInCode { tries: 5, ..asked() }), "abcdefgh", at(0));
        assert_eq!(spent.unwrap_err(), Error::CodeGone);
    }

    #[test]
    fn a_code_works_in_its_browser_for_ten_minutes_and_for_a_person() {
        assert_eq!(enter(facts(asked()), "abcdefgh", at(600)).unwrap_err(), Error::CodeGone);
        assert_eq!(enter(CodeFacts::default(), "abcdefgh", at(0)).unwrap_err(), Error::CodeGone);
        let other = SignInCode {
            browser: browser().digest(),
            ..SignInCode::new(&records::secret(9), email(), &code("abcdefgh"), at(0))
        };
        assert_eq!(enter(facts(other), "abcdefgh", at(0)).unwrap().outcome, Err(Error::WrongCode));
        let unknown = CodeFacts { person: None, ..facts(asked()) };
        assert_eq!(enter(unknown, "abcdefgh", at(0)).unwrap().outcome, Err(Error::WrongCode));
    }

    #[test]
    fn a_use_is_recorded_a_minute_after_the_recorded_one() {
        let sign_in = records::sign_in(&records::person(1), 2);
        assert_eq!(lines(&use_sign_in(sign_in, at(59))), [""; 0]);
        assert_eq!(lines(&use_sign_in(sign_in, at(60))), ["SignIn 0 at 1", "put SignIn 0 to 2"]);
        assert_eq!(lines(&use_sign_in(sign_in, at(-60))), [""; 0], "the clock of another process is behind");
        assert_eq!(lines(&sign_out(sign_in)), ["SignIn 0 at 1", "remove SignIn 0"]);
    }

    #[test]
    fn signing_out_everywhere_is_one_write() {
        let everywhere = sign_out_everywhere(records::person(1));
        assert_eq!(lines(&everywhere), ["Person 1 at 1", "put Person 1 to 2"]);
        assert_eq!(everywhere.outcome.generation, 2);
    }
}
