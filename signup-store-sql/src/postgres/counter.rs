//! Counting requests in PostgreSQL, many in one statement.
//!
//! While a statement is under way, the requests that come wait for the next one, which counts all of them: so a busy process
//! asks as often as the database answers, and no more. Each request still gets a number of its own, and a limit holds over
//! all processes, because the statement says how many there were after it.
//!
//! When the database cannot be reached, all who wait are told so together, and not each batch after a wait of its own. Who
//! has waited too long is told so, and not counted any more.
//!
//! **Invariant:** rows are locked in the order of their keys, whoever counts.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use serde_json::json;
use signup_core::{OrganizationId, RateKey, StoreError, Window};
use tokio::sync::{mpsc, oneshot};
use uuid::Uuid;

use super::error::for_one_of_many;
use super::primary::{Primary, Purpose};
use crate::sql::{Dialect, Sql, Value};

const WHAT: &str = "counting requests";
/// The most requests that one statement counts.
const MOST_AT_ONCE: usize = 256;
/// How many may wait; who comes later waits for a place.
const MOST_WAITING: usize = 4096;

/// Hands requests to the one who counts. That one ends with the last of these.
#[derive(Debug, Clone)]
pub(crate) struct Counter {
    requests: mpsc::Sender<Request>,
    patience: Duration,
}

/// What a caller's row is found by: the organization, and the caller's name in it.
type Key = (Uuid, String);

type Answer = oneshot::Sender<Result<Window, StoreError>>;

#[derive(Debug)]
struct Request {
    key: Key,
    second: i64,
    answer: Answer,
}

/// The requests of one caller that one statement counts.
#[derive(Debug)]
struct Group {
    /// The latest of their times.
    second: i64,
    /// In the order in which they came.
    answers: Vec<Answer>,
}

impl Counter {
    /// Begins to count.
    pub(crate) fn start(primary: Primary) -> Self {
        let (sender, mut waiting) = mpsc::channel(MOST_WAITING);
        let patience = primary.patience();
        // It ends with the last sender; nobody has to wait for it.
        drop(tokio::spawn(async move {
            let mut requests = vec![];
            while waiting.recv_many(&mut requests, MOST_AT_ONCE).await > 0 {
                let Err(error) = count_all(&primary, requests.drain(..)).await else { continue };
                // The next statement would fare no better.
                for _ in 0..waiting.len() {
                    let Ok(request) = waiting.try_recv() else { break };
                    tell(request.answer, Err(for_one_of_many("counting a request", &error)));
                }
            }
        }));
        Self { requests: sender, patience }
    }

    /// Counts one request; gives the caller's window with its number.
    pub(crate) async fn count(&self, caller: RateKey, now: Timestamp) -> Result<Window, StoreError> {
        let key = match caller {
            RateKey::Token(organization, token) => (organization.uuid(), token.to_string()),
            RateKey::Address(address) => (OrganizationId::NONE.uuid(), address.to_string()),
            RateKey::Visitor(address) => (OrganizationId::NONE.uuid(), format!("visitor {address}")),
        };
        let counted = async {
            let (answer, window) = oneshot::channel();
            let request = Request { key, second: now.as_second(), answer };
            self.requests.send(request).await.map_err(|_| ended())?;
            window.await.map_err(|_| ended())?
        };
        let too_long = || StoreError::unavailable(WHAT, "it takes too long, or those before it do");
        tokio::time::timeout(self.patience, counted).await.map_err(|_| too_long())?
    }

    /// Whether anybody counts.
    pub(crate) fn check(&self) -> Result<(), StoreError> {
        if self.requests.is_closed() { Err(ended()) } else { Ok(()) }
    }
}

fn ended() -> StoreError {
    StoreError::unavailable(WHAT, "the one who counts has ended")
}

/// Counts the requests whose callers are still there, and answers each. Fails if the database is out of reach: then those
/// who wait should know.
async fn count_all(
    primary: &Primary,
    requests: impl Iterator<Item = Request>,
) -> Result<(), Arc<StoreError>> {
    let mut groups: BTreeMap<Key, Group> = BTreeMap::new();
    for Request { key, second, answer } in requests.filter(|request| !request.answer.is_closed()) {
        let group = groups.entry(key).or_insert(Group { second, answers: vec![] });
        group.second = group.second.max(second);
        group.answers.push(answer);
    }
    if groups.is_empty() {
        return Ok(());
    }
    match windows(primary, &groups).await {
        Ok(mut windows) => {
            for (key, Group { answers, .. }) in groups {
                match windows.remove(&key) {
                    Some(window) => number(window, answers),
                    None => answers.into_iter().for_each(|answer| tell(answer, Err(not_counted()))),
                }
            }
            Ok(())
        }
        Err(error) => {
            let error = Arc::new(error);
            for answer in groups.into_values().flat_map(|group| group.answers) {
                tell(answer, Err(for_one_of_many("counting a request", &error)));
            }
            if error.is_unavailable() { Err(error) } else { Ok(()) }
        }
    }
}

/// Gives each request its number: the last one that of the window, those before it the ones below.
fn number(window: Window, answers: Vec<Answer>) {
    for (above, answer) in answers.into_iter().rev().enumerate() {
        let above = u32::try_from(above).unwrap_or(u32::MAX);
        tell(answer, Ok(Window { requests: window.requests.saturating_sub(above), ..window }));
    }
}

fn not_counted() -> StoreError {
    StoreError::failed(WHAT, "the statement gave no window")
}

/// Who has gone away needs no answer.
fn tell(answer: Answer, counted: Result<Window, StoreError>) {
    drop(answer.send(counted));
}

/// Counts in one statement and one round trip; gives the windows after that.
async fn windows(
    primary: &Primary,
    groups: &BTreeMap<Key, Group>,
) -> Result<BTreeMap<Key, Window>, StoreError> {
    let asked: Vec<_> = groups
        .iter()
        .map(|((organization, caller), group)| {
            json!([organization.to_string(), caller, group.second, group.answers.len()])
        })
        .collect();
    let asked = serde_json::Value::Array(asked).to_string();
    let sql = if primary.is_behind_pgbouncer() {
        // Without parameters the statement and the transaction around it are one round trip. Ids, addresses and numbers can
        // stand in a text as they are.
        Sql::of(Dialect::Postgres, &text(&format!("CAST('{asked}' AS jsonb)")), vec![])
    } else {
        Sql::of(Dialect::Postgres, &text("$1"), vec![Value::Rows(asked)])
    };
    let row: Option<[String; 1]> = primary.one(Purpose::Count, WHAT, sql).await?;
    let [rows] = row.ok_or_else(|| StoreError::failed(WHAT, "the statement gave no row"))?;
    let rows: Vec<(Uuid, String, i64, u32)> =
        serde_json::from_str(&rows).map_err(|error| StoreError::failed(WHAT, error))?;
    rows.into_iter()
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
