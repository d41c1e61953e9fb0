//! The command line: flags, environment variables, commands, exit codes and signals.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use serde_json::Value;

use rstest::rstest;
use signup_store_sql::test_cluster::Cluster;

use crate::harness::Engine::{Postgres, Sqlite};
use crate::harness::{Engine, PROGRAM, Server, event, run, sqlite};
use crate::mails::SOON;
use crate::pages::{Page, published};
use crate::start::wait_until_listening;
use crate::wait::{wait_for_exit, wait_until};

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Checks for this exit code, one line on standard error that contains `says`, and nothing on standard output.
pub(crate) fn assert_fails(output: &Output, code: i32, says: &str) {
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "{err}");
    assert_eq!(out, "");
    assert_eq!(err.lines().count(), 1, "{err}");
    assert!(err.contains(says), "{err}");
}

#[test]
fn help_does_not_show_the_password_of_the_database() {
    let mut command = Command::new(PROGRAM);
    command.arg("--help").env("SIGNUP_DATABASE", "postgres://a:hidden@127.0.0.1:1/c");
    let output = command.output().unwrap();
    assert!(output.status.success());
    let help = text(&output.stdout);
    assert!(help.contains("SIGNUP_DATABASE") && !help.contains("hidden"), "{help}");
}

#[test]
fn only_a_server_and_a_new_organization_make_a_database_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("signup.db");
    let database = format!("sqlite:{}", path.display());
    for command in [
        "organization list",
        "organization update --organization a --name b",
        "token create --organization a --name b",
        "event show --event a",
        "signup list --event a",
        "notice list",
        "person list --organization a",
        "webhook list --organization a",
    ] {
        let arguments: Vec<_> = command.split(' ').chain(["--database", &database]).collect();
        let output = run(&arguments);
        assert_fails(
            &output,
            1,
            &format!("there is no database {}: check --database, or make", path.display()),
        );
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "{command}");
    }
    let output = run(&["organization", "create", "--name", "A", "--database", &database]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(path.exists());
}

#[test]
fn an_empty_variable_counts_as_not_set() {
    let folder = tempfile::tempdir().unwrap();
    for variable in [
        "SIGNUP_DATABASE",
        "SIGNUP_SMTP",
        "SIGNUP_LISTEN",
        "SIGNUP_TRUSTED_PROXIES",
        "SIGNUP_WEBHOOK_ALLOW",
        "SIGNUP_PGBOUNCER",
    ] {
        let mut command = Command::new(PROGRAM);
        command.args(["organization", "create", "--name", "A"]).env(variable, "").current_dir(folder.path());
        let output = command.output().unwrap();
        assert!(output.status.success(), "{variable}: {}", text(&output.stderr));
    }
    assert!(folder.path().join("signup.db").exists(), "the default of --database");
}

#[test]
fn a_taken_port_is_named_and_leaves_no_file() {
    let (folder, database) = sqlite();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = taken.local_addr().unwrap().to_string();
    for (option, others) in [("--listen", &[][..]), ("--metrics-listen", &["--listen", "127.0.0.1:0"])] {
        let output = run(&[&["--database", &database, option, &taken], others].concat());
        let says =
            format!("Another program uses {taken}. Stop it, or choose another address with {option}\n");
        assert_fails(&output, 1, &says);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "{option}");
    }
}

#[test]
fn a_second_server_on_one_file_is_refused_until_the_first_is_killed() {
    let mut server = Server::start_on_sqlite();
    let output = run(&["--listen", "127.0.0.1:0", "--database", &server.database()]);
    assert_fails(&output, 1, "another server");
    server.kill();
    server.restart();
}

/// The first command runs on an empty database, so it also runs the migrations.
#[rstest]
fn a_command_prints_its_result_and_nothing_else(#[values(Sqlite, Postgres)] engine: Engine) {
    let folder = tempfile::tempdir().unwrap();
    let database = match engine {
        Sqlite => format!("sqlite:{}", folder.path().join("signup.db").display()),
        Postgres => match Cluster::shared() {
            Some(cluster) => cluster.empty_database(),
            None => return,
        },
    };
    let command = |arguments: &str| {
        let mut command = Command::new(PROGRAM);
        command.args(["--database", &database]).args(arguments.split(' ')).env_remove("SIGNUP_LOG");
        command
    };
    for (arguments, lines) in [
        ("organization create --name Riverside", 1),
        ("organization list", 1),
        ("organization plan --organization riverside --plan pro", 1),
        ("token create --organization riverside --name nightly", 1),
        ("token list --organization riverside", 1),
        ("notice list", 0),
        ("webhook list --organization riverside", 0),
        ("signup erase --email ada@example.org --organization riverside", 1),
    ] {
        let output = command(arguments).output().unwrap();
        assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(0), ""), "{arguments}");
        assert_eq!(text(&output.stdout).lines().count(), lines, "{arguments}");
    }
    // At the level `info`, a command logs only on PostgreSQL.
    if engine == Postgres {
        let with_flag = command("organization list --log info").output().unwrap();
        let with_variable = command("organization list").env("SIGNUP_LOG", "info").output().unwrap();
        for output in [with_flag, with_variable] {
            assert!(text(&output.stderr).contains(" INFO "), "{output:?}");
        }
    }
}

