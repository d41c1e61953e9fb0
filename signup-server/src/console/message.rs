//! Messages: what an organizer writes to the volunteers of an event, with a preview before it is sent.

use askama::Template;
use signup_core::{Event, EventWithShifts, Faults, Message, NewMessage, Permission, ShiftId};
use warp::http::StatusCode;
use warp::reply::Response;

use super::signups::titled;
use super::{As, Done, DoneBefore, Form, Frame, MemberCall, PageResult, show};
use crate::linked_text::LinkedText;
use crate::page::Head;
use crate::texts::Texts;

const SHIFT: &str = "slot_id";
/// The recipients of a message if no shift is chosen.
const EVERYONE: &str = "Everyone on shifts that aren’t over";

#[derive(Debug, Template)]
#[template(path = "console/message.html")]
struct MessageTemplate<'a> {
    head: Head,
    frame: &'a Frame,
    event: &'a Event,
    form: &'a Form,
    /// The options: everyone, then each shift that is not over. Each is a value and its words.
    shifts: &'a [(String, String)],
}

#[derive(Debug, Template)]
#[template(path = "console/message_preview.html")]
struct PreviewTemplate<'a> {
    head: Head,
    frame: &'a Frame,
    event: &'a Event,
    form: &'a Form,
    /// How many people get the message, as a sentence.
    recipients: String,
    /// Whether the message has a recipient.
    has_recipients: bool,
    /// The chosen shift, or everyone.
    to: &'a str,
    subject: &'a str,
    text: Vec<LinkedText<'a>>,
}

/// `GET …/events/{event_id}/message`: shows the form, if a message could be sent. The parameter `slot_id` chooses a shift.
pub(crate) async fn show_message(call: MemberCall) -> PageResult {
    call.session.require(Permission::SendMessages)?;
    let found = call.session.event(call.path.event()).await?;
    let _recipients = call.session.message_recipients(found.event.id, None).await?;
    let form = call.new_form()?.with(SHIFT, call.query().value(SHIFT));
    Ok(page(StatusCode::OK, &call, &found, &form))
}

/// `POST …/events/{event_id}/message`: shows the preview. A confirmed form sends the message.
pub(crate) async fn send_message(mut call: MemberCall) -> PageResult {
    call.session.require(Permission::SendMessages)?;
    let found = call.session.event(call.path.event()).await?;
    let form = call.form().await?;
    let message = match checked(&form) {
        Ok(message) => message,
        Err(faults) => {
            let form = form.refused(&faults);
            return Ok(page(StatusCode::UNPROCESSABLE_ENTITY, &call, &found, &form));
        }
    };
    if form.is_to_change() {
        return Ok(page(StatusCode::OK, &call, &found, &form));
    }
    let event = found.event.id;
    if !form.is_confirmed() {
        let recipients = call.session.message_recipients(event, message.shift).await?;
        if recipients > 0 {
            let preview = call.session.preview();
            let sent = form.write(preview.send_message(event, message.clone())).await?;
            if sent.is_of_other_input {
                return Ok(page_of_sent(&call, &found, form, &sent.value));
            }
        }
        return Ok(preview(&call.frame, &found, &form, &message, recipients));
    }
    let sent = form.write(call.session.send_message(event, message)).await?;
    if sent.is_of_other_input {
        return Ok(page_of_sent(&call, &found, form, &sent.value));
    }
    let done = if call.frame.sends_mail { Done::MessageSent } else { Done::MessageLogged };
    Ok(call.done(done, &format!("/events/{event}")))
}

/// Returns the form, which has sent another message before.
fn page_of_sent(call: &MemberCall, found: &EventWithShifts, form: Form, sent: &Message) -> Response {
    let sentence = format!("It sent the message “{}”.", sent.subject);
    let link = ("go back to the event", call.frame.path(&format!("/events/{}", found.event.id)));
    page(StatusCode::CONFLICT, call, found, &form.done_before(DoneBefore { sentence, link }))
}

fn checked(form: &Form) -> Result<NewMessage, Faults> {
    // The choice of all shifts has no value.
    form.checked(&[("subject", As::Text), ("text", As::Text), (SHIFT, As::Text)], NewMessage::from_input)
}

fn page(
    status: StatusCode,
    call: &MemberCall,
    EventWithShifts { event, shifts, .. }: &EventWithShifts,
    form: &Form,
) -> Response {
    let (now, texts) = (call.now(), Texts::of(event.language));
    let coming = shifts.iter().filter(|shift| !shift.is_over(now));
    let all = [(String::new(), EVERYONE.to_owned())];
    let shifts: Vec<_> =
        all.into_iter().chain(coming.map(|shift| (shift.id.to_string(), titled(shift, texts)))).collect();
    let frame = &call.frame;
    let head = frame.head_of(&format!("Write to the volunteers of {}", event.title), form);
    show(status, &MessageTemplate { head, frame, event, form, shifts: &shifts })
}

fn preview(
    frame: &Frame,
    EventWithShifts { event, shifts, .. }: &EventWithShifts,
    form: &Form,
    message: &NewMessage,
    recipients: u32,
) -> Response {
    let title = |id: ShiftId| {
        shifts.iter().find(|shift| shift.id == id).map(|shift| titled(shift, Texts::of(event.language)))
    };
    let shift = message.shift.and_then(title);
    let template = PreviewTemplate {
        head: frame.head("Check your message"),
        frame,
        event,
        form,
        recipients: recipients_in_words(recipients, frame.sends_mail),
        has_recipients: recipients > 0,
        to: shift.as_deref().unwrap_or(EVERYONE),
        subject: message.subject.as_str(),
        text: LinkedText::parts(message.text.as_str()),
    };
    show(StatusCode::OK, &template)
}

fn recipients_in_words(number: u32, sends_mail: bool) -> String {
    match number {
        0 => "No one has a place on a shift that is not over, so there is no one to write to.".to_owned(),
        1 if !sends_mail => "1 person should get this message, but this server cannot send email.".to_owned(),
        number if !sends_mail => {
            format!("{number} people should get this message, but this server cannot send email.")
        }
        1 => "1 person gets this message.".to_owned(),
        number => format!("{number} people get this message."),
    }
}
