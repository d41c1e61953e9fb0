//! Handlers of sign-ups, which the API only reads.

use signup_core::{Scope, Session, SignupId, SignupListInput, SignupScope};
use warp::http::StatusCode;

use super::{Answer, Context, authorize_read};
use crate::reply::json;
use crate::request::Request;
use crate::wire::{Data, Signup, signup_page};

/// `GET /v1/signups`, `GET /v1/events/{event_id}/signups` and `GET /v1/slots/{id}/signups`: lists one page of sign-ups.
pub(crate) async fn list_signups(
    context: Context,
    session: Session,
    scope: Option<SignupScope>,
    request: Request,
) -> Answer {
    session.require(Scope::SignupsRead)?;
    let query =
        request.query(["status", "email", "per_page", "cursor"], |[status, email, per_page, cursor]| {
            SignupListInput { scope, status, email, per_page, cursor }.check()
        })?;
    let page = session.signups(query.clone()).await?;
    Ok(json(StatusCode::OK, &signup_page(&query, &page, &context.base_url)))
}

/// `GET /v1/signups/{id}`: returns a sign-up.
pub(crate) async fn show_signup(session: Session, id: SignupId, request: Request) -> Answer {
    authorize_read(&session, Scope::SignupsRead, &request)?;
    let signup = session.signup(id).await?;
    Ok(json(StatusCode::OK, &Data { data: Signup::new(&signup) }))
}
