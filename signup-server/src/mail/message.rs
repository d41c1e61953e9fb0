//! The message of a mail: its headers, plain text and HTML, and for a sign-up the shift as a calendar attachment.
//!
//! Text from users is put on one line in headers and in plain text, and escaped in HTML. Only the event's
//! description and the reason for a cancellation keep their line breaks, and they are in no header. A volunteer's name and
//! answers are left out if they could be shown as a link or have format characters, and a name if it is too long (see
//! `name.rs`).

use std::time::{Duration, SystemTime};

use askama::Template;
use jiff::Timestamp;
use lettre::message::header::{ContentType, HeaderName, HeaderValue};
use lettre::message::{Attachment, Mailbox, MultiPart, SinglePart};
use lettre::{Address, Message};
use signup_core::{EmailAddress, Mail, MailContent, Notice, NoticeCause, SignupInFull};

use super::content::{Action, Content};
use super::organizer::OrganizerMail;
use super::person::PersonMail;
use crate::calendar::{Method, SignupEntry};

/// A mail that is ready to be sent.
#[derive(Debug)]
pub(super) struct WrittenMail {
    pub(super) message: Message,
    pub(super) subject: String,
    pub(super) text: String,
}

/// The parts of a mail that differ from mail to mail.
#[derive(Debug)]
struct Draft<'a> {
    /// The name of the recipient, if the mail shows it.
    name: Option<String>,
    subject: String,
    text: String,
    html: String,
    /// Where answers go, if the organization has given an address.
    contact: Option<&'a EmailAddress>,
    calendar: Option<SinglePart>,
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

#[derive(Debug, Template)]
#[template(path = "person_mail.txt", escape = "none")]
struct PersonTextPart<'a> {
    mail: &'a PersonMail,
}

#[derive(Debug, Template)]
#[template(path = "person_mail.html")]
struct PersonHtmlPart<'a> {
    mail: &'a PersonMail,
}

#[derive(Debug, Template)]
#[template(path = "organizer_mail.txt", escape = "none")]
struct OrganizerTextPart<'a> {
    mail: &'a OrganizerMail,
}

#[derive(Debug, Template)]
#[template(path = "organizer_mail.html")]
struct OrganizerHtmlPart<'a> {
    mail: &'a OrganizerMail,
}

/// Writes the mail of a delivery.
///
/// # Errors
/// Returns the reason if the mail cannot be written. A retry would fail, too.
pub(super) fn write(
    mail: &Mail,
    from: &Mailbox,
    base_url: &str,
    now: Timestamp,
) -> Result<WrittenMail, String> {
    let draft = match &mail.content {
        MailContent::Signup(about) => about_signup(&mail.notice, about, from, base_url, now)?,
        MailContent::SignInCode { code, .. } => to_person(&PersonMail::code(code), None)?,
        MailContent::Invitation(invited) => {
            let secret = mail.notice.cause.secret().ok_or("an invitation needs its secret")?;
            let content = PersonMail::invitation(invited, secret, base_url);
            to_person(&content, invited.organization.contact.as_ref())?
        }
        MailContent::Message(sent) => {
            let content = OrganizerMail::of(sent, base_url);
            Draft {
                text: rendered(&OrganizerTextPart { mail: &content })?,
                html: rendered(&OrganizerHtmlPart { mail: &content })?,
                name: content.name,
                subject: content.subject,
                contact: sent.organization.contact.as_ref(),
                calendar: None,
            }
        }
        _ => return Err(format!("there is no email for the cause {}", mail.notice.cause.name())),
    };
    message(mail, draft, from, now)
}

