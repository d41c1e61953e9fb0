//! The message of a mail: its headers, plain text and HTML, and the shifts of a volunteer as calendar attachments.
//!
//! Text from users is put on one line in headers and in plain text, and escaped in HTML. Only the event's
//! description and the reason for a cancellation keep their line breaks, and they are in no header. Names and answers are left out
//! if they could mislead (see `name.rs`).

use askama::Template;
use jiff::Timestamp;
use jiff::tz::Offset;
use signup_core::{EmailAddress, Language, Mail, MailContent, News, NoticeCause, PlaceNews, Secret};

use super::header::Headers;
use super::mail_from::MailFrom;
use super::name::{safe_name, safe_organization, sender_name};
use super::news::NewsMail;
use super::organizer::OrganizerMail;
use super::person::PersonMail;
use super::summary::SummaryText;
use crate::calendar::{Calendar, Entry, Method};

/// A mail that is ready to be sent.
#[derive(Debug)]
pub(crate) struct WrittenMail {
    /// The address of the recipient as the mail server receives it.
    pub(super) to: String,
    /// The headers and the parts, in lines of ASCII that end with CRLF.
    pub(crate) content: String,
    pub(super) subject: String,
    pub(crate) text: String,
}

/// The parts of a mail that differ from mail to mail.
#[derive(Debug)]
struct Draft<'a> {
    /// The name of the organization that the mail is from, if the mail may show it.
    from: Option<String>,
    /// The name of the recipient, if the mail shows it.
    name: Option<String>,
    language: Language,
    subject: String,
    text: String,
    html: String,
    /// Where answers go, if the organization has given an address.
    contact: Option<&'a EmailAddress>,
    /// The URL that turns such mails off, if that is possible.
    unsubscribe: Option<String>,
    calendars: Vec<CalendarFile>,
}

/// A file for calendar programs.
#[derive(Debug)]
struct CalendarFile {
    name: &'static str,
    method: Method,
    text: String,
}

#[derive(Debug, Template)]
#[template(path = "news_mail.txt", escape = "none")]
struct NewsTextPart<'a> {
    mail: &'a NewsMail,
}

#[derive(Debug, Template)]
#[template(path = "news_mail.html")]
struct NewsHtmlPart<'a> {
    mail: &'a NewsMail,
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

#[derive(Debug, Template)]
#[template(path = "summary_mail.txt", escape = "none")]
struct SummaryTextPart<'a> {
    mail: &'a SummaryText,
}

#[derive(Debug, Template)]
#[template(path = "summary_mail.html")]
struct SummaryHtmlPart<'a> {
    mail: &'a SummaryText,
}

/// Writes the mail of a delivery.
///
/// # Errors
/// Returns the reason if the mail cannot be written. A retry would fail, too.
pub(super) fn write(
    mail: &Mail,
    from: &MailFrom,
    base_url: &str,
    now: Timestamp,
) -> Result<WrittenMail, String> {
    let link = || mail.secret.as_ref().ok_or("a mail about places needs the secret of its link");
    let draft = match &mail.content {
        MailContent::News(news) => about_places(news, link()?, from, base_url, now)?,
        MailContent::SignInCode { code, .. } => to_person(&PersonMail::code(code), None)?,
        MailContent::Invitation(invited) => {
            let NoticeCause::Invited { secret, .. } = &mail.notice.cause else {
                return Err("an invitation needs its secret".to_owned());
            };
            let organization = &invited.organization;
            let draft =
                to_person(&PersonMail::invitation(invited, secret, base_url), organization.contact.as_ref())?;
            Draft { from: safe_organization(&organization.name), ..draft }
        }
        MailContent::Message(sent) => {
            let content = OrganizerMail::of(sent, link()?, base_url);
            Draft {
                from: sender_name(&sent.organization.name),
                language: sent.event.language,
                text: rendered(&OrganizerTextPart { mail: &content })?,
                html: rendered(&OrganizerHtmlPart { mail: &content })?,
                name: content.name.filter(|_| !content.has_several_people),
                subject: content.subject,
                contact: sent.organization.contact.as_ref(),
                unsubscribe: Some(content.unsubscribe),
                calendars: vec![],
            }
        }
        MailContent::Summary(summary) => {
            let content = SummaryText::of(summary, link()?, base_url);
            Draft {
                from: safe_organization(&summary.organization.name),
                name: content.name.clone(),
                language: content.texts.language(),
                text: rendered(&SummaryTextPart { mail: &content })?,
                html: rendered(&SummaryHtmlPart { mail: &content })?,
                subject: content.subject,
                contact: None,
                unsubscribe: Some(content.unsubscribe),
                calendars: vec![],
            }
        }
        _ => return Err(format!("there is no email for the cause {}", mail.notice.cause.name())),
    };
    Ok(message(mail, draft, from, now))
}

