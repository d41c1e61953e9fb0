//! A PostgreSQL server for tests and benchmarks, which ends with the process that started it.
//!
//! A shell script creates a database cluster, runs its server, and reads its standard input to the end. The input ends when
//! this process ends, for whatever reason. Then the script stops the server and removes the folder, so a killed test leaves
//! nothing behind.
//!
//! PostgreSQL refuses to run as root. If this process does, the script runs as the user `postgres`. The server listens on
//! 127.0.0.1 only and asks for no password. It does not sync to the disk: a commit survives the end of the server, but not a
//! loss of power.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on fails")]
#![expect(clippy::missing_panics_doc, reason = "a test that cannot go on fails")]

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use tokio::sync::OnceCell;

use crate::{PostgresOptions, PostgresStore};

/// Creates a cluster in a new folder, prints the path of the folder, and removes the folder when standard input ends. The
/// arguments are the folder of the programs, the port, the port of the primary or nothing, and options of the server.
const SCRIPT: &str = r#"
trap '' INT HUP TERM
bin=$1 port=$2 primary=$3
shift 3
folder=$(mktemp -d "${TMPDIR:-/tmp}/signup-postgres-XXXXXX") || exit 1
if [ -z "$primary" ]; then
    "$bin/initdb" -D "$folder/data" -U postgres -A trust -E UTF8 --locale=C --no-sync
else
    "$bin/pg_basebackup" -D "$folder/data" -h 127.0.0.1 -p "$primary" -U postgres -R -c fast --no-sync
fi >"$folder/log" 2>&1
"$bin/postgres" -D "$folder/data" -p "$port" -c listen_addresses=127.0.0.1 -c unix_socket_directories="$folder" \
    -c max_connections=300 -c fsync=off -c full_page_writes=off "$@" >>"$folder/log" 2>&1 &
server=$!
tries=0
until "$bin/pg_isready" -q -h 127.0.0.1 -p "$port"; do
    tries=$((tries + 1))
    if [ $tries -gt 600 ] || ! kill -0 $server 2>/dev/null; then
        cat "$folder/log" >&2
        break
    fi
    sleep 0.05
done
echo "$folder"
read -r _
kill -QUIT $server 2>/dev/null
wait $server
rm -rf "$folder"
"#;

/// A running PostgreSQL server. A drop, or the end of the process, stops the server and removes its files.
#[derive(Debug)]
pub struct Cluster {
    guardian: Child,
    programs: PathBuf,
    folder: PathBuf,
    port: u16,
    databases: AtomicU32,
    template: OnceCell<()>,
}

