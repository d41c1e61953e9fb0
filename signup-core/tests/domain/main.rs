//! The domain as an embedding program uses it: values, clock changes, and the handles over the memory store.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod activity;
mod activity_of_events;
mod answered_questions;
mod attendance;
mod change_mails;
mod clock_changes;
mod corrections;
mod coverage;
mod event_life;
mod event_signups;
mod faults;
mod generators;
mod handles;
mod ids;
mod list_faults;
mod mails;
mod mails_to_people;
mod members;
mod messages;
mod news;
mod news_history;
mod opt_outs;
mod people;
mod permissions;
mod places;
mod previews;
mod question_input;
mod recorded;
mod reminders;
mod scene;
mod sessions;
mod shift_faults;
mod sign_ups;
mod summaries;
mod turns;
mod values;
mod volunteer_data;
mod waiting_lists;
mod webhook_input;
mod webhooks;
