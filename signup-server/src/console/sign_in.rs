//! Signing in with a mailed code, and signing out.
//!
//! A browser that asks for a code gets a cookie with a secret. The code works only together with this secret. The right code
//! replaces the cookie with the cookie of a session.

use askama::Template;
use signup_core::{Allowance, Code, EmailAddress, Error, Secret, SignedIn};
use warp::http::StatusCode;
use warp::http::header::HeaderMap;
use warp::reply::Response;

use super::cookies::Name;
use super::{Console, ConsoleCall, ConsoleRefusal, Done, Form, PageResult, guard, show};
use crate::page::{DEFAULT_THEME, Head, see_other};

/// The field with the path of the page that was wanted before.
const NEXT: &str = "next";
/// The path of the console's first page.
const FIRST: &str = "/console";

#[derive(Debug, Template)]
#[template(path = "console/sign_in.html")]
struct AddressTemplate<'a> {
    head: Head,
    console: &'a Console,
    form: &'a Form,
    /// What a form has done, or why it was not saved.
    done: Option<Done>,
}

impl AddressTemplate<'_> {
    /// Returns whether a form was sent after the session had ended. It is still in the present tab of the browser.
    fn is_not_saved(&self) -> bool {
        self.done == Some(Done::NotSaved)
    }
}

#[derive(Debug, Template)]
#[template(path = "console/code.html")]
struct CodeTemplate<'a> {
    head: Head,
    console: &'a Console,
    form: &'a Form,
}

#[derive(Debug, Template)]
#[template(path = "console/sign_out.html")]
struct SignOutTemplate<'a> {
    head: Head,
    console: &'a Console,
}