impl Cluster {
    /// Returns the cluster that the tests of this process share. The first call starts it. Returns `None`, and writes a line to
    /// the standard error, if PostgreSQL is not installed.
    ///
    /// # Panics
    /// If PostgreSQL is not installed and the variable `CI` is `true`.
    pub fn shared() -> Option<&'static Self> {
        static SHARED: OnceLock<Option<Cluster>> = OnceLock::new();
        SHARED.get_or_init(|| Self::start(&[])).as_ref()
    }

    /// Starts a cluster with options of the server, such as `-c` and `name=value`. Otherwise like [`shared`](Self::shared).
    pub fn start(options: &[&str]) -> Option<Self> {
        let programs = installed("PostgreSQL", programs())?;
        Some(Self::run(&programs, None, options))
    }

    /// Starts a standby that follows this server by streaming replication.
    #[must_use]
    pub fn standby(&self, options: &[&str]) -> Self {
        Self::run(&self.programs, Some(self.port), options)
    }

    fn run(programs: &Path, primary: Option<u16>, options: &[&str]) -> Self {
        let port = free_port();
        let primary = primary.map(|port| port.to_string()).unwrap_or_default();
        let mut guardian = as_postgres("sh");
        guardian.args(["-c", SCRIPT, "guardian"]).arg(programs).args([&port.to_string(), &primary]);
        guardian.args(options).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut guardian = guardian.spawn().expect("a shell can be started");
        let mut folder = String::new();
        BufReader::new(guardian.stdout.take().unwrap()).read_line(&mut folder).unwrap();
        assert!(!folder.is_empty(), "PostgreSQL could not be started");
        Self {
            guardian,
            programs: programs.to_owned(),
            folder: folder.trim_end().into(),
            port,
            databases: AtomicU32::new(0),
            template: OnceCell::new(),
        }
    }

    /// Returns the port on 127.0.0.1.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Returns the URL of a database on this server.
    pub fn url(&self, database: &str) -> String {
        format!("postgres://postgres@127.0.0.1:{}/{database}", self.port)
    }

    /// Creates a database without tables. Returns its URL.
    pub fn empty_database(&self) -> String {
        let name = self.next_name();
        self.sql("postgres", &format!("CREATE DATABASE {name}"));
        self.url(&name)
    }

    /// Creates a database with the tables of this version. Returns its URL.
    pub async fn database(&self) -> String {
        self.template
            .get_or_init(|| async {
                self.sql("postgres", "CREATE DATABASE pattern");
                let url = self.url("pattern").parse().unwrap();
                PostgresStore::open(&url, PostgresOptions::default()).await.unwrap().close().await;
            })
            .await;
        let name = self.next_name();
        self.sql("postgres", &format!("CREATE DATABASE {name} TEMPLATE pattern STRATEGY FILE_COPY"));
        self.url(&name)
    }

    fn next_name(&self) -> String {
        format!("database_{}", self.databases.fetch_add(1, Ordering::Relaxed))
    }

    /// Runs SQL in a database. Returns the output of `psql`, without headings.
    pub fn sql(&self, database: &str, sql: &str) -> String {
        let port = self.port.to_string();
        let psql = Command::new(self.programs.join("psql"))
            .args(["-h", "127.0.0.1", "-p", &port, "-U", "postgres", "-d", database])
            .args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", sql])
            .output()
            .unwrap();
        assert!(psql.status.success(), "{sql}: {}", String::from_utf8_lossy(&psql.stderr));
        String::from_utf8(psql.stdout).unwrap().trim_end().to_owned()
    }

    /// Kills the server with its connections at once.
    pub fn kill(&self) {
        let pids = std::fs::read_to_string(self.folder.join("data/postmaster.pid")).unwrap();
        let server = pids.lines().next().unwrap();
        // Without their parent the other processes of the server would end a little later.
        let kill = format!("kill -KILL {server} $(ps -o pid= --ppid {server})");
        assert!(as_postgres("sh").args(["-c", &kill]).status().unwrap().success());
    }

    /// Stops the server, runs `pause`, and starts the server again.
    pub async fn restart(&self, pause: impl Future<Output = ()>) {
        let options = std::fs::read_to_string(self.folder.join("data/postmaster.opts")).unwrap();
        let options = options.trim_end().split_once(' ').map_or("", |(_, options)| options);
        self.control(&["stop", "-m", "immediate"]);
        pause.await;
        self.control(&["start", "-o", options]);
    }

    /// Makes a standby the primary.
    pub fn promote(&self) {
        self.control(&["promote"]);
    }

    /// Runs `pg_ctl` and waits for its end.
    fn control(&self, arguments: &[&str]) {
        let mut control = as_postgres(self.programs.join("pg_ctl").to_str().unwrap());
        control.args(arguments).arg("-w").arg("-D").arg(self.folder.join("data"));
        control.arg("-l").arg(self.folder.join("log")).stdout(Stdio::null());
        assert!(control.status().unwrap().success());
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        // The script ends with its standard input.
        drop(self.guardian.stdin.take());
        drop(self.guardian.wait());
    }
}

/// Returns `found`, which a test needs. Writes a line to the standard error if it is `None`.
///
/// # Panics
/// If `found` is `None` and the variable `CI` is `true`.
pub fn installed<T>(name: &str, found: Option<T>) -> Option<T> {
    if found.is_none() {
        let is_ci = std::env::var("CI").is_ok_and(|value| value == "true");
        assert!(!is_ci, "{name} is not installed, and with CI=true nothing may be skipped");
        // The test harness does not capture this line.
        drop(writeln!(std::io::stderr(), "{name} is not installed: the tests that need it are skipped"));
    }
    found
}

/// Returns the folder of the programs of the newest PostgreSQL that is installed.
fn programs() -> Option<PathBuf> {
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut versions: Vec<_> = versions
        .filter_map(|version| Some((version.file_name().to_str()?.parse::<u32>().ok()?, version.path())))
        .collect();
    versions.sort();
    let debian = versions.into_iter().rev().map(|(_, path)| path.join("bin"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    debian.chain(std::env::split_paths(&path)).find(|folder| folder.join("initdb").exists())
}

/// Returns a command for `program`. Root runs the command as the user `postgres`.
pub fn as_postgres(program: &str) -> Command {
    let is_root = Command::new("id").arg("-u").output().is_ok_and(|id| id.stdout == b"0\n");
    let mut command = Command::new(if is_root { "runuser" } else { program });
    if is_root {
        command.args(["-u", "postgres", "--", program]);
    }
    // Every user can read this folder.
    command.current_dir("/");
    command
}

/// Returns a port on which no process listens.
pub fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}
