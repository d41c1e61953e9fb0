//! The limit of open files: clients and the store share it, and clients never use up the descriptors of the store.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::time::Duration;

use rlimit::Resource;
use rstest::rstest;

use crate::harness::Engine::{Postgres, Sqlite};
use crate::harness::{Engine, PROGRAM, Server, event, raw};
use crate::start::wait_until_listening;
use crate::wait::{wait_for_exit, wait_until};

const REQUEST: &[u8] = b"GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n";

fn connect(server: &Server) -> TcpStream {
    let stream = TcpStream::connect(server.url.trim_start_matches("http://")).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    stream
}

fn open_files(server: &Server) -> usize {
    std::fs::read_dir(format!("/proc/{}/fd", server.id())).unwrap().count()
}

/// Waits until the server accepts no more connections: at least `least` files are open, and their number stays in five checks.
async fn wait_until_full(server: &Server, least: usize) {
    let (mut before, mut unchanged) = (0, 0);
    wait_until(Duration::from_secs(10), async || {
        let now = open_files(server);
        unchanged = if now >= least && now == before { unchanged + 1 } else { 0 };
        before = now;
        let is_full = unchanged == 5;
        is_full.then_some(()).ok_or_else(|| format!("the open files ({now}) did not reach {least} or stay"))
    })
    .await;
}

/// Returns a command that runs the program with at most `files` open files.
fn limited(files: u32, arguments: &[&str]) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("ulimit -n {files}; exec \"$0\" \"$@\""), PROGRAM]).args(arguments);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

#[rstest]
#[tokio::test]
async fn idle_clients_never_make_the_store_fail(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some(mut first) = Server::start_with(engine) else { return };
    first.kill();
    let mut server = Server::start_limited(&first.database(), "-n 128");
    server.token.clone_from(&first.token);
    // Opens one connection, which stays open. This request does not use the store.
    assert_eq!(server.get_without_token("/health/live").await.status, 200);
    let before = open_files(&server);
    let idle: Vec<_> = (0..100).map(|_| connect(&server)).collect();
    wait_until_full(&server, before + 10).await;
    for _ in 0..20 {
        assert_eq!(server.get("/v1/team").await.status, 200);
        assert_eq!(server.get_without_token("/health/ready").await.status, 200);
        server.create(&event()).await;
    }
    drop(idle);
    assert!(raw(&server.url, REQUEST).starts_with("HTTP/1.1 200"), "new connections are accepted again");
}

#[test]
fn the_soft_limit_of_open_files_is_raised_to_the_hard_one() {
    let server = Server::start_limited("memory:", "-Sn 64");
    let mut streams: Vec<_> = (0..200).map(|_| connect(&server)).collect();
    for (number, stream) in streams.iter_mut().enumerate() {
        stream.write_all(REQUEST).unwrap();
        let mut status = [0; 12];
        let read = stream.read_exact(&mut status);
        read.unwrap_or_else(|error| panic!("{error} on open connection {number}"));
        assert_eq!(&status, b"HTTP/1.1 200");
    }
}

#[test]
fn a_limit_that_leaves_clients_too_few_descriptors_is_refused_at_start() {
    for database in ["memory:", "sqlite:/nowhere/signup.db", "postgres://a:b@127.0.0.1:1/c"] {
        let mut child = limited(36, &["--listen", "127.0.0.1:0", "--database", database]).spawn().unwrap();
        wait_for_exit(&mut child);
        let output = child.wait_with_output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{error}");
        assert!(error.starts_with("36 open files are too few: raise the limit to "), "{error}");
        assert_eq!(error.lines().count(), 1, "{error}");
    }
}

#[test]
fn the_log_says_how_many_connections_fit() {
    let mut child = limited(128, &["--listen", "127.0.0.1:0", "--database", "memory:"]).spawn().unwrap();
    wait_until_listening(&mut child);
    child.kill().unwrap();
    let output = child.wait_with_output().unwrap();
    let log = String::from_utf8(output.stderr).unwrap();
    assert!(log.contains("up to 32 connections at once (open-file limit 128)"), "{log}");
}

#[test]
fn a_server_that_had_no_descriptor_left_accepts_connections_again() {
    let server = Server::start(&[]);
    let id = server.id().try_into().unwrap();
    let (mut soft, mut hard) = (0, 0);
    rlimit::prlimit(id, Resource::NOFILE, None, Some((&mut soft, &mut hard))).unwrap();
    // A lower limit closes no open file.
    rlimit::prlimit(id, Resource::NOFILE, Some((0, hard)), None).unwrap();
    let mut stream = connect(&server);
    stream.write_all(REQUEST).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(1))).unwrap();
    assert!(stream.read(&mut [0]).is_err(), "no descriptor is left for the connection");
    rlimit::prlimit(id, Resource::NOFILE, Some((soft, hard)), None).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    let mut status = [0; 12];
    stream.read_exact(&mut status).unwrap();
    assert_eq!(&status, b"HTTP/1.1 200");
}
