//! The suite that every store passes: one function for each promise of [`Store`], and two tests with random inputs.
//!
//! A test file of the store calls [`conformance_tests!`](crate::conformance_tests) once. The macro defines a test for
//! each promise, so a promise that is added here is tested for every store. Each test gets a fresh store. The random
//! tests compare the store with a reference, the store of `signup-store-memory`. The model test runs random operations
//! against both, and compares every answer. The test of [`serializability`] commits random change sets at the same time.
//! It finds an order in which the reference gives the same outcomes and ends with the same records. The [races] run a
//! call of a handle in each of two processes at once.
//!
//! The package of the store needs two dev-dependencies:
//!
//! ```toml
//! [dev-dependencies]
//! signup-core = { path = "signup/signup-core", features = ["conformance"] }
//! signup-store-memory = { path = "signup/signup-store-memory" }
//! ```
//!
//! The file `tests/conformance.rs` then has these lines:
//!
//! ```
//! use std::sync::Arc;
//!
//! use signup_core::Store;
//! use signup_store_memory::MemoryStore;
//! # use signup_store_memory::MemoryStore as MyStore;
//!
//! async fn fresh() -> Option<(Arc<dyn Store>, ())> {
//!     Some((Arc::new(MyStore::new()), ()))
//! }
//!
//! signup_core::conformance_tests!(fresh, reference: MemoryStore::new);
//! # fn main() {
//! #     use signup_core::conformance;
//! #     conformance::test(fresh, conformance::round_trip::every_field_comes_back_as_it_was);
//! #     conformance::model::check(file!(), fresh, MemoryStore::new);
//! #     conformance::serializability::check(file!(), fresh, MemoryStore::new);
//! # }
//! ```
//!
//! The lines can also be in a module of the store's own crate, below `#[cfg(test)]`, if the store is not public.
//!
//! The second value of the pair is a guard, which is dropped after the test. For a store on disk, the guard is the
//! temporary folder. Return `None` if the store is not available, for example if its database is not installed. The
//! test then passes without a check.
//!
//! Each test runs on a multi-threaded tokio runtime of its own. The model test runs 100 lists of operations, and the test of
//! serializability runs 200 lists of change sets. The environment variable `PROPTEST_CASES` sets another number for both.
//! Each of the two tests prints the shortest list that fails, and saves the seed of that list beside the test file. Each
//! of them calls its function once for each list. If a store is slow to create, pass a cheaper function as `model`, for
//! example one that empties the store:
//!
//! ```
//! # use std::sync::Arc;
//! # use signup_core::Store;
//! # use signup_store_memory::MemoryStore;
//! # async fn fresh() -> Option<(Arc<dyn Store>, ())> {
//! #     Some((Arc::new(MemoryStore::new()), ()))
//! # }
//! # async fn emptied() -> Option<(Arc<dyn Store>, ())> {
//! #     fresh().await
//! # }
//! signup_core::conformance_tests!(fresh, reference: MemoryStore::new, model: emptied);
//! ```
//!
//! [`records`] creates the records of the tests. Use its functions in further tests of the store.

#![expect(clippy::unwrap_used, reason = "this is test code in a library: a panic is a failed promise")]
#![expect(clippy::missing_panics_doc, reason = "every function panics if its promise does not hold")]

use std::sync::Arc;

use proptest::strategy::Strategy;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use tokio::runtime::{Builder, Runtime};

use crate::store::Store;

pub mod activity_lists;
pub mod cancellations;
pub mod contention;
pub mod counter;
pub mod deletion;
pub mod deliveries;
pub mod event_lists;
pub(crate) mod family;
pub mod fence;
pub mod lists;
pub mod lookups;
pub mod model;
pub mod notices;
mod pages;
pub mod people;
pub mod purge;
pub mod puts;
pub mod races;
mod random;
pub mod receipts;
pub mod records;
pub mod requirements;
pub mod round_trip;
pub mod serializability;
pub mod signup_lists;
pub mod snapshots;
pub mod totals;
pub mod uniques;
pub mod volunteers;
pub mod waiting_lists;

/// Runs one promise on a store of `fresh`. Does nothing if `fresh` returns `None`.
pub fn test<Guard>(
    fresh: impl AsyncFnOnce() -> Option<(Arc<dyn Store>, Guard)>,
    promise: impl AsyncFnOnce(Arc<dyn Store>),
) {
    runtime().block_on(async {
        let Some((store, _guard)) = fresh().await else { return };
        promise(store).await;
    });
}

/// Runs a property on `cases` random inputs, or as many as `PROPTEST_CASES` says, each on a store of `fresh`. Shrinks an
/// input that fails, and saves its seed beside the file `source`.
fn check_property<Input: Strategy, Guard>(
    source: &'static str,
    cases: u32,
    inputs: &Input,
    fresh: impl AsyncFn() -> Option<(Arc<dyn Store>, Guard)>,
    property: impl AsyncFn(Arc<dyn Store>, Input::Value) -> Result<(), String>,
) {
    let runtime = runtime();
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(cases);
    let config = Config { cases, max_shrink_iters: 200, ..Config::with_source_file(source) };
    let case = |input| {
        runtime.block_on(async {
            let Some((store, _guard)) = fresh().await else { return Ok(()) };
            property(store, input).await.map_err(TestCaseError::fail)
        })
    };
    if let Err(failure) = TestRunner::new(config).run(inputs, case) {
        panic!("{failure}");
    }
}

