//! Messages: what an organizer writes to the volunteers of an event, with a preview before it is sent.

use askama::Template;
use signup_core::{
    Audience, Error, Event, EventWithShifts, Faults, Message, NewMessage, Permission, ScheduledShift,
};
use warp::http::StatusCode;
use warp::reply::Response;

use super::event::count;
use super::signups::{briefly, titled};
use super::{As, Done, DoneBefore, Form, Frame, MemberCall, PageResult, show};
use crate::linked_text::LinkedText;
use crate::page::Head;
use crate::page::times::{moment, zone_in_words};
use crate::texts::Texts;

const SHIFT: &str = "slot_id";
const AUDIENCE: &str = "audience";
/// The audiences, with the words of each.
const AUDIENCES: [(&str, &str); 3] = [
    ("all", "Everyone with a place"),
    ("attended", "People who came"),
    ("waiting", "People on the waiting list"),
];

#[derive(Debug, Template)]
#[template(path = "console/message.html")]
struct MessageTemplate<'a> {
    head: Head,
    frame: &'a Frame,
    event: &'a Event,
    form: &'a Form,
    /// Why no further message can be sent, as a sentence.
    refusal: Option<&'static str>,
    audiences: [(&'static str, &'static str); 3],
    /// The options: all shifts, then each shift. Each is a value and its words.
    shifts: &'a [(String, String)],
    /// The zone of the times, as a sentence.
    zone: &'a str,
    /// Whether the organization has a contact, to which answers go.
    has_contact: bool,
    /// The messages that were sent before, the newest first.
    sent: &'a [SentMessage<'a>],
}

/// A message that was sent before.
#[derive(Debug)]
struct SentMessage<'a> {
    message: &'a Message,
    text: Vec<LinkedText<'a>>,
    /// When, by whom, and to whom.
    about: String,
}

#[derive(Debug, Template)]
#[template(path = "console/message_preview.html")]
struct PreviewTemplate<'a> {
    head: Head,
    frame: &'a Frame,
    event: &'a Event,
    form: &'a Form,
    /// How many emails are sent, as a sentence.
    recipients: String,
    /// Whether the message has a recipient.
    has_recipients: bool,
    /// The audience, and the chosen shift.
    to: &'a str,
    subject: &'a str,
    text: Vec<LinkedText<'a>>,
}

/// `GET …/events/{event_id}/message`: shows the messages that were sent before, and the form if a further one could be sent. The
/// parameter `slot_id` chooses a shift.
pub(crate) async fn show_message(call: MemberCall) -> PageResult {
    call.session.require(Permission::SendMessages)?;
    let found = call.session.event(call.path.event()).await?;
    let form = call.new_form()?.with(AUDIENCE, Audience::default().name());
    let form = form.with(SHIFT, call.query().value(SHIFT));
    page(StatusCode::OK, &call, &found, &form).await
}

/// `POST …/events/{event_id}/message`: shows the preview. A confirmed form sends the message.
pub(crate) async fn send_message(mut call: MemberCall) -> PageResult {
    call.session.require(Permission::SendMessages)?;
    let found = call.session.event(call.path.event()).await?;
    let form = call.form().await?;
    let message = match checked(&form) {
        Ok(message) => message,
        // The page then has no form.
        Err(_) if Message::check_event(&found.event, &found.shifts, call.now()).is_err() => {
            return page(StatusCode::CONFLICT, &call, &found, &form).await;
        }
        Err(faults) => {
            let form = form.refused(&faults);
            return page(StatusCode::UNPROCESSABLE_ENTITY, &call, &found, &form).await;
        }
    };
    if form.is_to_change() {
        return page(StatusCode::OK, &call, &found, &form).await;
    }
    let event = found.event.id;
    if !form.is_confirmed() {
        let sent = form.write(call.session.preview().send_message(event, message)).await?;
        if sent.is_of_other_input {
            return page_of_sent(&call, &found, form, &sent.value).await;
        }
        return Ok(preview(&call, &found, &form, &sent.value));
    }
    let sent = form.write(call.session.send_message(event, message)).await?;
    if sent.is_of_other_input {
        return page_of_sent(&call, &found, form, &sent.value).await;
    }
    let done = if call.frame.sends_mail { Done::MessageSent } else { Done::MessageLogged };
    Ok(call.done(done, &format!("/events/{event}")))
}

