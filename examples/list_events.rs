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
mod server;

use std::env::{VarError, var};
use std::error::Error;

use client::{ApiError, Client, NewEvent};
use server::Server;

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
