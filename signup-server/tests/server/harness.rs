//! The harness: starts a server process for a test, sends requests, and collects the answers.
//!
//! A server runs until its [`Server`] is dropped. "Generous plans" are plans whose rate limits no test reaches.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use signup_store_sql::test_cluster::{Cluster, free_port};
use sqlx::sqlite::SqliteRow;
use sqlx::{Connection as _, Row as _, SqliteConnection};
use tempfile::TempDir;

pub(crate) use crate::answer::Answer;
use crate::contract;
use crate::start::{Started, wait_until_listening};
use crate::wait::{wait_for_exit, wait_until};

/// The program under test.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_signup-server");

/// The kind of database that a server is started on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Engine {
    Sqlite,
    Postgres,
}

/// A running server process. Dropping this value kills the process.
pub(crate) struct Server {
    child: Child,
    database: String,
    folder: Option<TempDir>,
    pub(crate) url: String,
    /// The token of the starter organization, and the link of its first owner; empty if the server created none.
    pub(crate) token: String,
    pub(crate) console: String,
    client: reqwest::Client,
}

/// Writes generous plans into a file in `folder` and returns its path.
pub(crate) fn generous_plans(folder: &Path) -> PathBuf {
    let limits =
        |events, days| json!({"requests_per_minute": 1_000_000, "active_events": events, "event_days": days});
    let plans = json!({"free": limits(5, 7), "calendar": limits(25, 31), "starter": limits(100, 92), "pro": limits(1000, 366)});
    let path = folder.join("plans.json");
    std::fs::write(&path, plans.to_string()).unwrap();
    path
}

/// Returns a temporary folder, and the URL of a database in it that does not exist yet.
pub(crate) fn sqlite() -> (TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let database = format!("sqlite:{}", folder.path().join("signup.db").display());
    (folder, database)
}

impl Server {
    /// Starts a server on the memory store, with generous plans.
    pub(crate) fn start(arguments: &[&str]) -> Self {
        Self::start_on("memory:", arguments)
    }

    /// Starts a server on a new SQLite file in a temporary folder, with generous plans.
    pub(crate) fn start_on_sqlite() -> Self {
        Self::start_on_sqlite_with(&[])
    }

    /// Starts a server on a new SQLite file in a temporary folder, with generous plans and these arguments.
    pub(crate) fn start_on_sqlite_with(arguments: &[&str]) -> Self {
        let (folder, database) = sqlite();
        let mut server = Self::start_on(&database, arguments);
        server.folder = Some(folder);
        server
    }

    /// Starts a server on a new PostgreSQL database, with generous plans.
    ///
    /// Creates an organization like the starter organization of other databases, and a token of it. Returns `None` if
    /// PostgreSQL is not installed.
    pub(crate) fn start_on_postgres() -> Option<Self> {
        let database = Cluster::shared()?.empty_database();
        let mut server = Self::start_on(&database, &[]);
        assert_eq!(server.token, "", "PostgreSQL gets no starter organization");
        server.command("organization create --name Starter --plan pro");
        let token = server.command("token create --organization starter --name Starter");
        token["token"].as_str().unwrap().clone_into(&mut server.token);
        Some(server)
    }

    /// Starts a server on a new database. Returns `None` if the database software is not installed.
    pub(crate) fn start_with(engine: Engine) -> Option<Self> {
        match engine {
            Engine::Sqlite => Some(Self::start_on_sqlite()),
            Engine::Postgres => Self::start_on_postgres(),
        }
    }

    /// Starts a server on `database`, with generous plans.
    pub(crate) fn start_on(database: &str, arguments: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let plans = generous_plans(folder.path());
        let plans = plans.to_str().unwrap();
        let mut all = vec!["--database", database, "--plans", plans];
        all.extend(arguments);
        let mut server = Self::start_exactly(&all);
        database.clone_into(&mut server.database);
        server
    }

    /// Starts a server with only these arguments, on a free port.
    pub(crate) fn start_exactly(arguments: &[&str]) -> Self {
        Self::start_by(Command::new(PROGRAM), arguments)
    }

    /// Starts a server with only these arguments and with these environment variables, on a free port.
    pub(crate) fn start_in(variables: &[(&str, &Path)], arguments: &[&str]) -> Self {
        let mut command = Command::new(PROGRAM);
        command.envs(variables.iter().copied());
        Self::start_by(command, arguments)
    }

    /// Starts a server with generous plans under a resource limit. `limit` holds the arguments of the shell's `ulimit`.
    pub(crate) fn start_limited(database: &str, limit: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let plans = generous_plans(folder.path());
        let mut limited = Command::new("bash");
        limited.args(["-c", &format!("trap '' XFSZ; ulimit {limit}; exec \"$0\" \"$@\""), PROGRAM]);
        Self::start_by(limited, &["--database", database, "--plans", plans.to_str().unwrap()])
    }

