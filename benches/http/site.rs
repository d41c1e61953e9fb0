//! The real server on a database of its own, with an organization to ask about.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use signup_benches::event;
use signup_store_sql::test_cluster::Cluster;
use tempfile::TempDir;

use crate::load::Load;
use crate::process::Process;
use crate::request::Request;

/// The events that are there before anything is measured: a page of them, with ten shifts each.
pub(crate) const EVENTS: usize = 25;

/// Builds the server that is measured, with the options of this benchmark.
pub(crate) fn build() {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--release", "--quiet", "-p", "signup-server", "--manifest-path"]);
    cargo.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.toml"));
    // Where this program was built, too.
    cargo.arg("--target-dir").arg(release().parent().unwrap());
    // What cargo tells this program of its own package. Build scripts that look at it would run again, and half of what is
    // built would be built anew, now and at the next run of the benchmark.
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy();
        if name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_") {
            cargo.env_remove(&*name);
        }
    }
    assert!(cargo.status().unwrap().success(), "the server could not be built");
}

fn server() -> PathBuf {
    release().join("signup-server")
}

/// The folder `target/release`: this program is in `deps` there.
fn release() -> PathBuf {
    std::env::current_exe().unwrap().ancestors().nth(2).unwrap().to_owned()
}

/// The server, with an organization that has a page of events.
pub(crate) struct Site {
    pub(crate) process: Process,
    token: String,
    pub(crate) organization: String,
    /// One of its events, and the path of that one's shifts.
    pub(crate) event: String,
    pub(crate) slots_path: String,
    /// The shifts of all events.
    pub(crate) slots: Vec<String>,
    /// The plans, and the database if it is a file.
    folder: TempDir,
}

/// What a site keeps its records in.
pub(crate) enum Engine<'a> {
    Memory,
    Sqlite,
    Postgres(&'a str),
}

/// An event that takes sign-ups: the path of its form, and its shifts.
pub(crate) struct PublicEvent {
    pub(crate) form: String,
    pub(crate) slots: Vec<String>,
}

impl Site {
    pub(crate) const LIST: &str = "/v1/events";

    pub(crate) fn on_sqlite() -> Self {
        Self::start(&Engine::Sqlite)
    }

    pub(crate) fn on_postgres(cluster: &Cluster) -> Self {
        Self::start(&Engine::Postgres(&cluster.empty_database()))
    }

    pub(crate) fn start(engine: &Engine<'_>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let plans = folder.path().join("plans.json");
        let limits = json!({
            "requests_per_minute": 4_000_000_000_u32, "active_events": 1_000_000, "event_days": 366,
        });
        let all = json!({"free": limits, "calendar": limits, "starter": limits, "pro": limits});
        std::fs::write(&plans, all.to_string()).unwrap();
        let database = match engine {
            Engine::Memory => "memory:".to_owned(),
            Engine::Sqlite => format!("sqlite:{}", folder.path().join(FILE).display()),
            Engine::Postgres(url) => (*url).to_owned(),
        };
        let plans = ["--plans", plans.to_str().unwrap(), "--trusted-proxies", "127.0.0.1"];
        let arguments = [["--database", &database, "--listen", "127.0.0.1:0"], plans].concat();
        let (process, token) = start(&arguments, engine);
        let mut site = Self {
            process,
            token,
            organization: String::new(),
            event: String::new(),
            slots_path: String::new(),
            slots: vec![],
            folder,
        };
        site.organization = text(&site.ask(&site.get("/v1/team"))["id"]);
        for _ in 0..EVENTS {
            let created = site.ask(&site.create());
            site.event = text(&created["id"]);
            site.slots.extend(slots(&created));
        }
        site.slots_path = format!("/v1/events/{}/slots", site.event);
        site
    }

    /// The file of a site on SQLite.
    pub(crate) fn file(&self) -> PathBuf {
        self.folder.path().join(FILE)
    }

    pub(crate) fn load(&self, requests: Vec<Request>) -> Load {
        Load::new(self.process.port, requests)
    }

    pub(crate) fn get(&self, path: &str) -> Request {
        Request::get(path).with_token(&self.token)
    }

    /// A new event with ten shifts, under a key of its own.
    pub(crate) fn create(&self) -> Request {
        let request =
            Request::json("POST", Self::LIST, &event::body(event::CAPACITY, false)).with_status(201);
        request.with_token(&self.token).with_key()
    }

    /// A copy of the event.
    pub(crate) fn duplicate(&self) -> Request {
        let path = format!("/v1/events/{}/duplicate", self.event);
        let request = Request::json("POST", &path, r#"{"start_date": "2099-06-12"}"#).with_status(201);
        request.with_token(&self.token)
    }

    /// Another title for a shift, each time.
    pub(crate) fn patch(&self, slot: &str) -> Request {
        let path = format!("/v1/slots/{slot}");
        Request::json("PATCH", &path, r#"{"title": "Shift {number}"}"#).with_token(&self.token)
    }

    /// Publishes an event with ten shifts of so many places.
    pub(crate) fn publish(&self, capacity: u32) -> PublicEvent {
        let request = Request::json("POST", Self::LIST, &event::body(capacity, true)).with_status(201);
        let created = self.ask(&request.with_token(&self.token));
        PublicEvent { form: format!("/events/{}/signups", text(&created["slug"])), slots: slots(&created) }
    }

    /// What is answered at this path.
    pub(crate) fn body(&self, path: &str) -> String {
        self.get(path).send(self.process.port)
    }

    fn ask(&self, request: &Request) -> Value {
        serde_json::from_str::<Value>(&request.send(self.process.port)).unwrap()["data"].take()
    }
}

const FILE: &str = "signup.db";

impl PublicEvent {
    /// Another volunteer each time, from another address after some.
    pub(crate) fn sign_up(&self, slot: &str) -> Request {
        let body = format!("slot_id={slot}&name=Ada&email=ada{{number}}%40example.org");
        let request = Request::with_body("POST", &self.form, "application/x-www-form-urlencoded", &body);
        request.with_header("x-forwarded-for", "{address}").with_status(303)
    }
}

/// Starts the server, and gives the token of an organization. On PostgreSQL it makes none by itself.
fn start(arguments: &[&str], engine: &Engine<'_>) -> (Process, String) {
    const LISTENS: &str = "listening on http://127.0.0.1:";
    let Engine::Postgres(url) = engine else {
        let (process, [token]) = Process::start(&server(), arguments, ["token: "], LISTENS);
        return (process, token);
    };
    let manage = |arguments: &[&str]| -> Value {
        let output = Command::new(server()).args(["--database", url]).args(arguments).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let organization = manage(&["organization", "create", "--name", "Starter", "--plan", "pro"]);
    let organization = text(&organization["id"]);
    let token = manage(&["token", "create", "--organization", &organization, "--name", "benchmark"]);
    (Process::start(&server(), arguments, [], LISTENS).0, text(&token["token"]))
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

fn slots(event: &Value) -> Vec<String> {
    event["slots"].as_array().unwrap().iter().map(|slot| text(&slot["id"])).collect()
}
