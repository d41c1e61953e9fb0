//! A browser of an organizer: it keeps cookies, and says with each form that it comes from a page of the server.
//!
//! Mails are read from a [`Mailbox`], as a person does.

use std::cell::RefCell;
use std::collections::BTreeMap;

use crate::harness::{Answer, Server};
use crate::mailbox::Mailbox;
use crate::mails::SOON;
use crate::wait::wait_until;

/// The address of the first owner.
pub(crate) const ADA: &str = "ada@example.org";

/// A browser with its cookies, on the pages of a server.
pub(crate) struct Organizer<'a> {
    pub(crate) server: &'a Server,
    cookies: RefCell<BTreeMap<String, String>>,
}

impl<'a> Organizer<'a> {
    /// Returns a browser without cookies.
    pub(crate) fn new(server: &'a Server) -> Self {
        Self { server, cookies: RefCell::default() }
    }

    /// Accepts the invitation of the first owner that a server printed at its start, as Ada of the organization Riverside. Its
    /// pages are at `/console/riverside`.
    pub(crate) async fn first_owner(server: &'a Server) -> Self {
        let browser = Self::new(server);
        let path = server.console.strip_prefix(&server.url).unwrap();
        let fields = [
            ("name", "Ada Lovelace"),
            ("email", ADA),
            ("organization_name", "Riverside"),
            ("contact", "help@riverside.example.org"),
        ];
        let answer = browser.post(path, &fields).await;
        assert_eq!((answer.status, answer.header("location")), (303, Some("/console/riverside/")));
        browser
    }

    /// Makes Ada an owner of the starter organization, by a command. Its pages are at `/console/starter`.
    pub(crate) async fn owner_of_starter(server: &'a Server) -> Self {
        let path = &server.invite("starter", ADA, "owner");
        let browser = Self::new(server);
        let answer = browser.post(path, &[("name", "Ada Lovelace")]).await;
        assert_eq!((answer.status, answer.header("location")), (303, Some("/console/starter/")));
        browser
    }

    /// Invites an address to the organization Riverside, and returns the browser in which the invitation was accepted. The person
    /// whose browser this is must be able to invite.
    pub(crate) async fn invite(&self, mailbox: &Mailbox, email: &str, role: &str) -> Self {
        let fields = [("action", "invite"), ("email", email), ("name", "Grace Hopper"), ("role", role)];
        let answer = self.post("/console/riverside/settings/members", &fields).await;
        assert_eq!(answer.status, 303, "{}", answer.text);
        let link = wait_for_text(mailbox, email, "/invitations/").await;
        let link = link.split_whitespace().find(|word| word.contains("/invitations/")).unwrap();
        let path = link.strip_prefix(&self.server.url).unwrap();
        let browser = Self::new(self.server);
        let answer = browser.post(path, &[("name", "Grace Hopper")]).await;
        assert_eq!(answer.status, 303, "{}", answer.text);
        browser
    }

    /// Asks for a code and enters it.
    pub(crate) async fn sign_in(&self, mailbox: &Mailbox, email: &str) -> Answer {
        let before = codes(mailbox, email).len();
        let answer = self.post("/sign-in", &[("email", email)]).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        let code = wait_for_code(mailbox, email, before).await;
        self.post("/sign-in/code", &[("code", &code)]).await
    }

    /// Requests a page. Follows the redirect to the URL with the key of its form.
    pub(crate) async fn get(&self, path: &str) -> Answer {
        let answer = self.send(self.server.request("GET", path)).await;
        let (page, _) = path.split_once('?').unwrap_or((path, ""));
        match answer.header("location").filter(|location| location.starts_with(&format!("{page}?"))) {
            Some(location) => self.send(self.server.request("GET", location)).await,
            None => answer,
        }
    }

    /// Sends a form as the browser sends one from a page of the server.
    pub(crate) async fn post(&self, path: &str, fields: &[(&str, &str)]) -> Answer {
        let request = self.server.request("POST", path).header("sec-fetch-site", "same-origin");
        self.send(request.form(fields)).await
    }

    /// Sends a request with the cookies, and keeps those of the answer.
    pub(crate) async fn send(&self, request: reqwest::RequestBuilder) -> Answer {
        let cookies: Vec<_> =
            self.cookies.borrow().iter().map(|(name, value)| format!("{name}={value}")).collect();
        let answer = self.server.page_answer(request.header("cookie", cookies.join("; "))).await;
        for cookie in answer.headers.get_all("set-cookie") {
            let pair = cookie.to_str().unwrap().split(';').next().unwrap();
            let (name, value) = pair.split_once('=').unwrap();
            if value.is_empty() {
                self.cookies.borrow_mut().remove(name);
            } else {
                self.cookies.borrow_mut().insert(name.to_owned(), value.to_owned());
            }
        }
        answer
    }

    /// Returns the value of a cookie.
    pub(crate) fn cookie(&self, name: &str) -> Option<String> {
        self.cookies.borrow().get(name).cloned()
    }

    /// Sets a cookie, as an attacker does who has a copy of it.
    pub(crate) fn set_cookie(&self, name: &str, value: &str) {
        self.cookies.borrow_mut().insert(name.to_owned(), value.to_owned());
    }
}

/// Waits for a mail to an address whose text contains `part`. Returns the text of the newest one.
pub(crate) async fn wait_for_text(mailbox: &Mailbox, email: &str, part: &str) -> String {
    wait_until(SOON, async || {
        let mut texts = mailbox.mails().into_iter().filter(|mail| mail.to == email).map(|mail| mail.text());
        texts.rfind(|text| text.contains(part)).ok_or(format!("no mail to {email} with {part}"))
    })
    .await
}

/// Returns the codes that were mailed to an address, as the mails show them, in the order of the mails. An invitation to the
/// address may arrive before, between or after them.
fn codes(mailbox: &Mailbox, email: &str) -> Vec<String> {
    let mails = mailbox.mails().into_iter().filter(|mail| mail.to == email);
    mails.filter_map(|mail| code_in(&mail.text())).collect()
}

/// Waits for the code that follows `before` other codes to an address.
pub(crate) async fn wait_for_code(mailbox: &Mailbox, email: &str, before: usize) -> String {
    wait_until(SOON, async || {
        codes(mailbox, email).into_iter().nth(before).ok_or(format!("no new code for {email}"))
    })
    .await
}

/// Finds a code: two groups of four characters on a line of its own.
pub(crate) fn code_in(text: &str) -> Option<String> {
    let is_group = |group: &str| {
        group.len() == 4 && group.bytes().all(|byte| b"abcdefghjkmnpqrstuvwxyz23456789".contains(&byte))
    };
    let is_code = |line: &&str| line.trim().split_once(' ').is_some_and(|(a, b)| is_group(a) && is_group(b));
    text.lines().find(is_code).map(|line| line.trim().to_owned())
}
