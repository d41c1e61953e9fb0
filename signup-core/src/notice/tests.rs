//! Tests of notices: their backoff.

use super::*;

#[test]
fn backoffs_double_from_30_seconds_to_an_hour_and_end_within_a_day() {
    let backoffs: Vec<_> = (1..).map_while(backoff).map(|backoff| backoff.as_secs()).collect();
    assert_eq!(backoffs[..9], [30, 60, 120, 240, 480, 960, 1920, 3600, 3600]);
    let waited: i64 = backoffs.iter().sum();
    assert!((23 * 3600..=24 * 3600).contains(&waited), "{waited}");
    assert!(backoffs.is_sorted());
}
