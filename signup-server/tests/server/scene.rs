//! A server with a mail server and one published event, and the volunteers who sign up for it over its page.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

use crate::harness::{Answer, Server};
use crate::lives::{PROXY, path, submit_from};
use crate::mailbox::{Mail, Mailbox};
use crate::mails::SOON;
use crate::pages::{Page, published};
use crate::wait::wait_until;

/// A server with a mail server, and the page of one event.
pub(crate) struct Scene {
    pub(crate) server: Server,
    pub(crate) mailbox: Mailbox,
    pub(crate) page: Page,
    /// The number of forms that were sent.
    forms: AtomicUsize,
}

impl Scene {
    /// Starts a server on the memory store, with this event.
    pub(crate) async fn start_with(event: &Value) -> Self {
        let mailbox = Mailbox::start();
        let server = Server::start(&[&["--smtp", &mailbox.url()], PROXY.as_slice()].concat());
        Self::new(server, mailbox, event).await
    }

    /// Starts a server on a new SQLite file, with the event of [`published`].
    pub(crate) async fn start_on_sqlite() -> Self {
        Self::restart(Server::start_on_sqlite(), &published()).await
    }

    async fn restart(server: Server, event: &Value) -> Self {
        let mailbox = Mailbox::start();
        let server = server.restart_with(&[&["--smtp", &mailbox.url()], PROXY.as_slice()].concat());
        Self::new(server, mailbox, event).await
    }

    async fn new(server: Server, mailbox: Mailbox, event: &Value) -> Self {
        let page = Page::create(&server, event).await;
        Self { server, mailbox, page, forms: AtomicUsize::new(0) }
    }

    /// Returns the path of the event in the API, followed by `rest`.
    pub(crate) fn event_path(&self, rest: &str) -> String {
        path(&self.page.event) + rest
    }

    /// Returns the path of a slot of the event in the API, followed by `rest`.
    pub(crate) fn slot_path(&self, title: &str, rest: &str) -> String {
        format!("/v1/slots/{}{rest}", self.page.slot(title))
    }

    /// Sends a form for the slot with this title.
    pub(crate) async fn post_form(&self, title: &str, email: &str, answers: &[(String, &str)]) -> Answer {
        self.post_form_for(&self.page.slot(title), email, answers).await
    }

    /// Sends a form for the slot with this id. `answers` has the ids of questions.
    pub(crate) async fn post_form_for(&self, slot: &str, email: &str, answers: &[(String, &str)]) -> Answer {
        let number = self.forms.fetch_add(1, Ordering::Relaxed);
        let names: Vec<_> = answers.iter().map(|(id, _)| format!("answer.{id}")).collect();
        let mut fields = vec![("slot_id", slot), ("name", "Ada"), ("email", email)];
        fields.extend(names.iter().map(String::as_str).zip(answers.iter().map(|(_, value)| *value)));
        submit_from(number, &self.server, &self.page, &fields).await
    }

    /// Signs a volunteer up. Returns the sign-up from the API. Panics if the form is refused.
    pub(crate) async fn sign_up(&self, title: &str, email: &str) -> Value {
        self.sign_up_with(title, email, &[]).await
    }

    /// Signs a volunteer up with answers. Returns the sign-up from the API. Panics if the form is refused.
    pub(crate) async fn sign_up_with(&self, title: &str, email: &str, answers: &[(String, &str)]) -> Value {
        let answer = self.post_form(title, email, answers).await;
        assert_eq!(answer.status, 303, "{}", answer.text);
        let found = self.signups(&self.slot_path(title, "/signups"), "confirmed", email).await;
        assert_eq!(found.len(), 1, "{found:?}");
        found[0].clone()
    }

    /// Returns the sign-ups of this address in the list at `path`, at most 25.
    pub(crate) async fn signups(&self, path: &str, status: &str, email: &str) -> Vec<Value> {
        // In a query string, a plus sign is a space.
        let email = email.replace('+', "%2B");
        let list = self.server.get(&format!("{path}?status={status}&email={email}")).await;
        assert_eq!(list.status, 200, "{}", list.text);
        list.data().as_array().unwrap().clone()
    }

    /// Cancels the confirmed sign-ups of this address by the links in its mails.
    pub(crate) async fn cancel(&self, email: &str) {
        let list = self.event_path("/signups");
        wait_until(SOON, async || {
            let mails = self.mailbox.mails();
            for path in mails.iter().filter(|mail| mail.to == email).filter_map(Mail::signup_path) {
                let answer = self.server.browse("POST", &format!("{path}/cancel"), None).await;
                assert!([303, 404].contains(&answer.status), "{}", answer.text);
            }
            let left = self.signups(&list, "confirmed", email).await;
            if left.is_empty() { Ok(()) } else { Err(format!("{email} was not cancelled")) }
        })
        .await;
    }

    /// Cancels the event.
    pub(crate) async fn cancel_event(&self) {
        let answer = self.server.send("POST", &self.event_path("/cancel"), None).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
    }
}
