//! Moving one volunteer to another shift of the event.

use askama::Template;
use signup_core::{Error, Event, FaultKind, Faults, Permission, ShiftId, Signup};
use warp::http::StatusCode;
use warp::reply::Response;

use super::found_signup::{FoundSignup, with_list};
use super::{Done, Form, Frame, MemberCall, PageResult, show};
use crate::page::Head;

const SHIFT: &str = "slot_id";

#[derive(Debug, Template)]
#[template(path = "console/move_signup.html")]
struct MoveTemplate<'a> {
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
    /// The options: none, then each other shift that has room. Empty if no other shift has. Each is a value and its words.
    others: Vec<(String, String)>,
    /// What becomes of the place that comes free.
    successor: Option<&'static str>,
}

/// `GET …/signups/{id}/move`: shows the form with the shifts that have room, and says who gets a mail.
pub(crate) async fn show_move(call: MemberCall) -> PageResult {
    call.session.require(Permission::ManageSignups)?;
    let found = FoundSignup::of(&call).await?;
    // To the present shift, so that only the sign-up can be refused.
    drop(call.session.preview().move_signup(found.signup.id, found.signup.shift).await?);
    Ok(page(StatusCode::OK, &call, &found, &with_list(Form::default(), &call)))
}

/// `POST …/signups/{id}/move`: moves the sign-up. A form that is not confirmed changes nothing, and gets the page that says who
/// gets a mail.
pub(crate) async fn move_signup(mut call: MemberCall) -> PageResult {
    call.session.require(Permission::ManageSignups)?;
    let found = FoundSignup::of(&call).await?;
    let form = call.form().await?;
    let Ok(target) = form.value(SHIFT).parse::<ShiftId>() else {
        let form = form.refused(&Faults::one(SHIFT, FaultKind::Required));
        return Ok(page(StatusCode::UNPROCESSABLE_ENTITY, &call, &found, &form));
    };
    let signup = &found.signup;
    if found.has_changed_since(&form) && target != signup.shift {
        drop(call.session.preview().move_signup(signup.id, signup.shift).await?);
        return Ok(page(StatusCode::CONFLICT, &call, &found, &form));
    }
    if form.is_confirmed() {
        let _moved = call.session.move_signup(signup.id, target).await?;
        return Ok(call.done(Done::PlaceMoved, &found.list(&form)));
    }
    // A form that is sent twice is no mistake, but nobody is asked whether to move a person to where they are.
    if target == signup.shift {
        return Err(Error::PlaceTaken.into());
    }
    drop(call.session.preview().move_signup(signup.id, target).await?);
    Ok(page(StatusCode::OK, &call, &found, &form))
}

fn page(status: StatusCode, call: &MemberCall, found: &FoundSignup, form: &Form) -> Response {
    let FoundSignup { signup, event, .. } = found;
    let mut others: Vec<_> =
        found.other_shifts(call.now()).into_iter().map(|(id, words)| (id.to_string(), words)).collect();
    if !others.is_empty() {
        others.insert(0, (String::new(), "Choose a shift".to_owned()));
    }
    let (frame, shift, successor) = (&call.frame, found.shift(), found.successor(call));
    let list = frame.path(&found.list(form));
    let head = frame.head_of(&format!("Move {} to another shift", signup.name), form);
    let (read, has_changed) = (found.read(), found.has_changed_since(form));
    let page =
        MoveTemplate { head, frame, form, read, has_changed, event, signup, list, shift, others, successor };
    show(status, &page)
}