/// Returns the form, which has sent another message before.
async fn page_of_sent(call: &MemberCall, found: &EventWithShifts, form: Form, sent: &Message) -> PageResult {
    let sentence = format!("It sent the message “{}”.", sent.subject);
    let link = ("go back to the event", call.frame.path(&format!("/events/{}", found.event.id)));
    page(StatusCode::CONFLICT, call, found, &form.done_before(DoneBefore { sentence, link })).await
}

fn checked(form: &Form) -> Result<NewMessage, Faults> {
    // The choice of all shifts has no value.
    let fields = [("subject", As::Text), ("text", As::Text), (SHIFT, As::Text), (AUDIENCE, As::Text)];
    form.checked(&fields, NewMessage::from_input)
}

async fn page(
    status: StatusCode,
    call: &MemberCall,
    EventWithShifts { event, shifts, .. }: &EventWithShifts,
    form: &Form,
) -> PageResult {
    let (frame, texts) = (&call.frame, Texts::of(event.language));
    let refusal = Message::check_event(event, shifts, call.now()).err().map(|error| match error {
        Error::EventCancelled => "You can’t send a message, because the event is cancelled.",
        _ if shifts.is_empty() => "You can’t send a message, because the event has no shifts.",
        _ => "You can’t send a message, because the last shift ended more than 30 days ago.",
    });
    let sent = call.session.messages(event.id).await?;
    let about = |message: &Message| {
        let at = moment(message.created_at, event.dates.first.zone(), texts);
        let to = to_in_words(message, shifts, texts);
        let people = count(message.recipients.into(), "person (email address)", "people (email addresses)");
        format!("{at}, by {}. {to}: {people}.", message.sender_name)
    };
    let sent = sent.iter().map(|message| SentMessage {
        about: about(message),
        text: LinkedText::parts(message.text.as_str()),
        message,
    });
    let sent: Vec<_> = sent.collect();
    let all = [(String::new(), "All shifts".to_owned())];
    let each = shifts.iter().map(|shift| (shift.id.to_string(), briefly(shift, texts)));
    let shifts: Vec<_> = all.into_iter().chain(each).collect();
    let head = frame.head_of(&format!("Write to the volunteers of {}", event.title), form);
    let organizations = call.signed_in.memberships();
    let mut organizations = organizations.iter().map(|(_, organization)| organization);
    let page = MessageTemplate {
        head,
        frame,
        event,
        form,
        refusal,
        audiences: AUDIENCES,
        shifts: &shifts,
        zone: &format!("All times are in {}.", zone_in_words(event.dates.first.zone(), Texts::ENGLISH)),
        has_contact: organizations.any(|found| found.id == event.organization && found.contact.is_some()),
        sent: &sent,
    };
    Ok(show(status, &page))
}

/// Returns whom a message is for, in words.
fn to_in_words(message: &Message, shifts: &[ScheduledShift], texts: Texts) -> String {
    let name = message.audience.name();
    let words = AUDIENCES.iter().find(|(value, _)| *value == name).map_or("", |(_, words)| words);
    if let Some(id) = message.shift {
        let title = shifts.iter().find(|shift| shift.id == id).map(|shift| titled(shift, texts));
        return format!("{words}, {}", title.as_deref().unwrap_or("deleted shift"));
    }
    let leaves_out = message.audience != Audience::Attended
        && !message.includes_past
        && shifts.iter().any(|shift| shift.is_over(message.created_at));
    format!("{words}{}", if leaves_out { ", except on shifts that were over" } else { "" })
}

fn preview(
    call: &MemberCall,
    EventWithShifts { event, shifts, .. }: &EventWithShifts,
    form: &Form,
    message: &Message,
) -> Response {
    let frame = &call.frame;
    let to = to_in_words(message, shifts, Texts::of(event.language));
    let template = PreviewTemplate {
        head: frame.head("Check your message"),
        frame,
        event,
        form,
        recipients: recipients_in_words(message.recipients, frame.sends_mail),
        has_recipients: message.recipients > 0,
        to: &to,
        subject: message.subject.as_str(),
        text: LinkedText::parts(message.text.as_str()),
    };
    show(StatusCode::OK, &template)
}

fn recipients_in_words(number: u32, sends_mail: bool) -> String {
    match number {
        0 => "There is no one to write to: no one gets this message.".to_owned(),
        1 if !sends_mail => "This would send 1 email, but this server cannot send email.".to_owned(),
        number if !sends_mail => {
            format!("This would send {number} emails, but this server cannot send email.")
        }
        1 => "This sends 1 email.".to_owned(),
        number => {
            format!("This sends {number} emails: one to each email address, also if several people share it.")
        }
    }
}
