//! The reads of the store. Each read is one statement, so its result is one snapshot.
//!
//! A limit is written into the text of a statement, not passed as a parameter. PostgreSQL makes one plan for all values of a
//! parameter, and a plan for any limit is not the plan for a short page.
//!
//! Lists are sorted here, because SQL promises no order for an aggregate or a join. The rows mostly arrive in order, so the
//! sort is cheap.

mod activity_page;
mod deliveries;
mod event_in_full;
mod event_page;
mod lists;
mod notices;
mod page;
mod people;
mod reader;
mod signup_page;
mod volunteer_page;

pub(crate) use activity_page::activity_page;
#[cfg(test)]
pub(crate) use activity_page::activity_page_query;
pub(crate) use deliveries::{delivery_page, due_deliveries, oldest_pending_delivery};
#[cfg(test)]
pub(crate) use deliveries::{delivery_page_query, due_deliveries_query, oldest_pending_query};
pub(crate) use event_in_full::event_in_full;
pub(crate) use event_page::{events, events_with_shifts};
#[cfg(test)]
pub(crate) use event_page::{page_query, page_with_shifts_query};
pub(crate) use lists::list;
#[cfg(test)]
pub(crate) use lists::messages_query;
pub(crate) use notices::{count_notices, notices};
#[cfg(test)]
pub(crate) use notices::{due_notices_query, failed_notices_queries};
#[cfg(test)]
pub(crate) use people::people_queries;
pub(crate) use people::signed_in;
pub(crate) use reader::{Reader, StoreResult, of_parent, one, record};
pub(crate) use signup_page::{signup_page, signups_in_full};
#[cfg(test)]
pub(crate) use signup_page::{signup_page_query, signups_in_full_query};
pub(crate) use volunteer_page::volunteer_page;
#[cfg(test)]
pub(crate) use volunteer_page::volunteer_page_query;
