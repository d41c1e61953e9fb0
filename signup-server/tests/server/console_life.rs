//! The life of an event in the console: an organizer creates it, writes to its volunteers, and cancels places and the event.

use std::time::Duration;

use reqwest::{Client, RequestBuilder};
use serde_json::Value;

use crate::harness::Server;

/// The pages of the starter organization.
const ROOT: &str = "/console/starter";

/// A form that is sent in the life of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    Create,
    Publish,
    /// Volunteer 0 or 1 signs up on the public page.
    SignUp(usize),
    /// Moves the shift to another place, with mails.
    Move,
    /// Writes to the volunteers.
    Write,
    /// Cancels the place of volunteer 1, with a mail.
    CancelPlace,
    Invite,
    /// Cancels the event, with mails.
    Cancel,
}

use Step::{Cancel, CancelPlace, Create, Invite, Move, Publish, SignUp, Write};

/// Most events are cancelled in the end. The others stay active, and a plan has a limit for them.
const STEPS: [Step; 9] = [Create, Publish, SignUp(0), SignUp(1), Move, Write, CancelPlace, Invite, Cancel];

impl Step {
    /// Returns the type of the activity of the event that the step causes. An invitation causes none of an event.
    const fn activity(self) -> Option<&'static str> {
        Some(match self {
            Create => "event.created",
            Publish => "event.published",
            SignUp(_) => "signup.created",
            Move => "slot.updated",
            Write => "message.sent",
            CancelPlace => "signup.cancelled",
            Invite => return None,
            Cancel => "event.cancelled",
        })
    }
}

/// A browser that an organizer has signed in with.
#[derive(Clone)]
pub(crate) struct Browser {
    pub(crate) client: Client,
    pub(crate) cookie: String,
    pub(crate) token: String,
}

/// An event and the answers to the forms that were acknowledged.
pub(crate) struct ConsoleLife {
    pub(crate) number: usize,
    /// The path of the event in the console; empty before it is created.
    path: String,
    /// The event in the API; null before it is read.
    event: Value,
    /// The path of the place of volunteer 1; empty before it is read.
    place: String,
    pub(crate) acknowledged: Vec<Step>,
    /// How often the invitation was sent.
    pub(crate) invitations: usize,
}

impl ConsoleLife {
    pub(crate) const fn new(number: usize) -> Self {
        Self {
            number,
            path: String::new(),
            event: Value::Null,
            place: String::new(),
            acknowledged: vec![],
            invitations: 0,
        }
    }

    pub(crate) fn is_cancelled_in_the_end(&self) -> bool {
        !self.number.is_multiple_of(5)
    }

