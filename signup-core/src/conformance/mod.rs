//! The suite that every store passes: one function for each promise of [`Store`](crate::Store).
//!
//! A store's own tests are one call of [`conformance_tests!`](crate::conformance_tests): a promise that is added here
//! reaches every store by itself. Each test gets a fresh store. [`model`] drives random operations through two stores and
//! compares every answer.

#![expect(
    clippy::unwrap_used,
    reason = "this is test code, though it stands in a library: a panic is a failed promise"
)]
#![expect(clippy::missing_panics_doc, reason = "a panic is how a promise fails")]

pub mod contention;
pub mod fence;
pub mod lists;
pub mod model;
pub mod notices;
pub mod receipts;
pub mod records;
pub mod requirements;
pub mod round_trip;

/// Makes a test of each promise. The argument is an async closure that gives a fresh store as `Arc<dyn Store>`, and
/// whatever has to live as long as it; or `None` where there is no such store, which then is not tested.
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
            contention::of_simultaneous_uses_of_a_key_one_takes_effect
            contention::of_two_edits_of_one_version_one_wins
            contention::filled_is_the_confirmed_sign_ups_whatever_runs_at_once
            contention::only_one_first_organization_is_made
            fence::no_read_sees_another_organizations_records
            fence::no_write_reaches_another_organizations_records
            lists::events_come_latest_start_first_then_by_descending_id
            lists::a_walk_shows_each_event_once_under_inserts
            lists::a_walk_back_shows_the_same_pages
            lists::a_page_knows_whether_the_list_goes_on
            lists::the_filter_is_exact
            lists::shifts_come_in_running_order
            lists::five_hundred_shifts_are_created_at_once
            lists::organizations_and_signups_and_notices_are_listed_by_id
            lists::the_confirmed_sign_ups_of_a_shift_are_listed_by_id
            lists::the_sign_ups_of_an_address_are_found_without_regard_to_case
            notices::due_notices_come_in_the_order_in_which_they_are_due
            notices::a_due_time_beyond_the_latest_is_due
            notices::a_notice_that_has_failed_is_kept_apart
            notices::a_notice_is_at_its_version_or_has_changed
            notices::of_simultaneous_takes_of_a_notice_one_succeeds
            notices::a_notice_is_spread_once
            receipts::a_receipt_is_found_while_it_is_live
            receipts::an_expired_receipt_gives_way
            receipts::keys_are_apart_by_token_and_operation
            receipts::a_purge_removes_what_has_expired_and_nothing_else
            requirements::a_refused_change_leaves_no_trace
            requirements::the_first_requirement_that_fails_is_the_refusal
            requirements::requirements_alone_are_checked
            requirements::a_slug_is_free_or_taken
            requirements::a_version_is_present_or_outdated
            requirements::an_active_event_counts_until_its_end
            requirements::a_shift_has_room_or_is_full
            requirements::an_address_is_compared_without_case
            requirements::a_signup_is_cancelled_once
            requirements::a_secret_is_renewed_once
            requirements::an_erased_sign_up_leaves_nothing_but_a_free_place
            requirements::questions_are_counted
            requirements::an_edit_writes_no_count_and_no_owner
            requirements::a_revoked_token_keeps_its_time
            requirements::another_plan_is_kept
            round_trip::every_field_comes_back_as_it_was
            round_trip::what_is_null_comes_back_null
            round_trip::hard_texts_and_numbers_come_back
            round_trip::every_double_comes_back_exactly
            round_trip::hard_dates_and_zones_come_back
            round_trip::the_deepest_location_data_comes_back
            round_trip::what_an_earlier_version_accepted_comes_back
            round_trip::what_is_not_there_is_none
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
