//! The handlers of the team, which the library calls organization, and of the token itself.

use signup_core::{Scope, Session};
use warp::http::StatusCode;

use super::{ApiResult, authorize_read};
use crate::reply::json;
use crate::request::Request;
use crate::wire::{Data, Team, TokenUse};

/// `GET /v1/team`: returns the organization of the token.
pub(crate) async fn show_team(session: Session, request: Request) -> ApiResult {
    authorize_read(&session, Scope::OrganizationRead, &request)?;
    let organization = session.organization().await?;
    Ok(json(StatusCode::OK, &Data { data: Team::new(&organization) }))
}

/// `GET /v1/token`: returns the token of the request. Needs no scope.
pub(crate) async fn show_token(session: Session, request: Request) -> ApiResult {
    request.no_query()?;
    let found = session.token().await?;
    Ok(json(StatusCode::OK, &Data { data: TokenUse::new(&found) }))
}
