//! The page with which a volunteer turns reminders or messages off, and on again.

use askama::Template;
use signup_core::{MailChoice, Subscription};
use warp::http::StatusCode;
use warp::reply::Response;

use super::{DEFAULT_THEME, Head, html, style};

#[derive(Debug, Template)]
#[template(path = "mail_choice.html")]
struct MailChoiceTemplate<'a> {
    head: Head,
    organization: &'a str,
    heading: &'static str,
    text: &'static str,
    button: &'static str,
    is_on: bool,
    /// The path of the page of the places.
    path: &'a str,
}

/// Renders the page. `is_done` after a choice, which the page then confirms.
pub(super) fn page(choice: &MailChoice, is_done: bool, path: &str) -> Response {
    let words = match choice.subscription {
        Subscription::Messages => MESSAGES,
        // Reminders, or a subscription that is newer than this page.
        _ => REMINDERS,
    };
    let heading = match (choice.is_on, is_done) {
        (true, false) => words.question,
        (true, true) => words.on_again,
        (false, _) => words.off,
    };
    let theme = choice.event.as_ref().map_or(DEFAULT_THEME, style::theme_of);
    let page = MailChoiceTemplate {
        head: Head::private(heading, theme),
        organization: choice.organization.name.as_str(),
        heading,
        text: if choice.is_on { words.text_on } else { words.text_off },
        button: if choice.is_on { words.turn_off } else { words.turn_on },
        is_on: choice.is_on,
        path,
    };
    html(StatusCode::OK, &page)
}

/// The words of the page for one kind of mails.
struct Words {
    question: &'static str,
    off: &'static str,
    on_again: &'static str,
    text_on: &'static str,
    text_off: &'static str,
    turn_off: &'static str,
    turn_on: &'static str,
}

const REMINDERS: Words = Words {
    question: "Do you want to stop reminders?",
    off: "You won’t get reminders any more",
    on_again: "You’ll get reminders again",
    text_on: "We email you on the day before each shift. If you stop these emails, we’ll still tell you when a shift changes or is \
              cancelled.",
    text_off: "We won’t email you on the day before a shift. We’ll still tell you when a shift changes or is cancelled.",
    turn_off: "Stop reminders",
    turn_on: "Turn reminders on again",
};

const MESSAGES: Words = Words {
    question: "Do you want to stop messages?",
    off: "You won’t get messages any more",
    on_again: "You’ll get messages again",
    text_on: "The organizers can send messages to everyone who has signed up. If you stop these emails, we’ll still tell you when a \
              shift changes or is cancelled.",
    text_off: "The organizers’ messages won’t reach you. We’ll still tell you when a shift changes or is cancelled.",
    turn_off: "Stop messages",
    turn_on: "Turn messages on again",
};
