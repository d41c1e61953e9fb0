//! Correcting the name or the email address of one volunteer.

use askama::Template;
use signup_core::{Correction, Error, Event, Permission, Signup};
use warp::http::StatusCode;
use warp::reply::Response;

use super::changing::{FieldValues, Values, both_values, loaded, patch, read_fields, reloaded};
use super::event::ask::Ask;
use super::found_signup::{FoundSignup, LIST};
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
}

/// `GET …/signups/{id}/correct`: shows the form with the present name and address.
pub(crate) async fn show_correction(call: MemberCall) -> PageResult {
    call.session.require(Permission::ManageSignups)?;
    let found = FoundSignup::of(&call).await?;
    drop(call.session.preview().correct_signup(found.signup.id, Correction::new()).await?);
    let form = loaded(FIELDS, found.values()).with(LIST, call.query().value(LIST));
    Ok(found.correction_page(StatusCode::OK, &call.frame, &form, &[]))
}

/// `POST …/signups/{id}/correct`: asks first, and says who gets a mail. A confirmed form corrects the sign-up.
pub(crate) async fn correct_signup(mut call: MemberCall) -> PageResult {
    call.session.require(Permission::ManageSignups)?;
    let found = FoundSignup::of(&call).await?;
    let form = call.form().await?;
    let check = |form: &Form| form.checked(FIELDS, Correction::from_input);
    let correction = match patch(&form, check, Correction::read) {
        Ok(correction) => correction,
        Err(faults) => {
            let form = form.refused(&faults);
            return Ok(found.correction_page(StatusCode::UNPROCESSABLE_ENTITY, &call.frame, &form, &[]));
        }
    };
    let preview = call.session.preview();
    let session = if form.is_confirmed() { &call.session } else { &preview };
    match session.correct_signup(found.signup.id, correction).await {
        Ok(_) if form.is_confirmed() => Ok(call.done(Done::SignupCorrected, &found.list(&form))),
        Ok(corrected) => Ok(found.ask_to_correct(&call, &form, &corrected)),
        Err(Error::Conflict(names)) => {
            let present = FoundSignup::of(&call).await?;
            let conflicts = both_values(&form, &names, &present.values());
            let form = reloaded(&form, FIELDS, present.values());
            Ok(present.correction_page(StatusCode::CONFLICT, &call.frame, &form, &conflicts))
        }
        Err(error) => Err(error.into()),
    }
}

impl FoundSignup {
    fn values(&self) -> Values {
        vec![("name", self.signup.name.to_string()), ("email", self.signup.email.to_string())]
    }

    fn ask_to_correct(&self, call: &MemberCall, form: &Form, corrected: &Signup) -> Response {
        let frame = &call.frame;
        let Signup { name: old_name, email: old, .. } = &self.signup;
        let Signup { name, email, .. } = corrected;
        let told = if old == email {
            "No one gets an email.".to_owned()
        } else if self.is_over(call.now()) {
            format!(
                "No one gets an email, because the shift is over. Links that {old} has no longer show the place."
            )
        } else if frame.sends_mail {
            format!(
                "We’ll email {email} about the place. {old} gets no email, and links in earlier emails no longer show the place."
            )
        } else {
            format!(
                "We can’t email {email}, so tell the volunteer yourself. Links that {old} has no longer show the place."
            )
        };
        Ask::new(frame, form, "Correct this sign-up?", "Correct")
            .text(format!("{old_name} ({old}) becomes {name} ({email}): {}.", self.shift()))
            .text(told)
            .back(&self.list(form))
            .show()
    }

    fn correction_page(
        &self,
        status: StatusCode,
        frame: &Frame,
        form: &Form,
        conflicts: &[FieldValues],
    ) -> Response {
        let (head, read) = (frame.head_of(HEADING, form), read_fields(form));
        let (event, shift) = (&self.event, self.shift());
        let list = frame.path(&self.list(form));
        show(status, &CorrectTemplate { head, frame, form, read, conflicts, event, list, shift })
    }
}
