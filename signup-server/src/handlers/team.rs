//! The organization.

use signup_core::Call;
use warp::http::StatusCode;

use super::{Answer, Context};
use crate::reply::json;
use crate::wire::{Data, Team};

/// `GET /v1/team`
pub(crate) async fn show_team(context: Context, call: Call) -> Answer {
    let organization = context.service.organization(&call).await?;
    Ok(json(StatusCode::OK, &Data { data: Team::new(&organization) }))
}
