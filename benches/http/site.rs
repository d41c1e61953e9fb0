//! The server under test, on a database of its own with one organization.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use signup_store_sql::test_cluster::Cluster;
use tempfile::TempDir;
use tokio::runtime::Runtime;

use crate::burst::Burst;
use crate::process::Process;
use crate::request::Request;

/// The number of drafts, with ten slots each. An even number for each of the 64 connections, so that no connection of the load
/// `publish and unpublish` starts between the requests of a pair.
const DRAFTS: u64 = 9600;
/// The number of published events, with ten slots each.
const PUBLISHED: usize = 200;
/// The name of the file of plans.
const PLANS: &str = "plans.json";

#[derive(Clone, Copy)]
pub(crate) enum Engine<'a> {
    Sqlite,
    Postgres(&'a Cluster),
}

impl Engine<'_> {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "SQLite",
            Self::Postgres(_) => "PostgreSQL",
        }
    }
}

/// A running server on a database of its own.
pub(crate) struct Site {
    pub(crate) process: Process,
    program: PathBuf,
    database: String,
    pub(crate) runtime: Runtime,
    token: String,
    /// The ids of the drafts.
    pub(crate) drafts: Vec<String>,
    pub(crate) published: Vec<PublicEvent>,
    /// Contains the file of plans, and the database if the database is a file.
    folder: TempDir,
}

/// A published event: its name in URLs, and the ids of its slots.
pub(crate) struct PublicEvent {
    pub(crate) id: String,
    pub(crate) slug: String,
    pub(crate) slots: Vec<String>,
}

impl Site {
    /// Starts a program, creates events, and stops the program except while it is measured.
    pub(crate) fn start(program: &Path, engine: Engine<'_>) -> Self {
        let mut site = Self::empty(program, engine, &[]);
        site.fill();
        if let Engine::Postgres(cluster) = engine {
            // Plans for empty tables scan whole tables, until autovacuum replaces these plans at some time during the bursts.
            cluster.sql(site.database.rsplit_once('/').unwrap().1, "VACUUM ANALYZE");
        }
        site.process.stop();
        site
    }

    /// Starts a program with these arguments, on a database with one organization.
    pub(crate) fn empty(program: &Path, engine: Engine<'_>, arguments: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let plans = folder.path().join(PLANS);
        let limits =
            json!({"requests_per_minute": 4_000_000_000_u32, "active_events": 1_000_000, "event_days": 366});
        let all = json!({"free": limits, "calendar": limits, "starter": limits, "pro": limits});
        std::fs::write(&plans, all.to_string()).unwrap();
        let database = match engine {
            Engine::Sqlite => format!("sqlite:{}", folder.path().join("signup.db").display()),
            Engine::Postgres(cluster) => cluster.empty_database(),
        };
        drop(manage(program, &database, &["organization", "create", "--name", "Starter", "--plan", "pro"]));
        let token = ["token", "create", "--organization", "starter", "--name", "benchmark"];
        let token = manage(program, &database, &token);
        Self {
            process: serve(program, &database, folder.path(), arguments),
            program: program.to_owned(),
            database,
            runtime: Runtime::new().unwrap(),
            token: text(&token["token"]),
            drafts: vec![],
            published: vec![],
            folder,
        }
    }

    /// Starts another server on the same database.
    pub(crate) fn another_process(&self) -> Process {
        serve(&self.program, &self.database, self.folder.path(), &[])
    }

    /// Makes a person with this address an owner, and returns the cookies of their browser.
    pub(crate) fn sign_in(&self, address: &str) -> String {
        let invite = ["person", "invite", "--organization", "starter", "--role", "owner", "--name", "Ada"];
        let invited = self.manage(&[&invite[..], &["--email", address]].concat());
        let link = invited["link"].as_str().unwrap();
        let path = &link[link.find("/invitations/").unwrap()..];
        let form = Request::form(path, "name=Ada").with_header("x-forwarded-for", "{address}");
        let accepted = form.with_status(303).send_whole(self.process.port);
        let cookies =
            accepted.lines().filter_map(|line| line.strip_prefix("set-cookie: ")?.split(';').next());
        cookies.collect::<Vec<_>>().join("; ")
    }

