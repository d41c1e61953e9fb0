//! Black-box tests of the server program. Each test starts its own server process and sends requests over HTTP.
//!
//! The harness checks every answer of the API against the OpenAPI document; see [`contract`].

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod addresses;
mod answer;
mod bad_input;
mod browser;
mod cached_answers;
mod clients;
mod command_line;
mod contract;
mod crash;
mod description;
mod descriptors;
mod duplicate;
mod events;
mod failover;
mod faults;
mod harness;
mod health;
mod idempotency;
mod keep_alive;
mod limits;
mod mail_faults;
mod mail_logins;
mod mailbox;
mod mails;
mod many_processes;
mod metrics;
mod packages;
mod page_limits;
mod page_sign_ups;
mod pages;
mod pgbouncer;
mod printed_json;
mod reference_pages;
mod request_ids;
mod signups;
mod slots;
mod slow_clients;
mod start;
mod team;
mod tokens;
mod volunteers;
mod wait;
