//! The files of `deploy/` are valid for the programs that read them.

use std::path::{Path, PathBuf};
use std::process::Command;

use signup_store_sql::test_cluster::installed;

use crate::harness::PROGRAM;
use crate::packages::{on_path, python, run};

fn deploy(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy").join(file)
}

#[test]
fn systemd_accepts_the_unit_and_finds_it_hardened() {
    let Some(systemd_analyze) = installed("systemd-analyze", on_path("systemd-analyze")) else { return };
    // The program of a unit has to exist.
    let unit = std::fs::read_to_string(deploy("signup.service")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("signup.service");
    std::fs::write(&file, unit.replace("/usr/local/bin/signup-server", PROGRAM)).unwrap();
    let output = Command::new(&systemd_analyze).args(["verify", "--man=no"]).arg(&file).output().unwrap();
    let complaints = String::from_utf8_lossy(&output.stderr);
    let complaints: Vec<_> = complaints.lines().filter(|line| line.contains("signup.service")).collect();
    assert!(output.status.success() && complaints.is_empty(), "{complaints:?}");
    // systemd calls an exposure of up to 2.0 of 10 "OK", its best grade for a program with network access.
    run(Command::new(&systemd_analyze).args(["security", "--offline=yes", "--threshold=20"]).arg(&file));
}

#[test]
fn caddy_accepts_the_caddyfile() {
    let Some(caddy) = installed("Caddy", on_path("caddy")) else { return };
    run(Command::new(caddy).args(["validate", "--adapter=caddyfile", "--config"]).arg(deploy("Caddyfile")));
}

#[test]
fn the_linter_finds_nothing_in_the_dockerfile() {
    let Some(python) = python() else { return };
    run(Command::new(python.with_file_name("hadolint")).arg(deploy("Dockerfile")));
}

#[test]
fn the_server_knows_each_variable_of_the_environment_file() {
    let help = Command::new(PROGRAM).arg("--help").output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    let file = std::fs::read_to_string(deploy("signup.env")).unwrap();
    let settings = file.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let names: Vec<_> = settings.map(|line| line.split_once('=').unwrap().0).collect();
    assert!(names.contains(&"SIGNUP_BASE_URL"), "{names:?}");
    for name in names {
        assert!(help.contains(&format!("[env: {name}")), "{name}");
    }
}
