//! The handler of activity.

use signup_core::{ActivityQuery, Scope, Session};
use warp::http::StatusCode;

use super::{ApiResult, Context};
use crate::reply::json;
use crate::request::Request;
use crate::wire::activity_page;

/// `GET /v1/activity`: lists one page of what happened.
pub(crate) async fn list_activity(context: Context, session: Session, request: Request) -> ApiResult {
    session.require(Scope::ActivityRead)?;
    let query = request.query(ActivityQuery::from_input)?;
    let page = session.activity(query.clone()).await?;
    Ok(json(StatusCode::OK, &activity_page(&query, &page, format!("{}/v1/activity", context.base_url))))
}