    /// Starts a server with generous plans that writes its log to a file.
    pub(crate) fn start_with_log(database: &str, log: &Path, arguments: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let plans = generous_plans(folder.path());
        let mut logged = Command::new("bash");
        logged.args(["-c", "log=$1; shift; exec \"$0\" \"$@\" 2> \"$log\"", PROGRAM]).arg(log);
        let mut all = vec!["--database", database, "--plans", plans.to_str().unwrap()];
        all.extend(arguments);
        let mut server = Self::start_by(logged, &all);
        database.clone_into(&mut server.database);
        server
    }

    fn start_by(mut command: Command, arguments: &[&str]) -> Self {
        let mut child = command
            .args(["--listen", "127.0.0.1:0"])
            // Tests that do not gather changes do not wait for their mails. A flag in `arguments` takes precedence.
            .env("SIGNUP_CHANGE_MAIL_DELAY", "0")
            .env("SIGNUP_LOG", "warn")
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        let Started { url, token, console } = wait_until_listening(&mut child);
        Self { child, database: String::new(), folder: None, url, token, console, client: client() }
    }

    /// Returns the URL of the database, as the command line takes it.
    pub(crate) fn database(&self) -> String {
        self.database.clone()
    }

    /// Returns the process id.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Kills the process with SIGKILL.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Waits until the process exits by itself. Panics after 60 seconds.
    pub(crate) fn wait(&mut self) -> ExitStatus {
        wait_for_exit(&mut self.child)
    }

    /// Sends SIGTERM and waits until the process exits. Panics after 60 seconds.
    pub(crate) fn terminate(&mut self) -> ExitStatus {
        let id = self.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
        self.wait()
    }

    /// Starts a server on the same database, after the process has exited.
    pub(crate) fn restart(&mut self) {
        let folder = self.folder.take();
        let token = std::mem::take(&mut self.token);
        *self = Self::start_on(&self.database(), &[]);
        assert_eq!(self.token, "", "a database with an organization gets no starter organization");
        self.token = token;
        self.folder = folder;
    }

    /// Kills the process and starts a server on the same database with these arguments.
    pub(crate) fn restart_with(mut self, arguments: &[&str]) -> Self {
        self.kill();
        let mut server = self.start_another(arguments);
        server.folder = self.folder.take();
        server
    }

    /// Starts another process on the same database. Requests to it use the same token.
    pub(crate) fn start_another(&self, arguments: &[&str]) -> Self {
        let mut server = Self::start_on(&self.database, arguments);
        assert_eq!(server.token, "", "a database with an organization gets no starter organization");
        self.token.clone_into(&mut server.token);
        server
    }

    /// Waits until a query returns `expected`, as [`Server::sql`] does. Panics after `limit`.
    pub(crate) async fn wait_for_sql(&self, sql: &str, expected: &str, limit: Duration) {
        wait_until(limit, async || {
            let found = self.sql(sql).await;
            if found == expected {
                Ok(())
            } else {
                Err(format!("{sql} returned {found:?} and not {expected:?}"))
            }
        })
        .await;
    }

    /// Runs SQL directly on the database. Returns the first column of the first row, or an empty string without a row.
    pub(crate) async fn sql(&self, sql: &str) -> String {
        if let Some(path) = self.database.strip_prefix("sqlite:") {
            let mut connection = SqliteConnection::connect(path).await.unwrap();
            let row = sqlx::query(sqlx::AssertSqlSafe(sql)).fetch_optional(&mut connection).await.unwrap();
            let text = |row: SqliteRow| row.try_get_unchecked::<String, _>(0).unwrap();
            return row.map(text).unwrap_or_default();
        }
        let (_, name) = self.database.rsplit_once('/').unwrap();
        Cluster::shared().unwrap().sql(name, sql)
    }

