//! A typed client of the HTTP API: a module to copy into a program, and to extend with the requests it needs.
//!
//! The module needs the crates `reqwest`, `serde` and `thiserror`. A request waits when the rate limit is reached. Every
//! other refusal is an [`ApiError`].

use std::time::Duration;

use reqwest::{Method, RequestBuilder, Response, StatusCode};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// A client with the token of an organization.
pub(crate) struct Client {
    http: reqwest::Client,
    url: String,
    token: String,
}

/// An event, without the fields that the program does not use.
#[derive(Debug, Deserialize)]
pub(crate) struct Event {
    pub(crate) title: String,
    /// The start of the first day, in UTC.
    pub(crate) start_date: String,
    pub(crate) timezone: String,
    pub(crate) is_published: bool,
    /// When the event was cancelled; `None` while it is not cancelled.
    pub(crate) cancelled_at: Option<String>,
}

/// A new event. The API has more fields, and all others are optional.
#[derive(Debug, Serialize)]
pub(crate) struct NewEvent<'a> {
    pub(crate) title: &'a str,
    pub(crate) start_date: &'a str,
    pub(crate) timezone: &'a str,
    pub(crate) is_published: bool,
}

/// A page of a list.
#[derive(Debug, Deserialize)]
pub(crate) struct Page<T> {
    pub(crate) data: Vec<T>,
    meta: Meta,
}

#[derive(Debug, Deserialize)]
struct Meta {
    next_cursor: Option<String>,
}

impl<T> Page<T> {
    /// Returns the cursor of the next page, or `None` on the last page. A page that is not full can have a next page.
    pub(crate) fn next_cursor(self) -> Option<String> {
        self.meta.next_cursor
    }
}

/// The reason why a request has no result.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ApiError {
    /// The server refused the request.
    #[error("the server answered {status}: {message}")]
    Refused {
        /// The status of the answer.
        status: StatusCode,
        /// The message of the answer, for people.
        message: String,
    },
    /// The server could not be reached, or its answer was not understood.
    #[error(transparent)]
    Transport(#[from] reqwest::Error),
}

/// The envelope of one record.
#[derive(Debug, Deserialize)]
struct Data<T> {
    data: T,
}

/// The body of a refusal. Some refusals have more fields, such as `errors`.
#[derive(Debug, Deserialize)]
struct Refusal {
    message: String,
}

impl Client {
    /// Creates a client of the server at `url`.
    pub(crate) fn new(url: &str, token: &str) -> Self {
        let (url, token) = (url.trim_end_matches('/').to_owned(), token.to_owned());
        Self { http: reqwest::Client::new(), url, token }
    }

    /// Lists events, latest start first. `cursor` is the [cursor](Page::next_cursor) of the page before, or `None` for
    /// the first page.
    pub(crate) async fn events(&self, per_page: u32, cursor: Option<&str>) -> Result<Page<Event>, ApiError> {
        let query = [("per_page", per_page.to_string()), ("cursor", cursor.unwrap_or_default().to_owned())];
        let request = || self.request(Method::GET, "/v1/events").query(&query);
        Ok(answer(request).await?.json().await?)
    }

    /// Creates an event. A retry with the same `key` within 24 hours creates nothing and returns the first event.
    pub(crate) async fn create_event(&self, event: &NewEvent<'_>, key: &str) -> Result<Event, ApiError> {
        let request = || self.request(Method::POST, "/v1/events").header("Idempotency-Key", key).json(event);
        record(request).await
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.http.request(method, format!("{}{path}", self.url)).bearer_auth(&self.token)
    }
}

/// Sends a request whose answer is one record.
async fn record<T: DeserializeOwned>(request: impl Fn() -> RequestBuilder) -> Result<T, ApiError> {
    let answer: Data<T> = answer(request).await?.json().await?;
    Ok(answer.data)
}

/// Sends a request. After a 429, waits for the time in `Retry-After` and sends the request again.
async fn answer(request: impl Fn() -> RequestBuilder) -> Result<Response, ApiError> {
    loop {
        let response = request().send().await?;
        let status = response.status();
        if status.is_success() {
            return Ok(response);
        }
        if status != StatusCode::TOO_MANY_REQUESTS {
            let Refusal { message } = response.json().await?;
            return Err(ApiError::Refused { status, message });
        }
        let retry_after = response.headers().get("retry-after");
        let wait_s = retry_after.and_then(|value| value.to_str().ok()?.parse().ok()).unwrap_or(60);
        eprintln!("The rate limit is reached. Waiting {wait_s} seconds …");
        tokio::time::sleep(Duration::from_secs(wait_s)).await;
    }
}
