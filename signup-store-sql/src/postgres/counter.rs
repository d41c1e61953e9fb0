//! Counts requests in PostgreSQL, many in one statement.
//!
//! While a statement runs, the requests that arrive wait for the next one. So a busy process sends one statement per round
//! trip. The statement returns each caller's total over all processes, so a limit holds for all processes together, and each
//! request gets a number of its own.
//!
//! **Invariant:** every statement locks the rows of `windows` in the order of their keys.

use std::collections::HashMap;

use jiff::Timestamp;
use serde_json::json;
use signup_core::{OrganizationId, RateKey, StoreError, Window};
use uuid::Uuid;

use super::connections::{Connections, Purpose};
use crate::sql::queue::{self, RequestQueue};
use crate::sql::{Dialect, Statement, values};

const WHAT: &str = "counting requests";
/// The most requests that one statement counts.
const BATCH: usize = 256;

/// Counts requests in batches. Clones share the queue.
#[derive(Debug, Clone)]
pub(crate) struct Counter(RequestQueue<Request, Result<Window, StoreError>>);

/// The key of a window in its table.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct WindowKey {
    organization: Uuid,
    /// The name of the caller in the organization.
    caller: String,
}

#[derive(Debug)]
struct Request {
    key: WindowKey,
    /// How many requests the call counts.
    number: u32,
    /// The time of the request, in Unix seconds.
    second: i64,
    /// The length of the caller's windows, in seconds.
    length_s: i64,
}

impl Counter {
    /// Starts the task that counts, which ends when the last handle is dropped.
    pub(crate) fn new(connections: Connections) -> Self {
        let (queue, mut requests) = RequestQueue::new(WHAT, connections.max_wait());
        drop(tokio::spawn(async move {
            let mut batch = vec![];
            while requests.recv_many(&mut batch, BATCH).await > 0 {
                count(&connections, std::mem::take(&mut batch)).await;
            }
        }));
        Self(queue)
    }

    /// Counts requests. Returns the caller's window, whose `requests` is the number of the last of them.
    ///
    /// # Errors
    /// Returns an unavailable error if the request is not counted within [`Connections::max_wait`].
    pub(crate) async fn count(
        &self,
        caller: RateKey,
        number: u32,
        now: Timestamp,
    ) -> Result<Window, StoreError> {
        let nowhere = OrganizationId::NONE.uuid();
        let (organization, name) = match caller {
            RateKey::Caller(organization, caller) => (organization.uuid(), caller.to_string()),
            RateKey::Address(address) => (nowhere, address.to_string()),
            RateKey::Visitor(address) => (nowhere, format!("visitor {address}")),
            RateKey::SignIn(address) => (nowhere, format!("sign-in {address}")),
            RateKey::CodesFrom(address, email) => (nowhere, format!("codes {email} {address}")),
            RateKey::Codes(email) => (nowhere, format!("codes {email}")),
            RateKey::Confirmations(sign_in) => (nowhere, format!("confirmations {sign_in}")),
        };
        let key = WindowKey { organization, caller: name };
        let request = Request { key, number, second: now.as_second(), length_s: caller.window_s() };
        self.0.submit(request).await?
    }
}

/// Counts a batch in one statement, and answers each of its requests.
async fn count(connections: &Connections, mut batch: Vec<Waiting>) {
    batch.retain(|waiting| !waiting.is_abandoned());
    if batch.is_empty() {
        return;
    }
    // Brings the requests of each caller together. The sort is stable, so these stay in the order of their arrival.
    batch.sort_by(|one, other| one.request.key.cmp(&other.request.key));
    let mut counted = windows(connections, &batch).await;
    // A caller's window has the number of the caller's last request. The call before has as many less as the call counts.
    for waiting in batch.into_iter().rev() {
        let answer = match &mut counted {
            Ok(windows) => match windows.get_mut(&waiting.request.key) {
                Some(window) => {
                    let answer = *window;
                    window.requests = window.requests.saturating_sub(waiting.request.number);
                    Ok(answer)
                }
                None => Err(StoreError::failed(STATEMENT, "the statement returned no window")),
            },
            Err(error) => Err(error.clone()),
        };
        waiting.answer(answer);
    }
}

type Waiting = queue::Waiting<Request, Result<Window, StoreError>>;

const STATEMENT: &str = "adding requests to their windows";

/// Counts a batch, sorted by key, in one statement and one round trip. Returns each caller's window after the batch.
async fn windows(
    connections: &Connections,
    batch: &[Waiting],
) -> Result<HashMap<WindowKey, Window>, StoreError> {
    let requests: Vec<_> = batch.iter().map(|waiting| &waiting.request).collect();
    let added: Vec<_> = requests
        .chunk_by(|one, other| one.key == other.key)
        .map(|requests| {
            let WindowKey { organization, caller } = &requests[0].key;
            let latest = requests.iter().map(|request| request.second).max();
            let number: u32 = requests.iter().map(|request| request.number).sum();
            json!([organization.to_string(), caller, latest, number, requests[0].length_s])
        })
        .collect();
    let added = serde_json::Value::Array(added).to_string();
    let sql = Statement::of(Dialect::Postgres, &text(), values![added]);
    let [rows] = connections.only_row(Purpose::COUNT, STATEMENT, sql).await?;
    let rows: Vec<(Uuid, String, i64, u32)> =
        serde_json::from_str(&rows).map_err(|error| StoreError::failed(STATEMENT, error))?;
    rows.into_iter()
        .map(|(organization, caller, opened_at, requests)| {
            let opened_at = Timestamp::from_second(opened_at);
            let opened_at = opened_at.map_err(|error| StoreError::failed(STATEMENT, error))?;
            Ok((WindowKey { organization, caller }, Window { opened_at, requests }))
        })
        .collect()
}

/// Returns the statement for rows of organization, caller, second, number of requests and length of the window.
fn text() -> String {
    const IS_OPEN: &str = "abs(excluded.opened_at - w.opened_at) < excluded.ends_at - excluded.opened_at";
    format!(
        "WITH counted AS (INSERT INTO windows AS w (organization_id, caller, opened_at, ends_at, requests) \
         SELECT CAST(value->>0 AS uuid), value->>1, CAST(value->>2 AS bigint), \
         CAST(value->>2 AS bigint) + CAST(value->>4 AS bigint), CAST(value->>3 AS integer) \
         FROM jsonb_array_elements(CAST($1 AS jsonb)) ORDER BY CAST(value->>0 AS uuid), (value->>1) COLLATE \"C\" \
         ON CONFLICT (organization_id, caller) DO UPDATE SET \
         requests = CASE WHEN {IS_OPEN} THEN w.requests ELSE 0 END + excluded.requests, \
         opened_at = CASE WHEN {IS_OPEN} THEN w.opened_at ELSE excluded.opened_at END, \
         ends_at = CASE WHEN {IS_OPEN} THEN w.ends_at ELSE excluded.ends_at END \
         RETURNING w.organization_id, w.caller, w.opened_at, w.requests) \
         SELECT CAST(json_agg(json_build_array(organization_id, caller, opened_at, requests)) AS TEXT) FROM counted"
    )
}
