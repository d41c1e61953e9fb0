//! The handlers of the pages: each calls the library and renders the result.

mod mail_choice;
mod places;
mod sign_up;

use std::sync::Arc;

use signup_core::{Error, PublicEvent, Service};
use warp::http::StatusCode;
use warp::reply::Response;

use super::event::{self, Focus, Site};
use super::message::{error_page, method_not_allowed, moved, not_found};
use super::typed::Typed;
use super::{Facts, base_path};
use crate::texts::Texts;

/// The handlers of the volunteers' pages. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct PublicPages {
    service: Service,
    base_url: Arc<str>,
    /// The path of the base URL, without a slash at the end.
    base_path: Arc<str>,
    /// The mail address of the sender of mails.
    sender: Arc<str>,
    /// Whether the server sends mails.
    sends_mail: bool,
}

impl PublicPages {
    pub(crate) fn new(service: Service, Facts { base_url, sender, sends_mail }: Facts<'_>) -> Self {
        Self {
            service,
            base_url: base_url.into(),
            base_path: base_path(base_url).into(),
            sender: sender.into(),
            sends_mail,
        }
    }

    fn event_path(&self, slug: &str) -> String {
        format!("{}/events/{slug}", self.base_path)
    }

    fn event_url(&self, slug: &str) -> String {
        format!("{}/events/{slug}", self.base_url)
    }

    /// `GET /events/{slug}`: returns the page of an event. Ticks the shifts in the query parameters `slot_id`. With
    /// `open=1`, shows only the shifts with places.
    pub(crate) async fn event(self, slug: String, query: String) -> Response {
        let typed = Typed::parse(query.as_bytes());
        let focus = Focus { chosen: typed.shifts(), only_open: typed.wants_open(), ..Focus::default() };
        match self.service.volunteers().event(&slug).await {
            Ok(found) => self.page_of(StatusCode::OK, &found, &focus),
            Err(error) => self.error_page(&error),
        }
    }

    fn page_of(&self, status: StatusCode, found: &PublicEvent, focus: &Focus) -> Response {
        let (path, url) = (self.event_path(&found.event.slug), self.event_url(&found.event.slug));
        event::page(status, found, self.site(&path, &url), focus, self.service.now())
    }

    fn site<'a>(&self, path: &'a str, url: &'a str) -> Site<'a> {
        Site { path, url, sends_mail: self.sends_mail }
    }

    fn error_page(&self, error: &Error) -> Response {
        error_page(error, &self.base_path, None, Texts::ENGLISH)
    }

    /// Returns 404, for a page that does not exist or is not public.
    pub(crate) fn not_found(&self) -> Response {
        not_found(&self.base_path, Texts::ENGLISH)
    }

    /// Returns 405, for a method that the page does not support.
    pub(crate) fn method_not_allowed(&self) -> Response {
        method_not_allowed(&self.base_path)
    }

    /// Returns 308, for a page whose path was written with a slash at the end. `path` is the path without that slash.
    pub(crate) fn moved(&self, path: &str, query: &str) -> Response {
        let mark = if query.is_empty() { "" } else { "?" };
        moved(&format!("{}{path}{mark}{query}", self.base_path))
    }
}
