//! The handler of activity.

use signup_core::{ActivityListInput, EventId, Scope, Session};
use warp::http::StatusCode;

use super::{Answer, Context, wanted_id};
use crate::reply::json;
use crate::request::Request;
use crate::wire::activity_page;

/// `GET /v1/activity`: lists one page of what happened.
pub(crate) async fn list_activity(context: Context, session: Session, request: Request) -> Answer {
    session.require(Scope::ActivityRead)?;
    let query =
        request.query(["type", "event_id", "per_page", "cursor"], |[kind, event_id, per_page, cursor]| {
            let event = wanted_id(event_id.as_deref(), EventId::NONE);
            ActivityListInput { kind, event, per_page, cursor }.check()
        })?;
    let page = session.activity(query.clone()).await?;
    Ok(json(StatusCode::OK, &activity_page(&query, &page, format!("{}/v1/activity", context.base_url))))
}
