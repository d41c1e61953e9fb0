//! The forms that add, change and delete the questions of an event.

use askama::Template;
use signup_core::{Error, EventId, EventWithShifts, Faults, NewQuestion, Question};
use warp::http::StatusCode;
use warp::reply::Response;

use super::super::changing::{FieldValues, both_values, loaded, read_fields, reloaded};
use super::super::{Done, DoneBefore, Form, Frame, MemberCall, PageResult, show, words};
use super::ask::Ask;
use super::{event_to_change, fields, form_and_event, path_of};
use crate::page::Head;

#[derive(Debug, Template)]
#[template(path = "console/question.html")]
struct QuestionTemplate<'a> {
    head: Head,
    frame: &'a Frame,
    heading: String,
    back: String,
    form: &'a Form,
    read: Vec<(&'a str, &'a str)>,
    conflicts: &'a [FieldValues],
    kinds: [(&'static str, &'static str, &'static str); 3],
    button: &'static str,
}

fn page(
    call: &MemberCall,
    status: StatusCode,
    event: EventId,
    form: &Form,
    conflicts: &[FieldValues],
    [heading, button]: [&'static str; 2],
) -> Response {
    let page = QuestionTemplate {
        head: call.frame.head_of(heading, form),
        frame: &call.frame,
        heading: heading.to_owned(),
        back: call.frame.path(&path_of(event)),
        form,
        read: read_fields(form),
        conflicts,
        kinds: words::QUESTION_KINDS,
        button,
    };
    show(status, &page)
}

const NEW: [&str; 2] = ["New question", "Add question"];
const EDIT: [&str; 2] = ["Edit question", "Save changes"];

/// `GET /console/{slug}/events/{event_id}/questions/new`: shows the form of a new question.
pub(crate) async fn show_add_question(call: MemberCall) -> PageResult {
    let event = event_to_change(&call, call.path.event()).await?.event;
    let form = call.new_form()?.with("type", "text");
    Ok(page(&call, StatusCode::OK, event.id, &form, &[], NEW))
}

/// `POST /console/{slug}/events/{event_id}/questions/new`: adds a question to an event.
pub(crate) async fn add_question(mut call: MemberCall) -> PageResult {
    let (form, EventWithShifts { event, .. }) = form_and_event(&mut call).await?;
    let added = match new_question(&form) {
        Ok(question) => form.write(call.session.add_question(event.id, question)).await,
        Err(faults) => Err(faults.into()),
    };
    match added {
        Ok(reply) => {
            let question = &reply.value;
            let sentence = format!("It added the question “{}”.", question.label);
            let edit = call.frame.path(&format!("/questions/{}/edit", question.id));
            let back = ("go back to the event", call.frame.path(&path_of(event.id)));
            let gone = ("It has been deleted since.", back);
            let (done, made) = ((sentence, ("edit that question", edit)), call.session.question(question.id));
            Ok(match DoneBefore::of(&reply, made, done, gone).await? {
                Some(before) => {
                    let form = form.done_before(before);
                    page(&call, StatusCode::CONFLICT, event.id, &form, &[], NEW)
                }
                None => call.see_other(&path_of(event.id)),
            })
        }
        Err(Error::Invalid(faults)) => {
            let form = form.refused(&faults);
            Ok(page(&call, StatusCode::UNPROCESSABLE_ENTITY, event.id, &form, &[], NEW))
        }
        Err(error) => Err(error.into()),
    }
}

/// Checks the form of a new question. Without a position, the question comes after the last one.
fn new_question(form: &Form) -> Result<NewQuestion, Faults> {
    let has_position = !form.value("position").trim().is_empty();
    let fields: Vec<_> =
        fields::QUESTION.iter().copied().filter(|(name, _)| *name != "position" || has_position).collect();
    form.checked(&fields, NewQuestion::from_input)
}

/// `GET /console/{slug}/questions/{id}/edit`: shows the form with the present values.
pub(crate) async fn show_edit_question(call: MemberCall) -> PageResult {
    let question = question_to_change(&call).await?;
    let form = loaded(fields::QUESTION, fields::values_of_question(&question));
    Ok(page(&call, StatusCode::OK, question.event, &form, &[], EDIT))
}

/// Returns a question of an event that is not cancelled, which can be changed.
async fn question_to_change(call: &MemberCall) -> Result<Question, Error> {
    let question = call.session.question(call.path.question()).await?;
    event_to_change(call, question.event).await?;
    Ok(question)
}

/// `POST /console/{slug}/questions/{id}/edit`: changes a question.
pub(crate) async fn edit_question(mut call: MemberCall) -> PageResult {
    let question = call.session.question(call.path.question()).await?;
    let form = call.form().await?;
    let changed = match fields::question_patch(&form) {
        Ok(patch) => call.session.patch_question(question.id, patch).await,
        Err(faults) => Err(faults.into()),
    };
    match changed {
        Ok(_) => Ok(call.done(Done::Saved, &path_of(question.event))),
        Err(Error::Invalid(faults)) => {
            let form = form.refused(&faults);
            Ok(page(&call, StatusCode::UNPROCESSABLE_ENTITY, question.event, &form, &[], EDIT))
        }
        Err(Error::Conflict(names)) => {
            let question = call.session.question(question.id).await?;
            let present = fields::values_of_question(&question);
            let conflicts = both_values(&form, &names, &present);
            let form = reloaded(&form, fields::QUESTION, present);
            Ok(page(&call, StatusCode::CONFLICT, question.event, &form, &conflicts, EDIT))
        }
        Err(error) => Err(error.into()),
    }
}

fn ask(call: &MemberCall, question: &Question, form: &Form) -> Response {
    Ask::new(&call.frame, form, format!("Delete “{}”?", question.label), "Delete")
        .text(
            "Volunteers will no longer be asked this question. Answers that you already have are kept. You can’t undo this.",
        )
        .finally()
        .back(&path_of(question.event))
        .show()
}

/// `GET /console/{slug}/questions/{id}/delete`: asks whether to delete a question.
pub(crate) async fn ask_delete_question(call: MemberCall) -> PageResult {
    let question = question_to_change(&call).await?;
    Ok(ask(&call, &question, &Form::default()))
}

/// `POST /console/{slug}/questions/{id}/delete`: deletes a question. Asks first.
pub(crate) async fn delete_question(mut call: MemberCall) -> PageResult {
    let question = question_to_change(&call).await?;
    let form = call.form().await?;
    if !form.is_confirmed() {
        return Ok(ask(&call, &question, &form));
    }
    call.session.delete_question(question.id).await?;
    Ok(call.see_other(&path_of(question.event)))
}