impl Console {
    /// Returns the person who is signed in with the session of a request. `None` if the request has no valid session.
    ///
    /// # Errors
    /// Fails only if the store fails.
    pub(super) async fn signed_in(&self, headers: &HeaderMap) -> Result<Option<SignedIn>, Error> {
        let Some(secret) = self.cookies.get(headers, Name::Session) else { return Ok(None) };
        match self.service.people().signed_in(&secret).await {
            Ok(signed_in) => Ok(Some(signed_in)),
            Err(Error::Unauthenticated) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Returns whether a person is signed in with the session of a request. `false` if the store fails.
    pub(crate) async fn is_signed_in(&self, headers: &HeaderMap) -> bool {
        self.signed_in(headers).await.is_ok_and(|signed_in| signed_in.is_some())
    }

    /// Returns 303 to a path of the server, with the cookie of a new session.
    pub(super) fn start_session(&self, secret: &Secret, path: &str) -> Response {
        let mut response = see_other(&self.path(path));
        self.cookies.set(&mut response, Name::Session, secret.reveal());
        self.cookies.remove(&mut response, Name::Browser);
        response
    }

    /// Refuses a request that is over its limit.
    pub(super) fn require_allowed(&self, allowance: Allowance) -> Result<(), ConsoleRefusal> {
        if allowance.is_allowed {
            return Ok(());
        }
        Err(ConsoleRefusal::TooMany(allowance.retry_after_s(self.now())))
    }

    fn address_page(&self, status: StatusCode, form: &Form, done: Option<Done>) -> Response {
        let page = AddressTemplate { head: head("Sign in", form), console: self, form, done };
        show(status, &page)
    }

    fn code_page(&self, status: StatusCode, form: &Form) -> Response {
        let title = if self.sends_mail { "Check your email" } else { "Enter your code" };
        let page = CodeTemplate { head: head(title, form), console: self, form };
        show(status, &page)
    }
}

impl ConsoleCall {
    /// Counts a post to a page for signing in, and reads its form.
    async fn counted_form(&mut self) -> Result<Form, ConsoleRefusal> {
        let allowance = self.console.service.people().count_post(self.client).await?;
        self.console.require_allowed(allowance)?;
        self.form().await
    }
}

/// `GET /sign-in`: asks for the address of a person.
pub(super) async fn ask_address(call: ConsoleCall) -> PageResult {
    let query = Form::parse(call.request.query.as_bytes());
    let form = Form::default().with(NEXT, wanted(query.value(NEXT)));
    let (console, headers) = (&call.console, &call.request.headers);
    let is_here = |done: &Done| matches!(done, Done::NotSaved | Done::Joined);
    let done = console.cookies.get(headers, Name::Done).filter(is_here);
    let mut response = console.address_page(StatusCode::OK, &form, done);
    if done.is_some() {
        console.cookies.remove(&mut response, Name::Done);
    }
    Ok(response)
}

/// `POST /sign-in`: mails a code, if a person has the address, and asks for the code. The answer does not depend on whether a
/// person has the address. If it is the address of the person who is signed in, the code confirms that it is them.
pub(super) async fn mail_code(mut call: ConsoleCall) -> PageResult {
    let form = call.counted_form().await?;
    let console = &call.console;
    let email = match EmailAddress::new(form.value("email")) {
        Ok(email) => email,
        Err(error) => {
            let form = form.refused(&signup_core::Faults::one("email", error));
            return Ok(console.address_page(StatusCode::UNPROCESSABLE_ENTITY, &form, None));
        }
    };
    let headers = &call.request.headers;
    let browser = console.cookies.get(headers, Name::Browser).unwrap_or_else(Secret::generate);
    let signed_in = console.signed_in(headers).await?;
    let allowance = match signed_in.filter(|signed_in| signed_in.person().email == email) {
        // A confirmation.
        Some(signed_in) => signed_in.request_code(&browser).await?,
        None => console.service.people().request_code(&email, &browser, call.client).await?,
    };
    console.require_allowed(allowance)?;
    let mut response = console.code_page(StatusCode::OK, &form);
    console.cookies.set(&mut response, Name::Browser, browser.reveal());
    Ok(response)
}

/// `GET /sign-in/code`: asks for the code.
pub(super) async fn ask_code(call: ConsoleCall) -> PageResult {
    Ok(call.console.code_page(StatusCode::OK, &Form::default()))
}

/// `POST /sign-in/code`: signs a person in, and redirects to the page that was wanted before.
pub(super) async fn sign_in(mut call: ConsoleCall) -> PageResult {
    let form = call.counted_form().await?;
    let (console, headers) = (&call.console, &call.request.headers);
    let signed_in = match form.value("code").parse::<Code>() {
        Err(error) => Err(form.clone().refused(&signup_core::Faults::one("code", error))),
        Ok(code) => {
            let current = console.signed_in(headers).await?;
            let entered = match console.cookies.get(headers, Name::Browser) {
                Some(browser) => console.service.people().sign_in(&browser, &code, current.as_ref()).await,
                None => Err(Error::CodeGone),
            };
            match entered {
                Ok((_, secret)) => Ok(secret),
                Err(Error::WrongCode) => {
                    Err(form.clone().mistaken("code", "That isn’t the newest code. Check it and try again"))
                }
                Err(Error::CodeGone) => {
                    let sentence =
                        "This code doesn’t work any more. Ask for a new one and enter it in this browser";
                    Err(form.clone().mistaken("code", sentence))
                }
                Err(error) => return Err(error.into()),
            }
        }
    };
    Ok(match signed_in {
        Ok(secret) => console.start_session(&secret, wanted(form.value(NEXT))),
        Err(form) => console.code_page(StatusCode::UNPROCESSABLE_ENTITY, &form),
    })
}

/// `GET /sign-out`: offers to sign out here, or everywhere.
pub(super) async fn ask_sign_out(call: ConsoleCall) -> PageResult {
    let head = Head::private("Sign out", DEFAULT_THEME);
    Ok(show(StatusCode::OK, &SignOutTemplate { head, console: &call.console }))
}

/// `POST /sign-out`: ends the session, or every session of the person. If the session has ended already, the redirect is the
/// same.
pub(super) async fn sign_out(mut call: ConsoleCall) -> PageResult {
    let signed_in = call.console.signed_in(&call.request.headers).await?;
    let form = call.form().await?;
    if let Some(signed_in) = signed_in {
        match form.action() {
            "everywhere" => signed_in.sign_out_everywhere().await?,
            _ => signed_in.sign_out().await?,
        }
    }
    // The page of an invitation for another person offers to sign out, and continues with the invitation.
    let wanted = form.value(NEXT);
    let is_invitation = is_safe(wanted) && guard::is_at_or_below(wanted, "/invitations");
    let next = if is_invitation { wanted } else { "/sign-in" };
    let console = &call.console;
    let mut response = see_other(&console.path(next));
    console.cookies.remove(&mut response, Name::Session);
    console.cookies.remove(&mut response, Name::Browser);
    Ok(response)
}

fn head(title: &str, form: &Form) -> Head {
    Head::private(&format!("{}{title}", if form.is_refused() { "Error: " } else { "" }), DEFAULT_THEME)
}

/// Returns the path of the page that was wanted, if it is a path of the console. Otherwise returns the path of the console's first
/// page.
fn wanted(path: &str) -> &str {
    if is_safe(path) && guard::is_at_or_below(path, FIRST) { path } else { FIRST }
}

/// Returns whether a path leads to this server, wherever a browser starts from.
fn is_safe(path: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-_.".contains(&byte);
    path.bytes().all(is_plain) && !path.contains("//") && !path.split('/').any(|step| step == "..")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_path_of_the_console_follows_a_sign_in() {
        for path in ["/console", "/console/a/settings/tokens", "/console/a/signups.csv"] {
            assert_eq!(wanted(path), path);
        }
        for path in [
            "",
            "https://evil.example",
            "//evil.example/console",
            "/console/../sign-out",
            "/console//evil.example",
            "/console\\evil.example",
            "/consoles",
            "/console/a?x=y",
            "/console/\r\nx: y",
            "/sign-out",
        ] {
            assert_eq!(wanted(path), FIRST, "{path}");
        }
    }
}