    /// Runs a command on the server's database and returns the printed JSON. Panics if the command fails.
    pub(crate) fn manage(&self, arguments: &[&str]) -> Value {
        let output = run(&[&["--database", &self.database()], arguments].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// Runs a command as [`Server::manage`] does, whose arguments have no spaces.
    pub(crate) fn command(&self, command: &str) -> Value {
        self.manage(&command.split(' ').collect::<Vec<_>>())
    }

    /// Creates a token of the starter organization with these scopes.
    pub(crate) fn token_with(&self, scopes: &str) -> String {
        self.command(&format!("token create --organization starter --name t --scopes {scopes}"))["token"]
            .as_str()
            .unwrap()
            .to_owned()
    }

    /// Invites Ada Lovelace, or whoever has the address, by a command. Returns the path of the link.
    pub(crate) fn invite(&self, organization: &str, email: &str, role: &str) -> String {
        let command = ["person", "invite", "--organization", organization, "--role", role, "--email", email];
        let named = ["--name", "Ada Lovelace", "--base-url", &self.url];
        let invited = self.manage(&[&command[..], &named].concat());
        invited["link"].as_str().unwrap().strip_prefix(&self.url).unwrap().to_owned()
    }

    /// Returns a request to this server, without a token.
    pub(crate) fn request(&self, method: &str, path: &str) -> reqwest::RequestBuilder {
        let method = reqwest::Method::from_bytes(method.as_bytes()).unwrap();
        self.client.request(method, format!("{}{path}", self.url))
    }

    /// Sends a request unchanged and checks the answer against the OpenAPI document.
    pub(crate) async fn answer(&self, request: reqwest::RequestBuilder) -> Answer {
        let request = request.build().unwrap();
        let (method, path) = (request.method().to_string(), request.url().path().to_owned());
        let response = self.client.execute(request).await.unwrap();
        let answer = Answer {
            status: response.status().as_u16(),
            headers: response.headers().clone(),
            text: response.text().await.unwrap(),
        };
        assert!(answer.header("x-request-id").is_some(), "{method} {path} has no request id");
        contract::check(&method, &path, &answer);
        answer
    }

    /// Sends a request with the token and, if given, a JSON body.
    pub(crate) async fn send(&self, method: &str, path: &str, body: Option<&Value>) -> Answer {
        let request = self.request(method, path).bearer_auth(&self.token);
        self.answer(match body {
            Some(body) => request.json(body),
            None => request,
        })
        .await
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.send("GET", path, None).await
    }

    pub(crate) async fn get_without_token(&self, path: &str) -> Answer {
        self.answer(self.request("GET", path)).await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Answer {
        self.send("POST", path, Some(body)).await
    }

    pub(crate) async fn patch(&self, path: &str, body: &Value) -> Answer {
        self.send("PATCH", path, Some(body)).await
    }

    /// Sends a JSON body with an idempotency key.
    pub(crate) async fn send_keyed(&self, method: &str, path: &str, key: &str, body: &Value) -> Answer {
        let request = self.request(method, path).bearer_auth(&self.token).header("Idempotency-Key", key);
        self.answer(request.json(body)).await
    }

    /// Requests a page without a token and, if given, with a form. Does not follow redirects.
    pub(crate) async fn browse(&self, method: &str, path: &str, form: Option<&[(&str, &str)]>) -> Answer {
        let request = self.request(method, path);
        self.page_answer(match form {
            Some(form) => request.form(form),
            None => request,
        })
        .await
    }

    /// Sends a request for a page. Pages are not in the OpenAPI document, so only the request id is checked.
    pub(crate) async fn page_answer(&self, request: reqwest::RequestBuilder) -> Answer {
        let response = request.send().await.unwrap();
        let answer = Answer {
            status: response.status().as_u16(),
            headers: response.headers().clone(),
            text: response.text().await.unwrap(),
        };
        assert!(answer.header("x-request-id").is_some(), "a page has no request id");
        answer
    }

    /// Waits until the metrics at this `--metrics-listen` address contain `line`. Panics after 30 seconds.
    pub(crate) async fn wait_for_metric(listen: &str, line: &str) {
        wait_until(Duration::from_secs(30), async || {
            let metrics =
                reqwest::get(format!("http://{listen}/metrics")).await.unwrap().text().await.unwrap();
            let is_found = metrics.lines().any(|found| found == line);
            if is_found { Ok(()) } else { Err(format!("{metrics}\nThe metrics did not contain {line}")) }
        })
        .await;
    }

    /// Returns the peak resident memory of the process, in KiB.
    pub(crate) fn peak_memory_kib(&self) -> i64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.id())).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    }

    /// Creates an event and returns it. Panics if the answer is not 201.
    pub(crate) async fn create(&self, body: &Value) -> Value {
        let answer = self.post("/v1/events", body).await;
        assert_eq!(answer.status, 201, "{}", answer.text);
        answer.data()
    }

    /// Returns the number of events, including drafts. Panics if there are more than 100.
    pub(crate) async fn count_events(&self) -> usize {
        let page = self.get("/v1/events?per_page=100").await.json();
        assert!(page["meta"]["next_cursor"].is_null());
        page["data"].as_array().unwrap().len()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Fails if the process has already exited.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Returns an address of this machine with a free port.
pub(crate) fn free_listen() -> String {
    format!("127.0.0.1:{}", free_port())
}

/// Returns a client that does not follow redirects.
pub(crate) fn client() -> reqwest::Client {
    reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build().unwrap()
}

/// Runs the program until it exits.
pub(crate) fn run(arguments: &[&str]) -> Output {
    Command::new(PROGRAM).args(arguments).output().unwrap()
}

/// Returns the body of a small draft event with the shifts "Early" and "Late".
pub(crate) fn event() -> Value {
    json!({
        "title": "Food drive",
        "start_date": "2027-06-05",
        "timezone": "America/New_York",
        "shifts": [
            {"title": "Late", "start_time": "13:00", "end_time": "17:00", "capacity": 2},
            {"title": "Early", "start_time": "09:00", "end_time": "12:30", "capacity": 4, "location": "Dock 4"},
        ],
    })
}

/// Sends raw bytes on a new connection. Returns the status line of the answer, or an empty string if the server closed
/// the connection without one.
pub(crate) fn raw(url: &str, bytes: &[u8]) -> String {
    let mut stream = std::net::TcpStream::connect(url.trim_start_matches("http://")).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    stream.write_all(bytes).unwrap();
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line).unwrap();
    line.trim_end().to_owned()
}
