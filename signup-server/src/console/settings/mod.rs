//! The settings of an organization.

mod activity;
mod activity_words;
mod members;
mod organization;
mod tokens;
mod webhook;
mod webhooks;

use signup_core::Timestamp;

pub(super) use activity::list_activity;
pub(super) use members::{change_members, list_members};
pub(super) use organization::{change_organization, show_organization};
pub(super) use tokens::{change_tokens, list_tokens};
pub(super) use webhook::{change_webhook, show_webhook};
pub(super) use webhooks::{create_webhook, list_webhooks};

/// Returns an instant in words, such as `24 November 2026, 15:30 UTC`. Settings belong to no event, so to no zone.
fn moment(instant: Timestamp) -> String {
    instant.strftime("%-d %B %Y, %H:%M UTC").to_string()
}

/// Returns the day of an instant in words, such as `24 November 2026`.
fn day(instant: Timestamp) -> String {
    instant.strftime("%-d %B %Y").to_string()
}
