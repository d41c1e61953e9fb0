//! PostgreSQL for tests and benchmarks: a cluster of its own, gone with the process that started it.
//!
//! A shell script makes the cluster, runs the server, and waits for the end of its standard input, which comes when this
//! process ends, however that happens. Then it stops the server and removes the folder. So nothing is left behind, not even
//! by a test that was killed.
//!
//! The cluster belongs to the user `postgres` if this process is root's, since PostgreSQL refuses to run as root. It
//! listens on 127.0.0.1 only, trusts whoever connects, and skips syncing to the disk: what a server process of it
//! acknowledged survives that process's death, not the machine's.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "this is for tests: who cannot go on fails")]
#![expect(clippy::missing_panics_doc, reason = "a panic is how a test that cannot go on fails")]

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use tokio::sync::OnceCell;

use crate::{PostgresOptions, PostgresStore};

/// Makes a cluster in a folder of its own (`$1`: programs, `$2`: port, `$3`: port of the primary or nothing, then options),
/// says where it is, and removes it when standard input ends.
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

/// A running PostgreSQL server. It ends, and is removed, when this is dropped or this process ends.
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
    /// The cluster of this process, started when it is first asked for. `None`, and one line that says so, where PostgreSQL
    /// is not installed.
    ///
    /// # Panics
    /// If PostgreSQL is not installed and the variable `CI` is `true`: there, nothing may be skipped.
    pub fn shared() -> Option<&'static Self> {
        static SHARED: OnceLock<Option<Cluster>> = OnceLock::new();
        SHARED.get_or_init(|| Self::start(&[])).as_ref()
    }

    /// A cluster of its own, with more options of the server (as `-c`, `name=value`).
    pub fn start(options: &[&str]) -> Option<Self> {
        let programs = installed("PostgreSQL", programs())?;
        Some(Self::run(&programs, None, options))
    }

    /// A standby that follows this server by streaming.
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

    /// The port on 127.0.0.1.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The URL of a database on this server.
    pub fn url(&self, database: &str) -> String {
        format!("postgres://postgres@127.0.0.1:{}/{database}", self.port)
    }

    /// A new database without tables: its URL.
    pub fn empty_database(&self) -> String {
        let name = self.next_name();
        self.sql("postgres", &format!("CREATE DATABASE {name}"));
        self.url(&name)
    }

    /// A new database with this version's tables: its URL.
    pub async fn database(&self) -> String {
        self.template
            .get_or_init(|| async {
                self.sql("postgres", "CREATE DATABASE pattern");
                let store =
                    PostgresStore::open(&[self.url("pattern").parse().unwrap()], PostgresOptions::default())
                        .await;
                store.unwrap().close().await;
            })
            .await;
        let name = self.next_name();
        self.sql("postgres", &format!("CREATE DATABASE {name} TEMPLATE pattern STRATEGY FILE_COPY"));
        self.url(&name)
    }

    fn next_name(&self) -> String {
        format!("database_{}", self.databases.fetch_add(1, Ordering::Relaxed))
    }

    /// Runs SQL in a database, and gives what it prints, without headings.
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

    /// Ends the server like a loss of power would: at once, and its connections with it.
    pub fn kill(&self) {
        let pids = std::fs::read_to_string(self.folder.join("data/postmaster.pid")).unwrap();
        let server = pids.lines().next().unwrap();
        // The server's own processes first become orphans, which end by themselves; here they end with it.
        let kill = format!("kill -KILL {server} $(ps -o pid= --ppid {server})");
        assert!(as_postgres("sh").args(["-c", &kill]).status().unwrap().success());
    }

    /// Stops the server and lets it start again after `pause` has run.
    pub async fn restart(&self, pause: impl Future<Output = ()>) {
        let control = |what: &[&str]| {
            let log = self.folder.join("log");
            let mut command = as_postgres(self.programs.join("pg_ctl").to_str().unwrap());
            command.arg("-D").arg(self.folder.join("data")).arg("-l").arg(log).args([
                "-w",
                "-m",
                "immediate",
            ]);
            assert!(command.args(what).stdout(Stdio::null()).status().unwrap().success());
        };
        let options = std::fs::read_to_string(self.folder.join("data/postmaster.opts")).unwrap();
        control(&["stop"]);
        pause.await;
        let options = options.trim_end().split_once(' ').map_or("", |(_, options)| options).to_owned();
        control(&["-o", &options, "start"]);
    }

    /// Makes a standby the primary.
    pub fn promote(&self) {
        let mut promote = as_postgres(self.programs.join("pg_ctl").to_str().unwrap());
        promote.args(["promote", "-w", "-D"]).arg(self.folder.join("data")).stdout(Stdio::null());
        assert!(promote.status().unwrap().success());
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        // The end of its standard input ends the guardian.
        drop(self.guardian.stdin.take());
        drop(self.guardian.wait());
    }
}

/// Something that a test needs: what was found of it, or nothing and one line that says so.
///
/// # Panics
/// If it is missing and the variable `CI` is `true`.
pub fn installed<T>(name: &str, found: Option<T>) -> Option<T> {
    if found.is_none() {
        let is_ci = std::env::var("CI").is_ok_and(|value| value == "true");
        assert!(!is_ci, "{name} is not installed, and with CI=true nothing may be skipped");
        // Past the capture of the tests' output: whoever runs them should know.
        drop(writeln!(std::io::stderr(), "{name} is not installed: the tests that need it are skipped"));
    }
    found
}

/// The programs of the newest PostgreSQL that is installed.
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

/// A command that root runs as the user `postgres`.
pub fn as_postgres(program: &str) -> Command {
    let is_root = Command::new("id").arg("-u").output().is_ok_and(|id| id.stdout == b"0\n");
    let mut command = if is_root {
        let mut command = Command::new("runuser");
        command.args(["-u", "postgres", "--", program]);
        command
    } else {
        Command::new(program)
    };
    // A folder that the user may look at.
    command.current_dir("/");
    command
}

/// A port that nobody listens on.
pub fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}
