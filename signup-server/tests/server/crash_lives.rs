//! SIGKILL while events live: they are created, published, signed up for, cancelled and deleted.
//!
//! What was acknowledged holds, nothing happens that was not requested, and each mail is queued exactly once.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use reqwest::Client;
use rstest::rstest;
use serde_json::{Value, json};

use crate::harness::Engine::{Postgres, Sqlite};
use crate::harness::{Engine, Server};
use crate::mailbox::Mailbox;

/// The number of kills, unless the environment variable `CRASH_KILLS` sets it.
const KILLS: usize = 5;
const WRITERS: usize = 4;

/// A request in the life of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Create,
    Publish,
    /// Signs volunteer `1` up for the slot with this index.
    SignUp(usize, usize),
    /// Deletes the second slot and cancels its sign-up.
    DeleteSlot,
    Cancel,
    DeleteEvent,
}

use Step::{Cancel, Create, DeleteEvent, DeleteSlot, Publish, SignUp};

/// Every second event is deleted in the end.
const STEPS: [Step; 8] =
    [Create, Publish, SignUp(0, 0), SignUp(0, 1), SignUp(1, 2), DeleteSlot, Cancel, DeleteEvent];

/// An event and the answers to the steps that were acknowledged.
struct Life {
    number: usize,
    /// The event as it was created; null before.
    event: Value,
    acknowledged: Vec<String>,
}

impl Life {
    const fn new(number: usize) -> Self {
        Self { number, event: Value::Null, acknowledged: vec![] }
    }

    fn steps(&self) -> &'static [Step] {
        if self.number.is_multiple_of(2) { &STEPS } else { &STEPS[..STEPS.len() - 1] }
    }

    fn address(&self, volunteer: usize) -> String {
        format!("v{volunteer}.{}@example.org", self.number)
    }

    fn path(&self, rest: &str) -> String {
        format!("/v1/events/{}{rest}", self.event["id"].as_str().unwrap())
    }

    fn slot(&self, index: usize) -> &str {
        self.event["slots"][index]["id"].as_str().unwrap()
    }

    /// Returns the request of a step. All steps have the same idempotency key, which is separate for each path.
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

    /// Takes the steps that were not acknowledged. Stops when the server is dead.
    async fn go_on(&mut self, client: &Client, url: &str, token: &str) {
        while let Some(step) = self.steps().get(self.acknowledged.len()).copied() {
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
    async fn check(&self, server: &Server) {
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
    async fn repeat(&self, client: &Client, server: &Server) {
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

#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_server_keeps_what_was_acknowledged_in_the_lives_of_events(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let kills = std::env::var("CRASH_KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(KILLS);
    let Some(server) = Server::start_with(engine) else { return };
    let mailbox = Mailbox::start();
    let smtp = mailbox.url();
    // The answers contain the base URL, and without this argument it has another port after each restart.
    let base_url = "https://signup.example.org";
    let arguments = ["--smtp", &smtp, "--trusted-proxies", "127.0.0.0/8", "--base-url", base_url];
    let mut server = server.restart_with(&arguments);
    let mut lives = vec![];
    for round in 0..kills {
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                let (url, token) = (server.url.clone(), server.token.clone());
                tokio::spawn(async move {
                    let (client, mut done) = (client(), vec![]);
                    for number in 0.. {
                        let mut life = Life::new((number * KILLS.max(kills) + round) * WRITERS + writer);
                        life.go_on(&client, &url, &token).await;
                        let is_dead = life.acknowledged.len() < life.steps().len();
                        done.push(life);
                        if is_dead {
                            break;
                        }
                    }
                    done
                })
            })
            .collect();
        // The fixed wait is deliberate: it varies by round, so that the kills hit different moments of the writes.
        tokio::time::sleep(Duration::from_millis(200 + (round as u64 * 137) % 400)).await;
        server.kill();
        for writer in writers {
            lives.extend(writer.await.unwrap());
        }
        // Ends the leases of the killed process, so that no mail has to wait for their expiry.
        server.sql("UPDATE notices SET due_at = 0").await;
        server = server.restart_with(&arguments);
    }
    let cut: Vec<_> = lives
        .iter()
        .filter_map(|life| life.steps().get(life.acknowledged.len()))
        .map(|step| format!("{step:?}"))
        .collect();
    assert_eq!(cut.len(), kills * WRITERS, "each kill cuts a life of each writer");
    println!("{kills} kills cut {} of {} lives, at {:?}", cut.len(), lives.len(), BTreeSet::from_iter(cut));

    let client = client();
    for life in &mut lives {
        life.check(&server).await;
        life.go_on(&client, &server.url, &server.token).await;
        assert_eq!(life.acknowledged.len(), life.steps().len());
        life.check(&server).await;
        life.repeat(&client, &server).await;
        life.check(&server).await;
    }
    let miscounted = server
        .sql(
            "SELECT CAST(count(*) AS TEXT) FROM shifts s WHERE filled <> (SELECT count(*) FROM signups u \
              WHERE u.organization_id = s.organization_id AND u.shift_id = s.id AND u.status = 'confirmed')",
        )
        .await;
    assert_eq!(miscounted, "0", "filled differs from the number of confirmed sign-ups");

    let is_left = "SELECT CAST(count(*) AS TEXT) FROM notices";
    let limit = Duration::from_secs(60 + lives.len() as u64);
    server.wait_for_sql(is_left, "0", limit).await;
    // A mail in flight at a kill is sent again under the same Message-ID, so each Message-ID is one queued mail.
    let mut queued: BTreeMap<(String, String), BTreeSet<String>> = BTreeMap::new();
    for mail in mailbox.mails() {
        let method = mail.calendar().property("METHOD").to_owned();
        queued.entry((mail.to.clone(), method)).or_default().insert(mail.header("message-id"));
    }
    let many: Vec<_> = queued.iter().filter(|(_, mails)| mails.len() > 1).collect();
    assert!(many.is_empty(), "queued more than once: {many:?}");
    for life in &lives {
        for volunteer in 0..3 {
            let key = (life.address(volunteer), "CANCEL".to_owned());
            assert!(queued.contains_key(&key), "life {}: {key:?} was not queued", life.number);
        }
    }
    println!("{} mails were queued, each once", queued.len());
}

fn client() -> Client {
    Client::builder().redirect(reqwest::redirect::Policy::none()).build().unwrap()
}
