//! Receivers of webhooks with real deliveries: the commands and the programs of the README, and the library of npm.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use rstest::rstest;
use serde_json::{Value, json};
use signup_store_sql::test_cluster::{free_port, installed};

use crate::harness::Server;
use crate::mails::SOON;
use crate::packages::{WEBHOOKS, on_path, python, run, target};
use crate::receiver::{ALLOW, Receiver};
use crate::wait::wait_until;

/// Returns the code blocks of a language in the section "Receiving webhooks" of the README.
fn blocks(language: &str) -> Vec<&'static str> {
    let readme = include_str!("../../README.md");
    let section = readme.split("\n## ").find(|section| section.starts_with("Receiving webhooks\n")).unwrap();
    let opening = format!("\n```{language}\n");
    section.split(&opening).skip(1).map(|block| block.split("\n```").next().unwrap()).collect()
}

/// Runs commands of the README in a shell, in `folder`. Returns what each prints, which is JSON.
fn shell(commands: &str, folder: &Path) -> Vec<Value> {
    let output = Command::new("bash").args(["-c", commands]).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{commands}\n{}", String::from_utf8_lossy(&output.stderr));
    let printed = String::from_utf8(output.stdout).unwrap();
    printed.lines().filter(|line| !line.is_empty()).map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// A receiver of the README.
#[derive(Debug, Clone, Copy)]
enum Program {
    Rust,
    Python,
}

impl Program {
    /// Returns the command that starts the receiver. Returns `None` if a program is missing that the receiver needs.
    fn command(self, port: u16, folder: &Path) -> Option<Command> {
        match self {
            Self::Rust => {
                let mut command = Command::new(rust_receiver());
                command.env("WEBHOOK_LISTEN", format!("127.0.0.1:{port}"));
                Some(command)
            }
            Self::Python => {
                let [program] = blocks("python")[..] else { panic!("the README has one program in Python") };
                let file = folder.join("receiver.py");
                std::fs::write(&file, program.replace("9000", &port.to_string())).unwrap();
                let mut command = Command::new(python()?);
                command.arg(file);
                Some(command)
            }
        }
    }
}

/// Returns the program of the example. `cargo test --workspace` builds the examples. If the program is missing, cargo builds
/// it.
fn rust_receiver() -> PathBuf {
    let name = "webhook_receiver";
    let program = target().join("debug/examples").join(name);
    if !program.exists() {
        run(Command::new(env!("CARGO")).args(["build", "-p", "signup-examples", "--example", name]));
    }
    program
}

/// A running receiver of the README. Dropping this value kills the process.
pub(crate) struct Running {
    child: Child,
    url: String,
    /// The file that has the standard output.
    output: PathBuf,
}

impl Running {
    pub(crate) async fn start(mut command: Command, port: u16, secret: &str, folder: &Path) -> Self {
        let output = folder.join("output");
        command.env("WEBHOOK_SECRET", secret).stdout(File::create(&output).unwrap()).stderr(Stdio::null());
        let child = command.spawn().unwrap();
        let running = Self { child, url: format!("http://127.0.0.1:{port}/"), output };
        wait_until(SOON, async || {
            running.forge().await.map_err(|error| format!("the receiver did not answer: {error}"))
        })
        .await;
        running
    }

    /// Sends a request with a false signature. Panics if the receiver does not refuse it.
    async fn forge(&self) -> reqwest::Result<()> {
        let request = reqwest::Client::new().post(&self.url).header("webhook-id", "1");
        let request = request.header("webhook-timestamp", "1").header("webhook-signature", "v1,AAAA");
        let answer = request.body(r#"{"type": "forged", "data": {}}"#).send().await?;
        assert_eq!(answer.status(), 400, "the receiver does not verify");
        Ok(())
    }

    /// Waits until the receiver has printed `count` records of a type, and returns them.
    async fn printed(&self, kind: &str, count: usize) -> Vec<Value> {
        wait_until(SOON, async || {
            let output = std::fs::read_to_string(&self.output).unwrap();
            let records = output.lines().filter_map(|line| line.strip_prefix(kind)?.strip_prefix(' '));
            let records: Vec<_> = records.filter_map(|record| serde_json::from_str(record).ok()).collect();
            assert!(!output.contains("forged"), "{output}");
            if records.len() >= count { Ok(records) } else { Err(format!("no {count} {kind} in {output:?}")) }
        })
        .await
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Fails if the process has already exited.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

#[rstest]
#[tokio::test]
async fn the_commands_of_the_readme_make_its_receivers_print_verified_deliveries(
    #[values(Program::Rust, Program::Python)] program: Program,
) {
    let (port, folder) = (free_port(), tempfile::tempdir().unwrap());
    let Some(command) = program.command(port, folder.path()) else { return };
    if installed("curl", on_path("curl")).is_none() {
        return;
    }
    let [start, create, run_example, send, manage] = blocks("sh")[..] else {
        panic!("the README has 5 blocks")
    };
    assert!(start.ends_with(&ALLOW.join(" ")), "{start}");
    assert!(run_example.contains("-p signup-examples --example webhook_receiver"), "{run_example}");
    let server = Server::start(&ALLOW);
    let create = create.replace("signup_…", &server.token).replace("http://127.0.0.1:8080", &server.url);
    let create = create.replace("127.0.0.1:9000", &format!("127.0.0.1:{port}"));
    let created = shell(&create, folder.path());
    let (webhook, secret) = (&created[0]["data"], created[0]["data"]["secret"].as_str().unwrap());
    let receiver = Running::start(command, port, secret, folder.path()).await;

    // Only the first command of the block creates something; the others set variables.
    let (variables, _) = create.split_once("\nask \"$API/webhooks\"").unwrap();
    let id = webhook["id"].as_str().unwrap();
    let variables = format!("{variables}\nWEBHOOK={id}\n");
    let sent = shell(&format!("{variables}{send}"), folder.path());
    let tests = receiver.printed("webhook.test", 1).await;
    let created = receiver.printed("event.created", 1).await;
    assert_eq!(tests[0]["type"], "webhook.test");
    assert_eq!(created[0], server.get("/v1/activity?type=event.created").await.data()[0]);
    let deliveries = format!("/v1/webhooks/{id}/deliveries");
    wait_until(SOON, async || {
        let pending = server.get(&format!("{deliveries}?state=pending")).await.data();
        if pending == json!([]) { Ok(()) } else { Err(format!("pending: {pending}")) }
    })
    .await;

    let delivery = sent[0]["data"]["id"].as_str().unwrap();
    let managed = shell(&format!("{variables}DELIVERY={delivery}\n{manage}"), folder.path());
    let [listed, redelivered, rotated] = &managed[..] else { panic!("{managed:?}") };
    assert_eq!(listed["data"].as_array().unwrap().len(), 2, "{listed}");
    assert_eq!(redelivered["data"]["id"], delivery);
    assert_ne!(rotated["data"]["secret"], secret);
    assert_eq!(receiver.printed("webhook.test", 2).await[1], tests[0]);
    // The receiver still has the old secret.
    assert_eq!(server.send("POST", &format!("/v1/webhooks/{id}/test"), None).await.status, 201);
    receiver.printed("webhook.test", 3).await;
}

#[tokio::test]
async fn the_library_of_npm_verifies_a_delivery_with_the_new_secret_and_with_the_old_one() {
    let Some(packages) = WEBHOOKS.installed() else { return };
    let server = Server::start(&ALLOW);
    let receiver = Receiver::start();
    let created = server.post("/v1/webhooks", &json!({"url": receiver.url()})).await.data();
    let path = format!("/v1/webhooks/{}", created["id"].as_str().unwrap());
    let rotated = server.send("POST", &format!("{path}/rotate_secret"), None).await.data();
    assert_eq!(server.send("POST", &format!("{path}/test"), None).await.status, 201);
    let delivery = receiver.wait_for(1, SOON).await.remove(0);

    // Node looks for packages in the parent folders of a program.
    let folder = tempfile::tempdir_in(&packages).unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients/verify_webhook.mjs");
    let program = folder.path().join("verify_webhook.mjs");
    std::fs::copy(source, &program).unwrap();
    let headers: serde_json::Map<_, _> = ["webhook-id", "webhook-timestamp", "webhook-signature"]
        .into_iter()
        .map(|name| (name.to_owned(), json!(delivery.header(name))))
        .collect();
    for secret in [&rotated["secret"], &created["secret"]] {
        let input = folder.path().join("input.json");
        let text = json!({"secret": secret, "headers": headers, "body": delivery.body}).to_string();
        std::fs::write(&input, text).unwrap();
        run(Command::new("node").arg(&program).stdin(File::open(&input).unwrap()));
    }
}
