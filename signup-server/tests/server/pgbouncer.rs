//! Servers behind PgBouncer in transaction mode.

use std::io::Write as _;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use futures_util::stream::{self, StreamExt as _};
use serde_json::json;
use signup_store_sql::test_cluster::{Cluster, as_postgres, free_port, installed};
use tempfile::TempDir;
use tokio::net::TcpStream;

use crate::harness::{Server, event};
use crate::wait::wait_until;

/// A PgBouncer process in front of a cluster. Dropping this value ends the process.
struct Bouncer {
    process: Child,
    port: u16,
    _folder: TempDir,
}

impl Bouncer {
    /// Starts PgBouncer with fewer server connections than clients, so that the clients share the connections. Returns
    /// `None` if PgBouncer is not installed.
    async fn start(cluster: &Cluster) -> Option<Self> {
        let program = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer"];
        let program = program.into_iter().find(|program| std::path::Path::new(program).exists());
        let program = installed("PgBouncer", program)?;
        let folder = tempfile::tempdir().unwrap();
        let port = free_port();
        let users = folder.path().join("users.txt");
        std::fs::write(&users, "\"postgres\" \"\"\n").unwrap();
        let settings = folder.path().join("pgbouncer.ini");
        let mut file = std::fs::File::create(&settings).unwrap();
        writeln!(
            file,
            "[databases]\n* = host=127.0.0.1 port={}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\n\
             unix_socket_dir =\nauth_type = trust\nauth_file = {}\npool_mode = transaction\ndefault_pool_size = 3\n\
             max_client_conn = 200\nlogfile =\npidfile =",
            cluster.port(),
            users.display(),
        )
        .unwrap();
        // PgBouncer runs as another user, which has to read these files.
        Command::new("chmod").args(["-R", "a+rX"]).arg(folder.path()).status().unwrap();
        let mut command = as_postgres(program);
        let process = command.arg(&settings).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let bouncer = Self { process, port, _folder: folder };
        wait_until(Duration::from_secs(20), async || {
            let connected = TcpStream::connect(("127.0.0.1", port)).await;
            connected.map(drop).map_err(|error| format!("PgBouncer did not listen ({error})"))
        })
        .await;
        Some(bouncer)
    }
}

impl Drop for Bouncer {
    fn drop(&mut self) {
        // On SIGTERM the process also ends its child, which would survive a SIGKILL.
        let id = self.process.id().to_string();
        drop(Command::new("kill").args(["-TERM", &id]).status());
        drop(self.process.wait());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_servers_behind_pgbouncer_work_as_without_it() {
    let Some(cluster) = Cluster::shared() else { return };
    let Some(bouncer) = Bouncer::start(cluster).await else { return };
    let direct = cluster.empty_database();
    let (_, name) = direct.rsplit_once('/').unwrap();
    let url = format!("postgres://postgres@127.0.0.1:{}/{name}", bouncer.port);
    let mut server = Server::start_on(&url, &["--pgbouncer"]);
    server.command("organization create --name Starter --plan pro --pgbouncer");
    let token = ["token", "create", "--organization", "starter", "--name", "t", "--pgbouncer"];
    server.manage(&token)["token"].as_str().unwrap().clone_into(&mut server.token);
    let servers = [server.start_another(&["--pgbouncer"]), server];

    // Many clients share few connections, so consecutive statements may run on different connections. Each server has
    // half of the clients: a commit then waits for at most 31 others and stays within its deadline.
    let works = (0..400).map(|number| {
        let server = &servers[number % 2];
        async move {
            let key = format!("key-{}", number % 100);
            let created = server.send_keyed("POST", "/v1/events", &key, &event()).await;
            assert_eq!(created.status, 201, "{}", created.text);
            let id = created.data()["id"].as_str().unwrap().to_owned();
            let slots = server.get(&format!("/v1/events/{id}/slots")).await;
            assert_eq!(slots.status, 200, "{}", slots.text);
            let slot = slots.data()[0]["id"].as_str().unwrap().to_owned();
            let patched = server.patch(&format!("/v1/slots/{slot}"), &json!({"capacity": number + 1})).await;
            assert_eq!(patched.status, 200, "{}", patched.text);
            let copy = json!({"start_date": "2027-07-03"});
            let copied = server.send_keyed("POST", &format!("/v1/events/{id}/duplicate"), &key, &copy).await;
            assert_eq!(copied.status, 201, "{}", copied.text);
        }
    });
    stream::iter(works).buffer_unordered(32).collect::<()>().await;
    let count = cluster.sql(name, "SELECT count(*) FROM events");
    assert_eq!(count, "200", "each of 100 keys has an event and a copy of it");
}
