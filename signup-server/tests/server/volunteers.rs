//! Volunteers that sign up through the library, in separate processes on the server's database.

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdout};
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use signup_core::{
    Error, EventId, NewSignup, NoticeCause, NoticeQuery, OrganizationId, Service, ShiftId, SignedUp, Store,
};
use signup_store_sql::{PostgresOptions, PostgresStore, SqliteStore};

use crate::harness::{Server, process};
use crate::wait::wait_until;

/// A shift of a published event in 2099.
pub(crate) struct Shift {
    organization: String,
    event: String,
    id: String,
}

impl Shift {
    /// The title of the event.
    pub(crate) const TITLE: &str = "Food bank";

    pub(crate) async fn create(server: &Server, capacity: u32) -> Self {
        let event = server
            .create(&json!({
                "title": Self::TITLE, "start_date": "2099-06-05", "timezone": "UTC", "is_published": true,
                "shifts": [{"title": "Packing", "capacity": capacity}],
            }))
            .await;
        let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
        let organization = text(&server.get("/v1/team").await.data()["id"]);
        Self { organization, event: text(&event["id"]), id: text(&event["slots"][0]["id"]) }
    }

    /// Returns the number of volunteers of this shift in the server's answer.
    pub(crate) async fn filled(&self, server: &Server) -> u64 {
        server.get(&format!("/v1/events/{}/slots", self.event)).await.data()[0]["filled"].as_u64().unwrap()
    }

    /// Returns the addresses whose acknowledged state is not in the database.
    ///
    /// `acknowledged` maps an address to whether its sign-up is confirmed (`true`) or cancelled (`false`).
    pub(crate) async fn lost(&self, server: &Server, acknowledged: &HashMap<String, bool>) -> Vec<String> {
        let client = self.client(&server.database()).await;
        let (mut found, mut after) = (HashMap::new(), None);
        loop {
            let page =
                client.service.admin().signups(client.organization, client.event, after, 500).await.unwrap();
            let Some(last) = page.last() else { break };
            after = Some(last.id);
            found.extend(
                page.iter().map(|signup| (signup.email.to_string(), signup.cancelled_at().is_none())),
            );
        }
        let is_lost = |(address, is_confirmed): &(&String, &bool)| match found.get(*address) {
            // A confirmed sign-up may be cancelled in the database: the kill can precede the acknowledgement.
            Some(is_found_confirmed) => !**is_confirmed && *is_found_confirmed,
            None => true,
        };
        acknowledged.iter().filter(is_lost).map(|(address, _)| address.clone()).collect()
    }

    fn variables<'a>(&'a self, database: &'a str) -> Vec<(&'static str, &'a str)> {
        vec![
            ("DATABASE", database),
            ("ORGANIZATION", &self.organization),
            ("EVENT", &self.event),
            ("SHIFT", &self.id),
        ]
    }

    async fn client(&self, database: &str) -> ShiftClient {
        ShiftClient {
            service: open(database).await,
            organization: self.organization.parse::<OrganizationId>().unwrap(),
            event: self.event.parse::<EventId>().unwrap(),
            shift: self.id.parse::<ShiftId>().unwrap(),
        }
    }

    /// Returns the shift from the environment variables of this process.
    fn of_this_process() -> Self {
        let variable = |name| std::env::var(name).unwrap();
        Self { organization: variable("ORGANIZATION"), event: variable("EVENT"), id: variable("SHIFT") }
    }
}

struct ShiftClient {
    service: Service,
    organization: OrganizationId,
    event: EventId,
    shift: ShiftId,
}

impl ShiftClient {
    async fn sign_up(&self, address: &str) -> Result<SignedUp, Error> {
        let form = self.service.volunteers().form_of(self.organization, self.shift).await?;
        form.sign_up(NewSignup::new("Ada".parse().unwrap(), address.parse().unwrap())).await
    }
}

async fn open(database: &str) -> Service {
    let store: Arc<dyn Store> = match database.strip_prefix("sqlite:") {
        Some(path) => Arc::new(SqliteStore::open(Path::new(path)).await.unwrap()),
        None => {
            let url = database.parse().unwrap();
            Arc::new(PostgresStore::open(&url, PostgresOptions::default()).await.unwrap())
        }
    };
    Service::new(store)
}

/// A process in which volunteers sign up, one after another, until it is killed. Every second volunteer
/// cancels at once.
pub(crate) struct Volunteers {
    process: Child,
    output: BufReader<ChildStdout>,
}

impl Volunteers {
    /// Starts the process, and waits until it has opened the store.
    pub(crate) fn start(server: &Server, shift: &Shift, round: usize) -> Self {
        let (database, round) = (server.database(), round.to_string());
        let mut variables = shift.variables(&database);
        variables.push(("NUMBER", &round));
        let mut process = process("volunteers::sign_up_until_killed", &variables).spawn().unwrap();
        let mut output = BufReader::new(process.stdout.take().unwrap());
        let mut line = String::new();
        while line.trim_end() != READY {
            line.clear();
            assert_ne!(output.read_line(&mut line).unwrap(), 0, "the process ended before it was ready");
        }
        Self { process, output }
    }

    /// Kills the process. Returns the acknowledged state by address: confirmed (`true`) or cancelled (`false`).
    pub(crate) fn kill(mut self) -> HashMap<String, bool> {
        self.process.kill().unwrap();
        let mut acknowledged = HashMap::new();
        let lines = self.output.by_ref().split(b'\n').map(Result::unwrap);
        for line in lines.map(|line| String::from_utf8(line).unwrap()) {
            if let Some(address) = line.strip_prefix("in ") {
                acknowledged.insert(address.to_owned(), true);
            } else if let Some(address) = line.strip_prefix("out ") {
                acknowledged.insert(address.to_owned(), false);
            }
        }
        self.process.wait().unwrap();
        acknowledged
    }
}

impl Drop for Volunteers {
    fn drop(&mut self) {
        // Fails if the process has already exited.
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

/// The line that the process prints when it has opened the store.
const READY: &str = "ready";

fn say(line: &str) {
    // Bypasses the output capture of the test runner, and flushes because the process may be killed.
    std::io::stdout().write_all(format!("{line}\n").as_bytes()).unwrap();
    std::io::stdout().flush().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "other tests run this in a separate process"]
async fn sign_up_until_killed() {
    let client = Shift::of_this_process().client(&std::env::var("DATABASE").unwrap()).await;
    say(&format!("\n{READY}"));
    let round = std::env::var("NUMBER").unwrap();
    let mut seen = None;
    for number in 0.. {
        let address = format!("ada.{round}.{number}@example.org");
        let Ok(signed_up) = client.sign_up(&address).await else { continue };
        // The leading newline ends a line that the test runner may have started.
        say(&format!("\nin {address}"));
        if number % 2 == 0 {
            continue;
        }
        let secret = wait_until(Duration::from_secs(60), async || {
            let notices = client.service.admin().notices(NoticeQuery::Queued(seen), 500).await.unwrap();
            let secret = notices.iter().find_map(|notice| match &notice.cause {
                NoticeCause::SignedUp { signup, secret } if *signup == signed_up.signup.id => {
                    Some(secret.clone())
                }
                _ => None,
            });
            if secret.is_none() {
                seen = notices.last().map(|notice| notice.id);
            }
            secret.ok_or_else(|| format!("no notice of the sign-up of {address} was found"))
        })
        .await;
        if client.service.volunteers().cancel(&secret).await.is_ok() {
            say(&format!("out {address}"));
        }
    }
}
