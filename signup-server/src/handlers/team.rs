//! The handler of the team, which the library calls organization.

use signup_core::Session;
use warp::http::StatusCode;

use super::Answer;
use crate::reply::json;
use crate::wire::{Data, Team};

/// `GET /v1/team`: returns the organization of the token.
pub(crate) async fn show_team(session: Session) -> Answer {
    let organization = session.organization().await?;
    Ok(json(StatusCode::OK, &Data { data: Team::new(&organization) }))
}
