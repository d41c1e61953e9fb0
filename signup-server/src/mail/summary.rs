//! The content of a mail with the summary of an organization, which a member gets. It is in English, as the console is.

use jiff::Timestamp;
use jiff::tz::Offset;
use signup_core::{EventSummary, ScheduledShift, Secret, SignupInFull, SummaryMail};

use super::name::{safe_name, safe_organization};
use super::unsubscribe_url;
use crate::page::times::{self, Times};
use crate::plain::one_line;
use crate::texts::Texts;

/// The most shifts, volunteers or addresses that a section names; of more it says how many they are.
const MOST: usize = 20;

/// The content of a mail with a summary, as its text and its HTML show it.
#[derive(Debug, Clone)]
pub(super) struct SummaryText {
    pub(super) texts: Texts,
    pub(super) subject: String,
    pub(super) name: Option<String>,
    pub(super) heading: String,
    pub(super) sections: Vec<Section>,
    /// The URL that turns the summaries off.
    pub(super) unsubscribe: String,
}

/// What the mail says about late cancellations, or about one event.
#[derive(Debug, Clone)]
pub(super) struct Section {
    pub(super) heading: String,
    pub(super) lines: Vec<String>,
    /// The URL of the event in the console.
    pub(super) link: Option<String>,
}

impl SummaryText {
    /// Returns the content of the mail. `secret` is that of the link.
    pub(super) fn of(mail: &SummaryMail, secret: &Secret, base_url: &str) -> Self {
        let organization = safe_organization(&mail.organization.name);
        let organization = organization.as_deref().unwrap_or("your organization");
        let sum = |number: fn(&EventSummary) -> u32| mail.events.iter().map(number).sum();
        let numbers = [sign_ups(sum(|found| found.joined)), cancellations(sum(|found| found.cancelled))];
        let numbers: Vec<_> = numbers.into_iter().flatten().collect();
        let news =
            if numbers.is_empty() { "emails that did not arrive".to_owned() } else { numbers.join(", ") };
        let late = Section {
            heading: "Cancelled 48 hours or less before the shift".to_owned(),
            lines: first_of(mail.late.iter().map(late)),
            link: None,
        };
        let events = mail.events.iter().map(|found| section(found, &mail.organization.slug, base_url));
        Self {
            texts: Texts::ENGLISH,
            subject: format!("{organization}: {news}"),
            name: safe_name(&mail.person.name),
            heading: format!("What happened at {organization} until {} (06:00 UTC)", day(mail.until)),
            sections: [late].into_iter().filter(|late| !late.lines.is_empty()).chain(events).collect(),
            unsubscribe: unsubscribe_url(base_url, secret),
        }
    }
}

/// Returns the day of an instant in UTC, such as `Saturday 6 March 2027`.
fn day(at: Timestamp) -> String {
    times::day(Offset::UTC.to_datetime(at).date(), Texts::ENGLISH)
}

fn late(SignupInFull { event, shift, signup, .. }: &SignupInFull) -> String {
    let name = safe_name(&signup.name).unwrap_or_else(|| "A volunteer".to_owned());
    format!("{name}: {} ({})", in_words(shift), one_line(event.title.as_str()))
}

fn section(found: &EventSummary, slug: &str, base_url: &str) -> Section {
    let EventSummary { event, undelivered, short, .. } = found;
    let numbers = [sign_ups(found.joined), cancellations(found.cancelled)].into_iter().flatten();
    let short = short.iter().map(|shift| {
        let places = match shift.occupancy.remaining() {
            1 => "1 place left".to_owned(),
            number => format!("{number} places left"),
        };
        format!("{places}: {}", in_words(shift))
    });
    let undelivered = undelivered.iter().map(|email| format!("We could not email {email}"));
    Section {
        heading: one_line(event.title.as_str()),
        lines: numbers.chain(first_of(short)).chain(first_of(undelivered)).collect(),
        link: Some(format!("{base_url}/console/{slug}/events/{}", event.id)),
    }
}

/// Returns the first lines, and one that says how many more there are.
fn first_of(lines: impl Iterator<Item = String>) -> Vec<String> {
    let mut lines: Vec<_> = lines.collect();
    let more = lines.len().saturating_sub(MOST);
    lines.truncate(MOST);
    lines.extend((more > 0).then(|| format!("… and {more} more")));
    lines
}

fn in_words(shift: &ScheduledShift) -> String {
    let times = Times::of(shift.interval(), shift.first_day.zone(), Texts::ENGLISH);
    format!("{}, {times}", one_line(shift.title.as_str()))
}

fn sign_ups(number: u32) -> Option<String> {
    match number {
        0 => None,
        1 => Some("1 new sign-up".to_owned()),
        number => Some(format!("{number} new sign-ups")),
    }
}

fn cancellations(number: u32) -> Option<String> {
    match number {
        0 => None,
        1 => Some("1 cancellation".to_owned()),
        number => Some(format!("{number} cancellations")),
    }
}
