//! The page with which a volunteer turns reminders or messages off, and on again, and a member the summary.

use askama::Template;
use signup_core::{MailChoice, Subscription};
use warp::http::StatusCode;
use warp::reply::Response;

use super::{DEFAULT_THEME, Head, html, style};
use crate::texts::Texts;

#[derive(Debug, Template)]
#[template(path = "mail_choice.html")]
struct MailChoiceTemplate<'a> {
    head: Head,
    organization: &'a str,
    heading: &'a str,
    text: String,
    button: String,
    is_on: bool,
    /// The path of the page of the places.
    path: &'a str,
}

/// Renders the page. `is_done` after a choice, which the page then confirms.
pub(super) fn page(choice: &MailChoice, is_done: bool, path: &str) -> Response {
    let texts = texts(choice);
    let (heading, text, button) = match (choice.subscription, choice.is_on) {
        (Subscription::Messages, true) => (
            if is_done { texts.messages_on_again() } else { texts.stop_messages_question() },
            texts.messages_on_text(),
            texts.turn_messages_off(),
        ),
        (Subscription::Messages, false) => {
            (texts.messages_off(), texts.messages_off_text(), texts.turn_messages_on())
        }
        (Subscription::Summaries, true) => (
            if is_done { "Summaries are on again" } else { "Stop the summaries?" }.to_owned(),
            "We email you a summary of what happened, at most once a day.".to_owned(),
            "Stop the summaries".to_owned(),
        ),
        (Subscription::Summaries, false) => (
            "Summaries are off".to_owned(),
            "We won’t email you any more summaries of what happens in this organization.".to_owned(),
            "Turn summaries on".to_owned(),
        ),
        // Reminders, or a subscription that is newer than this page.
        (_, true) => (
            if is_done { texts.reminders_on_again() } else { texts.stop_reminders_question() },
            texts.reminders_on_text(),
            texts.stop_reminders(),
        ),
        (_, false) => (texts.reminders_off(), texts.reminders_off_text(), texts.turn_reminders_on()),
    };
    let theme = choice.event.as_ref().map_or(DEFAULT_THEME, style::theme_of);
    let page = MailChoiceTemplate {
        head: Head { texts, ..Head::private(&heading, theme) },
        organization: choice.organization.name.as_str(),
        heading: &heading,
        text,
        button,
        is_on: choice.is_on,
        path,
    };
    html(StatusCode::OK, &page)
}

/// The texts of the page.
pub(super) fn texts(choice: &MailChoice) -> Texts {
    let event = choice.event.as_ref().filter(|_| choice.subscription != Subscription::Summaries);
    event.map_or(Texts::ENGLISH, |event| Texts::of(event.language))
}
