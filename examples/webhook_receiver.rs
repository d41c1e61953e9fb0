//! Receives webhooks: verifies each request, and prints the type and the record of what happened.
//!
//! ```sh
//! WEBHOOK_SECRET=whsec_… cargo run -p signup-examples --example webhook_receiver
//! ```
//!
//! `WEBHOOK_SECRET` is the secret from the answer that created the webhook. `WEBHOOK_LISTEN` is the address to listen on, by
//! default `127.0.0.1:9000`.

#![expect(clippy::print_stdout, reason = "an example prints its results")]

use std::env::var;
use std::error::Error;
use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use serde_json::Value;
use standardwebhooks::Webhook;
use warp::Filter as _;
use warp::http::{HeaderMap, StatusCode};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let secret = var("WEBHOOK_SECRET")?;
    if !secret.starts_with("whsec_") || secret.len() < 40 {
        // The library accepts an empty key, which is no secret.
        return Err("WEBHOOK_SECRET is not the secret of a webhook".into());
    }
    let webhook = Arc::new(Webhook::new(&secret)?);
    let address: SocketAddr = var("WEBHOOK_LISTEN").as_deref().unwrap_or("127.0.0.1:9000").parse()?;
    // A body has at most 2 KiB.
    let body = warp::body::content_length_limit(2048).and(warp::body::bytes());
    let request = warp::post().and(warp::header::headers_cloned()).and(body);
    let receive = request.map(move |headers: HeaderMap, body: Bytes| {
        // The signature is over the bytes of the body. JSON that is parsed and written again has other bytes.
        if let Err(error) = webhook.verify(&body, &headers) {
            println!("refused: {error}");
            return StatusCode::BAD_REQUEST;
        }
        let Ok(message) = serde_json::from_slice::<Value>(&body) else { return StatusCode::BAD_REQUEST };
        println!("{} {}", message["type"].as_str().unwrap_or_default(), message["data"]);
        StatusCode::NO_CONTENT
    });
    let server = warp::serve(receive).bind(address).await;
    println!("listening on http://{address}");
    server.run().await;
    Ok(())
}