/// At this level, a server without `--smtp` logs its mails.
#[test]
fn a_server_logs_at_info_and_warns_that_its_mails_reach_nobody() {
    let mut child = Command::new(PROGRAM)
        .args(["--database", "memory:", "--listen", "127.0.0.1:0"])
        .env_remove("SIGNUP_LOG")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait_until_listening(&mut child);
    let end = Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
    assert!(end.success());
    wait_for_exit(&mut child);
    let log = text(&child.wait_with_output().unwrap().stderr);
    assert!(log.contains(" INFO "), "{log}");
    let warnings: Vec<_> = log.lines().filter(|line| line.contains(" WARN ")).collect();
    assert!(matches!(*warnings, [line] if line.contains("set --smtp before volunteers sign up")), "{log}");
}

#[tokio::test]
async fn without_a_mail_server_a_mail_is_written_to_the_log_and_counts_as_sent() {
    let (folder, database) = sqlite();
    let log = folder.path().join("log");
    let server = Server::start_with_log(&database, &log, &["--log", "info"]);
    let page = Page::create(&server, &published()).await;
    page.signed_up(&server, &page.slot("Early"), "Ada", "ada@example.org").await;
    wait_until(SOON, async || {
        let log = std::fs::read_to_string(&log).unwrap();
        let is_written = log.contains("an email to ada@example.org, only written here")
            && log.contains(&format!("{}/signups/", server.url));
        if is_written { Ok(()) } else { Err(format!("the mail was not written:\n{log}")) }
    })
    .await;
    server
        .wait_for_sql("SELECT CAST(count(*) AS TEXT) FROM notices WHERE due_at IS NOT NULL", "0", SOON)
        .await;
}

#[test]
fn a_flag_overrides_its_environment_variable() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("signup.db");
    let command = |extra: &[&str]| {
        let database = format!("sqlite:{}", path.display());
        Command::new(PROGRAM)
            .env("SIGNUP_DATABASE", database)
            .args(["organization", "create", "--name", "A"])
            .args(extra)
            .output()
            .unwrap()
    };
    assert!(command(&["--database", "memory:"]).status.success());
    assert!(!path.exists());
    assert!(command(&[]).status.success());
    assert!(path.exists());
}

#[rstest]
#[tokio::test]
async fn a_signal_ends_the_server_cleanly_and_keeps_the_data(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some(mut server) = Server::start_with(engine) else { return };
    server.create(&event()).await;
    assert_eq!(server.terminate().code(), Some(0));
    if let Some(file) = server.database().strip_prefix("sqlite:") {
        let log = Path::new(&format!("{file}-wal")).exists();
        assert!(!log, "the file alone holds every commit");
    }
    server.restart();
    assert_eq!(server.count_events().await, 1);
}

fn send_signal(server: &Server, signal: &str) {
    let sent = Command::new("kill").args([signal, &server.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

#[test]
fn an_interrupt_ends_the_server_like_a_termination() {
    let mut server = Server::start(&[]);
    send_signal(&server, "-INT");
    assert_eq!(server.wait().code(), Some(0));
}

/// The signal arrives after the head of the request and before its body.
#[tokio::test]
async fn a_request_in_flight_at_a_signal_is_answered_and_no_connection_is_accepted() {
    let mut server = Server::start_on_sqlite();
    let address = server.url.trim_start_matches("http://").to_owned();
    let mut request = TcpStream::connect(&address).unwrap();
    request.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let mut answer = BufReader::new(request.try_clone().unwrap());
    let mut next_line = || {
        let mut line = String::new();
        answer.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    };
    let body = event().to_string();
    let head = format!(
        "POST /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\nExpect: 100-continue\r\n\r\n",
        server.token,
        body.len()
    );
    request.write_all(head.as_bytes()).unwrap();
    assert_eq!((next_line(), next_line()), ("HTTP/1.1 100 Continue".to_owned(), String::new()));
    send_signal(&server, "-TERM");
    wait_until(SOON, async || match TcpStream::connect(&address) {
        Ok(_) => Err("the server still accepted a connection".to_owned()),
        Err(_) => Ok(()),
    })
    .await;
    request.write_all(body.as_bytes()).unwrap();
    assert_eq!(next_line(), "HTTP/1.1 201 Created");
    assert_eq!(server.wait().code(), Some(0));
    server.restart();
    assert_eq!(server.count_events().await, 1);
}

#[test]
fn an_incomplete_request_does_not_block_the_shutdown() {
    let mut server = Server::start_on_sqlite();
    let mut stream = TcpStream::connect(server.url.trim_start_matches("http://")).unwrap();
    stream.write_all(b"GET /v1/team HTTP/1.1\r\nHost: x\r\n").unwrap();
    let since = std::time::Instant::now();
    assert_eq!(server.terminate().code(), Some(0));
    assert!(since.elapsed().as_secs() < 12, "requests in flight get 10 seconds");
}

#[tokio::test]
async fn the_log_has_the_request_id_and_no_token() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let mut server = Server::start_with_log("memory:", &log, &["--log", "trace", "--log-format", "json"]);
    let token = server.token.clone();
    let answer = server.get(&format!("/v1/{token}?token={token}")).await;
    let id = answer.header("x-request-id").unwrap();
    server.kill();
    let log = std::fs::read_to_string(&log).unwrap();
    assert!(
        log.lines().any(|line| serde_json::from_str::<Value>(line).unwrap()["span"]["id"] == id),
        "{log}"
    );
    assert!(!log.contains(&token["signup_".len()..]), "{log}");
}
