//! A server for an example that is run without one.

use std::error::Error;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

/// A server process on the memory store. Dropping the value kills the process.
pub(crate) struct Server {
    child: Child,
    pub(crate) url: String,
    pub(crate) token: String,
}

impl Server {
    /// Starts the server, and waits until it listens.
    pub(crate) fn start() -> Result<Self, Box<dyn Error>> {
        // Runs the server program in the target folder of this example. If the program is missing, cargo builds it.
        let example = std::env::current_exe()?;
        let built = example.ancestors().nth(2).map(|folder| folder.join("signup-server"));
        let mut command = if let Some(built) = built.filter(|built| built.exists()) {
            Command::new(built)
        } else {
            eprintln!("Building the server, which takes some minutes …");
            let mut cargo = Command::new(env!("CARGO"));
            cargo.args(["run", "-p", "signup-server", "--"]);
            cargo
        };
        eprintln!("Waiting for the server to listen …");
        let mut child = command
            .args(["--database", "memory:", "--listen", "127.0.0.1:0", "--log", "warn"])
            .stdout(Stdio::piped())
            .spawn()?;
        let out = child.stdout.take().ok_or("the server has no standard output")?;
        let mut server = Self { child, url: String::new(), token: String::new() };
        let mut lines = BufReader::new(out).lines();
        // Skips the other lines, such as the link of the first owner.
        let mut printed_after = |label: &str| -> Result<String, Box<dyn Error>> {
            loop {
                let line = lines.next().ok_or("the server exited before it listened")??;
                if let Some(value) = line.strip_prefix(label) {
                    return Ok(value.to_owned());
                }
            }
        };
        server.token = printed_after("token: ")?;
        server.url = printed_after("listening on ")?;
        Ok(server)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Killing fails if the process has already exited.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
