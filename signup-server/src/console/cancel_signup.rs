//! Cancelling the place of one volunteer, with a reason.

use askama::Template;
use signup_core::{Cancellation, Event, Permission, Signup};
use warp::http::StatusCode;
use warp::reply::Response;

use super::event::ask::Ask;
use super::signups::shift_in_words;
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
    shift: String,
}

/// `GET …/signups/{id}/cancel`: asks for the reason.
pub(crate) async fn ask_reason(call: MemberCall) -> PageResult {
    call.session.require(Permission::CancelSignups)?;
    let form = Form::default();
    let found = Found::of(&call).await?;
    found.check_can_be_cancelled(&call).await?;
    Ok(found.page(StatusCode::OK, &call.frame, &form))
}

/// `POST …/signups/{id}/cancel`: asks first, and says who gets a mail. A confirmed form cancels the place.
pub(crate) async fn cancel_signup(mut call: MemberCall) -> PageResult {
    call.session.require(Permission::CancelSignups)?;
    let found = Found::of(&call).await?;
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
            return Ok(found.page(StatusCode::UNPROCESSABLE_ENTITY, &call.frame, &form));
        }
    };
    let list = format!("/events/{}/signups", found.signup.event);
    if form.is_confirmed() {
        let _cancelled = call.session.cancel_signup(found.signup.id, cancel).await?;
        return Ok(call.done(Done::PlaceCancelled, &list));
    }
    let Found { signup, shift, .. } = &found;
    let ask =
        Ask::new(&call.frame, &form, format!("Cancel the place of {}?", signup.name), "Cancel the place")
            .text(format!("{} has a place on this shift: {shift}.", signup.name))
            .text(if call.frame.sends_mail {
                format!(
                    "We’ll email {} that you have cancelled the place{}, unless you untick the box.",
                    signup.email,
                    if form.is_ticked(REASON) { ", with your reason" } else { "" },
                )
            } else {
                format!("We can’t email {}, so tell the volunteer yourself.", signup.email)
            })
            .text(format!("You can’t undo this, but {} can sign up again while there is room.", signup.name))
            .mails(1)
            .finally()
            .back(&list);
    Ok(ask.show())
}

/// The sign-up of a call, with what the page shows of it.
struct Found {
    signup: Signup,
    event: Event,
    shift: String,
}

impl Found {
    async fn of(call: &MemberCall) -> Result<Self, ConsoleRefusal> {
        let signup = call.session.signup(call.path.signup()).await?;
        let found = call.session.event(signup.event).await?;
        let shift = found.shifts.iter().find(|shift| shift.id == signup.shift);
        Ok(Self { shift: shift_in_words(shift, &signup), event: found.event, signup })
    }

    /// Refuses to ask about a sign-up that cannot be cancelled now.
    async fn check_can_be_cancelled(&self, call: &MemberCall) -> Result<(), ConsoleRefusal> {
        if !self.signup.is_active() {
            return Err(ConsoleRefusal::PlaceCancelled);
        }
        drop(call.session.preview().cancel_signup(self.signup.id, Cancellation::new()).await?);
        Ok(())
    }

    fn page(&self, status: StatusCode, frame: &Frame, form: &Form) -> Response {
        let Self { signup, event, shift } = self;
        let head = frame.head_of(&format!("Cancel the place of {}", signup.name), form);
        show(status, &CancelTemplate { head, frame, form, event, signup, shift: shift.clone() })
    }
}
