//! The cookies: the secret of a person's session, the secret of a browser that waits for a code, what a form has done, and the
//! secret that it has made.

use std::str::FromStr;

use headers::{Cookie, HeaderMapExt as _};
use signup_core::{SignIn, SignInCode, SignedDuration};
use warp::http::header::SET_COOKIE;
use warp::http::{HeaderMap, HeaderValue};
use warp::reply::Response;

/// The names of the cookies, and whether a browser sends them over TLS only.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cookies {
    is_secure: bool,
}

/// A cookie of the console.
#[derive(Debug, Clone, Copy)]
pub(super) enum Name {
    /// The secret of a session.
    Session,
    /// The secret of a browser that has asked for a code.
    Browser,
    /// What a form has done, for the page that follows.
    Done,
    /// The secret of a program or an invitation that a form has made, with the id of its record, for the page that follows.
    Made,
}

impl Cookies {
    /// Returns the cookies of a server at `base_url`.
    pub(super) fn of(base_url: &str) -> Self {
        Self { is_secure: base_url.to_ascii_lowercase().starts_with("https:") }
    }

    /// Returns the name of a cookie. With the prefix `__Host-`, a browser takes the cookie only from this host, over TLS, and
    /// for every path.
    const fn name(self, name: Name) -> &'static str {
        match (name, self.is_secure) {
            (Name::Session, true) => "__Host-signup",
            (Name::Session, false) => "signup",
            (Name::Browser, true) => "__Host-signup-browser",
            (Name::Browser, false) => "signup-browser",
            (Name::Done, true) => "__Host-signup-done",
            (Name::Done, false) => "signup-done",
            (Name::Made, true) => "__Host-signup-made",
            (Name::Made, false) => "signup-made",
        }
    }

    /// Returns the value in a cookie of a request.
    pub(super) fn get<T: FromStr>(self, headers: &HeaderMap, name: Name) -> Option<T> {
        headers.typed_get::<Cookie>()?.get(self.name(name))?.parse().ok()
    }

    /// Sets a cookie of the browser, for as long as its value can be of use.
    pub(super) fn set(self, response: &mut Response, name: Name, value: &str) {
        let life = match name {
            Name::Session => SignIn::LIFETIME,
            Name::Browser => SignInCode::LIFETIME,
            Name::Done | Name::Made => SignedDuration::from_mins(1),
        };
        self.write(response, name, value, life);
    }

    /// Removes a cookie from the browser.
    pub(super) fn remove(self, response: &mut Response, name: Name) {
        self.write(response, name, "", SignedDuration::ZERO);
    }

    fn write(self, response: &mut Response, name: Name, value: &str, life: SignedDuration) {
        let (name, life_s) = (self.name(name), life.as_secs());
        let secure = if self.is_secure { "; Secure" } else { "" };
        let text = format!("{name}={value}; Path=/; Max-Age={life_s}; HttpOnly; SameSite=Lax{secure}");
        // Cannot fail: the values are base64, ids and fixed words.
        if let Ok(mut header) = HeaderValue::try_from(text) {
            header.set_sensitive(true);
            response.headers_mut().append(SET_COOKIE, header);
        }
    }
}

#[cfg(test)]
mod tests {
    use warp::http::header::COOKIE;

    use signup_core::Secret;

    use super::*;

    #[test]
    fn a_cookie_is_read_by_its_whole_name() {
        let secret = Secret::generate();
        let mut headers = HeaderMap::new();
        let value = format!("other=1; signup-browser=x; xsignup={0}; signup={0}", secret.reveal());
        headers.insert(COOKIE, value.parse().unwrap());
        let cookies = Cookies::of("http://127.0.0.1:8080");
        assert_eq!(cookies.get(&headers, Name::Session), Some(secret));
        assert_eq!(cookies.get::<Secret>(&headers, Name::Browser), None, "x is no secret");
        assert_eq!(Cookies::of("https://a.example").get::<Secret>(&headers, Name::Session), None);
    }
}
