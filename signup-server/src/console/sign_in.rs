//! Signing in: the page that asks for an address.

use askama::Template;
use warp::http::StatusCode;

use super::{Answer, ConsoleCall, Form, guard, show};
use crate::page::{DEFAULT_THEME, Head};

/// The field with the path of the page that was wanted before.
const NEXT: &str = "next";

#[derive(Debug, Template)]
#[template(path = "console/sign_in.html")]
struct SignInTemplate<'a> {
    head: Head,
    base_path: &'a str,
    form: &'a Form,
}

/// `GET /sign-in`: asks for the address of a person.
pub(crate) async fn ask_address(call: ConsoleCall) -> Answer {
    let query = Form::parse(call.request.query.as_bytes());
    let form = Form::default().with(NEXT, wanted(query.value(NEXT)));
    Ok(show(
        StatusCode::OK,
        &SignInTemplate {
            head: Head::private("Sign in", DEFAULT_THEME),
            base_path: call.console.base_path(),
            form: &form,
        },
    ))
}

/// Returns the path of the page that was wanted, if it is a path of the console, and else that of the console's first page.
fn wanted(path: &str) -> &str {
    const FIRST: &str = "/console";
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-_.".contains(&byte);
    let is_path = guard::is_at_or_below(path, FIRST)
        && path.bytes().all(is_plain)
        && !path.contains("//")
        && !path.split('/').any(|step| step == "..");
    if is_path { path } else { FIRST }
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
            assert_eq!(wanted(path), "/console", "{path}");
        }
    }
}
