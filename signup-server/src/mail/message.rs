//! The content of a mail: plain text, HTML, and the shift as a calendar attachment.
//!
//! Text from users is put on one line in headers and in plain text, and escaped in HTML. A volunteer's name is left out
//! if it could be shown as a link, has format characters, or is too long (see `name.rs`).

use std::time::{Duration, SystemTime};

use askama::Template;
use jiff::Timestamp;
use lettre::message::header::{ContentType, HeaderName, HeaderValue};
use lettre::message::{Attachment, Mailbox, MultiPart, SinglePart};
use lettre::{Address, Message};
use signup_core::{Delivery, EmailAddress, NoticeCause, TimeAndPlace};

use super::name::safe_name;
use super::one_line::one_line;
use crate::calendar::{Method, SignupEntry};
use crate::location::shift_location;
use crate::page::times::Times;

/// The maximum length of the titles of event and shift together in a subject, in characters.
const MAX_SUBJECT_TITLE: usize = 80;

/// A mail that is ready to be sent.
#[derive(Debug)]
pub(super) struct Mail {
    pub(super) message: Message,
    pub(super) subject: String,
    pub(super) text: String,
}

#[derive(Debug, Template)]
#[template(path = "mail.txt", escape = "none")]
struct TextPart<'a> {
    mail: &'a Content<'a>,
}

#[derive(Debug, Template)]
#[template(path = "mail.html")]
struct HtmlPart<'a> {
    mail: &'a Content<'a>,
}

#[derive(Debug, Clone)]
struct Content<'a> {
    subject: &'a str,
    name: Option<String>,
    intro: &'static str,
    event: String,
    shift: String,
    facts: Vec<Fact>,
    /// The URL for a cancellation.
    cancel: Option<String>,
    /// The URL of a sign-up that cannot be cancelled any more, because the shift is over.
    past: Option<String>,
    note: Option<&'static str>,
    url: Option<&'a str>,
    organization: &'a str,
}

#[derive(Debug, Clone)]
struct Fact {
    label: &'static str,
    value: String,
}

/// Writes the mail of a delivery.
///
/// All mails of one notice have the same Message-ID, so that a mail program can recognize a duplicate.
///
/// # Errors
/// Returns the reason if the mail cannot be written. A retry would fail, too.
pub(super) fn write(
    delivery: &Delivery,
    from: &Mailbox,
    base_url: &str,
    now: Timestamp,
) -> Result<Mail, String> {
    let Delivery { notice, organization, event, shift, signup, .. } = delivery;
    let url = format!("{base_url}/events/{}", event.slug);
    // The current state of the shift, which may differ from the state that the notice recorded. Mails about two changes
    // may be sent in the wrong order, so each mail shows the state at the time of writing.
    let present = TimeAndPlace::of(shift);
    let method = match notice.cause {
        NoticeCause::Cancelled { .. } => Method::Cancel,
        _ => Method::Publish,
    };
    let public_url = event.is_published.then_some(url.as_str());
    let (prefix, content) = content(delivery, &present, base_url, public_url, now)?;
    let subject = format!("{prefix}: {}", shorten(&format!("{} – {}", event.title, shift.title)));
    let content = Content { subject: &subject, ..content };
    let failed = |error: askama::Error| error.to_string();
    let text = TextPart { mail: &content }.render().map_err(failed)?;
    let html = HtmlPart { mail: &content }.render().map_err(failed)?;
    let sender = from.email.to_string();
    let entry = SignupEntry {
        method,
        organization,
        event,
        shift,
        signup,
        at: &present,
        sender: &sender,
        url: &url,
        now,
    };
    let calendar = ContentType::parse(&format!("text/calendar; charset=utf-8; method={}", method.name()));
    let calendar = calendar.map_err(|error| error.to_string())?;
    let address = address(&signup.email)?;
    let message = Message::builder()
        .message_id(Some(format!("<{}@{}>", notice.id, from.email.domain())))
        .date(date(now))
        .from(from.clone())
        .to(Mailbox::new(safe_name(&signup.name), address))
        .subject(subject.clone())
        // Prevents automatic replies (RFC 3834, 5).
        .raw_header(HeaderValue::new(
            HeaderName::new_from_ascii_str("Auto-Submitted"),
            "auto-generated".to_owned(),
        ))
        .multipart(
            MultiPart::mixed()
                .multipart(
                    MultiPart::alternative()
                        .singlepart(SinglePart::plain(text.clone()))
                        .singlepart(SinglePart::html(html)),
                )
                .singlepart(Attachment::new("shift.ics".to_owned()).body(entry.to_text(), calendar)),
        )
        .map_err(|error| error.to_string())?;
    Ok(Mail { message, subject, text })
}

