//! The wording of each mail about a sign-up: its subject, its heading and its facts. The cause of the notice decides.

use jiff::Timestamp;
use signup_core::{
    CancellationReason, CancelledBy, EmailAddress, NoticeCause, Signup, SignupInFull, TimeAndPlace,
};

use super::location::place_in_words;
use super::name::{UNNAMED_SENDER, safe_answer, safe_name, sender_name};
use crate::linked_text::LinkedText;
use crate::page::times::{self, Times};
use crate::plain::{answer_in_words, lines, one_line, shorten};

/// The maximum length of the titles of event and shift together in a subject, in characters.
const MAX_SUBJECT_TITLE: usize = 80;
/// What a mail says in place of an answer that could be read as a link.
const HIDDEN_ANSWER: &str = "(see the details)";

/// The content of a mail about a sign-up, as its text and its HTML show it.
#[derive(Debug, Clone)]
pub(super) struct Content<'a> {
    pub(super) subject: String,
    pub(super) name: Option<String>,
    pub(super) heading: String,
    /// The sentences under the heading.
    pub(super) intro: Vec<&'static str>,
    /// The lines of the organizer's reason for a cancellation.
    pub(super) reason: Option<Vec<String>>,
    pub(super) facts: Vec<Fact>,
    /// The answers given, each with its question.
    pub(super) answers: Vec<Fact>,
    /// The lines of the descriptions, each under its heading.
    pub(super) descriptions: Vec<(&'static str, Vec<String>)>,
    /// The URL of the sign-up, and what the volunteer can do there. `None` if the link does not work any more.
    pub(super) link: Option<(Action, String)>,
    /// The URL of the event's page, if the page is public.
    pub(super) url: Option<&'a str>,
    /// The organization's address for questions.
    pub(super) contact: Option<&'a str>,
    pub(super) organization: String,
}

/// A labelled line of a mail.
#[derive(Debug, Clone)]
pub(super) struct Fact {
    pub(super) label: String,
    pub(super) value: String,
}

/// What a volunteer can do with the link of a mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Action {
    /// Cancel the place.
    Cancel,
    /// See the sign-up, which cannot be cancelled any more.
    See,
}

/// The words about a cause: the subject before the titles and the day, the heading, and the sentences under it.
struct Words {
    subject: &'static str,
    heading: String,
    intro: &'static [&'static str],
}

impl<'a> Content<'a> {
    /// Returns the content of the mail about a sign-up. `at` is the time and place of the shift that the mail shows, and `url`
    /// the URL of the event's page, if the page is public.
    ///
    /// # Errors
    /// Returns the reason if the cause has no mail: it is fanned out, or newer than this mapping.
    pub(super) fn of(
        cause: &NoticeCause,
        about: &'a SignupInFull,
        at: &TimeAndPlace,
        base_url: &str,
        url: Option<&'a str>,
        now: Timestamp,
    ) -> Result<Self, String> {
        let SignupInFull { organization, event, shift, signup, .. } = about;
        let is_over = at.interval.is_over(now);
        let shift_title = one_line(shift.title.as_str());
        let words = words(cause, signup, &shift_title, at, is_over)?;
        // A long title of the event leaves room for that of the shift.
        let of_shift = shorten(&shift_title, MAX_SUBJECT_TITLE / 2);
        let of_event = shorten(event.title.as_str(), MAX_SUBJECT_TITLE - of_shift.chars().count());
        let mut facts =
            vec![Fact::new("Event", one_line(event.title.as_str())), Fact::new("Shift", shift_title)];
        match cause {
            NoticeCause::ShiftMoved { before: Some(before), .. } => {
                facts.extend(changes(before, at, event.is_virtual));
            }
            _ => {
                facts.push(Fact::new("When", when(at)));
                let place = place_in_words(at, event.is_virtual);
                facts.extend(place.map(|place| Fact::new("Where", one_line(&place))));
            }
        }
        let name = safe_name(&signup.name);
        if let NoticeCause::SignedUpAgain { .. } = cause {
            facts.extend(name.clone().map(|name| Fact::new("Name", name)));
        }
        let answers = signup.answers.iter().map(|answer| {
            let value = safe_answer(answer_in_words(answer.value.as_str()));
            Fact::new(&one_line(answer.label.as_str()), value.unwrap_or_else(|| HIDDEN_ANSWER.to_owned()))
        });
        let action = if signup.is_confirmed() && !is_over { Action::Cancel } else { Action::See };
        let secret = cause.secret().filter(|_| event.deleted_at.is_none());
        let reason = signup.cancellation_reason(event, shift);
        let about = |heading, text| (heading, lines(text));
        let instructions = event.instructions.iter().filter(|_| signup.is_confirmed());
        let instructions = instructions.map(|text| about("Good to know", text.as_str()));
        let about_shift = shift.description.iter().map(|text| about("About the shift", text.as_str()));
        let about_event = event.description.iter().map(|text| about("About the event", text.as_str()));
        Ok(Self {
            subject: format!(
                "{}: {of_event} – {of_shift}, {}",
                words.subject,
                times::day_of_year(times::date(at.interval, &at.zone))
            ),
            name,
            heading: words.heading,
            intro: words.intro.to_vec(),
            reason: reason.map(CancellationReason::as_str).map(lines),
            facts,
            answers: answers.collect(),
            descriptions: instructions.chain(about_shift).chain(about_event).collect(),
            link: secret.map(|secret| (action, format!("{base_url}/signups/{}", secret.reveal()))),
            // The page of a cancelled event offers nothing more, and the organizer may soon delete the event.
            url: url.filter(|_| signup.cancelled_by() != Some(CancelledBy::EventCancellation)),
            contact: organization.contact.as_ref().map(EmailAddress::as_str),
            organization: sender_name(&organization.name).unwrap_or_else(|| UNNAMED_SENDER.to_owned()),
        })
    }