    pub(crate) fn steps(&self) -> &'static [Step] {
        if self.is_cancelled_in_the_end() { &STEPS } else { &STEPS[..STEPS.len() - 1] }
    }

    /// Returns the id of the event, if its creation was acknowledged.
    pub(crate) fn id(&self) -> Option<&str> {
        self.path.rsplit('/').next().filter(|id| !id.is_empty())
    }

    /// Returns the types of the activity of the event after these steps, in alphabetical order.
    fn activity(steps: &[Step]) -> Vec<&'static str> {
        let mut types: Vec<_> = steps.iter().filter_map(|step| step.activity()).collect();
        types.sort_unstable();
        types
    }

    pub(crate) fn title(&self) -> String {
        format!("Life {}", self.number)
    }

    pub(crate) fn address(&self, volunteer: usize) -> String {
        format!("v{volunteer}.{}@example.org", self.number)
    }

    pub(crate) fn invited(&self) -> String {
        format!("member.{}@example.org", self.number)
    }

    pub(crate) fn subject(&self) -> String {
        format!("Bring gloves to life {}", self.number)
    }

    /// Returns the request of a step. A form has the same key whenever it is sent.
    fn request(&self, step: Step, browser: &Browser, url: &str) -> RequestBuilder {
        let form = |path: &str, fields: &[(&str, &str)]| {
            let request = browser.client.post(format!("{url}{path}")).form(fields);
            request.header("cookie", &browser.cookie).header("sec-fetch-site", "same-origin")
        };
        let key = format!("{step:?}-{}", self.number);
        let slot = || self.event["slots"][0]["id"].as_str().unwrap();
        let (confirmed, mails) = (("confirmed", "yes"), ("notify_volunteers", "yes"));
        match step {
            Create => form(
                &format!("{ROOT}/events/new"),
                &[
                    ("idempotency_key", &key),
                    ("title", &self.title()),
                    ("start_date", "2099-06-05"),
                    ("timezone", "UTC"),
                    ("shifts.0.title", "A"),
                    // The shift keeps a free place, because a repeated sign-up for a full shift is refused.
                    ("shifts.0.capacity", "5"),
                ],
            ),
            Publish => form(&format!("{}/publish", self.path), &[]),
            SignUp(volunteer) => {
                let path = format!("{url}/events/{}/signups", self.event["slug"].as_str().unwrap());
                // An address may send only 120 forms a minute.
                let [.., b, c, d] = self.number.to_be_bytes();
                let fields = [("slot_id", slot()), ("name", "Ada"), ("email", &self.address(volunteer))];
                browser.client.post(path).form(&fields).header("x-forwarded-for", format!("10.{b}.{c}.{d}"))
            }
            Move => form(
                &format!("{ROOT}/shifts/{}/edit", slot()),
                &[
                    ("title", "A"),
                    ("was.title", "A"),
                    ("capacity", "5"),
                    ("was.capacity", "5"),
                    ("location", "Hall B"),
                    ("was.location", ""),
                    confirmed,
                    mails,
                ],
            ),
            Write => {
                let (path, subject) = (format!("{}/message", self.path), self.subject());
                let key = ("idempotency_key", &*key);
                form(
                    &path,
                    &[key, ("slot_id", ""), ("subject", &subject), ("text", "It is cold."), confirmed],
                )
            }
            CancelPlace => form(&self.place, &[("reason", "The hall is too small"), confirmed, mails]),
            Invite => {
                let invited = self.invited();
                let fields =
                    [("action", "invite"), ("email", &invited), ("name", "Bo"), ("role", "organizer")];
                form(&format!("{ROOT}/settings/members"), &fields)
            }
            Cancel => form(&format!("{}/cancel", self.path), &[("reason", "Storm"), confirmed, mails]),
        }
    }

    /// Reads data from the API. Returns `None` if the server is dead.
    async fn read(browser: &Browser, url: &str, path: &str) -> Option<Value> {
        let request = browser.client.get(format!("{url}/v1{path}")).bearer_auth(&browser.token);
        let answer: Value = request.send().await.ok()?.json().await.ok()?;
        assert!(answer["data"].is_object() || answer["data"].is_array(), "{path}: {answer}");
        Some(answer["data"].clone())
    }

    /// Sends the forms that were not acknowledged. Stops when the server is dead.
    pub(crate) async fn go_on(&mut self, browser: &Browser, url: &str) {
        while let Some(step) = self.steps().get(self.acknowledged.len()).copied() {
            if step == CancelPlace && self.place.is_empty() {
                let path = format!("/events/{}/signups?email={}", self.id().unwrap(), self.address(1));
                let Some(signups) = Self::read(browser, url, &path).await else { return };
                self.place = format!("{ROOT}/signups/{}/cancel", signups[0]["id"].as_str().unwrap());
            }
            self.invitations += usize::from(step == Invite);
            let Some(location) = self.send(step, browser, url).await else { return };
            if step == Create {
                self.path = location;
                let path = format!("/events/{}", self.id().unwrap());
                let Some(event) = Self::read(browser, url, &path).await else { return };
                self.event = event;
            }
            self.acknowledged.push(step);
        }
    }

    /// Sends the form of a step, and returns where the answer leads. Returns `None` if the server is dead.
    async fn send(&self, step: Step, browser: &Browser, url: &str) -> Option<String> {
        let mut response = self.request(step, browser, url).send().await.ok()?;
        // A person may send 240 forms a minute. Only time ends that window, so the test waits as long as the answer says.
        while response.status() == 429 {
            let seconds = response.headers()["retry-after"].to_str().unwrap().parse().unwrap();
            tokio::time::sleep(Duration::from_secs(seconds)).await;
            response = self.request(step, browser, url).send().await.ok()?;
        }
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let text = response.text().await.ok()?;
        assert_eq!(status, 303, "{step:?} of life {}: {text}", self.number);
        Some(headers["location"].to_str().unwrap().to_owned())
    }

    /// Checks that an event has the activity of the steps that were acknowledged, and of at most one more. `found` is in
    /// alphabetical order.
    pub(crate) fn check(&self, found: &[&str]) {
        let done = self.acknowledged.len();
        let more = self.steps().len().min(done + 1);
        let expected = [&self.steps()[..done], &self.steps()[..more]].map(Self::activity);
        assert!(expected.iter().any(|types| types == found), "life {}: {found:?} {expected:?}", self.number);
    }

    /// Checks the event after all of its steps.
    pub(crate) async fn check_end(&self, server: &Server) {
        let id = self.id().unwrap();
        let event = server.get(&format!("/v1/events/{id}")).await.data();
        let shown = [&event["title"], &event["slots"][0]["location"], &event["cancellation_reason"]];
        let reason = if self.is_cancelled_in_the_end() { Value::from("Storm") } else { Value::Null };
        assert_eq!(shown, [&Value::from(self.title()), &Value::from("Hall B"), &reason]);
        let signups = server.get(&format!("/v1/events/{id}/signups")).await.data();
        let mut found: Vec<_> = signups.as_array().unwrap().iter().map(|signup| &signup["email"]).collect();
        found.sort_unstable_by_key(ToString::to_string);
        assert_eq!(found, [&self.address(0), &self.address(1)]);
    }

    /// Sends the forms with a key again, and those that cancel. Nothing happens twice.
    pub(crate) async fn repeat(&self, browser: &Browser, url: &str) {
        for step in self.steps().iter().filter(|step| matches!(step, Create | Write | CancelPlace | Cancel)) {
            let location = self.send(*step, browser, url).await.unwrap();
            assert!(*step != Create || location == self.path, "{location} is not {}", self.path);
        }
    }
}
