//! The handler of the team, which the library calls organization.

use signup_core::{Scope, Session};
use warp::http::StatusCode;

use super::{Answer, authorize_read};
use crate::reply::json;
use crate::request::Request;
use crate::wire::{Data, Team};

/// `GET /v1/team`: returns the organization of the token.
pub(crate) async fn show_team(session: Session, request: Request) -> Answer {
    authorize_read(&session, Scope::OrganizationRead, &request)?;
    let organization = session.organization().await?;
    Ok(json(StatusCode::OK, &Data { data: Team::new(&organization) }))
}
