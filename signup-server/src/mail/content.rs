//! The wording of each mail: its subject, its introduction and its facts. The cause of the notice decides.

use jiff::Timestamp;
use signup_core::{
    CancellationReason, CancelledBy, Delivery, Event, NoticeCause, Shift, Signup, TimeAndPlace,
};

use super::name::safe_name;
use super::plain::{lines, one_line};
use crate::location::place;
use crate::page::times::Times;

/// The maximum length of the titles of event and shift together in a subject, in characters.
const MAX_SUBJECT_TITLE: usize = 80;

/// The content of a mail, as its text and its HTML show it.
#[derive(Debug, Clone)]
pub(super) struct Content<'a> {
    pub(super) subject: String,
    pub(super) name: Option<String>,
    pub(super) intro: &'static str,
    pub(super) event: String,
    pub(super) shift: String,
    pub(super) facts: Vec<Fact>,
    /// The lines of the organizer's reason for a cancellation.
    pub(super) reason: Option<Vec<String>>,
    /// The URL for a cancellation.
    pub(super) cancel: Option<String>,
    /// The URL of a sign-up that cannot be cancelled any more, because the shift is over.
    pub(super) past: Option<String>,
    pub(super) note: Option<&'static str>,
    pub(super) url: Option<&'a str>,
    pub(super) organization: &'a str,
}

/// A labelled line of a mail.
#[derive(Debug, Clone)]
pub(super) struct Fact {
    pub(super) label: &'static str,
    pub(super) value: String,
}

impl<'a> Content<'a> {
    /// Returns the content of the mail of a delivery. `at` is the present time and place of the shift, and `url` the URL
    /// of the event's page, if the page is public.
    ///
    /// # Errors
    /// Returns the reason if the cause has no mail: it is fanned out, or newer than this mapping.
    pub(super) fn of(
        delivery: &'a Delivery,
        at: &TimeAndPlace,
        base_url: &str,
        url: Option<&'a str>,
        now: Timestamp,
    ) -> Result<Self, String> {
        let Delivery { notice, organization, event, shift, signup, .. } = delivery;
        let content = Self {
            subject: String::new(),
            name: safe_name(&signup.name),
            intro: "",
            event: one_line(event.title.as_str()),
            shift: one_line(shift.title.as_str()),
            facts: facts(["When", "Where"], at).collect(),
            reason: None,
            cancel: None,
            past: None,
            note: None,
            url,
            organization: organization.name.as_str(),
        };
        let (prefix, content) = match &notice.cause {
            NoticeCause::SignedUp { secret, .. } => {
                let link = format!("{base_url}/signups/{}", secret.reveal());
                content.confirmation(link, at.interval.is_over(now))
            }
            NoticeCause::SignedUpAgain { secret, .. } => {
                let link = format!("{base_url}/signups/{}", secret.reveal());
                content.repetition(link, at.interval.is_over(now))
            }
            NoticeCause::Cancelled { .. } => content.cancellation(signup, event, shift),
            NoticeCause::ShiftMoved { before, .. } => content.change(before.as_ref().unwrap_or(at), at),
            other => return Err(format!("there is no mail for the cause {}", other.name())),
        };
        let titles = shorten(&format!("{} – {}", event.title, shift.title));
        Ok(Self { subject: format!("{prefix}: {titles}"), ..content })
    }

    /// Returns the prefix of the subject, and the content, of the mail about a sign-up.
    fn confirmation(self, link: String, is_over: bool) -> (&'static str, Self) {
        if is_over {
            let intro = "You were signed up for a shift that is over. Thank you!";
            return ("You were signed up", Self { intro, past: Some(link), ..self });
        }
        let intro = "You are signed up. Thank you! We look forward to seeing you.";
        ("You are signed up", Self { intro, cancel: Some(link), ..self })
    }

    /// Returns the prefix of the subject, and the content, of the mail about a repeated sign-up.
    fn repetition(self, link: String, is_over: bool) -> (&'static str, Self) {
        let intro = "You already have a place on this shift. Nothing has changed.";
        let (cancel, past) = if is_over { (None, Some(link)) } else { (Some(link), None) };
        ("You already have a place", Self { intro, cancel, past, ..self })
    }

    /// Returns the prefix of the subject, and the content, of the mail about a cancelled sign-up.
    fn cancellation(self, signup: &Signup, event: &Event, shift: &Shift) -> (&'static str, Self) {
        let reason = signup.cancellation_reason(event, shift).map(CancellationReason::as_str).map(lines);
        let thanks = Some("Thank you for your offer to help.");
        match signup.cancelled_by() {
            None | Some(CancelledBy::Volunteer) => {
                let intro = "Your place is cancelled, and free for somebody else. Thank you for telling.";
                ("Cancelled", Self { intro, ..self })
            }
            Some(CancelledBy::ShiftDeletion) => {
                let intro =
                    "This shift does not take place: the organizer has removed it. Your place is cancelled.";
                ("Shift cancelled", Self { intro, reason, note: thanks, ..self })
            }
            Some(CancelledBy::EventCancellation) => {
                let intro =
                    "The event does not take place: the organizer has cancelled it. Your place is cancelled.";
                // The page tells nothing more, and is gone if the organizer deletes the event.
                ("Event cancelled", Self { intro, reason, note: thanks, url: None, ..self })
            }
            // An operator, or a canceller that is newer than this mapping.
            Some(_) => {
                let intro = "The organization has cancelled your place on this shift.";
                ("Cancelled by the organization", Self { intro, ..self })
            }
        }
    }

    /// Returns the prefix of the subject, and the content, of the mail about another time or place.
    fn change(self, before: &TimeAndPlace, at: &TimeAndPlace) -> (&'static str, Self) {
        let intro = match (before.interval != at.interval, place(before) != place(at)) {
            (true, true) => "The time and the place of your shift have changed.",
            (true, false) => "The time of your shift has changed.",
            (false, _) => "The place of your shift has changed.",
        };
        let old = facts(["When, before", "Where, before"], before);
        let mut facts: Vec<_> = old.chain(facts(["When, now", "Where, now"], at)).collect();
        // A missing place has no fact, so a place that was removed is reported here.
        if place(before).is_some() && place(at).is_none() {
            facts.push(Fact { label: "Where, now", value: "no place is given".to_owned() });
        }
        let note = Some(
            "Your place is kept. If you cannot come now, please use the link to cancel in the mail that confirmed your \
             place.",
        );
        ("Your shift has changed", Self { intro, facts, note, ..self })
    }
}

/// Returns the time and, if there is one, the place.
fn facts(labels: [&'static str; 2], at: &TimeAndPlace) -> impl Iterator<Item = Fact> {
    let [when, place_label] = labels;
    let when = Fact { label: when, value: Times::of(at.interval, &at.zone).to_string() };
    let place = place(at).map(|place| Fact { label: place_label, value: one_line(&place) });
    std::iter::once(when).chain(place)
}

fn shorten(text: &str) -> String {
    let text = one_line(text);
    if text.chars().count() <= MAX_SUBJECT_TITLE {
        return text;
    }
    let cut: String = text.chars().take(MAX_SUBJECT_TITLE - 1).collect();
    format!("{}…", cut.trim_end())
}
