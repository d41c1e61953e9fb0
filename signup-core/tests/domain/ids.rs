//! Ids sort like the times at which they are generated, so a list by id is a list by time of creation.

use proptest::collection::vec;
use proptest::prelude::*;
use signup_core::{Timestamp, new_uuid};

/// Generates times from 1970 to 9998, in milliseconds. Many are close together.
fn millis() -> impl Strategy<Value = i64> {
    const LAST: i64 = 253_370_764_800_000;
    prop_oneof![0..=LAST, 1_800_000_000_000..1_800_000_000_010_i64]
}

proptest! {
    #[test]
    fn an_id_of_a_later_time_is_greater(mut times in vec(millis(), 2..50)) {
        let mut ids: Vec<_> = times
            .iter()
            .map(|millis| (new_uuid(Timestamp::from_millisecond(*millis).unwrap()), *millis))
            .collect();
        ids.sort_unstable();
        times.sort_unstable();
        prop_assert_eq!(ids.into_iter().map(|(_, millis)| millis).collect::<Vec<_>>(), times);
    }

    #[test]
    fn ids_of_one_time_sort_in_the_order_of_their_generation(millis in millis()) {
        let time = Timestamp::from_millisecond(millis).unwrap();
        let ids: Vec<_> = (0..50).map(|_| new_uuid(time)).collect();
        prop_assert!(ids.is_sorted_by(|one, next| one < next));
    }
}
