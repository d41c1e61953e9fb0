//! The forms that add, change and delete shifts.

use askama::Template;
use signup_core::{DeleteShift, Error, Event, EventWithShifts, Faults, Input, ScheduledShift, ShiftPatch};
use warp::http::StatusCode;
use warp::reply::Response;

use super::super::changing::{FieldValues, as_stored, both_values, loaded, read_fields, reloaded};
use super::super::signups::titled;
use super::super::{Done, DoneBefore, Form, Frame, MemberCall, PageResult, show, there};
use super::ask::{Ask, is_notified, silences_more};
use super::change::ReasonTemplate;
use super::fields::{self, MAX_ROWS, MORE_ROWS, Row};
use super::{count, event_to_change, form_and_event, path_of, surprises};
use crate::page::Head;
use crate::texts::Texts;

#[derive(Debug, Template)]
#[template(path = "console/shifts_new.html")]
struct NewShiftsTemplate<'a> {
    head: Head,
    frame: &'a Frame,
    event: &'a Event,
    path: String,
    form: &'a Form,
    rows: Vec<Row>,
    days: Vec<(String, String)>,
    can_have_more: bool,
}

fn page_of_new(call: &MemberCall, status: StatusCode, event: &Event, form: &Form) -> Response {
    let rows = fields::rows(form);
    let page = NewShiftsTemplate {
        head: call.frame.head_of(&format!("Add shifts to {}", event.title), form),
        frame: &call.frame,
        event,
        path: call.frame.path(&path_of(event.id)),
        form,
        can_have_more: rows.len() < MAX_ROWS,
        rows,
        days: fields::days(event),
    };
    show(status, &page)
}

/// `GET /console/{slug}/events/{event_id}/shifts/new`: shows rows for new shifts.
pub(crate) async fn show_add_shifts(call: MemberCall) -> PageResult {
    let event = event_to_change(&call, call.path.event()).await?.event;
    Ok(page_of_new(&call, StatusCode::OK, &event, &call.new_form()?))
}

/// `POST /console/{slug}/events/{event_id}/shifts/new`: adds shifts to an event, or rows to the form. Asks first if a shift would
/// be in the past, or the clocks skip a time of it.
pub(crate) async fn add_shifts(mut call: MemberCall) -> PageResult {
    let (form, EventWithShifts { event, .. }) = form_and_event(&mut call).await?;
    if form.action() == MORE_ROWS {
        return Ok(page_of_new(&call, StatusCode::OK, &event, &form));
    }
    let form = fields::without_empty_rows(&form);
    if form.is_to_change() {
        return Ok(page_of_new(&call, StatusCode::OK, &event, &form));
    }
    let shifts = match fields::new_shifts(&form, event.dates.days()) {
        Ok(shifts) => shifts,
        Err(faults) => return not_added(&call, &event, form, faults.into()),
    };
    let path = path_of(event.id);
    if !form.is_confirmed() {
        let preview = call.session.preview();
        let planned = match form.write(preview.add_shifts(event.id, shifts.clone())).await {
            Ok(planned) => planned,
            Err(error) => return not_added(&call, &event, form, error),
        };
        let texts = Texts::of(event.language);
        let (heading, surprises) =
            ("Add these shifts?", surprises::of_shifts(&[], &planned.value, call.now(), texts));
        if let Some(ask) = Ask::of_new(&call.frame, &form, heading, "Add shifts", &planned, surprises) {
            return Ok(ask.back(&path).show());
        }
    }
    match form.write(call.session.add_shifts(event.id, shifts)).await {
        Ok(reply) => {
            let added = &reply.value;
            let sentence = format!("It added {}.", count(added.len() as u64, "shift", "shifts"));
            let link = |words| (words, call.frame.path(&path));
            let gone = ("All of them have been deleted since.", link("go back to the event"));
            let is_there = async {
                let present = call.session.event(event.id).await?.shifts;
                there(added.iter().any(|added| present.iter().any(|shift| shift.id == added.id)))
            };
            let done = (sentence, link("see and edit the shifts"));
            Ok(match DoneBefore::of(&reply, is_there, done, gone).await? {
                Some(before) => page_of_new(&call, StatusCode::CONFLICT, &event, &form.done_before(before)),
                None => call.see_other(&path),
            })
        }
        Err(error) => not_added(&call, &event, form, error),
    }
}

fn not_added(call: &MemberCall, event: &Event, form: Form, error: Error) -> PageResult {
    match error {
        Error::Invalid(faults) => {
            Ok(page_of_new(call, StatusCode::UNPROCESSABLE_ENTITY, event, &form.refused(&faults)))
        }
        error => Err(error.into()),
    }
}

