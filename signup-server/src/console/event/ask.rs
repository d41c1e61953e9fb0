//! The page that asks before an event is unpublished, before something is deleted, and before volunteers get mails. Its hidden
//! fields hold what was typed.

use askama::Template;
use signup_core::Reply;
use warp::http::StatusCode;
use warp::reply::Response;

use super::super::changing::FieldValues;
use super::super::form::{ACTION, CHANGE, CONFIRMED};
use super::super::{Form, Frame, show};
use super::count;
use crate::page::Head;

/// The checkbox that says whether volunteers get mails.
pub(crate) const NOTIFY: &str = "notify_volunteers";
/// The hidden field with the number of sign-ups that the checkbox is about.
const ASKED: &str = "asked_about";

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
    /// The number of mails, for the checkbox. `None` if the action never mails.
    mails: Option<u64>,
    /// The words of the button. Empty if there is nothing to do.
    button: &'static str,
    /// The path of the page that cancels the event, if sign-ups forbid the action. The page then has no button.
    cancel: Option<String>,
    /// Whether the action cannot be undone.
    is_final: bool,
    /// The path of the page to return to.
    back: String,
    /// The action of a button that leads back to the form. Empty if the person came from a page without a form.
    change: &'static str,
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
        let is_kept = |name: &&str| ![CONFIRMED, NOTIFY, ASKED, ACTION].contains(name);
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
            change: "",
        }
    }

    /// Creates the question before a form is saved that would do something that it does not say: `surprises` and `mails`, the
    /// number of sign-ups whose time or place it changes. Returns `None` if there is nothing to ask.
    pub(crate) fn of_form(
        frame: &'a Frame,
        form: &'a Form,
        heading: String,
        button: &'static str,
        (surprises, mails): (Vec<String>, u32),
    ) -> Option<Self> {
        let signups = count(mails.into(), "sign-up", "sign-ups");
        let changed = (mails > 0).then(|| format!("This changes the time or the place for {signups}."));
        let text: Vec<_> = changed.into_iter().chain(surprises).collect();
        let ask = Self { change: CHANGE, ..Self::new(frame, form, heading, button) };
        (!text.is_empty()).then(|| Self { text, ..ask }.mails(mails.into()))
    }

    /// Creates the question before the form of a new record is saved. Returns `None` if there are no `surprises`, and if the
    /// preview says that the same form was saved before.
    pub(crate) fn of_new<T>(
        frame: &'a Frame,
        form: &'a Form,
        heading: &str,
        button: &'static str,
        preview: &Reply<T>,
        surprises: Vec<String>,
    ) -> Option<Self> {
        let ask = Self::of_form(frame, form, heading.to_owned(), button, (surprises, 0));
        ask.filter(|_| !preview.is_replay).map(|ask| Self { mails: None, ..ask })
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

    /// Adds a checkbox to mail the volunteers of `number` sign-ups. Without sign-ups, the page has no checkbox, and whoever signs
    /// up before the page is sent gets a mail.
    pub(crate) fn mails(self, number: u64) -> Self {
        Self { mails: Some(number), ..self }
    }

    /// Returns the words of the checkbox. `None` if there is nobody to mail, or no mail server.
    fn choice(&self) -> Option<String> {
        let number = self.mails.filter(|number| *number > 0 && self.frame.sends_mail)?;
        // Several sign-ups of an email address are one email.
        let most = if number > 1 { "at most " } else { "" };
        Some(format!("Email them ({most}{})", count(number, "email", "emails")))
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

/// Returns whether a form leaves out the mails of more than the sign-ups that its checkbox was about: somebody has signed up since
/// the page asked, so the page asks again. `mails` is the present number.
pub(crate) fn silences_more(form: &Form, mails: u32) -> bool {
    !is_notified(form) && form.value(ASKED).parse().is_ok_and(|asked: u32| asked < mails)
}
