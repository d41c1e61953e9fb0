//! Cancelling the place of one volunteer, or taking one off a waiting list, with a reason.

use askama::Template;
use signup_core::{Cancellation, Event, Permission, Signup};
use warp::http::StatusCode;
use warp::reply::Response;

use super::event::ask::Ask;
use super::found_signup::{FoundSignup, LIST};
use super::{As, ConsoleRefusal, Done, Form, Frame, MemberCall, PageResult, show};
use crate::page::Head;

const REASON: &str = "reason";
/// The fields, as in the cancellation of an event.
const FIELDS: &[(&str, As)] = &[(REASON, As::Text), ("notify_volunteers", As::Flag)];

#[derive(Debug, Template)]
#[template(path = "console/cancel_signup.html")]
struct CancelTemplate<'a> {
    head: Head,
    frame: &'a Frame,
    form: &'a Form,
    event: &'a Event,
    signup: &'a Signup,
    list: String,
    shift: String,
}

/// `GET …/signups/{id}/cancel`: asks for the reason.
pub(crate) async fn ask_reason(call: MemberCall) -> PageResult {
    call.session.require(Permission::ManageSignups)?;
    let form = Form::default().with(LIST, call.query().value(LIST));
    let found = FoundSignup::of(&call).await?;
    found.check_can_be_cancelled(&call).await?;
    Ok(found.reason_page(StatusCode::OK, &call.frame, &form))
}

/// `POST …/signups/{id}/cancel`: asks first, and says who gets a mail. A confirmed form cancels the place.
pub(crate) async fn cancel_signup(mut call: MemberCall) -> PageResult {
    call.session.require(Permission::ManageSignups)?;
    let found = FoundSignup::of(&call).await?;
    let mut form = call.form().await?;
    if form.value(REASON).trim().is_empty() {
        form.remove(REASON);
    }
    // A cancellation that is sent twice is carried out once, and is no mistake.
    if !form.is_confirmed() {
        found.check_can_be_cancelled(&call).await?;
    }
    let cancel = match form.checked(FIELDS, Cancellation::from_input) {
        Ok(cancel) => cancel,
        Err(faults) => {
            let form = form.refused(&faults);
            return Ok(found.reason_page(StatusCode::UNPROCESSABLE_ENTITY, &call.frame, &form));
        }
    };
    let list = found.list(&form);
    if form.is_confirmed() {
        let done = if found.signup.is_waitlisted() { Done::TakenOffList } else { Done::PlaceCancelled };
        let _cancelled = call.session.cancel_signup(found.signup.id, cancel).await?;
        return Ok(call.done(done, &list));
    }
    let (signup, shift) = (&found.signup, found.shift());
    let name = &signup.name;
    let (button, present, done, again) = if signup.is_waitlisted() {
        (
            "Take off the list",
            "is on the waiting list of this shift",
            "taken them off the waiting list",
            "can join the list again, at its end",
        )
    } else {
        (
            "Cancel the place",
            "has a place on this shift",
            "cancelled the place",
            "can sign up again while there is room",
        )
    };
    let mut ask = Ask::new(&call.frame, &form, format!("{}?", found.what()), button)
        .text(format!("{name} {present}: {shift}."))
        .text(if call.frame.sends_mail {
            format!(
                "We’ll email {} that you have {done}{}, unless you untick the box.",
                signup.email,
                if form.is_ticked(REASON) { ", with your reason" } else { "" },
            )
        } else {
            format!("We can’t email {}, so tell the volunteer yourself.", signup.email)
        });
    if let Some(successor) = found.successor(&call) {
        ask = ask.text(successor);
    }
    let ask = ask.text(format!("You can’t undo this, but {name} {again}."));
    Ok(ask.mails(1).finally().back(&list).show())
}

impl FoundSignup {
    /// Returns what the call does, in words.
    fn what(&self) -> String {
        let name = &self.signup.name;
        if self.signup.is_waitlisted() {
            format!("Take {name} off the waiting list")
        } else {
            format!("Cancel the place of {name}")
        }
    }

    /// Refuses to ask about a sign-up that cannot be cancelled now.
    async fn check_can_be_cancelled(&self, call: &MemberCall) -> Result<(), ConsoleRefusal> {
        if !self.signup.is_active() {
            return Err(ConsoleRefusal::PlaceCancelled);
        }
        drop(call.session.preview().cancel_signup(self.signup.id, Cancellation::new()).await?);
        Ok(())
    }

    fn reason_page(&self, status: StatusCode, frame: &Frame, form: &Form) -> Response {
        let Self { signup, event, .. } = self;
        let head = frame.head_of(&self.what(), form);
        let (list, shift) = (frame.path(&self.list(form)), self.shift());
        show(status, &CancelTemplate { head, frame, form, event, signup, list, shift })
    }
}