#[derive(Debug, Template)]
#[template(path = "console/shift_edit.html")]
struct EditShiftTemplate<'a> {
    head: Head,
    frame: &'a Frame,
    /// The title and the time of the shift: an event can have several with one title.
    heading: String,
    back: String,
    form: &'a Form,
    read: Vec<(&'a str, &'a str)>,
    conflicts: &'a [FieldValues],
    days: Vec<(String, String)>,
}

fn page_of_edit(
    call: &MemberCall,
    status: StatusCode,
    (event, shift): (&Event, &ScheduledShift),
    form: &Form,
    conflicts: &[FieldValues],
) -> Response {
    let heading = titled(shift, Texts::of(event.language));
    let page = EditShiftTemplate {
        head: call.frame.head_of(&format!("Edit {heading}"), form),
        frame: &call.frame,
        heading,
        back: call.frame.path(&path_of(shift.event)),
        form,
        read: read_fields(form),
        conflicts,
        days: fields::days(event),
    };
    show(status, &page)
}

/// `GET /console/{slug}/shifts/{id}/edit`: shows the form with the present values.
pub(crate) async fn show_edit_shift(call: MemberCall) -> PageResult {
    let shift = call.session.preview().patch_shift(call.path.shift(), ShiftPatch::new()).await?;
    let event = call.session.event(shift.event).await?.event;
    let form = loaded(fields::SHIFT, fields::values_of_shift(&shift));
    Ok(page_of_edit(&call, StatusCode::OK, (&event, &shift), &form, &[]))
}

/// `POST /console/{slug}/shifts/{id}/edit`: changes a shift. Asks first if the change mails volunteers.
pub(crate) async fn edit_shift(mut call: MemberCall) -> PageResult {
    let shift = call.session.shift(call.path.shift()).await?;
    let form = call.form().await?;
    let present = fields::values_of_shift(&shift);
    let form = as_stored(&form, &present);
    if form.is_to_change() {
        let event = call.session.event(shift.event).await?.event;
        return Ok(page_of_edit(&call, StatusCode::OK, (&event, &shift), &form, &[]));
    }
    let patch = match fields::shift_patch(&form) {
        Ok(patch) => patch,
        Err(faults) => return refused(&call, &shift, form, faults.into()).await,
    };
    if !form.is_confirmed() || !is_notified(&form) {
        let preview = call.session.preview();
        let after = match preview.patch_shift(shift.id, patch.clone()).reply().await {
            Ok(after) => after,
            Err(error) => return refused(&call, &shift, form, error).await,
        };
        let event = call.session.event(shift.event).await?.event;
        let texts = Texts::of(event.language);
        let occupancy = after.value.occupancy;
        let mut surprises =
            surprises::of_shifts(std::slice::from_ref(&shift), &[after.value], call.now(), texts);
        // The waiting list gets places and mails whether the change is announced or not.
        let promoted = occupancy.filled.saturating_sub(shift.occupancy.filled);
        let (heading, mails) =
            (format!("Change {}?", titled(&shift, texts)), after.mails_queued.saturating_sub(promoted));
        surprises.extend((promoted > 0).then(|| {
            let people =
                count(promoted.into(), "person on the waiting list gets", "people on the waiting list get");
            let told = if call.frame.sends_mail {
                "We’ll email them about it."
            } else {
                "We can’t email them, so tell them yourself."
            };
            format!("{people} a place. {told}")
        }));
        if (!form.is_confirmed() || silences_more(&form, mails))
            && let Some(ask) = Ask::of_form(&call.frame, &form, heading, "Save changes", (surprises, mails))
        {
            let ask = ask.changes(fields::changes_of_shift(&form, &present, &event));
            return Ok(ask.back(&path_of(shift.event)).show());
        }
    }
    let patch = if is_notified(&form) { patch } else { patch.without_mail() };
    match call.session.patch_shift(shift.id, patch).await {
        Ok(_) => Ok(call.done(Done::Saved, &path_of(shift.event))),
        Err(error) => refused(&call, &shift, form, error).await,
    }
}