/// Writes a mail to a volunteer about a sign-up.
fn about_signup<'a>(
    notice: &Notice,
    about: &'a SignupInFull,
    from: &Mailbox,
    base_url: &str,
    now: Timestamp,
) -> Result<Draft<'a>, String> {
    let SignupInFull { organization, event, shift, signup, .. } = about;
    let url = format!("{base_url}/events/{}", event.slug);
    let url = (event.is_published && event.deleted_at.is_none()).then_some(url.as_str());
    // The current state of the shift, which may differ from the state that the notice recorded. Mails about two changes
    // may be sent in the wrong order, so each mail shows the state at the time of writing.
    let present = signup.time_and_place(shift, event);
    let method = match notice.cause {
        NoticeCause::Cancelled { .. } => Method::Cancel,
        _ => Method::Publish,
    };
    let content = Content::of(&notice.cause, about, &present, base_url, url, now)?;
    let sender = from.email.to_string();
    let entry =
        SignupEntry { method, organization, event, shift, signup, at: &present, sender: &sender, url, now };
    let calendar = ContentType::parse(&format!("text/calendar; charset=utf-8; method={}", method.name()));
    let calendar = calendar.map_err(|error| error.to_string())?;
    Ok(Draft {
        name: content.name.clone(),
        text: rendered(&TextPart { mail: &content })?,
        html: rendered(&HtmlPart { mail: &content })?,
        subject: content.subject,
        contact: organization.contact.as_ref(),
        calendar: Some(Attachment::new("shift.ics".to_owned()).body(entry.to_text(), calendar)),
    })
}

/// Writes a mail to a person who signs in or is invited.
fn to_person<'a>(content: &PersonMail, contact: Option<&'a EmailAddress>) -> Result<Draft<'a>, String> {
    Ok(Draft {
        name: content.name.clone(),
        text: rendered(&PersonTextPart { mail: content })?,
        html: rendered(&PersonHtmlPart { mail: content })?,
        subject: content.subject.clone(),
        contact,
        calendar: None,
    })
}

fn rendered(template: &impl Template) -> Result<String, String> {
    template.render().map_err(|error| error.to_string())
}

/// Puts the headers and the parts of a mail together.
///
/// All mails of one notice have the same Message-ID, so that a mail program can recognize a duplicate.
fn message(mail: &Mail, draft: Draft<'_>, from: &Mailbox, now: Timestamp) -> Result<WrittenMail, String> {
    let Draft { name, subject, text, html, contact, calendar } = draft;
    let message = Message::builder()
        .message_id(Some(format!("<{}@{}>", mail.notice.id, from.email.domain())))
        .date(date(now))
        .from(from.clone())
        .to(Mailbox::new(name, address(mail.recipient())?))
        .subject(subject.clone());
    let message = match contact {
        Some(contact) => message.reply_to(Mailbox::new(None, address(contact)?)),
        None => message,
    };
    let alternatives = MultiPart::alternative()
        .singlepart(SinglePart::plain(text.clone()))
        .singlepart(SinglePart::html(html));
    let parts = match calendar {
        Some(calendar) => MultiPart::mixed().multipart(alternatives).singlepart(calendar),
        None => alternatives,
    };
    let message = message
        // Prevents automatic replies (RFC 3834, 5).
        .raw_header(HeaderValue::new(
            HeaderName::new_from_ascii_str("Auto-Submitted"),
            "auto-generated".to_owned(),
        ))
        .multipart(parts)
        .map_err(|error| error.to_string())?;
    Ok(WrittenMail { message, subject, text })
}

/// Returns the address for the envelope: the domain is in ASCII.
///
/// # Errors
/// Returns the reason if the library for SMTP refuses the address.
fn address(email: &EmailAddress) -> Result<Address, String> {
    Address::new(email.user(), email.ascii_domain())
        .map_err(|error| format!("the address cannot be used: {error}"))
}

fn date(now: Timestamp) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(u64::try_from(now.as_second()).unwrap_or_default())
}

#[cfg(test)]
mod address_tests;
#[cfg(test)]
mod cancellation_tests;
#[cfg(test)]
mod cause_tests;
#[cfg(test)]
mod change_tests;
#[cfg(test)]
mod content_tests;
#[cfg(test)]
mod delivered;
#[cfg(test)]
mod name_tests;
#[cfg(test)]
mod organizer_tests;
#[cfg(test)]
mod person_tests;
