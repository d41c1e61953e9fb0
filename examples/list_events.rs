//! Prints all pages of an organization's events, read over HTTP with a token.
//!
//! ```sh
//! SIGNUP_URL=http://127.0.0.1:8080 SIGNUP_TOKEN=signup_… cargo run -p signup-examples --example list_events
//! ```
//!
//! Without both variables, the program starts a server with seven events. One variable alone is an error. Standard
//! error says what the program waits for: the build and the start of the server, a rate limit, or a server that is not
//! available. The requests are those of the module `client`, which a program can copy.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "an example prints its results")]

mod client;

use std::env::{VarError, var};
use std::error::Error;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use client::{ApiError, Client, NewEvent};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    match (var("SIGNUP_URL"), var("SIGNUP_TOKEN")) {
        (Ok(url), Ok(token)) => print_pages(&Client::new(&url, &token), 25).await?,
        (Err(VarError::NotPresent), Err(VarError::NotPresent)) => {
            let server = Server::start()?;
            let client = Client::new(&server.url, &server.token);
            for title in ["Packing", "Loading", "Driving", "Sorting", "Cooking", "Phone", "Cleaning"] {
                let (start_date, timezone) = ("2027-03-13", "Asia/Tokyo");
                let event = NewEvent { title, start_date, timezone, is_published: false };
                client.create_event(&event, &format!("{title}-{start_date}")).await?;
            }
            print_pages(&client, 2).await?;
        }
        (Err(error), _) => return Err(format!("SIGNUP_URL: {error}").into()),
        (_, Err(error)) => return Err(format!("SIGNUP_TOKEN: {error}").into()),
    }
    Ok(())
}

/// Prints every page. Only a missing cursor means the end.
async fn print_pages(client: &Client, per_page: u32) -> Result<(), ApiError> {
    let (mut pages, mut events, mut cursor) = (0, 0, None);
    loop {
        let page = client.events(per_page, cursor.as_deref()).await?;
        pages += 1;
        events += page.data.len();
        println!("page {pages}");
        for event in &page.data {
            let state = match (&event.cancelled_at, event.is_published) {
                (Some(_), _) => "cancelled",
                (None, true) => "published",
                (None, false) => "draft",
            };
            println!("  {} {} ({}), {state}", event.start_date, event.title, event.timezone);
        }
        cursor = page.next_cursor();
        if cursor.is_none() {
            println!("{events} events on {pages} pages");
            return Ok(());
        }
    }
}

/// A server process on the memory store. Dropping the value kills the process.
struct Server {
    child: Child,
    url: String,
    token: String,
}

impl Server {
    fn start() -> Result<Self, Box<dyn Error>> {
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
