//! Refusals: the page for each reason why a request was not carried out.
//!
//! **Invariant:** no other module maps an error to a page of the console.

use askama::Template;
use signup_core::{Error, Faults, Role, Signup};
use warp::http::header::RETRY_AFTER;
use warp::http::{HeaderValue, StatusCode};
use warp::reply::Response;

use super::event::count;
use super::{Console, Frame, show, words};
use crate::page::{DEFAULT_THEME, Head};
use crate::reply::{BodyError, RETRY_AFTER_S, log_failure};
use crate::wire::field_name;

/// Why a request was not carried out.
#[derive(Debug)]
pub(crate) enum ConsoleRefusal {
    /// The library returned an error.
    Service(Error),
    /// The form could not be read.
    Body(BodyError),
    /// The request comes from another site.
    CrossSite,
    /// The form has a value that no button of the page sends, such as an `action` without a form.
    UnknownAction,
    /// The page has a form with an idempotency key, and the URL lacks the key. Holds the query of the URL with a key.
    NoKey(String),
    /// The sign-up that was to be cancelled is cancelled already.
    PlaceCancelled,
    /// Too many requests. Holds the seconds to wait.
    TooMany(i64),
}

impl From<BodyError> for ConsoleRefusal {
    fn from(error: BodyError) -> Self {
        Self::Body(error)
    }
}

impl<E: Into<Error>> From<E> for ConsoleRefusal {
    fn from(error: E) -> Self {
        Self::Service(error.into())
    }
}

/// What happened, and what to do next.
#[derive(Debug)]
struct Advice {
    status: StatusCode,
    heading: &'static str,
    text: String,
    /// Further sentences, such as one for each fault.
    list: Vec<String>,
}

/// The page of a refusal for a member: with the frame of the organization.
#[derive(Debug, Template)]
#[template(path = "console/refused.html")]
struct RefusedTemplate<'a> {
    head: Head,
    frame: &'a Frame,
    message: &'a Advice,
}

/// The page of a refusal without an organization.
#[derive(Debug, Template)]
#[template(path = "console/refused_outside.html")]
struct RefusedOutsideTemplate<'a> {
    head: Head,
    console: &'a Console,
    message: &'a Advice,
}

/// The page that asks for a code before an action that requires a recent sign-in.
#[derive(Debug, Template)]
#[template(path = "console/confirm.html")]
struct ConfirmTemplate<'a> {
    head: Head,
    frame: &'a Frame,
}

impl Console {
    /// Returns the page of a refusal. Details for operators are only logged.
    pub(crate) fn refused(&self, refusal: &ConsoleRefusal, frame: Option<&Frame>) -> Response {
        if let (ConsoleRefusal::Service(Error::NotRecent), Some(frame)) = (refusal, frame) {
            let page = ConfirmTemplate { head: frame.head("Confirm it’s you"), frame };
            return show(StatusCode::FORBIDDEN, &page);
        }
        let message = message(refusal);
        let mut response = match frame {
            Some(frame) => {
                let head = frame.head(message.heading);
                show(message.status, &RefusedTemplate { head, frame, message: &message })
            }
            None => {
                let head = Head::private(message.heading, DEFAULT_THEME);
                show(message.status, &RefusedOutsideTemplate { head, console: self, message: &message })
            }
        };
        let header = match refusal {
            ConsoleRefusal::TooMany(seconds) => Some((RETRY_AFTER, HeaderValue::from(*seconds))),
            ConsoleRefusal::Body(error) => error.header(),
            _ => (message.status == StatusCode::SERVICE_UNAVAILABLE).then_some((RETRY_AFTER, RETRY_AFTER_S)),
        };
        response.headers_mut().extend(header);
        response
    }
}

fn message(refusal: &ConsoleRefusal) -> Advice {
    match refusal {
        ConsoleRefusal::Service(error) => message_of(error),
        ConsoleRefusal::Body(error) => message_of_body(*error),
        ConsoleRefusal::CrossSite => said(
            StatusCode::FORBIDDEN,
            "Sorry, we can’t accept this",
            "Your browser says that another website sent this. Open the page on this website, and send the form from there.",
        ),
        ConsoleRefusal::UnknownAction | ConsoleRefusal::NoKey(_) => {
            Advice { text: "Please use the buttons on the page.".to_owned(), ..invalid() }
        }
        ConsoleRefusal::PlaceCancelled => {
            conflict("You can’t cancel this place", "This place is already cancelled.")
        }
        ConsoleRefusal::TooMany(seconds) if *seconds > 60 => said(
            StatusCode::TOO_MANY_REQUESTS,
            "Please wait",
            format!("Too many attempts. Please try again in {} minutes.", (seconds + 59) / 60),
        ),
        ConsoleRefusal::TooMany(_) => said(
            StatusCode::TOO_MANY_REQUESTS,
            "Please wait a minute",
            "Too many attempts. Please try again in a minute.",
        ),
    }
}

fn said(status: StatusCode, heading: &'static str, text: impl Into<String>) -> Advice {
    Advice { status, heading, text: text.into(), list: Vec::new() }
}

fn conflict(heading: &'static str, text: &str) -> Advice {
    said(StatusCode::CONFLICT, heading, text)
}