    /// Runs a management command, and returns the JSON object that it prints.
    pub(crate) fn manage(&self, arguments: &[&str]) -> Value {
        manage(&self.program, &self.database, arguments)
    }

    fn fill(&mut self) {
        let create = self.create(false);
        drop(self.runtime.block_on(Burst::of_answers(self.process.port, &[create], DRAFTS)));
        self.drafts = self.list("/v1/events?").iter().map(|event| text(&event["id"])).collect();
        for _ in 0..PUBLISHED {
            let event = self.publish();
            self.published.push(event);
        }
    }

    /// Returns all items of a list, whose path ends in a query.
    pub(crate) fn list(&self, path: &str) -> Vec<Value> {
        let first = format!("{path}&per_page=100");
        let (mut items, mut next) = (vec![], Some(first.clone()));
        while let Some(path) = next {
            let mut page = self.ask(&self.get(&path));
            items.append(page["data"].as_array_mut().unwrap());
            next = page["meta"]["next_cursor"].as_str().map(|cursor| format!("{first}&cursor={cursor}"));
        }
        items
    }

    /// Creates a published event.
    pub(crate) fn publish(&self) -> PublicEvent {
        self.publish_with(&self.create(true))
    }

    /// Creates a published event by this request.
    pub(crate) fn publish_with(&self, create: &Request) -> PublicEvent {
        let created = self.ask(create)["data"].take();
        let slots = created["slots"].as_array().unwrap().iter().map(|slot| text(&slot["id"])).collect();
        PublicEvent { id: text(&created["id"]), slug: text(&created["slug"]), slots }
    }

    /// Lets the server run for one burst of these requests.
    pub(crate) fn burst(&self, requests: &[Request]) -> Burst {
        self.process.go_on();
        let burst = self.runtime.block_on(Burst::of_a_second(self.process.port, requests));
        self.process.stop();
        burst
    }

    pub(crate) fn resident_mb(&self) -> f64 {
        self.process.resident_mb()
    }

    pub(crate) fn get(&self, path: &str) -> Request {
        Request::get(path).with_token(&self.token)
    }

    pub(crate) fn json(&self, method: &str, path: &str, body: &str) -> Request {
        Request::with_body(method, path, "application/json", body).with_token(&self.token)
    }

    /// Returns a request that creates an event with ten slots, which are never full.
    pub(crate) fn create(&self, is_published: bool) -> Request {
        let slot = |number| json!({"title": format!("Shift {number}"), "start_time": "09:00", "end_time": "12:00", "capacity": 1_000_000});
        let event = json!({
            "title": "Food drive",
            "description": "We pack boxes for 400 families.",
            "location": "12 Long Street, Springfield",
            "start_date": "2099-06-05",
            "timezone": "America/New_York",
            "is_published": is_published,
            "shifts": (0..10).map(slot).collect::<Vec<_>>(),
        });
        self.json("POST", "/v1/events", &event.to_string()).with_status(201)
    }

    pub(crate) fn ask(&self, request: &Request) -> Value {
        serde_json::from_str(&request.send(self.process.port)).unwrap()
    }
}

impl PublicEvent {
    /// Returns a request with the form of the public page. Few of these requests share an IP address.
    pub(crate) fn form(&self, body: &str) -> Request {
        let path = format!("/events/{}/signups", self.slug);
        Request::form(&path, body).with_header("x-forwarded-for", "{address}")
    }

    /// Returns a request that signs up a new volunteer each time, as a browser posts the form.
    pub(crate) fn sign_up(&self, slot: &str) -> Request {
        let body = format!("slot_id={slot}&name=Ada&email=ada{{number}}%40example.org");
        self.form(&body).with_status(303)
    }
}

/// Starts a server on a database, with the plans of a folder and these arguments.
fn serve(program: &Path, database: &str, folder: &Path, arguments: &[&str]) -> Process {
    let plans = folder.join(PLANS);
    let plans = ["--plans", plans.to_str().unwrap(), "--trusted-proxies", "127.0.0.1"];
    let server = ["--database", database, "--listen", "127.0.0.1:0"];
    Process::start(program, &[&server[..], &plans, arguments].concat())
}

fn manage(program: &Path, database: &str, arguments: &[&str]) -> Value {
    let output = Command::new(program).args(["--database", database]).args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}
