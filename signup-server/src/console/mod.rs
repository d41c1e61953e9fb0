//! The console: the pages on which the members of an organization run its events and change its settings, and the pages on
//! which people sign in.
//!
//! Each page has a file here and a template in `templates/console`. A handler first checks the permission and finds the records
//! in the path, then reads the form, and then calls the library. The pages have the style of the volunteers' pages, and no scripts.
//!
//! **Invariants:** no rule is decided here. No state changes by `GET`. [`guard`] refuses requests from other sites before a
//! handler runs.

mod cancel_signup;
mod changing;
mod check_in;
mod cookies;
mod correct_signup;
mod done;
mod done_before;
mod event;
mod form;
mod found_signup;
mod frame;
pub(crate) mod guard;
mod invitation;
mod message;
mod move_signup;
mod refusal;
mod roster;
pub(crate) mod routes;
mod settings;
mod share;
mod sign_in;
mod signups;
mod start;
mod summary;
mod volunteer_list;
mod volunteers;
mod words;

use std::fmt::Display;
use std::net::IpAddr;
use std::str::FromStr;
use std::sync::Arc;

use askama::Template;
use signup_core::{Error, EventQuery, Service, Session, SignedIn, Timestamp};
use warp::http::{HeaderMap, Method, StatusCode};
use warp::reply::Response;

use crate::page::{self, Facts, base_path, html};
use crate::path::PathParameters;
use crate::request::Request;
use cookies::{Cookies, Name};

pub(crate) use done::Done;
pub(crate) use done_before::{DoneBefore, there};
pub(crate) use form::{As, Form};
pub(crate) use frame::Frame;
pub(crate) use refusal::ConsoleRefusal;

/// The outcome of a handler. A refusal becomes a page in one place.
pub(crate) type PageResult = Result<Response, ConsoleRefusal>;

/// What the handlers of the console share. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Console {
    service: Service,
    base_url: Arc<str>,
    /// The path of the base URL, without a slash at the end.
    base_path: Arc<str>,
    /// The origin of the base URL.
    origin: Arc<str>,
    cookies: Cookies,
    /// Whether the server sends mails.
    sends_mail: bool,
}

/// A request for a page that needs no membership, such as the page to sign in.
pub(crate) struct ConsoleCall {
    pub(crate) console: Console,
    pub(crate) request: Request,
    pub(crate) path: PathParameters,
    /// The address of the client.
    pub(crate) client: IpAddr,
}

/// A request for a page of an organization, from one of its members.
pub(crate) struct MemberCall {
    pub(crate) console: Console,
    pub(crate) signed_in: SignedIn,
    /// What the member may do in the organization.
    pub(crate) session: Session,
    pub(crate) frame: Frame,
    pub(crate) request: Request,
    pub(crate) path: PathParameters,
}

impl Console {
    pub(crate) fn new(service: Service, Facts { base_url, sends_mail, .. }: Facts<'_>) -> Self {
        Self {
            service,
            base_url: base_url.into(),
            base_path: base_path(base_url).into(),
            origin: guard::origin_of(base_url).into(),
            cookies: Cookies::of(base_url),
            sends_mail,
        }
    }

    /// Returns whether a request may change something. See [`guard`].
    pub(crate) fn may_change(&self, method: &Method, headers: &HeaderMap) -> bool {
        guard::may_change(method, headers, &self.origin)
    }

    /// Returns the whole path of a path of the server, such as `/console`: after that of the base URL.
    pub(crate) fn path(&self, path: &str) -> String {
        format!("{}{path}", self.base_path)
    }

    /// Returns the time by the clock of the service.
    pub(crate) fn now(&self) -> Timestamp {
        self.service.now()
    }

