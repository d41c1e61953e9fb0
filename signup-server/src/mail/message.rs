//! The content of a mail: plain text, HTML, and the shift as a calendar attachment.
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
use signup_core::{EmailAddress, Mail, NoticeCause};

use super::content::{Action, Content};
use super::name::safe_name;
use crate::calendar::{Method, SignupEntry};

/// A mail that is ready to be sent.
#[derive(Debug)]
pub(super) struct WrittenMail {
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

/// Writes the mail of a delivery.
///
/// All mails of one notice have the same Message-ID, so that a mail program can recognize a duplicate.
///
/// # Errors
/// Returns the reason if the mail cannot be written. A retry would fail, too.
pub(super) fn write(
    mail: &Mail,
    from: &Mailbox,
    base_url: &str,
    now: Timestamp,
) -> Result<WrittenMail, String> {
    let Mail { notice, organization, event, shift, signup, .. } = mail;
    let url = format!("{base_url}/events/{}", event.slug);
    let url = (event.is_published && event.deleted_at.is_none()).then_some(url.as_str());
    // The current state of the shift, which may differ from the state that the notice recorded. Mails about two changes
    // may be sent in the wrong order, so each mail shows the state at the time of writing.
    let present = signup.time_and_place(shift, event);
    let method = match notice.cause {
        NoticeCause::Cancelled { .. } => Method::Cancel,
        _ => Method::Publish,
    };
    let content = Content::of(mail, &present, base_url, url, now)?;
    let failed = |error: askama::Error| error.to_string();
    let text = TextPart { mail: &content }.render().map_err(failed)?;
    let html = HtmlPart { mail: &content }.render().map_err(failed)?;
    let sender = from.email.to_string();
    let entry =
        SignupEntry { method, organization, event, shift, signup, at: &present, sender: &sender, url, now };
    let calendar = ContentType::parse(&format!("text/calendar; charset=utf-8; method={}", method.name()));
    let calendar = calendar.map_err(|error| error.to_string())?;
    let address = address(&signup.email)?;
    let message = Message::builder()
        .message_id(Some(format!("<{}@{}>", notice.id, from.email.domain())))
        .date(date(now))
        .from(from.clone())
        .to(Mailbox::new(safe_name(&signup.name), address))
        .subject(content.subject.clone());
    // A mail server without SMTPUTF8 (RFC 6531) can refuse a mail with another address in a header. The mail still shows it.
    let contact = organization.contact.as_ref().and_then(|contact| self::address(contact).ok());
    let contact = contact.filter(|contact| contact.user().is_ascii());
    let message = match contact {
        Some(contact) => message.reply_to(Mailbox::new(None, contact)),
        None => message,
    };
    let message = message
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
    Ok(WrittenMail { message, subject: content.subject, text })
}

/// Returns the address for the envelope: the domain is in ASCII.
///
/// # Errors
/// Returns the reason if the domain has no ASCII form, or if the library for SMTP refuses the address.
fn address(email: &EmailAddress) -> Result<Address, String> {
    let domain = email.ascii_domain().ok_or("the address cannot be used")?;
    Address::new(email.user(), domain).map_err(|error| format!("the address cannot be used: {error}"))
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