fn message_of(error: &Error) -> Advice {
    match error {
        Error::NotFound => said(
            StatusCode::NOT_FOUND,
            "Page not found",
            "If you typed the web address, check it is correct. What you’re looking for may have been deleted, or you may no \
             longer have access to it.",
        ),
        Error::MissingRole(role) => said(StatusCode::FORBIDDEN, "You can’t do this", may_do(*role)),
        Error::LastOwner => conflict(
            "An organization needs an owner",
            "This is the only owner. Make someone else an owner first.",
        ),
        Error::TooManyMessages => conflict(
            "You’ve sent 5 messages within a day",
            "Volunteers of an event get at most 5 messages within 24 hours. Try again later.",
        ),
        Error::InvitationGone => said(
            StatusCode::GONE,
            "This invitation doesn’t work any more",
            "If you have already accepted it, sign in to see your organizations. If you have a newer invitation, use its link. \
             Otherwise, ask an admin or an owner of the organization, or the person who runs this server, to invite you again.",
        ),
        Error::Unauthenticated => said(
            StatusCode::FORBIDDEN,
            "You’re not signed in",
            "You’ve been signed out, or you’ve lost access to this organization. Sign in and try again.",
        ),
        Error::Invalid(faults) => Advice { list: sentences(faults), ..invalid() },
        Error::PlanLimit { current_count, max_allowed } => said(
            StatusCode::UNPROCESSABLE_ENTITY,
            "Your plan’s limit is reached",
            format!(
                "Your plan allows {}, and you already have {current_count}. Cancel or delete one, or wait until one is over.",
                count((*max_allowed).into(), "active event", "active events")
            ),
        ),
        Error::EventCancelled => conflict(
            "This event is cancelled",
            "You can’t change a cancelled event. You can copy it to another date, or delete it.",
        ),
        Error::EventOver => conflict(
            "This event is over",
            "You can’t cancel it. You can write to its volunteers until 30 days after its last shift.",
        ),
        Error::EventHasSignups => conflict(
            "People are signed up for this event",
            "You can’t delete or unpublish the event. You can cancel it instead.",
        ),
        Error::ShiftHasSignups => {
            conflict("People are signed up for this shift", "To delete the shift, cancel their places too.")
        }
        Error::ShiftDeleted => {
            conflict("This shift has been deleted", "You can’t change a place on a deleted shift.")
        }
        Error::SignupCancelled => {
            conflict("This place is cancelled", "You can’t correct a place that has been cancelled.")
        }
        Error::PlaceTaken => conflict(
            "This person is already on the shift",
            "A person has one place on a shift. Cancel one of the two places instead.",
        ),
        Error::AddressFull => conflict(
            "This email address has too many places",
            &format!(
                "An email address can have {} places on a shift. Use another email address, or another shift.",
                Signup::MAX_PER_ADDRESS,
            ),
        ),
        Error::ShiftFull => conflict(
            "The new shift has no free place",
            "Others took its last places, or wait for them. Go back and choose another shift.",
        ),
        Error::SignupNotConfirmed => conflict(
            "This place is not confirmed",
            "The place has been cancelled, or the person is on the waiting list. Go back and load the page again to see who has a place.",
        ),
        Error::AttendanceClosed => conflict(
            "You can’t mark who came now",
            "You can do this from 12 hours before a shift starts until 90 days after it ends.",
        ),
        Error::ShiftOver => {
            conflict("The shift is over", "You can’t cancel a place on it, or move a place from it or to it.")
        }
        Error::WebhookDisabled => {
            conflict("This webhook is disabled", "Enable the webhook first. You can then redeliver.")
        }
        error => {
            log_failure(error);
            unavailable()
        }
    }
}

fn message_of_body(error: BodyError) -> Advice {
    let text = match error {
        BodyError::TooLarge => "It is too long. Go back and shorten it.",
        BodyError::UnsupportedMediaType | BodyError::Encoded => "Please use the form on the page.",
        BodyError::NoRoom => {
            "The server got too many large forms at once. Go back and try again in a moment."
        }
        BodyError::Timeout => "It took too long to arrive. Go back and try again.",
        BodyError::Broken => "Only part of it arrived. Go back and try again.",
    };
    said(error.status(), "Sorry, we didn’t get your form", text)
}

fn invalid() -> Advice {
    said(StatusCode::UNPROCESSABLE_ENTITY, "There is a problem", "Go back and correct what you entered.")
}

/// Returns the sentence for a person without this role.
fn may_do(role: Role) -> String {
    let who = match role {
        Role::Owner => "Only an owner",
        Role::Admin => "Only an admin or an owner",
        _ => "Only a member",
    };
    format!("{who} of this organization can do this. Ask one of them.")
}

fn sentences(faults: &Faults) -> Vec<String> {
    faults.iter().map(|fault| words::mistake(&field_name(&fault.path), fault)).collect()
}

fn unavailable() -> Advice {
    said(
        StatusCode::SERVICE_UNAVAILABLE,
        "Sorry, there is a problem with the service",
        "Please try again in a moment. It’s safe to send a form again: nothing is done twice.",
    )
}