    /// Returns the URL of a path of the server, such as `/events/food-drive`.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base_url)
    }

    /// Runs the handler of a page that needs no membership.
    pub(crate) async fn answer<F: Future<Output = PageResult>>(
        self,
        handle: impl FnOnce(ConsoleCall) -> F,
        request: Request,
        path: PathParameters,
        client: IpAddr,
    ) -> Response {
        let console = self.clone();
        let answer = handle(ConsoleCall { console: self, request, path, client }).await;
        answer.unwrap_or_else(|refusal| console.refused(&refusal, None))
    }

    /// Runs the handler of a page of an organization, if the person who is signed in is a member. `at` is the path of the page.
    /// Counts a form first, whatever becomes of it. If nobody is signed in, the page to sign in says that a form was not saved.
    pub(crate) async fn answer_member<F: Future<Output = PageResult>>(
        self,
        handle: impl FnOnce(MemberCall) -> F,
        method: Method,
        request: Request,
        path: PathParameters,
        at: String,
    ) -> Response {
        let to_sign_in = || {
            let mut response = self.to_sign_in(&at);
            if !method.is_safe() {
                self.cookies.set(&mut response, Name::Done, Done::NotSaved.name());
            }
            response
        };
        let signed_in = match self.signed_in(&request.headers).await {
            Ok(Some(signed_in)) => signed_in,
            Ok(None) => return to_sign_in(),
            Err(error) => return self.refused(&error.into(), None),
        };
        if !method.is_safe()
            && let Err(refusal) = self.count_form(&signed_in).await
        {
            return self.refused(&refusal, None);
        }
        let slug = path.text("slug");
        let done = self.cookies.get(&request.headers, Name::Done);
        let found = async {
            let session = signed_in.session(&slug)?;
            // The newest event is the one with the latest start.
            let newest = session.events(EventQuery::new().limit(1)).await?.items;
            let frame = self.frame(&signed_in, &slug, &at, newest.first(), done);
            Ok::<_, Error>((session, frame.ok_or(Error::NotFound)?))
        };
        let (session, frame) = match found.await {
            Ok(found) => found,
            Err(error) => return self.refused(&error.into(), None),
        };
        let call =
            MemberCall { console: self.clone(), signed_in, session, frame: frame.clone(), request, path };
        let mut response = match handle(call).await {
            Ok(response) => response,
            // The session has ended since.
            Err(ConsoleRefusal::Service(Error::Unauthenticated)) => to_sign_in(),
            Err(ConsoleRefusal::NoKey(query)) => page::see_other(&format!("{}?{query}", frame.here())),
            Err(refusal) => self.refused(&refusal, Some(&frame)),
        };
        // This page has shown the sentence. After a redirect, the next page shows it.
        if done.is_some() && !response.status().is_redirection() {
            self.cookies.remove(&mut response, Name::Done);
        }
        response
    }

    /// Counts a form that a person posts.
    async fn count_form(&self, signed_in: &SignedIn) -> Result<(), ConsoleRefusal> {
        self.require_allowed(signed_in.count_post().await?)
    }

    /// Returns 303 to the page to sign in. After the sign-in, the browser is sent to `wanted`, a path of the console. The query is
    /// left out, because it can hold a name or an address that was searched for.
    fn to_sign_in(&self, wanted: &str) -> Response {
        page::see_other(&self.path(&format!("/sign-in?next={wanted}")))
    }
}

impl ConsoleCall {
    /// Reads the form in the body.
    async fn form(&mut self) -> Result<Form, ConsoleRefusal> {
        Ok(Form::parse(&self.request.form().await?))
    }
}

impl MemberCall {
    /// Reads the form in the body. The page that answers this form does not say what an earlier form has done.
    pub(crate) async fn form(&mut self) -> Result<Form, ConsoleRefusal> {
        self.frame.done = None;
        Ok(Form::parse(&self.request.form().await?))
    }

    /// Returns the parameters of the query string, as a form.
    pub(crate) fn query(&self) -> Form {
        Form::parse(self.request.query.as_bytes())
    }

    /// Returns the form of the page for a new record. Refuses a URL without the key of the form, which leads to the URL with a key.
    pub(crate) fn new_form(&self) -> Result<Form, ConsoleRefusal> {
        Form::of_page(&self.request.query, self.now()).map_err(ConsoleRefusal::NoKey)
    }

    /// Returns the time by the clock of the service.
    pub(crate) fn now(&self) -> Timestamp {
        self.console.now()
    }

    /// Returns 303 to a page of the organization, such as `/settings/members`.
    pub(crate) fn see_other(&self, path: &str) -> Response {
        page::see_other(&self.frame.path(path))
    }

    /// Returns 303 to a page of the organization, which then says what was done.
    pub(crate) fn done(&self, done: Done, path: &str) -> Response {
        let mut response = self.see_other(path);
        self.console.cookies.set(&mut response, Name::Done, done.name());
        response
    }

    /// Returns 303 to a page of the organization, which shows the secret of a new record once. So the browser can go back to that
    /// page without sending the form again.
    pub(crate) fn made(&self, id: impl Display, secret: &str, path: &str) -> Response {
        let mut response = self.see_other(path);
        self.console.cookies.set(&mut response, Name::Made, &format!("{id}.{secret}"));
        response
    }

    /// Returns the id and the secret of a record that a form has just made.
    pub(crate) fn what_was_made<I: FromStr, S: FromStr>(&self) -> Option<(I, S)> {
        let value: String = self.console.cookies.get(&self.request.headers, Name::Made)?;
        let (id, secret) = value.split_once('.')?;
        Some((id.parse().ok()?, secret.parse().ok()?))
    }

    /// Returns the page that shows such a secret. Another look at it does not show the secret.
    pub(crate) fn show_made(&self, page: &impl Template) -> Response {
        let mut response = show(StatusCode::OK, page);
        self.console.cookies.remove(&mut response, Name::Made);
        response
    }
}

/// Returns a page.
pub(crate) fn show(status: StatusCode, page: &impl Template) -> Response {
    html(status, page)
}
