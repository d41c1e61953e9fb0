//! The handlers of the API: each calls the library with the session and the input, and serializes the outcome.

mod activity;
mod events;
mod questions;
mod signups;
mod slots;
mod team;
mod webhooks;
mod write;

pub(crate) use activity::list_activity;
pub(crate) use events::{
    cancel_event, create_event, delete_event, duplicate_event, list_events, patch_event, publish_event,
    show_event, unpublish_event,
};
pub(crate) use questions::{add_question, delete_question, list_questions, patch_question};
pub(crate) use signups::{
    list_signups, list_signups_of_event, list_signups_of_slot, list_volunteers, show_signup,
};
pub(crate) use slots::{
    add_slots, delete_slot, list_coverage, list_slots, patch_slot, show_coverage, show_slot,
};
pub(crate) use team::{show_team, show_token};
pub(crate) use webhooks::{
    create_webhook, delete_webhook, list_deliveries, list_webhooks, patch_webhook, redeliver, rotate_secret,
    show_webhook, test_webhook,
};

use std::sync::Arc;

use signup_core::{Scope, Service, Session};
use warp::reply::Response;

use crate::reply::ApiError;
use crate::request::Request;
use write::{AuthorizedWrite, answer, preview};
pub(crate) use write::{MailsQueued, REPLAY};

/// The service, and the base URL of the addresses in responses.
#[derive(Debug, Clone)]
pub(crate) struct Context {
    pub(crate) service: Service,
    pub(crate) base_url: Arc<str>,
}

type ApiResult = Result<Response, ApiError>;

/// Checks the scope of a read, and that its query string has no parameters.
fn authorize_read(session: &Session, scope: Scope, request: &Request) -> Result<(), ApiError> {
    session.require(scope)?;
    Ok(request.no_query()?)
}