fn runtime() -> Runtime {
    Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
}

/// Defines a test for each promise, the model test, and the test of serializability.
///
/// The first argument is an async function or closure without arguments. The function returns a fresh store as `Arc<dyn
/// Store>` with a guard that is dropped after the test. `None` means that the store is not available, and the test
/// passes without a check.
///
/// The argument `reference` is a function that returns an empty reference store: `MemoryStore::new` of
/// `signup-store-memory`.
///
/// The optional argument `model` is such a function for the two tests with random inputs. They call this function once
/// for each list. The function may return the same store again, without its records.
///
/// [`conformance`](crate::conformance) has examples.
#[macro_export]
macro_rules! conformance_tests {
    ($fresh:expr, reference: $reference:expr $(,)?) => {
        $crate::conformance_tests!($fresh, reference: $reference, model: $fresh);
    };
    ($fresh:expr, reference: $reference:expr, model: $model:expr $(,)?) => {
        $crate::__conformance_tests_of_promises! { $fresh;
            cancellations::a_closing_cancels_the_confirmed_sign_ups_of_the_shift
            cancellations::the_sign_ups_of_a_closed_shift_stay_cancelled
            cancellations::a_cancellation_keeps_its_cause
            cancellations::a_closing_cancels_every_sign_up_that_came_before
            contention::simultaneous_sign_ups_never_pass_the_capacity
            contention::simultaneous_subtractions_never_pass_a_bound
            contention::simultaneous_additions_never_pass_a_bound
            contention::one_of_many_simultaneous_inserts_of_a_unique_value_succeeds
            contention::one_of_many_simultaneous_uses_of_a_key_takes_effect
            contention::one_of_many_simultaneous_sign_ups_of_a_person_succeeds
            contention::one_of_many_simultaneous_edits_of_a_version_succeeds
            contention::filled_equals_the_confirmed_sign_ups_after_simultaneous_changes
            counter::codes_are_counted_in_windows_of_an_hour
            counter::requests_are_counted_in_windows_of_60_seconds
            counter::each_key_has_a_window_of_its_own
            counter::simultaneous_requests_get_different_counts
            counter::a_purge_removes_only_ended_windows
            deliveries::a_webhook_comes_back_as_it_was
            deliveries::a_delivery_comes_back_as_it_was
            deliveries::webhooks_are_listed_newest_first
            deliveries::deliveries_are_listed_newest_first_from_every_position
            deliveries::due_deliveries_are_listed_by_their_place
            deliveries::a_delivery_in_flight_takes_the_place_of_a_due_one
            deliveries::organizations_take_turns
            deliveries::a_due_time_after_the_latest_is_that_of_a_clock_that_was_ahead
            deliveries::a_failing_webhook_delays_no_other
            deliveries::deliveries_of_a_disabled_webhook_wait
            deliveries::the_oldest_pending_delivery_is_found
            deliveries::the_removal_of_a_webhook_removes_its_deliveries
            deliveries::deliveries_are_kept_until_they_expire
            deliveries::simultaneous_claims_never_pass_the_limit_of_a_webhook
            deletion::a_deleted_event_hides_all_that_belongs_to_it
            deletion::what_mails_and_operators_need_of_a_deleted_event_stays
            deletion::deleted_events_are_listed_by_id
            deletion::a_deleted_shift_is_missing_and_its_sign_ups_stay
            deletion::a_deleted_record_is_at_its_next_version
            deletion::a_sign_up_of_a_deleted_event_is_cancelled_and_removed
            fence::no_read_sees_another_organizations_records
            fence::no_requirement_sees_another_organizations_records
            event_lists::events_come_latest_or_soonest_start_first_then_by_id
            event_lists::a_walk_shows_each_event_once_under_inserts_and_deletions
            event_lists::a_page_has_positions_exactly_where_the_list_continues
            event_lists::the_filters_are_exact
            event_lists::events_are_selected_by_their_open_shifts
            event_lists::an_event_is_found_by_its_external_id
            event_lists::a_page_of_events_with_shifts_has_the_shifts_of_each_event
            lists::shifts_come_in_running_order
            lists::questions_come_by_position_then_by_id
            lists::five_hundred_shifts_are_created_at_once
            lists::messages_are_listed_the_newest_first
            lists::organizations_and_notices_are_listed_by_id
            lists::the_links_of_an_address_are_listed_until_they_expire
            lists::failed_notices_are_listed_by_id
            notices::due_notices_are_listed_by_due_time
            notices::codes_and_invitations_are_listed_before_other_notices
            notices::a_due_time_after_the_latest_is_due
            notices::failed_notices_are_listed_and_counted_separately
            notices::a_notice_at_rest_is_not_queued
            notices::a_recipient_at_rest_is_due_for_its_next_reminder
            notices::the_notices_for_an_address_are_listed_by_id
            notices::a_purge_removes_old_failed_notices
            people::people_and_what_belongs_to_them_come_back_as_they_were
            people::members_and_organizations_are_listed_in_their_order
            people::invitations_are_listed_newest_first
            people::members_and_invitations_of_another_organization_are_not_listed
            people::an_expired_record_with_a_version_keeps_its_values
            people::a_purge_removes_expired_invitations_codes_and_sign_ins
            people::a_removed_person_is_signed_out
            purge::a_purge_removes_an_event_with_all_that_belongs_to_it
            purge::a_purge_removes_deleted_records_in_portions
            purge::a_purge_keeps_a_shift_in_use
            puts::a_put_replaces_the_whole_record_and_no_other
            puts::an_event_in_full_follows_its_records
            puts::a_removed_record_is_gone_and_others_stay
            puts::shifts_take_their_day_from_their_event
            puts::an_event_moves_in_the_lists
            races::two_owners_who_remove_or_lower_each_other_leave_one_owner
            races::an_event_loses_no_day_that_gets_a_shift_at_once
            races::an_invitation_of_a_member_who_is_lowered_at_once_is_void_for_good
            races::signing_out_everywhere_ends_a_simultaneous_sign_in_or_comes_before_it
            receipts::a_receipt_holds_its_key_until_it_expires
            receipts::every_outcome_comes_back
            receipts::keys_differ_by_caller_operation_and_case
            receipts::a_purge_removes_the_oldest_expired_receipts
            requirements::a_refused_change_leaves_no_trace
            requirements::the_first_requirement_that_fails_is_the_refusal
            requirements::a_stale_version_or_gate_is_refused
            round_trip::every_field_comes_back_as_it_was
            round_trip::deletions_and_closings_come_back
            round_trip::null_fields_come_back_null
            round_trip::unusual_texts_and_numbers_come_back
            round_trip::every_double_comes_back_exactly
            round_trip::unusual_dates_and_zones_come_back
            round_trip::the_deepest_location_data_comes_back
            round_trip::an_address_keeps_its_spelling_and_is_found_by_every_other
            lookups::a_missing_record_is_none
            lookups::each_lookup_returns_the_record_of_its_key
            lookups::a_fresh_store_passes_its_check
            activity_lists::a_list_of_activity_is_filtered_and_newest_first
            activity_lists::a_page_of_activity_has_positions_exactly_where_the_list_continues
            activity_lists::activity_is_kept_until_it_expires
            activity_lists::an_activity_comes_back_as_it_was
            activity_lists::an_activity_of_an_unknown_type_is_listed
            activity_lists::the_activity_of_a_deleted_event_stays_listed
            signup_lists::a_list_of_sign_ups_is_filtered_and_newest_first
            signup_lists::a_page_of_sign_ups_has_positions_exactly_where_the_list_continues
            signup_lists::a_search_finds_a_part_of_a_name_or_of_an_address
            snapshots::an_event_in_full_is_one_snapshot
            snapshots::a_page_of_events_with_shifts_is_one_snapshot
            snapshots::a_shift_with_its_event_is_one_snapshot
            snapshots::a_sign_up_in_full_is_one_snapshot
            snapshots::a_sign_in_in_full_is_one_snapshot
            totals::totals_follow_each_write
            totals::a_sign_up_moves_to_another_shift
            totals::an_active_event_counts_until_its_end
            totals::a_webhook_counts_until_it_is_removed
            totals::a_delivery_is_in_flight_until_its_lease_ends
            totals::a_record_of_a_clock_that_was_ahead_counts_in_no_total
            totals::a_requirement_of_zeros_is_refused_with_a_total_above_zero
            totals::a_total_that_has_to_be_zero_excludes_additions
            uniques::a_unique_value_is_free_or_taken
            waiting_lists::nobody_waits_for_an_empty_place_after_simultaneous_changes
            uniques::a_cancelled_sign_up_frees_its_place
            uniques::a_deleted_event_frees_its_external_id
            volunteers::volunteers_are_listed_by_address_with_the_totals_of_their_sign_ups
            volunteers::volunteers_are_listed_by_name
            volunteers::volunteers_are_found_by_the_beginnings_of_words
            volunteers::a_page_of_volunteers_has_positions_exactly_where_the_list_continues
            volunteers::a_deleted_event_takes_its_sign_ups_from_the_volunteers
        }

        #[test]
        fn random_operations_have_the_answers_of_the_contract() {
            $crate::conformance::model::check(::core::file!(), $model, $reference);
        }

        #[test]
        fn simultaneous_change_sets_have_the_outcomes_of_one_after_the_other() {
            $crate::conformance::serializability::check(::core::file!(), $model, $reference);
        }
    };
}

/// Defines a test for each promise in the list of [`conformance_tests!`](crate::conformance_tests).
#[doc(hidden)]
#[macro_export]
macro_rules! __conformance_tests_of_promises {
    ($fresh:expr; $($module:ident::$promise:ident)*) => {$(
        #[test]
        fn $promise() {
            $crate::conformance::test($fresh, $crate::conformance::$module::$promise);
        }
    )*};
}
