//! A webhook with a [`Receiver`], and the comparison of what it received with the list of activity.

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use serde_json::{Value, json};

use crate::activity::all_activity;
use crate::harness::Server;
use crate::lives::id;
use crate::receiver::Receiver;

/// A webhook of the server's organization.
pub(crate) struct Subscription {
    receiver: Receiver,
    types: Vec<&'static str>,
    /// The ids of the activity before the webhook, which is not delivered to it.
    before: HashSet<String>,
}

impl Subscription {
    /// Creates a webhook that receives these types.
    pub(crate) async fn create(server: &Server, receiver: Receiver, types: &[&'static str]) -> Self {
        let webhook = json!({"url": receiver.url(), "types": types});
        let answer = server.post("/v1/webhooks", &webhook).await;
        assert_eq!(answer.status, 201, "{}", answer.text);
        let before = all_activity(server).await.iter().map(|activity| id(activity).to_owned()).collect();
        Self { receiver, types: types.to_vec(), before }
    }

    fn selects(&self, activity: &Value) -> bool {
        let kind = activity["type"].as_str().unwrap();
        let is_of_group =
            |filter: &str| filter.strip_suffix('*').is_some_and(|group| kind.starts_with(group));
        !self.before.contains(id(activity))
            && self.types.iter().any(|filter| *filter == kind || is_of_group(filter))
    }

    /// Checks that each activity that the webhook selects arrived, and nothing else. `activity` is the whole list.
    ///
    /// All requests with one activity have the same `webhook-id` and the same body, and the record in the body is the
    /// record in the list. Returns the number of activities and the number of requests.
    pub(crate) fn check(&self, activity: &[Value]) -> (usize, usize) {
        let selected: BTreeMap<_, _> = activity
            .iter()
            .filter(|activity| self.selects(activity))
            .map(|found| (id(found), found))
            .collect();
        let received = self.receiver.received();
        // The `webhook-id` and the body of each activity.
        let mut arrived = BTreeMap::new();
        for request in &received {
            let body = request.json();
            let record = id(&body["data"]).to_owned();
            let Some(listed) = selected.get(record.as_str()) else {
                panic!("{:?} received what was not committed or not selected: {body}", self.types)
            };
            let expected = json!({"type": listed["type"], "timestamp": listed["created_at"], "data": listed});
            assert_eq!(body, expected);
            let attempt = (request.header("webhook-id").to_owned(), request.body.clone());
            let first = arrived.entry(record).or_insert_with(|| attempt.clone());
            assert_eq!(first, &attempt, "an attempt differs from the first");
        }
        let lost: Vec<_> = selected.keys().filter(|id| !arrived.contains_key(**id)).collect();
        assert!(lost.is_empty(), "{:?} did not receive {lost:?}", self.types);
        let ids: HashSet<_> = arrived.values().map(|(id, _)| id).collect();
        assert_eq!(ids.len(), arrived.len(), "each activity has a webhook-id of its own");
        (selected.len(), received.len())
    }
}

/// Waits until no delivery is pending. Panics after `limit`, or if a delivery has failed for good.
pub(crate) async fn wait_until_delivered(server: &Server, limit: Duration) {
    let count = |what| format!("SELECT CAST(count(*) AS TEXT) FROM deliveries WHERE status = '{what}'");
    server.wait_for_sql(&count("pending"), "0", limit).await;
    assert_eq!(server.sql(&count("failed")).await, "0");
}
