//! The pages of events: the list, the page of one event, and the forms that create and change events, shifts and questions.

pub(super) mod ask;
mod calendar;
mod change;
mod create;
mod day;
mod edit;
mod fields;
mod found;
mod home;
mod question;
mod shift;
mod surprises;
mod timeline;
mod view;
mod zones;

pub(crate) use change::{
    ask_cancel, ask_delete, cancel, close_signups, delete, duplicate, open_signups, publish,
    show_close_signups, show_duplicate, show_open_signups, show_publish, show_unpublish, unpublish,
};
pub(crate) use create::{create, show_create};
pub(crate) use edit::{edit, show_edit};
pub(crate) use home::{home, to_home};
pub(crate) use question::{
    add_question, ask_delete_question, delete_question, edit_question, show_add_question, show_edit_question,
};
pub(crate) use shift::{
    add_shifts, ask_delete_shift, delete_shift, edit_shift, show_add_shifts, show_edit_shift,
};
pub(crate) use view::event;

use signup_core::{Error, EventId, EventPatch, EventWithShifts, Session};

use super::{ConsoleRefusal, Form, MemberCall};

/// Returns the path of the page of an event, below that of the organization.
fn path_of(event: EventId) -> String {
    format!("/events/{event}")
}

/// Reads an event that can be changed, by the preview of a change of nothing.
///
/// # Errors
/// Returns the error that each change of the event would return, such as [`Error::EventCancelled`].
async fn event_to_change(call: &MemberCall, id: EventId) -> Result<EventWithShifts, Error> {
    call.session.preview().patch_event(id, EventPatch::new()).await
}

/// Returns a number with its noun, such as `1 sign-up` or `12 sign-ups`.
pub(super) fn count(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// Returns how many active events the plan still allows, in words. `None` if the plan sets no limit.
async fn active_events(session: &Session) -> Result<Option<String>, Error> {
    let max = session.limits().active_events;
    if max == u32::MAX {
        return Ok(None);
    }
    let active = session.active_events().await?;
    Ok(Some(format!(
        "{active} of {max} active events are in use. An event is active while it’s published, until its last day ends."
    )))
}

/// Returns the sentences about a plan whose limit is reached. `None` for any other error.
fn limit_reached(error: &Error) -> Option<String> {
    let Error::PlanLimit { current_count, max_allowed } = error else { return None };
    Some(format!(
        "Your plan allows {}, and you already have {current_count}. Cancel or delete one, or wait until one is over. Until then, you \
         can keep this event as a draft.",
        count((*max_allowed).into(), "active event", "active events"),
    ))
}

/// Finds the event in the path with its shifts, and then reads the form in the body.
async fn form_and_event(call: &mut MemberCall) -> Result<(Form, EventWithShifts), ConsoleRefusal> {
    let found = call.session.event(call.path.event()).await?;
    Ok((call.form().await?, found))
}
