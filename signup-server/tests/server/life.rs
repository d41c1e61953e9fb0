//! The life of an event over the wire: it is created, changed, published, signed up for, cancelled and deleted.

use reqwest::Client;
use serde_json::{Value, json};

use crate::harness::Server;

/// A request in the life of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    Create,
    /// Changes the title.
    Patch,
    Publish,
    /// Signs volunteer `1` up for the slot with this index.
    SignUp(usize, usize),
    /// Deletes the second slot and cancels its sign-up.
    DeleteSlot,
    Cancel,
    DeleteEvent,
}

use Step::{Cancel, Create, DeleteEvent, DeleteSlot, Patch, Publish, SignUp};

/// Every second event is deleted in the end.
const STEPS: [Step; 9] =
    [Create, Patch, Publish, SignUp(0, 0), SignUp(0, 1), SignUp(1, 2), DeleteSlot, Cancel, DeleteEvent];

impl Step {
    /// Returns the type of the activity that the step causes. Each step causes one.
    const fn activity(self) -> &'static str {
        match self {
            Create => "event.created",
            Patch => "event.updated",
            Publish => "event.published",
            SignUp(..) => "signup.created",
            DeleteSlot => "slot.deleted",
            Cancel => "event.cancelled",
            DeleteEvent => "event.deleted",
        }
    }
}

/// An event and the answers to the steps that were acknowledged.
pub(crate) struct Life {
    pub(crate) number: usize,
    /// The event as it was created; null before.
    pub(crate) event: Value,
    pub(crate) acknowledged: Vec<String>,
}

impl Life {
    pub(crate) const fn new(number: usize) -> Self {
        Self { number, event: Value::Null, acknowledged: vec![] }
    }