async fn refused(call: &MemberCall, shift: &ScheduledShift, form: Form, error: Error) -> PageResult {
    let event = call.session.event(shift.event).await?.event;
    match error {
        Error::Invalid(faults) => {
            let (status, form) = (StatusCode::UNPROCESSABLE_ENTITY, form.refused(&faults));
            Ok(page_of_edit(call, status, (&event, shift), &form, &[]))
        }
        Error::Conflict(names) => {
            let shift = call.session.shift(shift.id).await?;
            let present = fields::values_of_shift(&shift);
            let conflicts = fields::with_dates(both_values(&form, &names, &present), &event);
            let form = reloaded(&form, fields::SHIFT, present);
            Ok(page_of_edit(call, StatusCode::CONFLICT, (&event, &shift), &form, &conflicts))
        }
        error => Err(error.into()),
    }
}

/// Returns the number of sign-ups that the deletion of a shift cancels.
async fn cancelled_signups(call: &MemberCall, shift: &ScheduledShift) -> Result<u32, Error> {
    let deletion = DeleteShift::new().cancel_signups();
    let deleted = call.session.preview().delete_shift(shift.id, deletion).reply().await?;
    Ok(deleted.mails_queued)
}

fn page_of_reason(
    call: &MemberCall,
    status: StatusCode,
    (shift, texts, signups): (&ScheduledShift, Texts, u32),
    form: &Form,
) -> Response {
    let heading = format!("Delete {}", titled(shift, texts));
    let signups = count(signups.into(), "sign-up", "sign-ups");
    let page = ReasonTemplate {
        head: call.frame.head_of(&heading, form),
        frame: &call.frame,
        text: format!("This also cancels {signups}. You can’t undo this."),
        heading,
        form,
        hint: if call.frame.sends_mail {
            "Optional. Volunteers will see it."
        } else {
            "Optional. The page of each sign-up shows it."
        },
        button: "Delete",
        back: call.frame.path(&path_of(shift.event)),
    };
    show(status, &page)
}

fn ask(call: &MemberCall, (shift, texts, signups): (&ScheduledShift, Texts, u32), form: &Form) -> Response {
    let ask = Ask::new(&call.frame, form, format!("Delete {}?", titled(shift, texts)), "Delete");
    let ask = match signups {
        0 => ask,
        signups => ask.text(format!("This also cancels {}.", count(signups.into(), "sign-up", "sign-ups"))),
    };
    ask.text("You can’t undo this.").mails(signups.into()).finally().back(&path_of(shift.event)).show()
}

/// `GET /console/{slug}/shifts/{id}/delete`: asks whether to delete a shift, and for a reason if volunteers are signed up.
pub(crate) async fn ask_delete_shift(call: MemberCall) -> PageResult {
    let shift = call.session.shift(call.path.shift()).await?;
    let event = call.session.event(shift.event).await?.event;
    let (texts, form) = (Texts::of(event.language), Form::default());
    let signups = cancelled_signups(&call, &shift).await?;
    Ok(match signups {
        0 => ask(&call, (&shift, texts, 0), &form),
        _ => page_of_reason(&call, StatusCode::OK, (&shift, texts, signups), &form),
    })
}

/// `POST /console/{slug}/shifts/{id}/delete`: deletes a shift. Asks first.
pub(crate) async fn delete_shift(mut call: MemberCall) -> PageResult {
    let shift = call.session.shift(call.path.shift()).await?;
    let event = call.session.event(shift.event).await?.event;
    let (texts, form) = (Texts::of(event.language), call.form().await?);
    let deletion = match deletion(&form) {
        Ok(deletion) => deletion,
        Err(faults) => {
            let form = form.refused(&faults);
            let found = (&shift, texts, cancelled_signups(&call, &shift).await?);
            return Ok(page_of_reason(&call, StatusCode::UNPROCESSABLE_ENTITY, found, &form));
        }
    };
    if !form.is_confirmed() || !is_notified(&form) {
        let signups = cancelled_signups(&call, &shift).await?;
        if !form.is_confirmed() || silences_more(&form, signups) {
            let mut form = form;
            form.remove(CANCEL_SIGNUPS);
            // Only a page that has named the sign-ups cancels them.
            let form = if signups == 0 { form } else { form.with(CANCEL_SIGNUPS, "true") };
            return Ok(ask(&call, (&shift, texts, signups), &form));
        }
    }
    let deletion = if is_notified(&form) { deletion } else { deletion.without_mail() };
    call.session.delete_shift(shift.id, deletion).await?;
    Ok(call.done(Done::ShiftDeleted, &path_of(shift.event)))
}

const CANCEL_SIGNUPS: &str = "cancel_signups";

fn deletion(form: &Form) -> Result<DeleteShift, Faults> {
    let typed = [CANCEL_SIGNUPS, "reason"].map(|name| (name, form.value(name)));
    DeleteShift::from_input(Input::from_texts(typed))
}
