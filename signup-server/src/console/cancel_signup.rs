//! Cancelling the place of one volunteer, or taking one off a waiting list, with a reason.

use askama::Template;
use signup_core::{Cancellation, Event, Permission, Signup};
use warp::http::StatusCode;
use warp::reply::Response;

use super::event::ask::{NOTIFY, is_notified};
use super::found_signup::{FoundSignup, with_list};
use super::{As, ConsoleRefusal, Done, Form, Frame, MemberCall, PageResult, show};
use crate::page::Head;

const REASON: &str = "reason";
/// The fields, as in the cancellation of an event.
const FIELDS: &[(&str, As)] = &[(REASON, As::Text), (NOTIFY, As::Flag)];

#[derive(Debug, Template)]
#[template(path = "console/cancel_signup.html")]
struct CancelTemplate<'a> {
    head: Head,
    frame: &'a Frame,
    form: &'a Form,
    read: [(&'static str, String); 2],
    /// Whether the page of the form said something else.
    has_changed: bool,
    event: &'a Event,
    signup: &'a Signup,
    list: String,
    shift: String,
    /// What becomes of the place that comes free.
    successor: Option<&'static str>,
    /// Whether the volunteer is to be mailed.
    is_notified: bool,
}

/// `GET …/signups/{id}/cancel`: asks for the reason, and says who gets a mail.
pub(crate) async fn ask_reason(call: MemberCall) -> PageResult {
    call.session.require(Permission::ManageSignups)?;
    let found = FoundSignup::of(&call).await?;
    found.check_can_be_cancelled(&call).await?;
    Ok(found.reason_page(StatusCode::OK, &call, &with_list(Form::default(), &call)))
}

/// `POST …/signups/{id}/cancel`: cancels the place. A form that is not confirmed changes nothing, and gets the page that says who
/// gets a mail.
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
            return Ok(found.reason_page(StatusCode::UNPROCESSABLE_ENTITY, &call, &form));
        }
    };
    if found.has_changed_since(&form) && found.signup.is_active() {
        found.check_can_be_cancelled(&call).await?;
        return Ok(found.reason_page(StatusCode::CONFLICT, &call, &form));
    }
    if form.is_confirmed() {
        let done = if found.signup.is_waitlisted() { Done::TakenOffList } else { Done::PlaceCancelled };
        let _cancelled = call.session.cancel_signup(found.signup.id, cancel).await?;
        return Ok(call.done(done, &found.list(&form)));
    }
    Ok(found.reason_page(StatusCode::OK, &call, &form))
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

    fn reason_page(&self, status: StatusCode, call: &MemberCall, form: &Form) -> Response {
        let (Self { signup, event, .. }, frame) = (self, &call.frame);
        let head = frame.head_of(&self.what(), form);
        let (list, shift, successor) = (frame.path(&self.list(form)), self.shift(), self.successor(call));
        let page = CancelTemplate {
            head,
            frame,
            form,
            read: self.read(),
            has_changed: self.has_changed_since(form),
            event,
            signup,
            list,
            shift,
            successor,
            is_notified: is_notified(form),
        };
        show(status, &page)
    }
}
