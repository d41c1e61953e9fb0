//! The size of stored outcomes.

use rstest::rstest;
use signup_core::conformance::records;
use signup_core::{Entity as _, Outcome, Receipt, ScheduledShift};

use crate::records::Engine::{Postgres, Sqlite};
use crate::records::{Database, Engine, insert, receipt, with};

/// The outcomes of a large event, one for each key, do not fill the disk.
#[rstest]
#[tokio::test]
async fn a_large_outcome_is_stored_in_a_tenth_of_its_size(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some((database, filled)) = Database::filled(engine).await else { return };
    let event = records::event(1, 7);
    let shifts = (0..1000).map(|number| records::shift(&event, number, 5));
    let large = Outcome::Shifts(ScheduledShift::in_running_order(shifts, &event));
    let plain = serde_json::to_string(&large).unwrap().len();
    assert!(plain > 300_000, "{plain}");
    let stored = with(receipt("large", &event), |receipt| receipt.outcome = large);
    database.store.commit(insert([stored.clone()])).await.unwrap();
    assert_eq!(database.store.get::<Receipt>(stored.key()).await.unwrap(), Some(stored));
    let length = async |key: &str| -> usize {
        let sql = format!(
            "SELECT CAST(length(CAST(outcome AS TEXT)) AS TEXT) FROM receipts WHERE idempotency_key = '{key}'"
        );
        database.texts(&sql).await[0].parse().unwrap()
    };
    assert!(length("large").await < plain / 10, "{} of {plain}", length("large").await);
    let small = filled.receipt.key.key.as_str();
    let json = serde_json::to_string(&filled.receipt.outcome).unwrap();
    assert_eq!(length(small).await, json.chars().count(), "a small outcome is stored as it is");
}
