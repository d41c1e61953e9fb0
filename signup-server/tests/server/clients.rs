//! Clients that generators make from the OpenAPI description, and a linter for the description.
//!
//! Each client has one conversation with a server. The sources of the conversations are in `tests/clients`. The
//! compiler of TypeScript and mypy check them, so they also show the types that the generators make of the description.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::harness::Server;
use crate::packages::{REDOCLY, TYPESCRIPT, python, run};

/// Copies the files of a conversation into a folder.
pub(crate) fn copy_conversation(files: &[&str], folder: &Path) {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients");
    for file in files {
        std::fs::copy(sources.join(file), folder.join(file)).unwrap();
    }
}

/// Writes the description that the server returns into a folder. Returns the path of the file.
async fn write_description(server: &Server, folder: &Path) -> PathBuf {
    let file = folder.join("openapi.json");
    std::fs::write(&file, server.get_without_token("/openapi.json").await.text).unwrap();
    file
}

#[tokio::test]
async fn a_generated_typescript_client_compiles_and_talks_to_the_server() {
    let Some(packages) = TYPESCRIPT.installed() else { return };
    let server = Server::start(&[]);
    // Node looks for packages in the parent folders of a program.
    let folder = tempfile::tempdir_in(&packages).unwrap();
    let description = write_description(&server, folder.path()).await;
    copy_conversation(&["conversation.mts", "tsconfig.json"], folder.path());
    let command = |program: &str| {
        let mut command = Command::new(packages.join("node_modules/.bin").join(program));
        command.current_dir(&folder);
        command
    };
    run(command("openapi-typescript").arg(description).args(["--output", "api.d.ts"]));
    run(command("tsc").args(["--project", "."]));
    let mut conversation = Command::new("node");
    conversation.arg(folder.path().join("conversation.mjs"));
    run(conversation.env("SIGNUP_URL", &server.url).env("SIGNUP_TOKEN", &server.token));
}

#[tokio::test]
async fn a_generated_python_client_passes_its_type_check_and_talks_to_the_server() {
    let Some(python) = python() else { return };
    let server = Server::start(&[]);
    let folder = tempfile::tempdir().unwrap();
    let description = write_description(&server, folder.path()).await;
    copy_conversation(&["conversation.py", "openapi-python-client.yaml"], folder.path());
    let module = |name: &str| {
        let mut command = Command::new(&python);
        command.current_dir(&folder).args(["-m", name]);
        command
    };
    let mut generator = module("openapi_python_client");
    generator.args([
        "generate",
        "--meta",
        "none",
        "--config",
        "openapi-python-client.yaml",
        "--fail-on-warning",
    ]);
    run(generator.args(["--output-path", "signup_client", "--path"]).arg(description));
    run(module("mypy").args(["--strict", "conversation.py"]));
    let mut conversation = Command::new(&python);
    conversation.current_dir(&folder).arg("conversation.py");
    run(conversation.env("SIGNUP_URL", &server.url).env("SIGNUP_TOKEN", &server.token));
}

/// The recommended rules of the linter find neither an error nor a warning.
#[test]
fn a_linter_finds_nothing_in_the_description() {
    let Some(packages) = REDOCLY.installed() else { return };
    let description = Path::new(env!("CARGO_MANIFEST_DIR")).join("openapi.yaml");
    let mut linter = Command::new(packages.join("node_modules/.bin/redocly"));
    linter.args(["lint", "--extends", "recommended", "--format", "json"]).arg(description);
    // The program must neither report its use nor look for a new version.
    linter.env("REDOCLY_TELEMETRY", "off").env("REDOCLY_SUPPRESS_UPDATE_NOTICE", "true");
    let output = linter.output().unwrap();
    let found: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"));
    assert_eq!(found["problems"], json!([]));
}
