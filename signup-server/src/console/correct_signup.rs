//! Correcting the name or the email address of one volunteer.

use askama::Template;
use signup_core::{Correction, Error, Event, Permission};
use warp::http::StatusCode;
use warp::reply::Response;

use super::changing::{FieldValues, Values, both_values, loaded, patch, read_fields, reloaded};
use super::found_signup::{FoundSignup, with_list};
use super::{As, Done, Form, Frame, MemberCall, PageResult, show};
use crate::page::Head;

const HEADING: &str = "Correct a sign-up";
const FIELDS: &[(&str, As)] = &[("name", As::Text), ("email", As::Text)];

#[derive(Debug, Template)]
#[template(path = "console/correct_signup.html")]
struct CorrectTemplate<'a> {
    head: Head,
    frame: &'a Frame,
    form: &'a Form,
    read: Vec<(&'a str, &'a str)>,
    conflicts: &'a [FieldValues],
    event: &'a Event,
    list: String,
    shift: String,
    /// Whether the shift is over, so that no one gets a mail.
    is_over: bool,
}

/// `GET …/signups/{id}/correct`: shows the form with the present name and address, and says who gets a mail.
pub(crate) async fn show_correction(call: MemberCall) -> PageResult {
    call.session.require(Permission::ManageSignups)?;
    let found = FoundSignup::of(&call).await?;
    drop(call.session.preview().correct_signup(found.signup.id, Correction::new()).await?);
    let form = with_list(loaded(FIELDS, found.values()), &call);
    Ok(found.correction_page(StatusCode::OK, &call, &form, &[]))
}

/// `POST …/signups/{id}/correct`: corrects the sign-up. A form that is not confirmed changes nothing, and gets the page that says
/// who gets a mail.
pub(crate) async fn correct_signup(mut call: MemberCall) -> PageResult {
    call.session.require(Permission::ManageSignups)?;
    let found = FoundSignup::of(&call).await?;
    let form = call.form().await?;
    let check = |form: &Form| form.checked(FIELDS, Correction::from_input);
    let correction = match patch(&form, check, Correction::read) {
        Ok(correction) => correction,
        Err(faults) => {
            let form = form.refused(&faults);
            return Ok(found.correction_page(StatusCode::UNPROCESSABLE_ENTITY, &call, &form, &[]));
        }
    };
    let preview = call.session.preview();
    let session = if form.is_confirmed() { &call.session } else { &preview };
    match session.correct_signup(found.signup.id, correction).await {
        Ok(_) if form.is_confirmed() => Ok(call.done(Done::SignupCorrected, &found.list(&form))),
        Ok(_) => Ok(found.correction_page(StatusCode::OK, &call, &form, &[])),
        Err(Error::Conflict(names)) => {
            let present = FoundSignup::of(&call).await?;
            let conflicts = both_values(&form, &names, &present.values());
            let form = reloaded(&form, FIELDS, present.values());
            Ok(present.correction_page(StatusCode::CONFLICT, &call, &form, &conflicts))
        }
        Err(error) => Err(error.into()),
    }
}

impl FoundSignup {
    fn values(&self) -> Values {
        vec![("name", self.signup.name.to_string()), ("email", self.signup.email.to_string())]
    }

    fn correction_page(
        &self,
        status: StatusCode,
        call: &MemberCall,
        form: &Form,
        conflicts: &[FieldValues],
    ) -> Response {
        let frame = &call.frame;
        let (head, read) = (frame.head_of(HEADING, form), read_fields(form));
        let (event, shift, is_over) = (&self.event, self.shift(), self.is_over(call.now()));
        let list = frame.path(&self.list(form));
        show(status, &CorrectTemplate { head, frame, form, read, conflicts, event, list, shift, is_over })
    }
}