/// Returns the prefix of the subject, and the content of the mail without its subject.
fn content<'a>(
    delivery: &'a Delivery,
    at: &TimeAndPlace,
    base_url: &str,
    url: Option<&'a str>,
    now: Timestamp,
) -> Result<(&'static str, Content<'a>), String> {
    let Delivery { notice, organization, event, shift, signup, .. } = delivery;
    let facts = |labels: [&'static str; 2], at: &TimeAndPlace| {
        let when = Fact { label: labels[0], value: Times::of(at.interval, shift.day.zone()).to_string() };
        let place = shift_location(at.location.as_ref(), event)
            .map(one_line)
            .map(|value| Fact { label: labels[1], value });
        std::iter::once(when).chain(place)
    };
    let content = Content {
        subject: "",
        name: safe_name(&signup.name),
        intro: "",
        event: one_line(event.title.as_str()),
        shift: one_line(shift.title.as_str()),
        facts: facts(["When", "Where"], at).collect(),
        cancel: None,
        past: None,
        note: None,
        url,
        organization: organization.name.as_str(),
    };
    Ok(match &notice.cause {
        NoticeCause::SignedUp { secret, .. } => {
            let link = Some(format!("{base_url}/signups/{}", secret.reveal()));
            if at.interval.end <= now {
                let intro = "You were signed up for a shift that is over. Thank you!";
                return Ok(("You were signed up", Content { intro, past: link, ..content }));
            }
            let intro = "You are signed up. Thank you! We look forward to seeing you.";
            ("You are signed up", Content { intro, cancel: link, ..content })
        }
        NoticeCause::Cancelled { .. } => (
            "Cancelled",
            Content {
                intro: "Your place is cancelled, and free for somebody else. Thank you for telling.",
                ..content
            },
        ),
        NoticeCause::ShiftMoved { change, .. } | NoticeCause::ShiftChanged { change, .. } => {
            let before = facts(["When, before", "Where, before"], &change.before);
            let mut facts: Vec<_> = before.chain(facts(["When, now", "Where, now"], at)).collect();
            // `facts` has no entry for a missing location, so a removed location is reported here.
            if facts.len() == 3 && facts[1].label == "Where, before" {
                facts.push(Fact { label: "Where, now", value: "no place is given".to_owned() });
            }
            (
                "Changed",
                Content {
                    intro: "The time or the place of your shift has changed.",
                    facts,
                    note: Some(
                        "Your place is kept. If you cannot come now, please use the link to cancel in the mail that \
                         confirmed your place.",
                    ),
                    ..content
                },
            )
        }
        // A cause that is newer than this mapping.
        other => return Err(format!("there is no mail for the cause {}", other.name())),
    })
}

/// Returns the address for the envelope: the domain is in ASCII.
///
/// # Errors
/// Returns the reason if the domain has no ASCII form, or if the library for SMTP refuses the address.
fn address(email: &EmailAddress) -> Result<Address, String> {
    let domain = email.ascii_domain().ok_or("the address cannot be used")?;
    Address::new(email.user(), domain).map_err(|error| format!("the address cannot be used: {error}"))
}

fn shorten(text: &str) -> String {
    let text = one_line(text);
    if text.chars().count() <= MAX_SUBJECT_TITLE {
        return text;
    }
    let cut: String = text.chars().take(MAX_SUBJECT_TITLE - 1).collect();
    format!("{}…", cut.trim_end())
}

fn date(now: Timestamp) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(u64::try_from(now.as_second()).unwrap_or_default())
}

#[cfg(test)]
mod address_tests;
#[cfg(test)]
mod cause_tests;
#[cfg(test)]
mod name_tests;
