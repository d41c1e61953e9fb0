//! Moving one volunteer to another shift of the event.

use askama::Template;
use signup_core::{Error, Event, FaultKind, Faults, Permission, ShiftId, Signup};
use warp::http::StatusCode;
use warp::reply::Response;

use super::event::ask::Ask;
use super::found_signup::{FoundSignup, LIST};
use super::{Done, Form, Frame, MemberCall, PageResult, show};
use crate::page::Head;

const SHIFT: &str = "slot_id";

#[derive(Debug, Template)]
#[template(path = "console/move_signup.html")]
struct MoveTemplate<'a> {
    head: Head,
    frame: &'a Frame,
    form: &'a Form,
    event: &'a Event,
    signup: &'a Signup,
    list: String,
    shift: String,
    /// The options: none, then each other shift that has room. Empty if no other shift has. Each is a value and its words.
    others: Vec<(String, String)>,
}

/// `GET …/signups/{id}/move`: shows the form with the shifts that have room.
pub(crate) async fn show_move(call: MemberCall) -> PageResult {
    call.session.require(Permission::ManageSignups)?;
    let found = FoundSignup::of(&call).await?;
    // To the present shift, so that only the sign-up can be refused.
    drop(call.session.preview().move_signup(found.signup.id, found.signup.shift).await?);
    Ok(page(StatusCode::OK, &call, &found, &Form::default().with(LIST, call.query().value(LIST))))
}

/// `POST …/signups/{id}/move`: asks first, and says who gets a mail. A confirmed form moves the sign-up.
pub(crate) async fn move_signup(mut call: MemberCall) -> PageResult {
    call.session.require(Permission::ManageSignups)?;
    let found = FoundSignup::of(&call).await?;
    let form = call.form().await?;
    let Ok(target) = form.value(SHIFT).parse::<ShiftId>() else {
        let form = form.refused(&Faults::one(SHIFT, FaultKind::Required));
        return Ok(page(StatusCode::UNPROCESSABLE_ENTITY, &call, &found, &form));
    };
    let (signup, list) = (&found.signup, found.list(&form));
    if form.is_confirmed() {
        let _moved = call.session.move_signup(signup.id, target).await?;
        return Ok(call.done(Done::PlaceMoved, &list));
    }
    // A form that is sent twice is no mistake, but nobody is asked whether to move a person to where they are.
    if target == signup.shift {
        return Err(Error::PlaceTaken.into());
    }
    drop(call.session.preview().move_signup(signup.id, target).await?);
    let others = found.other_shifts(call.now());
    let new = others.into_iter().find(|(id, _)| *id == target).map_or(found.shift(), |(_, words)| words);
    let Signup { name, email, .. } = signup;
    let mut ask = Ask::new(&call.frame, &form, format!("Move {name} to another shift?"), "Move")
        .text(format!("{name} is on this shift now: {}.", found.shift()))
        .text(format!("After the move: {new}."))
        .text(match call.frame.sends_mail {
            true => format!("We’ll email {email} about it, with both shifts."),
            false => format!("We can’t email {email}, so tell the volunteer yourself."),
        });
    if let Some(successor) = found.successor(&call) {
        ask = ask.text(successor);
    }
    Ok(ask.back(&list).show())
}

fn page(status: StatusCode, call: &MemberCall, found: &FoundSignup, form: &Form) -> Response {
    let FoundSignup { signup, event, .. } = found;
    let mut others: Vec<_> =
        found.other_shifts(call.now()).into_iter().map(|(id, words)| (id.to_string(), words)).collect();
    if !others.is_empty() {
        others.insert(0, (String::new(), "Choose a shift".to_owned()));
    }
    let (frame, shift) = (&call.frame, found.shift());
    let list = frame.path(&found.list(form));
    let head = frame.head_of(&format!("Move {} to another shift", signup.name), form);
    show(status, &MoveTemplate { head, frame, form, event, signup, list, shift, others })
}
