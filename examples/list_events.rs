//! Prints all pages of an organization's events, read over HTTP with a token.
//!
//! ```sh
//! SIGNUP_URL=http://127.0.0.1:8080 SIGNUP_TOKEN=signup_… cargo run -p signup-examples --example list_events
//! ```
//!
//! Without these variables it starts a server on the memory store and creates seven events there.

#![expect(clippy::print_stdout, reason = "an example prints its results")]

use std::error::Error;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use reqwest::{Client, StatusCode};
use serde_json::{Value, json};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let client = Client::new();
    match (std::env::var("SIGNUP_URL"), std::env::var("SIGNUP_TOKEN")) {
        (Ok(url), Ok(token)) => walk(&client, &url, &token, 25).await,
        _ => {
            let server = Server::start()?;
            for week in 0..7 {
                let date = format!("2027-03-{:02}", 1 + 4 * week);
                let event = json!({"title": format!("Packing {week}"), "start_date": date, "timezone": "America/New_York"});
                let request = client.post(format!("{}/v1/events", server.url)).bearer_auth(&server.token);
                request.json(&event).send().await?.error_for_status()?;
            }
            walk(&client, &server.url, &server.token, 2).await
        }
    }
}

/// Prints every page. Follows `next_cursor` until it is null; only null means the end.
async fn walk(client: &Client, url: &str, token: &str, per_page: u32) -> Result<(), Box<dyn Error>> {
    let (mut pages, mut events, mut cursor) = (0, 0, String::new());
    loop {
        let page = page(client, url, token, per_page, &cursor).await?;
        pages += 1;
        println!("page {pages}");
        for event in page["data"].as_array().ok_or("the page has no data")? {
            events += 1;
            println!("  {} {} ({})", event["start_date"], event["title"], event["timezone"]);
        }
        match page["meta"]["next_cursor"].as_str() {
            Some(next) => next.clone_into(&mut cursor),
            None => break,
        }
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
        let query = [("per_page", per_page.to_string()), ("cursor", cursor.to_owned())];
        let response = request.query(&query).send().await?;
        if response.status() != StatusCode::TOO_MANY_REQUESTS {
            return Ok(response.error_for_status()?.json().await?);
        }
        let seconds =
            response.headers().get("retry-after").and_then(|value| value.to_str().ok()?.parse().ok());
        tokio::time::sleep(Duration::from_secs(seconds.unwrap_or(60))).await;
    }
}

/// A server process on the memory store. Dropping this value kills the process.
struct Server {
    child: Child,
    url: String,
    token: String,
}

impl Server {
    fn start() -> Result<Self, Box<dyn Error>> {
        // Uses the server program of the same build, if there is one, and `cargo run` otherwise.
        let example = std::env::current_exe()?;
        let built = example.ancestors().nth(2).map(|folder| folder.join("signup-server"));
        let mut command = match built.filter(|built| built.exists()) {
            Some(built) => Command::new(built),
            None => {
                let mut cargo = Command::new(env!("CARGO"));
                cargo.args(["run", "-q", "-p", "signup-server", "--"]);
                cargo
            }
        };
        let mut child = command
            .args(["--database", "memory:", "--listen", "127.0.0.1:0", "--log", "warn"])
            .stdout(Stdio::piped())
            .spawn()?;
        let out = child.stdout.take().ok_or("the server has no standard output")?;
        let mut server = Self { child, url: String::new(), token: String::new() };
        for line in BufReader::new(out).lines() {
            let line = line?;
            if let Some(token) = line.strip_prefix("token: ") {
                token.clone_into(&mut server.token);
            }
            if let Some(url) = line.strip_prefix("listening on ") {
                url.clone_into(&mut server.url);
                return Ok(server);
            }
        }
        Err("the server exited before it listened".into())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Fails if the process has already exited.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