    pub(crate) fn steps(&self) -> &'static [Step] {
        if self.number.is_multiple_of(2) { &STEPS } else { &STEPS[..STEPS.len() - 1] }
    }

    /// Returns the id of the event. Panics before the event is created.
    pub(crate) fn id(&self) -> &str {
        self.event["id"].as_str().unwrap()
    }

    /// Returns the types of the activity of a whole life, in alphabetical order.
    pub(crate) fn activity(&self) -> Vec<&'static str> {
        let mut types: Vec<_> = self.steps().iter().map(|step| step.activity()).collect();
        types.sort_unstable();
        types
    }

    pub(crate) fn address(&self, volunteer: usize) -> String {
        format!("v{volunteer}.{}@example.org", self.number)
    }

    fn path(&self, rest: &str) -> String {
        format!("/v1/events/{}{rest}", self.id())
    }

    fn new_title(&self) -> String {
        format!("Life {}, changed", self.number)
    }

    fn slot(&self, index: usize) -> &str {
        self.event["slots"][index]["id"].as_str().unwrap()
    }

    /// Returns the request of a step. All steps have the same idempotency key, which is separate for each
    /// operation.
    fn request(&self, step: Step, client: &Client, url: &str, token: &str) -> reqwest::RequestBuilder {
        let api = |method: reqwest::Method, path: String| {
            let request = client.request(method, format!("{url}{path}")).bearer_auth(token);
            request.header("Idempotency-Key", format!("life-{}", self.number))
        };
        let (post, delete) = (reqwest::Method::POST, reqwest::Method::DELETE);
        match step {
            // Each slot has a place left, because a repeated sign-up for a full slot is refused.
            Create => api(post, "/v1/events".to_owned()).json(&json!({
                "title": format!("Life {}", self.number), "start_date": "2099-06-05", "timezone": "UTC",
                "shifts": [{"title": "A", "capacity": 3}, {"title": "B", "capacity": 2}],
            })),
            Patch => api(reqwest::Method::PATCH, self.path("")).json(&json!({"title": self.new_title()})),
            Publish => api(post, self.path("/publish")),
            SignUp(slot, volunteer) => {
                let email = self.address(volunteer);
                let form = [("slot_id", self.slot(slot)), ("name", "Ada"), ("email", &email)];
                let path = format!("{url}/events/{}/signups", self.event["slug"].as_str().unwrap());
                // An address may send only 120 forms a minute.
                let [.., b, c, d] = self.number.to_be_bytes();
                let from = format!("10.{b}.{c}.{d}");
                client.post(path).header("x-forwarded-for", from).form(&form)
            }
            DeleteSlot => api(delete, format!("/v1/slots/{}?cancel_signups=true", self.slot(1))),
            Cancel => api(post, self.path("/cancel")).json(&json!({"reason": "Storm"})),
            DeleteEvent => api(delete, self.path("")),
        }
    }

    /// Takes the steps that were not acknowledged, at each of the servers in turn. Stops when a server is dead.
    pub(crate) async fn go_on(&mut self, client: &Client, urls: &[String], token: &str) {
        while let Some(step) = self.steps().get(self.acknowledged.len()).copied() {
            let url = &urls[(self.number + self.acknowledged.len()) % urls.len()];
            let Ok(response) = self.request(step, client, url, token).send().await else { return };
            let status = response.status().as_u16();
            let Ok(text) = response.text().await else { return };
            let expected = match step {
                Create => 201,
                SignUp(..) => 303,
                _ => 200,
            };
            assert_eq!(status, expected, "{step:?}: {text}");
            if step == Create {
                self.event = serde_json::from_str::<Value>(&text).unwrap()["data"].clone();
            }
            self.acknowledged.push(text);
        }
    }

    /// Checks that the server shows every step that was acknowledged, at most one more, and no other.
    pub(crate) async fn check(&self, server: &Server) {
        if self.event.is_null() {
            return;
        }
        let at = |step: Step| self.steps().iter().position(|found| *found == step);
        let assert_step = |step: Step, is_done: bool| {
            let Some(at) = at(step) else { return assert!(!is_done, "{step:?} was not requested") };
            let is_acknowledged = at < self.acknowledged.len();
            assert!(is_done || !is_acknowledged, "{step:?} of life {} is lost", self.number);
            assert!(!is_done || at <= self.acknowledged.len(), "{step:?} of life {} came early", self.number);
        };
        let found = server.get(&self.path("")).await;
        assert_step(DeleteEvent, found.status == 404);
        if found.status == 404 {
            return;
        }
        let event = found.data();
        let is_cancelled = !event["cancelled_at"].is_null();
        assert_step(Patch, event["title"] == self.new_title().as_str());
        assert_step(Publish, event["is_published"] == true);
        assert_step(DeleteSlot, event["slots"].as_array().unwrap().len() == 1);
        assert_step(Cancel, is_cancelled);
        let signups = server.get(&self.path("/signups")).await.data();
        for step in self.steps() {
            let SignUp(slot, volunteer) = *step else { continue };
            let address = self.address(volunteer);
            let mine: Vec<_> = signups
                .as_array()
                .unwrap()
                .iter()
                .filter(|found| found["email"] == address.as_str())
                .collect();
            assert!(mine.len() <= 1, "{mine:?}");
            assert_step(*step, mine.len() == 1);
            let is_slot_deleted = slot == 1 && event["slots"].as_array().unwrap().len() == 1;
            for signup in mine {
                let by = if is_cancelled || is_slot_deleted { json!("organizer") } else { Value::Null };
                assert_eq!(signup["cancelled_by"], by, "{signup}");
            }
        }
    }

    /// Repeats each step that had a key. Each is replayed with the answer that was acknowledged.
    pub(crate) async fn repeat(&self, client: &Client, server: &Server) {
        for (step, text) in self.steps().iter().zip(&self.acknowledged) {
            if matches!(step, SignUp(..)) {
                continue;
            }
            let response = self.request(*step, client, &server.url, &server.token).send().await.unwrap();
            assert!(response.headers().contains_key("idempotent-replay"), "{step:?} of life {}", self.number);
            assert_eq!(&response.text().await.unwrap(), text);
        }
    }
}
