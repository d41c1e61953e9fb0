//! The handlers of the API: each calls the library with the session and the input, and serializes the outcome.

mod events;
mod questions;
mod signups;
mod slots;
mod team;
mod write;

pub(crate) use events::{
    cancel_event, create_event, delete_event, duplicate_event, list_events, patch_event, publish_event,
    show_event, unpublish_event,
};
pub(crate) use questions::{add_question, delete_question, list_questions, patch_question};
pub(crate) use signups::{list_signups, show_signup};
pub(crate) use slots::{add_slots, delete_slot, list_slots, patch_slot, show_coverage, show_slot};
pub(crate) use team::show_team;

use std::sync::Arc;

use signup_core::Service;
use warp::reply::Response;

use crate::reply::ApiError;
use write::Write;

/// The service, and the base URL of the addresses in responses.
#[derive(Debug, Clone)]
pub(crate) struct Context {
    pub(crate) service: Service,
    pub(crate) base_url: Arc<str>,
}

type Answer = Result<Response, ApiError>;
