//! The server under test, on a database of its own with one organization.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use signup_benches::event;
use signup_store_sql::test_cluster::Cluster;
use sqlx::{Connection as _, Executor as _, PgConnection};
use tempfile::TempDir;

use crate::load::Load;
use crate::process::Process;
use crate::request::Request;

/// The events of a new site: one page of the list, with ten shifts each.
pub(crate) const EVENTS: usize = 25;

/// Builds the server in release mode, into this program's target folder.
pub(crate) fn build() {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--release", "--quiet", "-p", "signup-server", "--manifest-path"]);
    cargo.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.toml"));
    cargo.arg("--target-dir").arg(release().parent().unwrap());
    // Cargo sets these variables for the package of this program. Build scripts that read them would run again, and half of
    // the crates would be rebuilt, now and at the next run of the benchmark.
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

/// Returns the folder `target/release`. This program is in its subfolder `deps`.
fn release() -> PathBuf {
    std::env::current_exe().unwrap().ancestors().nth(2).unwrap().to_owned()
}

/// A running server, with an organization that has a page of events.
pub(crate) struct Site {
    pub(crate) process: Process,
    token: String,
    pub(crate) organization: String,
    /// The id of one of the events.
    pub(crate) event: String,
    /// The ids of all shifts of a new site.
    pub(crate) slots: Vec<String>,
    /// The URL of the database.
    database: String,
    /// Contains the file of plans, and the database if the database is a file.
    folder: TempDir,
}

/// The store of a site. PostgreSQL has the URL of an empty database.
pub(crate) enum Engine<'a> {
    Memory,
    Sqlite,
    Postgres(&'a str),
}

/// A published event: its id, the path of its sign-up form, and the ids of its shifts.
pub(crate) struct PublicEvent {
    pub(crate) id: String,
    pub(crate) form: String,
    pub(crate) slots: Vec<String>,
}

impl Site {
    pub(crate) const LIST: &str = "/v1/events";

    /// Returns the path of an event's shifts.
    pub(crate) fn slots_path(event: &str) -> String {
        format!("/v1/events/{event}/slots")
    }

    pub(crate) fn on_sqlite() -> Self {
        Self::start(&Engine::Sqlite)
    }

    pub(crate) fn on_postgres(cluster: &Cluster) -> Self {
        Self::start(&Engine::Postgres(&cluster.empty_database()))
    }

    /// Starts a site with this number of events.
    pub(crate) fn on_sqlite_with(events: usize) -> Self {
        let site = Self::on_sqlite();
        site.fill(events);
        site
    }

    /// Starts a site with this number of events and up-to-date statistics.
    pub(crate) fn on_postgres_with(cluster: &Cluster, events: usize) -> Self {
        let url = cluster.empty_database();
        let site = Self::start(&Engine::Postgres(&url));
        site.fill(events);
        vacuum(&url);
        site
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
        let arguments = [arguments.as_slice(), &["--webhook-allow", "127.0.0.1"]].concat();
        let (process, token) = start(&arguments, engine);
        let mut site = Self {
            process,
            token,
            organization: String::new(),
            event: String::new(),
            slots: vec![],
            database,
            folder,
        };
        site.organization = text(&site.ask(&site.get("/v1/team"))["id"]);
        for _ in 0..EVENTS {
            let created = site.ask(&site.create());
            site.event = text(&created["id"]);
            site.slots.extend(slots(&created));
        }
        if let Engine::Postgres(url) = engine {
            vacuum(url);
        }
        site
    }

    /// Returns the database file of a site on SQLite.
    pub(crate) fn file(&self) -> PathBuf {
        self.folder.path().join(FILE)
    }

    pub(crate) fn load(&self, requests: Vec<Request>) -> Load {
        Load::new(self.process.port, requests)
    }

    pub(crate) fn get(&self, path: &str) -> Request {
        Request::get(path).with_token(&self.token)
    }

    /// Returns a request that creates an event with ten shifts. Each time the request is sent, it has a new key.
    pub(crate) fn create(&self) -> Request {
        let request = Request::json("POST", Self::LIST, &event::body(event::SHIFTS, event::CAPACITY, false))
            .with_status(201);
        request.with_token(&self.token).with_key()
    }

    /// Returns a request that duplicates the site's event.
    pub(crate) fn duplicate(&self) -> Request {
        let path = format!("/v1/events/{}/duplicate", self.event);
        let request = Request::json("POST", &path, r#"{"start_date": "2099-06-12"}"#).with_status(201);
        request.with_token(&self.token)
    }

    /// Returns a request that changes the title of a shift. Each time the request is sent, the title is different.
    pub(crate) fn patch(&self, slot: &str) -> Request {
        let path = format!("/v1/slots/{slot}");
        Request::json("PATCH", &path, r#"{"title": "Shift {number}"}"#).with_token(&self.token)
    }

    /// Returns a request that changes the title of an event. Each time the request is sent, the title is different.
    pub(crate) fn patch_event(&self, event: &str) -> Request {
        let path = format!("/v1/events/{event}");
        Request::json("PATCH", &path, r#"{"title": "Food drive {number}"}"#).with_token(&self.token)
    }

    /// Returns a request that publishes or unpublishes an event. The action is the last part of the path.
    pub(crate) fn post(&self, event: &str, action: &str) -> Request {
        Request::json("POST", &format!("/v1/events/{event}/{action}"), "{}").with_token(&self.token)
    }

    /// Publishes an event with ten shifts of this capacity.
    pub(crate) fn publish(&self, capacity: u32) -> PublicEvent {
        self.publish_with(event::SHIFTS, capacity)
    }

    /// Publishes an event with this number of shifts and this capacity of each.
    pub(crate) fn publish_with(&self, shifts: u32, capacity: u32) -> PublicEvent {
        let request =
            Request::json("POST", Self::LIST, &event::body(shifts, capacity, true)).with_status(201);
        let created = self.ask(&request.with_token(&self.token));
        let form = format!("/events/{}/signups", text(&created["slug"]));
        PublicEvent { id: text(&created["id"]), form, slots: slots(&created) }
    }

    /// Creates a webhook for activity of this type at a port of this machine.
    pub(crate) fn webhook(&self, port: u16, kind: &str) {
        let webhook = json!({"url": format!("http://127.0.0.1:{port}/"), "types": [kind]}).to_string();
        let request = Request::json("POST", "/v1/webhooks", &webhook).with_status(201);
        drop(self.ask(&request.with_token(&self.token)));
    }

    /// Makes a person a member of the organization, in a role. Returns the cookie of the session that this begins.
    pub(crate) fn member(&self, email: &str, role: &str) -> String {
        let invite = ["person", "invite", "--organization", &self.organization, "--name", "Ada"];
        let invited = manage(&self.database, &[&invite[..], &["--email", email, "--role", role]].concat());
        let link = text(&invited["link"]);
        let path = &link[link.find("/invitations").unwrap()..];
        let answer = Request::own_form(path, "name=Ada").with_status(303).send_for_all(self.process.port);
        let cookie = answer.lines().find_map(|line| line.strip_prefix("set-cookie: signup=")).unwrap();
        format!("signup={}", cookie.split(';').next().unwrap())
    }

    /// Returns the body of the answer to a `GET` of this path.
    pub(crate) fn body(&self, path: &str) -> String {
        self.get(path).send(self.process.port)
    }

    /// Creates events until the site has `count` events.
    pub(crate) fn fill(&self, count: usize) {
        let missing = count - EVENTS;
        drop(self.load(vec![self.create()]).for_answers(missing as u64));
    }

    /// Returns the ids of all events, in the order of the list.
    pub(crate) fn events(&self) -> Vec<String> {
        let first = format!("{}?per_page=100", Self::LIST);
        let (mut path, mut events) = (first.clone(), vec![]);
        loop {
            let page: Value = serde_json::from_str(&self.body(&path)).unwrap();
            events.extend(page["data"].as_array().unwrap().iter().map(|event| text(&event["id"])));
            let Some(cursor) = page["meta"]["next_cursor"].as_str() else { return events };
            path = format!("{first}&cursor={cursor}");
        }
    }

    /// Returns the id of the first shift of an event.
    pub(crate) fn first_slot(&self, event: &str) -> String {
        text(&self.ask(&self.get(&Self::slots_path(event)))[0]["id"])
    }

    fn ask(&self, request: &Request) -> Value {
        serde_json::from_str::<Value>(&request.send(self.process.port)).unwrap()["data"].take()
    }
}

const FILE: &str = "signup.db";

impl PublicEvent {
    /// Returns a request that signs up a new volunteer each time, and changes the client address after some requests.
    pub(crate) fn sign_up(&self, slot: &str) -> Request {
        let body = format!("slot_id={slot}&name=Ada&email=ada{{number}}%40example.org");
        Request::own_form(&self.form, &body).with_status(303)
    }
}

/// Updates the statistics of the database at `url`.
pub(crate) fn vacuum(url: &str) {
    tokio::runtime::Runtime::new().unwrap().block_on(async {
        let mut connection = PgConnection::connect(url).await.unwrap();
        analyze(&mut connection).await;
        connection.close().await.unwrap();
    });
}

/// Updates the statistics. Checks of foreign keys that were planned for empty tables scan all events of an organization.
/// Autovacuum would replace these plans at some time during the rounds.
pub(crate) async fn analyze(connection: &mut PgConnection) {
    connection.execute("VACUUM ANALYZE").await.unwrap();
}

/// Starts the server and returns the token of an organization. On PostgreSQL the server creates no organization, so this
/// function creates one with the command line.
fn start(arguments: &[&str], engine: &Engine<'_>) -> (Process, String) {
    const LISTENS: &str = "listening on http://127.0.0.1:";
    let Engine::Postgres(url) = engine else {
        let (process, [token]) = Process::start(&server(), arguments, ["token: "], LISTENS);
        return (process, token);
    };
    let organization = manage(url, &["organization", "create", "--name", "Starter", "--plan", "pro"]);
    let organization = text(&organization["id"]);
    let token = manage(url, &["token", "create", "--organization", &organization, "--name", "benchmark"]);
    (Process::start(&server(), arguments, [], LISTENS).0, text(&token["token"]))
}

/// Runs a command of the server on a database, and returns the JSON object that it prints.
fn manage(database: &str, arguments: &[&str]) -> Value {
    let output = Command::new(server()).args(["--database", database]).args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

fn slots(event: &Value) -> Vec<String> {
    event["slots"].as_array().unwrap().iter().map(|slot| text(&slot["id"])).collect()
}