    /// Splits a line into its addresses and the parts between them.
    #[expect(clippy::unused_self, reason = "a template calls methods of its values only")]
    pub(super) fn linked<'t>(&self, line: &'t str) -> Vec<LinkedText<'t>> {
        LinkedText::parts(line)
    }

    /// Returns the link that begins a mail to an address.
    #[expect(clippy::unused_self, reason = "a template calls methods of its values only")]
    pub(super) fn mailto(&self, address: &str) -> String {
        LinkedText::mail_address(address).link.unwrap_or_default().into_owned()
    }
}

impl Fact {
    fn new(label: &str, value: String) -> Self {
        Self { label: label.to_owned(), value }
    }
}

/// Returns the words about a cause.
fn words(
    cause: &NoticeCause,
    signup: &Signup,
    shift: &str,
    at: &TimeAndPlace,
    is_over: bool,
) -> Result<Words, String> {
    let words = |subject, heading: &str, intro| Ok(Words { subject, heading: heading.to_owned(), intro });
    match cause {
        NoticeCause::SignedUp { .. } if is_over => words(
            "You were signed up",
            &format!("You were signed up for {shift}"),
            &["The shift is over now. Thank you for helping."],
        ),
        NoticeCause::SignedUp { .. } => words(
            "You’re signed up",
            &format!("You’re signed up for {shift}"),
            &["Thank you. We look forward to seeing you."],
        ),
        NoticeCause::SignedUpAgain { .. } => words(
            "You already have a place",
            "You already have a place",
            &[
                "Someone, probably you, signed up for this shift again with your email address. You still have your place. Nothing has changed.",
                "You can sign up other people with the same email address. Each person has a place of their own.",
            ],
        ),
        NoticeCause::Cancelled { .. } => match signup.cancelled_by() {
            None | Some(CancelledBy::Volunteer) => words(
                "Cancelled",
                "You’ve cancelled your place",
                &["Thanks for letting us know. Someone else can take your place now."],
            ),
            Some(CancelledBy::ShiftDeletion) => words(
                "Cancelled",
                "This shift has been cancelled",
                &[
                    "The organizer has cancelled this shift, so you no longer need to come. Thank you for offering to help.",
                ],
            ),
            Some(CancelledBy::EventCancellation) => words(
                "Cancelled",
                "This event has been cancelled",
                &[
                    "The organizer has cancelled this event, so you no longer need to come. Thank you for offering to help.",
                ],
            ),
            // The organizer or the operator, or a canceller that is newer than this mapping.
            Some(_) => words(
                "Cancelled",
                "The organizer has cancelled your place",
                &["You no longer need to come. Thank you for offering to help."],
            ),
        },
        NoticeCause::ShiftMoved { before, .. } => {
            let before = before.as_ref().unwrap_or(at);
            let intro: &[&str] = match (before.interval != at.interval, before.place() != at.place()) {
                (true, true) => &[
                    "Your shift is now at a different time and in a different place. You’re still signed up.",
                ],
                (true, false) => &["Your shift is now at a different time. You’re still signed up."],
                (false, _) => &["Your shift is now in a different place. You’re still signed up."],
            };
            let day = |at: &TimeAndPlace| times::date(at.interval, &at.zone);
            if day(before) == day(at) {
                words("Changed", "Your shift has changed", intro)
            } else {
                let heading = format!("Your shift has moved to {}", times::day_of_year(day(at)));
                words("Changed", &heading, intro)
            }
        }
        other => Err(format!("there is no email for the cause {}", other.name())),
    }
}

fn when(at: &TimeAndPlace) -> String {
    Times::of(at.interval, &at.zone).to_string()
}

/// Returns the time and the place: once if they have not changed, else as they were told before and as they are now.
fn changes(before: &TimeAndPlace, at: &TimeAndPlace, is_virtual: bool) -> Vec<Fact> {
    let mut facts = if before.interval == at.interval {
        vec![Fact::new("When", when(at))]
    } else {
        vec![Fact::new("Time was", when(before)), Fact::new("Time now", when(at))]
    };
    let shown = |at| place_in_words(at, is_virtual).map(|place| one_line(&place));
    if before.place() == at.place() {
        facts.extend(shown(at).map(|place| Fact::new("Where", place)));
    } else {
        let or = |at, missing: &str| shown(at).unwrap_or_else(|| missing.to_owned());
        facts.extend([
            Fact::new("Place was", or(before, "No place given.")),
            Fact::new("Place now", or(at, "The organizer hasn’t given a new place.")),
        ]);
    }
    facts
}
