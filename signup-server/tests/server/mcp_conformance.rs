//! The official conformance suite for servers of the Model Context Protocol.
//!
//! The suite tests one version of the protocol in each run. The checks that do not apply to this server are listed in
//! `tests/clients/conformance.yaml`, with the reasons.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::clients::copy_conversation;
use crate::harness::Server;
use crate::packages::CONFORMANCE;

/// The versions that the suite is run with. The suite has few checks for 2025-06-18. The Python client also uses that version.
const VERSIONS: [&str; 3] = ["2025-06-18", "2025-11-25", "2026-07-28"];

/// The checks that do not apply, one on each line.
const NOT_APPLICABLE: &str = "conformance.yaml";

/// Each check that applies to a server with only tools passes. Each check that is listed as not applicable fails.
#[test]
fn the_conformance_suite_passes_in_the_three_newest_versions() {
    let Some(packages) = CONFORMANCE.installed() else { return };
    let server = Server::start(&[]);
    // Node looks for packages in the parent folders of a program.
    let folder = tempfile::tempdir_in(&packages).unwrap();
    copy_conversation(&["add_headers.mjs", NOT_APPLICABLE], folder.path());
    let mut printed = String::new();
    for version in VERSIONS {
        printed += &run_suite(&packages, folder.path(), &server, version);
    }

    // The suite accepts a listed check that it never ran.
    let list = std::fs::read_to_string(folder.path().join(NOT_APPLICABLE)).unwrap();
    let listed = list.lines().filter_map(|line| line.strip_prefix("  - "));
    let unused: Vec<_> =
        listed.filter(|check| !printed.lines().any(|line| line == format!("  ~ {check}"))).collect();
    assert_eq!(unused, [""; 0], "no version has these checks");
}

/// Runs all scenarios of one version. Returns what the suite printed. Panics if a check has another outcome than expected.
fn run_suite(packages: &Path, folder: &Path, server: &Server, version: &str) -> String {
    let programs = packages.join("node_modules/.bin");
    // The suite needs a newer Node than many systems have, so it runs in the one that is installed beside it.
    let mut suite = Command::new(programs.join("node"));
    suite.current_dir(folder).args(["--import", "./add_headers.mjs"]).arg(programs.join("conformance"));
    suite.args(["server", "--suite", "all", "--spec-version", version, "--output-dir", version]);
    suite.args(["--expected-failures", NOT_APPLICABLE, "--url", &format!("{}/mcp", server.url)]);
    suite.env("SIGNUP_URL", &server.url).env("SIGNUP_TOKEN", &server.token);
    let output = suite.output().unwrap();
    let [printed, errors] =
        [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    assert!(
        output.status.success(),
        "{version}: {printed}{errors}\nAll checks without success:\n{}",
        reasons(&folder.join(version))
    );
    printed
}

/// Returns the reasons of the checks that did not pass, one on each line. What the suite prints has only their names.
fn reasons(results: &Path) -> String {
    let scenarios = std::fs::read_dir(results).into_iter().flatten();
    let files =
        scenarios.filter_map(|scenario| std::fs::read(scenario.unwrap().path().join("checks.json")).ok());
    let checks = files.flat_map(|file| serde_json::from_slice::<Vec<Value>>(&file).unwrap());
    let failed = checks.filter(|check| ["FAILURE", "WARNING"].contains(&check["status"].as_str().unwrap()));
    failed.map(|check| format!("{}: {}\n", check["id"], check["errorMessage"])).collect()
}
