//! Counting requests in PostgreSQL, many in one statement.
//!
//! While a statement is under way, the requests that come wait for the next one, which counts all of them: so a busy process
//! asks as often as the database answers, and no more. Each request still gets a number of its own, and a limit holds over
//! all processes, because the statement says how many there were after it.
//!
//! **Invariant:** rows are locked in the order of their keys, whoever counts.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

use jiff::Timestamp;
use serde_json::json;
use signup_core::{Caller, OrganizationId, StoreError, Window};
use tokio::sync::{mpsc, oneshot};
use uuid::Uuid;

use crate::primary::{Primary, Purpose};
use crate::sql::{Dialect, Sql, Value};

const WHAT: &str = "counting requests";
/// The most requests that one statement counts.
const MOST_AT_ONCE: usize = 256;
/// How many may wait; who comes later waits for a place.
const MOST_WAITING: usize = 4096;

/// Hands requests to the one who counts. That one ends with the last of these.
#[derive(Debug, Clone)]
pub(crate) struct Counter(mpsc::Sender<Request>);

#[derive(Debug)]
struct Request {
    row: (Uuid, String),
    second: i64,
    counted: oneshot::Sender<Result<Window, StoreError>>,
}

/// The requests of one caller that are counted together, in the order in which they came.
#[derive(Debug)]
struct Requests {
    /// The latest of their times.
    second: i64,
    counted: Vec<oneshot::Sender<Result<Window, StoreError>>>,
}

impl Counter {
    /// Begins to count.
    pub(crate) fn start(primary: Primary) -> Self {
        let (sender, mut waiting) = mpsc::channel(MOST_WAITING);
        // It ends with the last sender; nobody has to wait for it.
        drop(tokio::spawn(async move {
            let mut requests = vec![];
            while waiting.recv_many(&mut requests, MOST_AT_ONCE).await > 0 {
                count_all(&primary, requests.drain(..)).await;
            }
        }));
        Self(sender)
    }

    /// Counts one request; gives the caller's window with its number.
    pub(crate) async fn count(&self, caller: Caller, now: Timestamp) -> Result<Window, StoreError> {
        let row = match caller {
            Caller::Token(organization, token) => (organization.uuid(), token.to_string()),
            Caller::Address(address) => (OrganizationId::NONE.uuid(), address.to_string()),
            Caller::Visitor(address) => (OrganizationId::NONE.uuid(), format!("visitor {address}")),
        };
        let (counted, window) = oneshot::channel();
        let ended = || StoreError::unavailable(WHAT, "the one who counts has ended");
        self.0.send(Request { row, second: now.as_second(), counted }).await.map_err(|_| ended())?;
        window.await.map_err(|_| ended())?
    }
}

async fn count_all(primary: &Primary, requests: impl Iterator<Item = Request>) {
    let mut rows: BTreeMap<(Uuid, String), Requests> = BTreeMap::new();
    for Request { row, second, counted } in requests {
        match rows.entry(row) {
            Entry::Vacant(entry) => {
                entry.insert(Requests { second, counted: vec![counted] });
            }
            Entry::Occupied(mut entry) => {
                let requests = entry.get_mut();
                requests.second = requests.second.max(second);
                requests.counted.push(counted);
            }
        }
    }
    match windows(primary, &rows).await {
        Ok(mut windows) => {
            for (row, Requests { counted, .. }) in rows {
                let Some(window) = windows.remove(&row) else { continue };
                answer(window, counted);
            }
        }
        Err(error) => {
            let error = Arc::new(error);
            for counted in rows.into_values().flat_map(|requests| requests.counted) {
                // Who has gone away needs no answer.
                drop(counted.send(Err(StoreError::unavailable(WHAT, Arc::clone(&error)))));
            }
        }
    }
}

/// Gives each request its number: the last one that of the window, those before it the ones below.
fn answer(window: Window, counted: Vec<oneshot::Sender<Result<Window, StoreError>>>) {
    for (above, counted) in counted.into_iter().rev().enumerate() {
        let above = u32::try_from(above).unwrap_or(u32::MAX);
        // Who has gone away needs no answer.
        drop(counted.send(Ok(Window { requests: window.requests.saturating_sub(above), ..window })));
    }
}

/// Counts in one statement and one round trip; gives the windows after that.
async fn windows(
    primary: &Primary,
    rows: &BTreeMap<(Uuid, String), Requests>,
) -> Result<BTreeMap<(Uuid, String), Window>, StoreError> {
    let asked: Vec<_> = rows
        .iter()
        .map(|((organization, caller), requests)| {
            json!([organization.to_string(), caller, requests.second, requests.counted.len()])
        })
        .collect();
    let asked = serde_json::Value::Array(asked).to_string();
    let sql = if primary.is_behind_pgbouncer() {
        // Without parameters the statement and the transaction around it are one round trip. Ids, addresses and numbers can
        // stand in a text as they are.
        Sql::of(Dialect::Postgres, &text(&format!("CAST('{asked}' AS jsonb)")), vec![])
    } else {
        Sql::of(Dialect::Postgres, &text("$1"), vec![Value::Json(Some(asked))])
    };
    let row: Option<[String; 1]> = primary.one(Purpose::Count, WHAT, sql).await?;
    let [counted] = row.ok_or_else(|| StoreError::failed(WHAT, "the statement gave no row"))?;
    let counted: Vec<(Uuid, String, i64, u32)> =
        serde_json::from_str(&counted).map_err(|error| StoreError::failed(WHAT, error))?;
    counted
        .into_iter()
        .map(|(organization, caller, opened_at, requests)| {
            let opened_at = Timestamp::from_second(opened_at);
            let opened_at = opened_at.map_err(|error| StoreError::failed(WHAT, error))?;
            Ok(((organization, caller), Window { opened_at, requests }))
        })
        .collect()
}

fn text(asked: &str) -> String {
    let is_open = format!("abs(excluded.opened_at - w.opened_at) < {}", signup_core::allowance::WINDOW_S);
    format!(
        "WITH counted AS (INSERT INTO windows AS w (organization_id, caller, opened_at, requests) \
         SELECT CAST(value->>0 AS uuid), value->>1, CAST(value->>2 AS bigint), CAST(value->>3 AS integer) \
         FROM jsonb_array_elements({asked}) ORDER BY CAST(value->>0 AS uuid), (value->>1) COLLATE \"C\" \
         ON CONFLICT (organization_id, caller) DO UPDATE SET \
         requests = CASE WHEN {is_open} THEN w.requests ELSE 0 END + excluded.requests, \
         opened_at = CASE WHEN {is_open} THEN w.opened_at ELSE excluded.opened_at END \
         RETURNING w.organization_id, w.caller, w.opened_at, w.requests) \
         SELECT CAST(json_agg(json_build_array(organization_id, caller, opened_at, requests)) AS TEXT) FROM counted"
    )
}