/// Writes the mail to an address about its places at an event. One calendar file has every place that the address has, and each
/// place that was cancelled has a file of its own, because the entries of a file have one method.
fn about_places<'a>(
    news: &'a News,
    secret: &Secret,
    from: &MailFrom,
    base_url: &str,
    now: Timestamp,
) -> Result<Draft<'a>, String> {
    let News { organization, event, places, .. } = news;
    let url = format!("{base_url}/events/{}", event.slug);
    let url = (event.is_published && event.deleted_at.is_none()).then_some(url.as_str());
    let content = NewsMail::of(news, secret, base_url, url, now);
    let entry = |place: &'a PlaceNews| Entry {
        event,
        shift: &place.shift,
        uid: place.signup.id.uuid(),
        name: safe_name(&place.signup.name).filter(|_| content.has_several_people),
        at: &place.at,
        sequence: place.sequence,
        url,
    };
    let file = |name, method, entries| {
        let calendar = Calendar { method, organization, sender: from.address(), entries, now };
        CalendarFile { name, method, text: calendar.to_string() }
    };
    // Who waits has no entry in a calendar.
    let has_entry = |place: &&PlaceNews| {
        place.signup.is_confirmed() || !place.signup.is_active() && !place.signup.has_only_waited()
    };
    let (held, cancelled): (Vec<_>, Vec<_>) =
        places.iter().filter(has_entry).partition(|place| place.signup.is_confirmed());
    let held: Vec<_> = held.into_iter().map(entry).collect();
    let held = Some(held).filter(|held| !held.is_empty());
    let held = held.map(|held| file("shifts.ics", Method::Publish, held));
    let cancelled =
        cancelled.into_iter().map(|place| file("cancelled.ics", Method::Cancel, vec![entry(place)]));
    Ok(Draft {
        from: sender_name(&organization.name),
        language: event.language,
        text: rendered(&NewsTextPart { mail: &content })?,
        html: rendered(&NewsHtmlPart { mail: &content })?,
        name: content.name.filter(|_| !content.has_several_people),
        subject: content.subject,
        contact: organization.contact.as_ref(),
        unsubscribe: content.unsubscribe,
        calendars: held.into_iter().chain(cancelled).collect(),
    })
}

/// Writes a mail to a person who signs in or is invited.
fn to_person<'a>(content: &PersonMail, contact: Option<&'a EmailAddress>) -> Result<Draft<'a>, String> {
    Ok(Draft {
        from: None,
        name: content.name.clone(),
        language: content.texts.language(),
        text: rendered(&PersonTextPart { mail: content })?,
        html: rendered(&PersonHtmlPart { mail: content })?,
        subject: content.subject.clone(),
        contact,
        unsubscribe: None,
        calendars: vec![],
    })
}

fn rendered(template: &impl Template) -> Result<String, String> {
    template.render().map_err(|error| error.to_string())
}

/// Puts the headers and the parts of a mail together.
///
/// A mail that is sent again has the same Message-ID, so that a mail program can recognize a duplicate.
fn message(mail: &Mail, draft: Draft<'_>, from: &MailFrom, now: Timestamp) -> WrittenMail {
    let Draft { from: organization, name, language, subject, text, html, contact, unsubscribe, calendars } =
        draft;
    let to = address(mail.recipient());
    // A half of the digest keeps the line and the boundaries of the parts short enough.
    let id = mail.message_digest(&format!("{subject}\n{text}")).to_string();
    let id = &id[..32];
    let date = Offset::UTC.to_datetime(now).strftime("%a, %d %b %Y %H:%M:%S +0000");
    let mut headers = Headers::default();
    headers.plain("Message-ID", &format!("<{id}@{}>", from.domain()));
    headers.plain("Date", &date.to_string());
    headers.mailbox("From", organization.as_deref().or_else(|| from.name()), from.address());
    headers.mailbox("To", name.as_deref(), &to);
    if let Some(contact) = contact {
        headers.mailbox("Reply-To", None, &address(contact));
    }
    headers.text("Subject", &subject);
    if let Some(url) = unsubscribe {
        headers.plain("List-Unsubscribe", &format!("<{url}>"));
        // A mail program may post to the URL without asking (RFC 8058).
        headers.plain("List-Unsubscribe-Post", "List-Unsubscribe=One-Click");
    }
    headers.plain("Content-Language", language.name());
    // Prevents automatic replies (RFC 3834, 5).
    headers.plain("Auto-Submitted", "auto-generated");
    headers.plain("MIME-Version", "1.0");
    let parts = [part("text/plain; charset=utf-8", &text), part("text/html; charset=utf-8", &html)];
    let alternatives = multipart("alternative", id, &parts);
    let files = calendars.iter().map(|CalendarFile { name, method, text }| {
        let kind = format!("text/calendar; charset=utf-8; method={}", method.name());
        part(&format!("{kind}\r\nContent-Disposition: attachment; filename=\"{name}\""), text)
    });
    let body = match calendars.as_slice() {
        [] => alternatives,
        _ => {
            let parts: Vec<_> = std::iter::once(alternatives).chain(files).collect();
            multipart("mixed", id, &parts)
        }
    };
    WrittenMail { to, content: format!("{}{body}", headers.into_text()), subject, text }
}

/// Returns a part of a mail: its headers, which begin with `Content-Type`, and its text in lines of at most 76 characters.
fn part(headers: &str, text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\n', "\r\n");
    let encoded = String::from_utf8_lossy(&quoted_printable::encode(text)).into_owned();
    format!("Content-Type: {headers}\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n{encoded}")
}

/// Returns a part that consists of other parts. No encoded text contains its boundary, because in such a text no `_` follows a `=`.
fn multipart(kind: &str, id: &str, parts: &[String]) -> String {
    let boundary = format!("=_{kind}_{id}");
    let parts: String = parts.iter().map(|part| format!("--{boundary}\r\n{part}\r\n")).collect();
    format!("Content-Type: multipart/{kind};\r\n boundary=\"{boundary}\"\r\n\r\n{parts}--{boundary}--\r\n")
}

/// Returns an address as the mail server receives it: the domain is in ASCII.
fn address(email: &EmailAddress) -> String {
    format!("{}@{}", email.user(), email.ascii_domain())
}

#[cfg(test)]
mod language_tests;
#[cfg(test)]
mod name_tests;
#[cfg(test)]
mod news_tests;
#[cfg(test)]
mod organizer_tests;
#[cfg(test)]
mod person_tests;
#[cfg(test)]
mod sample;
#[cfg(test)]
mod summary_tests;
