//! The suite that every store passes: one function for each promise of [`Store`](crate::Store).
//!
//! A store calls [`conformance_tests!`](crate::conformance_tests) once in its tests, so a promise that is added here is
//! tested for every store. Each test gets a fresh store. [`model`] runs random operations against two stores and
//! compares every answer.

#![expect(clippy::unwrap_used, reason = "this is test code in a library: a panic is a failed promise")]
#![expect(clippy::missing_panics_doc, reason = "every function panics if its promise does not hold")]

pub mod contention;
pub mod fence;
pub mod lists;
pub mod model;
pub mod notices;
pub mod receipts;
pub mod records;
pub mod requirements;
pub mod round_trip;

/// Defines a test for each promise.
///
/// The argument is an async closure. It returns a fresh store as `Arc<dyn Store>` with a guard that is dropped after
/// the test, or `None` if the store is not available; the test then passes without a check.
///
/// ```ignore
/// signup_core::conformance_tests!(async || Some((Arc::new(MyStore::new()) as Arc<dyn Store>, ())));
/// ```
#[macro_export]
macro_rules! conformance_tests {
    ($fresh:expr) => {
        $crate::conformance_tests! { @each $fresh;
            contention::simultaneous_sign_ups_never_pass_the_capacity
            contention::simultaneous_creates_never_pass_the_limit
            contention::one_of_many_simultaneous_uses_of_a_key_takes_effect
            contention::one_of_many_simultaneous_edits_of_a_version_succeeds
            contention::filled_equals_the_confirmed_sign_ups_after_simultaneous_changes
            contention::one_of_many_simultaneous_first_organizations_is_created
            fence::no_read_sees_another_organizations_records
            fence::no_write_reaches_another_organizations_records
            lists::events_come_latest_start_first_then_by_descending_id
            lists::a_walk_shows_each_event_once_under_inserts
            lists::a_walk_back_shows_the_same_pages
            lists::a_page_has_positions_exactly_where_the_list_continues
            lists::the_filter_is_exact
            lists::shifts_come_in_running_order
            lists::five_hundred_shifts_are_created_at_once
            lists::organizations_and_signups_and_notices_are_listed_by_id
            lists::the_confirmed_sign_ups_of_a_shift_are_listed_by_id
            lists::the_sign_ups_of_an_address_are_found_in_any_case
            notices::due_notices_are_listed_by_due_time
            notices::a_due_time_after_the_latest_is_due
            notices::failed_notices_are_listed_and_counted_separately
            notices::a_stale_version_of_a_notice_is_refused
            notices::one_of_many_simultaneous_claims_of_a_notice_succeeds
            notices::a_changed_shift_is_fanned_out_once
            receipts::a_receipt_is_found_while_it_is_live
            receipts::a_new_receipt_replaces_an_expired_one
            receipts::keys_differ_by_token_operation_and_case
            receipts::a_purge_removes_only_expired_receipts
            requirements::a_refused_change_leaves_no_trace
            requirements::the_first_requirement_that_fails_is_the_refusal
            requirements::requirements_without_writes_are_checked
            requirements::a_slug_is_free_or_taken
            requirements::a_stale_version_of_a_shift_is_refused
            requirements::an_active_event_counts_until_its_end
            requirements::a_shift_has_room_or_is_full
            requirements::an_address_is_compared_without_case
            requirements::a_signup_is_cancelled_once
            requirements::a_secret_is_renewed_once
            requirements::erasing_a_sign_up_removes_its_notices_and_frees_its_place
            requirements::questions_are_counted
            requirements::an_edit_keeps_filled_position_and_creation_time
            requirements::a_revoked_token_keeps_its_first_time
            requirements::a_change_of_the_plan_is_stored
            round_trip::every_field_comes_back_as_it_was
            round_trip::null_fields_come_back_null
            round_trip::unusual_texts_and_numbers_come_back
            round_trip::every_double_comes_back_exactly
            round_trip::unusual_dates_and_zones_come_back
            round_trip::the_deepest_location_data_comes_back
            round_trip::values_accepted_by_an_earlier_version_come_back
            round_trip::a_missing_record_is_none
        }
    };
    (@each $fresh:expr; $($module:ident::$promise:ident)*) => {$(
        #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        async fn $promise() {
            let Some((store, _guard)) = ($fresh)().await else { return };
            $crate::conformance::$module::$promise(store).await;
        }
    )*};
}
