//! The page that asks before an event is unpublished, before something is deleted, and before volunteers get mails. Its hidden
//! fields hold what was typed.

use askama::Template;
use warp::http::StatusCode;
use warp::reply::Response;

use super::super::changing::FieldValues;
use super::super::form::CONFIRMED;
use super::super::{Form, Frame, show};
use super::count;
use crate::page::Head;

/// The checkbox that says whether volunteers get mails.
pub(crate) const NOTIFY: &str = "notify_volunteers";

/// A question before an action.
#[derive(Debug, Template)]
#[template(path = "console/ask.html")]
pub(crate) struct Ask<'a> {
    head: Head,
    frame: &'a Frame,
    heading: String,
    /// What will happen, a paragraph each.
    text: Vec<String>,
    /// The changed fields of the time and the place, with the present and the new value of each.
    changes: Vec<FieldValues>,
    fields: Vec<(&'a str, &'a str)>,
    /// How many mails there will be, for the checkbox; `None` if no volunteer is affected.
    mails: Option<String>,
    button: &'static str,
    /// The path of the page that cancels the event, if sign-ups forbid the action. The page then has no button.
    cancel: Option<String>,
    /// Whether the action cannot be undone.
    is_final: bool,
    /// The path of the page to return to.
    back: String,
}

impl<'a> Ask<'a> {
    /// Creates a question. Its hidden fields hold what was typed into `form`, and its button sends them to the path of the present
    /// page.
    pub(crate) fn new(
        frame: &'a Frame,
        form: &'a Form,
        heading: impl Into<String>,
        button: &'static str,
    ) -> Self {
        let heading = heading.into();
        let is_kept = |name: &&str| ![CONFIRMED, NOTIFY].contains(name);
        Self {
            head: frame.head(&heading),
            frame,
            heading,
            text: Vec::new(),
            changes: Vec::new(),
            fields: form.fields().filter(|(name, _)| is_kept(name)).collect(),
            mails: None,
            button,
            cancel: None,
            is_final: false,
            back: frame.path("/"),
        }
    }

    /// Creates the question before a change of the time or the place. `mails` is the number of sign-ups whose volunteers get a mail.
    pub(crate) fn of_change(frame: &'a Frame, form: &'a Form, title: &str, mails: u64) -> Self {
        let signups = count(mails, "sign-up", "sign-ups");
        Self::new(frame, form, format!("Change {title}?"), "Save changes")
            .text(format!("This changes the time or the place for {signups}."))
            .mails(mails)
    }

    /// Adds a paragraph.
    pub(crate) fn text(mut self, text: impl Into<String>) -> Self {
        self.text.push(text.into());
        self
    }

    /// Shows the present and the new value of each of these fields.
    pub(crate) fn changes(self, changes: Vec<FieldValues>) -> Self {
        Self { changes, ..self }
    }

    /// Offers to cancel the event instead of the action, which is refused. `event` is the path of the event's own page.
    pub(crate) fn cancel_instead(self, event: &str) -> Self {
        Self { cancel: Some(self.frame.path(&format!("{event}/cancel"))), ..self }
    }

    /// Adds a checkbox to mail the volunteers of `number` sign-ups. Without sign-ups, the page has no checkbox.
    pub(crate) fn mails(self, number: u64) -> Self {
        // A volunteer with two sign-ups gets two emails.
        let each = if number > 1 { ", one for each sign-up" } else { "" };
        let mails = (number > 0).then(|| format!("Email them ({}{each})", count(number, "email", "emails")));
        Self { mails, ..self }
    }

    /// Marks the action as one that cannot be undone.
    pub(crate) fn finally(self) -> Self {
        Self { is_final: true, ..self }
    }

    /// Sets the page to return to, below the path of the organization.
    pub(crate) fn back(self, path: &str) -> Self {
        Self { back: self.frame.path(path), ..self }
    }

    pub(crate) fn show(&self) -> Response {
        show(StatusCode::OK, self)
    }
}

/// Returns whether the volunteers get mails: always, unless a confirmed form has the checkbox unticked.
pub(crate) fn is_notified(form: &Form) -> bool {
    !form.is_confirmed() || form.is_ticked(NOTIFY)
}
