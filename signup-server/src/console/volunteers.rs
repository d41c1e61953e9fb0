//! A volunteer's data: found by address, downloaded, and erased.

use askama::Template;
use signup_core::{EmailAddress, Faults, OptOut, Permission, VolunteerData};
use warp::http::StatusCode;

use super::signups::{file, shift_in_words};
use super::{Form, Frame, MemberCall, PageResult, show, words};
use crate::page::Head;
use crate::texts::Texts;
use crate::wire;

const EMAIL: &str = "email";
/// The parameter of the query string with the number of sign-ups that were erased.
const ERASED: &str = "erased";

#[derive(Debug, Template)]
#[template(path = "console/volunteers.html")]
struct VolunteersTemplate<'a> {
    head: Head,
    frame: &'a Frame,
    form: &'a Form,
    /// What was done, as a sentence.
    done: Option<String>,
    found: Option<Found<'a>>,
}

/// What is stored about an address.
#[derive(Debug)]
struct Found<'a> {
    email: &'a str,
    /// How much is stored, as a sentence.
    sentence: String,
    signups: Vec<String>,
    /// The role of the member who has the address.
    member: Option<&'static str>,
    is_invited: bool,
    /// The emails that the volunteer has turned off, such as `reminders and messages`.
    turned_off: Option<String>,
    is_empty: bool,
    can_erase: bool,
}

#[derive(Debug, Template)]
#[template(path = "console/erase_volunteer.html")]
struct EraseTemplate<'a> {
    head: Head,
    frame: &'a Frame,
    found: Found<'a>,
}

/// `GET …/settings/people`: asks for an address.
pub(crate) async fn ask_volunteer(call: MemberCall) -> PageResult {
    call.session.require(Permission::FindVolunteers)?;
    let done = call.query().value(ERASED).parse().ok().map(erased_in_words);
    Ok(page(StatusCode::OK, &call.frame, &Form::default(), done, None))
}

/// `POST …/settings/people`: shows, hands out or erases what is stored about an address. The last two require a
/// recent sign-in. Erasing asks first.
pub(crate) async fn volunteer(mut call: MemberCall) -> PageResult {
    call.session.require(Permission::FindVolunteers)?;
    let form = call.form().await?;
    let MemberCall { session, frame, .. } = &call;
    let email = match EmailAddress::new(form.value(EMAIL).trim()) {
        Ok(email) => email,
        Err(error) => {
            let form = form.refused(&Faults::one(EMAIL, error));
            return Ok(page(StatusCode::UNPROCESSABLE_ENTITY, frame, &form, None, None));
        }
    };
    match form.action() {
        "export" => {
            let data = session.volunteer_data(&email).await?;
            let text = serde_json::to_string_pretty(&wire::VolunteerData::new(&email, &data));
            Ok(file(text.unwrap_or_default(), "application/json", "volunteer.json"))
        }
        "erase" if form.is_confirmed() => {
            let erased = session.erase_volunteer(&email).await?;
            Ok(call.see_other(&format!("/settings/people?{ERASED}={erased}")))
        }
        "erase" => {
            let data = session.volunteer_data(&email).await?;
            let found = found(&email, &data);
            if !found.can_erase {
                return Ok(page(StatusCode::OK, frame, &form, None, Some(found)));
            }
            let head = frame.head("Erase a volunteer’s data");
            Ok(show(StatusCode::OK, &EraseTemplate { head, frame, found }))
        }
        _ => {
            let data = session.find_volunteer(&email).await?;
            Ok(page(StatusCode::OK, frame, &form, None, Some(found(&email, &data))))
        }
    }
}

fn page(
    status: StatusCode,
    frame: &Frame,
    form: &Form,
    done: Option<String>,
    found: Option<Found<'_>>,
) -> warp::reply::Response {
    let head = frame.head_of("Volunteers’ data", form);
    show(status, &VolunteersTemplate { head, frame, form, done, found })
}

fn found<'a>(email: &'a EmailAddress, data: &VolunteerData) -> Found<'a> {
    let waiting =
        data.notices.iter().filter(|notice| notice.due_at.is_some() || notice.failure.is_some()).count();
    let signups = match data.signups.len() {
        0 if data.is_empty() => "Nothing is stored about this email address.".to_owned(),
        0 if data.notices.is_empty() => "No sign-ups are stored.".to_owned(),
        0 => format!("No sign-ups are stored, but data about emails is, with {}.", mails(waiting)),
        1 => format!("1 sign-up and {} are stored.", mails(waiting)),
        number => format!("{number} sign-ups and {} are stored.", mails(waiting)),
    };
    let in_words = |signup: &signup_core::SignupInFull| {
        let signup_core::SignupInFull { event, shift, signup, .. } = signup;
        let shift = Some(shift).filter(|shift| shift.deleted_at.is_none());
        let texts = Texts::of(event.language);
        let status = match signup.status() {
            signup_core::SignupStatus::Waitlisted => "on the waiting list",
            status => status.name(),
        };
        format!("{}, as {}: {}, {status}", event.title, signup.name, shift_in_words(shift, signup, texts))
    };
    Found {
        email: email.as_str(),
        sentence: signups,
        signups: data.signups.iter().map(in_words).collect(),
        member: data.member.as_ref().map(|(membership, _)| words::role_with_article(membership.role)),
        is_invited: data.invitation.is_some(),
        turned_off: (!data.opt_outs.is_empty()).then(|| turned_off(&data.opt_outs)),
        is_empty: data.is_empty(),
        can_erase: !data.signups.is_empty() || !data.notices.is_empty() || !data.opt_outs.is_empty(),
    }
}

fn turned_off(opt_outs: &[OptOut]) -> String {
    let names: Vec<_> = opt_outs.iter().map(|opt_out| opt_out.subscription.name()).collect();
    names.join(" and ")
}

fn mails(waiting: usize) -> String {
    match waiting {
        0 => "no unsent emails".to_owned(),
        1 => "1 unsent email".to_owned(),
        number => format!("{number} unsent emails"),
    }
}

fn erased_in_words(erased: u64) -> String {
    match erased {
        0 => "There was nothing left to erase.".to_owned(),
        1 => "1 sign-up has been erased.".to_owned(),
        number => format!("{number} sign-ups have been erased."),
    }
}
