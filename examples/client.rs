//! A typed client of the HTTP API: a module to copy into a program, and to extend with the requests it needs.
//!
//! The module needs the crates `reqwest`, `serde`, `thiserror` and `tokio`, and for a server with TLS the feature `rustls` of
//! `reqwest`. A request waits when the rate limit is reached, and is retried when the server is not available or its answer is
//! lost. Every other refusal is an [`ApiError`].

use std::collections::BTreeMap;
use std::time::Duration;

use reqwest::{Method, RequestBuilder, Response, StatusCode};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The maximum number of retries after a 503 or a lost answer.
const RETRIES: u32 = 3;
/// How long a request waits for its answer.
const TIMEOUT: Duration = Duration::from_secs(60);

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
    #[error("the server answered {status}: {message}{}", details(.error.as_deref(), .errors))]
    Refused {
        /// The status of the answer.
        status: StatusCode,
        /// The message of the answer, for people.
        message: String,
        /// The code of the refusal, for programs: `event_cancelled`, for example. Most refusals have none.
        error: Option<String>,
        /// The messages about each field that has a fault, such as `shifts.0.title`.
        errors: BTreeMap<String, Vec<String>>,
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

/// The body of a refusal. Only `message` is always present.
#[derive(Debug, Default, Deserialize)]
struct Refusal {
    message: String,
    error: Option<String>,
    #[serde(default)]
    errors: BTreeMap<String, Vec<String>>,
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
        self.send(Method::POST, "/v1/events", event, Some(key)).await
    }

    /// Sends a body, and returns the record or the records of the answer. Without a `key`, a retry may apply the write twice.
    pub(crate) async fn send<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        body: &impl Serialize,
        key: Option<&str>,
    ) -> Result<T, ApiError> {
        let request = || {
            let request = self.request(method.clone(), path).json(body);
            match key {
                Some(key) => request.header("Idempotency-Key", key),
                None => request,
            }
        };
        record(request).await
    }

    /// Begins a request for a path.
    pub(crate) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.http.request(method, format!("{}{path}", self.url)).bearer_auth(&self.token).timeout(TIMEOUT)
    }
}

/// Sends a request whose answer has one record, or a list of which the first page is enough.
pub(crate) async fn record<T: DeserializeOwned>(request: impl Fn() -> RequestBuilder) -> Result<T, ApiError> {
    let answer: Data<T> = answer(request).await?.json().await?;
    Ok(answer.data)
}

/// Sends a request. After a 429 or a 503, waits for the time in `Retry-After` and sends the request again. After a 503 or
/// a lost answer, sends it at most [`RETRIES`] more times.
///
/// After these two it is unknown whether a write was applied. `request` has an idempotency key if it creates a record, so a
/// retry creates no second one.
async fn answer(request: impl Fn() -> RequestBuilder) -> Result<Response, ApiError> {
    let mut retries = 0;
    loop {
        let response = match request().send().await {
            Ok(response) => response,
            Err(error) if retries < RETRIES => {
                retries += 1;
                eprintln!("{error}. Waiting {retries} seconds …");
                tokio::time::sleep(Duration::from_secs(retries.into())).await;
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        let status = response.status();
        if status.is_success() {
            return Ok(response);
        }
        let default_wait_s = match status {
            StatusCode::TOO_MANY_REQUESTS => 60,
            StatusCode::SERVICE_UNAVAILABLE if retries < RETRIES => {
                retries += 1;
                1
            }
            _ => return Err(refused(response).await),
        };
        let retry_after = response.headers().get("retry-after");
        let wait_s =
            retry_after.and_then(|value| value.to_str().ok()?.parse().ok()).unwrap_or(default_wait_s);
        eprintln!("The server answered {status}. Waiting {wait_s} seconds …");
        tokio::time::sleep(Duration::from_secs(wait_s)).await;
    }
}

/// Returns the refusal in a response. A body that is not JSON, such as a proxy's, leaves the status.
async fn refused(response: Response) -> ApiError {
    let status = response.status();
    let unread = |error: reqwest::Error| Refusal { message: error.to_string(), ..Refusal::default() };
    let Refusal { message, error, errors } = response.json().await.unwrap_or_else(unread);
    ApiError::Refused { status, message, error, errors }
}

/// Returns the code of a refusal and the messages about each field, for a log.
fn details(error: Option<&str>, errors: &BTreeMap<String, Vec<String>>) -> String {
    let mut details = error.map(|code| format!(" ({code})")).unwrap_or_default();
    for (field, messages) in errors {
        details.push_str(&format!("; {field}: {}", messages.join(" ")));
    }
    details
}
