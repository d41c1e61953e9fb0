//! Prints all pages of an organization's events, read over HTTP with a token.
//!
//! ```sh
//! SIGNUP_URL=http://127.0.0.1:8080 SIGNUP_TOKEN=signup_… cargo run -p signup-examples --example list_events
//! ```
//!
//! Without both variables, the program starts a server with seven events. One variable alone is an error. Standard error
//! says what the program waits for: the build and the start of the server, or a rate limit.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "an example prints its results")]

use std::env::{VarError, var};
use std::error::Error;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use reqwest::{Client, StatusCode};
use serde_json::{Value, json};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let client = Client::new();
    match (var("SIGNUP_URL"), var("SIGNUP_TOKEN")) {
        (Ok(url), Ok(token)) => walk(&client, &url, &token, 25).await,
        (Err(VarError::NotPresent), Err(VarError::NotPresent)) => {
            let server = Server::start()?;
            let url = format!("{}/v1/events", server.url);
            for title in ["Packing", "Loading", "Driving", "Sorting", "Cooking", "Phone", "Cleaning"] {
                let event = json!({"title": title, "start_date": "2027-03-13", "timezone": "Asia/Tokyo"});
                let request = client.post(&url).bearer_auth(&server.token).json(&event);
                request.send().await?.error_for_status()?;
            }
            walk(&client, &server.url, &server.token, 2).await
        }
        (Err(error), _) => Err(format!("SIGNUP_URL: {error}").into()),
        (_, Err(error)) => Err(format!("SIGNUP_TOKEN: {error}").into()),
    }
}

/// Prints every page. Follows `next_cursor` until the cursor is null; only null means the end.
async fn walk(client: &Client, url: &str, token: &str, per_page: u32) -> Result<(), Box<dyn Error>> {
    let (mut pages, mut events, mut cursor) = (0, 0, Some(String::new()));
    while let Some(at) = cursor {
        let page = page(client, url, token, per_page, &at).await?;
        pages += 1;
        println!("page {pages}");
        for event in page["data"].as_array().ok_or("the page has no data")? {
            events += 1;
            println!("  {} {} ({})", event["start_date"], event["title"], event["timezone"]);
        }
        cursor = page["meta"]["next_cursor"].as_str().map(str::to_owned);
    }
    println!("{events} events on {pages} pages");
    Ok(())
}

/// Requests one page. After a 429, waits for the time in `Retry-After` and retries.
async fn page(
    client: &Client,
    url: &str,
    token: &str,
    per_page: u32,
    cursor: &str,
) -> Result<Value, Box<dyn Error>> {
    loop {
        let request = client.get(format!("{url}/v1/events")).bearer_auth(token);
        let response = request.query(&[("per_page", per_page)]).query(&[("cursor", cursor)]).send().await?;
        if response.status() != StatusCode::TOO_MANY_REQUESTS {
            return Ok(response.error_for_status()?.json().await?);
        }
        let retry_after = response.headers().get("retry-after");
        let wait_s = retry_after.and_then(|value| value.to_str().ok()?.parse().ok()).unwrap_or(60);
        eprintln!("The rate limit is reached. Waiting {wait_s} seconds …");
        tokio::time::sleep(Duration::from_secs(wait_s)).await;
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
        let mut printed_after = |label| -> Result<String, Box<dyn Error>> {
            let line = lines.next().ok_or("the server exited before it listened")??;
            Ok(line.strip_prefix(label).ok_or("the server printed another line")?.to_owned())
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
