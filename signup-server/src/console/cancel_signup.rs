//! Cancelling the place of one volunteer, or taking one off a waiting list, with a reason.

use askama::Template;
use signup_core::{Cancellation, Event, Occupancy, Permission, Signup};
use warp::http::StatusCode;
use warp::reply::Response;

use super::event::ask::Ask;
use super::signups::shift_in_words;
use super::{As, ConsoleRefusal, Done, Form, Frame, MemberCall, PageResult, show};
use crate::page::Head;
use crate::texts::Texts;

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
    call.session.require(Permission::ManageSignups)?;
    let form = Form::default();
    let found = Found::of(&call).await?;
    found.check_can_be_cancelled(&call).await?;
    Ok(found.page(StatusCode::OK, &call.frame, &form))
}

/// `POST …/signups/{id}/cancel`: asks first, and says who gets a mail. A confirmed form cancels the place.
pub(crate) async fn cancel_signup(mut call: MemberCall) -> PageResult {
    call.session.require(Permission::ManageSignups)?;
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
    let Found { signup, shift, has_successor, .. } = &found;
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
    if *has_successor {
        ask = ask.text("The place goes to the first person on the waiting list.");
    }
    let ask = ask.text(format!("You can’t undo this, but {name} {again}."));
    Ok(ask.mails(1).finally().back(&list).show())
}

/// The sign-up of a call, with what the page shows of it.
struct Found {
    signup: Signup,
    event: Event,
    shift: String,
    /// Whether the place goes to a person who waits.
    has_successor: bool,
}

/// Returns whether a place that comes free goes to a person who waits. An over-full shift stays full.
const fn is_awaited(occupancy: Occupancy) -> bool {
    occupancy.waitlisted > 0 && occupancy.filled <= occupancy.capacity.volunteers()
}

impl Found {
    async fn of(call: &MemberCall) -> Result<Self, ConsoleRefusal> {
        let signup = call.session.signup(call.path.signup()).await?;
        let found = call.session.event(signup.event).await?;
        let shift = found.shifts.iter().find(|shift| shift.id == signup.shift);
        let is_awaited =
            shift.is_some_and(|shift| is_awaited(shift.occupancy) && shift.is_before_cutoff(call.now()));
        Ok(Self {
            shift: shift_in_words(shift, &signup, Texts::of(found.event.language)),
            has_successor: signup.is_confirmed() && is_awaited,
            event: found.event,
            signup,
        })
    }

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

    fn page(&self, status: StatusCode, frame: &Frame, form: &Form) -> Response {
        let Self { signup, event, shift, .. } = self;
        let head = frame.head_of(&self.what(), form);
        show(status, &CancelTemplate { head, frame, form, event, signup, shift: shift.clone() })
    }
}
